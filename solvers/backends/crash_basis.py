"""A starting basis of the explicit program whose duals are given prices, for the simplex codes.

A basis of (1)-(2) is a spanning forest of the bipartite graph of points and clusters in which every tree holds
exactly one cluster whose row is slack. Every point hangs on its best cluster at the prices. A cluster with price
zero keeps its slack; a priced one is joined to the growing tree by the point that loses least from changing over,
as in Prim's algorithm. Then the basis's duals differ from the prices by those losses only, and vanish with them
at an optimum.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .explicit import ScaledProgram


def crash_basis(program: ScaledProgram, prices: NDArray[np.float64]) -> Any:
    """A `highspy.HighsBasis` for the prices mu (k,)."""
    import highspy

    n, k = program.shape
    columns, slack = basic_columns(program, prices)
    basic, low, up = (getattr(highspy.HighsBasisStatus, name) for name in ("kBasic", "kLower", "kUpper"))
    rows = [basic if slack[i] else (up if prices[i] > 0 else low) for i in range(k)]
    basis = highspy.HighsBasis()
    basis.col_status = [basic if flag else low for flag in columns.ravel().tolist()]
    basis.row_status = [low] * n + rows
    basis.valid = True
    return basis


def basic_columns(program: ScaledProgram, prices: NDArray[np.float64]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which xi (n, k) are basic, and which clusters' rows (k,) are."""
    n, k = program.shape
    loss = program.cost + program.weights[:, None] * (prices / program.score_scale)
    best = loss.argmin(axis=1)
    loss -= loss[np.arange(n), best][:, None]
    basic = np.zeros((n, k), dtype=bool)
    basic[np.arange(n), best] = True
    slack = prices == 0
    if not slack.any():
        slack[np.abs(prices).argmin()] = True
    # bridge[i, l]: the point of cluster i that moves to l at least loss
    bridge, price = np.zeros((k, k), np.int64), np.full((k, k), np.inf)
    for i in np.unique(best):
        members = np.flatnonzero(best == i)
        bridge[i] = members[loss[members].argmin(axis=0)]
        price[i] = loss[bridge[i], np.arange(k)]
    tree = slack.copy()
    while not tree.all():
        inside, outside = np.flatnonzero(tree), np.flatnonzero(~tree)
        block = np.minimum(price[np.ix_(inside, outside)], price[np.ix_(outside, inside)].T)
        a, b = np.unravel_index(block.argmin(), block.shape)
        i, l = int(inside[a]), int(outside[b])
        if not np.isfinite(block[a, b]):  # an empty cluster far from all: leave it its own slack
            slack[l] = tree[l] = True
            continue
        if price[i, l] <= price[l, i]:
            basic[bridge[i, l], l] = True
        else:
            basic[bridge[l, i], i] = True
        tree[l] = True
    return basic, slack
