"""scikit-learn's semi-supervised learners as strategies: one adapter, with size bounds.

A learner gives scores (probabilities of the classes); a row's label is its largest, or, with size bounds, the labels
are the optimal assignment for these scores that keeps the given labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import pdist
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelPropagation, LabelSpreading, SelfTrainingClassifier

from partitope.base.checks import check_positive, finite_rows, one_of
from partitope.models.polytope.polytope import PartitionPolytope
from partitope.solvers import STRATEGIES
from partitope.solvers.assignment.rounding import assign_with_given
from partitope.solvers.cells import Cells, Embedding, largest_score
from partitope.solvers.conditional.few_labels import FewLabels, partial_labels
from partitope.solvers.partition import Partition
from partitope.solvers.partitioner import Needs, Points, Random, Target

METHODS = ("propagation", "spreading", "self-training")


@STRATEGIES.register("semi-supervised")
@dataclass(eq=False, repr=False, kw_only=True)
class SemiSupervised(FewLabels):
    """Label all points from few labels by one of scikit-learn's learners; it knows no covariates.

    Parameters
    ----------
    method : {"propagation", "spreading", "self-training"}, default "spreading"
        Which learner.
    graph : {"neighbours", "gaussian"}, default "neighbours"
        What joins the rows in propagation and spreading: their nearest neighbours, or every row with every other, with
        the weight exp(-|x - z|^2 / (2 s^2)), s the median of the distances between different rows.
    n_neighbors : int, default 7
        Neighbours in the graph of that name.
    estimator : classifier, optional
        What self-training trains, by default a logistic regression on scaled columns.
    random_state : int, RandomState or None
        Taken for the common interface; the learners are deterministic.

    Attributes
    ----------
    scores_ : (n, k) ndarray
        Probabilities of the classes.
    learner_ : estimator
        The fitted learner.
    partition_ : Partition
        ``objective`` is the sum of the scores of the labels, larger is better.

    Raises
    ------
    InvalidInputError
        When the method is not known or the labels are not usable (see `KCSSL`).

    Notes
    -----
    The assignment under bounds is exact; the scores are the learner's, of rows that no label reaches the shares of the
    classes among the labels. In the graphs equal rows without a label are one point: their nearest neighbours would be
    each other, and no label would reach them.

    Examples
    --------
    >>> from studies.methods import SemiSupervised
    >>> X = [[0.0], [0.1], [0.2], [4.0], [4.1], [4.2]]
    >>> SemiSupervised(2, n_neighbors=3).fit(X, [5, -1, -1, 7, -1, -1]).transduction_
    array([5, 5, 5, 7, 7, 7])
    """

    needs: ClassVar[Needs] = Needs(target="partial", cluster_per_class=True, n_points=2)
    variants: ClassVar[dict[str, dict[str, Any]]] = {
        "label-propagation": {"method": "propagation"},
        "label-spreading": {"method": "spreading"},
        "self-training": {"method": "self-training"},
    }

    method: Literal["propagation", "spreading", "self-training"] = "spreading"
    graph: Literal["neighbours", "gaussian"] = "neighbours"
    n_neighbors: int = 7
    estimator: Any = None

    def _learner(self, X: Points) -> Any:
        graph: dict[str, Any] = {"kernel": "knn", "n_neighbors": min(self.n_neighbors, len(X))}
        if self.graph == "gaussian":
            distances = pdist(X)
            graph = {"kernel": "rbf", "gamma": 0.5 / np.median(distances[distances > 0]) ** 2}
        graph["max_iter"] = self.max_iter
        if self.method == "propagation":
            return LabelPropagation(**graph)
        if self.method == "spreading":
            return LabelSpreading(**graph)
        if self.estimator is None:
            return SelfTrainingClassifier(make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)))
        return SelfTrainingClassifier(clone(self.estimator))

    def _partition(self, X: Points, y: Target, covariates: Any, polytope: PartitionPolytope, rng: Random) -> Partition:
        one_of(self.method, "method", METHODS)
        one_of(self.graph, "graph", ("neighbours", "gaussian"))
        check_positive(self, "n_neighbors", "max_iter")
        assert y is not None
        self.classes_, given = partial_labels(y, self.n_clusters)
        shares = np.bincount(given[given >= 0]) / np.count_nonzero(given >= 0)
        if self.method == "self-training":
            self.learner_ = self._learner(X).fit(X, given)
            scores = self.learner_.predict_proba(X)
        else:
            rows, place = _different(np.asarray(X), given)
            self.learner_ = self._learner(np.asarray(X)[rows]).fit(X[rows], given[rows])
            scores = self.learner_.label_distributions_[place]
        self.scores_ = reached(scores, shares)
        labels, certificate = assign_with_given(self.scores_, given, polytope)
        self.transduction_ = self.classes_[labels]
        objective = float(self.scores_[np.arange(len(labels)), labels].sum())
        return Partition(
            labels=labels,
            sizes=polytope.sizes(labels),
            objective=objective,
            certificate=certificate,
            embedded_cells=Cells(LearnerScores(self.learner_, shares), largest_score(self.n_clusters)),
            n_iter=int(np.max(getattr(self.learner_, "n_iter_", 1))),
        )


def _different(X: NDArray, given: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows that a graph holds, all with a label and one of each kind without, and the place (n,) of every row there."""
    labelled, free = np.flatnonzero(given >= 0), np.flatnonzero(given < 0)
    _, first, kind = np.unique(X[free], axis=0, return_index=True, return_inverse=True)
    place = np.empty(len(given), dtype=np.int64)
    place[labelled], place[free] = np.arange(labelled.size), labelled.size + kind.ravel()
    return np.append(labelled, free[first]), place


@dataclass(frozen=True, eq=False)
class LearnerScores(Embedding):
    """Probabilities of the classes by a fitted learner of scikit-learn."""

    learner: Any
    shares: NDArray[np.float64]

    def __call__(self, X: Any, covariates: Any = None) -> NDArray[np.float64]:
        """Scores (m, k) of points X (m, p); covariates are not used."""
        return reached(self.learner.predict_proba(finite_rows(X)), self.shares)


def reached(scores: ArrayLike, shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores (n, k), those of rows that no label has reached being the shares (k,) of the classes among the labels."""
    table = np.array(scores, dtype=np.float64)
    table[~np.isfinite(table).all(axis=1) | ~table.any(axis=1)] = shares
    return table
