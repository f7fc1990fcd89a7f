"""The optimality certificate in rational arithmetic: every floating-point number is a fraction, and no step rounds.

With every bound on a row q, sizes included, with coefficients a_qij, and any prices nu that obey their signs,

    (1)  primal   sum_ij w_j gamma_ij xi_ij
    (2)  dual     sum_j max_i (w_j gamma_ij - sum_q nu_q a_qij) + sum_q (B_q nu_q^+ - b_q nu_q^-)   >=   primal

where the largest is taken over the clusters that are allowed. Scores of sites are fractions too, with the exact
products, so the check answers the question that was asked, not its rounded copy. Weak duality then is a theorem, and
the difference is exactly what the optimum can be better by at most. A row whose exact value misses its bound by
rounding counts as at the bound.

Prices that a computer found are floats, so that (1) and (2) of an optimal assignment differ by rounding. Both sides
are then solved for again, by elimination without rounding:

    shares    of the split points, from the rows that are at their bounds
    prices    from the pairs that are tied: those of split points, then those that are tied up to rounding

What these equations leave open keeps the value that was given. How the numbers were found does not matter: where an
assignment keeps the rows and (1) equals (2), both are optimal. With bounds on sizes alone no equations are solved:
there are prices without a gap exactly where no cycle of the exchange graph (`exchange`) is negative.
Python's fractions only; nothing here knows a solver.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import checked_labels, finite_vector
from ...base.errors import CapabilityError
from ..polytope.shares import Shares
from ..scores.shifted import ShiftedScores
from .certificate import Certificate, Split, sums_over_points
from .exact_rows import ONE, ZERO, Bounds, ExactRows, affine_scores
from .priced_out_rows import PricedOutRows

if TYPE_CHECKING:
    from ..programs.assignment import AssignmentModel

SHARE_SUM = Fraction(1, 10**9)  # Shares of a point that miss a sum of one by at most this are divided by their sum.
MOST_UNKNOWNS = 400  # Largest number of prices, or of shares, to solve for: within about a minute.
ROUNDS = 5  # Rounds of pricing; each adds the pairs that were better at the prices before.

Held = list[dict[int, Fraction]]  # shares of every point by cluster
Arcs = dict[tuple[int, int], Fraction]  # Lengths in the exchange graph; node k is the room between the bounds.


def check_exactly(
    model: AssignmentModel,
    labels: ArrayLike,
    prices: ArrayLike,
    *,
    splits: Sequence[Split] = (),
    tolerance: float = 1e-9,
    further_prices: Mapping[str, NDArray[np.float64]] | None = None,
) -> Certificate:
    """`check_assignment` in rational arithmetic: ``gap`` is the exact one of the prices as given. Prices whose relative
    gap is at most ``tolerance``, or what rounding of the scores explains, are repaired; CapabilityError beyond
    MOST_UNKNOWNS. O(n k d) operations of a microsecond."""
    polytope, k = model.polytope, model.polytope.n_clusters
    y, mu_float = checked_labels(labels, polytope.n_points, k), finite_vector(prices, "prices", k, "cluster")
    given = Shares.of(y, splits, k)
    frame = ShiftedScores.of(model.score_source, polytope.weights, y, polytope.allowed)
    charges = None if polytope.is_plain and not further_prices else PricedOutRows.of(polytope, further_prices)
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = sums_over_points(frame, given, mu_float, polytope.weights, None, charges)
    rounding = Fraction(rounded.representation if np.isfinite(rounded.representation) else 0.0)
    listed = mu_float if charges is None else np.concatenate([mu_float, *charges.prices.values()])
    nu = [Fraction(value) for value in finite_vector(listed, "further_prices", listed.size, "row").tolist()]
    constants = [Fraction(value) for value in frame.constants.tolist()]
    if frame.reference is not None:
        constants = affine_scores(model)([Fraction(value) for value in frame.reference.tolist()])
    sums = _Program(model, constants, tolerance).checked(_shares(y.tolist(), given), nu, rounding)
    spread = sums.spread if rounded.spread != 0 else ZERO  # differences that are rounding are not a spread
    value = max(abs(sums.primal), abs(sums.dual))
    magnitude = spread or (value if value > rounding else ONE)
    certificate = Certificate(
        primal_objective=_float(sums.primal),
        dual_objective=_float(sums.dual),
        primal_violation=max(_float(sums.excess), given.violation if given.violation > SHARE_SUM else 0.0),
        dual_violation=0.0,  # the point duals are the best ones for the prices, by definition
        complementarity=_float(max(sums.losses) / magnitude),
        gap=_float(sum(sums.losses) / magnitude),
        magnitude=_float(magnitude),
        tolerance=tolerance,
        exact=True,
        optimal=sums.optimal,
        prices=tuple(listed.tolist()),
    )
    return certificate.sealed(y, splits)


def _float(value: Fraction) -> float:
    """The nearest float, but zero for nothing else than zero."""
    return float(value) or (0.0 if value == 0 else 5e-324)


def _shares(labels: list[int], given: Shares) -> Held:
    """Shares of every point; those of a split point, floats that sum to nearly one, are divided by their sum."""
    shares = [{i: ONE} for i in labels]
    parts: Held = [{} for _ in labels]
    for point, cluster, share in zip(given.points.tolist(), given.clusters.tolist(), given.share.tolist()):
        parts[point][cluster] = Fraction(share)
    for point in set(given.points.tolist()):
        total = sum(parts[point].values(), ZERO)
        divisor = total if total > 0 and abs(total - 1) < SHARE_SUM else ONE
        shares[point] = {i: share / divisor for i, share in parts[point].items()}
    return shares


class Tie(NamedTuple):
    """A pair of a point as good as its cluster up to rounding: point, its cluster, the other, the margin over it."""

    j: int
    i: int
    l: int
    margin: Fraction


@dataclass(eq=False)
class ExactSums:
    """What a pass over the points at some prices finds."""

    excess: Fraction  # Largest miss of a bound, or share in a cluster that is not allowed.
    primal: Fraction = ZERO
    dual: Fraction = ZERO
    spread: Fraction = ZERO
    optimal: bool = False
    losses: list[Fraction] = field(default_factory=list)  # Parts of the gap.
    splits: list[Tie] = field(default_factory=list)
    near: list[Tie] = field(default_factory=list)  # Tied up to rounding.
    better: set[tuple[int, int]] = field(default_factory=set)  # Pairs that are better than those used.


class _Program:
    """The program whose assignments are checked, all rows in one list."""

    def __init__(self, model: AssignmentModel, constants: list[Fraction], tolerance: float) -> None:
        self.model, self.constants, self.tolerance = model, constants, Fraction(tolerance)
        self.rows, self.only_sizes = ExactRows(model.polytope), not model.polytope.further

    def checked(self, held: Held, given: list[Fraction], rounding: Fraction) -> ExactSums:
        """The sums at the prices given; ``optimal`` says whether they or mended ones leave no gap."""
        if not self.only_sizes:
            _refuse_many(sum(price != 0 for price in given), "prices")
        held, reached = mended_shares(self.rows, held, self.tolerance)
        bounds = Bounds.of(self.rows, reached, self.tolerance)
        arcs: Arcs = {}
        sums = self._at(given, held, bounds, arcs)
        keeps, loss = bounds.allow(given), sum(sums.losses)
        sums.optimal = loss == 0 and all(keeps)
        size = max(sums.spread, abs(sums.primal), abs(sums.dual))
        if sums.optimal or loss > self.tolerance * size + rounding:  # a gap so large is not a rounding error
            return sums
        if self.only_sizes:
            sums.optimal = has_potentials(arcs | bounds.room, given)
            return sums
        zero = {q for q, price in enumerate(given) if not price or not keeps[q]}
        ties, first = sums.splits + sorted(sums.near, key=lambda tie: abs(tie.margin)), list[Tie]()
        for _ in range(ROUNDS):
            nu = mended_prices(self.rows, given, [*first, *ties], zero)
            wrong = {q for q, kept in enumerate(bounds.allow(nu)) if not kept}
            if wrong:
                zero |= wrong
                continue
            at = self._at(nu, held, bounds, arcs)
            if at.dual == at.primal:
                sums.optimal = True
                break
            first = [tie for tie in ties if (tie.j, tie.l) in at.better] + first
        return sums

    def _at(self, nu: list[Fraction], held: Held, bounds: Bounds, arcs: Arcs) -> ExactSums:
        """The sums at prices. Shortens ``arcs`` by points that may leave their clusters."""
        sums = ExactSums(bounds.excess)
        for j, weight, gamma, net in self.rows.net_scores(self.model, nu):
            top = max(net.values())
            shifted = [weight * (g - c) for g, c in zip(gamma, self.constants)]
            extent = max(shifted) - min(shifted)
            sums.spread, sums.dual = sums.spread + extent, sums.dual + top
            for i, share in held[j].items():
                sums.primal += weight * share * gamma[i]
                if i in net:
                    sums.losses.append(share * (top - net[i]))
                else:
                    sums.excess = max(sums.excess, share)
                for l in net if self.only_sizes and share > 0 and weight > 0 else ():
                    loss = gamma[i] - gamma[l]
                    if l != i and ((i, l) not in arcs or loss < arcs[i, l]):
                        arcs[i, l] = loss
            own = max(held[j], key=lambda i: held[j][i])
            if self.only_sizes or own not in net:
                continue
            room = self.tolerance * (extent + max(abs(weight * gamma[i] - value) for i, value in net.items()))
            for l, value in net.items():
                tie = Tie(j, own, l, net[own] - value)
                if l != own and held[j].get(l):
                    sums.splits.append(tie)
                elif l != own and abs(tie.margin) <= room:
                    sums.near.append(tie)
                if tie.margin < 0:
                    sums.better.add((j, l))
        for q, price in enumerate(nu):
            bound = bounds.priced(q, price)
            sums.losses.append(abs(price * (bounds.reached[q] - bound)))
            sums.dual += price * bound
        return sums


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


Equation = tuple[dict[Hashable, Fraction], Fraction]  # coefficients by unknown, and the right-hand side


class Solved:
    """Linear equations solved as they come, each for one unknown in terms of those that are free (Gauss and Jordan)."""

    def __init__(self) -> None:
        self.by_unknown: dict[Hashable, Equation] = {}

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

    def value(self, unknown: Hashable, given: Mapping[Hashable, Fraction]) -> Fraction:
        """An unknown, where those that are free have the values given."""
        row, right = self.by_unknown.get(unknown, ({}, given[unknown]))
        return right - sum((a * given[p] for p, a in row.items() if p != unknown), ZERO)


def _minus(equation: Equation, factor: Fraction, other: Equation) -> Equation:
    """An equation less a factor times another."""
    row = {q: equation[0].get(q, ZERO) - factor * other[0].get(q, ZERO) for q in {**equation[0], **other[0]}}
    return {q: a for q, a in row.items() if a}, equation[1] - factor * other[1]


def mended_shares(rows: ExactRows, held: Held, tolerance: Fraction) -> tuple[Held, list[Fraction]]:
    """Shares of the split points with which rows that nearly meet a bound meet it, and the values of all rows."""
    split = {j: shares for j, shares in enumerate(held) if len(shares) > 1}
    known = rows.reached((j, shares) for j, shares in enumerate(held) if len(shares) == 1)
    given = [a + b for a, b in zip(known, rows.reached(split.items()))]
    unknown: dict[Hashable, Fraction] = {(j, i): share for j, shares in split.items() for i, share in shares.items()}
    _refuse_many(len(unknown), "shares of split points")
    solved, by_row = Solved(), [dict[Hashable, Fraction]() for _ in known]
    for j, shares in split.items():
        solved.add(({(j, i): ONE for i in shares}, ONE))
        for i in shares:
            for q, a in rows.coefficients(j, i).items():
                by_row[q][j, i] = a
    for q, extent in enumerate(rows.extents):
        for bound in (rows.lower[q], rows.upper[q]):
            if bound is not None and abs(given[q] - bound) <= tolerance * extent:
                solved.add((by_row[q], bound - known[q]))
    mended = {j: {i: solved.value((j, i), unknown) for i in shares} for j, shares in split.items()}
    if any(share < 0 for shares in mended.values() for share in shares.values()):
        return held, given
    reached = [a + b for a, b in zip(known, rows.reached(mended.items()))]
    return [mended.get(j, shares) for j, shares in enumerate(held)], reached


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
        solved.add((dict(row.items()), tie.margin + sum((a * nu[q] for q, a in row.items()), ZERO)))
    given: dict[Hashable, Fraction] = dict(enumerate(nu))
    return [solved.value(q, given) for q in given]


def _refuse_many(count: int, what: str) -> None:
    """Refuse systems of too many unknowns."""
    if count > MOST_UNKNOWNS:
        raise CapabilityError(
            f"the check in rational arithmetic solves for at most {MOST_UNKNOWNS} {what}, here are {count}: use "
            f"verify() without exact=True"
        )
