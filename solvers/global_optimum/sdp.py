"""The semidefinite relaxation of `programs/least_squares_sdp.py`: alternating directions with triangle cuts.

One direction projects on (1) of the relaxation, by one eigenvalue decomposition, the other on (2)-(7), approximately,
by warm coordinate ascent. Nothing here has to be trusted: any multipliers give a bound that holds, by (8).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline, clock
from ...base.threads import share
from ...models.objectives.interval import ROUNDOFF
from ...models.programs.least_squares_sdp import LeastSquaresSDP
from .directions import violated
from .integer_cuts import violated_integers
from .projectors import off_vector, project_projectors
from .sdp_kernels import WIDTH, ascend, ascend_squares, shift_by_cuts, shift_by_squares, worst_cuts

CHECKED = 2.0  # A safe bound takes as long as about two eigendecompositions.


def time_for_bounds(model: LeastSquaresSDP, deadline: Deadline, count: int = 1) -> bool:
    """Whether matrices and this many steps with a safe bound fit in the time, from decompositions of few points."""
    if deadline.left is None:
        return True
    n, d = model.X.shape
    small = min(n, 200)
    matrix = np.random.default_rng(0).normal(size=(small, small))
    started = clock()
    for _ in range(3):
        np.linalg.eigh(matrix + matrix.T)
    decomposition = (clock() - started) / 3.0 * (n / small) ** 3
    # and passes over the entries of a matrix: 20, and one per feature, at 5 ns per entry on a slow machine
    return count * (1.0 + CHECKED) * decomposition + 5e-9 * n * n * (20 + d) < deadline.left


def too_large(model: LeastSquaresSDP, deadline: Deadline) -> bool:
    """Whether there is no time for ten bounds; beyond 2500 points an (n, n) relaxation is too slow in any case."""
    return len(model.X) > 2500 or not time_for_bounds(model, deadline, 10)


@dataclass(eq=False)
class Iterates:
    """Iterates of the alternating directions: Y in (1), W in (2)-(7), U their scaled multiplier."""

    W: NDArray[np.float64]
    U: NDArray[np.float64]
    rho: float
    cuts: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, WIDTH), dtype=np.int64))  # (m, WIDTH)
    multipliers: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))  # (m,): Multipliers of the cuts.
    lines: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0)))  # (p, b): Lines v in (6) and (7).
    slopes: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))  # (p,): Coefficients of these lines.
    limits: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))  # (p,): Right-hand sides of the lines.
    paid: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))  # (p,): Multipliers of the lines.
    residuals: tuple[float, float] = (1.0, 1.0)
    rank: int | None = None
    seconds: float = 0.0  # Longest time of a recent or expected step, in seconds.
    rounds: int = 0  # Separations so far.

    @classmethod
    def start(cls, model: LeastSquaresSDP) -> Iterates:
        """Iterates before the first step."""
        unit = model.roots / np.linalg.norm(model.roots)
        spread = float(np.linalg.norm(off_vector(model.scaled_cost, unit))) or 1.0
        b = len(unit)
        state = cls(np.outer(unit, unit), np.zeros((b, b)), rho=spread / np.sqrt(model.n_filled[1]))
        state.lines = np.zeros((0, b))
        return state

    def restricted(self, old: LeastSquaresSDP, new: LeastSquaresSDP) -> Iterates:
        """The iterates and multipliers for further links: rows of blocks that become one are put together."""
        first = np.unique(old.blocks, return_index=True)[1][-len(old.masses) :]  # a point of every block
        into, b = new.blocks[first], len(new.masses)
        member = np.zeros((len(first), b))
        member[np.arange(len(first)), into] = 1.0
        before, after = np.outer(old.roots, old.roots), np.outer(new.roots, new.roots)
        W = member.T @ (self.W * before) @ member / after
        U = member.T @ (self.U * before) @ member / after
        cuts = np.where(self.cuts >= 0, into[self.cuts], -1)
        ordered = np.sort(cuts, axis=1)
        kept = ~((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).any(axis=1)
        cuts, first = np.unique(cuts[kept], axis=0, return_index=True)
        rank = None if self.rank is None else min(self.rank, b)
        multipliers, lines = self.multipliers[kept][first], self.lines @ member
        return replace(self, W=W, U=U, cuts=cuts, multipliers=multipliers, lines=lines, rank=rank)

    def advance(self, model: LeastSquaresSDP, steps: int, deadline: Deadline) -> None:
        """At most this many steps, as long as the time for a safe bound is left."""
        (low, high), inverse = model.box, 1.0 / model.roots
        unit, scaled = model.roots / np.linalg.norm(model.roots), self.lines * inverse
        for _ in range(steps):
            started = clock()
            if not deadline.allows((1.0 + CHECKED) * self.seconds):
                break
            target = self.W - self.U - model.scaled_cost / self.rho
            rough = self.residuals[0] > 1e-4  # single precision is good enough
            Y, self.rank = project_projectors(target, model.n_filled, self.rank, unit, rough)
            Y = 1.6 * Y - 0.6 * self.W  # over-relaxation
            V = Y + self.U
            point = V.copy()
            self._add_cuts(V, model, -1.0)
            for _ in range(2):
                ascend_squares(V, scaled, self.slopes, self.limits, self.paid, low, high, inverse)
                ascend(V, self.cuts, self.multipliers, low, high, inverse, 1)
            old, self.W = self.W, np.clip(V, low, high)
            self.U = point - self.W
            primal, dual = float(np.linalg.norm(Y - self.W)), float(np.linalg.norm(self.W - old))
            self.residuals = (0.9 * self.residuals[0] + 0.1 * primal, 0.9 * self.residuals[1] + 0.1 * dual)
            self.seconds = max(0.8 * self.seconds, clock() - started)
        self._balance()

    def _balance(self) -> None:
        """Keep primal and dual residuals of one size."""
        primal, dual = self.residuals
        factor = 1.0
        if primal > 3.0 * dual:
            factor = 1.5
        elif dual > 3.0 * primal:
            factor = 1.0 / 1.5
        self.rho *= factor
        self.U /= factor
        self.multipliers /= factor
        self.paid /= factor

    def _add_cuts(self, V: NDArray[np.float64], model: LeastSquaresSDP, sign: float) -> None:
        """V += sign times the cuts' coefficients (b, b) of Y, each times its scaled multiplier."""
        inverse = 1.0 / model.roots
        shift_by_cuts(V, self.cuts, self.multipliers, inverse, sign)
        shift_by_squares(V, self.lines * inverse, self.slopes, self.paid, inverse, sign)

    def box_prices(self, model: LeastSquaresSDP) -> NDArray[np.float64]:
        """What is left of the multipliers when the parts of the cuts (3)-(7) are taken out."""
        box = self.U.copy()
        self._add_cuts(box, model, -1.0)
        return self.rho * (0.5 * (box + box.T))

    def safe_bound(self, model: LeastSquaresSDP) -> float:
        """The bound (8) for the current multipliers, of the divided points."""
        (low, high), inverse = model.box, 1.0 / model.roots
        box, prices = self.box_prices(model), self.rho * self.multipliers
        scaled, paid = self.lines * inverse, self.rho * self.paid
        M = box / self.rho
        self._add_cuts(M, model, 1.0)
        M *= self.rho
        support = float(np.maximum(box * low, box * high).sum()) + float(paid @ self.limits)
        # M is the box and the cuts up to the rounding of these additions, which is priced over the box as well, and
        # the support is a sum of b^2 terms; coefficients of a cut sum to at most 1 + 4 + 6 in absolute values, each a
        # multiple of an entry of Z, which is at most one over a mass
        size = float((np.abs(box) * high).sum()) + 11.0 * float(prices.sum()) * float((inverse**2).max())
        size += float(paid @ ((np.abs(scaled) @ high) * np.abs(scaled)).sum(axis=1)) + float(paid @ self.limits)
        size += float((paid * self.slopes) @ (np.abs(scaled) @ (inverse * np.diag(high))))
        additions = int(np.bincount(self.cuts.ravel() + 1, minlength=1)[1:].max(initial=0)) + 2 * len(box) + 12
        additions += 2 * len(scaled) + 12
        return model.scaled_bound(M) - support - additions * ROUNDOFF * size

    def separate(self, model: LeastSquaresSDP, deadline: Deadline) -> None:
        """Add the most violated cuts of W, drop those that neither bind nor pay."""
        inverse, (_, high) = 1.0 / model.roots, model.box
        Z = self.W * np.outer(inverse, inverse)
        top = float(np.median(np.diag(high) * inverse**2))  # few shared points weigh much less than the others
        rows = max(1, 10_000_000 // len(Z) ** 2)  # triangles between two readings of the clock
        slices = -(-len(Z) // rows)
        parts = [worst_cuts(Z, 0, 0, 2, 0.0)] * slices

        def look(start: int, stop: int) -> None:
            for i in range(start, stop):
                if not deadline.allows():
                    break
                parts[i] = worst_cuts(Z, i * rows, (i + 1) * rows, 2, 1e-4 * top)

        share(look, slices)
        new, violation = (np.concatenate(part) for part in zip(*parts))
        new = new[np.argsort(-violation, kind="stable")[: 20 * len(Z)]]
        keep = self.multipliers > 1e-7 * top
        cuts = np.concatenate([self.cuts[keep], new])
        multipliers = np.concatenate([self.multipliers[keep], np.zeros(len(new))])
        # U holds the dropped cuts' part as well: it becomes part of the box multiplier, which stays valid in (8)
        _, first = np.unique(cuts, axis=0, return_index=True)
        first.sort()
        self.cuts, self.multipliers = cuts[first], multipliers[first]
        # a search for whole numbers takes longer than all the rest: triangles come first, as long as they are many
        self._separate_lines(model, Z, deadline, integers=len(new) <= len(Z))

    def _separate_lines(
        self, model: LeastSquaresSDP, Z: NDArray[np.float64], deadline: Deadline, integers: bool
    ) -> None:
        self.rounds += 1
        lines, limits = violated(model, Z, self.rounds, deadline)
        rows, slopes, more = np.zeros((0, len(Z))), np.zeros(0), np.zeros(0)
        if integers:
            rows, slopes, more = violated_integers(model, Z, self.rounds, deadline)
        keep, none = self.paid > 1e-7 * self.paid.max(initial=0.0), np.zeros(len(limits))
        self.lines = np.concatenate([self.lines[keep], lines, rows])
        self.slopes = np.concatenate([self.slopes[keep], none, slopes])
        self.limits = np.concatenate([self.limits[keep], limits, more])
        self.paid = np.concatenate([self.paid[keep], none, np.zeros(len(more))])
