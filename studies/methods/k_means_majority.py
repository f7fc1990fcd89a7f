"""KM_MV: k-means without supervision, a majority vote in every cluster. What predictive clustering has to beat.

(1)  number    ->  r / H, r the index 1 .. H of its interval between quantiles of the training column
(2)  category  ->  indicator of its group; the values, most frequent first, fill g groups as evenly as they can
(3)  best of several k-means++ starts by the within-cluster sum of squares; majority vote in each cluster
"""

from __future__ import annotations

from collections import Counter
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.cluster import KMeans
from sklearn.utils.validation import check_is_fitted

from partitope.base.checks import check_positive, whole_number
from partitope.base.columns import as_frame, as_numbers, as_texts, refuse_infinite
from partitope.classifiers.cell_classifier import CellClassifier
from partitope.classifiers.cluster_values import ClusterValues


@dataclass(eq=False, repr=False)
class KMeansMajorityVote(CellClassifier):
    """Unsupervised k-means with a majority vote.

    Parameters
    ----------
    n_clusters : int, optional
        K; None is the number of classes.
    n_bins : int, default 100
        H of (1).
    n_groups : int, default 10
        g of (2).
    n_init : int, default 25
        k-means++ starts.
    random_state : int, RandomState or None, default 0
        Seed of the starts.

    Attributes
    ----------
    kmeans_ : KMeans
        The fitted clustering.
    cluster_values_ : ClusterValues
        Share of each class in each cluster.
    class_counts_ : (K, J) ndarray of int64
        Training rows of each class in each cluster.

    Raises
    ------
    InvalidInputError
        From ``fit``: y of one class, infinite numbers, fewer clusters, bins or groups than one.

    Notes
    -----
    Heuristic. A missing number stands in the middle, a missing category is a value, an unseen one has no group.

    References
    ----------
    Lemaire, Alaoui Ismaili, Cornuejols and Gay 2020, Predictive k-means with local models, section 3.1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from studies.methods import KMeansMajorityVote
    >>> X, y = load_iris(return_X_y=True)
    >>> KMeansMajorityVote().fit(X, y).predict(X[[0, 60, 140]])
    array([0, 1, 2])
    """

    n_clusters: int | None = None
    _: KW_ONLY
    n_bins: int = 100
    n_groups: int = 10
    n_init: int = 25
    random_state: int | np.random.RandomState | None = 0

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Cluster the rows of X (n, d) and count the classes y (n,) in the clusters."""
        check_positive(self, "n_bins", "n_groups")
        frame, codes = self._validate(X, y)
        self.columns_ = [self._column(frame.iloc[:, f]) for f in range(frame.shape[1])]
        J = len(self.classes_)
        k = J if self.n_clusters is None else whole_number(self.n_clusters, "n_clusters")
        self.kmeans_ = KMeans(k, n_init=self.n_init, random_state=self.random_state).fit(self._encode(frame))
        self.cluster_values_ = ClusterValues.fit(self.kmeans_.labels_, codes, k, J)
        self.class_counts_ = self.cluster_values_.counts
        return self

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Cluster (n,) of every row of X (n, d)."""
        check_is_fitted(self)
        return self.kmeans_.predict(self._encode(as_frame(self, X, reset=False))).astype(np.int64)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Shares (n, J) of the classes in the cluster of each row."""
        cells = self.apply(X)
        return self.cluster_values_.score(cells)

    def _column(self, column: pd.Series) -> _Ranks | _EvenGroups:
        numbers = as_numbers(column)
        if numbers is None:
            return _EvenGroups.fit(as_texts(column), self.n_groups)
        refuse_infinite(numbers, column.name)
        return _Ranks.fit(numbers, self.n_bins)

    def _encode(self, frame: pd.DataFrame) -> NDArray[np.float64]:
        return np.hstack([rule.transform(frame.iloc[:, f]) for f, rule in enumerate(self.columns_)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # the clusters never see the classes
        return tags


@dataclass(frozen=True, eq=False)
class _Ranks:
    """Rule (1): ``ends`` are the upper ends of all intervals but the last."""

    ends: NDArray[np.float64]
    n_bins: int

    @classmethod
    def fit(cls, x: NDArray[np.float64], n_bins: int) -> _Ranks:
        present = x[~np.isnan(x)]
        if not present.size:
            return cls(np.empty(0), n_bins)
        return cls(np.quantile(present, np.arange(1, n_bins) / n_bins, method="inverted_cdf"), n_bins)

    def transform(self, column: pd.Series) -> NDArray[np.float64]:
        numbers = as_numbers(column)
        x = np.full(len(column), np.nan) if numbers is None else numbers
        refuse_infinite(x, column.name)
        rank = (np.searchsorted(self.ends, x, side="left") + 1.0) / self.n_bins
        return np.where(np.isnan(x), 0.5, rank)[:, None]


@dataclass(frozen=True, eq=False)
class _EvenGroups:
    """Rule (2): the group of every value; missing is the value None."""

    groups: dict[str | None, int]
    n_groups: int

    @classmethod
    def fit(cls, x: NDArray[np.object_], n_groups: int) -> _EvenGroups:
        counts = Counter(x)
        filled = [0] * min(n_groups, len(counts))
        groups: dict[str | None, int] = {}
        for value, count in sorted(counts.items(), key=lambda item: (-item[1], item[0] or "")):
            groups[value] = filled.index(min(filled))
            filled[groups[value]] += count
        return cls(groups, len(filled))

    def transform(self, column: pd.Series) -> NDArray[np.float64]:
        group = np.array([self.groups.get(value, -1) for value in as_texts(column)])
        return (group[:, None] == np.arange(self.n_groups)).astype(np.float64)
