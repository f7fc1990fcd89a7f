"""Bounds by parts: below the optimum whatever the split, the unit or the shift; what is stated is kept or refused."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numba
import numpy as np
import pytest
import scipy.sparse as sp

from partitope.base.deadline import Deadline
from partitope.base.errors import CapabilityError
from partitope.base.status import Status
from partitope.base.threads import share
from partitope.cluster import BalancedKMeans
from partitope.models import Links, PartitionPolytope
from partitope.models.objectives.interval import objective_interval
from partitope.models.programs.least_squares_sdp import LeastSquaresSDP
from partitope.solvers import solve_global
from partitope.solvers.global_optimum.bound_by_parts import Items, dealt, divide_and_conquer_bound, share_of
from partitope.solvers.global_optimum.sdp import Iterates


def _least(X, polytope, links=None):
    """Labels and value of the best clustering, by all of them."""
    everything = (np.array(labels) for labels in product(range(polytope.n_clusters), repeat=len(X)))
    allowed = [y for y in everything if polytope.contains(y) and (links is None or links.satisfied(y))]
    values = [objective_interval(X, y, "lsa", polytope.weights)[0] for y in allowed]
    return allowed[int(np.argmin(values))], min(values)


@pytest.mark.parametrize("seed", [0, 1, 2, *(pytest.param(seed, marks=pytest.mark.full) for seed in range(3, 25))])
def test_no_split_passes_the_optimum(seed):
    """Far points, equal rows, weights, upper bounds and links, in two to four parts, from good and poor clusterings."""
    rng = np.random.default_rng(seed)
    n, k = 8, 2 + seed % 2
    X = rng.normal(size=(n, 2)) * (1.0 + 9.0 * (rng.random((n, 1)) < 0.2))
    if seed % 3 == 0:
        X[5:] = X[:3]
    weights = rng.lognormal(size=n) if seed % 4 == 1 else None
    total = n if weights is None else weights.sum()
    polytope = PartitionPolytope(n, 0, total if seed % 5 else 0.75 * total, weights, n_clusters=k)
    links = Links(n, must=[(0, 1)], cannot=[(2, 3)]) if seed % 4 == 2 else None
    best, least = _least(X, polytope, links)
    for labels in (best, np.arange(n) % k if links is None else best):
        for part in (2, 3, 4):
            assert divide_and_conquer_bound(X, polytope, labels, part=part, links=links) <= least


@pytest.mark.parametrize("unit", [lambda x: x, lambda x: x + 1e7, lambda x: x * 1e-120], ids=["", "shifted", "tiny"])
def test_tables_on_a_line_whatever_the_unit(unit):
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(0, 1, 60), rng.normal(6, 1, 45), rng.normal(40, 1, 15)])
    X, polytope = unit(x)[:, None], PartitionPolytope(120, n_clusters=3)
    optimum = solve_global(X, polytope, gap=1e-9)
    assert optimum.bound.proof == "shortest path"
    found = divide_and_conquer_bound(X, polytope, optimum.labels, part=30, target=optimum.bound.lower)
    assert 0.99 * optimum.bound.lower < found <= optimum.bound.lower


def test_shares_of_a_point_are_no_more_than_its_weight():
    rng = np.random.default_rng(1)
    n = 50
    for weights in (None, rng.lognormal(size=n)):
        polytope = PartitionPolytope(n, weights=weights, n_clusters=3)
        items = Items.of(rng.normal(size=(n, 2)), polytope, np.arange(n) % 3, None)
        rows, counts = dealt(items, 7)
        assert (np.bincount(rows.ravel(), minlength=n) == counts).all()
        assert counts.min() == 1 < counts.max()
        own = share_of(items.masses, counts)
        given = polytope.point_weights[np.concatenate(items.members)]
        assert all(int(times) * Fraction(part) <= Fraction(all_) for times, part, all_ in zip(counts, own, given))


def test_points_shared_by_many_parts_do_not_hide_triangles():
    """A light point has large entries; a threshold taken from them once let every cut of the other points pass."""
    X, light = np.random.default_rng(0).normal(size=(60, 2)), np.where(np.arange(60) < 4, 1e-3, 1.0)
    found = []
    for weights in (None, light):
        model = LeastSquaresSDP(X, PartitionPolytope(60, 0, 60, weights, n_clusters=3))
        state = Iterates.start(model)
        state.advance(model, 10, Deadline(None))
        state.separate(model, Deadline(None))
        found.append(len(state.cuts))
    assert found[1] > 0.9 * found[0] > 500


def test_links_are_kept_in_the_parts():
    rng = np.random.default_rng(2)
    X = np.concatenate([rng.normal(size=(40, 2)), rng.normal(size=(40, 2)) + 9.0])
    labels, polytope = np.repeat([0, 1], 40), PartitionPolytope(80, n_clusters=2)
    free = divide_and_conquer_bound(X, polytope, labels, part=20)
    must = Links(80, must=[(0, 79)])
    linked = solve_global(X, polytope, links=must, gap=1e-3)
    assert free < divide_and_conquer_bound(X, polytope, linked.labels, part=20, links=must) <= linked.objective


def test_bounds_depend_on_no_number_of_threads_and_nested_work_does_not_wait():
    rng = np.random.default_rng(3)
    X, labels, threads, values = rng.normal(size=(90, 4)), np.arange(90) % 2, numba.get_num_threads(), []
    try:
        for count in (1, threads):
            numba.set_num_threads(count)
            values.append(divide_and_conquer_bound(X, PartitionPolytope(90, n_clusters=2), labels, part=18))
    finally:
        numba.set_num_threads(threads)
    assert values[0] == values[1]
    done: list[tuple[int, int]] = []
    share(lambda a, b: share(lambda c, d: done.append((c, d)), 4), 2)
    assert set(done) == {(0, 4)}


@pytest.mark.parametrize(
    ("n", "d", "objective", "method"),
    [
        (1300, 4, "lsa", "sdp dual of"),
        (700, 2, "lsa", "column generation"),
        (120, 4, "lsa", "sdp dual"),
        (700, 2, "csa", "direction cones"),
    ],
)
def test_an_interrupted_proof_says_what_it_has(n, d, objective, method):
    X, calls = np.random.default_rng(4).normal(size=(n, d)) + 9.0 * (np.arange(n) % 2)[:, None], list[float]()

    def stop(bound, seconds):
        calls.append(bound)
        if len(calls) == 2:
            raise KeyboardInterrupt

    polytope = PartitionPolytope(n, n_clusters=3 if d == 2 else 2)
    found = solve_global(X, polytope, objective, progress=stop, n_init=2, gap=0.0, time_limit=1000.0)
    assert found.status is Status.INTERRUPTED
    assert found.bound.proof.startswith(method)
    assert calls[-1] in (found.bound.lower, found.bound.upper)
    assert found.bound.lower <= found.objective <= found.bound.upper


def test_a_proof_at_the_door(capsys, monkeypatch):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 2)) + 5.0 * rng.integers(0, 3, (60, 1))
    # a poor start: the proof finds a better one
    fit = BalancedKMeans(3, init=X[:3], prove=20.0, random_state=0, verbose=True).fit(X)
    assert "bounds by branch and bound, then " in (said := capsys.readouterr().out)
    assert " % better, by " in said
    assert fit.partition_.objective == pytest.approx(fit.inertia_) == pytest.approx(fit.partition_.bound.upper)
    assert fit.partition_.bound.gap <= 1e-4
    assert "optimal within a relative gap" in fit.partition_.claim
    weights = rng.lognormal(size=60)
    even = PartitionPolytope.even(60, 3, 0.02, demand=weights)
    bound = BalancedKMeans(3, prove=20.0, random_state=0).fit(X, polytope=even).partition_.bound
    assert bound.lower <= bound.unbounded <= bound.upper
    assert "% is what the bounds may cost" in bound.room
    with pytest.raises(CapabilityError, match="dense rows"):
        BalancedKMeans(3, prove=1.0).fit(sp.csr_array(X))
    monkeypatch.setattr("partitope.solvers.global_optimum.search.first_clustering", _interrupt)
    fit = BalancedKMeans(3, prove=1.0, random_state=0).fit(X)  # before there is any bound
    assert fit.partition_.bound.lower == 0.0


def _interrupt(*args, **options):
    raise KeyboardInterrupt
