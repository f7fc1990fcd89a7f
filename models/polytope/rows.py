"""Named rows of the program beyond one bound on the size of every cluster.

    (4)  b_q <= sum_j (A_j . c_q) xi_{i(q) j} <= B_q      every row speaks of one cluster i(q), in attributes of points
    (5)  b_q <= sum_ij a_qij xi_ij            <= B_q      any other rows

Further size dimensions are (4) with one attribute a dimension and c_q = 1. A share of a group g, between alpha and beta
of the size of a cluster, is (4) with the attributes (w_j 1[j in g], w_j) and the rows c = (1, -alpha) with b = 0 and
c = (1, -beta) with B = 0.

The price nu_q of a row is positive only where the row sits at B_q and negative only at b_q, as prices of sizes are.
Prices of (4) charge point j in cluster i with A_j . (sum over the rows q of cluster i of nu_q c_q), where A_j are the
attributes of point j: a linear function of them, so that the cells are those of a power diagram of the points lifted
by their attributes.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import as_floats
from ...base.errors import InvalidInputError
from ...base.messages import number
from ...base.record import Record
from .constraint import Constraint, Formulation, checked_rows, of_blocks
from .sized_polytope import SizedPolytope

if TYPE_CHECKING:
    import scipy.sparse as sp

    from .shares import Shares


class Rows(Constraint):
    """Named rows over the shares alone, which the linear program keeps; a name may be any text.

    Those that have ``attributes`` are (4): each bounds a function of the attributes of the points in one cluster.
    """

    kind: ClassVar[str] = "side constraints"
    is_linear: ClassVar[bool] = True
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    exported: str = ""  # Name of the rows in exported files; empty to number them.
    attributes: NDArray[np.float64] | None = None
    clusters: NDArray[np.int64]
    coefficients: NDArray[np.float64]
    relative: bool = False  # Whether the rows bound shares.

    def __len__(self) -> int:
        return len(self.lower)

    @property
    def is_size(self) -> bool:
        """Whether the rows bound the sizes of all clusters in one dimension, one cluster after the other."""
        return False

    @property
    def index(self) -> NDArray[np.int64]:
        """What number (q,) goes with the name of every row: its cluster, or its place."""
        return np.arange(len(self))

    def charges(self, prices: NDArray[np.float64], n_clusters: int) -> NDArray[np.float64]:
        """N (r, k): what a unit of every attribute is charged in every cluster at prices (q,)."""
        return np.empty((0, n_clusters))

    def __str__(self) -> str:
        return f"rows {self.name!r}"

    @abstractmethod
    def matrix(self, n_clusters: int) -> sp.csr_array:
        """Coefficients (q, n k); column j k + i is xi_ij."""

    @abstractmethod
    def fits(self, n: int, k: int) -> bool:
        """Whether these are rows of n points and k clusters."""

    def check_fits(self, n: int, k: int) -> None:
        """Refuse rows of other points or clusters."""
        if not self.fits(n, k):
            raise InvalidInputError(f"{self} are not for {n} points and {k} clusters: write them anew")

    def rows(self, polytope: SizedPolytope) -> Formulation:
        """The rows."""
        return Formulation(self.matrix(polytope.n_clusters), self.lower, self.upper)

    def violation(self, labels: NDArray[np.int64], polytope: SizedPolytope) -> str:
        """The first row that is broken beyond rounding of what it can reach; a closed cluster owes no size."""
        k, least = polytope.n_clusters, self.lower
        values = np.asarray(self.matrix(k)[:, np.arange(len(labels)) * k + labels].sum(axis=1)).ravel()
        if polytope.may_close and self.is_size and (opened := polytope.opened(labels)) is not None:
            least = np.where(opened, least, 0.0)
        over = np.maximum(least - values, values - self.upper) - 1e-9 * np.maximum(self.extent(), 1e-300)
        return f"{self} are broken by {number(float(over.max()))}" if (over > 0).any() else ""

    def between(self, lower: NDArray[np.float64], upper: NDArray[np.float64], **fields: object) -> Self:
        """The rows with other sides (q,), and other fields by name."""
        return replace(self, lower=lower, upper=upper, **fields)  # type: ignore[type-var]

    @abstractmethod
    def subset(self, points: NDArray[np.int64] | slice, polytope: SizedPolytope) -> Self:
        """The rows of some points (m,), within the same bounds."""

    @abstractmethod
    def divided(self, numbers: NDArray[np.float64]) -> Self:
        """The rows, each divided by its number (q,)."""

    @abstractmethod
    def columns(self, points: NDArray[np.int64], clusters: NDArray[np.int64], n_clusters: int) -> NDArray[np.float64]:
        """Coefficients (q, p) of the pairs (p,) of point and cluster."""

    @abstractmethod
    def extent(self) -> NDArray[np.float64]:
        """Largest absolute value (q,) that a left-hand side can take, or more."""

    @abstractmethod
    def largest(self) -> NDArray[np.float64]:
        """Largest absolute coefficient (q,) of the rows."""


@dataclass(frozen=True, eq=False)
class AttributeRows(Rows):
    """Rows (4). Shapes: attributes (n, r), clusters (q,), coefficients (q, r), lower, upper (q,)."""

    name: str = field()
    attributes: NDArray[np.float64] = field()
    clusters: NDArray[np.int64]
    coefficients: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    relative: bool = False

    def __post_init__(self) -> None:
        q, r = len(self.lower), self.attributes.shape[1] if self.attributes.ndim == 2 else -1
        shapes = {
            "attributes": (self.attributes, (len(self.attributes), r)),
            "clusters": (self.clusters, (q,)),
            "coefficients": (self.coefficients, (q, r)),
        }
        _refuse_unfit(self, shapes, crossed=self.coefficients.shape == (q, 1))

    def fits(self, n: int, k: int) -> bool:
        """Whether these are rows of n points and k clusters."""
        inside = (self.clusters >= 0) & (self.clusters < k)
        return len(self.attributes) == n and bool(inside.all())

    @property
    def is_size(self) -> bool:
        """Whether every cluster has one row, in the unit of its one attribute."""
        k = len(self)
        return (
            self.coefficients.shape == (k, 1)
            and bool((self.coefficients == 1.0).all())
            and np.array_equal(self.clusters, np.arange(k))
            and not self.relative
        )

    @property
    def index(self) -> NDArray[np.int64]:
        """The clusters (q,)."""
        return self.clusters

    def charges(self, prices: NDArray[np.float64], n_clusters: int) -> NDArray[np.float64]:
        """N (r, k): what a unit of every attribute is charged in every cluster at prices (q,)."""
        net = np.zeros((self.attributes.shape[1], n_clusters))
        np.add.at(net.T, self.clusters, prices[:, None] * self.coefficients)
        return net

    def columns(self, points: NDArray[np.int64], clusters: NDArray[np.int64], n_clusters: int) -> NDArray[np.float64]:
        """Coefficients (q, p) of the pairs (p,) of point and cluster."""
        values = self.coefficients @ self.attributes[points].T
        return np.where(self.clusters[:, None] == clusters, values, 0.0)

    def extent(self) -> NDArray[np.float64]:
        """Largest absolute value (q,) that a left-hand side can take."""
        return np.abs(self.attributes).sum(axis=0) @ np.abs(self.coefficients).T

    def largest(self) -> NDArray[np.float64]:
        """Largest absolute coefficient (q,) of the rows."""
        if self.attributes.shape[1] == 1:
            return np.asarray(np.abs(self.coefficients[:, 0]) * np.abs(self.attributes).max())
        return np.asarray(np.abs(self.coefficients @ self.attributes.T).max(axis=1))

    def record(self) -> Record:
        """An entry of the rows of a file."""
        entry = {"attributes": self.attributes.tolist(), "clusters": self.clusters.tolist()}
        return _record(self, entry | {"coefficients": self.coefficients.tolist(), "relative": self.relative})

    def divided(self, numbers: NDArray[np.float64]) -> AttributeRows:
        """The rows, each divided by its number (q,)."""
        return self.between(
            self.lower / numbers, self.upper / numbers, coefficients=self.coefficients / numbers[:, None]
        )

    def subset(self, points: NDArray[np.int64] | slice, polytope: SizedPolytope) -> AttributeRows:
        """The rows of some points (m,), within the same bounds."""
        return replace(self, attributes=self.attributes[points])

    def contracted(self, polytope: SizedPolytope) -> AttributeRows:
        """The rows of blocks of points, each of which is one point."""
        summed = [np.bincount(polytope.block_numbers, column) for column in self.attributes.T]
        return replace(self, attributes=np.column_stack(summed))

    def matrix(self, n_clusters: int) -> sp.csr_array:
        """Coefficients (q, n k); column j k + i is xi_ij."""
        import scipy.sparse as sp

        n = len(self.attributes)
        values = self.coefficients @ self.attributes.T
        columns = np.arange(n) * n_clusters + self.clusters[:, None]
        starts = np.arange(0, values.size + 1, n)
        matrix = sp.csr_array((values.ravel(), columns.ravel(), starts), shape=(len(self), n * n_clusters))
        matrix.eliminate_zeros()
        return matrix


@dataclass(frozen=True, eq=False)
class SparseRows(Rows):
    """Rows (5), with their coefficients written out. Shapes: coefficients (q, n k), lower, upper (q,)."""

    name: str = field()
    coefficients: sp.csr_array
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    exported: str = ""

    def __post_init__(self) -> None:
        shapes = {"coefficients": (self.coefficients.data, self.coefficients.data.shape)}
        _refuse_unfit(self, shapes | {"rows": (self.coefficients, (len(self.lower), self.coefficients.shape[1]))})

    def fits(self, n: int, k: int) -> bool:
        """Whether these are rows of n points and k clusters."""
        return bool(self.coefficients.shape[1] == n * k)

    def columns(self, points: NDArray[np.int64], clusters: NDArray[np.int64], n_clusters: int) -> NDArray[np.float64]:
        """Coefficients (q, p) of the pairs (p,) of point and cluster."""
        return np.asarray(self.coefficients[:, points * n_clusters + clusters].toarray())

    def extent(self) -> NDArray[np.float64]:
        """Sum (q,) of the absolute coefficients."""
        return np.asarray(abs(self.coefficients).sum(axis=1)).ravel()

    def largest(self) -> NDArray[np.float64]:
        """Largest absolute coefficient (q,) of the rows."""
        return np.asarray(abs(self.coefficients).max(axis=1).toarray()).ravel()

    def record(self) -> Record:
        """An entry of the rows of a file."""
        found = self.coefficients.tocoo()
        return _record(self, {"row": found.row.tolist(), "column": found.col.tolist(), "value": found.data.tolist()})

    def divided(self, numbers: NDArray[np.float64]) -> SparseRows:
        """The rows, each divided by its number (q,)."""
        import scipy.sparse as sp

        matrix = sp.csr_array(sp.diags_array(1.0 / numbers) @ self.coefficients)
        return self.between(self.lower / numbers, self.upper / numbers, coefficients=matrix)

    def subset(self, points: NDArray[np.int64] | slice, polytope: SizedPolytope) -> SparseRows:
        """The rows of some points (m,), within the same bounds."""
        everyone = np.arange(self.coefficients.shape[1]).reshape(-1, polytope.n_clusters)
        return replace(self, coefficients=self.coefficients[:, everyone[points].ravel()])

    def contracted(self, polytope: SizedPolytope) -> SparseRows:
        """The rows of blocks of points, each of which is one point."""
        blocks = polytope.block_numbers
        return replace(self, coefficients=of_blocks(self.coefficients, blocks, polytope.n_clusters))

    def matrix(self, n_clusters: int) -> sp.csr_array:
        """Coefficients (q, n k)."""
        return self.coefficients


def _refuse_unfit(rows: Rows, arrays: dict[str, tuple[Any, tuple[int, ...]]], crossed: bool = False) -> None:
    """Refuse arrays of other shapes, missing numbers, and lower above upper bounds unless ``crossed`` allows them."""
    for name, (array, shape) in (arrays | {"upper": (rows.upper, rows.lower.shape)}).items():
        if array.shape != shape:
            raise InvalidInputError(f"{name} of {rows.name!r} has shape {array.shape}, expected {shape}")
        ends = (array.min(initial=0.0), array.max(initial=0.0)) if isinstance(array, np.ndarray) else ()
        if name != "upper" and not np.isfinite(ends).all():
            raise InvalidInputError(f"{name} of {rows.name!r} hold NaN or infinity: pass finite numbers")
    if np.isnan(rows.lower).any() or np.isnan(rows.upper).any():
        raise InvalidInputError(f"bounds of {rows.name!r} hold NaN: pass numbers, infinite ones where there is none")
    if not crossed and np.any(rows.lower > rows.upper):
        raise InvalidInputError(f"lower exceeds upper in rows {rows.name!r}: exchange them")


def _record(rows: Rows, entry: Record) -> Record:
    """Rows as a file holds them; bounds that are not finite become null."""
    low, up = ([value if np.isfinite(value) else None for value in side.tolist()] for side in (rows.lower, rows.upper))
    return {"further": [{"name": rows.name, "lower": low, "upper": up, **entry}]}


def size_rows(name: str, weights: NDArray[np.float64], lower: ArrayLike, upper: ArrayLike) -> AttributeRows:
    """A further size dimension: lower (k,) <= sums of the weights (n,) in the clusters <= upper (k,)."""
    low, up = np.array(lower, dtype=np.float64), np.array(upper, dtype=np.float64)
    return AttributeRows(name, weights[:, None], np.arange(len(low)), np.ones((len(low), 1)), low, up)


def sparse_rows(
    name: object,
    coefficients: ArrayLike | sp.csr_array,
    lower: ArrayLike | None,
    upper: ArrayLike | None,
    shape: tuple[int, int],
) -> SparseRows:
    """Custom rows: coefficients (q, n, k), (n, k) for one row, or a sparse (q, n k) matrix."""
    import scipy.sparse as sp

    if not isinstance(name, str) or not name:
        raise InvalidInputError(f"name={name!r} is not usable: pass a text, under which prices come back")
    if lower is None and upper is None:
        raise InvalidInputError(f"the rows {name!r} have no bound: pass lower, upper or both")
    low, up = -np.inf if lower is None else lower, np.inf if upper is None else upper
    n, k = shape
    if sp.issparse(coefficients):
        matrix = sp.csr_array(coefficients, dtype=np.float64)
    else:
        dense = as_floats(coefficients, f"coefficients of {name!r}")
        if dense.ndim not in (2, 3) or dense.shape[-2:] != (n, k):
            raise InvalidInputError(
                f"coefficients of {name!r} have shape {dense.shape}, expected ({n}, {k}) for one row, "
                f"(q, {n}, {k}) for several, or a sparse (q, {n * k}) matrix"
            )
        matrix = sp.csr_array(dense.reshape(-1, n * k))
    if matrix.shape[1] != n * k:
        raise InvalidInputError(f"coefficients of {name!r} have {matrix.shape[1]} columns, expected n k = {n * k}")
    stated = Formulation(matrix, low, up)
    return SparseRows(name, stated.matrix, stated.lower, stated.upper)


def stacked(
    weights: NDArray[np.float64], lower: NDArray[np.float64], upper: NDArray[np.float64], further: Sequence[Rows]
) -> tuple[sp.csc_array, NDArray[np.float64], NDArray[np.float64]]:
    """Coefficients (n + k + q, n k) and sides of sum_i xi_ij = 1, of sizes in bounds (k,), and of side constraints."""
    import scipy.sparse as sp

    n, k = weights.size, lower.size
    index, value = np.empty((n, k, 2), np.int32), np.ones((n, k, 2))
    index[:, :, 0] = np.arange(n, dtype=np.int32)[:, None]
    index[:, :, 1] = np.arange(n, n + k, dtype=np.int32)
    value[:, :, 1] = weights[:, None]
    starts = np.arange(0, 2 * n * k + 1, 2, dtype=np.int32)
    matrix = sp.csc_array((value.ravel(), index.ravel(), starts), shape=(n + k, n * k))
    if further:
        matrix = sp.csc_array(sp.vstack([matrix, *(rows.matrix(k) for rows in further)]))
    low = np.concatenate([np.ones(n), lower, *(rows.lower for rows in further)])
    return matrix, low, np.concatenate([np.ones(n), upper, *(rows.upper for rows in further)])


def relaxation(constraint: Constraint, polytope: SizedPolytope) -> Constraint | None:
    """What the linear relaxation keeps of a constraint: its rows, where they are over xi alone; None for nothing."""
    if isinstance(constraint, Rows) or (constraint.is_linear and constraint.has_rows_of_its_own):
        return constraint
    found = None if constraint.by_cuts or constraint.has_rows_of_its_own else constraint.rows(polytope)
    if found is None or checked_rows(constraint, found, polytope).width:
        return None
    return SparseRows(constraint.name, found.matrix, found.lower, found.upper, exported=constraint.name)


def further_sizes(polytope: SizedPolytope) -> Iterator[SizedPolytope]:
    """The polytopes that only bound sizes in one of the further dimensions."""
    statements = tuple(constraint for constraint in polytope.constraints if not constraint.is_linear)
    for rows in polytope.constraints:
        if isinstance(rows, AttributeRows) and rows.is_size and rows.attributes.min() >= 0:
            yield replace(
                polytope, lower=np.maximum(rows.lower, 0.0), upper=rows.upper, weights=rows.attributes[:, 0],
                names=(rows.name,), constraints=statements,
            )  # fmt: skip


def activities(further: Sequence[Rows], shares: Shares, k: int) -> dict[str, NDArray[np.float64]]:
    """Left-hand sides (q,) of side constraints at an assignment to k clusters, by name."""
    if not further:
        return {}
    n, labels = shares.labels.size, shares.labels
    whole = np.unique(shares.points)
    points = np.concatenate([np.arange(n), whole, shares.points])
    clusters = np.concatenate([labels, labels[whole], shares.clusters])
    amounts = np.concatenate([np.ones(n), -np.ones(whole.size), shares.share])
    found = {}
    for rows in further:
        if rows.attributes is None:
            xi = np.zeros(n * k)
            np.add.at(xi, points * k + clusters, amounts)
            found[rows.name] = rows.matrix(k) @ xi
        else:
            sums = np.column_stack([np.bincount(clusters, amounts * a[points], k) for a in rows.attributes.T])
            found[rows.name] = (sums[rows.clusters] * rows.coefficients).sum(axis=1)
    return found
