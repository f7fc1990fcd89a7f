"""The one result of every strategy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..models.bound import Bound
from ..models.certificate import Certificate, Split
from ..models.errors import InvalidInputError
from ..models.power_diagram import PowerDiagram
from ..models.status import Status

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class Partition:
    """A clustering of the training points and what is known about it.

    Attributes
    ----------
    labels : (n,) ndarray of int64
        Cluster of every point.
    sizes : (k,) ndarray
        Number of points (or sum of weights) of each cluster.
    objective : float
        Value of the strategy's objective; its meaning and sense are the strategy's.
    history : mapping of str to (t,) ndarray
        Trace of the run that was kept, column by column: always ``"objective"``, and whatever else the
        strategy records; ``pandas.DataFrame(partition.history)`` makes it a table.
    bound : Bound or None
        A proved interval around the global optimum.
    certificate : Certificate or None
        Independent proof that the last assignment step is optimal for its sites. It belongs to these labels and
        splits: a partition that is made with others, or with a certificate that was changed, has none.
    power_diagram : PowerDiagram or None
        Cells that `Partitioner.predict` uses; None when the strategy has none.
    n_iter : int
        Iterations of the run that was kept.
    seconds : float
        Wall time of the fit.
    status : Status
        Why the run stopped.
    splits : tuple of (point, cluster, share)
        Shares of weighted points that the last assignment splits; ``labels`` holds their largest share.
    violation : float
        Largest weight by which a size bound is broken after split points were rounded on request, else 0.
    """

    labels: NDArray[np.int64]
    sizes: NDArray[np.float64]
    objective: float
    history: Mapping[str, NDArray] = field(default_factory=dict)
    bound: Bound | None = None
    certificate: Certificate | None = None
    power_diagram: PowerDiagram | None = None
    n_iter: int = 0
    seconds: float = 0.0
    status: Status = Status.CONVERGED
    splits: tuple[Split, ...] = ()
    violation: float = 0.0

    def __post_init__(self) -> None:
        if self.certificate is not None and not self.certificate.belongs_to(self.labels, self.splits):
            object.__setattr__(self, "certificate", None)

    @property
    def proved(self) -> bool:
        """Whether the last assignment step is certified, or the global optimum is enclosed to 1e-9."""
        if self.bound is not None and self.bound.gap <= 1e-9:
            return True
        return self.certificate is not None and self.certificate.verified

    def plot(self, X: ArrayLike, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the points in the colours of their clusters, over the cells of the power diagram.

        Parameters
        ----------
        X : (n, d) array_like
            The points of the partition, d >= 2; beyond two dimensions the section by their principal plane.
        ax : matplotlib Axes, optional
            Where to draw; the current axes when None.
        **options
            Passed to `partitope.models.plotting.plot_power_diagram`.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        InvalidInputError
            When the partition has no power diagram, or X does not fit it.
        """
        if self.power_diagram is None:
            raise InvalidInputError("the partition has no power diagram to draw: plot the points by their labels")
        return self.power_diagram.plot(ax=ax, X=X, labels=self.labels, **options)
