"""Counts against brute force over all labellings, and numbers known in closed form."""

from __future__ import annotations

from itertools import product
from math import comb, factorial

import numpy as np
import pytest

from partitope.base.errors import InvalidInputError
from partitope.models import PartitionPolytope


def _brute(n, bounds):
    """Labelled count, and the number of orbits under renaming clusters that have the same bounds."""
    inside, orbits = 0, set()
    for labels in product(range(len(bounds)), repeat=n):
        parts = [frozenset(j for j in range(n) if labels[j] == i) for i in range(len(bounds))]
        if all(low <= len(part) <= up for part, (low, up) in zip(parts, bounds)):
            inside += 1
            orbits.add(frozenset((kind, _multiset(parts, bounds, kind)) for kind in set(bounds)))
    return inside, len(orbits)


def _multiset(parts, bounds, kind):
    return tuple(sorted(tuple(sorted(part)) for part, own in zip(parts, bounds) if own == kind))


@pytest.mark.parametrize("block", range(2))
def test_counts_equal_brute_force(block):
    for seed in range(50 * block, 50 * block + 50):
        rng = np.random.default_rng(seed)
        k = int(rng.integers(1, 5))
        n = int(rng.integers(1, {1: 9, 2: 9, 3: 8, 4: 7}[k] + 1))
        low = rng.integers(0, n // k + 2, k)
        up = low + rng.integers(0, n, k)
        if seed % 3 == 0:
            low[:], up[:] = low[0], up[0]
        bounds = [(int(a), int(min(b, n))) for a, b in zip(low, up)]
        labelled, unlabelled = _brute(n, bounds)
        polytope = PartitionPolytope(n, low, up)
        assert polytope.count() == labelled
        assert polytope.count(labelled=False) == unlabelled


def test_known_numbers_of_any_size():
    assert PartitionPolytope(2000, n_clusters=5).count() == 5**2000
    assert PartitionPolytope(60, 20, 20, n_clusters=3).count() == comb(60, 20) * comb(40, 20)
    assert PartitionPolytope(60, 20, 20, n_clusters=3).count(labelled=False) == comb(60, 20) * comb(40, 20) // 6
    stirling = sum((-1) ** i * comb(6, i) * (6 - i) ** 40 for i in range(7)) // factorial(6)
    assert PartitionPolytope(40, 1, n_clusters=6).count(labelled=False) == stirling


def test_weights_have_no_product_formula():
    with pytest.raises(InvalidInputError, match="weights were given"):
        PartitionPolytope(3, weights=[1, 2, 3], n_clusters=2).count(labelled=False)
