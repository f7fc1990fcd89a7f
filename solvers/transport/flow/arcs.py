"""What the flow asks of the arcs between clusters; both kinds answer, and Numba compiles the flow once for each.

Heaps        (`heaps`)        candidates on some arcs, in heaps that may be exhausted
DenseCosts   (`dense_costs`)  the exact costs of all arcs
"""

from __future__ import annotations

from ....base.jit import by_type, njit
from .dense_costs import DenseCosts, come, leave
from .dense_search import dense_paths
from .dijkstra import shortest_paths
from .heaps import Heaps, exhaust_arc, exhaust_row, insert_piece, remove_piece


@njit(cache=True, borrowing=True)
def never(dense, a, i):
    """Dense costs are exact, and there is an arc for every pair: nothing is exhausted."""


search = by_type(0, {Heaps: shortest_paths, DenseCosts: dense_paths})
put_in = by_type(2, {Heaps: insert_piece, DenseCosts: come})
take_out = by_type(2, {Heaps: remove_piece, DenseCosts: leave})
exhaust = by_type(0, {Heaps: exhaust_arc, DenseCosts: never})
want_more = by_type(0, {Heaps: exhaust_row, DenseCosts: never})
