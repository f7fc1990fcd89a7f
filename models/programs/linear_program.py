"""A linear or mixed-integer program written out as arrays: what every explicit solver, file and export starts from.

    min or max  cost . x     row_lower <= matrix x <= row_upper,   lower <= x <= upper,   x_j whole where integral

`LinearProgram` holds any such program. `ExplicitProgram` is the assignment program with its n k variables xi_ij, whose
structure modelling languages and network codes make use of:

    (1)  sum_i xi_ij = 1                        for every point j
    (2)  l_i <= sum_j w_j xi_ij <= u_i          for every cluster i
    (3)  0 <= xi_ij <= 1                        xi_ij = 0 where the pair is not allowed
    (4)  b_q <= sum_ij a_qij xi_ij <= B_q       further rows, see `partitope.models.polytope.rows`

and, where they are stated (`partitope.models.polytope.whole_points`),

    (5)  xi_ij in {0, 1}                        whole points
    (6)  xi_ij = xi_il                          l the first point of the group that j stays together with
    (7)  l_i z_i <= sum_j w_j xi_ij <= u_i z_i  instead of (2) and of (4) where these bound sizes; z_i in {0, 1}
    (8)  xi_ij <= z_i                           for points j of no weight
    (9)  least <= sum_i z_i <= most             open clusters, which cost cost_i z_i
    (10) c_q <= sum a_q (xi, y) <= C_q          constraints with columns y of their own
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...base.errors import CapabilityError
from ..polytope.constraint import Columns, Formulation
from ..polytope.rows import Rows
from ..polytope.whole_points import Openings

if TYPE_CHECKING:
    import scipy.sparse as sp

    from .assignment import AssignmentModel

TOLERANCE = 1e-9  # of HiGHS's linear programs; it drops coefficients below as well
TOLERANCES = {f"{kind}_feasibility_tolerance": TOLERANCE for kind in ("mip", "primal", "dual")}
"""HiGHS's options for programs whose bounds are to be trusted up to `TOLERANCE` a column."""


@dataclass(frozen=True, eq=False)
class LinearProgram:
    """A linear program with bounds on rows and columns, some columns of which may have to be whole numbers. Shapes:
    cost (c,), matrix (r, c), row_lower, row_upper (r,), lower, upper (c,), integral (c,)."""

    cost: NDArray[np.float64]
    matrix: sp.csc_array
    row_lower: NDArray[np.float64]
    row_upper: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    integral: NDArray[np.bool_] | None = None
    maximise: bool = False
    column_names: tuple[str, ...] = ()
    row_names: tuple[str, ...] = ()
    name: str = ""

    def to_highs(self, **options: Any) -> Any:
        """The unsolved program in a silent `highspy.Highs` with HiGHS's own options; names cost a microsecond each."""
        import highspy

        lp = highspy.HighsLp()
        lp.num_row_, lp.num_col_ = self.matrix.shape
        lp.sense_ = highspy.ObjSense.kMaximize if self.maximise else highspy.ObjSense.kMinimize
        lp.col_cost_, lp.col_lower_, lp.col_upper_ = self.cost, self.lower, self.upper
        lp.row_lower_, lp.row_upper_ = self.row_lower, self.row_upper
        lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        lp.a_matrix_.start_ = self.matrix.indptr.astype(np.int32)
        lp.a_matrix_.index_ = self.matrix.indices.astype(np.int32)
        lp.a_matrix_.value_ = self.matrix.data.astype(np.float64)
        if self.integral is not None:
            kinds = highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger
            lp.integrality_ = [kinds[whole] for whole in self.integral.astype(int).tolist()]
        lp.model_name_ = self.name
        if self.column_names:
            lp.col_names_ = list(self.column_names)
        if self.row_names:
            lp.row_names_ = list(self.row_names)
        highs = highspy.Highs()
        highs.setOptionValue("output_flag", False)
        for option, value in options.items():  # before the program comes: some say how its numbers are read
            highs.setOptionValue(option, value)
        highs.passModel(lp)
        return highs


class HasLinearProgram(ABC):
    """A model that can be written out as a `LinearProgram`."""

    @property
    @abstractmethod
    def linear_program(self) -> LinearProgram:
        """The model as arrays."""

    def to_highs(self) -> Any:
        """`linear_program`, unsolved, in a `highspy.Highs`."""
        return self.linear_program.to_highs()

    def write(self, path: str | Path) -> Path:
        """Write `linear_program` to a file ``.mps`` or ``.lp``, as a minimisation.

        Raises
        ------
        InvalidInputError
            When the suffix is another one.
        """
        from ..formats.solver_files import write_program

        return write_program(self.linear_program, path)


@dataclass(frozen=True, eq=False)
class RowBlock:
    """Rows of one name, all of one sense, as modelling languages write them."""

    name: str  # ``point``, ``size_lower``, ``rowsT_upper``, ...
    index: NDArray[np.int64]  # (q,) or (q, 2): numbers that go with the name
    matrix: Any  # (q, c): coefficients, of xi_ij in column j k + i and then of z_i
    sense: Literal["==", ">=", "<="]
    bounds: NDArray[np.float64]  # (q,): finite right-hand sides
    priced: tuple[int, NDArray[np.int64]] | None = (
        None  # number of the rows with prices, 0 for sizes, and which of them
    )
    doc: str = ""  # what people call them

    @property
    def row_names(self) -> Iterator[str]:
        """Names of the single rows in files."""
        return (f"{self.name}_{'_'.join(map(str, np.atleast_1d(number)))}" for number in self.index.tolist())


@dataclass(frozen=True, eq=False)
class ExplicitProgram(HasLinearProgram):
    """Coefficients of an assignment program. Shapes: cost (n, k), weights (n,), lower, upper (k,), allowed (n, k),
    blocks (n,)."""

    cost: NDArray[Any]
    weights: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    maximise: bool = True
    allowed: NDArray[np.bool_] | None = None
    further: tuple[Rows, ...] = ()
    whole: bool = False
    blocks: NDArray[np.int64] | None = None
    openings: Openings | None = None
    constraints: Mapping[str, Formulation] = field(default_factory=dict)  # (10), by name

    @classmethod
    def of(cls, model: AssignmentModel) -> ExplicitProgram:
        """The coefficients of a model as they stand: maximise the total score, or minimise the total cost; O(n k)."""
        weights = model.point_weights
        polytope = model.polytope
        if polytope.connection is not None:
            raise CapabilityError("connected() was stated, which takes more rows than can be written: use solve()")
        upper = np.minimum(polytope.upper, polytope.total)
        cost = model.score_source.dense() * (weights if not model.minimised else -weights)[:, None]
        return cls(cost, weights, polytope.lower, upper, not model.minimised, polytope.allowed, polytope.further,
                   polytope.whole_points, polytope.blocks, polytope.openings, polytope.formulations())  # fmt: skip

    @property
    def shape(self) -> tuple[int, int]:
        """(n, k)."""
        return self.cost.shape[0], self.cost.shape[1]

    @property
    def objective(self) -> str:
        """What the objective is called."""
        return "total_score" if self.maximise else "total_cost"

    @cached_property
    def costs(self) -> NDArray[np.float64]:
        """Objective (c,) of xi, z and y."""
        found, z, width = self.cost.ravel(), self.openings, sum(rows.width for rows in self.constraints.values())
        if z is not None:
            found = np.append(found, -z.cost if self.maximise else z.cost)
        return np.append(found, np.zeros(width)) if width else found

    @property
    def variables(self) -> Iterator[tuple[Columns, slice]]:
        """The further variables z and y with their names, and their columns."""
        start = self.cost.size
        found = [] if self.openings is None else [Columns("open", self.shape[1])]
        for name, rows in self.constraints.items():
            found += [part._replace(name=f"y_{name}_{part.name}") for part in rows.columns]
        for part in found:
            yield part, slice(start, start := start + part.length)

    @property
    def linear_program(self) -> LinearProgram:
        """(1)-(4) with one row a bound on both sides; column j k + i is xi_ij."""
        import scipy.sparse as sp

        n, k = self.shape
        index, value = np.empty((n, k, 2), np.int32), np.ones((n, k, 2))
        index[:, :, 0] = np.arange(n, dtype=np.int32)[:, None]
        index[:, :, 1] = np.arange(n, n + k, dtype=np.int32)
        value[:, :, 1] = self.weights[:, None]
        starts = np.arange(0, 2 * n * k + 1, 2, dtype=np.int32)
        matrix = sp.csc_array((value.ravel(), index.ravel(), starts), shape=(n + k, n * k))
        if self.further:
            matrix = sp.csc_array(sp.vstack([matrix, *(rows.matrix(k) for rows in self.further)]))
        low = np.concatenate([np.ones(n), self.lower, *(rows.lower for rows in self.further)])
        up = np.concatenate([np.ones(n), self.upper, *(rows.upper for rows in self.further)])
        return self._program(matrix, low, up)

    def written(self, names: bool = True) -> LinearProgram:
        """The whole program with one row a bound, as modelling languages write it, and with their names."""
        import scipy.sparse as sp

        n, k = self.shape
        blocks = self.row_blocks
        low = np.concatenate([np.where(b.sense == "<=", -np.inf, b.bounds) for b in blocks])
        up = np.concatenate([np.where(b.sense == ">=", np.inf, b.bounds) for b in blocks])
        program = self._program(sp.csc_array(sp.vstack([b.matrix for b in blocks])), low, up)
        if not names:
            return program
        columns = [f"assign_{j}_{i}" for j in range(n) for i in range(k)]
        columns += [f"{part.name}_{number}" for part, _ in self.variables for number in range(part.length)]
        return replace(program, column_names=tuple(columns), row_names=tuple(r for b in blocks for r in b.row_names))

    @cached_property
    def row_blocks(self) -> list[RowBlock]:
        """All rows, block by block: ``point``, ``size_lower``, ``size_upper``, (4), and those of the statements."""
        import scipy.sparse as sp

        (n, k), z = self.shape, self.openings
        everyone, clusters = np.arange(n * k), np.arange(k)
        once = sp.csr_array((np.ones(n * k), everyone, np.arange(0, n * k + 1, k)), shape=(n, n * k))
        sizes = sp.csr_array((np.tile(self.weights, k), everyone.reshape(n, k).T.ravel(), np.arange(0, n * k + 1, n)),
                             shape=(k, n * k))  # fmt: skip
        found = [RowBlock("point", np.arange(n), once, "==", np.ones(n))]
        found += [RowBlock("size_lower", clusters, sizes, ">=", self.lower, (0, clusters))]
        found += [RowBlock("size_upper", clusters, sizes, "<=", self.upper, (0, clusters))]
        found += self._further_blocks()
        if self.blocks is not None:
            first = np.unique(self.blocks, return_index=True)[1][self.blocks]
            rest = np.flatnonzero(first != np.arange(n))
            own, others = (points[:, None] * k + clusters for points in (rest, first[rest]))
            found.append(_differences("together", own.ravel(), others.ravel(), k, n * k, "=="))
        if z is not None:
            found = self._with_open(found, z)
        start, width = n * k if z is None else n * k + k, self.costs.size
        for name, rows in self.constraints.items():
            matrix = _padded(rows.matrix, n * k, start, width)
            found += [b for b, _ in _sided(name, np.arange(len(rows.lower)), matrix, rows.lower, rows.upper)]
            start += rows.width
        if self.constraints:
            found = [replace(b, matrix=_padded(b.matrix, b.matrix.shape[1], width, width)) for b in found]
        return found

    def _with_open(self, found: list[RowBlock], z: Openings) -> list[RowBlock]:
        """The rows with columns for z, and (8) and (9)."""
        import scipy.sparse as sp

        (n, k), clusters = self.shape, np.arange(self.shape[1])
        sized = [0] + [t for t, r in enumerate(self.further, 1) if r.is_size]
        found = [_opened(b, k, b.priced is not None and b.priced[0] in sized) for b in found]
        light = np.flatnonzero(self.weights <= 0)[:, None] * k + clusters
        if light.size:
            found.append(_differences("open_if", light.ravel(), n * k + light.ravel() % k, k, n * k + k, "<="))
        count = sp.csr_array((np.ones(k), (np.zeros(k, int), n * k + clusters)), shape=(1, n * k + k))
        for name, sense, most in (("open_least", ">=", z.least), ("open_most", "<=", z.most)):
            found.append(RowBlock(name, np.zeros(1, int), count, sense, np.array([float(most)])))  # type: ignore[arg-type]
        return found

    def row_duals(self, of_block: Callable[[RowBlock], NDArray[np.float64]]) -> list[NDArray[np.float64]]:
        """Duals (k,) of (2), and (q,) of the rows (4) name by name, from those of the blocks of their bounds."""
        found = [np.zeros(self.shape[1]), *(np.zeros(len(rows)) for rows in self.further)]
        for block in self.row_blocks:
            if block.priced is not None:
                number, where = block.priced
                found[number][where] += of_block(block)
        return found

    def _further_blocks(self) -> list[RowBlock]:
        """The finite bounds of the rows (4), first the lower and then the upper ones of every name."""
        found = []
        for number, rows in enumerate(self.further, 1):
            blocks = _sided(f"rows{number}", rows.index, rows.matrix(self.shape[1]), rows.lower, rows.upper)
            found += [replace(b, priced=(number, finite), doc=rows.name) for b, finite in blocks]
        return found

    def _program(self, matrix: Any, row_lower: NDArray[np.float64], row_upper: NDArray[np.float64]) -> LinearProgram:
        """The columns and their costs with these rows."""
        count = self.costs.size
        upper, whole = np.ones(count), np.full(count, self.whole)
        if self.allowed is not None:
            upper[: self.allowed.size] = self.allowed.ravel()
        for part, place in self.variables:
            upper[place], whole[place] = part.upper, part.integral
        return LinearProgram(
            self.costs, matrix, row_lower, row_upper, np.zeros(count), upper, whole if self.whole else None,
            self.maximise, name="assignment",
        )  # fmt: skip


def _sided(
    name: str, index: NDArray[np.int64], matrix: Any, lower: NDArray[np.float64], upper: NDArray[np.float64]
) -> Iterator[tuple[RowBlock, NDArray[np.int64]]]:
    """The finite bounds of rows (q,), first the lower and then the upper ones, and which rows have them."""
    sides: tuple[tuple[str, Literal[">=", "<="], NDArray[np.float64]], ...]
    sides = ("lower", ">=", lower), ("upper", "<=", upper)
    for end, sense, bounds in sides:
        finite = np.flatnonzero(np.isfinite(bounds))
        if finite.size:
            clusters = index[finite]
            called = clusters if np.unique(clusters).size == clusters.size else finite
            yield RowBlock(f"{name}_{end}", called, matrix[finite], sense, bounds[finite]), finite


def _padded(matrix: Any, first: int, start: int, width: int) -> Any:
    """The rows (q, c) over ``width`` columns: the first ones in their places, the others from ``start`` on."""
    import scipy.sparse as sp

    index = np.where(matrix.indices < first, matrix.indices, matrix.indices + (start - first))
    return sp.csr_array((matrix.data, index, matrix.indptr), shape=(matrix.shape[0], width))


def _differences(
    name: str, plus: NDArray[np.int64], minus: NDArray[np.int64], k: int, width: int, sense: Literal["==", "<="]
) -> RowBlock:
    """One row a pair of columns (p,): their difference is zero, or at most zero; named by point and cluster."""
    import scipy.sparse as sp

    rows, ones = np.arange(plus.size), np.ones(plus.size)
    where = (np.append(rows, rows), np.append(plus, minus))
    matrix = sp.csr_array((np.append(ones, -ones), where), shape=(plus.size, width))
    return RowBlock(name, np.column_stack(np.divmod(plus, k)), matrix, sense, 0.0 * ones)


def _opened(block: RowBlock, k: int, is_size: bool) -> RowBlock:
    """The rows with k more columns: (7) where they bound the sizes of all or some clusters."""
    import scipy.sparse as sp

    bounds = block.bounds if is_size else 0.0 * block.bounds
    clusters = block.index if is_size else np.zeros(len(bounds), int)
    more = sp.csr_array((-bounds, (np.arange(len(bounds)), clusters)), shape=(len(bounds), k))
    more.eliminate_zeros()
    return replace(block, matrix=sp.csr_array(sp.hstack([block.matrix, more])), bounds=block.bounds - bounds)
