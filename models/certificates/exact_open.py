"""The certificate of any assignment program in fractions: sums at given prices, and prices that are mended.

With every bound on a row q, sizes included, with coefficients a_qij, and any prices nu that obey their signs,

    (1)  primal   sum_ij w_j gamma_ij xi_ij
    (2)  dual     sum_j max_i (w_j gamma_ij - sum_q nu_q a_qij) + sum_q (B_q nu_q^+ - b_q nu_q^-)   >=   primal

where the largest is taken over the clusters that are allowed. Floats miss the equality of (1) and (2) by rounding, so
both sides are solved for again, by elimination without rounding:

    shares    of the split points, from the rows that are at their bounds
    prices    from the pairs that are tied: those of split points, then those that are tied up to rounding

What these equations leave open keeps the value that was given. How the numbers were found does not matter: where an
assignment keeps the rows and (1) equals (2), both are optimal. A row whose exact value misses its bound by rounding
counts as at the bound, as sizes do in `check_exactly`. With bounds on sizes alone no equations are solved: there are
prices without a gap exactly where no cycle of the exchange graph (`exchange`) is negative.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from ...base.errors import CapabilityError
from .exact_rows import Bounds, ExactRows
from .exact_scores import ONE, ZERO

if TYPE_CHECKING:
    from ..programs.assignment import AssignmentModel

Held = list[dict[int, Fraction]]  # shares of every point by cluster
Arcs = dict[tuple[int, int], Fraction]  # Lengths in the exchange graph; node k is the room between the bounds.

MOST_UNKNOWNS = 400  # Largest number of prices, or of shares, to solve for: within about a minute.
ROUNDS = 5  # Rounds of pricing; each adds the pairs that were better at the prices before.


class Tie(NamedTuple):
    """A pair of a point as good as its cluster up to rounding: point, its cluster, the other, the margin over it."""

    j: int
    i: int
    l: int
    margin: Fraction


@dataclass(eq=False)
class ExactSums:
    """What a pass over the points at some prices finds: both sides, the spread, parts of the gap, and ties."""

    primal: Fraction = ZERO
    dual: Fraction = ZERO
    spread: Fraction = ZERO
    loss: Fraction = ZERO
    worst: Fraction = ZERO
    excess: Fraction = ZERO
    optimal: bool = False

    @property
    def size(self) -> Fraction:
        """Scale of the program: a gap that is large compared with it is not a rounding error and is not repaired."""
        return max(self.spread, abs(self.primal), abs(self.dual))

    def lose(self, part: Fraction) -> None:
        """Add a part of the gap."""
        self.loss, self.worst = self.loss + part, max(self.worst, part)


def check_rows(
    model: AssignmentModel,
    held: Held,
    given: list[Fraction],
    constants: list[Fraction],
    tolerance: float,
    rounding: Fraction,
) -> ExactSums:
    """The sums at the prices given, all rows in one list; ``optimal`` says whether they or mended ones leave no gap."""
    rows, only_sizes = ExactRows(model.polytope), not model.polytope.further
    if not only_sizes:
        _refuse_many(sum(price != 0 for price in given), "prices")
    held, reached = mended_shares(rows, held, tolerance)
    bounds = Bounds.of(rows, reached, tolerance)
    arcs: Arcs = {}
    sums, ties, _ = _pass(model, rows, held, bounds, given, constants, tolerance, arcs)
    sums.optimal = sums.loss == 0 and all(bounds.allow(q, price) for q, price in enumerate(given))
    if sums.optimal or sums.loss > Fraction(tolerance) * sums.size + rounding:
        return sums
    if only_sizes:
        sums.optimal = has_potentials(arcs | bounds.room, given)
        return sums
    zero = {q for q, price in enumerate(given) if not price or not bounds.allow(q, price)}
    first: list[Tie] = []
    for _ in range(ROUNDS):
        nu = mended_prices(rows, given, [*first, *ties], zero)
        wrong = {q for q, price in enumerate(nu) if not bounds.allow(q, price)}
        if wrong:
            zero |= wrong
            continue
        at, _, better = _pass(model, rows, held, bounds, nu, constants, tolerance, arcs)
        if at.dual == at.primal:
            sums.optimal = True
            break
        first = [tie for tie in ties if (tie.j, tie.l) in better] + first
    return sums


def _pass(
    model: AssignmentModel,
    rows: ExactRows,
    held: Held,
    bounds: Bounds,
    nu: list[Fraction],
    constants: list[Fraction],
    tolerance: float,
    arcs: Arcs,
) -> tuple[ExactSums, list[Tie], set[tuple[int, int]]]:
    """The sums at prices; pairs tied up to rounding, those of split points first; and pairs that are better. Shortens
    ``arcs`` by points that may leave their clusters."""
    sums, splits, near, better = ExactSums(excess=bounds.excess), [], [], set()
    only_sizes = not model.polytope.further
    for j, weight, gamma, net in rows.net_scores(model, nu):
        top = max(net.values())
        shifted = [weight * (g - c) for g, c in zip(gamma, constants)]
        extent = max(shifted) - min(shifted)
        sums.spread, sums.dual = sums.spread + extent, sums.dual + top
        for i, share in held[j].items():
            sums.primal += weight * share * gamma[i]
            if i in net:
                sums.lose(share * (top - net[i]))
            else:
                sums.excess = max(sums.excess, share)
            for l in net if only_sizes and share > 0 and weight > 0 else ():
                loss = gamma[i] - gamma[l]
                if l != i and ((i, l) not in arcs or loss < arcs[i, l]):
                    arcs[i, l] = loss
        if only_sizes:
            continue
        own = max(held[j], key=lambda i: held[j][i])
        if own not in net:
            continue
        room = Fraction(tolerance) * (extent + max(abs(weight * gamma[i] - value) for i, value in net.items()))
        for l, value in net.items():
            margin = net[own] - value
            if l != own and held[j].get(l):
                splits.append(Tie(j, own, l, margin))
            elif l != own and abs(margin) <= room:
                near.append(Tie(j, own, l, margin))
            if margin < 0:
                better.add((j, l))
    for q, part in enumerate(bounds.ways(nu)):
        sums.lose(part)
        bound = bounds.upper[q] if nu[q] > 0 else bounds.lower[q]
        sums.dual += nu[q] * (bound or ZERO)
    return sums, splits + sorted(near, key=lambda tie: abs(tie.margin)), better


def has_potentials(arcs: Arcs, start: list[Fraction]) -> bool:
    """Whether there are shortest-path prices, sought from near ones (k,): not where a cycle is negative (Bellman and
    Ford)."""
    potential = [*start, ZERO]
    for _ in range(len(potential) + 1):
        shorter = {(i, l): w for (i, l), w in arcs.items() if potential[l] + w < potential[i]}
        if not shorter:
            return True
        for (i, l), w in shorter.items():
            potential[i] = min(potential[i], potential[l] + w)
    return False


Equation = tuple[dict[int, Fraction], Fraction]  # coefficients by unknown, and the right-hand side


class Solved:
    """Linear equations solved as they come, each for one unknown in terms of those that are free (Gauss and Jordan)."""

    def __init__(self) -> None:
        self.by_unknown: dict[int, Equation] = {}

    def add(self, equation: Equation) -> bool:
        """Take an equation in; False, and nothing is changed, when it contradicts those before."""
        row, right = {q: a for q, a in equation[0].items() if a}, equation[1]
        for q in [q for q in row if q in self.by_unknown]:
            row, right = _minus((row, right), row[q], self.by_unknown[q])
        if not row:
            return right == 0
        pivot, factor = next(iter(row.items()))
        solved = {q: value / factor for q, value in row.items()}, right / factor
        for q, other in self.by_unknown.items():
            self.by_unknown[q] = _minus(other, other[0].get(pivot, ZERO), solved)
        self.by_unknown[pivot] = solved
        return True

    def values(self, given: list[Fraction]) -> list[Fraction]:
        """All unknowns, where those that are free have the values given."""
        found = list(given)
        for q, (row, right) in self.by_unknown.items():
            found[q] = right - sum((a * given[p] for p, a in row.items() if p != q), ZERO)
        return found


def _minus(equation: Equation, factor: Fraction, other: Equation) -> Equation:
    """An equation less a factor times another."""
    row = {q: equation[0].get(q, ZERO) - factor * other[0].get(q, ZERO) for q in {**equation[0], **other[0]}}
    return {q: a for q, a in row.items() if a}, equation[1] - factor * other[1]


def mended_shares(rows: ExactRows, held: Held, tolerance: float) -> tuple[Held, list[Fraction]]:
    """Shares of the split points with which rows that nearly meet a bound meet it, and the values of all rows."""
    split = [j for j, shares in enumerate(held) if len(shares) > 1]
    known = rows.reached((j, shares) for j, shares in enumerate(held) if len(shares) == 1)
    given = [a + b for a, b in zip(known, rows.reached((j, held[j]) for j in split))]
    places = [(j, i) for j in split for i in held[j]]
    _refuse_many(len(places), "shares of split points")
    by_row: list[dict[int, Fraction]] = [{} for _ in range(len(rows))]
    by_point: dict[int, dict[int, Fraction]] = {j: {} for j in split}
    for p, (j, i) in enumerate(places):
        by_point[j][p] = ONE
        for q, a in rows.coefficients(j, i).items():
            by_row[q][p] = a
    solved = Solved()
    for j in split:
        solved.add((by_point[j], ONE))
    for q, extent in enumerate(rows.extents):
        for bound in (rows.lower[q], rows.upper[q]):
            if bound is not None and abs(given[q] - bound) <= Fraction(tolerance) * extent:
                solved.add((by_row[q], bound - known[q]))
    values, mended = solved.values([held[j][i] for j, i in places]), list(held)
    if any(value < 0 for value in values):
        return held, given
    for (j, i), value in zip(places, values):
        mended[j] = {**mended[j], i: value}
    return mended, [a + b for a, b in zip(known, rows.reached((j, mended[j]) for j in split))]


def mended_prices(rows: ExactRows, nu: list[Fraction], ties: list[Tie], zero: set[int]) -> list[Fraction]:
    """Prices at which the ties, in this order, are exact unless they contradict each other."""
    solved = Solved()
    for q in zero:
        solved.add(({q: ONE}, ZERO))
    for tie in ties:
        if len(solved.by_unknown) == len(nu):
            break
        row = rows.coefficients(tie.j, tie.i)
        for q, a in rows.coefficients(tie.j, tie.l).items():
            row[q] = row.get(q, ZERO) - a
        solved.add((row, tie.margin + sum((a * nu[q] for q, a in row.items()), ZERO)))
    return solved.values(nu)


def _refuse_many(count: int, what: str) -> None:
    """Refuse systems of too many unknowns."""
    if count > MOST_UNKNOWNS:
        raise CapabilityError(
            f"the check in rational arithmetic solves for at most {MOST_UNKNOWNS} {what}, here are {count}: use "
            f"verify() without exact=True"
        )
