"""Predictive k-means as a classifier: a majority vote or a local model in every cluster.

(1)  C_1, ..., C_K  from `partitope.solvers.PKM`
(2)  P(j | x) = share of class j among the training rows of the cell of x          majority vote, PKM_MV
(3)  P(j | x) = local selective naive Bayes of that cell, where it compresses the classes of the cell's
     training rows better than (2): gain > 0                                       local models, PKM_SNB
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ..base.checks import one_of
from ..base.columns import as_frame
from ..solvers.partition import Partition
from ..solvers.predictive.pkm import PKM
from ..stats.modl.cuts_and_groups import Method
from .cell_classifier import CellClassifier
from .encoders.modl import check_smoothing, check_table
from .local_collection import fit_collection
from .naive_bayes.classifier import SelectiveNaiveBayes


@dataclass(eq=False, repr=False)
class PKMClassifier(CellClassifier):
    """Cluster rows by what they say about the classes, then classify inside each cluster.

    Parameters
    ----------
    n_clusters : int, optional
        K, at least the number of classes J; None is J.
    local : {"snb", "majority"}, default "snb"
        Local selective naive Bayes models where they beat the majority vote, or the majority vote everywhere.
    lower, upper : (K,) array_like or int, optional
        Bounds on the cluster sizes.
    n_init : int, default 1
        Starts of the clustering; they differ only when K > J.
    method : {"auto", "exact", "greedy"}, default "auto"
        Search for the parts of a column, as in `MODLDiscretizer`.
    smoothing : float, optional
        e in P(part | class) = (count + e) / (class total + I e); None is 1 / (n + 1).
    random_state : int, RandomState or None, default 0
        Seed of the clustering.

    Attributes
    ----------
    partitioner_ : PKM
        The fitted clustering and its new space.
    partition_ : Partition
        Its result.
    cells_ : Cells
        Which cluster a row belongs to.
    class_counts_ : (K, J) ndarray of int64
        Training rows of each class in each cell.
    local_models_ : list of SelectiveNaiveBayes or None
        One per cell; None where the majority vote is used.

    Raises
    ------
    InvalidInputError
        From ``fit``: y of one class, K < J, infinite numbers, an option that is not known.
    InfeasibleBoundsError
        From ``fit``: size bounds that fit no clustering.

    Notes
    -----
    Heuristic. The cost is that of `PKM`, and one `SelectiveNaiveBayes` a mixed cell. A cell that no training row
    reaches predicts the shares of all rows.

    References
    ----------
    Lemaire, Alaoui Ismaili, Cornuejols and Gay 2020, Predictive k-means with local models.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from partitope.classifiers import PKMClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = PKMClassifier().fit(X, y)
    >>> model.predict(X[[0, 60, 140]]), model.class_counts_.sum(axis=1)
    (array([0, 1, 2]), array([50, 48, 52]))
    """

    n_clusters: int | None = None
    local: Literal["snb", "majority"] = "snb"
    _: KW_ONLY
    lower: ArrayLike | None = None
    upper: ArrayLike | None = None
    n_init: int = 1
    method: Method = "auto"
    smoothing: float | None = None
    random_state: int | np.random.RandomState | None = 0
    stored: ClassVar[tuple[str, ...]] = ("cells_", "class_counts_", "_collection")

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Cluster the rows of X (n, d) for the classes y (n,) and fit the local models."""
        one_of(self.local, "local", ("snb", "majority"))
        check_smoothing(self.smoothing)
        frame, codes, self.classes_ = check_table(self, X, y)
        self.partitioner_ = PKM(
            self.n_clusters, lower=self.lower, upper=self.upper, n_init=self.n_init, method=self.method,
            smoothing=self.smoothing, random_state=self.random_state,
        ).fit(frame, codes)  # fmt: skip
        self.cells_ = self.partitioner_.partition_.require_cells()
        cells = self.cells_.predict(frame)
        known = np.arange(len(self.classes_))
        local = SelectiveNaiveBayes(method=self.method, smoothing=self.smoothing) if self.local == "snb" else None
        self._collection, self.class_counts_ = fit_collection(
            local, cells, self.cells_.diagram.n_clusters, frame, codes, known, keep=lambda model: model.gain_ > 0
        )
        return self

    @property
    def local_models_(self) -> list[SelectiveNaiveBayes | None]:
        """Model of every cell; None where the majority vote is used."""
        return list(self._collection.models)

    @property
    def partition_(self) -> Partition:
        """Result of the clustering."""
        return self.partitioner_.partition_

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Cell (n,) of every row of X (n, d)."""
        check_is_fitted(self)
        return self.cells_.predict(as_frame(self, X, reset=False))
