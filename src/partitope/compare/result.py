"""What a comparison is made of: the shared settings, one row per method, the whole."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..datasets.dataset import Dataset
from ..models.objectives.proof import Proof
from ..models.polytope.polytope import PartitionPolytope
from ..solvers import Partition
from .methods import Method
from .scoring import FoldScores


@dataclass(frozen=True, eq=False)
class Settings:
    """What all methods share."""

    polytope: PartitionPolytope  # Number of rows n and of clusters k, and the size bounds for the whole table.
    folds: int  # Folds of the cross-validation.
    starts: int  # Starts of every method.
    seed: int  # Seed of folds and starts.
    default_bounds: bool  # Whether the bounds are the rule "n/k give or take a fifth".
    named: bool = False  # Whether these methods were named by the user.

    @property
    def n_clusters(self) -> int:
        """Number of clusters k."""
        return self.polytope.n_clusters


@dataclass(frozen=True, eq=False)
class Row:
    """What one method reached; None or nan where it has no such figure, with the reason in ``note``."""

    name: str  # Name of the method, or of a classifier without clusters.
    method: Method | None = None  # The method of the row.
    partition: Partition | None = None  # Partition of the whole table, from the best start.
    sum_of_squares: float = np.nan  # Within-cluster sum of squares of ``partition``.
    within_bounds: bool | None = None  # Whether the sizes of ``partition`` respect the bounds.
    seconds: float = np.nan  # Seconds without compilation: all starts on the whole table, or all folds of a classifier.
    folds: FoldScores | None = None  # Held-out figures fold by fold, by the shares of the classes in the cells.
    local: FoldScores | None = None  # Held-out figures by local models.
    cv_seconds: float = np.nan  # Seconds of the cross-validation without compilation.
    note: str = ""  # Reason for missing figures.

    @property
    def proof(self) -> Proof:
        """What is proved of ``partition``; NONE without one."""
        return Proof.NONE if self.partition is None else self.partition.proof


@dataclass(frozen=True, eq=False)
class Comparison:
    """The result of `compare`."""

    data: Dataset  # The table of the comparison.
    settings: Settings  # Settings shared by all methods.
    rows: tuple[Row, ...]  # One row per method.
    points: NDArray[np.float64] = field(repr=False)  # (n, p): Encoded (and weighted) rows of the whole table.
    references: tuple[Row, ...] = ()  # Classifiers without clusters on the same folds.
    seconds: float = np.nan  # Wall time of everything in seconds.
