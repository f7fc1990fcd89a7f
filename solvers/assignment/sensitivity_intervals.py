"""All optimal prices of an assignment at once: the smallest and the largest value that each of them can have.

Prices nu are optimal when they obey the sign convention and leave no pair better than those that the assignment uses,

    (1)  net_ij(nu) >= net_lj(nu)      for every point j, every cluster i that holds a share of it, and every cluster l
    (2)  nu_q >= 0 at the upper bound of row q, nu_q <= 0 at its lower one, free at both, zero between them

so each end of an interval is a linear program with as many variables as there are bounds. Of its many rows (1) those of
points near a boundary are written first, and others when they are broken.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...base.checks import instance_of
from ...base.errors import NotOptimalError
from ...models.polytope.magnitudes import powers_of_two
from ...models.polytope.shares import Shares
from ...models.programs.program import TOLERANCE, Program
from ..boxstep.problem import OpenProblem
from ..linear_program import small_simplex
from ..solution import AssignmentSolution

FIRST = 50  # Rows (1) per variable in the first program.
FAR = 1e5  # Prices beyond this many times the largest score or price count as unbounded.

Interval = tuple[NDArray[np.float64], NDArray[np.float64]]


def price_intervals(solution: AssignmentSolution) -> dict[str, Interval]:
    """Smallest and largest optimal prices of all rows, (q,) and (q,) by name; infinite where nothing limits them. Exact
    up to HiGHS's tolerance: two linear programs a bound, and a pass over all pairs after each."""
    instance_of(solution, "solution", AssignmentSolution)
    if not solution.verify().verified:
        raise NotOptimalError("the solution is not certified optimal: solve it again before asking for prices")
    face = _Face(solution)
    lowest, highest = (np.array([face.end(q, sign) for q in range(face.prices.size)]) for sign in (-1.0, 1.0))
    low, high = face.problem.named(lowest), face.problem.named(highest)
    return {name: (low[name], high[name]) for name in low}


class _Face:
    """The optimal prices as a polyhedron of what they differ from those at hand, in units of ``scale``."""

    def __init__(self, solution: AssignmentSolution) -> None:
        import scipy.sparse as sp

        self.problem, self.polytope = OpenProblem.of(solution.model), solution.model.polytope
        self.prices = self.problem.flat(solution.named_prices)
        shares = Shares.of(solution.require_labels(), solution.splits, self.problem.shape[1])
        whole = np.setdiff1d(np.arange(shares.labels.size), shares.points)
        self.points = np.concatenate([whole, shares.points])
        self.own = np.concatenate([shares.labels[whole], shares.clusters])
        order = np.argsort(self.points, kind="stable")
        self.points, self.own = self.points[order], self.own[order]
        size = float(np.abs(self.prices).max(initial=0.0))
        self.margins = self._margins(self.prices)
        finite = self.margins[np.isfinite(self.margins)]
        self.scale = float(powers_of_two(max(size, float(finite.max(initial=0.0)))))
        q, none = self.prices.size, np.empty(0)
        program = Program(np.zeros(q), sp.csc_array((0, q)), none, none, *self._signs(shares))
        tolerances = dict.fromkeys(("primal_feasibility_tolerance", "dual_feasibility_tolerance"), TOLERANCE)
        self.highs = small_simplex(program, **tolerances)
        nearest = np.argsort(self.margins, axis=None, kind="stable")[: FIRST * q]
        self.written = np.zeros(self.margins.shape, dtype=bool)
        self._write(nearest[np.isfinite(self.margins.ravel()[nearest])])

    def _margins(self, prices: NDArray[np.float64]) -> NDArray[np.float64]:
        """Margins (p, k) of every pair (1) over all clusters; infinite over itself and what is not allowed."""
        found, block = np.empty((self.points.size, self.problem.shape[1])), self.problem.at(prices)
        for start, stop in self.problem.blocks():
            a, b = np.searchsorted(self.points, [start, stop])
            net = block(start, stop)[self.points[a:b] - start]
            found[a:b] = net[np.arange(b - a), self.own[a:b]][:, None] - net
            found[np.arange(a, b), self.own[a:b]] = np.inf
        return found

    def _signs(self, shares: Shares) -> Interval:
        """Bounds of the differences of the prices by (2)."""
        problem, k = self.problem, self.problem.shape[1]
        whole = np.unique(shares.points)
        value = problem.activity(shares.labels)
        value -= problem.columns(whole, shares.labels[whole]).sum(axis=1)
        value += problem.columns(shares.points, shares.clusters) @ shares.share
        room = TOLERANCE * np.maximum(problem.extent, 1e-300)
        box = FAR * self.scale * k
        upper = problem.upper.copy()  # sizes are cut off at the weight of all points, where no bound may stand
        upper[:k][self.polytope.upper > self.polytope.total + self.polytope.slack] = np.inf
        high = np.where(np.abs(value - upper) <= room, box, 0.0) - self.prices
        low = np.where(np.abs(value - problem.lower) <= room, -box, 0.0) - self.prices
        self.box = box
        return np.minimum(low, 0.0) / self.scale, np.maximum(high, 0.0) / self.scale

    def _write(self, pairs: NDArray[np.int64]) -> None:
        """Take rows (1) in, by their places in the margins."""
        import scipy.sparse as sp

        places, others = np.divmod(pairs, self.margins.shape[1])
        points = self.points[places]
        difference = self.problem.columns(points, self.own[places]) - self.problem.columns(points, others)
        rows = sp.csr_array(difference.T)
        rows.eliminate_zeros()
        limit = np.maximum(self.margins.ravel()[pairs], 0.0) / self.scale
        starts, columns = rows.indptr[:-1].astype(np.int32), rows.indices.astype(np.int32)
        self.highs.addRows(
            pairs.size, np.full(pairs.size, -np.inf), limit, rows.nnz, starts, columns, rows.data.astype(np.float64)
        )
        self.written.ravel()[pairs] = True

    def end(self, q: int, sign: float) -> float:
        """The largest price of row q, or with the sign -1 the smallest."""
        import highspy

        size = self.prices.size
        cost = np.zeros(size)
        cost[q] = -sign
        self.highs.changeColsCost(size, np.arange(size, dtype=np.int32), cost)
        while True:
            self.highs.run()
            if self.highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:  # too hard from the basis before
                self.highs.clearSolver()
                self.highs.setOptionValue("presolve", "on")
                self.highs.run()
                self.highs.setOptionValue("presolve", "off")
            if self.highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
                raise NotOptimalError(f"HiGHS found no end of the interval of a price: {self.highs.getModelStatus()}")
            change = self.scale * np.array(self.highs.getSolution().col_value)
            margins = np.where(self.written, np.inf, self._margins(self.prices + change))
            broken = np.flatnonzero(margins < -1e-8 * self.scale)
            if not broken.size:
                break
            worst = broken[np.argsort(margins.ravel()[broken], kind="stable")]
            self._write(worst[: FIRST * size])
        price = float(self.prices[q] + change[q])
        if abs(price) > 0.5 * self.box:
            return float(np.copysign(np.inf, price))
        return price if abs(price) > TOLERANCE * self.scale else 0.0
