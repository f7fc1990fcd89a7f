"""Masks, several size dimensions, shares and side constraints: every way to the optimum, prices by name, refusals."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from partitope.base.errors import CapabilityError, InfeasibleBoundsError, InvalidInputError
from partitope.base.status import Status
from partitope.models import AssignmentModel, PartitionPolytope
from partitope.models.programs.instances import read_instance
from partitope.solvers import BACKENDS, solve
from partitope.solvers.boxstep import search
from partitope.solvers.boxstep.master import OutOfTime

from .open_programs import KINDS
from .open_programs import open_program as instance


@pytest.mark.parametrize("kind", KINDS)
def test_the_engine_has_the_optimum_of_linear_programming_with_prices_by_name(kind):
    for seed in range(12):
        model = instance(seed, kind=kind)
        ours, theirs = solve(model), solve(model, "highs")
        certificate = ours.verify()
        assert certificate.verified, certificate.verdict
        assert abs(ours.objective - theirs.objective) <= 1e-9 * certificate.magnitude
        assert theirs.verify().verified
        assert list(ours.named_prices) == list(model.polytope.row_names)
        rows = model.polytope.n_clusters + sum(len(rows) for rows in model.polytope.further)
        assert len({point for point, _, _ in ours.splits}) <= rows
        assert kind != "mask" or model.polytope.weights is not None or not ours.splits


@pytest.mark.parametrize("backend", ["scipy", "pyomo", "cvxpy", "highs-ipm", "boxstep"])
def test_backends_that_declare_further_rows_agree(backend):
    for seed in range(3):
        model = instance(seed, n=12, k=3)
        solution, reference = solve(model, backend), solve(model, "highs")
        assert abs(solution.objective - reference.objective) <= 1e-9 * reference.verify().magnitude
        assert solution.verify().verified


def test_larger_programs_go_through_samples():
    model = instance(7, n=3000, k=6)
    ours = solve(model)
    assert ours.verify().verified
    assert solve(model, warm_start=ours.named_prices).objective == pytest.approx(ours.objective, rel=1e-12)


def test_scaled_shifted_permuted_programs_have_the_same_verdict():
    model = instance(3, n=20, k=3, kind="dimensions")
    rng, polytope, gamma = np.random.default_rng(0), model.polytope, model.score_source.dense()
    reference = solve(model)
    weights = np.column_stack([model.point_weights, polytope.attributes])
    low = np.column_stack([polytope.lower, *(rows.lower for rows in polytope.further)])
    up = np.column_stack([polytope.upper, *(rows.upper for rows in polytope.further)])
    order, units = rng.permutation(20), np.array([1.0, 1e4, 1e-5])
    for factor, shift in ((1e6, 0.0), (1e-6, 0.0), (1.0, 1e3)):
        other = PartitionPolytope(20, low * units, up * units, (weights * units)[order])
        found = solve(AssignmentModel(other, (factor * gamma + shift)[order]))
        assert found.verify().verified
        expected = factor * reference.objective + shift * model.point_weights.sum()
        assert found.objective == pytest.approx(
            expected, abs=1e-9 * factor * reference.verify().magnitude + 1e-9 * shift
        )


def test_forged_answers_are_not_verified():
    model = instance(5, n=20, k=3)
    good = solve(model)
    assert good.verify().verified
    labels = good.labels.copy()
    labels[0] = next(i for i in range(3) if i != labels[0])  # point 0 is fixed elsewhere
    splits = tuple(split for split in good.splits if split[0] != 0)
    assert not replace(good, labels=labels, splits=splits).verify().verified
    name = next(name for name, prices in good.further_prices.items() if np.abs(prices).max() > 1e-6)
    wrong = {**good.further_prices, name: good.further_prices[name] + 0.1}
    assert not replace(good, further_prices=wrong).verify().verified
    assert not replace(good, further_prices={}).verify().verified
    assert not replace(good, prices=good.prices + 0.1).verify().verified
    if good.splits:
        (point, cluster, share), *rest = good.splits
        assert not replace(good, splits=((point, cluster, share / 2), *rest)).verify().verified


def test_engines_for_sizes_in_one_dimension_keep_fixed_points():
    model = AssignmentModel(PartitionPolytope(9, 3, 3, n_clusters=3).fix([0, 1], 2), np.eye(9)[:, :3])
    for backend in ("transport", "networkx"):
        assert solve(model, backend).verify().verified
        assert solve(model, backend).labels[:2].tolist() == [2, 2]


def _conflicting(kind):
    polytope = PartitionPolytope(40, 10, 16, n_clusters=3)
    if kind == "shares":
        return polytope.share(np.arange(40) < 10, lower=0.3), 3
    if kind == "row":
        return polytope.add_rows("mine", np.ones((40, 3)), upper=39), 1
    mask = np.ones((40, 3), dtype=bool)
    mask[:35, 2] = False
    return PartitionPolytope(40, 0, [16, 16, 40]).allow(mask), 2


@pytest.mark.parametrize("kind", ["shares", "row", "mask"])
def test_rows_that_cannot_hold_together_are_named_with_a_repair(kind):
    polytope, count = _conflicting(kind)
    model = AssignmentModel(polytope, np.random.default_rng(0).normal(size=(40, 3)))
    with pytest.raises(InfeasibleBoundsError) as caught:
        solve(model)
    said = str(caught.value)
    assert said.split(" cannot hold")[0].count(" and ") == count - 1
    if kind == "shares":
        assert "share[0] >= 0.3 and share[1] >= 0.3 and share[2] >= 0.3 cannot hold together" in said
    if kind == "row":
        assert said == "mine <= 39 cannot hold: raise the upper bound of mine by 1 to 40"
    if kind == "mask":
        assert "size[0] <= 16 and size[1] <= 16 cannot hold together with the mask, which keeps 35 points" in said
    assert " by " in said


def test_a_mask_is_named_where_the_rows_could_hold_without_it():
    mask, ones = np.ones((6, 2), dtype=bool), np.ones((6, 2))
    mask[0, 1] = False
    for bound, masked in ((7.0, False), (6.0, True)):
        mine = ones * [[0.0, 1.0]]
        polytope = PartitionPolytope(6, 0, 6, n_clusters=2).allow(mask).add_rows("mine", mine, lower=bound)
        with pytest.raises(InfeasibleBoundsError, match=r"mine >= \d cannot hold") as caught:
            solve(AssignmentModel(polytope, ones))
        assert ("with the mask, which keeps 1 point (0) from other clusters" in str(caught.value)) is masked


def test_a_repair_of_whole_sizes_is_whole():
    polytope = PartitionPolytope(6, [5, 0], 6).add_rows("mine", np.ones((6, 2)) * [[1.0, 0.0]], upper=2.5)
    with pytest.raises(InfeasibleBoundsError) as caught:
        solve(AssignmentModel(polytope, np.ones((6, 2))))
    for part in str(caught.value).partition(": ")[2].split("; "):
        assert "mine" in part or float(part.split()[-1]).is_integer()


def test_bounds_of_a_column_of_ones_are_those_that_were_stated():
    n, gamma = 4, np.array([[3.0, 0.0], [2.0, 0.0], [-1.0, 0.0], [-2.0, 0.0]])
    polytope = PartitionPolytope(n, [[1.5, 0], [0, 0]], [[1.75, 9], [9, 9]], np.ones((n, 2)), names=["a", "b"])
    solution = solve(AssignmentModel(polytope, gamma))
    assert solution.objective == pytest.approx(3.0 + 0.75 * 2.0)
    assert solution.verify().verified
    assert solution.verify(exact=True).verified
    with pytest.raises(InfeasibleBoundsError, match=r"sum\(a upper\)=3.5 is less than"):
        PartitionPolytope(n, [[0, 0], [0, 0]], [[1.75, 9], [1.75, 9]], np.ones((n, 2)), names=["a", "b"]).check()
    assert PartitionPolytope(n, [[1, 0], [0, 0]], [[2, 9], [9, 9]], np.ones((n, 2))).weights is None


def test_points_whose_scores_cannot_differ_are_verified():
    X, S = np.array([[0.0, 1.0], [2.0, 3.0], [5.0, 5.0]]), np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 3.0]])
    model = AssignmentModel.lsa(X, S, PartitionPolytope(3, 0, 3, n_clusters=3).fix([0, 2], [1, 0]))
    assert solve(model).verify().verified


def test_rows_that_miss_each_other_by_little_are_in_conflict_too():
    polytope = PartitionPolytope(4, 2, 2, n_clusters=2).add_rows("mine", np.ones((4, 2)), upper=4 - 2e-9)
    with pytest.raises(InfeasibleBoundsError, match=r"mine <= 4 cannot hold: raise the upper bound"):
        solve(AssignmentModel(polytope, np.random.default_rng(0).normal(size=(4, 2))))


def test_random_conflicts_are_irreducible_and_their_repair_helps():
    for seed in range(6):
        rng = np.random.default_rng([seed, 8])
        a = rng.integers(0, 3, (4, 12, 3)).astype(float)
        model = AssignmentModel(PartitionPolytope(12, 3, 5, n_clusters=3), rng.normal(size=(12, 3)))
        polytope = model.polytope.add_rows("few", a, upper=a.min(axis=2).sum(axis=1) + 2.0)
        try:
            solve(replace(model, polytope=polytope))
            continue
        except InfeasibleBoundsError as error:
            said, _, change = str(error).partition(": ")
        named = [int(part.split("few[")[1].split("]")[0]) for part in said.split(" and ") if "few[" in part]
        sides = a.min(axis=2).sum(axis=1) + 2.0
        alone = model.polytope.add_rows("few", a[named], upper=sides[named])
        with pytest.raises(InfeasibleBoundsError):
            solve(replace(model, polytope=alone))
        for left in named:
            fewer = [q for q in named if q != left]
            rest = model.polytope.add_rows("few", a[fewer], upper=sides[fewer]) if fewer else model.polytope
            assert solve(replace(model, polytope=rest)).verify().verified
        for part in change.split("; "):
            if "few[" in part:
                sides[int(part.split("few[")[1].split("]")[0])] = float(part.split(" to ")[-1])
        if all("few[" in part for part in change.split("; ")):
            mended = model.polytope.add_rows("few", a, upper=sides)
            assert solve(replace(model, polytope=mended)).verify().verified


def test_a_time_limit_leaves_a_bound():
    model = instance(7, n=3000, k=6)
    best = solve(model)
    stopped = solve(model, time_limit=0.0)
    assert stopped.status is Status.TIME_LIMIT
    assert stopped.labels is None
    assert stopped.dual_objective >= best.objective - 1e-9 * best.verify().magnitude


def tied(kind, n=3000, k=5):
    """Programs in which many points have the same scores, or a few hold most of the weight."""
    rng = np.random.default_rng(3)
    weights = np.column_stack([np.ones(n), rng.gamma(2, 1, n), rng.random(n) < 0.3])
    X, tolerance = rng.normal(size=(n, 2)) * 3, 0.0 if kind == "equal bounds" else 0.05
    if kind in ("integer", "equal bounds"):
        X, weights = np.round(X), np.round(2 * weights)
    elif kind == "line":
        X = np.round(X) * [1, 0]
    elif kind == "copies":
        few = rng.integers(0, 60, n)
        X, weights = X[few], weights[few]
    elif kind == "heavy":
        weights[:, 0] = rng.lognormal(0, 2, n)
    elif kind == "alike":
        X = np.zeros((n, 2))
    sums = np.tile(weights.sum(axis=0) / k, (k, 1))
    if kind == "rounded bounds":  # no assignment keeps them to the last digit
        tolerance, sums = 0.0, sums * (1 + 3e-13)
    polytope = PartitionPolytope(n, sums * (1 - tolerance), sums * (1 + tolerance), weights)
    return AssignmentModel.lsa(X, rng.normal(size=(k, 2)), polytope)


@pytest.mark.parametrize("kind", ["integer", "equal bounds", "rounded bounds", "line", "copies", "heavy", "alike"])
def test_ties_are_solved_with_few_pivots(kind):
    solution = solve(tied(kind))
    assert solution.verify().verified, solution.verify().verdict
    assert solution.iterations < 3000  # a pivot a point would be a search that ties lead astray


def test_what_is_found_before_the_time_limit_is_an_assignment_with_a_bound(monkeypatch):
    model, priced_out = tied("integer"), search.improving
    best, points = solve(model), []
    for last in range(4):
        calls = []

        def stopped(problem, *rest, last=last, calls=calls):
            if problem.shape[0] == 3000:
                calls.append(1)
            if len(calls) > last:
                raise OutOfTime
            return priced_out(problem, *rest)

        monkeypatch.setattr(search, "improving", stopped)
        found = solve(model)
        if found.status is Status.OPTIMAL:
            break
        points.append(found.has_point)
        room = 1e-9 * best.verify().magnitude
        assert found.dual_objective >= best.objective - room
        assert not found.has_point or found.objective <= best.objective + room
        assert not found.has_point or found.verify().primal_violation <= 1e-9
    assert any(points)


def test_json_comes_back_and_damaged_files_are_refused(tmp_path):
    model = instance(2, n=14, k=3)
    file = model.write(tmp_path / "model.json")
    back = read_instance(file)
    assert solve(back).objective == solve(model).objective
    assert back.polytope.row_names == model.polytope.row_names
    record = json.loads(file.read_text(encoding="utf-8"))
    for damage in (
        {"attributes": record["further"][0]["attributes"][:-1]},
        {"clusters": [7] * 3},
        {"coefficients": [[float("nan")]] * 3},
        {"upper": [1.0]},
        {"name": record["further"][1]["name"]},
    ):
        further = [record["further"][0] | damage, *record["further"][1:]]
        file.write_text(json.dumps(record | {"further": further}), encoding="utf-8")
        with pytest.raises(InvalidInputError):
            read_instance(file)


def test_what_takes_sizes_in_one_dimension_only_says_so():
    model, masked = instance(1, n=12, k=3, kind="shares"), instance(1, n=12, k=3, kind="mask")
    for name in ("networkx", "cvxpy-scs", "highs-pdlp"):
        with pytest.raises(CapabilityError, match="does not support further_rows"):
            solve(model, name)
    with pytest.raises(CapabilityError, match=r"does not support (weights|masks)"):
        solve(masked, "highs-pdlp")
    with pytest.raises(CapabilityError, match="takes bounds on sizes in one dimension, and no side constraints"):
        BACKENDS["transport"]().solve(model)
    with pytest.raises(CapabilityError, match="takes bounds on sizes in one dimension"):
        model.polytope.scaled_to(6)
    with pytest.raises(CapabilityError, match="one dimension, and no masks"):
        masked.polytope.scaled_to(6)


def test_the_explicit_program_bars_pairs():
    model = instance(1, n=12, k=3, kind="mask")
    program = model.explicit.two_sided
    assert np.array_equal(program.upper.reshape(12, 3) > 0, model.polytope.allowed)


def test_prices_by_name_start_a_model_with_a_mask():
    allowed = np.array([[True, True], [True, True], [True, True], [False, True]])
    model = AssignmentModel.lsa(
        [[0.0], [1.0], [5.0], [6.0]], [[0.0], [6.0]], PartitionPolytope(4, 2, 2, n_clusters=2).allow(allowed)
    )
    cold = solve(model, "boxstep")
    warm = solve(model, "boxstep", warm_start=cold.named_prices)
    assert warm.labels.tolist() == cold.labels.tolist() == [0, 0, 1, 1]
    assert warm.verify().verified


def test_a_bound_a_hair_beyond_the_cheapest_assignment_is_kept():
    costs = np.array([[5.0, 1], [1, 9], [1, 9], [9, 1]])
    sales = np.array([[1.0, 0], [1e9, 0], [1e9, 0], [1e9, 0]])
    polytope = PartitionPolytope(4, 0, 4, n_clusters=2).add_rows("sales", sales, lower=2e9 + 0.5)
    assert solve(AssignmentModel.of_costs(polytope, costs)).cost == pytest.approx(4.0)


@pytest.mark.parametrize("start", range(0, 40, 10))
def test_infeasible_is_said_of_nothing_that_another_solver_answers(start):
    for seed in range(start, start + 10):
        rng = np.random.default_rng(seed)
        n, k, unit = int(rng.integers(3, 13)), int(rng.integers(2, 4)), 10.0 ** rng.uniform(-6, 9)
        costs = rng.integers(0, 10, (n, k)).astype(float)
        cheapest, away = costs.argmin(axis=1), 10.0 ** rng.uniform(-10, -8.5)
        if seed % 2:
            loads = rng.lognormal(size=(n, k)) * unit
            reached = loads[np.arange(n), cheapest].sum()
            polytope = PartitionPolytope(n, 0, n, n_clusters=k)
            polytope = polytope.add_rows("load", loads, **({"lower": reached * (1 + away)} if seed % 4 == 1 else
                                                           {"upper": reached * (1 - away)}))  # fmt: skip
        else:
            weights = (rng.lognormal(size=n) if seed % 4 else 10.0 ** rng.uniform(0, 10, n)) * unit
            sums = np.bincount(cheapest, weights, k)
            most = np.full(k, 1.1 * weights.sum())
            most[sums.argmax()] = sums.max() * (1 - away)
            polytope = PartitionPolytope(n, np.zeros((k, 2)), np.column_stack([np.full(k, n), most]),
                                         np.column_stack([np.ones(n), weights]))  # fmt: skip
        model = AssignmentModel.of_costs(polytope, costs)
        other = solve(model, backend="scipy")
        if other.labels is not None:
            assert solve(model).cost == pytest.approx(other.cost, rel=1e-6)
