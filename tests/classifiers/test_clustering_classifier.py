"""The clustering-based classifier: definition, aggregation, tables, stored state, scikit-learn's contract."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score

from partitope.base.errors import CapabilityError, InvalidInputError
from partitope.classifiers import ClusteringClassifier, ConditionalMeanEncoder, LeastSquaresWeighting
from partitope.classifiers.cluster_values import ClusterValues
from partitope.model_files.state import from_state, state_of
from partitope.models import InfeasibleBoundsError, PowerDiagram
from partitope.solvers import GeometricPartitioner, Partition, Partitioner


class RandomCells(Partitioner):
    """Cells of k random rows: a strategy of a few lines, whose objective is to be minimised."""

    def __init__(self, n_clusters=4, lower=None, upper=None, random_state=None, diagram=True):
        self.n_clusters = n_clusters
        self.lower = lower
        self.upper = upper
        self.random_state = random_state
        self.diagram = diagram

    objective_sense = "min"

    def _partition(self, X, y, covariates, polytope, random_state):
        sites = X[random_state.choice(len(X), self.n_clusters)]
        diagram = PowerDiagram(sites, np.zeros(len(sites)), "lsa")
        labels = diagram.predict(X)
        objective = float(((X - sites[labels]) ** 2).sum())
        sizes = np.bincount(labels, minlength=len(sites)).astype(float)
        return Partition(labels, sizes, objective, power_diagram=diagram if self.diagram else None)


def small(**options) -> ClusteringClassifier:
    return ClusteringClassifier(RandomCells(), **{"n_starts": 5, "random_state": 0} | options)


def table(seed: int = 0, n: int = 150) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {"colour": rng.choice(["red", "blue", None], n), "size": rng.integers(0, 9, n), "real": rng.normal(size=n)}
    )
    score = (frame["colour"] == "red") * 2.0 + frame["size"] / 4 + frame["real"] + rng.normal(size=n)
    return frame, np.where(score > score.median(), "yes", "no")


@pytest.mark.parametrize("prior", [None, (2.0, 3.0)])
@pytest.mark.parametrize("weighting", [None, "least-squares"])
def test_scores_follow_the_definition(prior, weighting):
    X, y = table()
    new = table(1)[0]
    model = small(prior=prior, weighting=weighting).fit(X, y)
    encoder = ConditionalMeanEncoder()
    Z, Znew = encoder.fit_transform(X, y), encoder.transform(new)
    if weighting:
        weights = LeastSquaresWeighting().fit(Z, y).coefficients_
        Z, Znew = Z * weights, Znew * weights
    scores = np.zeros(len(new))
    for diagram in model.diagrams_:
        values = ClusterValues.fit(diagram.predict(Z), (y == "yes").astype(int), 4, prior=prior)
        scores += values.score(diagram.predict(Znew))[:, 1] / 5
    np.testing.assert_allclose(model.predict_proba(new)[:, 1], scores, atol=1e-14)
    np.testing.assert_array_equal(model.predict(new), np.where(scores >= 0.5, "yes", "no"))
    np.testing.assert_array_equal(model.encode(new), Znew)


def test_max_takes_the_start_with_the_best_objective():
    X, y = table()
    model = small(aggregate="max", n_starts=8).fit(X, y)
    assert model.best_ == model.objectives_.argmin()  # RandomCells minimises
    assert model.partition_.objective == model.objectives_[model.best_]
    cells = model.apply(X)[:, model.best_]
    expected = model.cluster_values_[model.best_].score(cells)[:, 1]
    np.testing.assert_array_equal(model.predict_proba(X)[:, 1], expected)
    np.testing.assert_array_equal(
        model.predict_proba(X, aggregate="mean"), small(n_starts=8).fit(X, y).predict_proba(X)
    )
    larger = ClusteringClassifier(GeometricPartitioner(3, objective="csa"), "max", 4, random_state=1).fit(X, y)
    assert larger.best_ == larger.objectives_.argmax()


def test_cross_fitted_weights_ignore_what_only_the_row_itself_says():
    rng = np.random.default_rng(0)
    frame, y = table()
    frame["serial"] = [f"no {i // 2}" for i in rng.permutation(len(y))]  # two rows a value: says nothing
    options = {"weighting": "least-squares", "encoder": "plain"}
    own = small(**options).fit(frame, y).weighting_.coefficients_
    held_out = small(cross_fit=5, **options).fit(frame, y).weighting_.coefficients_
    assert abs(own[3]) > 3 * abs(held_out[3])
    same = small(cross_fit=5, **options).fit(frame, y).weighting_.coefficients_
    np.testing.assert_array_equal(held_out, same)


def test_threshold_moves_the_decision():
    X, y = table()
    scores = small().fit(X, y).predict_proba(X)[:, 1]
    for omega in (0.0, 0.3, 0.5, 0.9, 1.1):
        chosen = small(threshold=omega).fit(X, y).predict(X)
        np.testing.assert_array_equal(chosen == "yes", scores >= omega)


def test_seed_comes_from_the_partitioner_when_the_classifier_has_none():
    X, y = table()
    seeded = ClusteringClassifier(RandomCells(random_state=7), n_starts=3)
    np.testing.assert_array_equal(seeded.fit(X, y).objectives_, clone(seeded).fit(X, y).objectives_)
    assert len(set(seeded.objectives_)) == 3


def test_more_than_two_classes():
    X, y = load_iris(return_X_y=True)
    model = ClusteringClassifier(GeometricPartitioner(n_clusters=6, lower=10), n_starts=5, random_state=0)
    assert cross_val_score(model, X, y, cv=5).mean() > 0.9
    proba = model.set_params(prior=(2, 4)).fit(X, y).predict_proba(X)
    assert proba.shape == (150, 3)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.predict(X), proba.argmax(axis=1))


def test_bounds_that_clash_and_strategies_without_cells_are_refused():
    X, y = table()
    with pytest.raises(InfeasibleBoundsError):
        ClusteringClassifier(RandomCells(lower=100)).fit(X, y)
    with pytest.raises(CapabilityError, match="no power diagram"):
        ClusteringClassifier(RandomCells(diagram=False)).fit(X, y)


def test_supervised_intervals_and_groups_as_encoding():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=300)
    X = pd.DataFrame({"x": rng.normal(size=300) + 2 * y, "c": np.where(rng.random(300) < 0.8, y, 1 - y).astype(str)})
    partitioner = GeometricPartitioner(n_clusters=4, lower=40)
    model = ClusteringClassifier(partitioner, n_starts=3, encoder="modl", random_state=0).fit(X, y)
    assert model.score(X, y) > 0.85
    again = from_state(state_of(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert np.unique(model.encode(X)[:, 0]).size == len(model.encoder_.tables_[0].keys) + 1


def test_cross_fit_needs_columns_that_do_not_depend_on_the_rows():
    from sklearn.preprocessing import OneHotEncoder

    X = np.array(["a"] * 20 + ["b"] * 19 + ["c"], dtype=object)[:, None]
    encoder = OneHotEncoder(sparse_output=False, handle_unknown="ignore")
    model = ClusteringClassifier(n_starts=1, encoder=encoder, weighting="least-squares", cross_fit=5, random_state=0)
    with pytest.raises(InvalidInputError, match="columns on one fold"):
        model.fit(X, np.arange(40) % 2)


def test_weights_count_in_the_clustering_and_in_the_values():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
    weights = rng.integers(1, 4, 60)
    start = GeometricPartitioner(3, lower=0.2, objective="lsa", init=X[:3])
    weighted = ClusteringClassifier(start, n_starts=1, encoder=None).fit(X, y, sample_weight=weights)
    rows = np.repeat(np.arange(60), weights)
    repeated = ClusteringClassifier(start, n_starts=1, encoder=None).fit(X[rows], y[rows])
    ours, theirs = weighted.cluster_values_[0], repeated.cluster_values_[0]
    assert weighted.partition_.sizes.min() >= 0.2 * weights.sum() - 1e-9
    home = weighted.apply(X)[:, 0]
    table = np.zeros((3, 2))
    np.add.at(table, (home, y), weights)
    np.testing.assert_allclose(ours.counts, table)
    assert ours.counts.sum() == theirs.counts.sum()
    again = from_state(state_of(weighted))
    assert (again.predict_proba(X) == weighted.predict_proba(X)).all()
    plain = ClusteringClassifier(start, n_starts=1, encoder=None).fit(X, y, sample_weight=np.ones(60))
    assert plain.cluster_values_[0].counts.dtype == np.int64
