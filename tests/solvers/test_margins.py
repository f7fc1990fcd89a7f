"""Safety margins and checks: for each the instance on which a narrower one, or none, would be wrong."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from partitope.base.deadline import UNLIMITED
from partitope.base.status import Status
from partitope.cluster.further import Further
from partitope.models import AssignmentModel, LeastSquaresSDP, MedoidLocationMIP, PartitionPolytope
from partitope.models.certificates.certificate import check_assignment
from partitope.models.objectives.fan_bound import _least_sums, fan_bound
from partitope.models.objectives.interval import power_of_two
from partitope.models.polytope.even import shares_around
from partitope.models.polytope.rows import AttributeRows
from partitope.models.programs.program import Program
from partitope.models.programs.whole_assignment import WholeAssignmentMIP
from partitope.solvers import evenest, restricted_search, solve
from partitope.solvers.assignment.cuts import Cuts
from partitope.solvers.assignment.evenest import _Evenness
from partitope.solvers.assignment.whole import Relaxed, WholeSearch
from partitope.solvers.backends.explicit import as_labels
from partitope.solvers.connected.enumeration import all_clusters
from partitope.solvers.global_optimum.branch_and_bound import _search, _task
from partitope.solvers.global_optimum.sdp import Iterates
from partitope.solvers.graphs.cluster_bounds import ClusterBounds
from partitope.solvers.infeasibility import _of_multiples, multipliers_exclude
from partitope.solvers.linear_program import solve_linear
from partitope.solvers.medoids.assignment import best_sites
from partitope.solvers.medoids.exchange import FORBIDDEN, exchange
from partitope.solvers.microaggregation.bound import lower_bound
from partitope.solvers.restricted_search import Reading
from partitope.solvers.solution import signed
from partitope.solvers.transport.prices.margin_bounds import _rounded_up


@pytest.mark.parametrize("seed", range(8))
def test_a_known_assignment_excludes_no_pair_of_a_better_one(seed):
    """At .3 of the slack seven of these answers are not the best."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(5, 30, 9).astype(float)
    mean = weights.sum() / 3
    model = AssignmentModel(PartitionPolytope(9, 0.9 * mean, 1.1 * mean, weights, n_clusters=3).whole(),
                            rng.normal(size=(9, 3)))  # fmt: skip
    best, second = sorted(model.polytope.enumerate(), key=model.value)[-1:-3:-1]
    found = solve(model, start=second)
    assert found.objective == pytest.approx(model.value(best))
    assert found.bound.upper >= model.value(best) - 1e-12


def test_shares_of_three_groups_are_as_wide_as_said():
    groups = np.repeat(["a", "b", "c"], [10, 6, 4])
    _, lower, upper = shares_around(groups, 20, 0.1)
    assert lower == pytest.approx({"a": 0.4, "b": 0.2, "c": 0.1})
    assert upper == pytest.approx({"a": 0.6, "b": 0.4, "c": 0.3})


def test_shares_of_three_groups_bind_as_options_say():
    table = pd.DataFrame({"group": np.repeat(["a", "b", "c"], [15, 9, 6])})
    polytope = Further.of([], ["group"], "10%").on(PartitionPolytope(30, 10, 10, n_clusters=3), table)
    assert polytope.contains(np.arange(30) % 3)
    labels = np.repeat([0, 1, 2, 0, 1, 2, 1, 2], [6, 5, 4, 4, 2, 3, 3, 3])  # none of the third group is in cluster 0
    assert not polytope.contains(labels)


def test_float32_is_rounded_up():
    values = np.random.default_rng(0).lognormal(sigma=20.0, size=1000)
    assert (_rounded_up(values).astype(np.float64) >= values).all()


def test_tolerances_are_taken_off_the_bound_of_a_tree():
    rng = np.random.default_rng(0)
    costs, ones = rng.random(6), np.ones(6)
    program = Program(costs, sp.csc_array(np.ones((1, 6))), np.array([3.0]), np.array([3.0]), 0 * ones, ones, ones > 0)
    answer = solve_linear(program)
    best = np.sort(costs)[:3].sum()
    assert answer.bound < best < answer.bound + 1e-5


# the better site bears too little, or wants more than there is
@pytest.mark.parametrize(("lower", "upper"), [(0.0, [3.0, 1.0]), ([0.0, 3.0], 3.0)])
def test_a_better_site_that_does_not_bear_the_load_is_left_alone(lower, upper):
    costs = np.array([[1.0, 0.0], [1.0, 0.0]])
    model = MedoidLocationMIP(costs, np.ones(2), lower, upper, 1, 1, np.zeros(2))
    assert best_sites(model, np.zeros(2, dtype=np.int64)).tolist() == [0]


@pytest.mark.parametrize("seed", [1, 3, 4])
def test_rounded_values_of_tails_are_lowered_to_bounds(seed):
    rng, free = np.random.default_rng(seed), (np.zeros(2), np.full(2, np.inf), np.zeros(2, dtype=np.int64))
    points, weights = rng.normal(size=(5, 2)), rng.random(5) + 0.1
    task = _task(points, weights, 2, "lsa")
    value = _search(task, 0, free, 1e300, 10**6, UNLIMITED)[0]
    apart = [[sum((Fraction(a) - Fraction(b)) ** 2 for a, b in zip(x, y)) for y in points] for x in points]
    mass = [Fraction(weight) for weight in weights]
    best = min(
        sum(mass[a] * mass[b] * apart[a][b] for a, b in combinations(some, 2)) / sum(mass[j] for j in some)
        + sum(mass[a] * mass[b] * apart[a][b] for a, b in combinations(rest, 2)) / sum(mass[j] for j in rest)
        for size in (1, 2) for some in combinations(range(5), size) for rest in [sorted({*range(5)} - {*some})]
    ) / Fraction(power_of_two(points)) ** 2  # fmt: skip
    assert Fraction(task.lowered(value)) <= best < Fraction(value)


def test_clusters_whose_rest_no_sizes_fit_are_not_listed():
    path = PartitionPolytope(6, 2, 2, n_clusters=3).connected(np.column_stack([np.arange(5), np.arange(1, 6)]))
    assert all_clusters(path, UNLIMITED).astype(int).tolist() == np.repeat(np.eye(3, dtype=int), 2, axis=1).tolist()


def test_clusters_that_fill_their_bounds_up_to_rounding_are_listed():
    path = PartitionPolytope(3, 0.8, 2, weights=[0.7, 0.1, 0.9], n_clusters=2).connected([[0, 1], [1, 2]])
    assert all_clusters(path, UNLIMITED).astype(int).tolist() == [[1, 1, 0], [0, 0, 1]]
    assert ClusterBounds.of(path).fits(np.array([[True, True, False]])).all()


# a shift that leaves too little behind, and an exchange that does
@pytest.mark.parametrize(
    ("costs", "weights", "lower"),
    [([[5, 0], [5, 0], [9, 0]], [1, 1, 1], [2, 0]), ([[5, 0], [0, 5], [0, 0]], [2, 1, 0], [2, 1])],
)
def test_moves_of_medoids_keep_lower_bounds(costs, weights, lower):
    costs, weights, lower = (np.array(part, dtype=float) for part in (costs, weights, lower))
    labels, weights = np.array([0, 0, 1]) if lower[1] == 0.0 else np.array([0, 1, 1]), weights[:, None]
    before, load = labels.tolist(), np.bincount(labels, weights[:, 0])[:, None]
    exchange(costs, weights, np.zeros(3, dtype=bool), lower, np.full((2, 1), 9.0), labels, load, FORBIDDEN)
    assert labels.tolist() == before


def test_the_sum_of_eigenvalues_is_rounded_down():
    above = 0
    for seed in range(20):
        matrix = np.random.default_rng(seed).normal(size=(4, 4))
        matrix += matrix.T
        exact = sum(map(Fraction, matrix.ravel().tolist())) / 4  # of the one projector with trace 1 that keeps ones
        assert Fraction(fan_bound(matrix, 1, 1)) <= exact
        above += Fraction(float(np.ones(4) @ matrix @ np.ones(4)) / 4) > exact
    assert above


# eigenvectors of length two with values of a quarter, and values that are too large
@pytest.mark.parametrize("wrong", [lambda w, V: (w / 4.0, 2.0 * V), lambda w, V: (w + 0.1, V)])
def test_eigenvalues_are_not_trusted(wrong, monkeypatch):
    matrix, eigh = np.diag([-3.0, 1.0, 2.0]), np.linalg.eigh
    monkeypatch.setattr(np.linalg, "eigh", lambda some: wrong(*eigh(some)))
    assert (_least_sums(matrix, 2) <= [0.0, -3.0, -2.0]).all()


def test_rounding_of_the_support_is_taken_off_a_semidefinite_bound():
    model, above = LeastSquaresSDP(np.arange(6.0)[:, None] ** 1.5, PartitionPolytope(6, 3, 3, n_clusters=2)), 0
    for seed in range(20):
        state, rng = Iterates.start(model), np.random.default_rng(seed)
        state.U = 1e6 * rng.normal(size=state.U.shape)
        box, (low, high) = state.box_prices(model), model.box
        ends = np.where(box > 0, high, low)
        support = sum(Fraction(a) * Fraction(b) for a, b in zip(box.ravel().tolist(), ends.ravel().tolist()))
        spectral = Fraction(model.scaled_bound(box / state.rho * state.rho))
        assert Fraction(state.safe_bound(model)) <= spectral - support
        above += spectral - Fraction(float((box * ends).sum())) > spectral - support
    assert above


def test_the_bound_of_two_records_is_rounded_down():
    for seed in range(20):
        pair = np.random.default_rng(seed).normal(size=(2, 3))
        exact = sum((Fraction(a) - Fraction(b)) ** 2 for a, b in pair.T.tolist()) / 2
        bound = Fraction(lower_bound(pair, float(exact), 2, 3, UNLIMITED))
        assert exact * (1 - Fraction(1, 10**11)) <= bound <= exact


# by the heaviest point, where the sum of the others is rounded, too; by the smallest unit of the weights
@pytest.mark.parametrize("weights", [[10, 1, 1, 1], [10.1, 0.26, 0.3, 0.81, 0.09], [3, 3, 6, 9]])
def test_sizes_that_meet_their_floor_need_no_tree(weights, monkeypatch):
    monkeypatch.setattr(_Evenness, "_linear", None)
    bound = evenest(PartitionPolytope(len(weights), weights=np.array(weights, dtype=float), n_clusters=2))[1]
    assert bound.lower == pytest.approx(bound.upper)
    assert bound.proof == "units and weights of the points"


def test_an_answer_of_highs_that_breaks_bounds_is_not_taken(monkeypatch):
    polytope = PartitionPolytope(4, weights=[1.0, 2.0, 4.0, 7.0], n_clusters=2).fix([0, 1, 3], [0, 0, 0])

    def wrong(program, *options):
        answer = solve_linear(program, *options)
        return replace(answer, columns=np.append([1, 0, 1, 0, 1, 0, 0, 1], np.zeros(program.cost.size - 8)))

    monkeypatch.setattr("partitope.solvers.assignment.evenest.solve_linear", wrong)
    assert polytope.contains(evenest(polytope)[2])


@pytest.mark.parametrize(("beyond", "excluded"), [(1e-15, False), (1e-3, True)])
def test_multipliers_exclude_beyond_rounding_alone(beyond, excluded):
    program = Program(np.zeros(3), sp.csc_array(np.ones((1, 3))), np.array([0.3 + beyond]), np.array([1.0]),
                      np.zeros(3), np.full(3, 0.1))  # fmt: skip
    highs = SimpleNamespace(getOptionValue=lambda _: (0, "simplex"), getDualRay=lambda: (0, True, np.ones(1)))
    assert multipliers_exclude(highs, program) == excluded


def test_a_whole_assignment_beyond_its_bounds_is_not_read():
    model = AssignmentModel(
        PartitionPolytope(3, 0, 4, weights=[2.0, 2.0, 3.0], n_clusters=2).whole(), -np.eye(3)[:, :2]
    )
    program, cuts = WholeAssignmentMIP(model), Cuts(model.polytope)
    relaxed = Relaxed(np.array([0, 0, 1]), np.zeros(2), {}, 1)
    search = WholeSearch(model, program, cuts, relaxed, UNLIMITED, None, None)
    search.restricted(3)
    chosen = {1: 0.0, 0: 1.0}
    assert search.read(np.array([chosen[i] for i in search.part[1].tolist()])) is Reading.NOTHING


def wide(seed):
    """A small program in whole points, with scores over several powers of ten."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(5, 11)), int(rng.integers(2, 4))
    weights = rng.lognormal(sigma=rng.uniform(0.3, 2.0), size=n)
    weights = np.ceil(5 * weights) if seed % 3 == 0 else weights
    scores = rng.normal(size=(n, k)) * 10.0 ** rng.uniform(0, rng.uniform(0, 9), size=(n, k))
    sizes = np.bincount(rng.integers(0, k, n), weights, k)
    bounds = sizes * rng.uniform(0.8, 1.0), sizes * rng.uniform(1.0, 1.2)
    return AssignmentModel(PartitionPolytope(n, *bounds, weights).whole(), scores)


# a better answer makes the numbers of another round smaller; a gap within tolerances is closed, by a tree or none
@pytest.mark.parametrize(("seed", "trees"), [(1550, 2), (1, 2), (77, 0), (277, 0)])
def test_a_search_ends_where_its_gap_is_closed_up_to_tolerances(seed, trees, monkeypatch):
    model, programs = wide(seed), []
    monkeypatch.setattr(restricted_search, "solve_linear", lambda *some: programs.append(some) or solve_linear(*some))
    found = solve(model)
    assert found.status is Status.OPTIMAL
    assert len(programs) == trees
    assert found.objective == pytest.approx(max(map(model.value, model.polytope.enumerate())), rel=1e-12)


def test_sides_of_rows_move_to_multiples_unless_they_are_there_up_to_rounding():
    sides, ones = (np.array([np.nextafter(value, 4.5)]) for value in (3.0, 6.0)), np.ones(2)
    rows = _of_multiples(Program(0 * ones, sp.csc_array([[3.0, 6.0]]), *sides, 0 * ones, ones, ones > 0))
    assert (rows.row_lower.item(), rows.row_upper.item()) == (3.0, 6.0)


def test_a_divided_point_loses_by_its_share_in_a_worse_cluster():
    model = AssignmentModel(PartitionPolytope(2, 0, 4, weights=[2.0, 2.0], n_clusters=2), np.eye(2))
    wrong = check_assignment(model, [0, 1], np.zeros(2), splits=[(0, 0, 0.5), (0, 1, 0.5)])
    assert (wrong.verified, wrong.gap * wrong.magnitude) == (False, 1.0)


def test_a_mask_holds_for_points_of_no_weight():
    polytope = PartitionPolytope(2, 0, 4, weights=[0.0, 2.0], n_clusters=2).allow([[True, False], [True, True]])
    assert check_assignment(AssignmentModel(polytope, [[0, 5], [1, 0]]), [0, 0], np.zeros(2)).verified


def test_a_certificate_of_scores_that_differ_by_rounding_says_so():
    value = np.random.default_rng(0).normal(size=20) * 1e6
    scores = np.column_stack([value, value + np.spacing(value) * np.tile([1, -1], 10), value])
    found = solve(AssignmentModel(PartitionPolytope(20, 5, 8, n_clusters=3), scores))
    assert found.verify().rounding > 0.0


def test_a_broken_side_constraint_is_never_verified():
    polytope = PartitionPolytope(2, 0, 2, n_clusters=2).add_rows("few", [[1, 0], [1, 0]], upper=1)
    broken = check_assignment(AssignmentModel(polytope, np.zeros((2, 2))), [0, 0], np.zeros(2))
    assert (broken.verified, broken.primal_violation) == (False, 0.5)


def test_values_of_both_signs_reach_as_far_as_their_sizes():
    one, zero = np.ones((1, 1)), np.zeros(1)
    assert AttributeRows("net", np.array([[1.0], [-1.0]]), np.array([0]), one, zero, zero).extent() == [2.0]


def test_prices_of_rows_are_in_their_own_unit():
    rows = PartitionPolytope(3, 0, 3, n_clusters=2).add_rows("weight", 1000.0 * np.eye(2)[[0, 0, 0]], upper=1500)
    found = solve(AssignmentModel(rows, [[3, 0], [2, 0], [1, 0]]), "highs")
    assert found.further_prices["weight"] == pytest.approx([0.002])


def test_points_of_no_weight_are_not_divided():
    model = AssignmentModel(PartitionPolytope(2, 0, 1, weights=[0.0, 1.0], n_clusters=2), np.eye(2))
    assert as_labels(model, np.array([[0.5, 0.5], [1.0, 0.0]]))[1] == ()


def test_a_bound_that_is_met_up_to_rounding_keeps_its_price():
    model = AssignmentModel(PartitionPolytope(3, 0, 0.4, weights=[0.1, 0.2, 0.3], n_clusters=2), np.zeros((3, 2)))
    sizes = model.polytope.upper * [1.0 - 1e-15, 0.5]
    assert signed(model, np.array([2.0, 0.0]), sizes).tolist() == [2.0, 0.0]
