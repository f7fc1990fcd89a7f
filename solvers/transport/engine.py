"""The exact engine: starting prices, then the flow on the contracted graph, then prices of the final assignment.

At given prices every point goes to the cluster of its largest reduced score, in one pass over the points
(`first_prices`). Where cluster sizes then break the bounds, the flow moves points along cheapest paths until they
fit (`shortest_paths`). With weights, points that weigh less than the rounding error of the total weight are left out of
the flow.

With a deadline the clock is read between parts of every pass, between Newton steps, and after a bounded
number of searches inside the flow. Without one, nothing depends on the clock.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Integers, Reals
from ...base.deadline import clock
from ...base.threads import share
from .flow.dense_costs import dense_arcs
from .flow.fill import fill_row
from .flow.heaps import Heaps, heaps_of, with_more_arcs
from .flow.nodes import Nodes, normalised_prices, smallest_amount
from .flow.pieces import Pieces, movable, whole_points
from .flow.shortest_paths import DONE, EXHAUSTED, PAUSED, successive_shortest_paths, workspace
from .passes.candidate_lists import Lists, evaluate_listed, moved_to
from .passes.candidates import Candidates
from .passes.rows import SERIAL_WORK, Data, evaluate, sort_by_cluster
from .prices.first_prices import Program, Stopped, first_assignment, largest_score

SINKS_PER_SEARCH = 8  # Deficits that a search reaches before points are moved: fewer repeat it, more go far.
ENTRIES_PER_LOOK = 1 << 27  # Costs read between two looks at the clock: about half a second.


@dataclass(frozen=True, eq=False)
class Flow:
    """The end of a solve: pieces with their clusters, and prices (k,) with the price of the slack node at zero."""

    pieces: Pieces
    nodes: Nodes
    prices: NDArray[np.float64]
    outcome: int
    searches: int
    augmentations: int
    lists: Lists | None = None  # where there are many clusters: of all points, with bounds that hold at the prices


def solve_flow(
    data: Data,
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    prices: NDArray[np.float64] | None = None,
    deadline: float = np.inf,
) -> Flow:
    """Solve the assignment program.

    Parameters
    ----------
    data : Data
        Scores, from `rows.kernel_data`.
    lower, upper : (k,) ndarray
        Bounds; a feasible assignment exists.
    weights : (n,) ndarray or None
        Point weights, ones when None.
    prices : (k,) ndarray, optional
        Prices to start from; from a sample when None, or when so large that adding them rounds the scores away.
    deadline : float
        Value of `base.deadline.clock` at which to stop.

    Returns
    -------
    Flow
        ``outcome`` is PAUSED when the deadline came first, BLOCKED_BY_ROUNDING when the bounds can be met up to
        rounding only, else DONE.
    """
    tolerance = smallest_amount(weights)
    if weights is not None:
        weights = np.where(weights > tolerance, weights, 0.0)  # lighter points may be anywhere
    program = Program(data, lower, upper, weights)
    try:
        start = first_assignment(program, prices, deadline, prices_of)
    except Stopped as stopped:
        return _stopped_flow(stopped.prices, lower, upper, len(data[0]))
    counters = np.zeros(2, dtype=np.int64)
    outcome, pieces = DONE, start.pieces
    nodes = start.nodes
    before = nodes.prices[:-1] - nodes.prices[-1]
    if (nodes.excess > tolerance).any():
        pieces = movable(pieces, lower.size, weights is not None)
        noise = 0.0 if weights is None else _score_rounding(data)
        outcome, pieces = _move_all(data, pieces, nodes, start.candidates, tolerance, noise, counters, deadline)
    clean = normalised_prices(nodes.prices[:-1] - nodes.prices[-1], nodes, tolerance)
    lists = None if start.lists is None else moved_to(start.lists, before, clean)
    return Flow(pieces, nodes, clean, outcome, int(counters[0]), int(counters[1]), lists)


def evaluate_flow(data: Data, flow: Flow, labels: Integers, best: Reals, own: Reals) -> None:
    """`rows.evaluate` at the end of a flow on the same points, from what it knows of them."""
    if flow.lists is not None:
        evaluate_listed(data, flow.prices, labels, flow.lists, best, own)
    else:
        evaluate(data, flow.prices, labels, best, own)


def prices_of(program: Program, prices: NDArray[np.float64] | None, deadline: float) -> NDArray[np.float64]:
    """Prices (k,) of a sample of the points."""
    return solve_flow(*program, prices, deadline).prices


def _stopped_flow(prices: NDArray[np.float64], lower: NDArray[np.float64], upper: NDArray[np.float64], n: int) -> Flow:
    """A flow that the deadline stopped before all points were assigned: only its prices mean something."""
    pieces = whole_points(np.zeros(n, dtype=np.int64), None)
    nodes = Nodes(np.append(prices, 0.0), np.zeros(prices.size + 1), lower, lower, upper)
    return Flow(pieces, nodes, prices, PAUSED, 0, 0)


def _score_rounding(data: Data) -> float:
    """What rounding may do to a difference of scores; positive."""
    return 4.0 * float(np.finfo(np.float64).eps) * largest_score(data) + float(np.finfo(np.float64).tiny)


def _move_all(
    data: Data,
    pieces: Pieces,
    nodes: Nodes,
    found: Candidates | None,
    tolerance: float,
    noise: float,
    counters: NDArray[np.int64],
    deadline: float,
) -> tuple[int, Pieces]:
    """Run the flow to its end, with more room for candidates where it runs short; all members are some where None."""
    k = nodes.required_size.size
    prices = nodes.prices[:-1].copy()
    pieces, heaps = dense_arcs(data, pieces, prices) if found is None else (pieces, heaps_of(prices, found))
    budget = max(ENTRIES_PER_LOOK // (k + 100), 8 * k) if deadline < np.inf else 1 << 62  # a search ends, whatever k is
    room = workspace(k)
    while True:
        if heaps.row_exhausted.any():
            pieces, heaps = _refilled(data, pieces, heaps)
        if clock() > deadline:
            return PAUSED, pieces
        outcome = successive_shortest_paths(
            data, pieces, heaps, nodes, tolerance, noise, SINKS_PER_SEARCH, budget, counters, room
        )
        if outcome not in (PAUSED, EXHAUSTED):
            return outcome, pieces


def _refilled(data: Data, pieces: Pieces, heaps: Heaps) -> tuple[Pieces, Heaps]:
    """Heaps with more candidates, and room for more arcs, where they ran short; points are then sorted by cluster."""
    if pieces.starts.size == 0:
        order, starts = sort_by_cluster(pieces.labels, pieces.amounts, heaps.fill_prices.size)
        pieces = pieces._replace(order=order, starts=starts)
        heaps.wanted[:] = -np.inf  # the next search says how far bounds are to be raised
    for i in np.flatnonzero(heaps.wanted > -np.inf):
        heaps = with_more_arcs(heaps, int(i))
    _fill(data, pieces, heaps)
    return pieces, heaps


def _fill(data: Data, pieces: Pieces, heaps: Heaps) -> None:
    """Fill the exhausted heaps, on several threads where that pays."""
    exhausted = np.flatnonzero(heaps.row_exhausted)
    work = float(np.diff(pieces.starts)[exhausted].sum()) * heaps.row_exhausted.size * max(data[1].shape[0], 1)

    def fill(first: int, last: int) -> None:
        for i in exhausted[first:last]:
            fill_row(data, pieces, heaps, int(i))

    fill(0, exhausted.size) if work < SERIAL_WORK else share(fill, exhausted.size)
