"""Choice of alpha and k of clustering aware classification by cross-validation, along the path of alpha.

    for every fold and every k:
        C(alpha_1)   CAC from k-means                                  alpha_1 < alpha_2 < ... < alpha_m
        C(alpha_t)   CAC from C(alpha_{t-1})                           warm start
        score of the local models of C(alpha_t) on the rows of the fold that were held out

The pair (k, alpha) with the best mean score is learnt again on all rows, along the same path up to its alpha. Folds and
k run in parallel; within one path the steps follow each other. Since phi = D - alpha S changes little from one alpha to
the next, a step takes few rounds; its end is a local optimum, as that of a cold start, but in general another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from partitope.base.checks import as_entries, check_weight, class_codes, n_processes, validate_data, whole_number
from partitope.base.errors import InvalidInputError
from partitope.base.inherited_docs import FittedToClasses
from partitope.classifiers.local_models import LocalModelClassifier
from partitope.models.polytope.polytope import PartitionPolytope
from partitope.solvers.best_start import seeds_of_starts
from partitope.solvers.cac.partitioner import CAC

ALPHAS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)


class Step(NamedTuple):
    """One alpha of one path: score on the rows held out, and the run's rounds and last D and S."""

    score: float
    rounds: int
    scatter: float
    separation: float


@dataclass(eq=False, repr=False)
class CACSearchCV(FittedToClasses, ClassifierMixin, BaseEstimator):
    """Clustering aware classification with the number of clusters and alpha chosen by cross-validation.

    Parameters
    ----------
    estimator : classifier, optional
        Learnt in every cluster; default that of `LocalModelClassifier`.
    n_clusters : int or sequence of int, default (2, 3)
        Candidates for k.
    alphas : float or sequence of float, default 0 to 2
        Candidates for alpha, each at least 0; taken in increasing order.
    separation_weight : {"size", "unit"}, default "size"
        As in `CAC`.
    lower, upper : int, float or str, optional
        Bounds on the cluster sizes for all rows; a fold that learns from n' of n rows uses floor(l n'/n) and
        ceil(u n'/n).
    scoring : str, callable or None, default None
        Metric, larger is better; None is accuracy.
    cv : int, splitter or iterable, default 5
        As in scikit-learn; a number means stratified folds.
    warm_start : bool, default True
        Start every alpha from the partition of the one before; otherwise all from the same k-means.
    n_init : int, default 10
        Runs of k-means for the start of a path.
    n_jobs : int, optional
        Paths at the same time (joblib); the result does not depend on it.
    random_state : int, RandomState or None, default 0
        Seed of the starts.

    Attributes
    ----------
    best_params_ : dict
        n_clusters and alpha.
    best_score_ : float
        Mean score of the best pair over the folds.
    best_estimator_ : LocalModelClassifier
        Learnt on all rows with the best pair.
    cv_results_ : dict of str to ndarray
        One entry a pair: param_n_clusters, param_alpha, mean_test_score, std_test_score, rank_test_score,
        mean_rounds, mean_D, mean_S.

    Raises
    ------
    InvalidInputError
        From ``fit``: no candidates, a negative alpha, folds of other rows, k greater than the rows of a fold, a local
        model that refuses its rows.
    InfeasibleBoundsError
        From ``fit``: size bounds that fit no clustering.

    Notes
    -----
    (folds + 1) paths for every k, each of one k-means and m descents. Ties go to the smaller k, then to the smaller
    alpha. The pair is chosen by the scores that ``best_score_`` reports, so that this is optimistic: nest the search in
    another cross-validation to judge it.

    References
    ----------
    Srivastava et al.: Don't Just Divide; Polarize and Conquer!, section 6.2 and appendix B.1.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from studies.cac_search import CACSearchCV
    >>> X, y = make_moons(200, noise=0.15, random_state=0)
    >>> search = CACSearchCV(n_clusters=(1, 4), alphas=(0.0, 0.3), cv=3).fit(X, y)
    >>> search.best_params_["n_clusters"]
    4
    """

    estimator: Any = None
    _: KW_ONLY
    n_clusters: int | Sequence[int] = (2, 3)
    alphas: float | Sequence[float] = ALPHAS
    separation_weight: Literal["size", "unit"] = "size"
    lower: int | float | str | None = None
    upper: int | float | str | None = None
    scoring: Any = None
    cv: Any = 5
    warm_start: bool = True
    n_init: int = 10
    n_jobs: int | None = None
    random_state: int | np.random.RandomState | None = 0

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Score every pair on the rows X (n, d) with classes y (n,), and learn the best on all of them."""
        points, target = validate_data(self, X, y, dtype=np.float64)
        X, y = np.asarray(points), np.asarray(target)
        check_classification_targets(y)
        self.classes_, _ = class_codes(y)
        ks, alphas = self._candidates()
        n_jobs = n_processes(self.n_jobs)
        folds = _folds(self.cv, X, y)
        seeds = seeds_of_starts(self.random_state, len(ks))
        work = [(k, seed, train, test) for k, seed in zip(ks, seeds) for train, test in folds]
        paths = Parallel(n_jobs=n_jobs)(
            delayed(_score_path)(self, X, y, train, test, k, seed, alphas) for k, seed, train, test in work
        )
        steps = np.array(paths, dtype=np.float64).reshape(len(ks), len(folds), len(alphas), len(Step._fields))
        self.cv_results_ = _summary(steps, ks, alphas)
        best = int(np.argmax(self.cv_results_["mean_test_score"]))
        place, last = divmod(best, len(alphas))
        self.best_score_ = float(self.cv_results_["mean_test_score"][best])
        self.best_params_ = {"n_clusters": ks[place], "alpha": alphas[last]}
        steps_to_best = alphas[: last + 1] if self.warm_start else alphas[last : last + 1]
        for model in _path(self, X, y, ks[place], seeds[place], steps_to_best, len(y)):
            self.best_estimator_ = model
        return self

    def _candidates(self) -> tuple[list[int], list[float]]:
        """Distinct candidates in increasing order."""
        (ks, _), (alphas, _) = as_entries(self.n_clusters, "n_clusters"), as_entries(self.alphas, "alphas")
        for alpha in alphas:
            check_weight("alphas", alpha)
        if not ks or not alphas:
            raise InvalidInputError("n_clusters and alphas need at least one candidate each: pass (2, 3), (0.0, 0.1)")
        return sorted({whole_number(k, "n_clusters") for k in ks}), sorted({float(alpha) for alpha in alphas})

    def apply(self, X: ArrayLike) -> NDArray[np.int64]:
        """Cell (n,) of every row of X (n, d) in the best model."""
        check_is_fitted(self)
        return self.best_estimator_.apply(validate_data(self, X, reset=False, dtype=np.float64))

    def predict(self, X: ArrayLike) -> NDArray:
        """Classes (n,) by the best model."""
        check_is_fitted(self)
        return self.best_estimator_.predict(validate_data(self, X, reset=False, dtype=np.float64))

    @available_if(lambda self: self.estimator is None or hasattr(self.estimator, "predict_proba"))
    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """P(j | x) (n, C) by the best model."""
        check_is_fitted(self)
        return self.best_estimator_.predict_proba(validate_data(self, X, reset=False, dtype=np.float64))


def _folds(cv: Any, X: NDArray, y: NDArray) -> list[tuple[Any, Any]]:
    """Pairs of rows to learn from and rows to score."""
    folds, rows = list(check_cv(cv, y, classifier=True).split(X, y)), np.arange(len(y))
    try:
        usable = all(rows[train].ndim == rows[test].ndim == 1 for train, test in folds)
    except (IndexError, TypeError, ValueError):
        usable = False
    if not folds or not usable:
        raise InvalidInputError(f"cv={cv!r} is not usable: pass a number of folds, a splitter, or pairs of row numbers")
    return folds


def _path(search: CACSearchCV, X: NDArray, y: NDArray, k: int, seed: int, alphas: Sequence[float], n_all: int) -> Any:
    """Fitted models of increasing alpha, one after the other."""
    polytope = PartitionPolytope.asked_for(n_all, k, search.lower, search.upper).scaled_to(len(y))
    init: Any = "k-means"
    for alpha in alphas:
        strategy = CAC(
            k, alpha=alpha, separation_weight=search.separation_weight, init=init, n_init=search.n_init,
            lower=polytope.lower, upper=polytope.upper, random_state=seed,
        )  # fmt: skip
        model = LocalModelClassifier(strategy, search.estimator).fit(X, y)
        if search.warm_start:
            init = model.labels_
        yield model


def _score_path(
    search: CACSearchCV, X: NDArray, y: NDArray, train: NDArray, test: NDArray, k: int, seed: int, alphas: list[float]
) -> list[Step]:
    """Steps of one path on one fold."""
    steps = []
    for model in _path(search, X[train], y[train], k, seed, alphas, len(y)):
        score = float(check_scoring(model, search.scoring)(model, X[test], y[test]))
        history = model.partition_.history
        steps.append(Step(score, model.partition_.n_iter, float(history["D"][-1]), float(history["S"][-1])))
    return steps


def _summary(steps: NDArray[np.float64], ks: list[int], alphas: list[float]) -> dict[str, NDArray]:
    """Columns over the pairs (k, alpha), k slowest, from steps (k, folds, alphas, 4)."""
    mean, spread = steps.mean(axis=1).reshape(-1, 4), steps[..., 0].std(axis=1).ravel()
    order = np.argsort(-mean[:, 0], kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(1, len(order) + 1)
    return {
        "param_n_clusters": np.repeat(ks, len(alphas)),
        "param_alpha": np.tile(alphas, len(ks)),
        "mean_test_score": mean[:, 0],
        "std_test_score": spread,
        "rank_test_score": rank,
        "mean_rounds": mean[:, 1],
        "mean_D": mean[:, 2],
        "mean_S": mean[:, 3],
    }
