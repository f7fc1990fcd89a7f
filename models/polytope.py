"""The bounded-shape partition polytope BSPP(k, l, u), written as an assignment polytope.

Sets        points j = 0..n-1, clusters i = 0..k-1
Data        bounds l_i <= u_i, point weights w_j >= 0 (all one unless given)
Variables   xi_ij, the share of point j that lies in cluster i

    (1)  sum_i xi_ij        = 1                 for every point j
    (2)  l_i <= sum_j w_j xi_ij <= u_i          for every cluster i
    (3)  0 <= xi_ij <= 1

Without weights the matrix of (1)-(2) is the incidence matrix of a bipartite network, hence totally
unimodular: every vertex is a clustering (see the dissertation cited in the README, section 4.1).
With weights a vertex may split at most k - 1 points. The upper bound in (3) is implied by (1); it is written
out because simplex codes are far faster with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.checks import whole_number
from ..base.errors import InfeasibleBoundsError, InvalidInputError
from ..base.sizes import balanced_sizes, bound_sizes
from .counting import count_clusterings
from .magnitudes import refuse_large

if TYPE_CHECKING:
    import scipy.sparse as sp


@dataclass(frozen=True, eq=False)
class PartitionPolytope:
    """All assignments of ``n_points`` points to k clusters whose sizes respect the bounds.

    Parameters
    ----------
    n_points : int
        Number of points n >= 1.
    lower, upper : (k,) array_like or scalar, optional
        Size bounds of each cluster; with ``weights`` they bound sums of weights. ``None`` means 0 and
        the total weight. Scalars need ``n_clusters``.
    weights : (n_points,) array_like, optional
        Non-negative point weights.
    n_clusters : int, optional
        Number of clusters k; required when both bounds are scalars or ``None``.

    Raises
    ------
    InvalidInputError
        When an argument has the wrong shape, sign or type. Whether a clustering *exists* is a separate
        question, answered by `check` and `is_feasible`.

    Notes
    -----
    Exact. Construction is O(n + k); nothing of size n k is stored.

    Examples
    --------
    >>> from partitope.models import PartitionPolytope
    >>> polytope = PartitionPolytope(4, lower=1, upper=3, n_clusters=2)
    >>> polytope.count()
    14
    """

    n_points: int
    lower: Any = None  # any bound that can be broadcast to (k,) comes in, an (k,) ndarray goes out
    upper: Any = None
    weights: NDArray[np.float64] | None = None
    n_clusters: int = 0

    def __post_init__(self) -> None:
        n = whole_number(self.n_points, "n_points")
        weights = None if self.weights is None else _weights(self.weights, n)
        total = float(n if weights is None else weights.sum())
        k = _count_clusters(self.n_clusters, self.lower, self.upper)
        lower = _bound("lower", self.lower, k, default=0.0)
        upper = _bound("upper", self.upper, k, default=total)
        if weights is None:  # sizes are integers: the nearest integers inside the bounds say the same
            lower, upper = np.ceil(lower - 1e-9) + 0.0, np.floor(np.minimum(upper, total) + 1e-9)
        for name, value in [("n_points", n), ("lower", lower), ("upper", upper), ("weights", weights)]:
            object.__setattr__(self, name, value)
        object.__setattr__(self, "n_clusters", k)
        for array in (lower, upper, weights):
            if array is not None:
                array.setflags(write=False)

    @cached_property
    def total(self) -> float:
        """Total weight of the points (n without weights)."""
        return float(self.n_points if self.weights is None else self.weights.sum())

    @classmethod
    def within(cls, n_points: int, n_clusters: int, least: float = 0.8, most: float = 1.2) -> PartitionPolytope:
        """All clusterings with sizes from ``least`` n / k to ``most`` n / k, rounded outwards to whole points.

        What is a whole number up to rounding counts as one: 1.1 times 10 is 11, not 12.
        """
        lower, upper = (round(share * n_points / n_clusters, 9) for share in (least, most))
        return cls(n_points, np.floor(lower), np.ceil(upper), n_clusters=n_clusters)

    @classmethod
    def asked_for(
        cls,
        n_points: int,
        n_clusters: int,
        lower: Any = None,
        upper: Any = None,
        balance: float | None = None,
        weights: NDArray[np.float64] | None = None,
    ) -> PartitionPolytope:
        """The clusterings within bounds as users write them: sizes, shares or a balance, see `partitope.base.sizes`.

        Raises
        ------
        InvalidInputError
            When a bound is no size, or ``balance`` meets another bound.
        """
        total, whole = float(n_points if weights is None else np.sum(weights)), weights is None
        low = bound_sizes(lower, "lower", total, n_clusters, whole=whole)
        up = bound_sizes(upper, "upper", total, n_clusters, whole=whole)
        if balance is not None:
            if low is not None or up is not None:
                raise InvalidInputError(f"balance={balance!r} sets both bounds: leave it out, or lower and upper")
            low, up = balanced_sizes(balance, total, n_clusters, whole=whole)
        return cls(n_points, low, up, weights, n_clusters=n_clusters)

    @property
    def is_free(self) -> bool:
        """Whether no bound excludes any clustering."""
        return not (self.lower.any() or np.any(self.upper < self.total))

    def scaled_to(self, n_points: int) -> PartitionPolytope:
        """The polytope of a part of the points, or of a sample: m equal points under floor(l m / n) and ceil(u m / n).

        Parameters
        ----------
        n_points : int
            Number m of points.

        Returns
        -------
        PartitionPolytope
            Without weights. Feasible when this one is: the floors sum to at most m when the l sum to at most n, the
            ceilings to at least m when the u sum to at least n. With weights n is their sum.
        """
        lower, upper = scaled_bounds(self.lower, self.upper, n_points, self.total)
        return PartitionPolytope(n_points, np.floor(lower), np.ceil(upper))

    def describe(self) -> str:
        """The bounds in words: ``"91 to 137"`` where equal for all clusters, else lists."""
        lower, upper = ([f"{value:g}" for value in side] for side in (self.lower, self.upper))
        if len(set(lower)) == 1 and len(set(upper)) == 1:
            return f"{lower[0]} to {upper[0]}"
        return f"lower ({', '.join(lower)}), upper ({', '.join(upper)})"

    @property
    def is_feasible(self) -> bool:
        """Whether some (possibly fractional) assignment satisfies (1)-(3)."""
        return self._diagnosis() is None

    def check(self) -> None:
        """Raise unless an assignment exists.

        Raises
        ------
        InfeasibleBoundsError
            Says which bounds clash and the smallest change that repairs them.
        """
        message = self._diagnosis()
        if message is not None:
            raise InfeasibleBoundsError(message)

    def _diagnosis(self) -> str | None:
        unit = "n_points" if self.weights is None else "sum(weights)"
        slack = 0.0 if self.weights is None else 1e-12 * self.total  # what rounding does to a sum of weights
        crossed = np.flatnonzero(self.lower > self.upper + slack)
        if crossed.size:
            i = int(crossed[0])
            low, above = _number(self.lower[i]), _number(self.upper[i])
            return (
                f"lower[{i}]={low} exceeds upper[{i}]={above}"
                f"{f' (and {crossed.size - 1} more clusters)' if crossed.size > 1 else ''}: "
                f"lower lower[{i}] to {above} or raise upper[{i}] to {low} (upper is at most {unit})"
            )
        need, room, total = float(self.lower.sum()), float(self.upper.sum()), self.total
        k = self.n_clusters
        if need > total + slack:
            return (
                f"sum(lower)={_number(need)} exceeds {unit}={_number(total)}: lower the bounds by "
                f"{_number(need - total)} in all (a common lower bound of at most {_number(self._even(total, k))})"
            )
        if room < total - slack:
            up = total / k if self.weights is not None else -(-int(total) // k)
            return (
                f"sum(upper)={_number(room)} is less than {unit}={_number(total)}: raise the bounds by "
                f"{_number(total - room)} in all (a common upper bound of at least {_number(up)})"
            )
        return None

    def _even(self, total: float, k: int) -> float:
        return total / k if self.weights is not None else int(total) // k

    def contains(self, labels: ArrayLike) -> bool:
        """Whether the clustering ``labels`` (n,) with values 0..k-1 satisfies the bounds exactly."""
        y = np.asarray(labels)
        if y.shape != (self.n_points,) or (y.size and (y.min() < 0 or y.max() >= self.n_clusters)):
            return False
        sizes = self.sizes(y)
        slack = 0.0 if self.weights is None else 1e-9 * self.total
        return bool(np.all(sizes >= self.lower - slack) and np.all(sizes <= self.upper + slack))

    def sizes(self, labels: ArrayLike) -> NDArray[np.float64]:
        """Cluster sizes (k,), or sums of weights, of the clustering ``labels``."""
        y = np.asarray(labels)
        return np.bincount(y, weights=self.weights, minlength=self.n_clusters).astype(np.float64)

    def constraints(self) -> tuple[sp.csr_array, NDArray[np.float64], NDArray[np.float64]]:
        """Matrix and row bounds of (1) and (2).

        Returns
        -------
        A : (n + k, n k) scipy.sparse.csr_array
            Variable xi_ij is column ``j * k + i``; rows 0..n-1 are (1), rows n..n+k-1 are (2).
        row_lower, row_upper : (n + k,) ndarray
            ``row_lower <= A @ xi.ravel() <= row_upper``.
        """
        import scipy.sparse as sp

        n, k = self.n_points, self.n_clusters
        columns = np.arange(n * k)
        values = np.ones(n * k) if self.weights is None else np.repeat(self.weights, k)
        data = np.concatenate([np.ones(n * k), values.reshape(n, k).T.ravel()])
        indices = np.concatenate([columns, columns.reshape(n, k).T.ravel()])
        indptr = np.concatenate([np.arange(0, n * k, k), n * k + np.arange(0, n * k + 1, n)])
        matrix = sp.csr_array((data, indices, indptr), shape=(n + k, n * k))
        return matrix, np.concatenate([np.ones(n), self.lower]), np.concatenate([np.ones(n), self.upper])

    def count(self, *, labelled: bool = True) -> int:
        """Exact number of clusterings in the polytope.

        Parameters
        ----------
        labelled : bool, default True
            False counts clusterings that differ only by the names of clusters with equal bounds once.

        Returns
        -------
        int
            A Python integer of any size; 0 when the bounds are infeasible.

        Raises
        ------
        InvalidInputError
            With weights: different points are then not exchangeable and no product formula exists.

        Notes
        -----
        Exact, by a recurrence for the exponential generating function prod_i sum_{s=l_i}^{u_i} z^s/s! in O(k n)
        big-integer operations for common bounds (`partitope.models.counting`). The dissertation's Remark 4.1.3
        counts unlabelled clusterings.
        """
        if self.weights is not None:
            raise InvalidInputError("weights were given: count() needs points of equal weight; use enumerate()")
        n = self.n_points
        return count_clusterings(n, [(int(a), int(min(b, n))) for a, b in zip(self.lower, self.upper)], labelled)

    def enumerate(self) -> Iterator[NDArray[np.int64]]:
        """Yield every clustering in the polytope as a label array (n,), in lexicographic order.

        Notes
        -----
        Branches that cannot reach all lower bounds any more are cut, so the work is proportional to the
        output for points of equal weight. The arrays are fresh copies.
        """
        n, k = self.n_points, self.n_clusters
        weights = np.ones(n) if self.weights is None else self.weights
        rest = np.concatenate([np.cumsum(weights[::-1])[::-1], [0.0]])
        slack = 0.0 if self.weights is None else 1e-9 * self.total
        labels, load = np.zeros(n, dtype=np.int64), np.zeros(k)

        def descend(j: int) -> Iterator[NDArray[np.int64]]:
            if np.maximum(self.lower - load, 0).sum() > rest[j] + slack:
                return
            if j == n:
                yield labels.copy()
                return
            for i in range(k):
                if load[i] + weights[j] <= self.upper[i] + slack:
                    labels[j], load[i] = i, load[i] + weights[j]
                    yield from descend(j + 1)
                    load[i] -= weights[j]

        return descend(0)


def scaled_bounds(
    lower: NDArray[np.float64], upper: NDArray[np.float64], part: float, total: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bounds (k,) and (k,) in proportion for a part of the total weight; of no more than the total, so never infinite.

    Whole bounds of whole points are multiplied before they are divided: what is a whole number comes out as one.
    """
    return lower * part / total, np.minimum(upper, total) * part / total


def _number(value: float) -> str:
    return f"{int(value)}" if float(value).is_integer() else f"{value:.6g}"


def _weights(value: ArrayLike, n: int) -> NDArray[np.float64]:
    weights = np.array(value, dtype=np.float64)
    if weights.shape != (n,):
        raise InvalidInputError(f"weights has shape {weights.shape}, expected ({n},): pass one weight a point")
    if not np.isfinite(weights).all() or weights.min() < 0 or weights.max() == 0:
        raise InvalidInputError("weights must be finite, not negative and not all zero: drop or mend such points")
    refuse_large("weights", float(weights.max()) * n)
    return weights


def _count_clusters(n_clusters: int, lower: object, upper: object) -> int:
    lengths = {np.size(b) for b in (lower, upper) if b is not None and np.ndim(b) == 1}  # type: ignore[arg-type]
    if n_clusters:
        lengths.add(whole_number(n_clusters, "n_clusters"))
    if not lengths:
        raise InvalidInputError("n_clusters is missing: pass it, or give lower and upper as arrays of length k")
    if len(lengths) > 1:
        raise InvalidInputError(
            f"lower, upper and n_clusters disagree on the number of clusters ({sorted(lengths)}): give each k entries"
        )
    return whole_number(lengths.pop(), "n_clusters")


def _bound(name: str, value: object, k: int, default: float) -> NDArray[np.float64]:
    if value is None:
        return np.full(k, default)
    try:
        bound = np.array(np.broadcast_to(np.asarray(value, dtype=np.float64), (k,)))
    except (TypeError, ValueError):
        raise InvalidInputError(f"{name}={value!r} is not usable: pass a number or {k} numbers") from None
    if np.isnan(bound).any():
        raise InvalidInputError(f"{name} holds NaN: pass numbers (0 and n_points, or inf, mean no bound)")
    if bound.min() < 0:
        raise InvalidInputError(f"{name}={_number(bound.min())} is negative: pass sizes of at least 0")
    return bound
