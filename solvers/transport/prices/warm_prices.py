"""One program as the first step of a re-optimisation, where warm prices are near: zeros, or those of the caller.

So it is where sites are centres of their points, and bounds leave most points where they are best. Few points are near
walls then, and Newton's method moves prices by the number of them that cross a wall for a unit of price
(`wall_newton`); the flow is left next to nothing. Prices of a sample, whose error leaves more to move, would be worse.

Where margins are small or large and seldom between (groups far from sites, heavy tails, different scales), prices have
to jump where there are no points, and rounds of a re-optimisation cost more than searches of the engine. The tenth part
of the margins tells, a fifth of their median where points lie evenly around the walls, and how many are far below their
mean.
"""

from __future__ import annotations

import numpy as np

from ....base.arrays import Reals
from ....models.polytope.polytope import scaled_bounds
from ..engine import Flow
from ..flow.nodes import Nodes, exceeds_share, nodes_at
from ..flow.pieces import whole_points
from ..flow.shortest_paths import DONE
from ..passes.rows import Data, assign, is_linear, subset
from .first_prices import SAMPLE_NOISE, unless_too_large
from .margin_bounds import Norms
from .reoptimisation import Reoptimisation

FEWEST_CLUSTERS = 32  # With fewer, prices of a sample leave as little to move.
POINTS_TO_LOOK_AT = 1 << 12  # So many points tell whether prices are near.
MOST_BELOW = 0.25  # Tails are heavy where a larger share of the margins is less than a quarter of their mean.
LEAST_TENTH = 0.12  # Prices have to jump where the tenth part of the margins is less than this share of their median.


def solve_from_warm_prices(data: Data, lower: Reals, upper: Reals, prices: Reals | None) -> Flow | None:
    """Solve the assignment program of points without weights; None where the prices are not near.

    Parameters
    ----------
    data : Data
        Scores.
    lower, upper : (k,) ndarray
        Bounds; a feasible assignment exists.
    prices : (k,) ndarray, optional
        Prices to start from, zeros when None.
    """
    rows, _, _, origin = data
    k = lower.size
    if not is_linear(data) or k < FEWEST_CLUSTERS or not Reoptimisation.pays(len(rows), origin.size, k):
        return None
    prices = unless_too_large(prices, data)
    if not _are_near(data, lower, upper, np.zeros(k) if prices is None else prices):
        return None
    again = Reoptimisation(rows, Norms.of(rows, origin), k)
    step = again.step(data, lower.astype(np.float64), upper.astype(np.float64), prices)
    sizes = again.whole.known.sizes.astype(np.float64)
    nodes = Nodes(np.append(step.prices, 0.0), np.zeros(k + 1), sizes, lower, upper)
    return Flow(
        whole_points(step.labels.astype(np.int64), np.empty(0), None), nodes, step.prices, DONE, step.searches, 0
    )


def _are_near(data: Data, lower: Reals, upper: Reals, prices: Reals) -> bool:
    """Whether hardly any points have to move at these prices, and prices need not jump."""
    n, k = len(data[0]), prices.size
    some = subset(data, np.arange(0, n, max(n // POINTS_TO_LOOK_AT, 1)))
    m = len(some[0])
    labels, margins = np.empty(m, dtype=np.int64), np.empty(m)
    assign(some, prices, labels, margins)
    low, high = scaled_bounds(lower, upper, m, n)
    nodes = nodes_at(prices, np.bincount(labels, minlength=k).astype(np.float64), np.floor(low), np.ceil(high))
    if exceeds_share(nodes, SAMPLE_NOISE * np.sqrt(k / m)):
        return False
    tenth, median = np.quantile(margins, [0.1, 0.5])
    below = np.count_nonzero(4.0 * margins < margins.mean())
    return bool(below <= MOST_BELOW * m and tenth > LEAST_TENTH * median)
