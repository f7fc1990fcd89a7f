"""Why rows cannot hold together, in the user's words: a set of them none of which can be left out, and a repair.

The prices of the program that breaks the rows least in all prove that the rows with prices cannot hold together
(Farkas). Of these one after the other is left out for good where the others still cannot hold; what remains is an
irreducible infeasible set (Chinneck 2008, *Feasibility and Infeasibility in Optimization*, chapter 6). The repair is
the assignment that breaks the rows least: the sum of the amounts, each in units of the row's largest coefficient, is
the smallest possible.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...base.messages import number
from ...models.polytope.rows import Rows
from ...models.programs.assignment import AssignmentModel
from .master import Answer, Master, OutOfTime
from .problem import OpenProblem
from .search import BROKEN, excludes, least_violation, rounding


def conflict(model: AssignmentModel, known: Master, deadline: Deadline) -> str:
    """What cannot hold together, and the least change that mends it, in one line."""
    problem = known.problem
    master, least = least_violation(problem, known, deadline)
    rows = _Words(model)
    try:
        sides, last = _irreducible(problem, master, least, deadline)
        masked = model.polytope.allowed is not None and _masked(_only(problem, *sides), master, deadline)
    except OutOfTime:
        sides, last, masked = _priced(least.prices), least, model.polytope.allowed is not None
    named = [rows.side(q, q in sides[1]) for q in sorted({*sides[0], *sides[1]})]
    because = _crowded(OpenProblem.of(model), last.prices) if masked else ""
    changes = "; ".join(rows.change(q, float(amount), master, least) for q, amount in _broken(problem, least))
    together = f"{named[0]} cannot hold" if len(named) == 1 else f"{' and '.join(named)} cannot hold together"
    return f"{together}{because}: {changes}"


def _irreducible(
    problem: OpenProblem, master: Master, least: Answer, deadline: Deadline
) -> tuple[tuple[set[int], set[int]], Answer]:
    """Lower and upper sides none of which can be left out, and the least violation of these alone."""
    below, above = _priced(least.prices)
    tried: set[tuple[int, bool]] = set()
    while True:
        left = [(q, up) for up, side in ((False, below), (True, above)) for q in side if (q, up) not in tried]
        if not left:
            return (below, above), least
        q, up = min(left, key=lambda side: abs(least.prices[side[0]]))
        tried.add((q, up))
        fewer = (below - {q}, above) if not up else (below, above - {q})
        part = _only(problem, *fewer)
        master, answer = least_violation(part, master, deadline)
        if excludes(part, answer.prices):
            least = answer
            below, above = _priced(answer.prices)


def _priced(prices: NDArray[np.float64]) -> tuple[set[int], set[int]]:
    """Rows whose lower, and whose upper side has a price."""
    small = BROKEN * np.abs(prices).max(initial=0.0)
    return set(np.flatnonzero(prices < -small).tolist()), set(np.flatnonzero(prices > small).tolist())


def _only(problem: OpenProblem, below: set[int], above: set[int]) -> OpenProblem:
    """The problem with these sides alone."""
    lower, upper = np.full(problem.lower.size, -np.inf), np.full(problem.upper.size, np.inf)
    lower[list(below)], upper[list(above)] = problem.lower[list(below)], problem.upper[list(above)]
    return replace(problem, lower=lower, upper=upper)


def _broken(problem: OpenProblem, least: Answer) -> list[tuple[int, float]]:
    """Rows that are broken, and by how much in their own units."""
    where = np.flatnonzero(np.abs(least.broken) > rounding(problem, least) * problem.extent)
    return [(q, float(least.broken[q] * problem.scales[q])) for q in where.tolist()]


def _masked(alone: OpenProblem, master: Master, deadline: Deadline) -> bool:
    """Whether the conflict disappears if every pair is allowed."""
    free = replace(alone, allowed=None)
    return not excludes(free, least_violation(free, master, deadline)[1].prices)


def _crowded(problem: OpenProblem, prices: NDArray[np.float64]) -> str:
    """The points that must be in clusters of the conflict, because they are allowed nowhere else."""
    masked = problem.without_scores()
    here, anywhere = masked.at(prices), replace(masked, allowed=None).at(prices)
    forced = []
    for start, stop in problem.blocks():
        lost = here(start, stop).max(axis=1) < anywhere(start, stop).max(axis=1) - 1e-9
        forced.append(np.flatnonzero(lost) + start)
    points = np.concatenate(forced)
    if not points.size:
        return ""
    few = ", ".join(map(str, points[:5].tolist()))
    those = f"{points.size} point{'s' * (points.size > 1)} ({few}{', ...' * (points.size > 5)})"
    return f" with the mask, which keeps {those} from other clusters"


class _Words:
    """Rows of a model in words; they are numbered as in `OpenProblem`."""

    def __init__(self, model: AssignmentModel) -> None:
        self.polytope = polytope = model.polytope
        self.places: list[tuple[Rows | None, int]] = [(None, i) for i in range(polytope.n_clusters)]
        self.places += [(rows, q) for rows in polytope.further for q in range(len(rows))]

    def _of(self, row: int) -> tuple[str, float, float]:
        """Name, and the bounds of a share or of a sum."""
        rows, q = self.places[row]
        if rows is None:
            return f"{self.polytope.names[0]}[{q}]", self.polytope.lower[q], self.polytope.upper[q]
        alone = len(rows) == 1 and rows.attributes is None
        name = rows.name if alone else f"{rows.name}[{rows.index[q]}]"
        if rows.relative:
            return name, -rows.coefficients[q, 1], -rows.coefficients[q, 1]
        return name, rows.lower[q], rows.upper[q]

    def side(self, row: int, upper: bool) -> str:
        """A side of a row, such as ``size_2[3] <= 12``."""
        name, low, up = self._of(row)
        return f"{name} {'<=' if upper else '>='} {number(up if upper else low)}"

    def change(self, row: int, amount: float, master: Master, least: Answer) -> str:
        """What a row would have to be changed to: broken above by a positive, below by a negative amount."""
        name, low, up = self._of(row)
        bound, (rows, q) = (up if amount > 0 else low), self.places[row]
        if rows is not None and rows.relative:
            size = _size(int(rows.clusters[q]), master, least)
            amount = amount / size if size > 0 else amount
        verb, side = ("raise", "upper") if amount > 0 else ("lower", "lower")
        whole = rows is None and self.polytope.weights is None  # the polytope takes whole sizes alone
        to = _outwards(bound + amount, amount > 0, whole)
        return f"{verb} the {side} bound of {name} by {number(abs(round(to - bound, 9)))} to {to:.12g}"


def _size(cluster: int, master: Master, least: Answer) -> float:
    """Size of a cluster in the first dimension."""
    weights, moves = master.problem.attributes[:, 0], master.moves
    moved = weights[moves.points] * least.shares
    gone, here = master.preferred[moves.points] == cluster, moves.clusters == cluster
    return float(weights[master.preferred == cluster].sum() + moved[here].sum() - moved[gone].sum())


def _outwards(value: float, up: bool, whole: bool) -> float:
    """The next whole number, or one of six digits, beyond this one; one that has four digits up to rounding stays."""
    step = 1.0 if whole else 10.0 ** (int(np.floor(np.log10(max(abs(value), 1e-6)))) - 5)
    few = step if whole else 100.0 * step
    near = few * np.rint(value / few)
    if abs(value - near) <= 1e-3 * step:
        return float(near)
    return float(step * (np.ceil(value / step + 1e-3) if up else np.floor(value / step - 1e-3)))
