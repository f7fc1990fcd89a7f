"""What a clustering has to keep, as an object that solvers, exports and proofs ask.

A constraint is stated over the shares xi_ij and further columns y of its own,

    (1)  lower <= A (xi, y) <= upper,     0 <= y_c <= upper_c,     y_c whole where it is integral

or by inequalities over xi alone that are added only where a clustering breaks them (cuts). `PartitionPolytope`
makes a narrower polytope of it by ``subject_to``; its points are whole.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import as_floats, instance_of
from ...base.errors import CapabilityError, InvalidInputError
from ...base.one_line import OneLine
from ...base.record import Record
from .sized_polytope import SizedPolytope

if TYPE_CHECKING:
    import scipy.sparse as sp

TAKEN = re.compile(r"point|size|assign|open|open_if|together|connected|rows\d+")  # names of our own rows and columns


class Columns(NamedTuple):
    """Further variables y of a constraint, all between 0 and the same bound."""

    name: str
    length: int
    upper: float = 1.0
    integral: bool = True


@dataclass(frozen=True, eq=False, repr=False)
class Formulation(OneLine):
    """The rows (1) of a constraint.

    Parameters
    ----------
    matrix : (q, n k + c) sparse matrix or array_like
        A. Column j k + i is xi_ij; the c further columns follow in the order of ``columns``.
    lower, upper : number or (q,) array_like
        Sides of the rows, infinite where there is none.
    columns : sequence of (str, int, float, bool)
        Further variables y: a name, how many there are, their upper bound (1 when not given), and whether they are
        whole (True when not given).

    Raises
    ------
    InvalidInputError
        If the sides do not fit the rows, or a number is missing.
    """

    matrix: sp.csr_array
    lower: Any = -np.inf  # A number or (q,) comes in, a (q,) ndarray goes out.
    upper: Any = np.inf
    columns: tuple[Columns, ...] = ()

    def __post_init__(self) -> None:
        import scipy.sparse as sp

        object.__setattr__(self, "columns", tuple(Columns(*part) for part in self.columns))
        object.__setattr__(self, "matrix", sp.csr_array(self.matrix, dtype=np.float64))
        if not np.isfinite(self.matrix.data).all():
            raise InvalidInputError("matrix holds NaN or infinity: pass finite coefficients")
        q = self.matrix.shape[0]
        for side in ("lower", "upper"):
            given = as_floats(getattr(self, side), side)
            if given.shape not in ((), (1,), (q,)) or np.isnan(given).any():
                raise InvalidInputError(f"{side} has shape {given.shape}: pass one number, or {q}, one per row")
            object.__setattr__(self, side, np.broadcast_to(given, (q,)).copy())

    @property
    def width(self) -> int:
        """Number c of further columns."""
        return sum(part.length for part in self.columns)

    def of_blocks(self, blocks: NDArray[np.int64], k: int) -> Formulation:
        """The rows when every block (n,) of points is one point."""
        return replace(self, matrix=of_blocks(self.matrix, blocks, k))


class Constraint(ABC):
    """A constraint on clusterings that a user states; derive from it and pass it to ``PartitionPolytope.subject_to``.

    A subclass says what a clustering breaks (`violation`) and how a program states it: by `rows`, by `cuts`, or both.
    `partitope.solvers.solve` adds cuts where there are some and rows otherwise; exports and files write rows.

    Notes
    -----
    Every question is asked with the polytope that holds the constraint: it has ``n_points``, ``n_clusters``,
    ``point_weights``, ``lower`` and ``upper``.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.models import Constraint, Formulation, PartitionPolytope
    >>> class FirstIsFuller(Constraint):
    ...     def violation(self, labels, polytope):
    ...         sizes = np.bincount(labels, minlength=polytope.n_clusters)
    ...         return "" if sizes[0] >= sizes[1] else f"cluster 1 has {sizes[1] - sizes[0]} points more than cluster 0"
    ...
    ...     def rows(self, polytope):
    ...         signs = np.zeros((1, polytope.n_points, polytope.n_clusters))
    ...         signs[..., 0], signs[..., 1] = 1, -1
    ...         return Formulation(signs.reshape(1, -1), lower=0)
    >>> polytope = PartitionPolytope(3, n_clusters=2).subject_to(FirstIsFuller())
    >>> polytope.contains([0, 0, 1]), polytope.violations([0, 1, 1])
    (True, ('cluster 1 has 1 points more than cluster 0',))
    """

    name: str  # Name in rows and messages: letters, digits and underscores.
    kind: ClassVar[str] = "constraints"  # Key of `partitope.models.polytope.kinds.KINDS`.
    has_rows_of_its_own: ClassVar[bool] = False  # Whether programs know rows that state it.
    is_linear: ClassVar[bool] = False  # Whether it belongs to the linear program, so that divided points keep it too.

    def __init_subclass__(cls) -> None:
        if "name" not in vars(cls):
            cls.name = cls.__name__.lower()

    def __str__(self) -> str:
        return f"constraint {self.name!r}"

    @abstractmethod
    def violation(self, labels: NDArray[np.int64], polytope: SizedPolytope) -> str:
        """What whole labels (n,) break and by how much, in one line; an empty text when they keep the constraint."""

    def rows(self, polytope: SizedPolytope) -> Formulation | None:
        """The rows (1) that, with whole xi, hold exactly for the clusterings without a violation; None without rows."""
        return None

    def cuts(self, point: NDArray[np.float64], polytope: SizedPolytope) -> Formulation | None:
        """Rows over xi alone that all clusterings without a violation keep, and shares (n, k) break; None for none."""
        return None

    def conflict(self, polytope: SizedPolytope) -> str | None:
        """Reason why no clustering of the polytope keeps the constraint, if it can be seen without a search."""
        return None

    def check_fits(self, n: int, k: int) -> None:
        """Raise InvalidInputError if the constraint is not for n points and k clusters."""
        return

    def contracted(self, polytope: SizedPolytope) -> Constraint | None:
        """The constraint when every block of points that stay together is one point; None if nothing is left of it."""
        return OfBlocks(self, polytope)

    def weakest(self, polytope: SizedPolytope) -> Constraint | None:
        """Substitute for the constraint while it is left out in the search for conflicts; None for nothing."""
        return None

    def record(self) -> Record | None:
        """The constraint in a .json file; None where files do not know it."""
        return None

    @property
    def by_cuts(self) -> bool:
        """Whether `solve` states the constraint by cuts: whenever a subclass defines `cuts`."""
        return type(self).cuts is not Constraint.cuts

    def formulation(self, polytope: SizedPolytope) -> Formulation:
        """`rows`, checked: CapabilityError where there are none, InvalidInputError where they do not fit."""
        found = self.rows(polytope)
        if found is None:
            raise CapabilityError(f"constraint {self.name!r} has no rows that could be written out: use solve()")
        return checked_rows(self, found, polytope)

    def broken_rows(self, point: NDArray[np.float64], polytope: SizedPolytope) -> Formulation:
        """`cuts` at shares (n, k) of a clustering with a violation, checked: it breaks one, so that rounds of cuts end.
        InvalidInputError where none is broken, or they do not fit or have further columns."""
        found = self.cuts(point, polytope)
        value = np.zeros(1)
        if found is not None:
            value = checked_rows(self, found, polytope).matrix[:, : point.size] @ point.ravel()
        if found is None or found.width or not ((value < found.lower - 1e-9) | (value > found.upper + 1e-9)).any():
            raise InvalidInputError(
                f"cuts of constraint {self.name!r} do not cut off the given shares: return rows over xi that they break"
            )
        return found


@dataclass(frozen=True, eq=False)
class OfBlocks(Constraint):
    """A constraint of a polytope when blocks of its points are single points."""

    constraint: Constraint
    stated: SizedPolytope

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.constraint.name)

    @property
    def by_cuts(self) -> bool:
        """As the constraint says."""
        return self.constraint.by_cuts

    def violation(self, labels: NDArray[np.int64], polytope: SizedPolytope) -> str:
        """What the points of the blocks break."""
        return self.constraint.violation(self.stated.of_points(labels), self.stated)

    def rows(self, polytope: SizedPolytope) -> Formulation | None:
        """The rows over blocks."""
        found = self.constraint.rows(self.stated)
        return None if found is None else found.of_blocks(self.stated.block_numbers, polytope.n_clusters)


def of_blocks(matrix: sp.csr_array, blocks: NDArray[np.int64], k: int) -> sp.csr_array:
    """Coefficients (q, n k + c) when blocks (n,) of points are single points; the last c columns stay."""
    import scipy.sparse as sp

    single = matrix.tocoo()
    points, clusters = np.divmod(np.arange(blocks.size * k), k)
    pairs = blocks[points] * k + clusters
    count, more = (int(blocks.max()) + 1) * k, matrix.shape[1] - pairs.size
    there = np.append(pairs, count + np.arange(more))[single.col]
    return sp.csr_array(sp.coo_array((single.data, (single.row, there)), shape=(matrix.shape[0], count + more)))


def checked_rows(constraint: Constraint, found: Formulation, polytope: SizedPolytope) -> Formulation:
    """The rows of a constraint; InvalidInputError where they do not fit the polytope."""
    instance_of(found, f"the rows of {constraint.name!r}", Formulation)
    expected = polytope.n_points * polytope.n_clusters + found.width
    if found.matrix.shape[1] != expected:
        raise InvalidInputError(
            f"the rows of constraint {constraint.name!r} have {found.matrix.shape[1]} columns, expected n k = "
            f"{expected - found.width} and {found.width} of its own"
        )
    return found


def check_names(constraints: Iterable[Constraint]) -> None:
    """Raise InvalidInputError if one is not a constraint, or a name is not usable in rows and files."""
    for constraint in constraints:
        instance_of(constraint, "a constraint", Constraint, "derive it from partitope.models.Constraint")
        name = constraint.name
        if not re.fullmatch(r"[A-Za-z]\w*", str(name), re.ASCII) or TAKEN.fullmatch(str(name)):
            raise InvalidInputError(f"constraint name {name!r} is not usable: pass another of letters, digits and _")


def shares_of(labels: ArrayLike, k: int) -> NDArray[np.float64]:
    """Shares (n, k) of whole labels (n,)."""
    return (np.asarray(labels)[:, None] == np.arange(k)).astype(np.float64)
