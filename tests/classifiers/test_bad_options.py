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
    cluster_profiles,
)

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


def test_arguments_of_profiles():
    profiles = cluster_profiles(X, Y, Y)
    with pytest.raises(InvalidInputError, match="cluster=2 is not usable: pass one of 0 to 1"):
        profiles.text(2)
    with pytest.raises(InvalidInputError, match=r"local_models=\[None\] is not usable: pass 2"):
        cluster_profiles(X, Y, Y, local_models=[None])
    with pytest.raises(InvalidInputError, match="redescription is a list, expected a LogLikelihoodEmbedding"):
        cluster_profiles(X, Y, Y, redescription=[])
