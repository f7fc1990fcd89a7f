"""networkx: minimum-cost flow on the transport network with lower bounds, by the network simplex method."""

from __future__ import annotations

from time import perf_counter
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...base.status import Status
from ...models.formats.modelling import networkx_graph
from ...models.programs.assignment import AssignmentModel
from ..backend import Backend, Capabilities
from ..solution import AssignmentSolution
from .explicit import ScaledProgram, exchange_prices, package_version

GRID = 2.0**50  # Scaled costs, at most 1, are rounded to multiples of 1 / GRID: networkx is exact on integers.


class NetworkxBackend(Backend):
    """networkx's network simplex.

    Notes
    -----
    The method may cycle or stop early with floating-point costs, so costs are rounded to integers first. Python's
    integers do not overflow, so rounding is all that is lost: at most n / 2^50 of the largest difference of one
    point's scores, about 1e-15 a point, less than the rounding of the scores themselves. Hence exact to 1e-9.
    Prices are shortest paths on the exchange graph of the clustering found. Pure Python: some 10^4 arcs a second,
    without time limit. Points of different weight would have to be rounded to whole units, which changes the
    polytope: they are refused.

    References
    ----------
    Kiraly and Kovacs (2012), Efficient implementations of minimum-cost flow algorithms, Acta Univ. Sapientiae 4.
    """

    name: ClassVar[str] = "networkx"
    capabilities: ClassVar[Capabilities] = Capabilities(weights=False, masks=True)

    def solve(
        self, model: AssignmentModel, *, warm_start: NDArray | None = None, time_limit: float | None = None
    ) -> AssignmentSolution:
        """Solve a feasible model; see `Backend.solve`."""
        import networkx as nx

        started = perf_counter()
        program = ScaledProgram.of(model)
        whole = np.rint(program.cost * GRID).astype(np.int64)
        graph = networkx_graph(whole, program.lower, program.upper, program.allowed)
        built = perf_counter()
        _, flow = nx.network_simplex(graph)
        labels = np.empty(len(whole), dtype=np.int64)
        for j in range(len(whole)):
            labels[j] = next(node[1] for node, units in flow["point", j].items() if units)
        prices = exchange_prices(model, labels, None)
        native = ("network_simplex returned", package_version("networkx"))
        return AssignmentSolution.of(
            model, labels, (), prices, Status.OPTIMAL, self.name, (started, built), native=native
        )
