"""Norm maximisation and bounded k-means: monotone, certified, independent of units, exact where it can be checked."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partitope.commands.bounds.run import study_bounds
from partitope.commands.fit.run import fit_classifier
from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers import GeometricPartitioner, solve, solve_global
from partitope.solvers.geometric.problem import GeometricProblem
from partitope.solvers.transport.prices.equal_points import EqualPoints
from partitope.stats import selective_mean_test


def _blobs(seed: int, n: int, d: int, k: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) + 3.0 * rng.normal(size=(k, d))[rng.integers(0, k, n)]


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(6, 60),
    d=st.integers(1, 4),
    k=st.integers(1, 5),
    objective=st.sampled_from(["csa", "lsa"]),
    integral=st.booleans(),
)
def test_history_never_gets_worse_and_the_end_is_certified(seed, n, d, k, objective, integral):
    X = _blobs(seed, n, d, k)
    X = np.round(X) if integral else X
    rng = np.random.default_rng(seed)
    lower = rng.integers(0, n // k + 1)
    upper = rng.integers(-(-n // k), n + 1)
    model = GeometricPartitioner(k, lower=int(lower), upper=int(upper), objective=objective, random_state=seed)
    partition = model.fit(X).partition_
    steps = np.diff(partition.history["objective"]) * (1 if objective == "csa" else -1)
    assert (steps >= 0).all()
    assert partition.certificate.verified
    assert partition.sizes.min() >= lower
    assert partition.sizes.max() <= upper
    margins = partition.power_diagram.margin(X, partition.labels)
    assert margins.min() >= -1e-9 * np.abs(X).max()


@pytest.mark.parametrize("objective", ["csa", "lsa"])
def test_objective_is_what_it_says(objective):
    X = _blobs(3, 80, 3, 4)
    model = GeometricPartitioner(4, lower=15, upper=25, objective=objective, random_state=1).fit(X)
    centred = X - X.mean(axis=0)
    groups = [centred[model.labels_ == i] for i in range(4)]
    if objective == "csa":
        expected = sum(np.linalg.norm(g.sum(axis=0)) for g in groups)
    else:
        expected = sum(((g - g.mean(axis=0)) ** 2).sum() for g in groups)
    assert model.partition_.objective == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("objective", ["csa", "lsa"])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_units_origin_and_order_do_not_matter(objective, scale):
    X = _blobs(5, 120, 3, 4)
    sites = X[:4].copy()
    degree = 1 if objective == "csa" else 2

    def value(points, start):
        model = GeometricPartitioner(4, lower=20, upper=40, objective=objective, init=start)
        return model.fit(points).partition_.objective

    start = sites - X.mean(axis=0) if objective == "csa" else sites
    reference = value(X, start)
    order = np.random.default_rng(0).permutation(len(X))
    shift = scale * np.array([10.0, -20.0, 5.0])
    moved = scale * start if objective == "csa" else scale * start + shift
    assert value(scale * X[order] + shift, moved) / scale**degree == pytest.approx(reference, rel=1e-9)


def test_without_unit_sites_the_sequence_can_fall():
    """Example 4.3.5 of the dissertation: 25, then 26, then 22.5."""
    X = np.array([[-4.0, 1.0], [1.0, -3.0], [-1.0, -1.0]])
    polytope = PartitionPolytope(3, [1, 1], [2, 2])

    def centres(labels):
        return np.array([X[labels == i].mean(axis=0) for i in range(2)])

    first = solve(AssignmentModel.csa(X, [[10.0, 0.0], [0.0, -60.0]], polytope))
    assert first.objective == pytest.approx(200.0)
    assert first.labels.tolist() == [0, 1, 1]
    model = AssignmentModel.csa(X, centres(first.labels), polytope)
    assert model.value(first.labels) == pytest.approx(25.0)
    second = solve(model)
    assert second.objective == pytest.approx(26.0)
    assert second.labels.tolist() == [0, 1, 0]
    third = AssignmentModel.csa(X, centres(second.labels), polytope)
    assert third.value(second.labels) == pytest.approx(22.5)


def test_integer_weights_count_as_repeated_rows():
    X = _blobs(10, 40, 2, 3)
    weights = np.random.default_rng(1).integers(1, 4, 40)
    sites = X[:3]
    weighted = GeometricPartitioner(3, objective="lsa", init=sites).fit(X, sample_weight=weights)
    repeated = GeometricPartitioner(3, objective="lsa", init=sites).fit(np.repeat(X, weights, axis=0))
    assert weighted.partition_.objective == pytest.approx(repeated.partition_.objective, rel=1e-10)


def test_where_both_objectives_are_offered_least_squares_is_the_default():
    offers = (GeometricPartitioner, solve_global, selective_mean_test, study_bounds)
    assert {inspect.signature(offer).parameters["objective"].default for offer in offers} == {"lsa"}
    assert inspect.signature(fit_classifier).parameters["method"].default == "geometric-lsa"


def test_a_time_limit_ends_starts_that_would_take_days():
    X = np.random.default_rng(0).normal(size=(400, 3))
    partition = (
        GeometricPartitioner(5, objective="csa", lower=70, n_init=10**6, time_limit=0.3, random_state=0)
        .fit(X)
        .partition_
    )
    assert partition.sizes.min() >= 70


@pytest.mark.parametrize(  # steps of both kinds
    ("n", "dtype"), [(900, np.float64), pytest.param(120_000, np.float32, marks=pytest.mark.full)]
)
def test_equal_rows_are_assigned_together_and_nothing_else_changes(n, dtype, monkeypatch):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(60, 8)).astype(dtype)[rng.integers(60, size=n)]
    made = GeometricPartitioner(6, max_iter=4, random_state=0, lower=n // 8, upper=n // 5)
    together = made.fit(X).partition_
    assert together.certificate.verified
    assert together.splits == ()
    monkeypatch.setattr(EqualPoints, "among", lambda rows: None)
    monkeypatch.setattr(GeometricProblem, "assign_inexactly", lambda *steps: None)
    apart = made.fit(X).partition_
    np.testing.assert_allclose(together.history["objective"], apart.history["objective"], rtol=1e-9)
