"""Proof is one word with three values: what earns each of them, and what loses it."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris

from partitope.models import PartitionPolytope
from partitope.models.objectives.bound import Bound
from partitope.models.objectives.proof import Proof
from partitope.solvers import CAC, PKM, GeometricPartitioner, Partition, solve_global


def _iris(seed: int = 0, k: int = 3) -> Partition:
    lower, upper = (40, 60) if k == 3 else (10, 60)
    model = GeometricPartitioner(k, lower=lower, upper=upper, objective="lsa", init="random", random_state=seed)
    return model.fit(load_iris().data).partition_


@pytest.fixture(scope="module")
def closed() -> Partition:
    return solve_global(load_iris().data, PartitionPolytope(150, 40, 60, n_clusters=3))


def test_local_optima_are_steps_and_never_global():
    ends = [_iris(seed, k=6) for seed in range(6)]
    assert len({round(end.objective, 6) for end in ends}) > 1  # not all of them can be optimal
    assert {end.proof for end in ends} == {Proof.STEP}
    assert all(end.claim == Proof.STEP.description for end in ends)


def test_iris_is_globally_optimal_within_a_stated_gap(closed):
    assert closed.proof is Proof.GLOBAL
    assert closed.bound.gap <= closed.gap_tolerance == 1e-4
    assert f"{closed.bound.gap:.1g}" in closed.claim
    assert "sdp dual" in closed.claim
    assert _iris(0).objective >= closed.bound.lower


def test_a_proof_belongs_to_its_labels(closed):
    for partition in (closed, _iris()):
        other = partition.labels.copy()
        other[[0, -1]] = other[[-1, 0]]
        assert other[0] != other[-1]
        forged = replace(partition, labels=other)
        assert forged.proof is Proof.NONE
        assert replace(partition, splits=((0, 0, 0.5), (0, 1, 0.5))).proof is Proof.NONE
        for kept in (replace(partition, seconds=1.0), copy.deepcopy(partition), pickle.loads(pickle.dumps(partition))):
            assert kept.proof is partition.proof
        changed = copy.deepcopy(partition)
        changed.labels[0] = changed.labels[-1]
        assert changed.proof is Proof.NONE


def test_a_global_proof_needs_its_interval(closed):
    assert replace(closed, objective=1.001 * closed.objective).proof is Proof.STEP
    assert replace(closed, bound=None).proof is Proof.STEP
    assert replace(closed, certificate=None).proof is Proof.GLOBAL
    assert replace(closed, certificate=None, bound=None).proof is Proof.NONE
    value = closed.objective
    for lower, upper in [
        (0.99 * value, value),
        (value, np.inf),
        (-np.inf, value),
        (np.nan, value),
        (1.1 * value, value),
    ]:
        assert replace(closed, bound=Bound(lower, upper, "a guess")).proof is Proof.STEP
    looser = replace(closed, bound=Bound(0.9 * value, value, "a guess"), gap_tolerance=0.1 + 1e-12)
    assert looser.proof is Proof.GLOBAL
    assert "gap of 0.1" in looser.claim


@pytest.mark.parametrize("shift", [0.0, 1e3, 1e7])
@pytest.mark.parametrize("n", [15, 150])
def test_an_optimum_of_zero_is_global(n, shift):
    points = np.array([[0.1, 0.2], [3.3, 0.7], [9.1, 5.3]]) + shift
    X = np.repeat(points, n // 3, axis=0)
    partition = solve_global(X, PartitionPolytope(n, n // 3 - 2, n // 3 + 2, n_clusters=3))
    assert partition.objective == 0.0
    assert partition.proof is Proof.GLOBAL


@pytest.mark.parametrize("objective", ["lsa", "csa"])
def test_all_points_equal_and_one_cluster(objective):
    for X in (np.full((6, 2), 0.1), np.random.default_rng(0).normal(size=(6, 2))):
        assert solve_global(X, PartitionPolytope(6, 6, 6, n_clusters=1), objective).proof is Proof.GLOBAL


def test_the_gap_does_not_depend_on_units_or_a_far_point():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(12, 2)), [[1e4, 0.0]]])
    for unit in (1.0, 1e-6, 1e6):
        polytope = PartitionPolytope(13, 1, 12, n_clusters=3)
        best = solve_global(unit * X, polytope)
        assert best.proof is Proof.GLOBAL
        worse = best.labels.copy()
        a = int(np.flatnonzero(worse != worse[12])[0])
        worse[a] = ({0, 1, 2} - {worse[12], worse[a]}).pop()
        assert (
            replace(best, labels=worse, objective=best.objective * (1 + 1e-6), proved_for="").proof is not Proof.GLOBAL
        )


def test_a_local_optimum_of_moves_and_swaps_says_so():
    X, y = load_iris(return_X_y=True)
    bounded = CAC(3, lower=40, upper=60, random_state=0).fit(X, y).partition_
    assert bounded.proof is Proof.NONE
    assert bounded.claim == "local optimum of moves and swaps; nothing is certified"
    free = CAC(3, random_state=0).fit(X, y).partition_
    assert free.claim.startswith("local optimum of moves;")
    stopped = CAC(3, lower=40, upper=60, max_iter=1, random_state=0).fit(X, y).partition_
    assert "local optimum" not in stopped.claim
    assert PKM(lower=10, random_state=0).fit(X, y).partition_.proof is Proof.STEP


def test_sizes_are_integers_where_all_of_them_are_whole():
    labels = np.array([0, 1, 1])
    assert repr(Partition(labels, np.array([1.0, 2.0]), 0.0).sizes) == "array([1, 2])"
    assert Partition(labels, np.array([0.5, 2.0]), 0.0).sizes.tolist() == [0.5, 2.0]


def test_the_step_in_whole_points_is_enclosed_and_stated():
    rng = np.random.default_rng(3)
    X, demand = rng.normal(size=(7, 2)), rng.lognormal(sigma=0.5, size=7)
    polytope = PartitionPolytope.even(7, 3, 0.3, demand=demand)
    partition = GeometricPartitioner(3, random_state=0).fit(X, polytope=polytope).partition_
    sites = partition.power_diagram.sites if partition.power_diagram else partition.cells.diagram.sites[:, :2]
    far = cdist(X, sites) ** 2
    costs = [
        sum(far[j, i] for j, i in enumerate(labels))
        for labels in product(range(3), repeat=7)
        if polytope.contains(np.array(labels))
    ]
    bound, value = partition.step_bound, far[np.arange(7), partition.labels].sum()
    assert bound.lower <= min(costs) * (1 + 1e-12)
    assert min(costs) <= value == pytest.approx(bound.upper)
    assert "no other assignment to these 3 centres is better by more than" in partition.claim
    assert bound.proof in partition.claim
    other = replace(partition, labels=partition.labels[::-1].copy())
    assert other.step_bound is None


def test_a_bound_that_is_too_wide_for_a_global_proof_is_stated():
    labels = np.array([0, 0, 1])
    partition = Partition(labels, np.array([2, 1]), 100.0, bound=Bound(99.829, 100.0, "pricing"))
    assert partition.proof is Proof.NONE
    assert partition.claim == "the best clustering there is cannot be better by more than 0.18 % (proved by pricing)"
    assert Bound(100.0 - 1e-8, 100.0, "pricing").room == "cannot be better (proved by pricing)"
    assert "certified" in replace(partition, labels=labels[::-1].copy()).claim
