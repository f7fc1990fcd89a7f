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

`partitope.solvers.sdp_bound` finds multipliers.

References: Peng and Wei, SIAM J. Optim. 18 (2007); Piccialli, Sudoso and Wiegele, INFORMS J. Comput. 34 (2022);
Fan, PNAS 35 (1949).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..base.moved import former_names, moved
from .fan_bound import fan_bound
from .objective_interval import ROUNDOFF, TINY, pairwise_squares, points_of_equal_weight, power_of_two
from .polytope import PartitionPolytope

__getattr__ = former_names(__name__)


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
    Tight on many real tables once triangle cuts are in. `partitope.solvers.sdp_bound` finds multipliers; any will do.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.models import LeastSquaresSDP, PartitionPolytope
    >>> relaxation = LeastSquaresSDP(np.array([[0.0], [1.0], [9.0], [10.0]]), PartitionPolytope(4, 2, 2, n_clusters=2))
    >>> relaxation.entry_bounds, bool(relaxation.spectral_bound(np.zeros((4, 4))) <= 1.0)
    ((0.5, 0.5), True)
    """

    X: NDArray[np.float64]
    polytope: PartitionPolytope

    def __post_init__(self) -> None:
        object.__setattr__(self, "X", points_of_equal_weight(self.X, self.polytope, "the relaxation"))

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
        return self.unit**2 * (self.scaled_bound(multipliers / self.unit**2) - lost)

    def scaled_bound(self, multipliers: NDArray[np.float64]) -> float:
        """`spectral_bound` for the rounded C of the divided points, multipliers in its units."""
        matrix = self.scaled_cost + multipliers
        low, high = self.n_filled
        # one rounding an entry, as above
        return fan_bound(matrix, low, high) - ROUNDOFF * float(np.linalg.norm(matrix)) * np.sqrt(high)

    def safe(self, scaled: float) -> float:
        """A bound on <C, Z> for the points as given, from one for the rounded C of the divided points."""
        n, d = self.X.shape
        value = scaled * (1.0 - (d + 8) * ROUNDOFF) - n * d * TINY
        return max(0.0, value * self.unit**2)  # a sum of squares is at least 0

    bound = moved("solvers.global_optimum.sdp:sdp_bound")
    relax = moved("solvers.global_optimum.sdp:sdp_relaxation")
