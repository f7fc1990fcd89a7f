"""Prices to start from, and all points assigned at them.

The nearer the starting prices are to the optimal ones, the fewer points the flow has to move. They come from the
caller, or from the same problem on a sample of the points with bounds scaled to it, recursively: prices that are
optimal for a sample of m points leave about n sqrt(k / m) points to move. With weights the sample is drawn in
proportion to them. Samples with few points for every cluster say little: there prices come from an `auction`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import clock
from ...models.polytope.polytope import scaled_bounds
from .auction import Bids, auctioned, mean_lead
from .candidates import Candidates, collect_candidates, common_cutoff, listed_candidates, sampled_cutoffs
from .equal_points import heaviest_share
from .heaps import HEAP_BYTES
from .line import line_of, line_prices
from .lists import LISTED, Lists, nearest_clusters
from .nodes import Nodes, exceeds_share, nodes_at, total_excess
from .pieces import Pieces, whole_points
from .rows import Data, OutOfTime, assign, scores_of, subset
from .smoothed import resumed_prices, smoothed_prices
from .tiles import TILE

SMALLEST_SAMPLE = 1024  # points; solving a smaller sample costs more than its prices save
SAMPLE_RATIO = 8  # points of the problem for one point of the sample
SAMPLE_PER_CLUSTER = 4  # points that a sample must have for every cluster
SMALLEST_LOOK = 512  # points on which given prices are compared with zeros, where there is no sample
SAMPLE_NOISE = 0.5  # excess that optimal prices leave on a sample of m points, in units of m sqrt(k / m) points
CANDIDATES_PER_ROOT = 8.0  # candidates of a pair of clusters, in units of sqrt(n / k)
LEAST_OF_WANTED = 0.5  # where memory has room for less of them in a table of all pairs, only neighbours get candidates
NEIGHBOURS = 48  # clusters whose candidates a cluster then gets
CANDIDATES_PER_CLUSTER = 32  # candidates that a cluster gets in all, where there are many clusters
MOST_PER_POINT = 3.0  # clusters, on average, that a point is a candidate for at most, where there are many clusters
MOST_SCORES = HEAP_BYTES // 8  # of points and clusters that are kept in place of heaps; others are computed again,
MOST_PAIRS = HEAP_BYTES // 32  # and pairs of clusters, whose arcs have two costs and two members each
MEMBERS = 128  # points for every cluster up to which all members of a cluster are candidates,
MEMBERS_IN_CACHE = 256  # and the same where there are no more
SCORES_IN_CACHE = 1 << 20  # scores than this
MEMBERS_PER_ARC = 15  # members of a cluster, in units of k: with more of them loops over the k arcs are short,
FEW_POINTS = 1500  # which matters with more points than this
MANY_CLUSTERS = 160  # from here on prices may come from an auction, and only neighbours exchange points
MANY_SMALL_CLUSTERS = 256  # the same where clusters are small
POINTS_PER_PAIR = 1.5  # of clusters; with more of them, samples and tables of all pairs cost less
LINE_POINTS = 1 << 13  # points for every cluster of a line; with more of them, samples give prices at a lower cost
TABLE_CLUSTERS = 1 << 11  # up to which heaps of all pairs take over where an auction costs more than they do
PATIENCE = 0.3  # its work before they do, in products for every point and pair of clusters,
PATIENCE_PER_CLUSTER = 8  # and for as many more points for every cluster: searches take as long with few points
PATIENCE_PER_MOVE = 1.25  # the same for every point to be moved, at most, where clusters are small and prices far
BRIEF_PATIENCE = 0.06  # the same for every point and pair, without more points, where small clusters
BRIEF_MEMBERS = 64  # have up to as many points in the mean,
BRIEF_SCORES = 1 << 25  # and there are no more scores than this
LOCAL_POINTS = 128  # points for every cluster from which on it is looked at whether they lie together
LOCAL_BEST = 8  # clusters of a point that count, those of its largest scores
LOCAL_SHARE = 1 / 8  # of the clusters; up to it, points of a tile lie together
AUCTION_RATIO = 4  # points of an auction for one point of the auction that its prices come from
AUCTION_PER_CLUSTER = 3  # points for every cluster in the smallest auction
FAR_SHARE = 0.4  # of the points: where zero prices leave as many to move, a larger sample with fewer points pays:
FAR_RATIO = 4  # points of the problem for one point of it
FAR_PER_CLUSTER = 1  # points that it must have for every cluster
NEAR_SHARE = 0.02  # of the points of a sample: so many more than its error is left where zero prices are near
LARGE = 128  # points for every cluster; with more of them the flow moves the error of a sample sooner than an auction
WARM_SHARE = 0.1  # of all points: given prices that leave more to move are not used, or moved on samples
NEXT_EPS = 2.0  # the first eps of the smoothed dual for more points, in units of the last one for fewer
AUCTION_EPS = 4.0  # the first eps of the auction that follows it, in units of the last one
LARGEST_PRICE_RATIO = 2.0**20  # prices larger than the scores by this factor have lost the digits that matter
POINTS_FOR_MAGNITUDE = 256  # points whose scores are looked at to learn how large scores are


class Program(NamedTuple):
    """The assignment program as the engine reads it: scores, bounds (k,), and weights (n,) or None.

    ``listed`` says whether its points may look at lists of clusters, where there are many.
    """

    data: Data
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    weights: NDArray[np.float64] | None
    listed: bool = True

    @property
    def shape(self) -> tuple[int, int]:
        """(n, k)."""
        return self.data[0].shape[0], self.lower.size

    @property
    def terms(self) -> tuple[Data, NDArray[np.float64], NDArray[np.float64], NDArray[np.float64] | None]:
        """Scores, bounds and weights."""
        return self.data, self.lower, self.upper, self.weights


Solve = Callable[[Program, NDArray[np.float64] | None, float], NDArray[np.float64]]
"""Gives the prices of a program; its arguments are the program, prices to start from, and the deadline."""


class Start(NamedTuple):
    """All points assigned at some prices, with the candidates that the flow begins with, or None where all are.

    Where there are many clusters, ``bids`` says where they come from. With its labels no size breaks a bound, while
    points may gain a little elsewhere.
    """

    nodes: Nodes
    pieces: Pieces
    candidates: Candidates | None
    bids: Bids | None = None


class Stopped(OutOfTime):
    """The deadline came before all points were assigned; ``prices`` (k,) are the best that were known."""

    def __init__(self, prices: NDArray[np.float64]) -> None:
        super().__init__()
        self.prices = prices


def first_assignment(program: Program, given: NDArray[np.float64] | None, deadline: float, solve: Solve) -> Start:
    """Choose starting prices, and assign every point at them.

    Parameters
    ----------
    program : Program
        What is to be solved.
    given : (k,) ndarray or None
        Prices of the caller. On a sample they are compared with the error of the sample, and replaced where they
        are worse. Prices that are far larger than the scores are ignored.
    deadline : float
        Value of `base.deadline.clock` at which to stop.
    solve : callable
        Solves the sample.

    Returns
    -------
    Start

    Raises
    ------
    Stopped
        When the deadline comes first.
    """
    given = unless_too_large(given, program.data)
    if _has_many_clusters(program):
        if given is not None and not given.any() and (start := _unbound(program, given)) is not None:
            return start
        if given is not None and (near := _near_prices(program, given, deadline)) is not None:
            return table_start(program, near, deadline)
        bids = _bids(program, given, deadline)
        if not _gave_up(program, bids):
            return listed_start(program, bids)
        program, given = program._replace(listed=False), bids.prices
    return table_start(program, coarse_prices(program, given, deadline, solve), deadline)


def largest_score(data: Data) -> float:
    """The largest absolute score of some points, evenly spaced."""
    n = data[0].shape[0]
    return float(np.abs(scores_of(data, slice(None, None, max(n // POINTS_FOR_MAGNITUDE, 1)))).max(initial=0.0))


def unless_too_large(prices: NDArray[np.float64] | None, data: Data) -> NDArray[np.float64] | None:
    """The prices (k,); None where they are so large that the scores vanish beside them."""
    too_large = prices is not None and np.abs(prices).max() > LARGEST_PRICE_RATIO * largest_score(data)
    return None if too_large else prices


def table_start(program: Program, prices: NDArray[np.float64], deadline: float) -> Start:
    """Every point in the cluster of its largest reduced score, and some candidates of every pair, or all."""
    n, k = program.shape
    data, labels, margins = program.data, np.empty(n, dtype=np.int64), np.empty(n)
    if _has_small_clusters(program):
        assign(data, prices, labels, margins)
        return Start(_nodes_of(program, prices, labels), whole_points(labels, margins, program.weights), None)
    expected, cap = _expected_candidates(n, k), sample_size(n, k) > 0
    expected = expected if clock() < deadline else 0.0
    if not expected:
        cutoff = np.full((k, 1), -np.inf)
    elif expected < LEAST_OF_WANTED * _wanted_candidates(n, k):
        expected = min(NEIGHBOURS * expected * k / n, MOST_PER_POINT)
        cutoff = common_cutoff(data, prices, expected)
    else:
        cutoff = sampled_cutoffs(data, prices, expected, cap)
    likely = expected * (n if cutoff.shape[1] == 1 else k * k)
    try:
        found = collect_candidates(data, prices, cutoff, labels, margins, likely, deadline=deadline)
    except OutOfTime:
        raise Stopped(prices) from None
    return _start(program, prices, labels, margins, Candidates(*found, cutoff, expected))


def _has_small_clusters(program: Program) -> bool:
    """Whether moving a point costs less where all members of a cluster are candidates (`members`)."""
    (n, k), (_, columns, _, origin) = program.shape, program.data
    members = MEMBERS_IN_CACHE if n * k <= SCORES_IN_CACHE else MEMBERS
    short = n > max(FEW_POINTS, MEMBERS_PER_ARC * k * k)
    known = n * k <= MOST_SCORES or len(columns) <= origin.size  # or soon computed: a matrix, or linear
    return k * k <= MOST_PAIRS and n <= members * k and known and not short


def _has_tables(program: Program) -> bool:
    """Whether tables of all pairs may take over where an auction costs more than they do."""
    return program.shape[1] <= TABLE_CLUSTERS or _has_small_clusters(program)


def _unbound(program: Program, zeros: NDArray[np.float64]) -> Start | None:
    """Every point in its best cluster, where no bound is broken so; None elsewhere."""
    n, k = program.shape
    labels, margins, none = np.empty(n, dtype=np.int64), np.empty(n), np.empty(0, dtype=np.int64)
    assign(program.data, zeros, labels, margins)
    start = _start(program, zeros, labels, margins, Candidates(none, none, np.empty(0), np.full((k, 1), -np.inf), 0.0))
    return None if start.nodes.excess.any() else start


def _start(
    program: Program,
    prices: NDArray[np.float64],
    labels: NDArray[np.int64],
    margins: NDArray[np.float64],
    found: Candidates,
    bids: Bids | None = None,
) -> Start:
    """The points in these clusters, with those of the candidates that have a weight."""
    if program.weights is not None:
        positive = program.weights[found.points] > 0
        found = replace(found, **{name: getattr(found, name)[positive] for name in ("points", "pairs", "keys")})
    nodes = _nodes_of(program, prices, labels)
    return Start(nodes, whole_points(labels, margins, program.weights), found, bids)


def _nodes_of(program: Program, prices: NDArray[np.float64], labels: NDArray[np.int64]) -> Nodes:
    """What is left to move where the points lie in these clusters."""
    sizes = np.bincount(labels, program.weights, minlength=prices.size).astype(np.float64)
    return nodes_at(prices, sizes, program.lower, program.upper)


def coarse_prices(
    program: Program, given: NDArray[np.float64] | None, deadline: float, solve: Solve
) -> NDArray[np.float64]:
    """Optimal prices (k,) of a sample; where the problem is too small for one, the given prices or zeros.

    The given prices are kept where they leave no more to move on some points than optimal prices would. Prices of
    sites that have moved far can leave nearly all points to move: without a sample zeros then replace them.
    """
    if (prices := _line_prices(program, deadline)) is not None:
        return prices
    n, k = program.shape
    m = sample_size(n, k)
    if program.weights is not None and not program.weights.any():
        return np.zeros(k)
    zeros = np.zeros(k)
    if m or given is not None:
        some = _sample(program, m or min(n, max(n // SAMPLE_RATIO, SMALLEST_LOOK)))
    if given is not None:
        nodes = left_at(some, given)
        if _is_noise(some, nodes):
            return given
        left = total_excess(nodes)
    if m:
        return solve(some, given, deadline)
    if k >= MANY_CLUSTERS and (quarter := _few_but_far(program)) is not None:
        return solve(quarter, given, deadline)
    return zeros if given is None or left >= total_excess(left_at(some, zeros)) else given


def _near_prices(program: Program, given: NDArray[np.float64], deadline: float) -> NDArray[np.float64] | None:
    """Prices that leave no more to move than those of a sample: given ones, or far ones after Newton steps on samples.

    With large clusters the flow moves that much sooner than an auction, whatever the geometry. None where an auction
    costs less, or the steps do not converge; `Stopped` when the deadline comes first.
    """
    n, k = program.shape
    if n <= LARGE * k or k > TABLE_CLUSTERS:
        return None
    large = _sample(program, n // AUCTION_RATIO)
    left = left_at(large, given)
    if _is_noise(large, left):
        return given
    if not exceeds_share(left, WARM_SHARE):
        return None
    try:
        for some in (_sample(program, n // AUCTION_RATIO**2), large):
            lists = nearest_clusters(some.data, given, min(k, LISTED), deadline)
            found = resumed_prices(*some.terms, given, lists, deadline)
            if found is None:
                return None
            given = found[0]
    except OutOfTime:
        raise Stopped(given) from None
    return given


def _is_noise(sample: Program, left: Nodes) -> bool:
    """Whether no more is left to move than optimal prices would leave on such a sample."""
    m, k = sample.shape
    return not exceeds_share(left, SAMPLE_NOISE * np.sqrt(k / m))


def _few_but_far(program: Program) -> Program | None:
    """A sample of a quarter of the points, where they are too few for an eighth, and zero prices far from optimal."""
    n, k = program.shape
    m = _worth(n // FAR_RATIO, FAR_PER_CLUSTER * k)
    if m == 0:
        return None
    some = _sample(program, m)
    return some if exceeds_share(left_at(some, np.zeros(k)), FAR_SHARE) else None


def _zeros_are_near(program: Program, m: int) -> bool:
    """Whether zero prices leave hardly more to move on a sample of m points than its error alone would."""
    some, zeros = _sample(program, m), np.zeros(program.shape[1])
    middle = 0.5 * (some.lower + np.minimum(some.upper, m))
    drawn = np.random.default_rng(m).poisson(middle * (m / middle.sum())).astype(np.float64)
    noise = total_excess(nodes_at(zeros, drawn, some.lower, some.upper))
    return total_excess(left_at(some, zeros)) <= noise + NEAR_SHARE * m


def _line_prices(program: Program, deadline: float) -> NDArray[np.float64] | None:
    """Prices (k,) of points on a line with few points for every cluster, where samples and auctions say little.

    None where points lie elsewhere, or are many; `Stopped` when the deadline comes first.
    """
    n, k = program.shape
    line = line_of(program.data) if 0 < n < LINE_POINTS * k else None
    try:
        return None if line is None else line_prices(line, *program.terms[1:], deadline)
    except OutOfTime:
        raise Stopped(np.zeros(k)) from None


def _sample(program: Program, m: int) -> Program:
    """The program of m of its points, with bounds scaled to them."""
    n = program.shape[0]
    index, draws = draw_sample(n, m, program.weights)
    lower, upper = scaled_bounds(program.lower, program.upper, m, _total(program))
    if draws is None:
        lower, upper = np.floor(lower), np.ceil(upper)
    return Program(subset(program.data, index), lower, upper, draws, program.listed)


def left_at(program: Program, prices: NDArray[np.float64]) -> Nodes:
    """What is left to move at some prices."""
    n = program.shape[0]
    labels = np.empty(n, dtype=np.int64)
    assign(program.data, prices, labels, np.empty(n))
    return _nodes_of(program, prices, labels)


def _has_many_clusters(program: Program) -> bool:
    """Whether prices come from an auction over lists, and only neighbours exchange points.

    Passes over all points cost far less than lists where points that stand together lie together (`near`), and where
    equal points fill more clusters than a list has: they would bid against each other. So do samples and
    tables where there are many points for every pair of clusters, or not so many small clusters.
    """
    n, k = program.shape
    if not program.listed or k < MANY_CLUSTERS or not 0 < n < POINTS_PER_PAIR * k * k:
        return False
    if k < MANY_SMALL_CLUSTERS and _has_small_clusters(program) and sample_size(n, k):
        return False
    if _has_tables(program) and heaviest_share(program.data[0], program.weights) * k > LISTED:
        return False
    return n < LOCAL_POINTS * k or not _lie_together(program.data, k)


def _lie_together(data: Data, k: int) -> bool:
    """Whether few clusters have any of the largest scores of the points of a tile, half-way through all of them."""
    middle = data[0].shape[0] // 2
    scores, best = scores_of(data, slice(middle, middle + TILE)), min(k, LOCAL_BEST)
    largest = np.argpartition(scores, -best, axis=1)[:, -best:]
    return np.unique(largest).size <= LOCAL_SHARE * k


def _bids(program: Program, given: NDArray[np.float64] | None, deadline: float) -> Bids:
    """Prices, labels and lists of all points, from prices of more and more points; `Stopped` after the deadline."""
    n, k = program.shape
    prices, eps, sizes, lists = np.zeros(k) if given is None else given, np.inf, [n], None
    try:
        if (scanned := _line_prices(program, deadline)) is not None:
            return Bids(scanned, eps, None, nearest_clusters(program.data, scanned, min(k, LISTED), deadline))
        if given is not None:
            lists = nearest_clusters(program.data, given, min(k, LISTED), deadline)
            nodes = listed_start(program, Bids(given, eps, None, lists)).nodes
            if not exceeds_share(nodes, k / n):
                return Bids(given, eps, None, lists)
            if exceeds_share(nodes, WARM_SHARE):
                prices, lists = np.zeros(k), None
        warm = lists is not None  # the given prices are near
        while lists is None and sizes[-1] >= AUCTION_RATIO * AUCTION_PER_CLUSTER * k:
            sizes.append(sizes[-1] // AUCTION_RATIO)
        smooth = True
        near = given is None and program.weights is None and len(sizes) > 1 and _zeros_are_near(program, sizes[-1])
        for m in [n] if near else reversed(sizes):
            sample = program if m == n else _sample(program, m)
            if lists is None:
                lists = nearest_clusters(sample.data, prices, min(k, LISTED), deadline)
            if near:
                eps = mean_lead(lists, prices) * k / n
            elif smooth:
                if warm:
                    better = resumed_prices(*sample.terms, prices, lists, deadline)
                else:
                    relist = m == sizes[-1] and given is None
                    better = smoothed_prices(*sample.terms, prices, NEXT_EPS * eps, lists, relist, deadline)
                smooth = better is not None
                prices, eps, lists = better or (prices, np.inf, lists)
            if m == n or not smooth:
                first = AUCTION_EPS * eps if smooth else eps
                fine = m == n and program.weights is None
                patience = _patience(program, sample, prices, None if smooth else lists)
                found = auctioned(*sample.terms, prices, first, lists, fine, patience, deadline)
                prices, eps = found.prices, found.eps
                if _gave_up(program, found):
                    return found
            lists = None
    except OutOfTime:
        raise Stopped(prices) from None
    return found


def _gave_up(program: Program, bids: Bids) -> bool:
    """Whether tables of all pairs take over from an auction."""
    return not bids.ended and _has_tables(program)


def _patience(program: Program, sample: Program, prices: NDArray[np.float64], lists: Lists | None) -> float:
    """Work (`auction.work_of`) of an auction of a sample from which on tables of all pairs would have cost less.

    Near prices leave little to move, and auctions from them end; ``lists`` are needed only where prices may be far.
    """
    (n, k), m = program.shape, sample.shape[0]
    if not _has_tables(program):
        return np.inf
    patience = PATIENCE * (m + PATIENCE_PER_CLUSTER * k)
    if _has_small_clusters(program):
        if n <= BRIEF_MEMBERS * k and n * k <= BRIEF_SCORES:
            patience = BRIEF_PATIENCE * m
        if lists is not None:
            best = (lists.values - prices[lists.clusters]).argmax(axis=1)
            left = total_excess(_nodes_of(sample, prices, lists.clusters[np.arange(m), best]))
            patience = min(patience, PATIENCE_PER_MOVE * left * m / _total(sample))
    return patience * k**2


def _total(program: Program) -> float:
    """The number of points, or what they weigh."""
    return float(program.shape[0] if program.weights is None else program.weights.sum())


def listed_start(program: Program, bids: Bids) -> Start:
    """The points in the clusters of an auction, or in their best ones at its prices, with candidates from lists."""
    n, k = program.shape
    expected = MOST_PER_POINT if bids.labels is None else min(CANDIDATES_PER_CLUSTER * k / n, MOST_PER_POINT)
    labels, margins, found = listed_candidates(program.data, bids.prices, bids.labels, bids.lists, expected)
    start = _start(program, bids.prices, labels, margins, found, bids)
    if bids.labels is None:
        return start
    sizes = np.bincount(labels, minlength=k).astype(np.float64)  # of points without weights
    return start._replace(nodes=start.nodes._replace(excess=np.zeros(k + 1), required_size=sizes))


def unrefined_start(program: Program, bids: Bids, deadline: float) -> Start:
    """All points in their best clusters at the prices of an auction, for the flow to move what that leaves."""
    if _has_tables(program):
        return table_start(program, bids.prices, deadline)
    return listed_start(program, bids._replace(labels=None))


def draw_sample(
    n: int, m: int, weights: NDArray[np.float64] | None
) -> tuple[NDArray[np.int64], NDArray[np.float64] | None]:
    """Draw m of n points; returns the points, and where weights are given how often each of them was drawn.

    The total weight is cut into m equal parts, and one point is drawn from each of them. So a point is drawn about in
    proportion to its weight, heavy points many times, and the sizes of a sample err by sqrt(k / m) of the whole for
    any distribution of the weights.
    """
    rng = np.random.default_rng(n)
    if weights is None:
        return np.arange(m) * (n // m) + rng.integers(n // m, size=m), None
    upto = np.cumsum(weights)
    drawn = np.searchsorted(upto, (np.arange(m) + rng.random(m)) * (upto[-1] / m), side="right")
    last = np.flatnonzero(weights)[-1]  # rounding may put a draw behind the end of all weight
    index, draws = np.unique(np.minimum(drawn, last), return_counts=True)
    return index, draws.astype(np.float64)


def sample_size(n: int, k: int) -> int:
    """Points of the sample that prices come from; 0 where that is too few to be worth it."""
    return _worth(n // SAMPLE_RATIO, SAMPLE_PER_CLUSTER * k)


def _worth(m: int, least: int) -> int:
    """Points of a sample of m that needs at least so many; 0 where that is too few."""
    return m if m >= max(SMALLEST_SAMPLE, least) else 0


def _expected_candidates(n: int, k: int) -> float:
    """Points of a pair of clusters that are collected, as memory allows."""
    return min(_wanted_candidates(n, k), max(HEAP_BYTES / (32 * k * k), 2.0))


def _wanted_candidates(n: int, k: int) -> float:
    """Points of a pair of clusters that may have to move: a few times the error of a sample."""
    return min(CANDIDATES_PER_ROOT * float(np.sqrt(n / k)) + 8.0, max(0.25 * n / k, 2.0))
