"""Arguments of classifiers, searches and profiles that cannot be used are refused by name."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from partitope.base.errors import InvalidInputError
from partitope.classifiers import (
    ClusteringClassifier,
    LocalModelClassifier,
    MODLDiscretizer,
    TableCleaner,
    balance_curve,
    cluster_profiles,
)
from partitope.classifiers.cluster_values import ClusterValues
from partitope.classifiers.deep.classifiers import DeepCAC, _check_plan
from partitope.classifiers.search.balance_curve import common_lower_bounds

X = np.random.default_rng(0).normal(size=(40, 2))
Y = (X[:, 0] > 0).astype(int)


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (
            ClusteringClassifier(LogisticRegression()),
            "partitioner is a LogisticRegression, expected a Partitioner: pass",
        ),
        (ClusteringClassifier(encoder=LogisticRegression()), "encoder=Log.*: pass an estimator with the method fit_tr"),
        (LocalModelClassifier(estimator={}), "estimator={} is not usable: pass an estimator with the method fit, or"),
        (LocalModelClassifier(n_jobs="all"), "n_jobs='all' is not usable"),
        (MODLDiscretizer(columns=0), "columns=0 is not usable: pass a sequence of column names"),
        (MODLDiscretizer(columns="01"), "columns='01' is not usable"),
        (MODLDiscretizer(columns=[[0]]), r"columns names \[0\], which is no column"),
        (TableCleaner(drop="01"), "drop='01' is not usable"),
        (TableCleaner(types=["number"]), "types is a list, expected a Mapping"),
    ],
)
def test_options_of_estimators(estimator, message):
    with pytest.raises(InvalidInputError, match=message):
        estimator.fit(X, Y)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"y": Y[:5]}, r"lengths differ \(X: 40, y: 5\)"),
        ({"X_test": X[:, :1]}, r"X_test has shape \(40, 1\)"),
        ({"y_test": 1}, "y_test is a single value"),
        ({"n_clusters": 0}, "n_clusters=0"),
        ({"lowers": "few"}, "lowers holds no numbers"),
        ({"n_starts": 0}, "n_starts=0"),
    ],
)
def test_arguments_of_the_balance_curve(changed, message):
    arguments = {"X": X, "y": Y, "X_test": X, "y_test": Y, "n_clusters": 2, "n_starts": 1, **changed}
    with pytest.raises(InvalidInputError, match=message):
        balance_curve(**arguments)


def test_arguments_of_counts():
    with pytest.raises(InvalidInputError, match="n_clusters=0 is not usable"):
        common_lower_bounds(10, 0)
    with pytest.raises(InvalidInputError, match=r"y holds <U1 values, expected integers 0..1"):
        ClusterValues.fit([0, 1], ["a", "b"], 2)
    with pytest.raises(InvalidInputError, match=r"labels must be 0..1, got 0 to 2"):
        ClusterValues.fit([0, 1], [0, 1], 2).score([0, 2])


def test_arguments_of_profiles():
    profiles = cluster_profiles(X, Y, Y)
    with pytest.raises(InvalidInputError, match="cluster=2 is not usable: pass one of 0 to 1"):
        profiles.text(2)
    with pytest.raises(InvalidInputError, match=r"local_models=\[None\] is not usable: pass 2"):
        cluster_profiles(X, Y, Y, local_models=[None])
    with pytest.raises(InvalidInputError, match="redescription is a list, expected a LogLikelihoodEmbedding"):
        cluster_profiles(X, Y, Y, redescription=[])


@pytest.mark.parametrize("changed", [{"embedding": 3}, {"embedding": ("a", 2)}, {"l1": "x"}, {"learning_rate": None}])
def test_plans_of_networks(changed):
    with pytest.raises(InvalidInputError, match=next(iter(changed))):
        _check_plan(DeepCAC(**changed), 40)
