"""The one neighbourhood: values, and what it keeps, against all single moves and exchanges."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from partitope.models import PartitionPolytope
from partitope.solvers.exchange.neighbourhood import NORMS, SQUARES, TOTALS, Neighbourhood, Pairs


def objective(form, sign, P, w, labels, k, shift=0.0):
    total = 0.0
    for i in range(k):
        mass, norm = w[labels == i].sum(), ((w[:, None] * P)[labels == i].sum(axis=0) + shift) ** 2
        square = norm.sum()
        total += {SQUARES: square / mass if mass else 0.0, NORMS: np.sqrt(square), TOTALS: square}[form]
    return sign * total


@pytest.mark.parametrize("form", [SQUARES, NORMS, TOTALS])
@pytest.mark.parametrize("sign", [-1.0, 1.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_nothing_is_gained_by_one_more_move_or_exchange(form, sign, weighted):
    rng = np.random.default_rng(form + 10 * weighted)
    n, k = 24, 3
    P, w = rng.normal(size=(n, 2)), rng.integers(1, 4, n).astype(float) if weighted else np.ones(n)
    labels = np.arange(n) % k
    sizes = np.bincount(labels, w, k)
    lower, upper = sizes - 3.0, sizes + 3.0
    polytope = PartitionPolytope(n, n_clusters=k).apart(np.where(np.arange(n) < 9, np.arange(n) // 3, None))
    polytope = polytope.share(np.arange(n) % 2 == 0, 0.2, 0.8)
    allowed = rng.random((n, k)) < 0.9
    allowed[np.arange(n), labels] = True
    area = Neighbourhood(
        P, w, lower, upper, form, sign, allowed, Pairs.of(polytope.further, k), shift=0.1, exchanges=True
    )  # fmt: skip
    assert polytope.contains(labels)

    def keeps(y):
        masses = np.bincount(y, w, k)
        within = (masses >= lower).all() and (masses <= upper).all()
        return within and polytope.contains(y) and allowed[np.arange(n), y].all()

    end = area.descend(labels, seed=1)
    value = objective(form, sign, P, w, end, k, 0.1)
    assert value == pytest.approx(area.value(end))
    assert value < objective(form, sign, P, w, labels, k, 0.1)
    assert keeps(end)
    for b in range(n):
        for i in range(k):
            moved = end.copy()
            moved[b] = i
            assert not keeps(moved) or objective(form, sign, P, w, moved, k, 0.1) >= value - 1e-9
    for b, q in combinations(range(n), 2):
        swapped = end.copy()
        swapped[[b, q]] = end[[q, b]]
        assert not keeps(swapped) or objective(form, sign, P, w, swapped, k, 0.1) >= value - 1e-9


def test_exchanges_stay_within_a_kind_and_depend_on_the_seed_alone():
    rng = np.random.default_rng(0)
    n, k = 300, 6
    P, kinds, labels = rng.normal(size=(n, 4)), np.arange(n) // k, np.arange(n) % k  # one of every kind per group
    P -= P.mean(axis=0)
    sizes = np.bincount(labels).astype(float)
    area = Neighbourhood(P, np.ones(n), sizes, sizes, SQUARES, 1.0, kinds=kinds, exchanges=True, partners=5)
    ends = [area.descend(labels, seed) for seed in (3, 3, 4)]
    assert (ends[0] == ends[1]).all()
    assert (ends[0] != ends[2]).any()
    for end in ends:
        assert (np.sort(end.reshape(-1, k), axis=1) == np.arange(k)).all()
        assert area.value(end) < 0.05 * area.value(labels)
