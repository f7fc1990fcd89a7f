"""A semidefinite relaxation of least-squares clustering within size bounds, and bounds that hold for certain.

Points that must be together are one block; b and c are blocks of mass w_b (points, or sums of weights), C_i a cluster
of mass w(C_i). Write a clustering as Z_bc = 1 / w(C_i) where b and c are in the same C_i, and 0 elsewhere. With D the
diagonal matrix of square roots of masses, Y = D Z D is a projector, and the within-cluster sum of squares is <C, Y>,
C = D^-1 A D^-1, where A_bc is the sum over points p of b and q of c of w_p w_q |x_p - x_q|^2 / 2. For points of weight
one without links Y = Z, and C holds half the squared distances. With v the diagonal of D,

    (1)  Y v = v,   0 <= Y <= I (as matrices),   tr Y = number of non-empty clusters
    (2)  1 / u_b <= Z_bb <= 1 / max(w_b, min_i l_i)       u_b the largest cluster in which b can be
         0 <= Z_bc <= 1 / max(w_b + w_c, min_i l_i),      0 for blocks that cannot be together
    (3)  Z_bc <= Z_bb                                     (pairs)
    (4)  Z_bc + Z_be - Z_ce <= Z_bb                       (triangles)
    (5)  sum_{c in T} Z_bc - sum_{c < e in T} Z_ce <= Z_bb     (cliques of b and more than two others)

    (6)  v'Zv <= h(v) for any numbers v_b of the blocks,  h(v) the largest sum of v(C_i)^2 / w(C_i) within the bounds
    (7)  (2 t + 1) sum_b v_b Z_bb - v'Zv <= t (t + 1) H   for whole numbers t and v_b,  H >= sum_i 1 / w(C_i)

Minimising <C, Y> over (1)-(4) is the relaxation of Peng and Wei (2007) with size bounds and triangle cuts. (5) holds
because a cluster that contains b and m blocks of T adds m - m (m - 1) / 2 <= 1 over its mass on the left, and one that
does not contain b nothing positive. (6) is the problem itself for points on a line, which is easy where points have
weight one, see `partitope.solvers.global_optimum.directions`. (7) is the sum of (v(C_i) - t) (v(C_i) - t - 1) / w(C_i),
none of which is negative, as no whole number is between t and t + 1; (3)-(5) are cases of it with t = 0. With t = 1
it says that of one point more than there are clusters two are together. From l <= w(C) <= u follows
1 / w(C) <= (l + u - w(C)) / (l u), and so H = (k (l + u) - sum of all masses) / (l u).

Safe bound. For ANY multipliers of (2)-(7), collected in a symmetric matrix M whose support over (2)-(7) is known,

    (8)  <C, Y>  >=  min over (1) of <C + M, Y>  -  max over (2)-(7) of <M, Y>

and the first minimum is explicit (Fan 1949): v'(C + M)v / v'v plus the sum of the smallest eigenvalues of C + M
on the complement of v. So a bound needs no convergence, only one eigenvalue decomposition, and the
primal iterate is never trusted.

Rounding. A holds differences of the points as given, so that each entry has a relative error of (2 n + d + 4) u and
<A, Z>, a sum of terms >= 0, no more. What the eigenvalues and the sums of multipliers err by is bounded, `fan_bound`.
Points and weights are divided by a power of two first, which changes no digit.

`partitope.solvers.solve_global` finds multipliers.

References: Peng and Wei, SIAM J. Optim. 18 (2007); Piccialli, Sudoso and Wiegele, INFORMS J. Comput. 34 (2022);
Grötschel and Wakabayashi, Math. Programming 47 (1990), for (5); Fan, PNAS 35 (1949).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...base.checks import finite_rows, instance_of, single_number, whole_number
from ...base.errors import InvalidInputError
from ...base.one_line import OneLine
from ..formats.arrays import Block, BlockRows
from ..objectives.fan_bound import fan_bound
from ..objectives.interval import ROUNDOFF, TINY, pairwise_squares, points_of, power_of_two
from ..polytope.links import Links
from ..polytope.polytope import PartitionPolytope
from .program import Program


@dataclass(frozen=True, eq=False, repr=False)
class LeastSquaresSDP(OneLine):
    """The relaxation (1)-(7) of minimising the within-cluster sum of squares over a partition polytope.

    Parameters
    ----------
    X : (n, d) array_like
        Points.
    polytope : PartitionPolytope
        Size bounds, weights, and clusters that may stay closed, whose costs are not counted; points are not split.
    links : Links, optional
        Points that must, and that cannot, be together.

    Raises
    ------
    InvalidInputError
        When the polytope or the links are for another number of points, or a coordinate exceeds 1e150.
    CapabilityError
        When the polytope has masks or side constraints.
    InfeasibleBoundsError
        When no clustering satisfies the bounds.

    Notes
    -----
    Tight on many real tables once cuts are in. `partitope.solvers.global_optimum.sdp` finds multipliers; any will do.
    Matrices have a row and a column per block: (b, b), where b = n without must-links. A point without weight is in no
    block.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.models import LeastSquaresSDP, Links, PartitionPolytope
    >>> X, polytope = np.array([[0.0], [1.0], [9.0], [10.0]]), PartitionPolytope(4, 2, 2, n_clusters=2)
    >>> relaxation = LeastSquaresSDP(X, polytope)
    >>> relaxation.entry_bounds, bool(relaxation.spectral_bound(np.zeros((4, 4))) <= 1.0)
    ((0.5, 0.5), True)
    >>> LeastSquaresSDP(X, polytope, Links(4, must=[(0, 3)])).masses
    array([2., 1., 1.])
    """

    X: NDArray[np.float64]
    polytope: PartitionPolytope
    links: Links | None = None

    def __post_init__(self) -> None:
        points = points_of(self.X, self.polytope, "the relaxation")
        if self.links is not None:
            _check_links(self.links, len(points))
        object.__setattr__(self, "X", points)

    def with_links(self, links: Links) -> LeastSquaresSDP:
        """The same points and bounds under other links; what is known of all pairs of points is kept.

        Raises
        ------
        InvalidInputError
            When they are not links of these points.
        """
        _check_links(links, len(self.X))
        other = object.__new__(LeastSquaresSDP)
        for name, value in (("X", self.X), ("polytope", self.polytope), ("links", links)):
            object.__setattr__(other, name, value)
        other.__dict__["_pairs"] = self._pairs
        return other

    @cached_property
    def unit(self) -> float:
        """The power of two by which points are divided before anything is computed."""
        return power_of_two(self.X)

    @cached_property
    def _weights(self) -> NDArray[np.float64]:
        """Weights (n,), divided by a power of two."""
        return self.polytope.point_weights / self._weight_unit

    @cached_property
    def _weight_unit(self) -> float:
        weights = self.polytope.weights
        return 1.0 if weights is None else power_of_two(weights)

    @property
    def _scale(self) -> float:
        """What a scaled objective is multiplied by."""
        return self.unit**2 * self._weight_unit

    @cached_property
    def _pairs(self) -> NDArray[np.float64]:
        """w_p w_q |x_p - x_q|^2 / 2 (n, n) of the divided points and weights."""
        return 0.5 * pairwise_squares(self.X / self.unit) * np.outer(self._weights, self._weights)

    @cached_property
    def blocks(self) -> NDArray[np.int64]:
        """Block (n,) of every point, -1 for those that have no weight."""
        raw = np.arange(len(self.X)) if self.links is None else self.links.blocks
        heavy = np.bincount(raw, self._weights) > 0
        return np.where(heavy, np.cumsum(heavy) - 1, -1)[raw].astype(np.int64)

    @cached_property
    def masses(self) -> NDArray[np.float64]:
        """Mass (b,) of every block, divided like the weights."""
        kept = self.blocks >= 0
        return np.bincount(self.blocks[kept], self._weights[kept]).astype(np.float64)

    @cached_property
    def roots(self) -> NDArray[np.float64]:
        """The vector v (b,) of (1): square roots of the masses."""
        return np.sqrt(self.masses)

    @cached_property
    def apart(self) -> NDArray[np.bool_]:
        """Pairs of blocks (b, b) that cannot be together: by a link, or too heavy for any cluster."""
        w = self.masses
        apart = w[:, None] + w > self._largest * (1.0 + 1e-12)
        if self.links is not None and len(self.links.cannot):
            a, b = self.blocks[self.links.cannot].T
            known = (a >= 0) & (b >= 0)
            apart[a[known], b[known]] = apart[b[known], a[known]] = True
        np.fill_diagonal(apart, False)
        return apart

    def far_pairs(self, value: float) -> NDArray[np.int64]:
        """Pairs (m, 2) of points that are in different blocks and alone cost more than a value if put together."""
        masses, known = self._weights[:, None] + self._weights, self.apart[np.ix_(self.blocks, self.blocks)]
        far = 2.0 * self._pairs > self.enough(value) * masses  # points without weight cost nothing
        far &= ~known & (self.blocks[:, None] != self.blocks)
        return np.argwhere(np.triu(far))

    @cached_property
    def scaled_cost(self) -> NDArray[np.float64]:
        """C (b, b) of the divided points, for pairs that are apart no larger than for others: there Y is 0 anyway."""
        most = np.where(self.apart, 0.0, self._block_cost).max()
        return np.minimum(self._block_cost, most)

    @cached_property
    def _block_cost(self) -> NDArray[np.float64]:
        b = len(self.masses)
        if b == len(self.X):
            return self._pairs / np.outer(self.roots, self.roots)
        member = np.zeros((len(self.X), b))
        kept = self.blocks >= 0
        member[kept, self.blocks[kept]] = 1.0
        return member.T @ self._pairs @ member / np.outer(self.roots, self.roots)

    @property
    def cost(self) -> NDArray[np.float64]:
        """C (b, b): half the squared distances for points of equal weight without must-links."""
        return self._block_cost * self._scale

    @cached_property
    def _bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Size bounds (k,) in the units of the masses, as far out as `PartitionPolytope.contains` allows."""
        total, polytope = float(self._weights.sum()), self.polytope
        slack = 0.0 if polytope.weights is None else 2e-9 * total
        lower = np.maximum(polytope.lower / self._weight_unit - slack, 0.0)
        upper = np.minimum(polytope.upper / self._weight_unit + slack, total * (1.0 + 1e-12))
        # a cluster leaves the others what they need, unless they may be closed
        others = 0.0 if polytope.may_close else lower.sum() - lower
        return lower, np.minimum(upper, total * (1.0 + 1e-12) - others)

    @property
    def _largest(self) -> float:
        """The largest size a cluster can have."""
        return float(self._bounds[1].max())

    @cached_property
    def n_filled(self) -> tuple[int, int]:
        """Smallest and largest number of non-empty clusters."""
        (lower, upper), w, most = self._bounds, self.masses, self.polytope.open_numbers[1]
        most = max(1, min(int((upper >= w.min() * (1.0 - 1e-12)).sum()), len(w), most))
        needed = (lower > 0) & (not self.polytope.may_close)
        rooms = np.concatenate([upper[needed], np.sort(upper[~needed])[::-1]])
        enough = int(np.searchsorted(np.cumsum(rooms), float(w.sum()) * (1.0 - 1e-12))) + 1
        # links may leave fewer blocks than clusters that must not be empty: then no clustering has them
        return min(max(int(needed.sum()), enough), most), most

    @property
    def reciprocals(self) -> float:
        """H of (7), at least the sum of the reciprocals of the sizes of non-empty clusters, rounded up."""
        least, most = (1.0 / entry for entry in reversed(self.entry_bounds))
        k, total = self.n_filled[1], float(self.masses.sum())
        return (k * (least + most) - total) / (least * most) * (1.0 + 1e-12) + 1e-12 * k / least

    @property
    def entry_bounds(self) -> tuple[float, float]:
        """Least diagonal entry, and greatest entry, of Z: (2) without regard to the block."""
        lower = float(self._bounds[0].min())
        return 1.0 / self._largest, 1.0 / max(float(self.masses.min()), lower)

    @cached_property
    def box(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Least and greatest entries (b, b) of Y by (2)."""
        w, smallest = self.masses, float(self._bounds[0].min())
        largest = np.minimum(self._largest, ~self.apart @ w) * (1.0 + 1e-12)
        high = np.where(self.apart, 0.0, 1.0 / np.maximum(w[:, None] + w, smallest))
        low = np.zeros_like(high)
        np.fill_diagonal(high, 1.0 / np.maximum(w, smallest))
        # a block that is too heavy for what others leave makes the box empty: no clustering has these links
        np.fill_diagonal(low, 1.0 / np.maximum(largest, 1e-300))
        scale = np.outer(self.roots, self.roots)
        return low * scale, high * scale

    @property
    def program(self) -> Program:
        """(1)-(3) as a semidefinite program, see `with_cliques`."""
        return self.with_cliques([])

    def with_cliques(self, cliques: Sequence[Sequence[int]]) -> Program:
        """(1)-(3) with some of the cuts (4) and (5) as a program over Y and I - Y, in the units of the points.

        Parameters
        ----------
        cliques : sequence of sequences of int
            The block b and then the blocks of T; three blocks make a triangle.

        Returns
        -------
        Program
            Columns ``Y`` and ``rest``, the upper triangles of Y and I - Y; its value is a lower bound.

        Raises
        ------
        InvalidInputError
            When a clique is not made of two different blocks, or more.

        Notes
        -----
        b (b + 1) columns and about 2 b^2 rows: for some hundred blocks at most.
        """
        import scipy.sparse as sp

        (low, high), v, b = self.box, self.roots, len(self.roots)
        i, h = np.triu_indices(b)
        at, p = np.empty((b, b), dtype=np.int64), i.size
        at[i, h] = at[h, i] = np.arange(p)
        roots = sp.csr_array((np.tile(v, b), (np.repeat(np.arange(b), b), at.ravel())), shape=(b, 2 * p))
        trace = sp.csr_array((np.ones(b), (np.zeros(b, dtype=int), at.diagonal())), shape=(1, 2 * p))
        identity = sp.hstack([sp.eye_array(p), sp.eye_array(p)])
        rows: list[BlockRows] = [(Block.grid("root", b), roots, v, v), (Block.grid("trace", 1), trace, *self.n_filled)]
        rows.append((Block("identity", np.column_stack([i, h])), identity, 1.0 * (i == h), 1.0 * (i == h)))
        # pairs are the smallest cliques
        instance_of(cliques, "cliques", Sequence, "pass tuples of blocks")
        for name, cuts in (("pair", list(itertools.permutations(range(b), 2))), ("clique", cliques)):
            entries = [(q, *entry) for q, clique in enumerate(cuts) for entry in self._clique(clique)]
            if entries:
                q, c, e, sign = (np.array(part) for part in zip(*entries))
                cut = sp.csr_array((sign / (v[c] * v[e]), (q, at[c, e])), shape=(len(cuts), 2 * p))
                rows.append((Block.grid(name, len(cuts)), cut, -np.inf, 0.0))
        free = np.full(p, np.inf)
        return Program.of_blocks(
            np.append(np.where(i == h, 1.0, 2.0) * self.cost[i, h], np.zeros(p)), rows,
            lower=np.append(low[i, h], -free), upper=np.append(high[i, h], free), semidefinite=(at, at + p),
            columns=tuple(Block(name, np.column_stack([i, h])) for name in ("Y", "rest")), name="least_squares",
        )  # fmt: skip

    def _clique(self, blocks: Sequence[int]) -> Iterator[tuple[int, int, float]]:
        """Entries of Z in (5) and their signs."""
        instance_of(blocks, "a clique", Sequence, "pass a tuple of blocks")
        first, *others = numbers = [whole_number(block, "a block", 0, len(self.masses) - 1) for block in blocks] or [0]
        if len(set(numbers)) < max(2, len(numbers)):
            raise InvalidInputError(f"a clique is {tuple(blocks)}: pass two different blocks, or more")
        yield first, first, -1.0
        yield from ((first, other, 1.0) for other in others)
        yield from ((c, e, -1.0) for c, e in itertools.combinations(others, 2))

    def spectral_bound(self, multipliers: NDArray[np.float64]) -> float:
        """At most the minimum over (1) of <C + M, Y> for a symmetric M (b, b), rounded down by what can be lost."""
        # <E, Y> <= |E| |Y| with |Y|^2 <= tr Y
        lost = self._entry_error * float(np.linalg.norm(self.scaled_cost)) * np.sqrt(self.n_filled[1])
        return self._scale * (self._fan_bound(self._checked(multipliers) / self._scale) - lost)

    def scaled_bound(self, multipliers: NDArray[np.float64]) -> float:
        """`spectral_bound` for the rounded C of the divided points, multipliers in its units."""
        return self._fan_bound(self._checked(multipliers))

    def _fan_bound(self, multipliers: NDArray[np.float64]) -> float:
        """`scaled_bound` without a check of its argument."""
        matrix, (low, high) = self.scaled_cost + multipliers, self.n_filled
        # one rounding an entry, as above
        return fan_bound(matrix, low, high, self.roots) - ROUNDOFF * float(np.linalg.norm(matrix)) * np.sqrt(high)

    @property
    def _entry_error(self) -> float:
        """Relative error of an entry of C."""
        plain = len(self.masses) == len(self.X) and self.polytope.weights is None
        return (self.X.shape[1] + 8 + (0 if plain else 2 * len(self.X) + 8)) * ROUNDOFF

    def safe(self, scaled: float) -> float:
        """A bound on <C, Y> for the points as given, from one for the rounded C of the divided points."""
        lost = len(self.X) * self.X.size * TINY / float(self.masses.min())
        value = single_number(scaled, "scaled", finite=False) * (1.0 - self._entry_error) - lost
        return max(0.0, value * self._scale)  # a sum of squares is at least 0

    def enough(self, value: float) -> float:
        """What `scaled_bound` has to reach so that `safe` of it is at least a value, which is positive."""
        lost = len(self.X) * self.X.size * TINY / float(self.masses.min())
        needed = single_number(value, "value", finite=False) / self._scale
        return (needed + 2.0 * lost) * (1.0 + 2.0 * self._entry_error)

    def _checked(self, multipliers: NDArray[np.float64]) -> NDArray[np.float64]:
        """The multipliers; InvalidInputError when they are not finite numbers (b, b)."""
        b = len(self.masses)
        return finite_rows(multipliers, "multipliers", b, b)


def _check_links(links: Links, n_points: int) -> None:
    instance_of(links, "links", Links)
    if links.n_points != n_points:
        raise InvalidInputError(f"links are for {links.n_points} points, X has {n_points} rows: make them agree")
