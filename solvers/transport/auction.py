"""Prices and labels by an auction with eps scaling: a start for `refine` and the exact flow, never an answer.

Every point lies in the cluster where it gains most at the prices. A cluster that has more than it may have lets those
go first that lose least, each to its next best cluster, and raises its price to the level at which the last of them
left, plus eps; the cluster that got one point too many is next. When no cluster has an excess, no point could gain more
than eps elsewhere. The first eps is of the order of the prices, each further one a part of the one before: prices of a
phase are nearly right for the next. Where the last eps is fine, nearly all labels are optimal, and `refine` proves or
improves them. The slack node takes part like a cluster. Weighted points move whole, so that excesses smaller than a
point stay.

Points look at a list of their best clusters (`lists`), which is taken anew when the largest score outside, which can
only have become smaller since, might beat the list. Members of a cluster wait in a pairing heap by the price at which
they leave; this price rises with the prices elsewhere, so an old one is a lower bound and is renewed at the top.

Prices rise only. Where a few clusters lack points that lie far away, nearly all lists would be taken anew until the
others have risen by that distance; the prices of the few fall for a while (`deficits`) before others rise again.

References
----------
Bertsekas and Castanon (1989), "The auction algorithm for the transportation problem", *Annals of Operations Research*
20. Goldberg and Tarjan (1990), "Finding minimum-cost circulations by successive approximation".
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import clock
from ...base.jit import njit
from .deficits import fill_deficits
from .lists import Lists, list_filter, list_one, moved_to, retaken, workspace
from .pairing_heap import merge, pop
from .rows import Data, scores_of

EPS_RATIO = 4.0  # every eps is the one before divided by this
EPS_GROWTH = 16.0  # factor on the first eps where it was too small
MOVES_PER_POINT = 8  # moves after which an eps counts as too small
MOVES_AT_FIRST = 40  # the same where nothing is known about the prices
LITTLE = 0.1  # of all points in excess: the flow moves as many sooner than a larger eps puts right
WRONG_SHARE = 0.8  # of the largest excess: as much is left where prices are wrong by more than an eps
ROUNDING = 2.0**-10  # of an eps: prices this near the level of a point count as equal to it
LAST_EPS = 0.25  # the last eps, in units of the mean lead of a point times k / n
FINE_EPS = 2.0**-10  # the same where labels are to be optimal, or nearly so
FALLING = 0.7  # of the work of a phase, which the next one may do although all phases have done as much as they may
FEW_TAKEN = 1 / 32  # of all lists; where more have to be taken anew, prices of clusters that lack points fall instead
FEW_GROWTH = 64.0  # factor on it when prices rise again
PRODUCTS_PER_SCORE = 8  # as many take as long as finding out whether a score belongs into a list
PRODUCTS_PER_LOOK = 3000  # and as looking at a point that waits: its list may lie anywhere in memory
MOST_WORK = float(1 << 32)  # products between two looks at the clock
LOOKS_FOR_DEFICITS = 64  # list entries for every point that are looked at before prices rise again
POINTS_FOR_RANGE = 256  # points whose scores are looked at to learn how much prices may differ


class Market(NamedTuple):
    """What a phase of the auction works on; heaps of points are linked by child and sibling."""

    prices: NDArray[np.float64]  # (k + 1,) the last one is that of the slack node
    required: NDArray[np.float64]  # (k,) the size that a cluster is required to have
    excess: NDArray[np.float64]  # (k + 1,)
    root: NDArray[np.int64]  # (k,) the member that leaves first, or -1
    labels: NDArray[np.int64]  # (n,) the cluster of every point
    level: NDArray[np.float64]  # (n,) a lower bound on the price at which a point leaves
    child: NDArray[np.int64]  # (n,)
    sibling: NDArray[np.int64]  # (n,)
    stack: NDArray[np.int64]  # (k + 1,) nodes in excess
    waiting: NDArray[np.bool_]  # (k + 1,) whether a node is on the stack
    stuck: NDArray[np.bool_]  # (k + 1,) nodes whose excess cannot move
    taken: NDArray[np.int64]  # (1,) lists that have been taken anew
    looks: NDArray[np.int64]  # (1,) looks at points that wait


@njit(inline="always")
def work_of(data, market):
    """Products that take as long as all lists taken anew, and all looks, so far."""
    list_work = data[1].shape[1] * (data[1].shape[0] + PRODUCTS_PER_SCORE)
    return float(market.taken[0] * list_work + market.looks[0] * PRODUCTS_PER_LOOK)


@njit(cache=True, borrowing=True)
def others(lists, prices, x, own):
    """Best listed cluster of point x besides ``own``, its reduced score, that of the next, and the scores of both."""
    target, first, second, there, here = -1, -np.inf, -np.inf, 0.0, -np.inf
    for position in range(lists.values.shape[1]):
        i, score = lists.clusters[x, position], lists.values[x, position]
        if i == own:
            here = score
            continue
        value = score - prices[i]
        if value > first:
            target, first, second, there = i, value, first, score
        elif value > second:
            second = value
    return target, first, second, there, here


@njit(cache=True, borrowing=True)
def put_on_stack(market, v, count):
    """Put node v on the stack where it has an excess and is not there; returns the nodes on the stack."""
    if market.excess[v] > 0:
        market.stuck[v] = False
        if not market.waiting[v]:
            market.stack[count], market.waiting[v] = v, True
            count += 1
    return count


@njit(cache=True)
def assign_points(data, filter_, lists, weights, lower, upper, market):
    """Put every point into its best cluster, and set the required sizes; returns the excess that this leaves."""
    prices, k, surplus = market.prices, lower.size, 0.0
    room = workspace(k, lists.values.shape[1], data[1].shape[0])
    market.excess[:] = 0.0
    for x in range(lists.values.shape[0]):
        own, first, _, _, _ = others(lists, prices, x, -1)
        if first < lists.outside[x]:
            list_one(data, prices[:k], filter_, x, -1, lists, room)
            own, _, _, _, _ = others(lists, prices, x, -1)
        market.excess[own] += weights[x] if weights.size else 1.0
        market.labels[x] = own
    total = market.excess.sum()
    market.excess[k] = -total
    for i in range(k):
        top = min(upper[i], total)
        required = min(max(market.excess[i], lower[i]), top)
        if prices[i] != prices[k]:
            required = top if prices[i] > prices[k] else lower[i]
        market.required[i] = required
        market.excess[i] -= required
        market.excess[k] += required
        surplus += max(market.excess[i], 0.0)
    return surplus + max(market.excess[k], 0.0)


@njit(cache=True)
def open_market(lists, market):
    """Let the points of every cluster wait, and stack the nodes in excess; returns the number of these."""
    market.root[:] = -1
    market.waiting[:] = market.stuck[:] = False
    count = 0
    for x in range(lists.values.shape[0]):
        own = market.labels[x]
        _, first, _, _, here = others(lists, market.prices, x, own)
        market.level[x], market.child[x], market.sibling[x] = here - max(first, lists.outside[x]), -1, -1
        market.root[own] = merge(market.root[own], x, market.level, market.child, market.sibling)
    for v in range(market.excess.size):
        count = put_on_stack(market, v, count)
    return count


@njit(cache=True, borrowing=True)
def slack_moves(market, lower, eps, count):
    """Lower required sizes where the price is below that of the slack node, until it has no excess."""
    k = lower.size
    while market.excess[k] > 0:
        least = np.inf
        for i in range(k):
            amount = min(market.required[i] - lower[i], market.excess[k])
            if amount > 0:
                if market.prices[i] < market.prices[k]:
                    market.required[i] -= amount
                    market.excess[i] += amount
                    market.excess[k] -= amount
                    count = put_on_stack(market, i, count)
                else:
                    least = min(least, market.prices[i])
        if market.excess[k] > 0:
            if least == np.inf:
                market.stuck[k] = True
                break
            market.prices[k] = least + eps
    return count


@njit(cache=True, borrowing=True)
def first_to_leave(data, filter_, lists, market, i, room):
    """The member of cluster i that leaves first, or -1, with what `others` says of it."""
    x = market.root[i]
    while x >= 0:
        market.looks[0] += 1
        target, first, second, there, here = others(lists, market.prices, x, i)
        if first < lists.outside[x] and here - lists.outside[x] <= market.level[x]:
            list_one(data, market.prices[:-1], filter_, x, i, lists, room)
            market.taken[0] += 1
            target, first, second, there, here = others(lists, market.prices, x, i)
        level = here - max(first, lists.outside[x])
        if level <= market.level[x]:
            return x, target, max(second, lists.outside[x]), there, here
        market.root[i] = pop(x, market.level, market.child, market.sibling)
        market.level[x] = level
        market.root[i] = merge(market.root[i], x, market.level, market.child, market.sibling)
        x = market.root[i]
    return -1, -1, -np.inf, 0.0, 0.0


@njit(
    cache=True,
    seconds_to_compile=4.0,
    seconds_uncompiled=lambda data, filter_, lists, *others: 1e-4 * lists.values.size,
)
def auction(data, filter_, lists, weights, lower, upper, market, eps, budget, most_taken, most_work):
    """One phase, from points in clusters; returns whether it ended, and what is left of ``budget`` moves.

    It stops before its end when none are left, or all phases have taken more than ``most_taken`` lists anew, or worked
    more than ``most_work``.
    """
    prices, excess, k = market.prices, market.excess, lower.size
    space = workspace(k, lists.values.shape[1], data[1].shape[0])
    count = open_market(lists, market)
    total = weights.sum() if weights.size else float(lists.values.shape[0])
    while count > 0 and budget > 0 and market.taken[0] <= most_taken and work_of(data, market) <= most_work:
        i = market.stack[count - 1]
        if excess[i] <= 0 or market.stuck[i]:
            count -= 1
            market.waiting[i] = False
            continue
        if i == k:
            count = slack_moves(market, lower, eps, count)
            budget -= 1
            continue
        while excess[i] > 0:
            x, target, second, there, here = first_to_leave(data, filter_, lists, market, i, space)
            level = market.level[x] if x >= 0 else np.inf
            room = min(upper[i], total) - market.required[i]
            budget -= 1
            if room > 0 and prices[k] <= level:
                if prices[k] >= prices[i]:
                    prices[i] = prices[k] + eps
                amount = min(room, excess[i])
                market.required[i] += amount
                excess[i] -= amount
                excess[k] += amount
                count = put_on_stack(market, k, count)
                continue
            weight = weights[x] if weights.size and x >= 0 else 1.0
            if x < 0 or weight > excess[i]:
                market.stuck[i] = True
                break
            if level + ROUNDING * eps >= prices[i]:  # a gain within rounding would let a point go to and fro for ever
                prices[i] = level + eps
            market.root[i] = pop(x, market.level, market.child, market.sibling)
            excess[i] -= weight
            excess[target] += weight
            market.labels[x] = target
            market.level[x] = there - max(second, here - prices[i])
            market.root[target] = merge(market.root[target], x, market.level, market.child, market.sibling)
            before = count
            count = put_on_stack(market, target, count)
            if count > before:
                break
    return count == 0, budget


class Bids(NamedTuple):
    """The end of an auction.

    Attributes
    ----------
    prices : (k,) ndarray
        Prices near the optimal ones.
    eps : float
        The first eps for more points of the same kind: that of the last phase that had nearly all points to move.
    labels : (n,) ndarray or None
        Clusters of sizes within the bounds, in which no point could gain more than a small eps elsewhere at these
        prices; None where no phase came to its end.
    lists : Lists
        Lists that contain the clusters of the points, with bounds that hold at these prices.
    ended : bool
        Whether the last phase came to its end. Where it did not, prices may be far from optimal.
    """

    prices: NDArray[np.float64]
    eps: float
    labels: NDArray[np.int64] | None
    lists: Lists
    ended: bool = True


def auctioned(
    data: Data,
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    prices: NDArray[np.float64],
    eps: float,
    lists: Lists,
    fine: bool,
    most_work: float = np.inf,
    deadline: float = np.inf,
) -> Bids:
    """Hold an auction.

    Parameters
    ----------
    data : Data
        Scores of at least one point in three clusters or more.
    lower, upper : (k,) ndarray
        Bounds.
    weights : (n,) ndarray or None
        Point weights.
    prices : (k,) ndarray
        Where to start.
    eps : float
        The first eps; infinite where nothing is known about the prices.
    lists : Lists
        Lists with bounds that hold at these prices; written.
    fine : bool
        Whether eps falls until labels are optimal, or nearly so.
    most_work : float
        Work, as `work_of` counts it, after which the auction gives up. It goes on where every phase takes less than
        FALLING of the one before, which is a sign of its end.
    deadline : float
        Value of `base.deadline.clock` at which to stop.

    Returns
    -------
    Bids
    """
    n, k = data[0].shape[0], prices.size
    market, labels = _market(prices, n), None
    widest, last = _mean_range(data) / EPS_RATIO, mean_lead(lists, prices) * k / n
    last *= FINE_EPS if fine else LAST_EPS
    budget = (MOVES_PER_POINT if eps < widest else MOVES_AT_FIRST) * n
    eps = first = min(eps, widest)
    best, least, most, ended, done, beyond = market.prices.copy(), np.inf, 0.0, False, False, 0.0
    amounts, filter_ = np.empty(0) if weights is None else weights, list_filter(data, prices)
    while np.isfinite(eps) and eps > 0 and clock() < deadline:
        before, start = market.prices.copy(), work_of(data, market)
        limit = max(most_work, start + beyond)
        if most == 0.0:
            _refresh(data, lists, market, None)
        surplus = assign_points(data, filter_, lists, amounts, lower, upper, market)
        few, left = FEW_TAKEN * n if weights is None else np.inf, budget
        done, left = _in_parts(data, filter_, lists, amounts, lower, upper, market, eps, left, few, limit, deadline)
        while left > 0 and not done and work_of(data, market) <= limit and clock() < deadline:
            lists, few = _less_deficits(data, lists, lower, market, eps), FEW_GROWTH * few
            done, left = _in_parts(data, filter_, lists, amounts, lower, upper, market, eps, left, few, limit, deadline)
        if surplus < least and labels is None:
            best, least = before, surplus
        most = max(most, surplus)
        if surplus > WRONG_SHARE * most:
            first = eps
        if done and weights is None:
            best, labels = market.prices.copy(), market.labels.copy()
        if surplus <= 0:
            break
        if eps <= last and done:
            best = market.prices.copy()
            break
        beyond = FALLING * max(beyond, work_of(data, market) - start)
        if work_of(data, market) > limit:  # labels of a coarse phase would take as long to refine
            done, labels = False, None
            break
        if not done and (ended or (fine and surplus <= LITTLE * n)):
            break
        ended = ended or done or eps >= widest
        eps = eps / EPS_RATIO if ended else eps * EPS_GROWTH
    here = best[:k] - best[k]
    return Bids(here, first, labels, moved_to(lists, market.prices[:k], here), done)


def _in_parts(
    data: Data,
    filter_: Any,
    lists: Lists,
    amounts: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    market: Market,
    eps: float,
    budget: int,
    few: float,
    most_work: float,
    deadline: float,
) -> tuple[bool, int]:
    """`auction`, which looks at the clock about every second.

    It stops when more than ``few`` lists have been taken anew from now on, or all work exceeds ``most_work``.
    """
    last, done = market.taken[0] + few, False
    while budget > 0 and not done and market.taken[0] <= last and clock() < deadline:
        most = min(most_work, work_of(data, market) + MOST_WORK)
        done, budget = auction(data, filter_, lists, amounts, lower, upper, market, eps, budget, last, most)
        if work_of(data, market) > most_work:
            break
    return done, budget


def _less_deficits(data: Data, lists: Lists, lower: NDArray[np.float64], market: Market, eps: float) -> Lists:
    """Lower the prices of clusters that lack points for a while; gives lists that hold at the prices then."""
    at = market.prices[:-1].copy()
    fill_deficits(data, lists, lower, market, eps, LOOKS_FOR_DEFICITS * len(market.labels))
    lists = moved_to(lists, at, market.prices[:-1])
    _refresh(data, lists, market, market.labels)
    return lists


def _refresh(data: Data, lists: Lists, market: Market, labels: NDArray[np.int64] | None) -> None:
    """Take lists anew whose best cluster, besides the labels, may not be the best of all, where there are many."""
    prices = market.prices[:-1]
    reduced = lists.values - prices[lists.clusters]
    if labels is not None:
        reduced[lists.clusters == labels[:, None]] = -np.inf
    stale = np.flatnonzero(reduced.max(axis=1) < lists.outside)
    if stale.size > FEW_TAKEN * len(reduced):
        retaken(data, prices, stale, None if labels is None else labels[stale], lists)
        market.taken[0] += stale.size


def _market(prices: NDArray[np.float64], n: int) -> Market:
    k = prices.size
    return Market(
        prices=np.append(prices, 0.0),
        required=np.empty(k),
        excess=np.empty(k + 1),
        root=np.empty(k, dtype=np.int64),
        labels=np.empty(n, dtype=np.int64),
        level=np.empty(n),
        child=np.empty(n, dtype=np.int64),
        sibling=np.empty(n, dtype=np.int64),
        stack=np.empty(k + 1, dtype=np.int64),
        waiting=np.empty(k + 1, dtype=bool),
        stuck=np.empty(k + 1, dtype=bool),
        taken=np.zeros(1, dtype=np.int64),
        looks=np.zeros(1, dtype=np.int64),
    )


def mean_lead(lists: Lists, prices: NDArray[np.float64]) -> float:
    """Mean lead over the points of the best cluster over the second best."""
    best = np.partition(lists.values - prices[lists.clusters], -2, axis=1)[:, -2:]
    return float((best[:, 1] - best[:, 0]).mean())


def _mean_range(data: Data) -> float:
    """Mean difference of the largest and the smallest score of a point, over some points, evenly spaced."""
    scores = scores_of(data, slice(None, None, max(data[0].shape[0] // POINTS_FOR_RANGE, 1)))
    return float(np.ptp(scores, axis=1).mean())
