"""Random programs with masks, several size dimensions, shares and custom rows."""

from __future__ import annotations

import numpy as np

from partitope.models import AssignmentModel, PartitionPolytope

KINDS = ("dimensions", "mask", "shares", "rows", "all")


def open_program(seed, n=None, k=None, kind="all"):
    """A random program that a random, nearly balanced clustering keeps, so that it is feasible."""
    rng = np.random.default_rng([seed, 31])
    n, k = n or int(rng.integers(6, 26)), k or int(rng.integers(2, 5))
    planted = rng.permutation(np.arange(n) % k)
    weights = np.column_stack(
        [np.ones(n) if seed % 2 else rng.uniform(0.5, 1, n), rng.gamma(2, 1, n), np.arange(n) % 3]
    )
    m = 3 if kind in ("dimensions", "all") else 1
    sums = np.array([[weights[planted == i, r].sum() for r in range(m)] for i in range(k)])
    polytope = PartitionPolytope(n, sums * rng.uniform(0.7, 1), sums * rng.uniform(1, 1.3) + 0.01, weights[:, :m])
    if kind in ("mask", "all"):
        mask = rng.random((n, k)) < 0.6
        mask[np.arange(n), planted] = True
        polytope = polytope.allow(mask).fix([0], [planted[0]])
    if kind in ("shares", "all"):
        groups, w = rng.integers(0, 2, n), weights[:, 0]
        share = np.array([w[(planted == i) & (groups == 1)].sum() / w[planted == i].sum() for i in range(k)])
        polytope = polytope.share(groups, {1: 0.8 * share}, {1: np.minimum(1.1 * share + 0.01, 1)})
    if kind in ("rows", "all"):
        a = rng.integers(-2, 3, (2, n, k)) * (rng.random((2, n, k)) < 0.4)
        value = a[:, np.arange(n), planted].sum(axis=1)
        polytope = polytope.add_rows("mine", a, value - 1.0, value + 0.5)
    return AssignmentModel(polytope, rng.normal(size=(n, k)))
