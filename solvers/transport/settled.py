"""Values of an assignment in one product a point, where leads decide: most points are far from every wall.

The pass that assigned all points left their leads at its prices. When prices change by delta, the lead of a point of
cluster i falls by at most delta_i - min delta. Where it stays above the rounding of scores, the point's own cluster is
still its best one, and no other score is needed.
"""

from __future__ import annotations

import numpy as np

from ...base.arrays import Integers, Reals
from ...base.jit import njit
from .rows import Data, evaluate, is_linear, linear_score, share_blocks, subset

MOST_UNSETTLED = 0.25  # share of the points beyond which all of them are scored in every cluster


@njit(cache=True, nogil=True)
def evaluate_own(data, prices, labels, start, stop, best, own):
    """Write the scores of the clusters ``labels`` into ``own`` (n,), and less their prices into ``best`` (n,)."""
    for j in range(start, stop):
        own[j] = linear_score(data, j, labels[j])
        best[j] = own[j] - prices[labels[j]]


def evaluate_settled(
    data: Data, prices: Reals, labels: Integers, leads: Reals, before: Reals, noise: float, best: Reals, own: Reals
) -> None:
    """`rows.evaluate`, from ``leads`` (n,) of the points in their clusters at the prices ``before`` (k,).

    Parameters
    ----------
    data, prices, labels, best, own
        As of `rows.evaluate`.
    leads : (n,) ndarray
        At the prices before; -inf of points that are in another cluster now.
    before : (k,) ndarray
        Prices.
    noise : float
        What rounding may do to a lead.
    """
    falls = prices - before
    unsettled = np.flatnonzero(~(leads > (falls - falls.min() + noise)[labels]))
    if not is_linear(data) or unsettled.size > MOST_UNSETTLED * labels.size:
        evaluate(data, prices, labels, best, own)
        return
    share_blocks(lambda start, stop: evaluate_own(data, prices, labels, start, stop, best, own), labels.size)
    if unsettled.size:
        again = np.empty(unsettled.size), np.empty(unsettled.size)
        evaluate(subset(data, unsettled), prices, labels[unsettled], *again)
        best[unsettled], own[unsettled] = again
