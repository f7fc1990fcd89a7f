"""The restricted program: a few moves of points away from their clusters, solved by HiGHS's simplex method.

Every point j has a preferred cluster h(j), and moves to a few other clusters i. With prices nu, net scores net_ij =
w_j gamma_ij - charges, F_q what the preferred clusters contribute to row q, and a box of prices, c_q - d_q to
c_q + d_q,

    max  sum (net_ij - net_h(j)j) z_ij + sum_q nu_q s_q - sum_q (c_q + d_q - nu_q) e_q - sum_q (nu_q + d_q - c_q) f_q
    (1)  sum_i z_ij <= 1                                     for every point j with several moves
    (2)  sum (a_qij - a_qh(j)j) z_ij - s_q - e_q + f_q = -F_q    for every row q
    (3)  b_q <= s_q <= B_q,  0 <= z <= 1,  e_q, f_q >= 0

has duals y of (2) that correct the prices: nu + y are optimal for these moves among the prices in the box. Where no
e_q or f_q is left the rows hold, and nu + y are optimal without the box. A point with one move needs no row, so that
the program has few. Every point where its net score at nu is largest, s_q at the bound that nu_q points to and the
slacks of (2) make a basis that is dual feasible, from which the dual simplex needs a few pivots per row and boundary.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...base.errors import NotOptimalError
from ...models.programs.program import Program
from ..linear_program import run, small_simplex
from .problem import OpenProblem

BASIC, LOWER, UPPER = 1, 0, 2  # HiGHS's codes for the status of a column.
OPTIONS = {
    "simplex_strategy": 1,  # the dual method
    "small_matrix_value": 1e-12,  # the least that HiGHS takes
    "primal_feasibility_tolerance": 1e-10,
    "dual_feasibility_tolerance": 1e-10,
}


class OutOfTime(Exception):
    """The time limit came before the end."""


class Moves(NamedTuple):
    """Moves (p,) of points to clusters, and by how much the scores there are larger than in the preferred one."""

    points: NDArray[np.int64]
    clusters: NDArray[np.int64]
    gains: NDArray[np.float64]


class Answer(NamedTuple):
    """Shares (p,) of the moves, prices (q,), and by how much each row (q,) is broken."""

    shares: NDArray[np.float64]
    prices: NDArray[np.float64]
    broken: NDArray[np.float64]


@dataclass(eq=False)
class Master:
    """A restricted program that grows."""

    problem: OpenProblem  # The whole program.
    preferred: NDArray[np.int64]  # (n,): Cluster of every point that does not move.
    centre: NDArray[np.float64]  # (q,): Centre c of the box of prices.
    radius: NDArray[np.float64]  # (q,): Half width d of the box.
    iterations: int = 0
    moves: Moves = field(default_factory=lambda: Moves(*(np.empty(0, kind) for kind in (np.int64, np.int64, float))))
    columns: Any = None  # (q, p): Change of the rows (2) by each move.

    @classmethod
    def of(cls, problem: OpenProblem, preferred: NDArray[np.int64]) -> Master:
        """The program without moves, with prices of at most one."""
        return cls(problem, preferred, np.zeros(problem.lower.size), np.ones(problem.lower.size))

    @cached_property
    def preferred_activity(self) -> NDArray[np.float64]:
        """F (q,)."""
        return self.problem.activity(self.preferred)

    def add(self, moves: Moves, prices: NDArray[np.float64]) -> int:
        """Take moves in whose gains are those in net scores at these prices. Returns how many were new."""
        import scipy.sparse as sp

        k, (points, clusters, gains) = self.problem.shape[1], moves
        known = self.moves.points * k + self.moves.clusters
        new = np.flatnonzero(~np.isin(points * k + clusters, known) & (clusters != self.preferred[points]))
        points, clusters, gains = points[new], clusters[new], gains[new]
        columns = self.problem.columns(points, clusters) - self.problem.columns(points, self.preferred[points])
        more = points, clusters, gains + columns.T @ prices
        self.moves = Moves(*map(np.concatenate, zip(self.moves, more)))
        self.columns = columns if self.columns is None else sp.hstack([self.columns, columns], format="csc")
        return int(new.size)

    def reduced_profits(self, prices: NDArray[np.float64]) -> NDArray[np.float64]:
        """By how much the net scores (p,) of the moves are larger than those of the preferred clusters."""
        return self.moves.gains - self.columns.T @ prices

    def solve(self, prices: NDArray[np.float64], deadline: Deadline) -> Answer:
        """The optimum of the program; ``prices`` nu are near its prices, and in the box."""
        import highspy

        q, p = prices.size, self.moves.points.size
        crowded, program, scale = self._program(prices)
        highs = small_simplex(program, **OPTIONS)
        highs.setBasis(self._basis(crowded, prices))
        self._run(highs, deadline)
        if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:  # numbers too hard from this basis
            highs.clearSolver()
            highs.setOptionValue("presolve", "on")
            self._run(highs, deadline)
        status = highs.getModelStatus()
        if status != highspy.HighsModelStatus.kOptimal:
            raise NotOptimalError(f"the restricted program stopped early ({status.name}): use backend='highs'")
        solution = highs.getSolution()
        found, duals = np.array(solution.col_value), scale * np.array(solution.row_dual)[crowded.size :]
        broken = found[p + q : p + 2 * q] - found[p + 2 * q :]
        return Answer(np.clip(found[:p], 0.0, 1.0), self.problem.proper(prices + duals), broken)

    def _program(self, prices: NDArray[np.float64]) -> tuple[NDArray[np.int64], Program, float]:
        """Points with several moves, the program, and what its objective was divided by."""
        import scipy.sparse as sp

        problem, q, p = self.problem, prices.size, self.moves.points.size
        held, rows, counts = np.unique(self.moves.points, return_inverse=True, return_counts=True)
        several = np.flatnonzero(counts[rows] > 1)
        crowded = held[counts > 1]
        places = np.searchsorted(crowded, self.moves.points[several])
        once = sp.csc_array((np.ones(several.size), (places, several)), shape=(crowded.size, p + 3 * q))
        eye = sp.eye_array(q, format="csc")
        matrix = sp.vstack([once, sp.hstack([self.columns, -eye, -eye, eye])], format="csc")
        profits, away = self.reduced_profits(prices), prices - self.centre
        inside = np.abs(self.centre) <= self.radius  # else the price cannot be zero, and s is at its bound
        cost = [profits, np.where(inside, prices, 0.0), away - self.radius, -away - self.radius]
        scale = max(float(np.abs(profits).max(initial=0.0)), float(self.radius.min(initial=np.inf))) or 1.0
        low = np.where(inside | (self.centre < 0), problem.lower, problem.upper)
        up = np.where(inside | (self.centre > 0), problem.upper, problem.lower)
        program = Program(
            np.concatenate(cost) / scale,
            matrix,
            row_lower=np.concatenate([np.full(crowded.size, -np.inf), -self.preferred_activity]),
            row_upper=np.concatenate([np.ones(crowded.size), -self.preferred_activity]),
            lower=np.concatenate([np.zeros(p), low, np.zeros(2 * q)]),
            upper=np.concatenate([np.ones(p), up, np.full(2 * q, np.inf)]),
            maximise=True,
        )
        return crowded, program, scale

    def _run(self, highs: Any, deadline: Deadline) -> None:
        import highspy

        if not deadline.allows():
            raise OutOfTime
        if deadline.left is not None:
            highs.setOptionValue("time_limit", highs.getRunTime() + deadline.left)
        run(highs)
        self.iterations += max(int(highs.getInfo().simplex_iteration_count), 0)
        if highs.getModelStatus() == highspy.HighsModelStatus.kTimeLimit:
            raise OutOfTime

    def _basis(self, crowded: NDArray[np.int64], prices: NDArray[np.float64]) -> Any:
        """Every point where its net score at these prices is largest, s where the prices point to."""
        import highspy

        points, profits = self.moves.points, self.reduced_profits(prices)
        order = np.lexsort((-profits, points))
        best = order[np.flatnonzero(np.diff(points[order], prepend=-1))]
        best = best[profits[best] > 0]
        several = np.isin(points[best], crowded)
        z, above = np.full(points.size, LOWER), np.full(crowded.size, BASIC)
        z[best] = np.where(several, BASIC, UPPER)
        above[np.searchsorted(crowded, points[best[several]])] = UPPER
        s = np.where(prices > 0, UPPER, np.where(prices < 0, LOWER, BASIC))
        kinds = [highspy.HighsBasisStatus(code) for code in range(4)]
        basis = highspy.HighsBasis()
        rest = [LOWER] * (2 * prices.size)
        basis.col_status = [kinds[code] for code in (*z.tolist(), *s.tolist(), *rest)]
        slack = np.where(prices == 0, LOWER, BASIC)
        basis.row_status = [kinds[code] for code in (*above.tolist(), *slack.tolist())]
        basis.valid = True
        return basis
