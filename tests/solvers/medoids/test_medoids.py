"""Bounded medoids against brute force, and what they promise beside."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from benchmarks.data.medoids import load_medoids
from partitope.base.deadline import Deadline
from partitope.base.errors import InfeasibleBoundsError, InvalidInputError
from partitope.base.status import Status
from partitope.models.objectives.proof import Proof
from partitope.models.polytope.links import Links
from partitope.models.programs.medoid_location import MedoidLocationMIP
from partitope.solvers import MedoidPartitioner
from partitope.solvers.linear_program import solve_linear
from partitope.solvers.medoids.assignment import seeds
from partitope.solvers.medoids.exchange import packed
from partitope.solvers.medoids.lagrange import LagrangeBound
from partitope.solvers.medoids.rebuild import Rebuilder
from partitope.solvers.medoids.search import MedoidSearch


def best_of_all(model: MedoidLocationMIP, linked: Links | None = None) -> float:
    """The optimum by enumeration, infinite where there is no clustering."""
    n, best = model.n_points, np.inf
    for p in range(model.least, model.most + 1):
        assignments = np.array(list(product(range(p), repeat=n)))
        if linked is not None:
            assignments = assignments[[linked.satisfied(labels) for labels in assignments]]
        sizes = np.stack([(assignments == i) @ model.weights for i in range(p)], axis=1)
        used = np.stack([(assignments == i).any(axis=1) for i in range(p)], axis=1).all(axis=1)
        for sites in map(list, combinations(range(model.n_sites), p)):
            low, up = model.lower[sites] * (1.0 - 1e-9), model.upper[sites] * (1.0 + 1e-9)
            kept = assignments[(sizes >= low).all(axis=1) & (sizes <= up).all(axis=1) & used]
            if len(kept) and model.demands is not None and model.capacities is not None:
                held = np.stack([(kept == i) @ model.demands for i in range(p)], axis=1)
                kept = kept[(held <= model.capacities[sites]).all(axis=(1, 2))]
            if model.own is not None:
                kept = kept[(kept[:, model.own[sites]] == np.arange(p)).all(axis=1)]
            if len(kept):
                costs = np.where(True if model.allowed is None else model.allowed, model.costs, np.inf)[:, sites]
                values = costs[np.arange(n), kept].sum(axis=1)
                best = min(best, float(values.min() + model.opening[sites].sum()))
    return best


def tiny(seed: int, money: float = 1.0, unit: float = 1.0) -> tuple[np.ndarray, dict, dict, MedoidLocationMIP]:
    """Data, parameters and fit options of a random small problem in units of costs and of weights, and its program."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(4, 8)), int(rng.integers(2, 4))
    weights = rng.integers(1, 9, n).astype(float) if seed % 3 else rng.uniform(0.5, 4.0, n)
    if seed % 7 == 0:
        weights[0] = 0.0
    upper = float(np.ceil(weights.sum() / p * rng.uniform(1.0, 1.6)))
    lower = float(np.floor(weights.sum() / p * 0.6)) if seed % 4 == 0 else 0.0
    cost = rng.integers(0, 6, n).astype(float) if seed % 5 == 0 else np.zeros(n)
    X = rng.integers(0, 20, (n, 2)).astype(float)
    costs, own, candidates = cdist(X, X), np.arange(n), None
    if unit != 1.0:  # a bound that whole points fill exactly, up to rounding
        upper = float(max(weights[::2].sum(), weights[1::2].sum()))
    weights, upper, lower = weights * unit, upper * unit, lower * unit
    X, costs, cost = X * money, costs * money, cost * money
    parameters: dict = {"upper": upper, "lower": lower or None, "random_state": seed, "n_clusters": p}
    if seed % 6 == 1:  # sites that are no points
        X = costs = rng.integers(0, 30, (n, n + 1)) * money
        cost, own, parameters["metric"] = np.append(cost, money), None, "precomputed"
    elif seed % 6 == 2:
        candidates = rng.permutation(np.arange(0, n, 2)) if n // 2 + n % 2 >= p else None
    if candidates is not None:
        costs, own, cost, parameters["candidates"] = costs[:, candidates], candidates, cost[candidates], candidates
    least, most, m, uppers, lowers = (
        p,
        p,
        costs.shape[1],
        np.full(costs.shape[1], upper),
        np.full(costs.shape[1], lower),
    )
    if seed % 9 == 5:  # bounds that differ by site
        uppers, lowers = np.ceil(upper * rng.uniform(0.4, 1.5, m)), lowers * rng.integers(0, 2, m)
        parameters |= {"upper": uppers, "lower": lowers if lower else None}
    if seed % 10 == 0:
        parameters["n_clusters"] = None
        least = 1 + int((np.cumsum(np.sort(uppers)[::-1]) < weights.sum() * (1 - 1e-9)).sum())
        most = min(int((np.cumsum(np.sort(lowers)) <= weights.sum()).sum()), n)
    if cost.any() or least < most:
        parameters["cost"] = cost
    model = MedoidLocationMIP(costs, weights, lowers, uppers, least, most, cost, own)
    return X, parameters, {"sample_weight": weights}, model


def test_forbidden_pairs_and_several_capacities_against_all_clusterings() -> None:
    for seed in range(30):
        rng, p, own = np.random.default_rng(seed), 1 + seed % 3, seed % 2 == 0
        n, m = 6, 6 if own else 4
        costs, weights = rng.integers(0, 20, (n, m)).astype(float), rng.integers(1, 9, n).astype(float)
        volume, upper = rng.integers(0, 7, n).astype(float), float(np.ceil(weights.sum() / p * 1.4))
        most = np.ceil(volume.sum() / p * rng.uniform(1.0, 1.6, m))
        if own:
            np.fill_diagonal(costs, 0.0)
        allowed = rng.random((n, m)) < 0.7 if seed % 5 else np.ones((n, m), dtype=bool)
        further = [(volume, most)] if seed % 4 else []
        stated = (volume[:, None], most[:, None]) if further else (None, None)
        sites = np.arange(m) if own else None
        best = best_of_all(MedoidLocationMIP(costs, weights, 0.0, upper, p, p, np.zeros(m), sites, allowed, *stated))
        X = np.where(allowed, costs, np.nan if seed % 3 else np.inf)
        model = MedoidPartitioner(p, upper=upper, metric="precomputed", further=further, random_state=0)
        if not np.isfinite(best):
            with pytest.raises(InfeasibleBoundsError):
                model.fit(X, sample_weight=weights)
            continue
        partition = model.fit(X, sample_weight=weights).partition_
        assert partition.objective == pytest.approx(best), seed
        assert partition.proof is Proof.GLOBAL, seed
        assert model.predict(X).shape == (n,)


@pytest.mark.parametrize("first", [0, 40, 80])
def test_points_together_and_apart_against_all_clusterings(first: int) -> None:
    for seed in range(first, first + 40):
        rng, p, own = np.random.default_rng(seed), 1 + seed % 3, seed % 2 == 0
        n = 6
        costs, m = (rng.integers(0, 20, (n, n)).astype(float), n) if own else (rng.integers(0, 20, (n, 4)) * 1.0, 4)
        demands = rng.integers(0, 9, (n, seed % 4)).astype(float)
        most = np.ceil(demands.sum(axis=0) / p * rng.uniform(1.0, 1.8, (m, seed % 4)))
        cost = rng.integers(0, 9, m).astype(float) if seed % 5 == 0 else np.zeros(m)
        allowed = rng.random((n, m)) < (0.8 if seed % 3 == 0 else 1.0)
        groups, rivals = (rng.choice(["a", "b", ""], n, p=part) for part in ((0.3, 0.2, 0.5), (0.3, 0.3, 0.4)))
        must, cannot = (
            [pair for pair in combinations(range(n), 2) if column[pair[0]] == column[pair[1]] != ""]
            for column in (groups, rivals)
        )
        pairs = rng.choice(n, (seed % 2, 2), replace=False)
        free = seed % 7 == 0 and (cost.any() or demands.shape[1])
        parameters: dict = {"metric": "precomputed", "further": list(zip(demands.T, most.T)), "random_state": 0}
        parameters |= {"cost": cost} if cost.any() else {}
        model = MedoidPartitioner(None if free else p, **parameters, together=[groups], apart=[rivals, pairs])
        best, numbers = np.inf, range(1, 5) if free else [p]
        with suppress(InfeasibleBoundsError):
            linked = Links(n, must, [*cannot, *pairs])
            for k in numbers:
                sites = np.arange(n) if own else None
                more = (demands, most) if demands.shape[1] else (None, None)
                stated = MedoidLocationMIP(costs, np.ones(n), 0.0, n, k, k, cost, sites, allowed, *more)
                best = min(best, best_of_all(stated, linked)) if cost.any() or np.isinf(best) else best
        X = np.where(allowed, costs, np.nan)
        if not np.isfinite(best):
            with pytest.raises(InfeasibleBoundsError):
                model.fit(X)
            continue
        partition = model.fit(X).partition_
        if np.unique(model.labels_).size <= 4:  # as far as all are listed
            assert partition.objective == pytest.approx(best), seed
        assert partition.proof is Proof.GLOBAL, seed
        assert linked.satisfied(model.labels_)
        assert partition.sizes.tolist() == np.bincount(model.labels_).tolist()
        assert not own or (model.labels_[model.medoids_] == np.arange(model.medoids_.size)).all()


def test_a_small_capacity_is_kept_beside_huge_demands():
    costs = np.array([[0.0, 9, 5], [9, 0, 5], [8, 8, 1], [8, 8, 1], [7, 8, 1], [8, 7, 1]])
    demand, upper = np.array([1e9, 1e9, 0.5, 0.5, 0.5, 0.5]), [1e9 + 1, 1e9 + 1, 1.0]
    model = MedoidLocationMIP(costs, demand, 0.0, upper, 3, 3, np.zeros(3))
    assert not model.contains(np.array([0, 1, 2, 2, 2, 2]))
    answer = solve_linear(model.program)
    assert answer.columns is not None
    assert model.contains(model.served_by(answer.columns))
    fitted = MedoidPartitioner(3, metric="precomputed", further=[(demand, upper)], random_state=0).fit(costs)
    assert (fitted.partition_.objective, fitted.partition_.proof) == (best_of_all(model), Proof.GLOBAL)
    assert (np.bincount(fitted.labels_, demand) <= np.array(upper)[fitted.medoids_]).all()


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({"together": [[(0, 1)]], "apart": [[(1, 0)]]}, "points 0 and 1 have different clusters by apart, but"),
        ({"apart": [list("xxx") + [None] * 37]}, "points 0, 1, 2 need 3 clusters by apart, but there can"),
        ({"together": [[(3, 5), (5, 4)]], "further": [(np.arange(40), 900), (np.ones(40) / 4, 0.7)], "n_clusters": 18},
         r"points 3, 4, 5 \(in one cluster by together\) takes 0.75 of further\[1\]"),
        ({"together": [["a"] * 40]}, "n_clusters=2 exceeds the 1 candidates"),
        ({"together": "family"}, "together is not a list"),
        ({"objective": "means", "apart": [[(0, 1)]]}, "leave out .* apart="),
    ],
)  # fmt: skip
def test_links_that_cannot_be_kept_are_refused_in_a_line(points: np.ndarray, stated: dict, message: str) -> None:
    with pytest.raises((InfeasibleBoundsError, InvalidInputError), match=message):
        MedoidPartitioner(**{"n_clusters": 2, "random_state": 0} | stated).fit(points)


@pytest.mark.parametrize("room", [0.01, 0.15])
def test_several_capacities_with_little_room_are_kept(room: float) -> None:
    rng = np.random.default_rng(0)
    demands, X, k = rng.integers(1, 21, (60, 3)).astype(float), rng.random((60, 2)), 5
    most = np.ceil(demands.sum(axis=0) / k * (1.0 + room))
    model = MedoidLocationMIP(
        cdist(X, X), demands[:, 0], 0.0, most[0], k, k, np.zeros(60), np.arange(60), None, demands[:, 1:],
        np.broadcast_to(most[1:], (60, 2)),
    )  # fmt: skip
    search = MedoidSearch(model, np.random.RandomState(0), Deadline(None))  # steps are counted, no time
    search._look(seeds(model, k, search.rng))
    search._rebuild(Deadline(None))
    assert search.served is not None
    for r in range(3):
        assert np.bincount(search.served, demands[:, r]).max() <= most[r]
    search._ascend(Deadline(None))
    assert search.value <= 1.7 * search.bound


# in the last ones branch and bound has nothing to start from, costs are tiny, or weights huge
LAST = ((1120, 2140, 2620), 1.0, 1.0), ((211,), 1e-9, 1.0), ((36, 48), 1.0, 1e7), ((33,), 1.0, 1e9)


@pytest.mark.parametrize(
    "seeds, money, unit",
    [(range(25), 1.0, 1.0), (range(25, 50), 1.0, 1.0), (range(5, 320, 9), 1.0, 1.0), *LAST],
    ids=str,
)
def test_small_problems_are_solved_to_the_optimum_of_all_clusterings(
    seeds: Sequence[int], money: float, unit: float
) -> None:
    for seed in seeds:
        X, parameters, given, model = tiny(seed, money, unit)
        best = best_of_all(model)
        if not np.isfinite(best):
            with pytest.raises(InfeasibleBoundsError):
                MedoidPartitioner(**parameters).fit(X, **given)
            continue
        fitted = MedoidPartitioner(**parameters).fit(X, **given)
        partition = fitted.partition_
        columns = parameters.get("candidates", np.arange(X.shape[1] if model.own is None else len(X)))
        places = [int(np.flatnonzero(columns == medoid)[0]) for medoid in fitted.medoids_]
        served = np.array(places)[fitted.labels_]
        assert model.contains(served), seed
        assert partition.objective == pytest.approx(model.value(served), abs=1e-9 * money), seed
        assert partition.objective == pytest.approx(best, rel=1e-9, abs=1e-6 * money), seed
        assert partition.bound.lower <= best + 1e-6 * money, seed
        assert (partition.proof, partition.status) == (Proof.GLOBAL, Status.OPTIMAL), seed


# whole weights, real ones, and lower bounds that whole points fill exactly
@pytest.mark.parametrize("priced", [False, True], ids=["one capacity", "three"])
@pytest.mark.parametrize("seeds", [range(1, 19, 3), range(0, 18, 3), range(5, 68, 9), (268, 400, 1484)], ids=str)
def test_bounds_and_reduced_costs_exclude_no_optimum(seeds: Sequence[int], priced: bool) -> None:
    for seed in seeds:
        *_, model = tiny(seed)
        if priced:
            rng = np.random.default_rng(seed)
            demands = rng.integers(0, 9, (model.n_points, 2)).astype(float)
            most = np.ceil(demands.sum(axis=0) / model.least * rng.uniform(1.0, 1.5, (model.n_sites, 2)))
            model = replace(model, demands=demands, capacities=most)
        best = best_of_all(model)
        if not np.isfinite(best):
            continue
        lagrange = LagrangeBound.of(model)
        lagrange.ascend(best, 30, deadline())
        assert lagrange.best.bound <= best + 1e-9 * abs(best)
        reduced = lagrange.reduced_costs(np.arange(model.n_sites))
        for j, i in np.argwhere(lagrange.best.bound + reduced > best + 1e-6)[seed % 4 :: 4]:
            allowed = np.ones(model.costs.shape, dtype=bool)
            allowed[j] = np.arange(model.n_sites) == i
            forced = replace(model, allowed=allowed)
            answer = solve_linear(forced.program)
            assert answer.columns is None or answer.value >= lagrange.best.bound + reduced[j, i] - 1e-6


@pytest.mark.parametrize("seed", range(9))
def test_distances_to_means_are_the_least_of_all_clusterings(seed: int) -> None:
    rng, p = np.random.default_rng(seed), 1 + seed % 3
    X, weights = rng.random((7, 1 + seed % 2)), rng.integers(1, 5, 7).astype(float) if seed % 4 else np.ones(7)
    lower, upper = (2.0 if seed % 3 else 0.0), float(np.ceil(weights.sum() / p * 1.3))
    best = np.inf
    for labels in map(np.array, product(range(p), repeat=7)):
        sizes, members = np.bincount(labels, weights, p), [X[labels == i] for i in range(p)]
        if sizes.max() <= upper and sizes.min() >= lower and all(map(len, members)):
            best = min(best, sum(np.linalg.norm(own - own.mean(axis=0), axis=1).sum() for own in members))
    model = MedoidPartitioner(p, lower=lower, upper=upper, objective="means", random_state=0)
    partition = model.fit(X, sample_weight=weights).partition_
    assert partition.objective == pytest.approx(best)
    assert 0.0 < partition.bound.lower <= best + 1e-9
    with pytest.raises(InvalidInputError, match="leave out metric=, candidates=, cost="):
        model.set_params(cost=1).fit(X)


def test_means_of_as_many_clusters_as_points_and_of_tiny_units():
    X = np.random.default_rng(0).random((150, 2))
    alone = MedoidPartitioner(150, objective="means", time_limit=60, random_state=0).fit(X).partition_
    assert (alone.objective, alone.status, alone.seconds < 50) == (0.0, Status.OPTIMAL, True)
    many = MedoidPartitioner(129, objective="means", time_limit=1, random_state=0).fit(X).partition_
    assert 0.0 <= many.bound.lower <= many.objective < 1.0
    tiny = [MedoidPartitioner(3, objective="means", random_state=0).fit(unit * X[:12]) for unit in (1.0, 2.0**-550)]
    assert tiny[1].partition_.objective == 2.0**-550 * tiny[0].partition_.objective > 0.0


@pytest.mark.parametrize("seed", [15, 19, 22, 37])
def test_pairs_of_the_optimum_are_never_left_out(seed: int) -> None:
    """At multipliers that prove little, it uses pairs of up to .996 of what is left between value and bound."""
    rng, n = np.random.default_rng(seed), 9
    X, weights = rng.integers(0, 20, (n, 2)).astype(float), rng.integers(1, 9, n).astype(float)
    upper = np.ceil(weights.sum() / 3 * rng.uniform(1.0, 1.6, n))
    model = MedoidLocationMIP(cdist(X, X), weights, 0.0, upper, 3, 3, np.zeros(n), np.arange(n))
    columns = solve_linear(model.program).columns
    assert columns is not None
    best = model.served_by(columns)
    search = MedoidSearch(model, np.random.RandomState(0), deadline())
    search.value, eta = model.value(best), search.lagrange.best.eta
    for _ in range(20):
        search.lagrange = LagrangeBound.of(model, eta * rng.uniform(0.5, 1.5, n))
        search.needed()
        assert search.left.contains(best)


@pytest.mark.parametrize("upper", [4.0, [4.0] * 6 + [3.0] * 3 + [5.0] * 3], ids=["one bound", "a bound a site"])
def test_clusters_built_anew_are_filled_exactly_and_never_more(upper: Any) -> None:
    """Twelve points in groups of five, five and two: sizes of four and, with a bound a site, of five are in the way."""
    X = np.append(np.arange(5.0), [20.0, 21.0, 22.0, 23.0, 24.0, 40.0, 41.0])[:, None]
    model = MedoidLocationMIP(cdist(X, X), np.ones(12), 0.0, upper, 3, 3, np.zeros(12), np.arange(12))
    best = solve_linear(model.program).value
    start = next(
        found for seed in range(99)
        if model.contains(found := packed(model, seeds(model, 3, np.random.RandomState(seed))))
        and model.value(found) > best
    )  # fmt: skip
    met = list(Rebuilder.of(model).anneal(start, np.random.RandomState(0), deadline(), 200))
    assert all(map(model.contains, met))
    assert min(map(model.value, met)) == pytest.approx(best)


def test_a_site_that_has_to_open_gets_a_point_though_it_is_the_nearest_one_of_none():
    costs = np.array([[0.0, 1.0, 9.0], [1.0, 0.0, 7.0], [2.0, 0.0, 8.0], [0.0, 3.0, 9.0]])
    model = MedoidLocationMIP(costs, np.ones(4), 0.0, 4.0, 3, 3, np.zeros(3))
    assert packed(model, np.arange(3)).tolist() == [0, 2, 1, 0]


def deadline():
    from partitope.base.deadline import UNLIMITED

    return UNLIMITED


@pytest.fixture(scope="module")
def points() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(40, 2))


def test_a_matrix_a_function_and_a_metric_by_name_agree(points: np.ndarray) -> None:
    def city(a: np.ndarray, b: np.ndarray) -> float:
        return float(np.abs(a - b).sum())

    fits = [
        MedoidPartitioner(3, balance=0.1, metric=metric, random_state=0).fit(X)
        for metric, X in [("cityblock", points), (city, points), ("precomputed", cdist(points, points, "cityblock"))]
    ]
    for fitted in fits:
        assert fitted.labels_.tolist() == fits[0].labels_.tolist()
        assert fitted.medoids_.tolist() == fits[0].medoids_.tolist()
    new = points[:5] + 0.01
    expected = cdist(new, points[fits[0].medoids_], "cityblock").argmin(axis=1)
    assert fits[0].predict(new).tolist() == expected.tolist()
    assert fits[2].predict(cdist(new, points, "cityblock")).tolist() == expected.tolist()


def test_without_a_number_of_clusters_the_bounds_or_the_costs_choose_it(points: np.ndarray) -> None:
    assert MedoidPartitioner(None, upper=15, random_state=0).fit(points).partition_.sizes.size == 3
    cheap, dear = (
        MedoidPartitioner(None, upper=15, cost=c, random_state=0).fit(points).partition_.sizes.size for c in (0.1, 4.0)
    )
    assert 3 <= dear < cheap
    with pytest.raises(InvalidInputError, match="candidates holds 3 twice"):
        MedoidPartitioner(1, candidates=[3, 0, 3], cost=[1.0, 2.0, 3.0]).fit(np.arange(9.0)[:, None])
    for further in ((np.ones(40), 30), [np.ones(40)], None):
        with pytest.raises(InvalidInputError, match="further is not a list of pairs"):
            MedoidPartitioner(3, further=further).fit(points)
    table = MedoidPartitioner(2, metric="precomputed", random_state=0).fit(np.eye(3))
    with pytest.raises(InvalidInputError, match="row 1 of X has no finite cost at any medoid"):
        table.predict([[0.0] * 3, [np.nan] * 3])
    with pytest.raises(InvalidInputError, match="upper has 3 numbers, expected one for all, or one for each of 40"):
        MedoidPartitioner(3, upper=[20, 20, 19]).fit(points)
    with pytest.raises(InvalidInputError, match="needs upper=, further= or cost="):
        MedoidPartitioner(None).fit(points)
    with pytest.raises(InfeasibleBoundsError, match="the 40 largest upper bounds sum to 39600, less"):
        MedoidPartitioner(None, upper=990).fit(points, sample_weight=np.full(40, 1000.0))


@pytest.mark.data
def test_a_published_instance_is_proved() -> None:
    instance = load_medoids("pmedcap1_2")
    fitted = MedoidPartitioner(
        instance.n_clusters, upper=instance.capacity, metric="precomputed", time_limit=60, random_state=0
    ).fit(instance.distances, sample_weight=instance.demand)
    assert instance.proved
    assert fitted.partition_.objective == instance.target
    assert fitted.partition_.proof is Proof.GLOBAL
