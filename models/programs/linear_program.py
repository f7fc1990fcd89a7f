"""A linear or mixed-integer program written out as arrays: what every explicit solver, file and export starts from.

    min or max  cost . x     row_lower <= matrix x <= row_upper,   lower <= x <= upper,   x_j whole where integral

`LinearProgram` holds any such program. `ExplicitProgram` is the assignment program with its n k variables xi_ij, whose
structure modelling languages and network codes make use of:

    (1)  sum_i xi_ij = 1                        for every point j
    (2)  l_i <= sum_j w_j xi_ij <= u_i          for every cluster i
    (3)  0 <= xi_ij <= 1                        xi_ij = 0 where the pair is not allowed
    (4)  b_q <= sum_ij a_qij xi_ij <= B_q       further rows, see `partitope.models.rows`
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..polytope.rows import Rows

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


@dataclass(frozen=True, eq=False)
class Side:
    """Bounds of further rows on one side, as modelling languages write them."""

    name: str  # ``rowsT_lower`` or ``rowsT_upper`` for the rows of place T
    index: NDArray[np.int64]  # (q,): Numbers of the rows: their clusters, or their places where a cluster has several
    matrix: Any  # (q, n k): Coefficients
    bounds: NDArray[np.float64]  # (q,): Finite bounds
    lower: bool  # whether they are lower bounds
    place: tuple[str, NDArray[np.int64]]  # name of the rows and which of them these are

    def rows(self) -> Iterator[tuple[str, Any, str, float]]:
        """Name, coefficients (1, n k), sense and bound, row by row."""
        for q, number in enumerate(self.index.tolist()):
            yield f"{self.name}_{number}", self.matrix[[q]], ">=" if self.lower else "<=", float(self.bounds[q])


@dataclass(frozen=True, eq=False)
class ExplicitProgram(HasLinearProgram):
    """Coefficients of an assignment program. Shapes: cost (n, k), weights (n,), lower, upper (k,), allowed (n, k)."""

    cost: NDArray[Any]
    weights: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    maximise: bool = True
    allowed: NDArray[np.bool_] | None = None
    further: tuple[Rows, ...] = ()

    @classmethod
    def of(cls, model: AssignmentModel) -> ExplicitProgram:
        """The coefficients of a model as they stand: maximise the total score; O(n k)."""
        weights = model.point_weights
        polytope = model.polytope
        upper = np.minimum(polytope.upper, polytope.total)
        cost = model.score_source.dense() * weights[:, None]
        return cls(cost, weights, polytope.lower, upper, allowed=polytope.allowed, further=polytope.further)

    @property
    def shape(self) -> tuple[int, int]:
        """(n, k)."""
        return self.cost.shape[0], self.cost.shape[1]

    @property
    def linear_program(self) -> LinearProgram:
        """The program with one row a bound on both sides; column j k + i is xi_ij."""
        sides = np.ones(self.shape[0])
        low = [sides, self.lower, *(rows.lower for rows in self.further)]
        up = [sides, self.upper, *(rows.upper for rows in self.further)]
        return self._program(1, np.concatenate(low), np.concatenate(up))

    def with_split_rows(self, names: bool = True) -> LinearProgram:
        """The program with two rows a cluster, one a bound, as modelling languages write it, and with their names."""
        n, k = self.shape
        sides, free = np.ones(n), np.full(k, np.inf)
        low, up = [sides, self.lower, -free], [sides, free, self.upper]
        for side in self.further_sides():
            low.append(side.bounds if side.lower else np.full(side.bounds.size, -np.inf))
            up.append(np.full(side.bounds.size, np.inf) if side.lower else side.bounds)
        columns = tuple(f"assign_{j}_{i}" for j in range(n) for i in range(k)) if names else ()
        return self._program(2, np.concatenate(low), np.concatenate(up), columns, self.row_names if names else ())

    @property
    def row_names(self) -> tuple[str, ...]:
        """Names of the rows of `with_split_rows`, in order."""
        n, k = self.shape
        sizes = [f"size_{side}_{i}" for side in ("lower", "upper") for i in range(k)]
        further = (name for side in self.further_sides() for name, *_ in side.rows())
        return (*(f"point_{j}" for j in range(n)), *sizes, *further)

    def further_sides(self) -> list[Side]:
        """The finite bounds of the rows (4), first the lower and then the upper ones of every name."""
        found = []
        for number, rows in enumerate(self.further, 1):
            matrix = rows.matrix(self.shape[1])
            for end, bounds in (("lower", rows.lower), ("upper", rows.upper)):
                finite = np.flatnonzero(np.isfinite(bounds))
                if finite.size:
                    clusters = rows.index[finite]
                    index = clusters if np.unique(clusters).size == clusters.size else finite
                    name, place = f"rows{number}_{end}", (rows.name, finite)
                    found.append(Side(name, index, matrix[finite], bounds[finite], end == "lower", place))
        return found

    def _program(
        self,
        times: int,
        row_lower: NDArray[np.float64],
        row_upper: NDArray[np.float64],
        columns: tuple[str, ...] = (),
        rows: tuple[str, ...] = (),
    ) -> LinearProgram:
        """The program whose rows (2) stand there so many times."""
        import scipy.sparse as sp

        n, k = self.shape
        entries = 1 + times
        index, value = np.empty((n, k, entries), np.int32), np.ones((n, k, entries))
        index[:, :, 0] = np.arange(n, dtype=np.int32)[:, None]
        for t in range(times):
            index[:, :, 1 + t] = np.arange(n + t * k, n + (t + 1) * k, dtype=np.int32)
        value[:, :, 1:] = self.weights[:, None, None]
        starts = np.arange(0, entries * n * k + 1, entries, dtype=np.int32)
        matrix = sp.csc_array((value.ravel(), index.ravel(), starts), shape=(n + times * k, n * k))
        if self.further:
            further = (rows.matrix(k) for rows in self.further)
            more = further if times == 1 else (side.matrix for side in self.further_sides())
            matrix = sp.csc_array(sp.vstack([matrix, *more]))
        return LinearProgram(
            cost=self.cost.ravel(),
            matrix=matrix,
            row_lower=row_lower,
            row_upper=row_upper,
            lower=np.zeros(n * k),
            upper=np.ones(n * k) if self.allowed is None else self.allowed.ravel().astype(np.float64),
            maximise=self.maximise,
            column_names=columns,
            row_names=rows,
            name="assignment",
        )
