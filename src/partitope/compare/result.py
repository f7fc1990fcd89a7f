"""What a comparison is made of: the shared settings, one row a method, the whole."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..datasets.dataset import Dataset
from ..models.objectives.proof import Proof
from ..models.polytope.polytope import PartitionPolytope
from ..solvers import Partition
from .methods import Method
from .references import Reference
from .scoring import FoldScores


@dataclass(frozen=True, eq=False)
class Settings:
    """What all methods share.

    Attributes
    ----------
    polytope : PartitionPolytope
        Number of rows n and of clusters k, and the size bounds for the whole table.
    folds, starts, seed : int
        Folds of the cross-validation, starts of every method, seed of both.
    aggregate : {"mean", "max"}
        How the classifier reads its starts.
    weighting : bool
        Whether encoded columns are weighted by least squares.
    default_bounds : bool
        Whether the bounds are the rule "n/k give or take a fifth".
    plain : bool
        Whether columns are as they were given, conditional means plain, and class shares all that is shown.
    """

    polytope: PartitionPolytope
    folds: int
    starts: int
    seed: int
    aggregate: Literal["mean", "max"]
    weighting: bool
    default_bounds: bool
    plain: bool = False

    @property
    def n_clusters(self) -> int:
        """Number of clusters k."""
        return self.polytope.n_clusters

    @property
    def lower(self) -> NDArray[np.float64]:
        """Lower size bounds (k,) for the whole table."""
        return self.polytope.lower

    @property
    def upper(self) -> NDArray[np.float64]:
        """Upper size bounds (k,) for the whole table."""
        return self.polytope.upper


@dataclass(frozen=True, eq=False)
class Row:
    """What one method reached; None or nan where it has no such figure, with the reason in ``note``.

    Attributes
    ----------
    method : Method
        Which method.
    partition : Partition or None
        Of the whole table, from the best start.
    sense : {"max", "min"} or None
        Whether a larger objective is better; None without a partition.
    sum_of_squares : float
        Within-cluster sum of squares of ``partition``.
    within_bounds : bool or None
        Whether the sizes of ``partition`` respect the bounds.
    seconds : float
        Wall time of all starts on the whole table.
    accuracy, auc : float
        Means over the folds; AUC one class against the rest, averaged, for more than two classes.
    accuracy_sd, auc_sd : float
        Standard deviations over the folds.
    scores : (n, C) ndarray or None
        Class scores of every row from the fold that held it out.
    folds, local : FoldScores or None
        Held-out figures fold by fold: of the class shares of the cells, as above, and of local models in the cells.
    cv_seconds : float
        Wall time of the cross-validation.
    note : str
        Why figures are missing.
    """

    method: Method
    partition: Partition | None = None
    sense: str | None = None
    sum_of_squares: float = np.nan
    within_bounds: bool | None = None
    seconds: float = np.nan
    accuracy: float = np.nan
    accuracy_sd: float = np.nan
    auc: float = np.nan
    auc_sd: float = np.nan
    scores: NDArray[np.float64] | None = None
    folds: FoldScores | None = None
    local: FoldScores | None = None
    cv_seconds: float = np.nan
    note: str = ""

    @property
    def proof(self) -> Proof:
        """What is proved of ``partition``; NONE without one."""
        return Proof.NONE if self.partition is None else self.partition.proof


@dataclass(frozen=True, eq=False)
class Comparison:
    """The result of `compare`.

    Attributes
    ----------
    data : Dataset
        What was compared on.
    settings : Settings
        What all methods share.
    rows : tuple of Row
        One a method.
    points : (n, p) ndarray
        Encoded (and weighted) rows of the whole table: what was clustered.
    references : tuple of Reference
        Classifiers without clusters on the same folds.
    seconds : float
        Wall time of everything.
    """

    data: Dataset
    settings: Settings
    rows: tuple[Row, ...]
    points: NDArray[np.float64] = field(repr=False)
    references: tuple[Reference, ...] = ()
    seconds: float = np.nan
