"""The comparison: same bounds and folds for all, figures equal to those of the parts it is made of."""

from __future__ import annotations

import json
import math
from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from partitope.base.errors import InvalidInputError
from partitope.classifiers import ClusteringClassifier, ConditionalMeanEncoder
from partitope.commands.compare.report import comparison_report
from partitope.compare.methods import REFERENCE, known_methods
from partitope.compare.run import compare
from partitope.datasets.dataset import Dataset
from partitope.models import PartitionPolytope
from partitope.output.report import as_record
from partitope.output.terminal import plain
from partitope.solvers import GeometricPartitioner


def table(n: int = 120, classes: int = 2, seed: int = 0) -> Dataset:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    X = pd.DataFrame(
        {
            "a": np.round(rng.normal(size=n) + 1.5 * y, 1),
            "b": rng.integers(0, 4, n) + y,
            "colour": np.where(rng.random(n) < 0.3 + 0.4 * (y > 0), "red", "blue"),
        }
    )
    X.loc[3, "colour"] = None
    return Dataset(X, np.array(["no", "yes", "maybe"])[y], "toy", "answer")


@cache
def toy():
    return compare(table(), 4, lower=20, upper=45, folds=3, starts=2, seed=5)


def test_bounded_methods_respect_the_bounds_and_sizes_are_counted():
    polytope = PartitionPolytope(120, 20, 45, n_clusters=4)
    for row in toy().rows:
        if row.partition is not None:
            assert np.array_equal(row.partition.sizes, np.bincount(row.partition.labels, minlength=4))
            assert row.within_bounds == polytope.contains(row.partition.labels)
            if row.method.needs.bounds:
                assert row.within_bounds


def test_figures_equal_those_of_the_clustering_classifier():
    data = table()
    row = next(row for row in toy().rows if row.method.name == "geometric-lsa")
    folds = StratifiedKFold(3, shuffle=True, random_state=5).split(data.X, data.y)
    hits, areas = [], []
    for train, test in folds:
        low, high = math.floor(20 * len(train) / 120), math.ceil(45 * len(train) / 120)
        partitioner = GeometricPartitioner(4, lower=low, upper=high, objective="lsa")
        model = ClusteringClassifier(partitioner, n_starts=2, random_state=5)
        model.fit(data.X.iloc[train], data.y[train])
        hits.append((model.predict(data.X.iloc[test]) == data.y[test]).mean())
        areas.append(roc_auc_score(data.y[test] == "yes", model.predict_proba(data.X.iloc[test])[:, 1]))
    assert row.folds.accuracy == pytest.approx(np.mean(hits), abs=1e-12)
    assert row.folds.accuracy_sd == pytest.approx(np.std(hits, ddof=1), abs=1e-12)
    assert row.folds.auc == pytest.approx(np.mean(areas), abs=1e-12)


def test_whole_table_figures_are_those_of_the_best_start():
    data = table()
    points = ConditionalMeanEncoder().fit_transform(data.X, data.y)
    seeds = np.random.RandomState(5).randint(np.iinfo(np.int32).max, size=2)
    fits = [
        GeometricPartitioner(4, objective="csa", lower=20, upper=45, random_state=int(seed)).fit(points)
        for seed in seeds
    ]
    row = toy().rows[0]
    assert row.method.name == "geometric-csa"
    assert row.partition.objective == max(fit.partition_.objective for fit in fits)
    assert row.partition.sense == "max"
    assert row.proof == "step"
    means = np.array([points[row.partition.labels == i].mean(axis=0) for i in range(4)])
    assert row.sum_of_squares == pytest.approx(((points - means[row.partition.labels]) ** 2).sum())


def test_a_method_that_fails_keeps_its_row_with_the_reason(monkeypatch):
    def refuse(self, *arguments):
        raise InvalidInputError("this strategy cannot do that")

    monkeypatch.setattr(GeometricPartitioner, "_partition", refuse)
    result = compare(table(60), 3, folds=2, starts=1, methods=["geometric-csa", "kmeans"])
    assert result.rows[0].note == "this strategy cannot do that"
    assert result.rows[0].partition is None
    assert result.rows[1].folds.accuracy > 0


@pytest.mark.parametrize(
    "options, message",
    [
        ({"n_clusters": 100}, "exceeds the 80 training rows"),
        ({"folds": 61}, "60 rows of class"),
        ({"methods": ["nonsense"]}, "method 'nonsense' is not known"),
    ],
)
def test_refusals(options, message):
    with pytest.raises(InvalidInputError, match=message):
        compare(table(), **({"n_clusters": 4, "folds": 3} | options))


def test_record_is_json_and_complete():
    record = json.loads(json.dumps(plain(as_record(comparison_report(toy()))), allow_nan=False))
    assert record["format"] == "partitope.comparison"
    assert [row["method"] for row in record["rows"]] == list(known_methods())
    assert record["data"]["classes"] == {"no": 60, "yes": 60}
    assert record["rows"][-1]["method"] == REFERENCE
    assert sum(record["rows"][0]["partition"]["sizes"]) == 120
    assert len(record["rows"][0]["partition"]["labels"]) == 120


@given(
    st.integers(1, 8).flatmap(lambda k: st.tuples(st.just(k), st.integers(k, 400))),
    st.integers(2, 10),
    st.randoms(use_true_random=False),
)
def test_scaled_bounds_of_a_feasible_pair_stay_feasible(shape, folds, random):
    k, n = shape
    cut = sorted(random.randrange(n + 1) for _ in range(k - 1))
    sizes = np.diff([0, *cut, n]).tolist()
    lower = np.array([random.randint(0, s) for s in sizes])
    upper = np.array([random.randint(s, n) for s in sizes])
    part = n - n // folds
    scaled = PartitionPolytope(n, lower, upper).scaled_to(part)
    assert scaled.n_points == part
    assert scaled.is_feasible


def test_a_strategy_that_learns_from_few_labels_gets_a_tenth_of_them_and_a_cluster_a_class():
    rng = np.random.default_rng(0)
    group, hidden = rng.integers(3, size=200), rng.permutation(200) % 2
    X = rng.normal(size=(200, 2)) * 0.3 + np.column_stack([4.0 * group, 4.0 * hidden])
    X = pd.DataFrame(X, columns=["a", "b"])
    data = Dataset(X, hidden, "toy", "answer", covariates=pd.DataFrame({"group": group}))
    row = compare(data, 4, lower=50, upper=50, folds=2, starts=1, methods=["kcssl"]).rows[0]
    assert row.folds.accuracy > 0.8
    assert row.note == "2 classes, a tenth of the labels given, bounds added up"
    assert row.within_bounds
    assert row.partition.sizes.tolist() == [100, 100]
    row = compare(data, 3, folds=2, starts=1, methods=["kcssl"]).rows[0]
    assert row.partition is None
    assert "multiple of the 2 classes" in row.note
