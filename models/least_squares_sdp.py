"""A semidefinite relaxation of least-squares clustering within size bounds, and bounds that hold for certain.

Write a clustering as the projector Z = sum_i 1_{C_i} 1_{C_i}' / |C_i|. Then the within-cluster sum of squares is
<C, Z> with C_ij = |x_i - x_j|^2 / 2, and Z satisfies

    (1)  Z 1 = 1,   0 <= Z <= I (as matrices),   tr Z = number of non-empty clusters
    (2)  Z_ij >= 0,   1 / max_i u_i <= Z_jj <= 1 / max(1, min_i l_i),   Z_ij <= 1 / max(1, min_i l_i)
    (3)  Z_ij <= Z_ii                              (pairs)
    (4)  Z_ij + Z_ih - Z_jh <= Z_ii                (triangles)

Minimising <C, Z> over (1)-(4) is the relaxation of Peng and Wei (2007) with size bounds and triangle cuts.

Safe bound. For ANY multipliers of (2)-(4), collected in a symmetric matrix M whose support over (2)-(4) is known,

    (5)  <C, Z>  >=  min over (1) of <C + M, Z>  -  max over (2)-(4) of <M, Z>

and the first minimum is explicit (Fan 1949): 1'(C + M)1 / n plus the sum of the smallest eigenvalues of C + M
on the complement of the vector 1. So a bound needs no convergence, only one eigenvalue decomposition, and the
primal iterate is never trusted.

Rounding. C holds differences of the points as given, so that each entry has a relative error of (d + 2) u and <C, Z>,
a sum of terms >= 0, no more. What the eigenvalues and the sums of multipliers err by is bounded, `fan_bound`. Points
are divided by a power of two first, which changes no digit.

Method. Alternating directions between (1), whose projection is one eigenvalue decomposition, and (2)-(4), whose
projection is approximated by warm coordinate ascent; violated cuts are separated as it goes.

References: Peng and Wei, SIAM J. Optim. 18 (2007); Piccialli, Sudoso and Wiegele, INFORMS J. Comput. 34 (2022);
Fan, PNAS 35 (1949).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from ..base.checks import finite_rows
from ..base.deadline import Deadline
from ..base.errors import InvalidInputError
from ._fan_bound import fan_bound
from ._sdp_projection import off_ones, project_projectors
from .bound import Bound
from .objective_interval import ROUNDOFF, TINY, checked_range, pairwise_squares, power_of_two
from .polytope import PartitionPolytope

CHECKED = 2.0  # seconds of a safe bound in decompositions
COST_SECONDS = 5e-9  # seconds an entry of C and feature, on a slow machine
PATIENCE = 15  # rounds without a gain of a twentieth of the gap after which no more is expected


@dataclass(frozen=True, eq=False)
class LeastSquaresSDP:
    """The relaxation (1)-(4) of minimising the within-cluster sum of squares over a partition polytope.

    Parameters
    ----------
    X : (n, d) array_like
        Points.
    polytope : PartitionPolytope
        Size bounds; weights are not supported.

    Raises
    ------
    InvalidInputError
        When the polytope has weights or another number of points, or a coordinate exceeds 1e150.
    InfeasibleBoundsError
        When no clustering satisfies the bounds.

    Notes
    -----
    A valid lower bound whatever the time spent; tight on many real tables once triangle cuts are in. Memory
    O(n^2), one step O(n^3), one separation O(n^3).

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.models import LeastSquaresSDP, PartitionPolytope
    >>> X = np.array([[0.0], [1.0], [10.0], [11.0]])
    >>> bound = LeastSquaresSDP(X, PartitionPolytope(4, 2, 2, n_clusters=2)).bound(upper=1.0)
    >>> bool(bound.gap < 1e-3)
    True
    """

    X: NDArray[np.float64]
    polytope: PartitionPolytope

    def __post_init__(self) -> None:
        X = finite_rows(self.X, n_rows=self.polytope.n_points).copy()
        if self.polytope.weights is not None:
            raise InvalidInputError("weights were given: the relaxation is for points of equal weight, drop them")
        self.polytope.check()
        object.__setattr__(self, "X", checked_range(X))

    @cached_property
    def unit(self) -> float:
        """The power of two by which points are divided before anything is computed."""
        return power_of_two(self.X)

    @cached_property
    def scaled_cost(self) -> NDArray[np.float64]:
        """C (n, n) of the divided points."""
        return 0.5 * pairwise_squares(self.X / self.unit)

    @property
    def cost(self) -> NDArray[np.float64]:
        """C (n, n), half the squared distances."""
        return self.scaled_cost * self.unit**2

    @cached_property
    def n_filled(self) -> tuple[int, int]:
        """Smallest and largest number of non-empty clusters."""
        lower, upper = self.polytope.lower, np.minimum(self.polytope.upper, self.polytope.n_points)
        most = min(int((upper >= 1).sum()), self.polytope.n_points)
        rooms = np.concatenate([upper[lower >= 1], np.sort(upper[lower < 1])[::-1]])
        must = int((lower >= 1).sum())
        enough = int(np.searchsorted(np.cumsum(rooms), self.polytope.n_points)) + 1
        return max(must, min(enough, most)), most

    @property
    def entry_bounds(self) -> tuple[float, float]:
        """Least diagonal entry, and greatest entry, of (2)."""
        upper = min(float(self.polytope.upper.max()), self.polytope.n_points)
        return 1.0 / upper, 1.0 / max(1.0, float(self.polytope.lower.min()))

    def spectral_bound(self, multipliers: NDArray[np.float64]) -> float:
        """At most the minimum over (1) of <C + M, Z> for a symmetric M (n, n), rounded down by what can be lost."""
        # C is off by (d + 2) u an entry, and |<E, Z>| <= |E| |Z| with |Z|^2 <= tr Z
        lost = (self.X.shape[1] + 4) * ROUNDOFF * float(np.linalg.norm(self.scaled_cost)) * np.sqrt(self.n_filled[1])
        return self.unit**2 * (self._scaled_bound(multipliers / self.unit**2) - lost)

    def _scaled_bound(self, multipliers: NDArray[np.float64]) -> float:
        matrix = self.scaled_cost + multipliers
        low, high = self.n_filled
        # one rounding an entry, as above
        return fan_bound(matrix, low, high) - ROUNDOFF * float(np.linalg.norm(matrix)) * np.sqrt(high)

    def _safe(self, scaled: float) -> float:
        """A bound on <C, Z> for the points as given, from one for the rounded C of the divided points."""
        n, d = self.X.shape
        value = scaled * (1.0 - (d + 8) * ROUNDOFF) - n * d * TINY
        return max(0.0, value * self.unit**2)  # a sum of squares is at least 0

    def bound(
        self,
        upper: float | None = None,
        *,
        gap: float = 1e-4,
        time_limit: float | None = None,
        max_rounds: int = 400,
        progress: Callable[[float, float], None] | None = None,
    ) -> Bound:
        """A certain lower bound on the within-cluster sum of squares.

        Parameters
        ----------
        upper : float, optional
            Value of a known clustering; without one the upper end of the interval is infinite.
        gap : float
            Stop when (upper - lower) / upper is at most this.
        time_limit : float, optional
            Seconds; the bound is valid whenever it stops.
        max_rounds : int
            Rounds of 50 steps and one separation.
        progress : callable, optional
            Called with (lower, seconds) after every round.

        Returns
        -------
        Bound
            ``proof`` is "sdp dual".
        """
        best, _ = self.relax(upper, gap=gap, time_limit=time_limit, max_rounds=max_rounds, progress=progress)
        return Bound(best, np.inf if upper is None else upper, "sdp dual")

    def relax(
        self,
        upper: float | None = None,
        *,
        gap: float = 1e-4,
        time_limit: float | Deadline | None = None,
        max_rounds: int = 400,
        progress: Callable[[float, float], None] | None = None,
    ) -> tuple[float, NDArray[np.float64]]:
        """Lower bound as in `bound`, and the last relaxed projector Z (n, n), useful for rounding."""
        deadline, n = time_limit if isinstance(time_limit, Deadline) else Deadline(time_limit), len(self.X)
        best, stalled = 0.0, 0
        if not deadline.allows(COST_SECONDS * n * self.X.size):
            return best, np.full((n, n), 1.0 / n)
        state = _State.start(self)
        state.seconds = 0.0 if deadline.seconds is None else _eigen_seconds(n)
        for _ in range(max_rounds):
            state.advance(self, 50, deadline)
            if not deadline.allows(CHECKED * state.seconds):
                break
            value = self._safe(state.safe_bound(self))
            stalled = stalled + 1 if value <= best + 0.05 * gap * abs(best) else 0
            best = max(best, value)
            if progress is not None:
                progress(best, deadline.elapsed)
            closed = upper is not None and upper - best <= gap * abs(upper)
            if closed or stalled >= PATIENCE or not deadline.allows(2.0 * state.seconds):
                break
            state.separate(self)
        return float(best), state.W


def _eigen_seconds(n: int) -> float:
    """About what one decomposition of an (n, n) matrix takes on this machine, from one of at most (200, 200)."""
    small = min(n, 200)
    matrix = np.random.default_rng(0).normal(size=(small, small))
    times = []
    for _ in range(3):
        started = perf_counter()
        np.linalg.eigh(matrix + matrix.T)
        times.append(perf_counter() - started)
    return min(times) * (n / small) ** 3


@dataclass(eq=False)
class _State:
    """Iterates of the alternating directions: Z in (1), W in (2)-(4), U their scaled multiplier."""

    W: NDArray[np.float64]
    U: NDArray[np.float64]
    rho: float
    cuts: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 3), dtype=np.int64))
    multipliers: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    residuals: tuple[float, float] = (1.0, 1.0)
    rank: int | None = None
    seconds: float = 0.0  # the longest that a step took or is expected to take

    @classmethod
    def start(cls, model: LeastSquaresSDP) -> _State:
        n = len(model.scaled_cost)
        spread = float(np.linalg.norm(off_ones(model.scaled_cost))) or 1.0
        W = np.full((n, n), 1.0 / n)
        return cls(W, np.zeros((n, n)), rho=spread / np.sqrt(model.n_filled[1]))

    def advance(self, model: LeastSquaresSDP, steps: int, deadline: Deadline) -> None:
        """At most so many steps, as long as the time for a safe bound is left."""
        from ._sdp_kernels import ascend, shift_by_cuts

        low, top = model.entry_bounds
        diagonal = np.diag_indices(len(self.W))
        for _ in range(steps):
            started = perf_counter()
            if not deadline.allows((1.0 + CHECKED) * self.seconds):
                break
            Z, self.rank = project_projectors(self.W - self.U - model.scaled_cost / self.rho, model.n_filled, self.rank)
            Z = 1.6 * Z - 0.6 * self.W  # over-relaxation
            V = Z + self.U
            point = V.copy()
            shift_by_cuts(V, self.cuts, self.multipliers, -1.0)
            ascend(V, self.cuts, self.multipliers, (low, top), top, 2)
            old, self.W = self.W, np.clip(V, 0.0, top)
            self.W[diagonal] = np.clip(V[diagonal], low, top)
            self.U = point - self.W
            primal, dual = float(np.linalg.norm(Z - self.W)), float(np.linalg.norm(self.W - old))
            self.residuals = (0.9 * self.residuals[0] + 0.1 * primal, 0.9 * self.residuals[1] + 0.1 * dual)
            self.seconds = max(self.seconds, perf_counter() - started)
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

    def safe_bound(self, model: LeastSquaresSDP) -> float:
        """The bound (5) for the current multipliers, of the divided points."""
        from ._sdp_kernels import shift_by_cuts

        low, top = model.entry_bounds
        box = self.U.copy()
        shift_by_cuts(box, self.cuts, self.multipliers, -1.0)
        # the cuts' part supports (3)-(4) at 0; what is left is priced over the box (2)
        box = self.rho * (0.5 * (box + box.T))
        prices = self.rho * self.multipliers
        M = box.copy()
        shift_by_cuts(M, self.cuts, prices, 1.0)
        diagonal = np.diag(box)
        off = np.maximum(box, 0.0)
        np.fill_diagonal(off, 0.0)
        support = float(np.maximum(diagonal * low, diagonal * top).sum() + top * off.sum())
        # M is the box and the cuts up to the rounding of these additions, which is priced over the box as well, and
        # the support is a sum of n^2 terms; the coefficients of a cut sum to 4 in absolute values
        size = top * (float(np.abs(box).sum()) + 4.0 * float(np.abs(prices).sum()))
        additions = int(np.bincount(self.cuts.ravel() + 1, minlength=1)[1:].max(initial=0)) + 2 * len(box) + 8
        return model._scaled_bound(M) - support - additions * ROUNDOFF * size

    def separate(self, model: LeastSquaresSDP) -> None:
        """Add the most violated cuts of W, drop those that neither bind nor pay."""
        from ._sdp_kernels import worst_cuts

        n, (_, top) = len(self.W), model.entry_bounds
        third, violation = worst_cuts(np.ascontiguousarray(self.W), 2, 1e-4 * top)
        i, j, slot = np.nonzero(third > -2)
        order = np.argsort(-violation[i, j, slot], kind="stable")[: 20 * n]
        new = np.column_stack([i, j, third[i, j, slot]])[order]
        keep = self.multipliers > 1e-7 * top
        cuts = np.concatenate([self.cuts[keep], new])
        multipliers = np.concatenate([self.multipliers[keep], np.zeros(len(new))])
        # U holds the dropped cuts' part as well: it becomes part of the box multiplier, which stays valid in (5)
        _, first = np.unique(cuts, axis=0, return_index=True)
        first.sort()
        self.cuts, self.multipliers = cuts[first], multipliers[first]
