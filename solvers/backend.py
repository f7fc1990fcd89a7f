"""What a backend is: a name, a declaration of what it can do, and one method."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from numpy.typing import NDArray

if TYPE_CHECKING:
    from ..models.programs.assignment import AssignmentModel
    from .solution import AssignmentSolution


@dataclass(frozen=True)
class Capabilities:
    """What a backend declares; a mismatch is refused before anything is solved.

    Attributes
    ----------
    exact : bool
        Whether it ends at a vertex that is optimal up to floating-point rounding (1e-9 relative).
    accuracy : float
        The relative accuracy of the objective that it promises: 1e-9 for exact backends.
    duals : bool
        Whether it returns prices.
    warm_start : bool
        Whether ``warm_start`` is used.
    time_limit : bool
        Whether ``time_limit`` is honoured.
    weights : bool
        Whether weighted points are accepted.
    mip : bool
        Whether integrality of the assignment can be demanded.
    masks : bool
        Whether pairs of point and cluster may be barred, and points fixed.
    further_rows : bool
        Whether the polytope may have several size dimensions, shares of groups, or custom rows.
    """

    exact: bool = True
    accuracy: float = 1e-9
    duals: bool = True
    warm_start: bool = False
    time_limit: bool = False
    weights: bool = True
    mip: bool = False
    masks: bool = False
    further_rows: bool = False


class Backend(ABC):
    """A way to solve `AssignmentModel`.

    Add one of yours with `partitope.solvers.BACKENDS.register` or an entry point of the group ``partitope.backends``.
    """

    name: ClassVar[str]
    capabilities: ClassVar[Capabilities]
    step_options: ClassVar[dict[str, object]] = {}
    """Options for a step of an iteration, whose prices and labels are needed but not its proof."""

    @abstractmethod
    def solve(
        self,
        model: AssignmentModel,
        *,
        warm_start: NDArray | None = None,
        time_limit: float | None = None,
    ) -> AssignmentSolution:
        """Solve a model whose polytope is known to be feasible.

        Parameters
        ----------
        model : AssignmentModel
            The linear program.
        warm_start : (k,) ndarray, optional
            Prices near the optimal ones.
        time_limit : float, optional
            Seconds.

        Notes
        -----
        A backend adds keyword options of its own; an unknown one raises TypeError.
        """
