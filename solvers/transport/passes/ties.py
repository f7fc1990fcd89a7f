"""The two best clusters of a tile of points. How every pass breaks ties: to the smallest cluster number."""

from __future__ import annotations

import numpy as np

from ....base.jit import njit
from .tiles import TILE


@njit(cache=True, borrowing=True)
def largest_two(scores, prices, best, second, arg):
    """Largest and second largest reduced score of every point of a tile, and the cluster, ties to the smallest, as in
    all passes: neither threads nor tiles change what comes out."""
    for r in range(TILE):
        best[r], second[r], arg[r] = -np.inf, -np.inf, 0
    for i in range(prices.size):
        row, price = scores[i], prices[i]
        for r in range(TILE):  # without branches, since the processor cannot predict which cluster is the best
            value, first, next_ = row[r] - price, best[r], second[r]
            lower = first if first < value else value
            second[r] = lower if lower > next_ else next_
            arg[r] = i if value > first else arg[r]
            best[r] = value if value > first else first
