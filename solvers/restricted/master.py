"""The restricted program: a few candidate clusters a point, all other points fixed, solved by HiGHS's simplex method.

At prices nu with net scores net_ij = w_j gamma_ij - charges, and F_q what the fixed points contribute to row q,

    max  sum net_ij xi_ij + sum_q nu_q s_q - penalty sum_q (e_q + f_q)
    (1)  sum_i xi_ij = 1                                   for every free point j, over its candidates i
    (2)  sum a_qij xi_ij - s_q - e_q + f_q = -F_q          for every row q
    (3)  b_q <= s_q <= B_q,  e_q, f_q >= 0

has the value of the original program for these pairs, and duals y that correct the prices: nu + y are those of the
restricted program. Free points on their best clusters, s_q at the bound that nu_q points to and the slacks of (2)
make a basis that is dual feasible, from which the dual simplex method needs little more than a pivot a row and wall.
When candidates are added the last basis stays primal feasible, and the primal method goes on from there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...base.errors import NotOptimalError
from .problem import OpenProblem

BASIC, LOWER, UPPER = 1, 0, 2  # HiGHS's numbers of a column's status
DUAL, PRIMAL = 1, 4  # HiGHS's numbers of the simplex methods
OPTIONS = {
    "output_flag": False,
    "presolve": "off",
    "solver": "simplex",
    "threads": 1,
    "small_matrix_value": 1e-12,  # the least that HiGHS takes
    "primal_feasibility_tolerance": 1e-10,
    "dual_feasibility_tolerance": 1e-10,
}


class OutOfTime(Exception):
    """The time limit came before the end."""


@dataclass(eq=False)
class Master:
    """A restricted program that grows.

    Attributes
    ----------
    problem : OpenProblem
        The whole program.
    labels : (n,) ndarray
        Cluster of every point; of free points one of their candidates.
    penalty : float
        Cost of a unit of e and f.
    points, clusters : (p,) ndarray
        Candidate pairs of the free points.
    status : (p,) ndarray
        Basis status of the pairs.
    """

    problem: OpenProblem
    labels: NDArray[np.int64]
    penalty: float
    points: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    clusters: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    status: NDArray[np.int8] = field(default_factory=lambda: np.empty(0, np.int8))
    row_status: NDArray[np.int8] | None = None  # of s, e, f and the slacks of (2), one after the other
    iterations: int = 0

    @property
    def free(self) -> NDArray[np.bool_]:
        """Whether a point is free (n,)."""
        found = np.zeros(self.labels.size, dtype=bool)
        found[self.points] = True
        return found

    def add(self, points: NDArray[np.int64], clusters: NDArray[np.int64]) -> int:
        """Take pairs in; a point that was fixed becomes free with its cluster. Returns how many were new."""
        k = self.problem.shape[1]
        known, before = self.points * k + self.clusters, self.free
        fresh = np.unique(points[~before[points]])
        wanted = np.union1d(points * k + clusters, fresh * k + self.labels[fresh])
        new = np.setdiff1d(wanted, known)
        keys = np.concatenate([known, new])
        own = np.zeros(new.size, dtype=np.int8)
        own[np.isin(new, fresh * k + self.labels[fresh])] = BASIC
        statuses = np.concatenate([self.status, own])
        order = np.argsort(keys, kind="stable")
        keys, self.status = keys[order], statuses[order]
        self.points, self.clusters = keys // k, keys % k
        return int(new.size)

    def solve(
        self, prices: NDArray[np.float64], deadline: Deadline
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Shares (p,) of the pairs, new prices (q,), and by how much each row (q,) is broken."""
        import highspy
        import scipy.sparse as sp

        problem = self.problem
        q, p = prices.size, self.points.size
        held, rows = np.unique(self.points, return_inverse=True)
        net = self._net(prices)
        net -= _largest(net, rows, held.size)[rows]
        columns = problem.columns(self.points, self.clusters)
        fixed = problem.activity(self.labels) - problem.columns(held, self.labels[held]).sum(axis=1)
        once = sp.csc_array((np.ones(p), (rows, np.arange(p))), shape=(held.size, p))
        eye = sp.eye_array(q, format="csc")
        matrix = sp.csc_array(
            sp.vstack([sp.hstack([once, sp.csc_array((held.size, 3 * q))]), sp.hstack([columns, -eye, -eye, eye])])
        )
        scale = max(float(-net.min(initial=0.0)), float(np.abs(prices).max(initial=0.0)) * 1e-6) or 1.0
        lp = highspy.HighsLp()
        lp.num_row_, lp.num_col_ = matrix.shape
        lp.sense_ = highspy.ObjSense.kMaximize
        lp.col_cost_ = np.concatenate([net, prices, np.full(2 * q, -self.penalty)]) / scale
        none = np.full(2 * q, np.inf)
        lp.col_lower_ = np.concatenate([np.zeros(p), problem.lower, np.zeros(2 * q)])
        lp.col_upper_ = np.concatenate([np.ones(p), problem.upper, none])
        sides = np.concatenate([np.ones(held.size), -fixed])
        lp.row_lower_ = lp.row_upper_ = sides
        lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        lp.a_matrix_.start_, lp.a_matrix_.index_ = matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32)
        lp.a_matrix_.value_ = matrix.data
        highs = highspy.Highs()
        first = self.row_status is None
        for option, value in OPTIONS.items():
            highs.setOptionValue(option, value)
        highs.setOptionValue("simplex_strategy", DUAL if first else PRIMAL)
        highs.passModel(lp)
        highs.setBasis(self._basis(net, rows, held.size, prices))
        self._run(highs, deadline)
        if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:  # numbers too hard from this basis
            highs.clearSolver()
            highs.setOptionValue("simplex_strategy", DUAL)
            highs.setOptionValue("presolve", "on")
            self._run(highs, deadline)
        status = highs.getModelStatus()
        if status != highspy.HighsModelStatus.kOptimal:
            raise NotOptimalError(f"the restricted program stopped early ({status.name}): use backend='highs'")
        solution, basis = highs.getSolution(), highs.getBasis()
        columns_found = np.array(solution.col_value)
        codes = np.array([int(code) for code in (*basis.col_status, *basis.row_status[held.size :])], dtype=np.int8)
        self.status, self.row_status = codes[:p], codes[p:]
        duals = scale * np.array(solution.row_dual)[held.size :]
        broken = columns_found[p + q : p + 2 * q] - columns_found[p + 2 * q :]
        shares = np.clip(columns_found[:p], 0.0, 1.0)
        best = np.lexsort((shares, rows))
        last = np.flatnonzero(np.diff(rows[best], append=-1))
        self.labels[held] = self.clusters[best[last]]
        return shares, problem.proper(prices + duals), broken

    def _run(self, highs: Any, deadline: Deadline) -> None:
        import highspy

        if not deadline.allows():
            raise OutOfTime
        if deadline.left is not None:
            highs.setOptionValue("time_limit", highs.getRunTime() + deadline.left)
        highs.run()
        self.iterations += max(int(highs.getInfo().simplex_iteration_count), 0)
        if highs.getModelStatus() == highspy.HighsModelStatus.kTimeLimit:
            raise OutOfTime

    def _net(self, prices: NDArray[np.float64]) -> NDArray[np.float64]:
        """Net scores (p,) of the pairs."""
        problem, net = self.problem, np.empty(self.points.size)
        block = problem.at(prices)
        for start, stop in problem.blocks():
            a, b = np.searchsorted(self.points, [start, stop])
            if a < b:
                net[a:b] = block(start, stop)[self.points[a:b] - start, self.clusters[a:b]]
        return net

    def _basis(
        self, net: NDArray[np.float64], rows: NDArray[np.int64], n_rows: int, prices: NDArray[np.float64]
    ) -> Any:
        import highspy

        kinds = [highspy.HighsBasisStatus(code) for code in range(4)]
        q = prices.size
        if self.row_status is None:
            status = np.zeros(net.size, dtype=np.int8)
            order = np.lexsort((-net, rows))
            first = np.flatnonzero(np.diff(rows[order], prepend=-1))
            status[order[first]] = BASIC
            s = np.where(prices > 0, UPPER, np.where(prices < 0, LOWER, BASIC)).astype(np.int8)
            slack = np.where(prices == 0, LOWER, BASIC).astype(np.int8)
            rest = np.concatenate([s, np.zeros(2 * q, np.int8), slack])
        else:
            status, rest = self.status, self.row_status
        basis = highspy.HighsBasis()
        basis.col_status = [kinds[code] for code in (*status.tolist(), *rest[: 3 * q].tolist())]
        basis.row_status = [kinds[LOWER]] * n_rows + [kinds[code] for code in rest[3 * q :].tolist()]
        basis.valid = True
        return basis


def _largest(values: NDArray[np.float64], groups: NDArray[np.int64], count: int) -> NDArray[np.float64]:
    found = np.full(count, -np.inf)
    np.maximum.at(found, groups, values)
    return found
