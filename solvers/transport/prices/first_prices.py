"""Prices to start from, and all points assigned at them.

The nearer the starting prices are to the optimal ones, the fewer points the flow has to move. There are two regimes:

    (A) the same problem on a sample of the points with bounds scaled to it, recursively: prices that are optimal for a
        sample of m points leave about n sqrt(k / m) points to move. With weights the sample is drawn in proportion.
    (B) with many clusters (`Options`) a sample has too few points for each. Each point has a candidate list of its best
        clusters, and Newton's method on the entropic dual over these lists (`entropic_dual`) finds prices, on
        samples, each eight times the one before, and all. Where its steps do not converge, regime (A) takes over.

Prices that the caller gives are the start of either. Whatever the prices are, the flow makes the assignment optimal.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ....base.arrays import Integers, Reals
from ....base.deadline import clock
from ....models.polytope.polytope import scaled_bounds
from ..flow.heaps import HEAP_BYTES
from ..flow.nodes import Nodes, exceeds_share, nodes_at, smallest_amount, total_excess
from ..flow.optimal_flow import Flow, Start, optimal_flow, stopped_flow
from ..flow.pieces import whole_points
from ..passes.candidate_lists import LISTED, Lists, nearest_clusters
from ..passes.candidates import Candidates, collect_candidates, common_cutoff, listed_candidates
from ..passes.rows import Data, OutOfTime, assign, largest_score, subset
from ..passes.tiles import TILE
from ..program import Program
from .entropic_dual import entropic_prices, resumed_entropic_prices
from .line import line_of, line_prices

SAMPLE_RATIO = 8  # Points per point of the sample: larger ratios leave more to move.
SAMPLE_NOISE = 0.5  # Optimal prices leave this excess on a sample of m points, in units of m sqrt(k / m) points.
WARM_SHARE = 0.1  # In regime (B) given prices that leave a larger share of the points to move are worse than none.
CANDIDATES_PER_ROOT = 8.0  # A pair of clusters has this times sqrt(n / k) candidates: some for each move.
CANDIDATES_PER_CLUSTER = 32  # Candidates per cluster with lists: the entropic dual leaves little to move.
LARGEST_PRICE_RATIO = 2.0**20  # Prices larger than the scores by this factor have lost the digits that matter.


class Stopped(OutOfTime):
    """The deadline came before all points were assigned; ``prices`` (k,) are the best that were known."""

    def __init__(self, prices: Reals) -> None:
        super().__init__()
        self.prices = prices


def solve_flow(program: Program, prices: Reals | None = None, deadline: float = np.inf) -> Flow:
    """Solve the assignment program, from prices (k,) near the optimal ones where there are any. ``outcome`` is PAUSED
    when the deadline came first, BLOCKED_BY_ROUNDING when the bounds can be met up to rounding only, else DONE. Points
    that weigh less than the rounding error of the total weight may be anywhere."""
    if program.weights is not None:
        heavy = program.weights > smallest_amount(program.weights)
        program = program._replace(weights=np.where(heavy, program.weights, 0.0))
    try:
        start = first_assignment(program, prices, deadline)
    except Stopped as stopped:
        return stopped_flow(program, stopped.prices)
    return optimal_flow(program, start, deadline)


def first_assignment(program: Program, given: Reals | None, deadline: float) -> Start:
    """Choose starting prices, and assign every point at them; ``given`` ones (k,) are ignored where they are far larger
    than the scores. `Stopped` when the ``deadline`` comes first."""
    given = unless_too_large(given, program.data)
    n, k = program.shape
    prices = np.zeros(k) if given is None else given
    try:
        line = line_of(program.data)
        if line is not None:
            return dense_start(program, line_prices(line, program.lower, program.upper, program.weights, deadline))
        if (
            k >= program.options.many_clusters
            and n > 0
            and (found := _listed_prices(program, given, deadline)) is not None
        ):
            return _listed_start(program, *found)
        prices = _sampled_prices(program, given, deadline)
        return dense_start(program, prices, deadline)
    except Stopped:
        raise
    except OutOfTime:
        raise Stopped(prices) from None


def unless_too_large(prices: Reals | None, data: Data) -> Reals | None:
    """The prices (k,); None if they are so large that adding them rounds the scores away."""
    too_large = prices is not None and np.abs(prices).max() > LARGEST_PRICE_RATIO * largest_score(data)
    return None if too_large else prices


def dense_start(program: Program, prices: Reals, deadline: float = np.inf) -> Start:
    """Every point in the cluster of its largest reduced score, and some candidates of neighbours, or all."""
    n, k = program.shape
    data, labels = program.data, np.empty(n, dtype=np.int64)
    if _has_dense_costs(program):
        assign(data, prices, labels, np.empty(n))
        return _start(program, prices, labels, None)
    wanted = min(CANDIDATES_PER_ROOT * float(np.sqrt(n / k)) + 8.0, max(0.25 * n / k, 2.0))
    per_point = min(wanted * k * k / n, program.options.most_per_point) if clock() < deadline else 0.0
    cutoff = common_cutoff(data, prices, per_point) if per_point else np.full(k, -np.inf)
    found = collect_candidates(data, prices, cutoff, labels, per_point * n, deadline=deadline)
    return _start(program, prices, labels, Candidates(*found, cutoff, wanted))


def _listed_start(program: Program, prices: Reals, lists: Lists) -> Start:
    """Every point in the best cluster of its list, with candidates from the lists, or all members."""
    n, k = program.shape
    expected = min(CANDIDATES_PER_CLUSTER * k / n, program.options.most_per_point)
    labels, found = listed_candidates(program.data, prices, lists, expected)
    return _start(program, prices, labels, None if _has_dense_costs(program) else found, lists)


def _has_dense_costs(program: Program) -> bool:
    """Whether moving a point costs less where all members of a cluster are candidates (`dense_costs`)."""
    n, k = program.shape
    scores = 2 * HEAP_BYTES if n <= TILE * k else HEAP_BYTES // 4  # bytes: heaps of few large clusters take fewer
    return n <= program.options.members * k and 32 * k * k <= HEAP_BYTES and 8 * n * k <= scores


def _start(
    program: Program,
    prices: Reals,
    labels: Integers,
    found: Candidates | None,
    lists: Lists | None = None,
) -> Start:
    """The points in these clusters, with those of the candidates that have a weight."""
    if program.weights is not None and found is not None:
        positive = program.weights[found.points] > 0
        found = replace(found, **{name: getattr(found, name)[positive] for name in ("points", "pairs", "keys")})
    nodes = _nodes_of(program, prices, labels)
    return Start(nodes, whole_points(labels, program.weights), found, lists)


def _nodes_of(program: Program, prices: Reals, labels: Integers) -> Nodes:
    """What is left to move if the points are in these clusters."""
    sizes = np.bincount(labels, program.weights, minlength=prices.size).astype(np.float64)
    return nodes_at(prices, sizes, program.lower, program.upper)


def _sampled_prices(program: Program, given: Reals | None, deadline: float) -> Reals:
    """Optimal prices (k,) of a sample; where the problem is too small for one, the given prices or zeros. Given ones
    are kept where they leave no more to move than these: prices of sites that have moved far can leave nearly all
    points to move."""
    n, k = program.shape
    m, zeros = sample_size(program), np.zeros(k)
    if (program.weights is not None and not program.weights.any()) or not (m or given is not None):
        return zeros
    some = _sample(program, m or min(n, program.options.smallest_sample))
    if given is not None:
        nodes = left_at(some, given)
        if not exceeds_share(nodes, SAMPLE_NOISE * np.sqrt(k / some.shape[0])):
            return given
        if not m:
            return given if total_excess(nodes) < total_excess(left_at(some, zeros)) else zeros
    return solve_flow(some, given, deadline).prices


def worthwhile_sample(program: Program, nodes: Nodes) -> Program | None:
    """A sample whose optimal prices would leave less than half of what these nodes leave to move; None without one."""
    k, m = program.lower.size, sample_size(program)
    return _sample(program, m) if m and exceeds_share(nodes, 2.0 * SAMPLE_NOISE * np.sqrt(k / m)) else None


def _listed_prices(program: Program, given: Reals | None, deadline: float) -> tuple[Reals, Lists] | None:
    """Prices (k,) from the entropic dual over candidate lists, and these; None where its steps do not converge."""
    n, k = program.shape
    eps, sizes = np.inf, [n]
    if given is not None:
        lists = nearest_clusters(program.data, given, min(k, LISTED), deadline)
        best = (lists.values - given[lists.clusters]).argmax(axis=1)
        nodes = _nodes_of(program, given, lists.clusters[np.arange(n), best])
        if not exceeds_share(nodes, k / n):
            return given, lists
        if not exceeds_share(nodes, WARM_SHARE):
            found = resumed_entropic_prices(program, given, lists, deadline)
            return None if found is None else (found[0], found[2])
    while sizes[-1] >= SAMPLE_RATIO * program.options.sample_per_cluster * k:
        sizes.append(sizes[-1] // SAMPLE_RATIO)
    prices = np.zeros(k)
    for m in reversed(sizes):
        some = program if m == n else _sample(program, m)
        lists = nearest_clusters(some.data, prices, min(k, LISTED), deadline)
        found = entropic_prices(some, prices, eps, lists, m == sizes[-1], deadline)
        if found is None:
            return None
        prices, eps, lists = found
    return prices, lists


def _sample(program: Program, m: int) -> Program:
    """The program of m of its points, with bounds scaled to them."""
    n = program.shape[0]
    index, draws = draw_sample(n, m, program.weights)
    total = float(n if program.weights is None else program.weights.sum())
    lower, upper = scaled_bounds(program.lower, program.upper, m, total)
    if draws is None:
        lower, upper = np.floor(lower), np.ceil(upper)
    return Program(subset(program.data, index), lower, upper, draws, program.options)


def left_at(program: Program, prices: Reals) -> Nodes:
    """What is left to move at some prices."""
    n = program.shape[0]
    labels = np.empty(n, dtype=np.int64)
    assign(program.data, prices, labels, np.empty(n))
    return _nodes_of(program, prices, labels)


def draw_sample(n: int, m: int, weights: Reals | None) -> tuple[NDArray[np.int64], Reals | None]:
    """Draw m of n points, one from each of m equal parts of the total weight; returns the points, and where weights are
    given how often each was drawn: about in proportion to its weight, so that the sizes of a sample err by sqrt(k / m)
    of the whole for any distribution of the weights."""
    rng = np.random.default_rng(n)
    if weights is None:
        return np.arange(m) * (n // m) + rng.integers(n // m, size=m), None
    upto = np.cumsum(weights)
    drawn = np.searchsorted(upto, (np.arange(m) + rng.random(m)) * (upto[-1] / m), side="right")
    last = np.flatnonzero(weights)[-1]  # rounding may put a draw behind the end of all weight
    index, draws = np.unique(np.minimum(drawn, last), return_counts=True)
    return index, draws.astype(np.float64)


def sample_size(program: Program) -> int:
    """Points of the sample that prices come from; 0 where that is too few to be worth it."""
    (n, k), options = program.shape, program.options
    m = n // SAMPLE_RATIO
    return m if m >= max(options.smallest_sample, options.sample_per_cluster * k) else 0
