"""The methods of the study of clustering aware classification, and how alpha is chosen.

X is a classifier, KM+X one of it in each cluster of k-means, CAC+X one in each cluster of CAC, with an alpha chosen for
each classifier and each training part by a cross-validation inside the training part (`CACSearchCV`, three folds, F1),
on at most SEARCH_ROWS of its rows. "CAC+X, printed alpha" takes the one that the papers print.

The settings are those of the code that the papers publish with their tables, which the text leaves out: logistic
regressions in clusters weight the classes ("balanced") and the single one does not; SGD minimises the logistic loss;
forests have ten trees. "LR balanced" is the single one with weights, "KM+LR plain" and "CAC+LR plain" are without: what
clusters give beyond the weights is the difference of rows with the same weights.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.cluster import KMeans
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier

from partitope.base.errors import InvalidInputError
from partitope.models.polytope.polytope import PartitionPolytope

CLASSIFIERS = ("LR", "SVM", "LDA", "Perceptron", "RF", "KNN", "SGD", "Ridge")
DEEP = ("FNN", "DMNN", "DeepCAC")
PRINTED_ALPHA = ", printed alpha"
ALPHAS = (0.0, 0.02, 0.05, 0.2, 0.8, 2.5)
SEARCH_ROWS = 6000
MOST_KEPT = 16

_kept: dict[tuple[Any, ...], Any] = {}


def once(make: Callable[[], Any], X: NDArray, *settings: Any) -> Any:
    """``make()``, cached by rows and settings: several classifiers of a study ask for the same."""
    key = (blake2b(np.ascontiguousarray(X).data).digest(), *settings)
    if key not in _kept:
        if len(_kept) == MOST_KEPT:
            _kept.pop(next(iter(_kept)))
        _kept[key] = make()
    return _kept[key]


class OnceKMeans(KMeans):
    """scikit-learn's k-means, fitted once to the same rows with the same seed."""

    def fit(self, X: NDArray, y: Any = None, sample_weight: Any = None) -> OnceKMeans:
        """Fit to the rows X (n, d), or take the fit of an equal one to the same rows."""
        fit = super().fit
        self.__dict__.update(once(lambda: vars(fit(X)).copy(), X, "k-means", self.n_clusters, self.random_state))
        return self


@dataclass(eq=False, repr=False)
class Neighbours(ClassifierMixin, BaseEstimator):
    """Nearest neighbours: ``n_neighbors`` of them, or all rows where a cluster holds fewer."""

    n_neighbors: int = 5

    def fit(self, X: NDArray, y: NDArray) -> Neighbours:
        """Keep the rows X (n, d) with classes y (n,)."""
        self.model_ = KNeighborsClassifier(min(self.n_neighbors, len(X))).fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: NDArray) -> NDArray:
        """Classes (n,)."""
        return self.model_.predict(X)

    def predict_proba(self, X: NDArray) -> NDArray:
        """Shares (n, C) of the classes among the neighbours."""
        return self.model_.predict_proba(X)


def shallow(name: str, k: int, seed: int, printed_alpha: float | None = None) -> dict[str, Any]:
    """X, KM+X and CAC+X for the classifier of that name, and CAC+X with a printed alpha where there is one."""
    from partitope.classifiers import LocalModelClassifier
    from partitope.solvers import CAC

    def clustered(base: Any, ending: str = "") -> dict[str, Any]:
        return {
            f"KM+{name}{ending}": LocalModelClassifier(OnceKMeans(k, n_init=10, random_state=seed), base),
            f"CAC+{name}{ending}": LocalModelClassifier(CAC(k, random_state=seed), base),
        }

    base = classifier(name, seed)
    local = base if name != "LR" else classifier(name, seed).set_params(class_weight="balanced")
    models = {name: base, **clustered(local)}
    if printed_alpha is not None:
        partitioner = CAC(k, alpha=printed_alpha, random_state=seed)
        models[f"CAC+{name}{PRINTED_ALPHA}"] = LocalModelClassifier(partitioner, local)
    return models if name != "LR" else {**models, "LR balanced": local, **clustered(base, " plain")}


def classifier(name: str, seed: int) -> Any:
    """One of `CLASSIFIERS`."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier, SGDClassifier
    from sklearn.svm import LinearSVC

    return {
        "LR": LogisticRegression(max_iter=1000),
        "SVM": LinearSVC(random_state=seed),
        "LDA": LinearDiscriminantAnalysis(),
        "Perceptron": Perceptron(random_state=seed),
        "RF": RandomForestClassifier(10, random_state=seed),
        "KNN": Neighbours(5),
        "SGD": SGDClassifier("log_loss", random_state=seed),
        "Ridge": RidgeClassifier(),
    }[name]


def deep_models(k: int, seed: int) -> dict[str, Any]:
    """The three networks of `DEEP`."""
    from partitope.classifiers import DeepCAC

    from .methods.deep import DMNN, FNN

    return {
        "FNN": FNN(random_state=seed),
        "DMNN": DMNN(k, random_state=seed),
        "DeepCAC": DeepCAC(k, random_state=seed),
    }


def fitted(name: str, model: Any, X: NDArray, y: NDArray, seed: int) -> tuple[Any, float | None]:
    """The fitted model and its alpha; large alphas are given up where they leave clusters that no model takes."""
    if name.endswith(PRINTED_ALPHA):
        return _from_k_means(model, X, seed).fit(X, y), float(model.partitioner.alpha)
    for last in range(len(ALPHAS), 1, -1):
        try:
            chosen, alpha = with_alpha(model, X, y, seed, ALPHAS[:last])
            return _from_k_means(chosen, X, seed).fit(X, y), alpha
        except InvalidInputError:
            continue
    chosen, alpha = with_alpha(model, X, y, seed, ALPHAS[:1])
    return _from_k_means(chosen, X, seed).fit(X, y), alpha


def _from_k_means(model: Any, X: NDArray, seed: int) -> Any:
    """The model, told the clusters of k-means that its CAC would start from; other models as they are."""
    from partitope.solvers import CAC
    from partitope.solvers.geometric.best_alternation import bounded_k_means

    strategy = getattr(model, "partitioner", None)
    if not isinstance(strategy, CAC):
        return model

    def start() -> NDArray[np.int64]:
        free = PartitionPolytope.asked_for(len(X), strategy.n_clusters, None, None)
        rng = np.random.RandomState(seed)
        return bounded_k_means(X - X.mean(axis=0), free, strategy.n_init, rng).labels

    return model.set_params(partitioner__init=once(start, X, "start", strategy.n_clusters, seed))


def with_alpha(
    model: Any, X: NDArray, y: NDArray, seed: int, alphas: Sequence[float] = ALPHAS
) -> tuple[Any, float | None]:
    """The model with the best alpha of a cross-validation on these rows, where it has one to choose."""
    from partitope.classifiers import LocalModelClassifier
    from partitope.solvers import CAC

    from .cac_search import CACSearchCV

    if not (isinstance(model, LocalModelClassifier) and isinstance(model.partitioner, CAC)):
        return model, None
    rows = np.arange(len(y))
    if len(y) > SEARCH_ROWS:
        rows = train_test_split(rows, train_size=SEARCH_ROWS, random_state=seed, stratify=y)[0]
    search = CACSearchCV(
        model.estimator, n_clusters=model.partitioner.n_clusters, alphas=alphas, scoring="f1", cv=3, random_state=seed
    ).fit(X[rows], y[rows])
    alpha = float(search.best_params_["alpha"])
    return model.set_params(partitioner__alpha=alpha), alpha
