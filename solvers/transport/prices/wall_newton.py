"""Newton's steps on prices, from the points near walls alone: most of what a flow would move, without moving it.

A point near a wall is known by its cluster i and the keys key_j = (gamma_i - mu_i) - (gamma_j - mu_j) < T of others.
When prices change by delta it goes where -delta_i, or -key_j - delta_j, is largest. About n_ij (delta_i - delta_j)
points cross the wall of i and j, where n_ij is the number of points near it for a unit of lead, so that

    (1)  sum_j n_ij (delta_i - delta_j) = excess_i       for all clusters whose price may change

is a step of Newton's method for the dual of the assignment program. A cluster of price zero between its bounds keeps
it; where there is none, all prices are shifted until one is zero. As long as prices spread by less than T, no other
point changes its cluster. The end is never an answer, but where the flow begins.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....base.arrays import Integers, Reals
from ....base.jit import njit
from ..flow.nodes import Nodes, nodes_at, total_excess
from .near_degenerate import NearDegenerate

STEPS = 8  # More steps than these were never seen to gain anything.
BAND = 0.35  # Margins up to this share of T count in n_ij: a narrower band counts too few, a wider one far ones.
SPREAD = 0.9  # Prices may spread by this share of T, so that the flow that follows still knows some keys.
GAIN = 0.6  # A step that leaves more than this share of the excess makes the next one shorter.
SHORTER = 0.4  # This is the factor on its length.
RIDGE = 1e-6  # This share of the mean is added to the diagonal of (1), which is singular where no wall is near.


@njit(cache=True)
def settle(near, shift, band, labels, leads, sizes, walls):
    """Write labels and leads (m,) of the points after a ``shift`` (k,) of the prices.

    Adds their number to ``sizes`` (k,), and pairs of the best two of leads below ``band`` to ``walls`` (k, k).
    """
    for x in range(labels.size):
        own = near.labels[x]
        best, second, other = -shift[own], -np.inf, own
        for e in range(near.starts[x], near.starts[x + 1]):
            j = near.clusters[e]
            value = -near.keys[e] - shift[j]
            if value > best:
                best, second, own, other = value, best, j, own
            elif value > second:
                second, other = value, j
        labels[x], leads[x] = own, best - second
        sizes[own] += 1.0
        if best - second < band:
            walls[own, other] += 1.0


@njit(cache=True)
def write_entries(near, shift, limit, labels, close, points, pairs, keys):
    """`entries_within`, written into arrays; returns the number of entries."""
    k, count = shift.size, 0
    for place in range(close.size):
        x = close[place]
        home, own = near.labels[x], labels[x]
        best, start, stop = -shift[home], near.starts[x], near.starts[x + 1]
        for e in range(start, stop):
            if near.clusters[e] == own:
                best = -near.keys[e] - shift[own]
        for e in range(start - 1, stop):  # the first one is the cluster where the point was
            j = home if e < start else near.clusters[e]
            key = best + (0.0 if e < start else near.keys[e]) + shift[j]
            if j != own and key < limit:
                points[count], pairs[count], keys[count] = place, own * k + j, key
                count += 1
    return count


def entries_within(
    near: NearDegenerate, shift: Reals, limit: float, labels: Integers, close: Integers
) -> tuple[Integers, Integers, Reals]:
    """Entries of ``close`` (c,), pairs and keys below ``limit``, of points that are in other clusters after a shift.

    Parameters
    ----------
    near : NearDegenerate
        The points.
    shift : (k,) ndarray
        Of the prices.
    limit : float
        Keys below it are taken.
    labels : (m,) ndarray
        Clusters after the shift.
    close : (c,) ndarray
        Points whose lead is below the limit.
    """
    room = int((near.starts[close + 1] - near.starts[close]).sum())
    points, pairs, keys = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room)
    count = write_entries(near, shift, limit, labels, close, points, pairs, keys)
    return points[:count], pairs[:count], keys[:count]


class Stepped(NamedTuple):
    """Where the steps end."""

    prices: Reals  # (k,)
    shift: Reals  # (k,) what was added to the prices at the start
    labels: Integers  # (m,) clusters of the points near walls
    leads: Reals  # (m,)
    nodes: Nodes


def newton_steps(near: NearDegenerate, start: Reals, prices: Reals, far: Reals, lower: Reals, upper: Reals) -> Stepped:
    """Newton's steps on prices, to those that leave the least excess.

    Parameters
    ----------
    near : NearDegenerate
        Points near walls.
    start, prices : (k,) ndarray
        Prices of the pass, and those to begin with.
    far : (k,) ndarray
        Number of all other points in every cluster.
    lower, upper : (k,) ndarray
        Bounds.
    """
    band = BAND * near.radius
    here, walls = _at(near, start, prices, far, lower, upper, band)
    least, length = total_excess(here.nodes), 1.0
    for _ in range(STEPS):
        if least <= start.size:  # less than a point a cluster is left to the flow
            break
        ahead = _next(here.nodes, walls / (2.0 * band))
        wanted = _within(here.prices + length * (ahead - here.prices), start, SPREAD * near.radius)
        there, others = _at(near, start, np.where(wanted * here.prices < 0, 0.0, wanted), far, lower, upper, band)
        excess = total_excess(there.nodes)
        length *= 1.0 if excess <= GAIN * least else SHORTER
        if excess < least:
            here, walls, least = there, others, excess
    return here


def _within(prices: Reals, start: Reals, most: float) -> Reals:
    """The prices, those moved that would spread by more than ``most``."""
    shift = prices - start
    fall, rise = -float(shift.min(initial=0.0)), float(shift.max(initial=0.0))
    if fall + rise <= most:
        return prices
    return start + np.clip(shift, -max(most / 2.0, most - rise), max(most / 2.0, most - fall))


def _at(
    near: NearDegenerate, start: Reals, prices: Reals, far: Reals, lower: Reals, upper: Reals, band: float
) -> tuple[Stepped, Reals]:
    """What some prices leave, and pairs of the best two clusters of leads below ``band``."""
    (k, m), shift = (prices.size, near.labels.size), prices - start
    labels, leads, walls, sizes = np.empty(m, np.int64), np.empty(m), np.zeros((k, k)), far.copy()
    settle(near, shift, band, labels, leads, sizes, walls)
    return Stepped(prices, shift, labels, leads, nodes_at(prices, sizes, lower, upper)), walls


def _next(nodes: Nodes, walls: Reals) -> Reals:
    """Prices (k,) that solve (1), none of them past zero or on the side of zero where its cluster's size is not."""
    prices, excess = nodes.prices[:-1], nodes.excess[:-1]
    changing = (prices != 0) | (excess != 0)
    if changing.all():
        excess = excess - excess.mean()
    both = walls + walls.T
    floor = RIDGE * float(both.mean()) or 1.0
    matrix = np.diag(both.sum(axis=1) * (1.0 + RIDGE) + floor) - both
    step = np.zeros(prices.size)
    step[changing] = np.linalg.solve(matrix[np.ix_(changing, changing)], excess[changing])
    after = prices + step
    if changing.all() and nodes.excess[-1] != 0.0:  # all of the slack is to be in one cluster, and its price zero
        ends = after[prices * nodes.excess[-1] > 0]
        after -= ends[np.abs(ends).argmin()] if ends.size else 0.0
    wrong = (after * prices < 0) | ((prices == 0) & (after * excess < 0))  # sizes would have to reach the other bound
    return np.where(wrong, 0.0, after)
