"""Any model of the package written out as arrays: one record, from which every solver, file and modelling tool starts.

    min or max  cost . x
    (1)  row_lower <= A x <= row_upper        plus x'Q_r x in the middle of those rows r that have a matrix Q_r
    (2)  lower <= x <= upper
    (3)  x_c is a whole number                for the columns c that are integral
    (4)  x[S] is positive semidefinite        for symmetric arrays S (b, b) of columns: x[S] has x_c where S has c

Columns and rows come in blocks, such as the shares ``assign`` of points (rows) in clusters (columns), or one row
``point`` per point. Names in Pyomo, cvxpy, HiGHS, MPS and LP files follow from the blocks, here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import as_floats
from ...base.errors import InvalidInputError
from ...base.one_line import OneLine

if TYPE_CHECKING:
    import scipy.sparse as sp

INSTEAD = "use write('model.lp') or to_pyomo(), and a solver of non-convex programs such as SCIP or Gurobi"
"""Which exits take quadratic rows."""


@dataclass(frozen=True, eq=False, repr=False)
class Block(OneLine):
    """Columns or rows of one name.

    Parameters
    ----------
    name : str
        Such as ``assign`` or ``size_lower``.
    index : (q,) or (q, 2) ndarray of int
        What the columns or rows speak of: a point, a pair of point and cluster.
    doc : str
        What people call them, where that differs.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.models import Block
    >>> Block.grid("assign", 2, 2).names
    ['assign_0_0', 'assign_0_1', 'assign_1_0', 'assign_1_1']
    """

    name: str
    index: NDArray[np.int64]
    doc: str = ""

    @classmethod
    def grid(cls, name: str, *shape: int) -> Self:
        """All numbers below one bound (a,), or all pairs of numbers below two (a b, 2), row by row."""
        numbers = np.arange(int(np.prod(shape)))
        return cls(name, numbers if len(shape) == 1 else np.column_stack(np.divmod(numbers, shape[1])))

    @property
    def size(self) -> int:
        """q."""
        return len(self.index)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of an array of the values: (a, b) where the index is all pairs below two bounds, and (q,) otherwise."""
        if self.index.ndim == 1 or not self.size:
            return (self.size,)
        a, b = (int(last) + 1 for last in self.index[-1])
        return (a, b) if np.array_equal(self.index, Block.grid("", a, b).index) else (self.size,)

    @property
    def keys(self) -> list[object]:
        """The index as Python's numbers or pairs of them."""
        return self.index.tolist() if self.index.ndim == 1 else list(zip(*self.index.T.tolist()))

    @property
    def names(self) -> list[str]:
        """Names of the single columns or rows in files: ``assign_J_I``."""
        name = self.name
        if self.index.ndim == 1:
            return [f"{name}_{a}" for a in self.index.tolist()]
        return [f"{name}_{a}_{b}" for a, b in zip(*self.index.T.tolist())]

    def taken(self, places: NDArray[np.int64], suffix: str = "") -> Block:
        """The part at some places (p,), with a longer name."""
        return Block(self.name + suffix, self.index[places], self.doc)


BlockRows = tuple[Block, "sp.csr_array", ArrayLike, ArrayLike]
"""Rows of one name: the block, coefficients (q, c), and both sides, (q,) or a number."""


@dataclass(frozen=True, eq=False, repr=False)
class ProgramArrays(OneLine):
    """The arrays of a `partitope.models.Program`, where they are described."""

    cost: NDArray[np.float64]
    matrix: sp.csc_array
    row_lower: NDArray[np.float64]
    row_upper: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    integral: NDArray[np.bool_] | None = None
    maximise: bool = False
    columns: tuple[Block, ...] = ()
    rows: tuple[Block, ...] = ()
    semidefinite: tuple[NDArray[np.int64], ...] = ()
    quadratic: Mapping[int, sp.csc_array] = field(default_factory=dict)
    name: str = ""
    objective: str = "objective"

    def __post_init__(self) -> None:
        r, c = self.matrix.shape
        for name, size in (("columns", c), ("rows", r)):
            blocks = getattr(self, name) or (Block.grid("x" if name == "columns" else "row", size),)
            object.__setattr__(self, name, blocks)
            if sum(block.size for block in blocks) != size:
                raise InvalidInputError(f"{name} has {sum(block.size for block in blocks)} names, expected {size}")
        for name, size in (
            ("cost", c),
            ("row_lower", r),
            ("row_upper", r),
            ("lower", c),
            ("upper", c),
            ("integral", c),
        ):
            shape = np.shape(getattr(self, name))
            if shape != (size,) and getattr(self, name) is not None:
                raise InvalidInputError(f"{name} has shape {shape}, expected {(size,)}: matrix is of shape {(r, c)}")
        names = [block.name for block in (*self.columns, *self.rows)]
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise InvalidInputError(f"two blocks have the name {twice[0]!r}: rename one, be it of columns or of rows")

    @classmethod
    def of_blocks(cls, cost: NDArray[np.float64], rows: Iterable[BlockRows], **fields: Any) -> Self:
        """The program with these rows, block below block; other fields by name."""
        import scipy.sparse as sp

        blocks, matrices, *sides = zip(*rows)
        low, up = (np.concatenate([np.full(b.size, v, dtype=float) for b, v in zip(blocks, side)]) for side in sides)
        return cls(cost, sp.csc_array(sp.vstack(matrices)), low, up, rows=blocks, **fields)

    def extended(
        self, columns: Sequence[Block], rows: Iterable[BlockRows] = (), lower: float = 0.0, upper: float = np.inf,
        integral: bool = False,
    ) -> Self:  # fmt: skip
        """The program with more columns without cost, all within the same bounds, and more rows over all columns."""
        import scipy.sparse as sp

        count, (r, c) = sum(block.size for block in columns), self.matrix.shape
        wide = sp.csr_array(sp.hstack([self.matrix, sp.csr_array((r, count))]))
        stated = [(block, wide[at], self.row_lower[at], self.row_upper[at]) for block, at in placed(self.rows)]
        whole = np.append(np.zeros(c, dtype=bool) if self.integral is None else self.integral, np.full(count, integral))
        squares = {row: square.tocoo() for row, square in self.quadratic.items()}
        quadratic = {row: sp.csc_array((q.data, q.coords), shape=(c + count,) * 2) for row, q in squares.items()}
        return self.of_blocks(
            np.append(self.cost, np.zeros(count)), [*stated, *rows], lower=np.append(self.lower, np.full(count, lower)),
            upper=np.append(self.upper, np.full(count, upper)), integral=whole if whole.any() else None,
            maximise=self.maximise, columns=(*self.columns, *columns), semidefinite=self.semidefinite,
            quadratic=quadratic, name=self.name, objective=self.objective,
        )  # fmt: skip

    def read(self, values: ArrayLike) -> dict[str, NDArray[np.float64]]:
        """Values (c,) of the columns by name of their block, each in the block's shape."""
        found = as_floats(values, "values")
        if found.shape != self.cost.shape:
            raise InvalidInputError(f"values has shape {found.shape}, expected {self.cost.shape}: a number per column")
        return {block.name: found[at].reshape(block.shape) for block, at in placed(self.columns)}

    def relaxed(self) -> Self:
        """The program without (3): a bound on its value."""
        return replace(self, integral=None)


def placed(blocks: tuple[Block, ...]) -> Iterator[tuple[Block, slice]]:
    """Blocks and where their columns or rows are."""
    start = 0
    for block in blocks:
        yield block, slice(start, start := start + block.size)


def names_of(blocks: tuple[Block, ...]) -> list[str]:
    """Names of the single columns or rows in files."""
    return [name for block in blocks for name in block.names]
