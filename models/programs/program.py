"""A program as arrays (`ProgramArrays`), with every way out: solvers, files, modelling tools, the dual."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...base.errors import CapabilityError
from ..formats.arrays import INSTEAD, ProgramArrays, names_of
from ..formats.modelling import cvxpy_problem, pyomo_model
from ..formats.program_files import read_as, write_program
from .dual import dual_of

if TYPE_CHECKING:
    import cvxpy as cp
    import highspy
    import pyomo.environ as pyo

TOLERANCE = 1e-9  # Feasibility tolerance of HiGHS, which also drops smaller coefficients.
TOLERANCES = {f"{kind}_feasibility_tolerance": TOLERANCE for kind in ("mip", "primal", "dual")}
"""HiGHS's options for programs whose bounds are to be trusted up to `TOLERANCE` a column."""


@dataclass(frozen=True, eq=False, repr=False)
class Program(ProgramArrays):
    """A linear program, with whole numbers, semidefinite matrices and quadratic rows where there are any.

    Parameters
    ----------
    cost : (c,) ndarray
    matrix : (r, c) scipy.sparse.csc_array
    row_lower, row_upper : (r,) ndarray
    lower, upper : (c,) ndarray
    integral : (c,) ndarray of bool, optional
    maximise : bool
    columns, rows : tuple of Block
        In the order of the arrays; empty for columns ``x`` and rows ``row``.
    semidefinite : tuple of (b, b) ndarray of int
        The arrays S of (4).
    quadratic : dict of int to (c, c) scipy.sparse array
        The matrices Q_r of (1), symmetric; a row need not be convex.
    name, objective : str
        What the program, and its objective, are called.

    Raises
    ------
    InvalidInputError
        When shapes disagree, or two blocks have the same name.

    Notes
    -----
    `AssignmentModel.program` and others make one; so can you. Nothing is solved here: `to_highs`, `to_cvxpy` and
    `to_pyomo` hand it to a solver of your choice, and `read` sorts what comes back by blocks.

    Examples
    --------
    >>> from partitope.models import AssignmentModel, PartitionPolytope
    >>> model = AssignmentModel(PartitionPolytope(3, 1, 2, n_clusters=2), [[1, 0], [0, 1], [0, 1]])
    >>> [block.name for block in model.program.dualize().columns]
    ['point', 'size_lower', 'size_upper']
    """

    def to_highs(self, *, names: bool = True, **options: object) -> highspy.Highs:
        """The unsolved program in a silent `highspy.Highs` with HiGHS's own options; names cost a microsecond each.

        Raises
        ------
        CapabilityError
            When it has quadratic rows or semidefinite matrices.
        """
        import highspy

        if self.semidefinite:
            raise CapabilityError("HiGHS takes no semidefinite matrices: use to_cvxpy()")
        if self.quadratic:
            raise CapabilityError(f"HiGHS takes no quadratic rows: {INSTEAD}")
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
        if names:
            lp.col_names_, lp.row_names_ = names_of(self.columns), names_of(self.rows)
        highs = highspy.Highs()
        highs.setOptionValue("output_flag", False)
        for option, value in options.items():  # before the program comes: some say how its numbers are read
            highs.setOptionValue(option, value)
        highs.passModel(lp)
        return highs

    def to_pyomo(self) -> pyo.ConcreteModel:
        """The unsolved program as a `pyomo.environ.ConcreteModel` with a variable and a constraint per block.

        Raises
        ------
        CapabilityError
            When it has semidefinite matrices.
        """
        return pyomo_model(self)

    def to_cvxpy(self) -> cp.Problem:
        """The unsolved program as a `cvxpy.Problem` with a variable per block; labels of constraints are our names.

        Raises
        ------
        CapabilityError
            When a quadratic row is not convex.
        """
        return cvxpy_problem(self)

    def write(self, path: str | Path) -> Path:
        """Write the program to a file: ``.mps`` or ``.lp`` for solvers, as a minimisation, ``.json`` to read again.

        Raises
        ------
        InvalidInputError
            When the suffix is another one.
        CapabilityError
            When the format has no semidefinite matrices (``.mps``, ``.lp``) or quadratic rows (``.mps``).
        """
        return write_program(self, path)

    def dualize(self) -> Program:
        """The dual program: a column (price) per side of a row, a row per column; see `partitope.models.programs.dual`.

        Raises
        ------
        CapabilityError
            When columns have to be whole numbers, or rows are quadratic.
        """
        return dual_of(self)


def read_program(path: str | Path) -> Program:
    """The program of a ``.json`` that `Program.write` wrote.

    Parameters
    ----------
    path : str or Path
        The file.

    Raises
    ------
    InvalidInputError
        When the file cannot be read, or holds no program.
    """
    return read_as(path, Program)
