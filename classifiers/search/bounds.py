"""Choosing the number of clusters and their size bounds by cross-validation, as a tidy table.

Bounds are given in units of the average size: with a and b, every cluster of a training fold of n' rows holds between
floor(a n'/k) and ceil(b n'/k) of them, so that the same pair means the same for every k and fold.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from math import inf
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_consistent_length

from ...base.checks import as_array, as_number, instance_of, listed, n_processes, whole_number
from ...base.errors import InvalidInputError
from ...models.polytope.polytope import PartitionPolytope
from ...solvers.geometric.partitioner import GeometricPartitioner
from ...stats.binary import mean_roc_area
from ..clustering_classifier import ClusteringClassifier


@dataclass(frozen=True, eq=False)
class BoundsSearch:
    """Every combination of k, lower and upper on every fold.

    Attributes
    ----------
    table : DataFrame
        One row a combination and fold: n_clusters, lower, upper (in units of n/k), fold, accuracy, auc, smallest,
        largest (training sizes over all starts).
    """

    table: pd.DataFrame

    def summary(self) -> pd.DataFrame:
        """Means and standard errors over folds, the best accuracy first."""
        keys = ["n_clusters", "lower", "upper"]
        groups = self.table.groupby(keys, sort=False)
        out = groups[["accuracy", "auc"]].mean()
        out["accuracy_se"] = groups["accuracy"].std(ddof=1) / np.sqrt(groups.size())
        out["smallest"], out["largest"] = groups["smallest"].min(), groups["largest"].max()
        return out.sort_values("accuracy", ascending=False, kind="stable").reset_index()

    @property
    def best(self) -> dict[str, float]:
        """The combination of best mean accuracy, the first tried on ties."""
        return _combination(self.summary())

    @property
    def simplest(self) -> dict[str, float]:
        """The fewest clusters, then the tightest lower bound, within one standard error of the best accuracy."""
        table = self.summary()
        accuracy = table["accuracy"].to_numpy(dtype=np.float64)
        margin = np.nan_to_num(table["accuracy_se"].to_numpy(dtype=np.float64)[0])
        enough = table[accuracy >= accuracy[0] - margin]
        return _combination(enough.sort_values(["n_clusters", "lower"], ascending=[True, False], kind="stable"))


def _combination(table: pd.DataFrame) -> dict[str, float]:
    return {name: float(table[name].iloc[0]) for name in ("n_clusters", "lower", "upper")}


def search_bounds(
    X: Any,
    y: ArrayLike,
    n_clusters: Iterable[int] = (5, 10, 20),
    lower: Iterable[float] = (0.0, 0.5, 0.8, 1.0),
    upper: Iterable[float] = (inf,),
    *,
    classifier: ClusteringClassifier | None = None,
    n_folds: int = 5,
    n_jobs: int | None = None,
    random_state: int | None = None,
) -> BoundsSearch:
    """Cross-validate a clustering classifier over k and size bounds.

    Parameters
    ----------
    X : (n, d) DataFrame or array_like
        Rows as the classifier takes them.
    y : (n,) array_like
        Classes.
    n_clusters : iterable of int
        Numbers of clusters.
    lower, upper : iterable of float
        Bounds in units of the average size n/k: lower in [0, 1], upper >= 1.
    classifier : ClusteringClassifier, optional
        What is fitted; its partitioner's bounds and clusters are replaced. By default ten starts of
        `GeometricPartitioner`.
    n_folds : int, default 5
        Stratified folds.
    n_jobs : int, optional
        Fits at the same time; no result depends on it.
    random_state : int, optional
        Seed of folds and starts.

    Returns
    -------
    BoundsSearch

    Raises
    ------
    InvalidInputError
        When a grid is empty or holds a bound that no clustering satisfies, or another argument cannot be used.
    """
    from joblib import Parallel, delayed

    ks = [whole_number(k, "n_clusters") for k in listed(n_clusters, "n_clusters", "whole numbers")]
    lows, ups = listed(lower, "lower", "numbers"), listed(upper, "upper", "numbers")
    inside = all(0 <= as_number(low) <= 1 for low in lows) and all(as_number(up) >= 1 for up in ups)
    if not (ks and lows and ups and inside):
        raise InvalidInputError(
            f"n_clusters={ks}, lower={lows}, upper={ups}: give at least one of each, 0 <= lower <= 1 <= upper, in "
            f"units of the average size"
        )
    base = ClusteringClassifier(GeometricPartitioner()) if classifier is None else classifier
    instance_of(base, "classifier", ClusteringClassifier)
    if base.partitioner is None:
        base = clone(base).set_params(partitioner=GeometricPartitioner())
    labels, n_jobs = as_array(y, "y"), n_processes(n_jobs)
    check_consistent_length(X, labels)
    folds = list(StratifiedKFold(n_folds, shuffle=True, random_state=random_state).split(labels, labels))
    jobs = [(k, a, b, f) for (k, a, b), f in product(product(ks, lows, ups), range(n_folds))]
    rows = Parallel(n_jobs=n_jobs)(delayed(_one)(base, X, labels, *job, folds[job[3]], random_state) for job in jobs)
    return BoundsSearch(pd.DataFrame(rows))


def _one(
    base: ClusteringClassifier,
    X: Any,
    y: NDArray,
    k: int,
    a: float,
    b: float,
    fold: int,
    split: tuple[NDArray[np.int64], NDArray[np.int64]],
    seed: int | None,
) -> dict[str, Any]:
    train, test = split
    polytope = PartitionPolytope.within(len(train), k, a, b)
    model = clone(base).set_params(
        partitioner__n_clusters=k,
        partitioner__lower=polytope.lower,
        partitioner__upper=polytope.upper,
        random_state=seed,
    )
    model.fit(_safe_indexing(X, train), y[train])
    scores = model.predict_proba(_safe_indexing(X, test))
    codes = np.searchsorted(model.classes_, y[test])
    return {
        "n_clusters": k,
        "lower": a,
        "upper": b,
        "fold": fold,
        "accuracy": float((model.predict(_safe_indexing(X, test)) == y[test]).mean()),
        "auc": mean_roc_area(codes, scores),
        "smallest": float(min(values.counts.sum(axis=1).min() for values in model.cluster_values_)),
        "largest": float(max(values.counts.sum(axis=1).max() for values in model.cluster_values_)),
    }
