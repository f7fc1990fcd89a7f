"""The rational check: equal to the floating-point one up to rounding, sharp where that has a tolerance."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partitope.base.errors import InvalidInputError
from partitope.models import AssignmentModel, PartitionPolytope
from partitope.models.certificates.exact import check_exactly
from partitope.models.certificates.exact_rows import exact_scores
from partitope.solvers import BACKENDS, solve
from partitope.testing import DATA, brute_force, clusterings, random_model

from .optimal_exactly import optimal_exactly

SEEDS = st.integers(0, 2**32 - 1)


@settings(max_examples=30, deadline=None)
@given(SEEDS, st.sampled_from(["csa", "lsa"]), st.sampled_from(DATA))
def test_agrees_with_the_floating_point_check(seed, kind, data):
    solution = solve(random_model(seed, 30, 3, kind=kind, data=data))
    exact, rounded = solution.verify(exact=True), solution.verify()
    assert exact.exact
    assert exact.verified
    assert exact.gap >= 0  # weak duality, without a tolerance
    for name in ("primal_objective", "dual_objective", "magnitude"):
        assert getattr(exact, name) == pytest.approx(getattr(rounded, name), rel=1e-12, abs=1e-12 * exact.magnitude)
    assert exact.gap == pytest.approx(rounded.gap, abs=1e-12)
    assert exact.complementarity == pytest.approx(rounded.complementarity, abs=1e-12)


def test_integers_are_certified_without_any_tolerance():
    rng = np.random.default_rng(0)
    for _ in range(20):
        model = AssignmentModel(PartitionPolytope(12, [3, 2, 3], [4, 6, 5]), rng.integers(-9, 9, (12, 3)).astype(float))
        solution = solve(model)
        certificate = check_exactly(model, solution.labels, solution.prices, tolerance=0.0)
        assert certificate.verified
        assert certificate.gap == 0


@pytest.mark.parametrize("seed", range(20))
def test_exact_optimality_equals_enumeration(seed):
    model = random_model(seed, 6, 3, data="integers", shape=("equal", "free", "mixed")[seed % 3], kind="csa")
    gamma = list(exact_scores(model))
    values = {tuple(y): sum((gamma[j][i] for j, i in enumerate(y)), Fraction(0)) for y in clusterings(model).tolist()}
    best = max(values.values())
    assert float(best) == pytest.approx(brute_force(model))
    for labels, value in list(values.items())[:40]:
        assert optimal_exactly(model, labels) == (value == best)


def test_scores_are_exact_where_floats_round():
    X, sites = np.array([[0.1, 0.2], [0.3, 1e8]]), np.array([[0.7, 1e-9], [1 / 3, 5.0]])
    model = AssignmentModel.lsa(X, sites, PartitionPolytope(2, 1, 1, n_clusters=2), origin=[0.1, 0.3])
    for x, row in zip(X.tolist(), exact_scores(model)):
        for site, gamma in zip(sites.tolist(), row):
            to_origin = sum(((Fraction(v) - Fraction(c)) ** 2 for v, c in zip(x, [0.1, 0.3])), Fraction(0))
            to_site = sum(((Fraction(v) - Fraction(a)) ** 2 for v, a in zip(x, site)), Fraction(0))
            assert gamma == to_origin - to_site


def test_wrong_answers_fail():
    model = random_model(3, 20, 3, shape="equal")
    solution = solve(model)
    swapped = solution.labels.copy()
    a, b = 0, int(np.flatnonzero(swapped != swapped[0])[0])
    swapped[[a, b]] = swapped[[b, a]]
    assert not check_exactly(model, swapped, solution.prices).verified
    moved = solution.labels.copy()
    moved[0] = (moved[0] + 1) % 3
    assert check_exactly(model, moved, solution.prices).primal_violation == pytest.approx(1 / 20)
    assert not check_exactly(model, solution.labels, -10.0 * solution.prices).verified
    assert not optimal_exactly(model, moved)
    with pytest.raises(InvalidInputError, match="expected 3 finite numbers"):
        check_exactly(model, solution.labels, [0.0, 1.0])
    for bad in (np.nan, np.inf):
        with pytest.raises(InvalidInputError, match="prices is NaN or infinite at position 1, expected 3"):
            check_exactly(model, solution.labels, [0.0, bad, 1.0])
        with pytest.raises(InvalidInputError, match="warm_start is NaN or infinite at position 1, expected 3"):
            solve(model, warm_start=[0.0, bad, 1.0])


def test_weights_and_splits():
    rng = np.random.default_rng(1)
    weights = rng.uniform(0.5, 3, 15)
    third = weights.sum() / 3
    model = AssignmentModel(PartitionPolytope(15, [third] * 3, [third] * 3, weights), rng.normal(size=(15, 3)))
    solution = solve(model)
    assert solution.splits
    certificate = solution.verify(exact=True)
    assert certificate.verified
    lost = solution.splits[:-1]
    assert not check_exactly(model, solution.labels, solution.prices, splits=lost).verified


@pytest.mark.parametrize("name", tuple(BACKENDS))
def test_every_backend_passes_the_exact_check(name):
    accuracy = BACKENDS[name].capabilities.accuracy
    assert solve(random_model(5, 25, 3), name).verify(exact=True, tolerance=accuracy).verified
