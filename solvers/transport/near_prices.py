"""One program as the first step of a walk, where its prices are near: zeros, or those that the caller gives.

So it is where sites are centres of their points, and bounds leave most points where they are best. Few points are near
walls then, and Newton's method moves prices by the number of them that cross a wall for a unit of price
(`price_steps`); the flow is left next to nothing. The `engine` would begin at prices of a sample, whose error leaves
more to move, and collect candidates of all pairs of clusters.

Where leads are small or large and seldom between (groups far from sites, heavy tails, different scales), prices have to
jump where there are no points, and rounds of the walk cost more than searches of the engine. The share of leads that
are less than a quarter of their mean tells: a fifth where points lie evenly around the walls, less where groups have a
site each.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Reals
from ...models.polytope.polytope import scaled_bounds
from .engine import Flow
from .first_prices import SAMPLE_NOISE, unless_too_large
from .flow import DONE
from .nodes import Nodes, exceeds_share, nodes_at
from .pieces import whole_points
from .rows import Data, assign, is_linear, subset
from .shells import Shells
from .walk import FEW_CLUSTERS, Walk

FEWEST_CLUSTERS = 32  # with fewer, samples and tables of all pairs take about as long
POINTS_FOR_LEADS = 1 << 12  # points that tell whether prices are near
MOST_BELOW = 0.25  # share of the leads that are less than a quarter of their mean
LEAST_TENTH = 0.12  # their tenth part, in units of their median


def solve_from_near(data: Data, lower: Reals, upper: Reals, prices: NDArray[np.float64] | None) -> Flow | None:
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
    if not is_linear(data) or not FEWEST_CLUSTERS <= k <= FEW_CLUSTERS or not Walk.pays(len(rows), origin.size, k):
        return None
    prices = unless_too_large(prices, data)
    if not _are_near(data, lower, upper, np.zeros(k) if prices is None else prices):
        return None
    walk = Walk(rows, Shells.of(rows, origin, k), k)
    step = walk.step(data, lower.astype(np.float64), upper.astype(np.float64), prices)
    labels, leads = step.labels.astype(np.int64), walk.whole.leads
    nodes = Nodes(np.append(step.prices, 0.0), np.zeros(k + 1), leads.sizes.astype(np.float64), lower, upper)
    known, pieces = leads.bounds.astype(np.float64) / leads.unit, whole_points(labels, np.empty(0), None)
    return Flow(pieces, nodes, step.prices, DONE, step.searches, 0, leads=known, before=leads.prices)


def _are_near(data: Data, lower: Reals, upper: Reals, prices: Reals) -> bool:
    """Whether hardly any points have to move at these prices, and prices need not jump."""
    n, k = len(data[0]), prices.size
    some = subset(data, np.arange(0, n, max(n // POINTS_FOR_LEADS, 1)))
    m = len(some[0])
    labels, leads = np.empty(m, dtype=np.int64), np.empty(m)
    assign(some, prices, labels, leads)
    sizes = np.bincount(labels, minlength=k).astype(np.float64)
    low, high = scaled_bounds(lower, upper, m, n)
    nodes = nodes_at(prices, sizes, np.floor(low), np.ceil(high))
    if exceeds_share(nodes, SAMPLE_NOISE * np.sqrt(k / m)):
        return False
    tenth, median = np.quantile(leads, [0.1, 0.5])
    return bool(np.count_nonzero(4.0 * leads < leads.mean()) <= MOST_BELOW * m and tenth > LEAST_TENTH * median)
