"""Certificates in fractions of programs with masks, several size dimensions, shares and custom rows."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from partitope.base.errors import CapabilityError
from partitope.models import AssignmentModel, PartitionPolytope
from partitope.models.certificates import exact
from partitope.models.certificates.exact import Solved, check_exactly
from partitope.solvers import solve

from ...solvers.open_programs import KINDS, open_program


def instance(seed, kind, scores=None):
    """A random program of 14 points in 3 clusters with a planted clustering, so that it is feasible."""
    model = open_program(seed, 14, 3, kind)
    if scores is None:
        return model
    return AssignmentModel(model.polytope, scores(np.random.default_rng(seed), model.score_source.shape))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("backend", ["transport", "highs"])
def test_optima_are_proved_without_rounding(kind, backend):
    for seed in range(5):
        solution = solve(instance(seed, kind), backend)
        certificate = solution.verify(exact=True)
        assert certificate.verified, certificate.verdict
        assert certificate.primal_violation <= 1e-12
        assert certificate.gap <= 1e-9
        assert certificate.prices == solution.verify().prices


@pytest.mark.parametrize(
    "scores", [lambda rng, shape: rng.integers(-1, 2, shape) * 1.0, lambda rng, shape: np.zeros(shape)]
)
def test_ties_are_proved_too(scores):
    for seed in range(4):
        certificate = solve(instance(2 * seed, "all", scores=scores)).verify(exact=True)
        assert certificate.verified, certificate.verdict


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_optimal_is_not_proved(kind):
    rng = np.random.default_rng(0)
    for seed in range(4):
        model = instance(seed, kind)
        best = solve(model)
        n, k = model.score_source.shape
        for _ in range(4):
            labels = best.labels.copy()
            labels[rng.integers(n)] = rng.integers(k)
            if (labels == best.labels).all():
                continue
            found = check_exactly(model, labels, best.prices, further_prices=best.further_prices)
            assert not found.verified
        if kind != "mask":
            name = model.polytope.row_names[-1]
            wrong = {**best.further_prices, name: best.further_prices[name] + 0.01}
            assert not check_exactly(model, best.labels, best.prices, splits=best.splits, further_prices=wrong).verified


def test_an_assignment_that_is_worse_by_less_than_floats_see_is_not_proved():
    """The second point gains 2^-60 by changing places with the first; in floats both are optimal."""
    scores = np.array([[1.0, 0.0], [1.0 + 2.0**-52, 2.0**-52]])
    scores[0, 1] = 2.0**-60
    polytope = PartitionPolytope(2, 1, 1, n_clusters=2).add_rows("all", np.ones((2, 2)), upper=2)
    model = AssignmentModel(polytope, scores)
    gain = [Fraction(a) - Fraction(b) for a, b in scores.tolist()]
    best = int(gain[1] > gain[0])
    labels = np.array([best, 1 - best])
    assert check_exactly(model, labels, [0.0, -1.0]).verified
    assert not check_exactly(model, 1 - labels, [0.0, -1.0]).verified
    assert solve(model).verify().verified


def test_pairs_that_are_not_allowed_and_too_many_unknowns(monkeypatch):
    model = instance(1, "mask")
    best = solve(model)
    j, i = np.argwhere(~model.polytope.allowed)[0]
    labels = best.labels.copy()
    labels[j] = i
    assert check_exactly(model, labels, best.prices).primal_violation >= 1
    monkeypatch.setattr(exact, "MOST_UNKNOWNS", 0)
    with pytest.raises(CapabilityError, match=r"solves for at most 0 .*: use verify"):
        replace(best, prices=best.prices + 1.0).verify(exact=True)


def test_equations_are_solved_as_far_as_they_agree():
    half, solved = Fraction(1, 2), Solved()
    assert solved.add(({0: Fraction(1), 1: Fraction(1)}, Fraction(1)))
    assert solved.add(({0: Fraction(2), 1: Fraction(2)}, Fraction(2)))
    assert not solved.add(({0: Fraction(2), 1: Fraction(2)}, Fraction(3)))
    assert solved.add(({1: Fraction(1), 2: Fraction(1)}, half))
    given = dict(enumerate([Fraction(7), Fraction(7), Fraction(0)]))
    assert [solved.value(q, given) for q in (0, 1)] == [half, half]
