"""Whole clusters of local optima and of Lagrange's minima, and the best choice among them.

References
----------
Rosing and ReVelle (1997), Heuristic concentration: two stage solution construction, European Journal of Operational
Research 97; Lorena and Senne (2004), A column generation approach to capacitated p-median problems, Computers and
Operations Research 31.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...base.status import Status
from ...models.programs.medoid_location import MedoidLocationMIP
from ...models.programs.program import TOLERANCES, Program
from ..linear_program import solve_linear

PER_POINT = 6  # Clusters kept per point, and pairs per point of a part.


class ClusterPool:
    """Clusters of a program, each with its site."""

    def __init__(self, model: MedoidLocationMIP) -> None:
        self.model = model
        self.kept: dict[tuple[int, bytes], NDArray[np.int64]] = {}
        self.size: float = 2 * model.n_points  # clusters among which is chosen

    def add(self, site: int, members: NDArray[np.int64]) -> None:
        """Keep a cluster (r,) at a site."""
        self.kept[site, members.tobytes()] = members

    def add_all(self, points: NDArray[np.int64], served: NDArray[np.int64]) -> None:
        """Keep the clusters of some points (r,) by their sites (r,)."""
        order = np.argsort(served, kind="stable")
        for some in np.split(order, np.flatnonzero(np.diff(served[order])) + 1):
            self.add(int(served[some[0]]), points[some])

    def _arrays(self, clusters: list[tuple[int, NDArray[np.int64]]]) -> tuple[NDArray, NDArray, NDArray, NDArray]:
        """Sites (c,) and costs (c,) of clusters, and every member (r,) with the number of its cluster (r,)."""
        sites = np.array([site for site, _ in clusters], dtype=np.int64)
        at = np.repeat(np.arange(sites.size), [members.size for _, members in clusters])
        rows = np.concatenate([members for _, members in clusters])
        costs = np.bincount(at, self.model.costs[rows, sites[at]], sites.size) + self.model.opening[sites]
        return sites, costs, rows, at

    def choose(
        self, served: NDArray[np.int64], eta: NDArray[np.float64], deadline: Deadline, nodes: int
    ) -> NDArray[np.int64]:
        """The best choice among clusters, those of a clustering (n,) and as many of least reduced cost at multipliers
        (n,) as HiGHS is likely to end with; at most this many nodes without a time limit."""
        import scipy.sparse as sp

        model, keys = self.model, list(self.kept)
        sites, costs, rows, at = self._arrays([(key[0], self.kept[key]) for key in keys])
        reduced = costs - np.bincount(at, eta[rows], sites.size)
        best = np.argsort(reduced, kind="stable")
        self.kept = {keys[c]: self.kept[keys[c]] for c in best[: PER_POINT * model.n_points].tolist()}
        known = [(int(site), np.flatnonzero(served == site)) for site in np.unique(served)]
        sites, costs, rows, at = self._arrays(
            known + [(key[0], self.kept[key]) for key in list(self.kept)[: int(self.size)]]
        )
        c, used = sites.size, np.unique(sites, return_inverse=True)[1]
        ones, numbers = np.ones(c), np.arange(c)
        once = sp.csr_array((np.ones(rows.size), (rows, at)), shape=(model.n_points, c))
        parts = [(once, 1.0, 1.0), (sp.csr_array(ones[None, :]), model.least, model.most)]
        if model.own is None:  # otherwise a site is in its cluster, and so in one cluster
            parts.append((sp.csr_array((ones, (used, numbers)), shape=(used.max() + 1, c)), 0.0, 1.0))
        low, up = (np.concatenate([np.full(block[0].shape[0], float(block[t])) for block in parts]) for t in (1, 2))
        matrix = sp.csc_array(sp.vstack([block[0] for block in parts]))
        program = Program(costs, matrix, low, up, np.zeros(c), ones, ones > 0, name="clusters")
        options = {"mip_rel_gap": 1e-4} | ({"mip_max_nodes": nodes} if deadline.left is None else {})
        answer = solve_linear(program, TOLERANCES | options, deadline, (numbers < len(known)).astype(np.float64))
        # the next choice is among fewer or more clusters
        self.size *= 1.5 if answer.outcome is Status.OPTIMAL else 0.5
        self.size = min(max(self.size, model.n_points), PER_POINT * model.n_points)
        found = served.copy()
        if answer.columns is not None:
            chosen = (answer.columns > 0.5)[at]
            found[rows[chosen]] = sites[at[chosen]]
        return found
