"""The exact engine: prices from coarse to fine, then the contracted flow at full size.

A solve at size n starts from prices. Given prices every point goes to its best cluster (one pass), and the flow
of `flow` repairs the sizes; the better the prices, the fewer repairs. Prices near the optimal ones
come from the caller or from the same problem on a sample of the points with bounds scaled to it, recursively:
the error of a sample of m points leaves about n sqrt(k / m) points to repair, not n. With weights the sample is
drawn in proportion to them, and points that weigh less than rounding of the total are left out of the flow.

The clock is looked at between samples, passes and Newton steps, and every few searches inside the flow; without a
deadline nothing depends on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from ...models.polytope import scaled_bounds
from ...models.potentials import shortest_potentials
from .candidates import collect_candidates, sampled_reach
from .flow import (
    DONE,
    DRY,
    PAUSED,
    Heaps,
    Nodes,
    fill_rows,
    fill_rows_shared,
    put_candidates,
    reaches,
    run,
)  # fmt: skip
from .newton import smooth_prices
from .pieces import Pieces, listed, movable, whole_points
from .rows import Data, assign, bucket, exchange_gaps, scores_of, take

COARSEST = 2048  # points at which a sample costs more than it saves
RATIO = 8  # points for one point of the sample
PER_CLUSTER = 4  # points of a sample for one cluster
HEAP_BYTES = 1 << 30
ENOUGH = 8
NOISE = 0.5  # excess, in units of sqrt(k / m) of the points, that optimal prices leave on a sample of m
FIRST_REACH = 4.0
REFINED = 4.0  # candidates of a pair of clusters when the starting prices leave about k points to move
MANY = 1000  # clusters from which a search costs so much that better starting prices pay
SMALL = 1 << 15  # scores below which nothing of the kind pays
SERIAL_WORK = 1 << 22  # multiplications below which waking other threads does not pay
LOOK = 1 << 22  # entries of the k x k tables that searches read between two looks at the clock
LARGE = 2.0**20  # prices larger than the scores by this factor carry too few of their digits to be a start
JUDGED = 256  # points whose scores tell how large scores are


@dataclass(frozen=True, eq=False)
class Flow:
    """End of a solve: pieces with their clusters, and prices with mu_T = 0."""

    pieces: Pieces
    nodes: Nodes
    prices: NDArray[np.float64]
    outcome: int
    searches: int
    pushes: int


@dataclass(frozen=True, eq=False)
class Candidates:
    """Points that are near another cluster, and how far all others are from it; see `candidates`."""

    points: NDArray[np.int64]
    pairs: NDArray[np.int64]
    keys: NDArray[np.float64]
    reach: NDArray[np.float64]
    wanted: float


def solve_flow(
    data: Data,
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    prices: NDArray[np.float64] | None = None,
    deadline: float = np.inf,
) -> Flow:
    """Solve the assignment program over packed scores.

    Parameters
    ----------
    data : Data
        Scores, from `rows.pack`.
    lower, upper : (k,) ndarray
        Bounds; a feasible assignment exists.
    weights : (n,) ndarray or None
        Point weights, ones when None.
    prices : (k,) ndarray, optional
        Prices to start from; from a sample when None, or when so large that the scores vanish beside them.
    deadline : float
        Value of `perf_counter` at which to stop.

    Returns
    -------
    Flow
        ``outcome`` is PAUSED when the deadline came first, NO_PATH when the bounds can be met up to rounding
        only, else DONE.
    """
    tiny = smallest_amount(weights)
    if weights is not None:
        weights = np.where(weights > tiny, weights, 0.0)  # what is left out moves for free
    if prices is not None and np.abs(prices).max() > LARGE * _largest_score(data):
        prices = None
    prices, nodes, pieces, found = _start(data, lower, upper, weights, prices, deadline)
    used = np.zeros(2, dtype=np.int64)
    outcome = DONE
    if (nodes.excess > tiny).any():
        pieces = movable(pieces, lower.size, weights is not None)
        noise = 0.0 if weights is None else _rounding(data)
        outcome, pieces = _push_all(data, pieces, nodes, found, tiny, noise, used, deadline)
    clean = nodes.prices[:-1] - nodes.prices[-1]
    return Flow(pieces, nodes, _canonical(clean, nodes, tiny), outcome, int(used[0]), int(used[1]))


def smallest_amount(weights: NDArray[np.float64] | None) -> float:
    """What counts as nothing: half a point, or rounding of the total weight."""
    return 0.5 if weights is None else 1e-15 * float(weights.sum())


def _largest_score(data: Data) -> float:
    """The largest absolute score of some points, evenly spaced."""
    n = data[0].shape[0]
    return float(np.abs(scores_of(data, slice(None, None, max(n // JUDGED, 1)))).max(initial=0.0))


def _rounding(data: Data) -> float:
    """What rounding may do to a difference of scores; positive."""
    return 4.0 * float(np.finfo(np.float64).eps) * _largest_score(data) + float(np.finfo(np.float64).tiny)


def polished(data: Data, flow: Flow, tiny: float) -> NDArray[np.float64]:
    """Prices (k,) of a finished flow from its exchange gaps alone, free of what rounding the way there left.

    Needed when the starting prices were larger than the scores by many orders of magnitude. Bellman and Ford's
    potentials of mu_i - mu_j <= w_ij and (8), (9) of `flow`; one more pass over the data.
    """
    pieces, nodes = flow.pieces, flow.nodes
    k = nodes.target.size
    length = np.full((k + 1, k + 1), np.inf)
    length[:k, :k] = exchange_gaps(data, *listed(pieces), k)
    length[:k, k][nodes.upper - nodes.target > tiny] = 0.0
    length[k, :k][nodes.target - nodes.lower > tiny] = 0.0
    np.fill_diagonal(length, 0.0)
    potentials, _ = shortest_potentials(length, cycles=False)
    return _canonical(potentials[:k] - potentials[k], nodes, tiny)


def _push_all(
    data: Data,
    pieces: Pieces,
    nodes: Nodes,
    found: Candidates,
    tiny: float,
    noise: float,
    used: NDArray[np.int64],
    deadline: float,
) -> tuple[int, Pieces]:
    """Run the flow to its end, with more room for candidates where it runs short."""
    k = nodes.target.size
    heaps = _heaps(nodes.prices[:-1].copy(), found, max(int(2 * found.wanted), 4))
    put_candidates(found.points, found.pairs, found.keys, heaps)
    budget = 1 << 62 if deadline == np.inf else max(LOOK // (k * k), 1)  # between two looks at the clock
    exhausted = 0
    while True:
        np.fill_diagonal(heaps.dry, False)
        if heaps.dry.any():
            if pieces.starts.size == 0:
                pieces, heaps = _with_order(pieces, heaps, found)
            _fill(data, pieces, heaps)
        if perf_counter() > deadline:
            return PAUSED, pieces
        outcome = run(data, pieces, heaps, nodes, tiny, noise, ENOUGH, budget, used)
        if outcome not in (PAUSED, DRY):
            return outcome, pieces
        exhausted += int((heaps.dry & (heaps.times > 2)).sum())
        if exhausted > 4 * k and 2 * (heaps.keys.nbytes + heaps.items.nbytes) <= HEAP_BYTES:
            heaps, exhausted = _larger(heaps, found), 0


def _fill(data: Data, pieces: Pieces, heaps: Heaps) -> None:
    """Fill the dry heaps, on several threads where that pays."""
    pairs = heaps.dry.sum(axis=1)
    rows = np.flatnonzero(pairs)
    work = float((pairs * np.diff(pieces.starts)).sum()) * max(data[1].shape[0], 1)
    (fill_rows if work < SERIAL_WORK or rows.size < 2 else fill_rows_shared)(data, pieces, heaps, rows)


def _start(
    data: Data,
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    given: NDArray[np.float64] | None,
    deadline: float,
) -> tuple[NDArray[np.float64], Nodes, Pieces, Candidates]:
    """Prices, and all points assigned at them.

    Prices come from a sample, unless the given ones do as well there; with many clusters given prices are tried as
    they are, and where they leave much to repair prices come from Newton steps.
    """
    n, k = data[0].shape[0], lower.size
    many = k >= MANY and n * k >= SMALL
    near = _sample_size(n, k) > 0 and not many

    def assigned(prices: NDArray[np.float64], wanted: float) -> tuple[NDArray[np.float64], Nodes, Pieces, Candidates]:
        wanted = wanted if perf_counter() < deadline else 0.0
        pieces, sizes, found = _pieces(data, weights, prices, wanted, near)
        return prices, _nodes(prices, sizes, lower, upper), pieces, found

    if not many:
        return assigned(_coarse_prices(data, lower, upper, weights, deadline, given), _likely(n, k))
    prices = _coarse_prices(data, lower, upper, weights, deadline) if given is None else given
    start = assigned(prices, 0.0)
    if given is None or _far(start[1], k / n):
        better = smooth_prices(data, lower, upper, weights, prices, bool(prices.any()), deadline)
        smooth = assigned(better, 0.0)
        start = min(start, smooth, key=lambda tried: _excess(tried[1]))
    if _excess(start[1]) <= 0.0:
        return start
    return assigned(start[0], _likely(n, k) if _far(start[1], k / n) else REFINED)


def _coarse_prices(
    data: Data,
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    deadline: float,
    given: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Prices of the same problem on one point out of `RATIO`; the given ones where they do as well, or zero.

    Given prices do as well when on the sample they leave no more to repair than its own error would.
    """
    n, k = data[0].shape[0], lower.size
    m = _sample_size(n, k)
    if m == 0:
        return np.zeros(k) if given is None else given
    if weights is not None and not weights.any():
        return np.zeros(k)
    index, w = _sample(n, m, weights)
    low, up = scaled_bounds(lower, upper, m, float(n if weights is None else weights.sum()))
    if w is None:
        low, up = np.floor(low), np.ceil(up)
    sample = take(data, index)
    if given is not None:
        labels = np.empty(index.size, dtype=np.int64)
        assign(sample, given, labels, np.empty(index.size))
        sizes = np.bincount(labels, w, minlength=k).astype(np.float64)
        if not _far(_nodes(given, sizes, low, up), NOISE * np.sqrt(k / m)):
            return given
    return solve_flow(sample, low, up, w, given, deadline).prices


def _sample(
    n: int, m: int, weights: NDArray[np.float64] | None
) -> tuple[NDArray[np.int64], NDArray[np.float64] | None]:
    """Points of the sample, and how often each was drawn where weights are given.

    One draw from every m-th part of the weight: a point is drawn about in proportion to its weight, heavy points
    many times, so that the sizes of a sample err by sqrt(k / m) of the whole for any distribution of the weights.
    """
    rng = np.random.default_rng(n)
    if weights is None:
        return np.arange(m) * RATIO + rng.integers(RATIO, size=m), None
    upto = np.cumsum(weights)
    drawn = np.searchsorted(upto, (np.arange(m) + rng.random(m)) * (upto[-1] / m), side="right")
    last = np.flatnonzero(weights)[-1]  # what rounding puts behind all weight
    index, times = np.unique(np.minimum(drawn, last), return_counts=True)
    return index, times.astype(np.float64)


def _sample_size(n: int, k: int) -> int:
    """Points of the sample that prices come from; 0 where that is too few to be worth it."""
    m = n // RATIO
    return m if m >= max(COARSEST, PER_CLUSTER * k) else 0


def _far(nodes: Nodes, share: float) -> bool:
    """Whether more than this share of the points is in excess."""
    return _excess(nodes) > share * float(nodes.target.sum() - nodes.excess[-1])


def _excess(nodes: Nodes) -> float:
    """Points that have to move."""
    return float(nodes.excess.clip(min=0.0).sum())


def _pieces(
    data: Data, weights: NDArray[np.float64] | None, prices: NDArray[np.float64], wanted: float, cap: bool
) -> tuple[Pieces, NDArray[np.float64], Candidates]:
    """Every point in the cluster of its largest reduced score, the sizes of the clusters, and the candidates."""
    n, k = data[0].shape[0], prices.size
    labels, margins = np.empty(n, dtype=np.int64), np.empty(n)
    reach = sampled_reach(data, prices, wanted, cap) if wanted else np.full((k, k), -np.inf)
    points, pairs, keys = collect_candidates(data, prices, reach, labels, margins, wanted * k * k)
    sizes = np.bincount(labels, weights, minlength=k).astype(np.float64)
    pieces = whole_points(labels, margins, weights)
    if weights is not None:
        positive = weights[points] > 0
        points, pairs, keys = points[positive], pairs[positive], keys[positive]
    return pieces, sizes, Candidates(points, pairs, keys, reach, wanted)


def _with_order(pieces: Pieces, heaps: Heaps, found: Candidates) -> tuple[Pieces, Heaps]:
    """Points sorted by cluster, needed once candidates have run out; and how far to look for more."""
    order, margins, starts = bucket(pieces.labels, pieces.margins, pieces.amounts, heaps.base.size)
    reach = reaches(margins, starts, np.array([0.0, 8.0 * found.wanted]))
    heaps.times[(heaps.times == 1) & (found.reach >= reach[:, 1:2])] = 2
    return pieces._replace(order=order, margins=margins, starts=starts), heaps._replace(reach=reach)


def _nodes(
    prices: NDArray[np.float64], sizes: NDArray[np.float64], lower: NDArray[np.float64], upper: NDArray[np.float64]
) -> Nodes:
    """Targets that agree with the prices (complementary slackness), and the excesses they leave."""
    top = np.minimum(upper, sizes.sum())
    target = np.where(prices > 0, top, np.where(prices < 0, lower, np.clip(sizes, lower, top)))
    excess = np.append(sizes - target, target.sum() - sizes.sum())
    return Nodes(np.append(prices, 0.0), excess, target, lower.astype(np.float64), top)


def _likely(n: int, k: int) -> float:
    """Points of a pair of clusters that may have to cross, a few times the error of a sample."""
    return min(FIRST_REACH * float(np.sqrt(n / k)) + 8.0, max(HEAP_BYTES / (32 * k * k), 2.0))


def _heaps(prices: NDArray[np.float64], found: Candidates, room: int) -> Heaps:
    """Empty heaps with the bounds that hold for all that are no candidates: w_ij >= mu_i - mu_j + reach_ij."""
    k = prices.size
    bound = prices[:, None] - prices[None, :] + found.reach
    np.fill_diagonal(bound, np.inf)
    return Heaps(
        keys=np.empty((k, k, room)),
        items=np.empty((k, k, room), dtype=np.int64),
        counts=np.zeros((k, k), dtype=np.int64),
        thresholds=bound.copy(),
        costs=bound,
        first=np.full((k, k), -1),
        times=np.ones((k, k), dtype=np.int64),
        dry=np.zeros((k, k), dtype=bool),
        reach=np.empty((k, 3)),
        base=prices,
    )


def _larger(heaps: Heaps, found: Candidates) -> Heaps:
    """The same heaps with twice the room; all are to be filled again."""
    larger = _heaps(heaps.base, found, 2 * heaps.keys.shape[2])
    larger.dry[:] = True
    larger.times[:] = np.maximum(heaps.times - 1, 1)
    return larger._replace(reach=heaps.reach)


def _canonical(prices: NDArray[np.float64], nodes: Nodes, tiny: float) -> NDArray[np.float64]:
    """Prices without rounding: zero strictly between the bounds, and as near zero as the others allow.

    A common shift of all prices changes nothing as long as every sign stays right.
    """
    below, above = nodes.upper - nodes.target > tiny, nodes.target - nodes.lower > tiny
    prices = np.where(below, np.minimum(prices, 0.0), prices)
    prices = np.where(above, np.maximum(prices, 0.0), prices)
    least, most = prices[below].max(initial=-np.inf), prices[above].min(initial=np.inf)
    return prices - np.clip((prices.min() + prices.max()) / 2, least, most)
