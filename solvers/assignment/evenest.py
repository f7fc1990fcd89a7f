"""Sizes as even as possible: the least largest deviation of a cluster from the mean, for whole points.

    min  t
    (1)  |sum_c w_cd xi_ci - m_d| <= t s_d        for every cluster i and named dimension d, with the mean m_d
    (2)  all that the polytope states, in whole points

in the unit of the dimension where one is named (s_d = 1), and as parts of the means where several are (s_d = m_d).
Heaviest blocks first, then exchanges between clusters give an answer; branch and bound (HiGHS) improves and proves it.
No t is less than what the smallest unit of the weights and the heaviest block leave: often these already prove it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ...base.checks import instance_of
from ...base.deadline import Deadline
from ...base.errors import InvalidInputError, NotOptimalError
from ...base.status import Status
from ...models.formats.arrays import Block, BlockRows
from ...models.objectives.bound import Bound
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.assignment import AssignmentModel
from ...models.programs.program import TOLERANCES, Program
from ...models.programs.whole_assignment import WholeAssignmentMIP
from ...models.scores.scores import DenseScores
from ..exchange.neighbourhood import TOTALS, Neighbourhood, Pairs
from ..linear_program import solve_linear
from ..supports import require
from .statements_in_conflict import statements_in_conflict


def evenest(
    polytope: PartitionPolytope, names: str | Sequence[str] | None = None, time_limit: float | None = None
) -> tuple[PartitionPolytope, Bound, NDArray[np.int64]]:
    """The polytope with sizes as even as whole points, groups, masks and rows allow.

    Parameters
    ----------
    polytope : PartitionPolytope
        What has to be kept besides; its own bounds on the named dimensions, too.
    names : str or sequence of str, optional
        Size dimensions that are to be even; all when not given.
    time_limit : float, optional
        Seconds; the best deviation found by then is taken, and the bound says what could be better.

    Returns
    -------
    polytope : PartitionPolytope
        In whole points, with bounds of the means minus and plus the deviation on the named dimensions.
    bound : Bound
        Interval around the least largest deviation: in the dimension's unit where one is named, as a part of the means
        where several are.
    labels : (n,) ndarray of int64
        A clustering of the polytope, from which `solve` and fits can ``start``.

    Raises
    ------
    InvalidInputError
        If a name is not that of a size dimension.
    InfeasibleBoundsError
        If no assignment keeps the statements.
    CapabilityError
        When clusters may stay closed: they have no common mean.
    NotOptimalError
        When nothing was found in time.

    Notes
    -----
    Exact, NP-hard (multi-way number partitioning). For points of equal weight without further statements the answer is
    n / k rounded down and up, at once.

    Examples
    --------
    >>> from partitope.models import PartitionPolytope
    >>> from partitope.solvers import evenest
    >>> even, bound, labels = evenest(PartitionPolytope(5, weights=[4.0, 5.0, 6.0, 7.0, 8.0], n_clusters=2))
    >>> even.lower.tolist(), even.upper.tolist(), bound.lower, bound.upper
    ([15.0, 15.0], [15.0, 15.0], 0.0, 0.0)
    """
    instance_of(polytope, "polytope", PartitionPolytope)
    require(polytope, "evenest")
    polytope.check()
    deadline, chosen = Deadline(time_limit), _dimensions(polytope, names)
    k, n = polytope.n_clusters, polytope.n_points
    if polytope.is_plain and polytope.weights is None:
        low, up = np.maximum(polytope.lower, n // k), np.minimum(polytope.upper, -(-n // k))
        even = replace(polytope, lower=low, upper=up) if (low <= up).all() else None
        if even is not None and even.is_feasible:
            most = float(max(n / k - n // k, -(-n // k) - n / k))
            sizes = low.astype(np.int64)
            sizes[np.flatnonzero(up > low)[: n - sizes.sum()]] += 1
            return even, Bound(most, most, "counting"), np.repeat(np.arange(k), sizes)
    whole = polytope.whole()
    model = AssignmentModel(whole, DenseScores(np.zeros((n, k))))
    problem = _Evenness(WholeAssignmentMIP(model), chosen)
    labels, least, proof = problem.solve(deadline)
    most = problem.deviation(labels)
    return problem.bounded(whole, most), Bound(min(least, most), most, proof), whole.of_points(labels)


def _dimensions(polytope: PartitionPolytope, names: str | Sequence[str] | None) -> list[str]:
    """The size dimensions that are meant."""
    known = [rows.name for rows in polytope.all_rows if rows.is_size]
    wanted = [names] if isinstance(names, str) else known if names is None else names
    if not isinstance(wanted, (list, tuple)) or not wanted:
        raise InvalidInputError(f"names={names!r} is not a list of size dimensions: choose from {', '.join(known)}")
    for name in wanted:
        if not isinstance(name, str) or name not in known:
            raise InvalidInputError(f"names={name!r} is not a size dimension: choose from {', '.join(known)}")
    return list(wanted)


class _Evenness:
    """The program of the module's head over blocks of points that stay together."""

    def __init__(self, program: WholeAssignmentMIP, names: list[str]) -> None:
        self.program, self.names = program, names
        self.polytope = program.contracted.polytope
        columns = {rows.name: rows.attributes[:, 0] for rows in self.polytope.all_rows if rows.attributes is not None}
        self.weights = np.column_stack([columns[name] for name in names])  # (b, D)
        self.means = self.weights.sum(axis=0) / self.polytope.n_clusters
        self.units = np.ones(1) if len(names) == 1 else np.where(self.means > 0, self.means, 1.0)

    def deviation(self, labels: NDArray[np.int64]) -> float:
        """The largest deviation of a clustering of the blocks (b,)."""
        return float((np.abs(self._sums(labels) - self.means) / self.units).max())

    def _sums(self, labels: NDArray[np.int64]) -> NDArray[np.float64]:
        k = self.polytope.n_clusters
        return np.column_stack([np.bincount(labels, column, k) for column in self.weights.T])

    def floor(self) -> float:
        """What no clustering falls below: by the smallest unit of whole weights, and by the heaviest block."""
        least = [0.0]
        for column, mean, unit in zip(self.weights.T, self.means, self.units):
            least.append((float(column.max()) - mean) / unit)
            if np.array_equal(column, np.rint(column)) and 0 < column.max() < 2**53:
                step = float(np.gcd.reduce(column.astype(np.int64)))
                below = np.floor(mean / step) * step
                if below < mean:  # some cluster lies at or above the next multiple, some at or below this one
                    least.append(max(below + step - mean, mean - below) / unit)
        return float(max(least))

    def solve(self, deadline: Deadline) -> tuple[NDArray[np.int64], float, str]:
        """Labels (b,), a lower bound on the deviation, and its proof."""
        least = self.floor()
        linear = self.program.program
        first = solve_linear(replace(linear, cost=np.zeros(linear.cost.size)), TOLERANCES, deadline)
        if first.outcome is Status.INFEASIBLE:
            raise statements_in_conflict(self.program.model.polytope, deadline)
        if first.columns is None:
            raise NotOptimalError(
                f"nothing was found, and none was excluded: HiGHS ends with {first.status}; widen the bounds, or allow "
                f"more time_limit"
            )
        b, k = self.program.losses.shape
        labels = self._by_weight()
        if not self.polytope.contains(labels):  # rows or bounds forbid it
            labels = first.columns[: b * k].reshape(b, k).argmax(axis=1)
        labels = self._exchanged(labels, deadline)
        most = self.deviation(labels)
        if most <= least * (1 + 1e-12):  # a sum of the others' weights is rounded
            return labels, least, "units and weights of the points"
        start = np.append((labels[:, None] == np.arange(k)).ravel().astype(np.float64), most)
        answer = solve_linear(self._linear(least, 2.0 * most), TOLERANCES, deadline, start, most)
        proof = "units and weights of the points"
        if np.isfinite(answer.bound) and answer.bound > least:
            least, proof = answer.bound, "branch and bound (HiGHS)"
        if answer.columns is not None:
            found = answer.columns[: b * k].reshape(b, k).argmax(axis=1)
            if self.polytope.contains(found) and self.deviation(found) < most:
                labels = found
        return labels, least, proof

    def _linear(self, least: float, most: float) -> Program:
        """The program with t, between these, as its last column."""
        k, rows = self.program.losses.shape[1], list[BlockRows]()
        for number, (column, mean, unit) in enumerate(zip(self.weights.T, self.means, self.units)):
            sums, widths = sp.kron(column[None, :], sp.eye_array(k)), np.full((k, 1), unit)
            rows.append((Block.grid(f"below{number}", k), sp.hstack([sums, -widths]), -np.inf, mean))
            rows.append((Block.grid(f"above{number}", k), sp.hstack([sums, widths]), mean, np.inf))
        program = self.program.program.extended([Block.grid("deviation", 1)], rows, least, most)
        return replace(program, cost=np.append(np.zeros(self.program.losses.size), 1.0))

    def _by_weight(self) -> NDArray[np.int64]:
        """Labels (b,): the heaviest block first, each where most room is left (longest processing time first)."""
        scaled, allowed = self.weights / self.units, self.polytope.allowed
        labels, sums = np.empty(len(scaled), dtype=np.int64), np.zeros((self.polytope.n_clusters, scaled.shape[1]))
        for block in np.argsort(-scaled.max(axis=1), kind="stable"):
            full = (sums + scaled[block]).max(axis=1)
            if allowed is not None:
                full[~allowed[block]] = np.inf
            labels[block] = full.argmin()
            sums[labels[block]] += scaled[block]
        return labels

    def _exchanged(self, labels: NDArray[np.int64], deadline: Deadline) -> NDArray[np.int64]:
        """Labels (b,) after moves and swaps that lessen the sum of squared deviations, while there are any."""
        (b, _), k, polytope = self.weights.shape, self.polytope.n_clusters, self.polytope
        blocks = Neighbourhood(
            self.weights / self.units, np.ones(b), np.zeros(k), np.full(k, float(b)), TOTALS, 1.0,
            np.zeros((0, 0), dtype=bool) if polytope.allowed is None else polytope.allowed,
            Pairs.of(polytope.all_rows, k), shift=-self.means / self.units, exchanges=True,
        )  # fmt: skip
        better = blocks.descend(labels, 0, deadline, 1e-12 * blocks.value(labels))
        return better if polytope.contains(better) else labels  # custom constraints have no rows here

    def bounded(self, polytope: PartitionPolytope, most: float) -> PartitionPolytope:
        """The polytope with bounds of the means minus and plus the deviation on the named dimensions."""
        sides, further = {}, {rows.name: rows for rows in polytope.further}
        for name, mean, unit in zip(self.names, self.means, self.units):
            low, up = mean - most * unit, mean + most * unit
            if name == polytope.names[0]:
                sides = {"lower": np.maximum(polytope.lower, low), "upper": np.minimum(polytope.upper, up)}
                continue
            rows = further[name]
            between = rows.between(np.maximum(rows.lower, low), np.minimum(rows.upper, up))
            polytope = polytope.with_constraint(between)
        return replace(polytope, **sides)
