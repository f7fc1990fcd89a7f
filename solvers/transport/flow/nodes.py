"""The nodes of the contracted graph: one for every cluster, and one for the freedom between the bounds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Nodes(NamedTuple):
    """Prices and excesses (k + 1,), the last entry for the slack node; required sizes and bounds (k,)."""

    prices: NDArray[np.float64]
    excess: NDArray[np.float64]
    required_size: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]


def smallest_amount(weights: NDArray[np.float64] | None) -> float:
    """The amount up to which something counts as nothing: half a point, or the rounding error of the total weight."""
    return 0.5 if weights is None else 1e-15 * float(weights.sum())


def nodes_at(
    prices: NDArray[np.float64], sizes: NDArray[np.float64], lower: NDArray[np.float64], upper: NDArray[np.float64]
) -> Nodes:
    """Nodes whose required sizes are complementary to the prices, with the excesses that the sizes (k,) leave."""
    total = sizes.sum()
    top = np.minimum(upper, total)
    within = np.minimum(np.maximum(sizes, lower), top)
    required = np.where(prices > 0, top, np.where(prices < 0, lower, within))
    excess = np.append(sizes - required, required.sum() - total)
    return Nodes(np.append(prices, 0.0), excess, required, lower.astype(np.float64), top)


def total_excess(nodes: Nodes) -> float:
    """The number, or weight, of the points that have to move."""
    return float(nodes.excess.clip(min=0.0).sum())


def exceeds_share(nodes: Nodes, share: float) -> bool:
    """Whether more than this share of all points has to move."""
    return total_excess(nodes) > share * float(nodes.required_size.sum() - nodes.excess[-1])


def normalised_prices(prices: NDArray[np.float64], nodes: Nodes, tolerance: float) -> NDArray[np.float64]:
    """Prices (k,) with the signs that the sizes demand, as near to zero as a common shift, which changes no assignment,
    makes them; exactly zero for a cluster strictly between its bounds."""
    below, above = nodes.upper - nodes.required_size > tolerance, nodes.required_size - nodes.lower > tolerance
    prices = np.where(below, np.minimum(prices, 0.0), prices)
    prices = np.where(above, np.maximum(prices, 0.0), prices)
    least, most = prices[below].max(initial=-np.inf), prices[above].min(initial=np.inf)
    return prices - np.clip((prices.min() + prices.max()) / 2, least, most)
