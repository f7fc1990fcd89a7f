"""Whole points, groups together and apart, clusters that may stay closed: against all clusterings."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from partitope.base.errors import CapabilityError, InvalidInputError
from partitope.base.status import Status
from partitope.models import AssignmentModel, InfeasibleBoundsError, PartitionPolytope
from partitope.solvers import solve
from partitope.solvers.restricted_search import RestrictedSearch


def _weights(rng, n):
    """None, whole numbers, real numbers, or two size dimensions."""
    return [
        lambda: None,
        lambda: rng.integers(1, 6, n).astype(float),
        lambda: rng.lognormal(size=n),
        lambda: np.column_stack([np.ones(n), rng.lognormal(size=n)]),
    ][rng.integers(4)]()


def _groups(rng, n):
    return [None if missing else int(group) for missing, group in zip(rng.random(n) < 0.5, rng.integers(0, 3, n))]


def _model(seed):
    """A program with a random mix of statements; about a third has no assignment."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(4, 8)), int(rng.integers(2, 4))
    w = _weights(rng, n)
    mean = (np.ones(n) if w is None else w).sum(axis=0) / k
    width = rng.choice([0.1, 0.4, 0.9])
    low, up = ((np.tile(side, (k, 1)) if np.ndim(side) else side) for side in (mean * (1 - width), mean * (1 + width)))
    rounded = (np.floor(low), np.ceil(up)) if w is None else (low, up)
    polytope = PartitionPolytope(n, *rounded, w, n_clusters=k).whole()
    if rng.random() < 0.4:
        polytope = polytope.together(_groups(rng, n))
    if rng.random() < 0.4:
        pair = [None] * n
        pair[0] = pair[n - 1] = "twins"
        polytope = polytope.apart(pair)
    if rng.random() < 0.4:
        most = int(rng.integers(1, k + 1))
        cost = rng.random(k) if rng.random() < 0.5 else None
        polytope = polytope.optional(int(rng.integers(1, most + 1)), most, cost)
    if rng.random() < 0.2:
        mask = rng.random((n, k)) < 0.8
        mask[np.arange(n), rng.integers(0, k, n)] = True
        polytope = polytope.allow(mask)
    if rng.random() < 0.2:
        polytope = polytope.share(rng.random(n) < 0.5, lower=0.2, upper=0.8)
    if rng.random() < 0.2:
        polytope = polytope.add_rows("mine", rng.random((n, k)), upper=n / 2)
    scores = rng.normal(size=(n, k)) * 10.0 ** rng.integers(-3, 6)
    scores[rng.random((n, k)) < (0.1 if rng.random() < 0.2 else 0.0)] -= 1e9
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the huge ones are meant
        return AssignmentModel(polytope, scores)


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_random_mixes_are_solved_as_enumeration_does(first):
    for seed in range(first, first + 10):
        model, backend = _model(seed), "highs" if seed % 4 == 0 else "transport"
        values = [model.value(labels) for labels in model.polytope.enumerate()]
        if not values:
            with pytest.raises(InfeasibleBoundsError):
                solve(model, backend)
            continue
        solution, best = solve(model, backend), max(values)
        rounding = 1e-9 * abs(best) + 1e-9
        assert model.polytope.contains(solution.labels)
        assert solution.objective == pytest.approx(best, abs=rounding)
        assert solution.status is Status.OPTIMAL
        certificate = solution.verify()
        assert certificate.verified, certificate.verdict
        if model.polytope.is_discrete:
            assert solution.bound.lower - rounding <= best <= solution.bound.upper + rounding
            assert best <= certificate.primal_objective + certificate.gap * certificate.magnitude + rounding


def test_a_larger_program_keeps_every_bound_within_the_gap_it_states():
    rng = np.random.default_rng(1)
    X, revenue = rng.random((800, 2)), rng.lognormal(size=800)
    polytope = PartitionPolytope.asked_for(800, 5, balance="2%", weights=revenue).whole()
    model = AssignmentModel.lsa(X, X[:5], polytope)
    solution = solve(model, gap=1e-3)
    assert polytope.contains(solution.labels)
    assert solution.bound.upper - solution.bound.lower <= 1e-3
    divided = solve(replace(model, polytope=polytope.relaxed))
    assert solution.objective <= divided.objective + 1e-9
    assert "no other assignment" in solution.verify().verdict or solution.verify().verified


def test_a_worse_whole_answer_keeps_its_gap_and_no_forged_value_passes():
    polytope = PartitionPolytope(4, 2, 4, [1.0, 2.0, 2.0, 1.0], n_clusters=2).whole()
    model = AssignmentModel(polytope, [[3.0, 0.0], [2.0, 1.0], [0.0, 1.0], [0.0, 2.0]])
    solution = solve(model)
    assert solution.verify().verified
    forged = replace(solution, objective=solution.objective + 1.0)
    assert not forged.verify().verified
    assert replace(solution.verify(), rounding=1.0).verdict == "not verified in floating point"  # exact= takes no gaps
    low = replace(solution, prices=solution.prices, dual_objective=solution.dual_objective - 1.0)
    assert not low.verify().verified


def test_costs_are_reported_as_costs():
    model = AssignmentModel.of_costs(PartitionPolytope(3, 1, 2, n_clusters=2), [[1, 4], [2, None], [np.nan, 3]])
    solution = solve(model)
    assert (solution.labels.tolist(), solution.cost, model.cost(solution.labels)) == ([0, 0, 1], 6.0, 6.0)
    with pytest.raises(InvalidInputError, match=r"costs\[0, 1\] is -inf"):
        AssignmentModel.of_costs(PartitionPolytope(1, n_clusters=2), [[1.0, -np.inf]])


def test_statements_are_checked_and_conflicts_named():
    polytope = PartitionPolytope(4, 2, 2, n_clusters=2)
    with pytest.raises(InvalidInputError, match=r"groups has shape \(3,\), expected \(4,\)"):
        polytope.together([1, 1, 2])
    with pytest.raises(InfeasibleBoundsError, match=r"3 points of one group .* only 2 clusters"):
        polytope.apart([1, 1, 1, None])
    with pytest.raises(InvalidInputError, match=r"most=3 is not a number of clusters"):
        polytope.optional(most=3)
    with pytest.raises(InvalidInputError, match="least=2 exceeds most=1"):
        polytope.optional(2, 1)
    scores = np.zeros((4, 2))
    with pytest.raises(InfeasibleBoundsError, match=r"points \[0, 1, 2\] have to be together, of size 3"):
        solve(AssignmentModel(polytope.together([1, 1, 1, None]), scores))
    both = polytope.together(["a", "a", None, None]).apart(["b", "b", None, None])
    with pytest.raises(InfeasibleBoundsError):
        solve(AssignmentModel(both, scores))
    odd = PartitionPolytope(3, 3, 3, [2.0, 2.0, 2.0], n_clusters=2).whole()
    with pytest.raises(InfeasibleBoundsError, match="whole points to 2 clusters keeps the bounds on size"):
        solve(AssignmentModel(odd, np.zeros((3, 2))))
    with pytest.raises(CapabilityError, match="backend 'networkx' does not support"):
        solve(AssignmentModel(polytope.together(["a", "a", None, None]), scores), "networkx")


def test_open_clusters_cost_what_they_cost():
    polytope = PartitionPolytope(4, 2, 4, n_clusters=2).optional(cost=[5.5, 1.0])
    scores = np.array([[2.0, 1.0]] * 4)
    solution = solve(AssignmentModel(polytope, scores))
    assert (solution.labels.tolist(), solution.objective) == ([1, 1, 1, 1], 3.0)
    assert solve(AssignmentModel(polytope.optional(2), scores)).objective == 6.0


def test_a_step_of_a_fit_takes_what_two_programs_find(monkeypatch):
    rng, programs, solved = np.random.default_rng(0), [], RestrictedSearch.solved
    X, w = rng.normal(size=(200, 2)), rng.lognormal(size=200)
    polytope = PartitionPolytope(200, 0.95 * w.sum() / 10, 1.05 * w.sum() / 10, w, n_clusters=10).whole()
    model = AssignmentModel.lsa(X, X[:10], polytope)

    def counted(search, part, is_last):
        programs.append(part.program.cost.size)
        return solved(search, part, is_last)

    monkeypatch.setattr(RestrictedSearch, "solved", counted)
    found = solve(model, gap=1e-9, nodes=1)
    assert len(programs) == 2  # the third would have nearly all pairs, and takes longer than all before it
    assert polytope.contains(found.require_labels())
    assert found.bound.gap < 0.02
