"""A linear or mixed-integer program written out as arrays: what every explicit solver, file and export starts from.

    min or max  cost . x     row_lower <= matrix x <= row_upper,   lower <= x <= upper,   x_j whole where integral

`LinearProgram` holds any such program. `ExplicitProgram` is the assignment program with its n k variables xi_ij, whose
structure modelling languages and network codes make use of:

    (1)  sum_i xi_ij = 1                        for every point j
    (2)  l_i <= sum_j w_j xi_ij <= u_i          for every cluster i
    (3)  0 <= xi_ij <= 1
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..base.moved import former_names, moved

if TYPE_CHECKING:
    import scipy.sparse as sp

    from .assignment import AssignmentModel

TOLERANCE = 1e-9  # of HiGHS's linear programs; it drops coefficients below as well
TOLERANCES = {f"{kind}_feasibility_tolerance": TOLERANCE for kind in ("mip", "primal", "dual")}
"""HiGHS's options for programs whose bounds are to be trusted up to `TOLERANCE` a column."""


@dataclass(frozen=True, eq=False)
class LinearProgram:
    """A linear program with bounds on rows and columns, some columns of which may have to be whole numbers.

    Parameters
    ----------
    cost : (c,) ndarray
        Coefficients of the objective.
    matrix : (r, c) scipy.sparse.csc_array
        Coefficients of the rows.
    row_lower, row_upper : (r,) ndarray
        Bounds of the rows, infinite where there is none.
    lower, upper : (c,) ndarray
        Bounds of the columns.
    integral : (c,) ndarray of bool, optional
        Columns that have to be whole numbers; none when not given.
    maximise : bool
        Whether the objective is to be as large as possible rather than as small.
    column_names, row_names : tuple of str
        Names, or nothing.
    name : str
        Name of the program.
    """

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

    def to_highs(self) -> Any:
        """The unsolved program in a silent `highspy.Highs`; names cost about a microsecond each."""
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
        highs.passModel(lp)
        return highs

    solve = moved("solvers.linear_program:solve_linear")


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
class ExplicitProgram(HasLinearProgram):
    """Coefficients of an assignment program.

    Parameters
    ----------
    cost : (n, k) ndarray
        Coefficient of every xi_ij.
    weights : (n,) ndarray
        w_j.
    lower, upper : (k,) ndarray
        l_i and u_i.
    maximise : bool
        Whether the objective is to be as large as possible rather than as small.
    """

    cost: NDArray[Any]
    weights: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    maximise: bool = True

    @classmethod
    def of(cls, model: AssignmentModel) -> ExplicitProgram:
        """The coefficients of a model as they stand: maximise the total score; O(n k)."""
        weights = model.point_weights
        upper = np.minimum(model.polytope.upper, model.polytope.total)
        return cls(model.score_source.dense() * weights[:, None], weights, model.polytope.lower, upper)

    @property
    def shape(self) -> tuple[int, int]:
        """(n, k)."""
        return self.cost.shape[0], self.cost.shape[1]

    @property
    def linear_program(self) -> LinearProgram:
        """The program with one row a cluster, bounded on both sides; column j k + i is xi_ij."""
        sides = np.ones(self.shape[0])
        return self._program(1, np.append(sides, self.lower), np.append(sides, self.upper))

    def with_split_rows(self, names: bool = True) -> LinearProgram:
        """The program with two rows a cluster, one a bound, as modelling languages write it, and with their names."""
        n, k = self.shape
        sides, free = np.ones(n), np.full(k, np.inf)
        low, up = np.concatenate([sides, self.lower, -free]), np.concatenate([sides, free, self.upper])
        columns = tuple(f"assign[{j},{i}]" for j in range(n) for i in range(k)) if names else ()
        return self._program(2, low, up, columns, self.row_names if names else ())

    @property
    def row_names(self) -> tuple[str, ...]:
        """Names of the rows of `with_split_rows`, in order."""
        n, k = self.shape
        sizes = [f"size_{side}[{i}]" for side in ("lower", "upper") for i in range(k)]
        return (*(f"point[{j}]" for j in range(n)), *sizes)

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
        return LinearProgram(
            cost=self.cost.ravel(),
            matrix=matrix,
            row_lower=row_lower,
            row_upper=row_upper,
            lower=np.zeros(n * k),
            upper=np.ones(n * k),
            maximise=self.maximise,
            column_names=columns,
            row_names=rows,
            name="assignment",
        )


__getattr__ = former_names(__name__)
