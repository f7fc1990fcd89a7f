"""What solving an assignment program returns."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..base.errors import NotOptimalError
from ..base.status import Status
from ..models.assignment import AssignmentModel
from ..models.certificate import Certificate, Split, check_assignment
from ..models.exact_certificate import check_exactly


@dataclass(frozen=True, eq=False)
class AssignmentSolution:
    """An assignment, its prices, and how they were found.

    Attributes
    ----------
    model : AssignmentModel
        What was solved.
    labels : (n,) ndarray of int64 or None
        Cluster of every point; of a split point, the cluster of its largest share. None without a point.
    prices : (k,) ndarray or None
        mu, in the sign convention of `partitope.models.certificate`.
    point_duals : (n,) ndarray or None
        eta_j = w_j max_i (gamma_ij - mu_i).
    objective, dual_objective : float
        Recomputed from the data; nan when unknown.
    status : Status
        Why the backend stopped.
    seconds : float
        Wall time of the solve, building included.
    backend : str
        Name in the table of backends.
    splits : tuple of (point, cluster, share)
        Shares of points that the vertex splits; at most k - 1 points, weighted models only.
    build_seconds : float
        Wall time spent on writing the model for the backend, part of ``seconds``.
    iterations : int
        In the backend's own unit.
    raw_status : str
        The solver's own word for why it stopped, kept whatever ``status`` it was mapped to; empty when no solver ran.
    solver_version : str
        Package and version behind the backend, such as "highspy 1.11.0"; empty when no solver ran.
    """

    model: AssignmentModel
    labels: NDArray[np.int64] | None
    prices: NDArray[np.float64] | None
    point_duals: NDArray[np.float64] | None
    objective: float
    dual_objective: float
    status: Status
    seconds: float
    backend: str
    splits: tuple[Split, ...] = ()
    build_seconds: float = 0.0
    iterations: int = 0
    raw_status: str = ""
    solver_version: str = ""

    @property
    def has_point(self) -> bool:
        """Whether there is an assignment."""
        return self.labels is not None

    @property
    def _said(self) -> str:
        return f" ({self.solver_version}: {self.raw_status})" if self.raw_status else ""

    def require_labels(self) -> NDArray[np.int64]:
        """``labels``, or NotOptimalError when the backend left no assignment."""
        if self.labels is None:
            raise NotOptimalError(f"backend {self.backend!r} found no assignment: {self.status}{self._said}")
        return self.labels

    def verify(self, exact: bool = False, tolerance: float = 1e-9) -> Certificate:
        """Re-check the assignment and the prices against the data, in code that knows no solver.

        Parameters
        ----------
        exact : bool
            Check in rational arithmetic instead of floating point: `partitope.models.exact_certificate`.
        tolerance : float
            Relative tolerance, measured against what the choice of clusters can change.

        Returns
        -------
        Certificate
            Not ``verified`` either when `objective` or `dual_objective` are numbers that the data do not give.

        Raises
        ------
        NotOptimalError
            When there is no assignment or there are no prices to check.
        """
        if self.labels is None or self.prices is None:
            raise NotOptimalError(f"backend {self.backend!r} left nothing to verify: {self.status}{self._said}")
        found = check_assignment(
            self.model,
            self.labels,
            self.prices,
            splits=self.splits,
            point_duals=self.point_duals,
            tolerance=tolerance,
        )
        if exact:
            rational = check_exactly(self.model, self.labels, self.prices, splits=self.splits, tolerance=tolerance)
            found = replace(
                rational,
                dual_violation=found.dual_violation,
                summation=found.summation,
                misstatement=found.misstatement,
            )
        return found.stated(self.objective, self.dual_objective).sealed(self.labels, self.splits)
