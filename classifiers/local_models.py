"""One classifier a cluster: any strategy that partitions, any classifier that learns.

    (1)  C_1, ..., C_k   partition of the training rows                  a strategy, or a clusterer of scikit-learn
    (2)  f_i             classifier learnt on the rows of C_i            constant where C_i holds one class
    (3)  P(j | x) = P_i(j | x)                                           i the cell of x

P_i is taken over all classes; a class that C_i does not hold has probability 0 there.

Choosing a round: a strategy that keeps its rounds (CAC) makes a collection f_1, ..., f_k at each of them, and the one
with the best score by the user's metric is kept (Algorithm 1 of the first CAC paper, which scores by the log-loss on
the training rows; here rows are set aside for it unless ``validation_fraction`` is 0).

Starts: m clusterings from m seeds, each with local models of its own; P is the mean over them.

    (4)  P(j | x) = 1/m sum_s P_s(j | x)
"""

from __future__ import annotations

from copy import copy
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.metrics import check_scoring
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..base.checks import check_part, n_processes, one_of, sample_weights, whole_number
from ..base.errors import CapabilityError, InvalidInputError
from ..models.diagram.power_diagram import PowerDiagram
from ..solvers.best_start import seeds_of_starts
from ..solvers.cells import Cells
from ..solvers.partition import Partition
from .cell_classifier import CellClassifier, fit_strategy
from .encoders.table_cleaner import TableCleaner
from .local_collection import fit_collection, held_out_rows, pick


class Views(NamedTuple):
    """The same rows as the strategy sees them, and as the local models see them."""

    points: Any
    columns: Any


@dataclass(eq=False, repr=False)
class LocalModelClassifier(CellClassifier):
    """Partition the rows, then learn one classifier in every cluster.

    Parameters
    ----------
    partitioner : Partitioner or clusterer, optional
        Any strategy, or a clusterer of scikit-learn that predicts. Default ``CAC()``.
    estimator : classifier, optional
        Cloned for every cluster of at least two classes. Default ``LogisticRegression(max_iter=1000)``. A
        `PooledLogisticRegression` learns all clusters together, each shrunk towards the model of all rows.
    train_on : {"labels", "cells"}, default "labels"
        Learn f_i on the rows that the strategy put into cluster i, or on those inside its cell, as new rows
        will; both agree for strategies whose clusters are cells.
    scoring : str, callable or None, default None
        Metric by which the best round is kept, as in scikit-learn (larger is better); None keeps the last.
    validation_fraction : float, default 0.2
        Share of the rows, stratified, that is set aside to score the rounds; 0 scores on the training rows.
    encoder : transformer, optional
        What the strategy sees of the rows, such as `ConditionalMeanEncoder`; default the rows themselves.
    basis : transformer, optional
        What the local models see of the rows, such as `LinearBasis`; default the rows themselves.
    n_starts : int, default 1
        m of (4); more than one needs probabilities of the estimator, a strategy with a seed, and ``scoring`` None.
    n_jobs : int, optional
        Clusters learnt at the same time (joblib); the result does not depend on it.
    random_state : int, RandomState or None
        Seed of the strategy and of the rows set aside; None leaves the strategy's own.

    Attributes
    ----------
    partitioner_ : Partitioner or clusterer
        The fitted strategy.
    labels_ : (n',) ndarray of int64
        Cluster of every training row, in the round that was kept; without the rows set aside.
    local_models_ : tuple of classifier or None
        One per cluster; None where the cluster holds one class or no row.
    class_shares_ : (k, C) ndarray
        Shares of the classes in the clusters; of all rows for a cluster without rows.
    round_ : int or None
        The round that was kept, 0 being the start.
    round_scores_ : ndarray or None
        Score of every round.
    encoder_, basis_ : fitted transformers or None
    cleaner_ : TableCleaner or None
        Reads raw tables for a model that was learnt on a cleaned one, as `partitope fit --auto` stores it; ``predict``
        and its like then take raw tables and cleaned ones.
    starts_ : tuple of LocalModelClassifier
        With more than one start: all of them, learnt on encoded rows. The attributes above are those of the start with
        the best objective.

    Raises
    ------
    InvalidInputError
        From ``fit``: an option that is not known, y of one class, a local model that refuses its rows.
    CapabilityError
        From ``fit``: a strategy without what the options need; ``sample_weight`` for an estimator without it.
    InfeasibleBoundsError
        From ``fit``: size bounds that fit no clustering.

    Notes
    -----
    Costs the strategy's fit and one fit of the estimator a cluster, times the number of rounds when one is chosen.
    Rows of tables go to the strategy and the estimator as they are when the strategy takes tables (PKM): the
    estimator must then take them too. For scores of classifiers without probabilities, calibrate the estimator.

    References
    ----------
    Srivastava et al.: CAC: A Clustering Based Framework for Classification. Algorithm 1 and section 5.4.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from partitope.classifiers import LocalModelClassifier
    >>> from partitope.solvers import CAC
    >>> X, y = make_moons(300, noise=0.15, random_state=0)
    >>> model = LocalModelClassifier(CAC(4, alpha=0.3, random_state=0)).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    """

    partitioner: Any = None
    estimator: BaseEstimator | None = None
    _: KW_ONLY
    train_on: Literal["labels", "cells"] = "labels"
    scoring: Any = None
    validation_fraction: float = 0.2
    encoder: BaseEstimator | None = None
    basis: Any = None
    n_starts: int = 1
    n_jobs: int | None = None
    random_state: int | np.random.RandomState | None = None
    cleaner_: ClassVar[TableCleaner | None] = None
    stored: ClassVar[tuple[str, ...]] = (
        "n_starts", "encoder", "basis", "encoder_", "basis_", "cleaner_", "cells_", "round_", "round_scores_",
        "_collection", "starts_",
    )  # fmt: skip

    def fit(self, X: Any, y: ArrayLike, *, covariates: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Partition the rows of X (n, d) and learn the local classifiers of the classes y (n,).

        Parameters
        ----------
        X : (n, d) array_like or DataFrame
            Numbers, or what the strategy takes.
        y : (n,) array_like
            Classes, at least two.
        covariates : array_like or DataFrame, optional
            For strategies that take them, one row per row of X.
        sample_weight : (n,) array_like, optional
            Weights for the estimator, and for the strategy where it takes weights.
        """
        self._check_options()
        X, codes = self._validate(X, y)
        y = self.classes_[codes]
        weights = None if sample_weight is None else sample_weights(sample_weight, len(codes))
        rng = check_random_state(self.random_state)
        train, held = np.arange(len(y)), None
        if self.scoring is not None and self.validation_fraction > 0:
            train, held = held_out_rows(y, self.validation_fraction, rng)
        covariates = None if covariates is None else pick(covariates, train)
        weights = None if weights is None else weights[train]
        views = self._fit_views(pick(X, train), y[train])
        shared = self._local_estimator()
        if hasattr(shared, "cell_models"):
            shared = clone(shared).fit(views.columns, y[train], weights)
        if self.n_starts == 1:
            seed = None if self.random_state is None else int(rng.randint(np.iinfo(np.int32).max))
            self._fit_rows(views, y[train], covariates, weights, shared, seed)
        else:
            self._fit_starts(views, y[train], covariates, weights, shared, rng)
        if self.scoring is not None:
            scored = train if held is None else held
            self._keep_best_round(views, y[train], weights, shared, pick(X, scored), y[scored])
        return self

    def _table(self, X: ArrayLike, *, reset: bool) -> Any:
        cleaner = None if reset else self.cleaner_
        if cleaner is not None and isinstance(X, pd.DataFrame):
            raw = {role.name for role in cleaner.roles_ if role.kept}
            if raw <= set(X.columns) or not set(self.feature_names_in_) <= set(X.columns):
                X = cleaner.transform(cleaner.aligned(X))  # which leaves cleaned columns as they are
        return super()._table(X, reset=reset)

    def _fit_views(self, X: Any, y: NDArray) -> Views:
        """Learn encoder and basis from the rows, and give what they make of them."""
        parts: list[BaseEstimator] = [None if part is None else clone(part) for part in (self.encoder, self.basis)]
        self.encoder_, self.basis_ = parts
        return Views(*(X if part is None else part.fit_transform(X, y) for part in parts))  # which may be cross-fitted

    def _views(self, X: Any) -> Views:
        return Views(*(X if part is None else part.transform(X) for part in (self.encoder_, self.basis_)))

    def _fit_starts(
        self, views: Views, y: NDArray, covariates: Any, weights: Any, shared: Any, rng: np.random.RandomState
    ) -> None:
        """One classifier a seed on the encoded rows; the attributes are those of the start with the best objective."""
        starts, plain = [], clone(self).set_params(encoder=None, basis=None, n_starts=1)
        plain.classes_, plain.encoder_, plain.basis_ = self.classes_, None, None
        for seed in seeds_of_starts(rng, self.n_starts):
            start = copy(plain)
            start.random_state = seed
            start._fit_rows(views, y, covariates, weights, shared, seed)
            starts.append(start)
        self.starts_ = tuple(starts)
        objectives = np.array([start.partitioner_.partition_.objective for start in starts])
        largest = getattr(starts[0].partitioner_, "objective_sense", "max") == "max"
        best = starts[int(objectives.argmax() if largest else objectives.argmin())]
        for name in ("partitioner_", "round_", "round_scores_", "cells_", "_collection", "labels_"):
            setattr(self, name, getattr(best, name))

    def _fit_rows(self, views: Views, y: NDArray, covariates: Any, weights: Any, shared: Any, seed: int | None) -> None:
        """The strategy, and the local models of its last round."""
        self.partitioner_ = self._strategy(seed)
        fit_strategy(self.partitioner_, views.points, np.searchsorted(self.classes_, y), covariates, weights)
        self.round_: int | None = None
        self.round_scores_: NDArray[np.float64] | None = None
        self.cells_ = None if self.scoring is None else cells_of(self.partitioner_)
        self._learn(np.asarray(self.partitioner_.labels_, dtype=np.int64), views, y, weights, shared)

    def _learn(self, labels: NDArray[np.int64], views: Views, y: NDArray, weights: Any, shared: Any) -> None:
        """Local models of a partition of the rows."""
        cell_index = self._cell_of(views.points) if self.train_on == "cells" else labels
        partition = getattr(self.partitioner_, "partition_", None)
        k = int(self.partitioner_.labels_.max()) + 1 if partition is None else len(partition.sizes)
        self._collection = fit_collection(shared, cell_index, k, views.columns, y, self.classes_, weights, self.n_jobs)
        self.labels_ = labels

    def _keep_best_round(
        self, views: Views, y: NDArray, weights: ArrayLike | None, shared: Any, X_scored: Any, y_scored: NDArray
    ) -> None:
        """Learn a collection a round, score it, return to the first of the best."""
        scorer = check_scoring(self, self.scoring)
        rounds = self.partitioner_.rounds_
        scores, best = [], None
        for labels, diagram in rounds:
            self.cells_ = Cells(None, diagram)
            self._learn(labels, views, y, weights, shared)
            scores.append(float(scorer(self, X_scored, y_scored)))
            if best is None or scores[-1] > max(scores[:-1]):
                best = {name: getattr(self, name, None) for name in ("cells_", "_collection", "labels_")}
        self.__dict__.update(best or {})
        self.round_, self.round_scores_ = int(np.argmax(scores)), np.array(scores)

    @property
    def local_models_(self) -> tuple[object, ...]:
        """Classifier of every cluster; None where it holds one class or no row."""
        return self._collection.models

    @property
    def class_shares_(self) -> NDArray[np.float64]:
        """Shares (k, C) of the classes in the clusters."""
        return self._collection.shares

    @property
    def partition_(self) -> Partition:
        """Result of the strategy."""
        return self.partitioner_.partition_

    def apply(self, X: ArrayLike) -> NDArray[np.int64]:
        """Cell (n,) that holds each row of X (n, d); of the best start where there are several."""
        check_is_fitted(self, "_collection")
        return self._cell_of(self._views(self._table(X, reset=False)).points)

    def locate(self, X: Any) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Cell (n,) of each row of X (n, d) and its distance to the nearest boundary, as the strategy sees the row."""
        check_is_fitted(self, "_collection")
        return self._cells().locate(self._views(self._table(X, reset=False)).points)

    def _cell_of(self, points: Any) -> NDArray[np.int64]:
        strategy = self.partitioner_ if self.cells_ is None else self.cells_
        return np.asarray(strategy.predict(points), dtype=np.int64)

    @available_if(lambda self: hasattr(self._local_estimator(), "predict_proba"))
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """P(j | x) (n, C) by (3) and (4)."""
        check_is_fitted(self)
        views = self._views(self._table(X, reset=False))
        starts = self.starts_ if self.n_starts > 1 else (self,)
        scores = [one._collection.probabilities(views.columns, one._cell_of(views.points)) for one in starts]  # (3)
        return np.asarray(sum(scores) / len(starts))

    def predict(self, X: Any) -> NDArray:
        """Classes (n,)."""
        check_is_fitted(self)
        if self.n_starts > 1:
            return super().predict(X)
        views = self._views(self._table(X, reset=False))
        return self._collection.classes(views.columns, self._cell_of(views.points))

    def stored_parts(self) -> dict[str, object]:
        """What a model file holds, by name; CapabilityError when the strategy has no cells."""
        return {**vars(self), "cells_": self.cells_ or cells_of(self.partitioner_)}

    def _strategy(self, seed: int | None) -> BaseEstimator:
        strategy = self._base_strategy()
        if not hasattr(strategy, "predict"):
            raise CapabilityError(f"{type(strategy).__name__} cannot predict the cluster of new rows: use one that can")
        if seed is not None and "random_state" in strategy.get_params():
            strategy.set_params(random_state=seed)
        if self.scoring is not None:
            if "record_rounds" not in strategy.get_params():
                raise CapabilityError(
                    f"scoring={self.scoring!r} chooses among rounds, which {type(strategy).__name__} does not keep: "
                    f"use CAC, or scoring=None"
                )
            strategy.set_params(record_rounds=True)
        return strategy

    def _base_strategy(self) -> BaseEstimator:
        if self.partitioner is not None:
            return clone(self.partitioner)
        from ..solvers.cac.partitioner import CAC

        return CAC()

    def _local_estimator(self) -> BaseEstimator:
        if self.estimator is not None:
            return self.estimator
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(max_iter=1000)

    def _cells(self) -> Cells:
        """Cells of the round that was kept, for rows without covariates."""
        return (self.cells_ or cells_of(self.partitioner_)).for_rows(None)

    def _takes_tables(self) -> bool:
        if self.encoder is not None:
            return bool(get_tags(self.encoder).input_tags.categorical)
        cells = getattr(self, "cells_", None)
        if self.partitioner is None and cells is not None:  # a model that was read from a file has no strategy
            return cells.embedding is not None and cells.embedding.reads_tables
        return bool(get_tags(self._base_strategy()).input_tags.categorical)

    def _check_options(self) -> None:
        one_of(self.train_on, "train_on", ("labels", "cells"))
        for name in ("partitioner", "estimator"):
            check_part(getattr(self, name), name)
        for name in ("encoder", "basis"):
            check_part(getattr(self, name), name, "fit_transform")
        n_processes(self.n_jobs)
        whole_number(self.n_starts, "n_starts")
        if self.n_starts > 1 and self.scoring is not None:
            raise InvalidInputError(
                f"n_starts={self.n_starts} averages clusterings, scoring={self.scoring!r} chooses a round of one: "
                f"leave one of them out"
            )
        fraction: Any = self.validation_fraction
        if not isinstance(fraction, float | int) or not 0 <= fraction < 1:
            raise InvalidInputError(f"validation_fraction={fraction!r}: expected a number in [0, 1)")
        if self.n_starts > 1 and not hasattr(self._local_estimator(), "predict_proba"):
            raise CapabilityError(
                f"n_starts={self.n_starts} averages probabilities, which {type(self.estimator).__name__} has not: ask "
                f"for one start, or calibrate the estimator"
            )


def cells_of(strategy: BaseEstimator) -> Cells:
    """Cells of a fitted strategy, or of a clusterer of scikit-learn with centres."""
    partition = getattr(strategy, "partition_", None)
    if partition is None and hasattr(strategy, "cluster_centers_"):
        centres = np.asarray(strategy.cluster_centers_, dtype=np.float64)
        return Cells(None, PowerDiagram(centres, np.zeros(len(centres)), "lsa", centres.mean(axis=0)))
    if partition is None or partition.cells is None:
        raise CapabilityError(f"{type(strategy).__name__} has no cells for new rows: use a strategy that has")
    return partition.cells
