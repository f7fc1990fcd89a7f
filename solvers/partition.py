"""The one result of every strategy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..models.bound import Bound
from ..models.certificate import Certificate, Split
from ..models.power_diagram import PowerDiagram
from ..models.status import Status


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
        Independent proof that the last assignment step is optimal for its sites.
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

    @property
    def proved(self) -> bool:
        """Whether the last assignment step is certified, or the global optimum is enclosed to 1e-9."""
        if self.bound is not None and self.bound.gap <= 1e-9:
            return True
        return self.certificate is not None and self.certificate.verified
