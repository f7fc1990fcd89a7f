"""From points that are assigned at some prices to an optimal assignment, and the prices of this.

Where cluster sizes break the bounds, the flow moves points along cheapest paths until they fit (`shortest_paths`). With
a deadline the clock is read after a bounded number of searches. Without one, nothing depends on the clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....base.arrays import Integers, Reals
from ....base.deadline import clock
from ....base.threads import share
from ..passes.candidate_lists import Lists, evaluate_listed, moved_to
from ..passes.candidates import Candidates
from ..passes.rows import SERIAL_WORK, Data, evaluate, largest_score, sort_by_cluster
from ..program import Program
from .dense_costs import DenseCosts, dense_arcs
from .fill import fill_row
from .heaps import Heaps, heaps_of, with_more_arcs
from .nodes import Nodes, normalised_prices, smallest_amount
from .pieces import Pieces, movable, whole_points
from .shortest_paths import DONE, EXHAUSTED, PAUSED, Limits, successive_shortest_paths, workspace

SINKS_PER_SEARCH = 8  # Deficits that a search reaches before points are moved: fewer repeat it, more go far.
ENTRIES_PER_LOOK = 1 << 27  # Costs read between two looks at the clock: about half a second.


class Start(NamedTuple):
    """All points assigned at some prices, with the candidates that the flow begins with, or None where all are; for
    many clusters ``lists`` of all points, with bounds that hold at the prices."""

    nodes: Nodes
    pieces: Pieces
    candidates: Candidates | None
    lists: Lists | None = None


@dataclass(frozen=True, eq=False)
class Flow:
    """The end of a solve: pieces with their clusters, and prices (k,) with the price of the slack node at zero."""

    pieces: Pieces
    nodes: Nodes
    prices: NDArray[np.float64]
    outcome: int
    searches: int
    augmentations: int
    lists: Lists | None = None  # Lists of all points where clusters are many; the bounds hold at the prices.


def optimal_flow(program: Program, start: Start, deadline: float = np.inf) -> Flow:
    """The optimal assignment of a program from points that are assigned; PAUSED when the deadline comes first."""
    nodes, pieces, weights = start.nodes, start.pieces, program.weights
    tolerance, before = smallest_amount(weights), nodes.prices[:-1] - nodes.prices[-1]
    counters, outcome = np.zeros(2, dtype=np.int64), DONE
    if (nodes.excess > tolerance).any():
        pieces = movable(pieces, program.lower.size, weights is not None)
        noise = 0.0 if weights is None else _score_rounding(program.data)
        outcome, pieces = _move_all(program.data, pieces, nodes, start.candidates, tolerance, noise, counters, deadline)
    clean = normalised_prices(nodes.prices[:-1] - nodes.prices[-1], nodes, tolerance)
    lists = None if start.lists is None else moved_to(start.lists, before, clean)
    return Flow(pieces, nodes, clean, outcome, int(counters[0]), int(counters[1]), lists)


def evaluate_flow(data: Data, flow: Flow, labels: Integers, best: Reals, own: Reals) -> None:
    """`rows.evaluate` at the end of a flow on the same points, from what it knows of them."""
    if flow.lists is not None:
        evaluate_listed(data, flow.prices, labels, flow.lists, best, own)
    else:
        evaluate(data, flow.prices, labels, best, own)


def stopped_flow(program: Program, prices: Reals) -> Flow:
    """A flow that the deadline stopped before all points were assigned: only its prices mean something."""
    lower, (n, k) = program.lower, program.shape
    nodes = Nodes(np.append(prices, 0.0), np.zeros(k + 1), lower, lower, program.upper)
    return Flow(whole_points(np.zeros(n, dtype=np.int64), None), nodes, prices, PAUSED, 0, 0)


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
    arcs: Heaps | DenseCosts
    pieces, arcs = dense_arcs(data, pieces, k) if found is None else (pieces, heaps_of(prices, found))
    budget = max(ENTRIES_PER_LOOK // (k + 100), 8 * k) if deadline < np.inf else 1 << 62  # a search ends, whatever k is
    room = workspace(k)
    limits = Limits(tolerance, noise, SINKS_PER_SEARCH, budget)
    while True:
        if isinstance(arcs, Heaps) and arcs.row_exhausted.any():
            pieces, arcs = _refilled(data, pieces, arcs)
        if clock() > deadline:
            return PAUSED, pieces
        outcome = successive_shortest_paths(data, pieces, arcs, nodes, limits, counters, room)
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
