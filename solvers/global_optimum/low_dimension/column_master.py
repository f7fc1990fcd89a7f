"""The restricted master program of `columns`: the best prices for the clusters that are known so far.

A column is a cluster S, with the value of every function of the grid and every fold summed over S; the prices eta of
the rows are kept in a box about the best ones so far (boxstep). Each round solves the program, evaluates the bound (1)
at its prices, which finds the cheapest clusters, and takes these in as columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....base.deadline import Deadline, clock
from ....models.objectives.interval import ROUNDOFF
from ....models.programs.program import Program
from ...linear_program import run, small_simplex
from .cells import NONE, Cells, Priced, Shape
from .pricing import column_at, search_centres

MOST = 200_000  # Centres that a search evaluates at most.
KEPT = 30  # Columns that a search of centres returns at most.
PATIENCE = 20  # Rounds within which the bound has to improve.


@dataclass(frozen=True, eq=False)
class Points:
    """Points P (n, d) with weights w (n,), and the bounds of the mass that every cluster keeps."""

    P: NDArray[np.float64]
    w: NDArray[np.float64]
    lower: float
    upper: float
    n_clusters: int
    unit: bool  # Whether all weights are one.
    cells: Cells | None = None  # Cells whose means are P.
    count: int = 0  # Number of points in the cells.

    def gathered(self, count: int) -> Points:
        """The same points in this number of cells."""
        cells = Cells.of(self.P, self.w, count)
        return replace(self, P=cells.means, w=cells.masses, unit=False, cells=cells, count=len(self.P))


@dataclass(eq=False)
class Master:
    """The restricted master program of one grid and one set of points, and the best prices for them."""

    points: Points
    places: NDArray[np.int64]  # Places of the points, from `PiecewiseLinearBasis.at`.
    heights: NDArray[np.float64]
    eta: NDArray[np.float64]  # The best prices so far.
    width: float  # Width of the box around the best prices.
    sides: list[tuple[NDArray[np.int64], NDArray[np.float64]]] = field(default_factory=list)  # Sides of the basis.
    best: float = -np.inf  # The bound (1) at these prices.
    seconds: float = 0.0  # Seconds of one evaluation of a centre.
    known: set[bytes] = field(default_factory=set)  # Digests of the columns so far.
    program: Any = None  # The program, a ``highspy.Highs``.

    def __post_init__(self) -> None:
        import scipy.sparse as sp

        b = len(self.eta)
        self.squares = (self.points.P**2).sum(axis=1)
        mass = np.bincount(self.places.ravel(), (self.points.w[:, None] * self.heights).ravel(), b)
        self.used = mass > 0
        rows = np.append(mass, float(self.points.n_clusters))
        more, less = sp.eye_array(b + 1, b, format="csc"), -sp.eye_array(b + 1, b, format="csc")
        matrix = sp.hstack([more, less], format="csc")
        program = Program(self._box(), matrix, rows, rows, np.zeros(2 * b), np.full(2 * b, np.inf))
        self.program = small_simplex(program)

    def _box(self) -> NDArray[np.float64]:
        return np.append(self.eta + self.width, -(self.eta - self.width))

    def priced(self, eta: NDArray[np.float64]) -> Priced:
        """The points at the prices (2)."""
        p, prices = self.points, self.squares + (eta[self.places] * self.heights).sum(axis=1)
        return Priced(p.P, p.w, prices, p.lower, p.upper, p.unit)

    def evaluate(
        self, eta: NDArray[np.float64], box: tuple[NDArray, NDArray], tolerance: float, deadline: Deadline
    ) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        """The right-hand side of (1), rounded down, and the centres that were evaluated with their f."""
        p, priced = self.points, self.priced(eta)
        cells, scatter, size, count = NONE, 0.0, 0.0, len(p.P)
        if p.cells is not None:
            slopes = np.column_stack([(eta[places] * heights).sum(axis=1) for places, heights in self.sides])
            cells, count = Shape(slopes, p.cells.reach, p.cells.spread), p.count
            scatter = fsum(p.w * np.trace(p.cells.spread, axis1=1, axis2=2)) * (1.0 - 1e-12)
            size = 4.0 * float(p.w.sum()) * float(np.abs(slopes).max()) * float(np.abs(box[0]).max())
        begun = clock()
        least, V, f = _stoppable(priced, cells, *box, tolerance, deadline=deadline)
        self.seconds = (clock() - begun) / len(f)
        total = float(p.w.sum())
        far = float(((np.abs(p.P).max(axis=0) + np.abs(box[0]).max(axis=0)) ** 2).sum())
        # the sum of all |terms| of f, and more than u |v - e|^2
        size += (1.0 if p.cells is None else 4.0) * total * far + float(p.w @ np.abs(priced.prices))
        lost = (count + 60) * ROUNDOFF * size
        value = fsum((p.w * priced.prices).tolist()) + scatter + p.n_clusters * (least - lost)
        return value - 4.0 * ROUNDOFF * size, V, f

    def add(self, eta: NDArray[np.float64], V: NDArray[np.float64], f: NDArray[np.float64], deadline: Deadline) -> int:
        """Columns of the best centres of a search, each after a step to the mean of its cluster; how many are new."""
        import highspy

        priced, added = self.priced(eta), 0
        r, column, sums = np.zeros(len(priced.P)), np.zeros(len(eta)), np.zeros(priced.P.shape[1])
        for a in np.argsort(f)[: 2 * KEPT]:
            if not deadline.allows():
                break
            centre = V[a]
            for _ in range(2):
                mass = column_at(priced, centre, self.places, self.heights, r, column, sums)
                centre = sums / mass if mass > 0 else centre
            key = np.round(np.append(sums, mass), 9).tobytes()
            if key in self.known:
                continue
            self.known.add(key)
            entries = np.append(column, 1.0)
            rows = np.flatnonzero(entries)
            cost = -float(sums @ sums) / mass if mass > 0 else 0.0  # the sum of squares less that of |x|^2
            self.program.addCol(cost, 0.0, highspy.kHighsInf, len(rows), rows.astype(np.int32), entries[rows])
            added += 1
            if added >= KEPT:
                break
        return added

    def improve(self, box: Any, tolerance: float, target: float, deadline: Deadline) -> Iterator[float]:
        """Rounds of the master program and the search of centres, until they agree or gain no more than a tolerance."""
        value, V, f = self.evaluate(self.eta, box, 4.0 * tolerance, deadline)
        self.best = value
        self.add(self.eta, V, f, deadline)
        cells, constant = self.points.cells, float(self.points.w @ self.squares)
        if cells is not None:
            constant += float(self.points.w @ np.trace(cells.spread, axis1=1, axis2=2))
        # the bound of the best prices does not rise every round: rounds that gain nothing are counted
        gained = [self.best]
        while len(gained) <= PATIENCE or self.best > gained[-PATIENCE] + tolerance:
            gained.append(self.best)
            yield self.best
            if self.best >= target or not deadline.allows(30.0 * self.seconds):
                return
            if deadline.left is not None:
                self.program.setOptionValue("time_limit", self.program.getRunTime() + deadline.left)
            run(self.program)
            # duals of the rows are prices in the box that are best for the clusters known so far
            duals = np.array(self.program.getSolution().row_dual)
            if len(duals) != len(self.eta) + 1:
                return  # numbers too hard for the master program: what is known stays
            eta, promised = duals[:-1], float(self.program.getInfo().objective_function_value) + constant
            # nothing more is promised here: only a wider box can hold better prices
            if promised - self.best <= tolerance * self.points.n_clusters:
                bent = np.abs(eta - self.eta)[self.used].max() >= 0.999 * self.width
                if not bent:
                    return
                self.width *= 2.0
            else:
                value, V, f = self.evaluate(eta, box, max(tolerance, 0.05 * (promised - self.best)), deadline)
                better = value > self.best
                if better:
                    self.best, self.eta = value, eta
                # without a new column the program would answer the same again
                if not (self.add(eta, V, f, deadline) or better) or not deadline.allows():
                    return
                if not better:
                    self.width = max(0.7 * self.width, tolerance / float(self.points.w.sum()))
            self._move()

    def _move(self) -> None:
        count = 2 * len(self.eta)
        self.program.changeColsCost(count, np.arange(count, dtype=np.int32), self._box())


def _stoppable(
    priced: Priced, cells: Shape, *arguments: Any, deadline: Deadline
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """`search_centres` in a thread, so that the end of the time and interrupts from the keyboard reach it."""
    stop = np.zeros(1, dtype=np.int64)
    first = priced._replace(P=priced.P[:1], w=priced.w[:1], prices=priced.prices[:1], lower=0 * priced.lower)
    search_centres(first, Shape(*(part[:1] for part in cells)), *arguments, 0, stop)  # compiled before time is measured
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(search_centres, priced, cells, *arguments, MOST, stop)
        try:
            while not wait([found], 0.05).done:  # seconds between two readings of the clock
                stop[0] = deadline.left == 0.0
        finally:
            stop[0] = 1
        return found.result()
