"""Whole clusters of local optima and of Lagrange's minima, and the best choice among them.

References
----------
Rosing and ReVelle (1997), Heuristic concentration: two stage solution construction, European Journal of Operational
Research 97; Lorena and Senne (2004), A column generation approach to capacitated p-median problems, Computers and
Operations Research 31.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...base.status import Status
from ...models.programs.medoid_location import MedoidLocationMIP
from ...models.programs.program import TOLERANCES, Program
from ..linear_program import solve_linear

PER_POINT = 6  # clusters a point that are kept, and pairs a point of a part


class ClusterPool:
    """Clusters of a program, each with its site."""

    def __init__(self, model: MedoidLocationMIP) -> None:
        self.model = model
        self.kept: dict[tuple[int, bytes], NDArray[np.int64]] = {}

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

    def trim(self, eta: NDArray[np.float64]) -> None:
        """Keep the clusters of least reduced cost at multipliers (n,)."""
        keys = list(self.kept)
        if len(keys) > PER_POINT * self.model.n_points:
            sites, costs, rows, at = self._arrays([(key[0], self.kept[key]) for key in keys])
            reduced = costs - np.bincount(at, eta[rows], sites.size)
            best = np.argsort(reduced, kind="stable")[: PER_POINT * self.model.n_points]
            self.kept = {keys[c]: self.kept[keys[c]] for c in best.tolist()}

    def choose(
        self, served: NDArray[np.int64], part: NDArray[np.int64], options: dict[str, Any], deadline: Deadline
    ) -> tuple[NDArray[np.int64], bool]:
        """The best choice among clusters for the points of some open sites (p,), in place of what a clustering (n,) has
        there; and whether HiGHS ended."""
        import scipy.sparse as sp

        model, points, opened = self.model, np.isin(served, part), np.unique(served)
        known = [(int(site), np.flatnonzero(served == site)) for site in part]
        free = np.ones(model.n_sites, dtype=bool)
        free[np.setdiff1d(opened, part)] = False
        kept = [(site, some) for (site, _), some in self.kept.items() if free[site] and points[some].all()]
        sites, costs, rows, at = self._arrays(known + kept)
        c, used = sites.size, np.unique(sites, return_inverse=True)[1]
        ones, numbers, elsewhere = np.ones(c), np.arange(c), opened.size - part.size
        once = sp.csr_array((np.ones(rows.size), ((np.cumsum(points) - 1)[rows], at)), shape=(int(points.sum()), c))
        parts = [(once, 1.0, 1.0), (sp.csr_array(ones[None, :]), model.least - elsewhere, model.most - elsewhere)]
        if model.own is None:  # otherwise a site is in its cluster, and so in one cluster
            parts.append((sp.csr_array((ones, (used, numbers)), shape=(used.max() + 1, c)), 0.0, 1.0))
        low, up = (np.concatenate([np.full(block[0].shape[0], float(block[t])) for block in parts]) for t in (1, 2))
        matrix = sp.csc_array(sp.vstack([block[0] for block in parts]))
        program = Program(costs, matrix, low, up, np.zeros(c), ones, ones > 0, name="clusters")
        start = (numbers < part.size).astype(np.float64)
        answer = solve_linear(program, TOLERANCES | options, deadline, start=start)
        found = served.copy()
        if answer.columns is not None:
            chosen = (answer.columns > 0.5)[at]
            found[rows[chosen]] = sites[at[chosen]]
        return found, answer.outcome is Status.OPTIMAL
