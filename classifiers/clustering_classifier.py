"""The clustering-based classifier: clusterings of encoded rows, read as estimates of class probabilities.

    (1)  Z = weighting(encoding(cleaning(X)))                           encoded training rows
    (2)  C_1, ..., C_m          m starts of a partitioner on Z          each with a power diagram
    (3)  f_s(x) = value of the cell of C_s that holds x                 `ClusterValues`, from training labels
    (4)  max:   f(x) = f_s*(x),  s* the start with the best objective   (dissertation, Definition 4.8.1)
         mean:  f(x) = (f_1(x) + ... + f_m(x)) / m                      (Definition 4.9.1)
    (5)  two classes: the second where f(x) >= omega;  more: the class of largest f

The values in (3) count training rows by the cell that holds them, as new rows will be (Remark 4.5.1): a row on a
boundary counts for the smaller index, whatever cluster the size bounds gave it to. Algorithms 8 and 9 of the
dissertation are this with and without weighting.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, ClassVar, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from ..base.checks import check_part, class_target, instance_of, one_of, sample_weights, whole_number
from ..base.errors import InvalidInputError
from ..base.record import Record
from ..models.diagram.power_diagram import PowerDiagram
from ..solvers.best_start import fit_starts, seeded_clones
from ..solvers.partitioner import Partitioner
from .cell_classifier import CellClassifier
from .cluster_values import ClusterValues, check_prior, mean_scores
from .encoders.conditional_mean import ConditionalMeanEncoder, held_out_encoding
from .encoders.table_cleaner import TableCleaner
from .encoders.weighting import LeastSquaresWeighting
from .local_collection import pick
from .rows_digest import rows_digest

ENCODERS: dict[str, object] = {
    "auto": ConditionalMeanEncoder,
    "modl": partial(ConditionalMeanEncoder, bins="modl"),
    "plain": partial(ConditionalMeanEncoder, smoothing=0.0, cross_fit=0),
}
CLEANERS: dict[str, object] = {"auto": TableCleaner}
WEIGHTINGS: dict[str, object] = {"least-squares": LeastSquaresWeighting}


@dataclass(eq=False, repr=False)
class ClusteringClassifier(CellClassifier):
    """Classify rows by the share of each class in the cells that hold them.

    Parameters
    ----------
    partitioner : Partitioner, optional
        Any strategy whose partition has cells for new rows; cloned for every start. Default
        ``GeometricPartitioner()``.
    aggregate : {"max", "mean"}, default "mean"
        Use the start with the best objective, or the mean over all starts.
    n_starts : int, default 10
        Number m of starts.
    prior : (alpha, beta), optional
        Beta prior of the cluster values; None is maximum likelihood.
    threshold : float, default 0.5
        omega of (5), for two classes; no effect with more.
    encoder : "auto", "modl", "plain", transformer or None, default "auto"
        "auto" is `ConditionalMeanEncoder`, or no encoding for a strategy that takes tables itself (PKM); "modl" is
        the same on supervised intervals and groups (``bins="modl"``); "plain" the dissertation's own, without shrinking
        and cross-fitting. None takes X as it is, which must then be numeric and complete unless the strategy takes
        tables.
    weighting : "least-squares", transformer or None, default None
        Applied to the encoded columns; "least-squares" is `LeastSquaresWeighting`.
    cross_fit : int, default 0
        Folds K >= 2 by which the weights are learnt from held-out encodings: each row encoded by the averages
        of the other folds. 0 learns them from the encoding that is clustered, which is cross-fitted itself for "auto"
        and "modl"; plain averages favour columns of rare values, which follow the labels of single rows.
    cleaner : "auto", transformer or None, default "auto"
        What makes a table ready for the encoder: "auto" is `TableCleaner` for a DataFrame that an encoder or the
        strategy reads, and nothing for arrays; None takes columns as they are.
    n_jobs : int, optional
        Starts run at the same time (joblib); the result does not depend on it.
    random_state : int, RandomState or None
        Seed of the starts; None takes the partitioner's.

    Attributes
    ----------
    classes_ : (C,) ndarray
        Classes in sorted order; with two, the second is the positive one.
    cleaner_, encoder_, weighting_ : fitted transformers or None
    target_name_ : str or None
        Name of y, where it has one.
    partition_ : Partition
        The start with the best objective; absent from a model that was read from its stored state.
    cells_ : list of Cells
        One per start: the cell of a row.
    diagrams_ : list of PowerDiagram
        The power diagrams of ``cells_``.
    cluster_values_ : list of ClusterValues
        One per start.
    labelled_cells_ : (m, n') ndarray of int64
        Cell of each training row with a class, for every start; absent from a model that was read.
    objectives_ : (m,) ndarray
        Objective of every start.
    best_ : int
        Index of the start with the best objective, the first on ties.
    covariate_names_ : list of str or None
        Columns of the covariates, where they were given as a table.

    Raises
    ------
    InvalidInputError
        From ``fit``: an option that is not known, y of one class, infinite numbers.
    CapabilityError
        From ``fit``: a partitioner without cells, covariates that are missing or not wanted.
    InfeasibleBoundsError
        From ``fit``: size bounds that fit no clustering.

    Notes
    -----
    Heuristic: each start is a local optimum of the partitioner. Prediction costs O(k d) per row and start.

    References
    ----------
    The dissertation, sections 4.4 to 4.9.

    Examples
    --------
    >>> from partitope.classifiers import ClusteringClassifier
    >>> from partitope.solvers import GeometricPartitioner
    >>> X = [["red"], ["red"], ["blue"], ["blue"]]
    >>> model = ClusteringClassifier(GeometricPartitioner(n_clusters=2), n_starts=3, random_state=0)
    >>> model.fit(X, ["yes", "yes", "no", "no"]).predict([["blue"], ["red"]])
    array(['no', 'yes'], dtype='<U3')
    """

    partitioner: Partitioner | None = None
    aggregate: Literal["max", "mean"] = "mean"
    n_starts: int = 10
    prior: tuple[float, float] | None = None
    threshold: float = 0.5
    _: KW_ONLY
    encoder: Any = "auto"
    weighting: BaseEstimator | None = None
    cross_fit: int = 0
    cleaner: Any = "auto"
    n_jobs: int | None = None
    random_state: int | np.random.RandomState | None = None
    stored: ClassVar[tuple[str, ...]] = (
        "aggregate", "n_starts", "prior", "threshold", "encoder", "weighting", "cleaner", "cleaner_", "encoder_",
        "weighting_", "target_name_", "rows_digest_", "covariate_names_", "best_", "objectives_", "cells_",
        "cluster_values_",
    )  # fmt: skip

    def fit(self, X: Any, y: ArrayLike, *, covariates: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Encode the rows of X (n, d), cluster them and take the cluster values.

        Parameters
        ----------
        X : (n, d) DataFrame or array_like
            What the encoder takes.
        y : (n,) array_like
            Classes, at least two. Entries may be missing (None, NaN) for a strategy that takes rows without a class
            (KCSSL): such rows are clustered; encoder and cluster values are learnt from the others.
        covariates : (n,) or (n, c) array_like or DataFrame, optional
            What the clustering is to be conditioned on, for strategies that take it; not encoded. Prediction takes
            those of new rows.
        sample_weight : (n,) array_like, optional
            Weights of the rows in the clustering, for strategies that take them, and in the cluster values; encoders
            and the weights of columns count every row once.
        """
        self._check_options()
        self.target_name_ = None if getattr(y, "name", None) is None else str(y.name)  # type: ignore[union-attr]
        # of arrays, and where numbers go to the strategy as they are, nothing is cleaned unless asked for
        cleaner, table = _fresh(self.cleaner, CLEANERS, "cleaner"), isinstance(X, pd.DataFrame) and self._takes_tables()
        self.cleaner_ = cleaner if table or self.cleaner != "auto" else None
        X, codes = self._validate(X, y)
        # rows without a class are clustered, but teach neither encoder nor cluster values
        labelled = np.flatnonzero(codes >= 0)
        weights = None if sample_weight is None else sample_weights(sample_weight, len(codes))
        if weights is not None and np.all(weights == 1.0):
            weights = None  # so that sizes and counts stay whole numbers
        self.rows_digest_ = rows_digest(X)
        X = X if self.cleaner_ is None else self.cleaner_.fit_transform(X)
        # a strategy that reads tables needs no numbers made of them
        tables = self._strategy_takes_tables()
        encoder = _fresh(self.encoder, ENCODERS, "encoder")
        self.encoder_ = None if tables and self.encoder == "auto" else encoder
        points = self._encoded(X, codes, labelled)
        # all starts differ by their seeds alone, so that the result does not depend on how many run at a time
        base = self._base_strategy()
        seed = self.random_state if self.random_state is not None else getattr(base, "random_state", None)
        random_state = check_random_state(seed)
        starts = seeded_clones(base, self.n_starts, random_state)
        self.weighting_ = _fresh(self.weighting, WEIGHTINGS, "weighting")
        if self.weighting_ is not None:
            if tables and self.encoder_ is None:
                raise InvalidInputError(
                    f"weighting={self.weighting!r} needs encoded columns, but {type(self.partitioner).__name__} reads "
                    f"the table itself: leave it out, or name an encoder"
                )
            points = self._weigh(points, X, codes, labelled, random_state)
        partitions, self.best_ = fit_starts(starts, points, codes, covariates, self.n_jobs, weights)
        self.objectives_ = np.array([partition.objective for partition in partitions])
        self.partition_ = partitions[self.best_]
        # values count rows by the cell that holds them, as new rows will be, not by their labels
        self.cells_ = [partition.require_cells() for partition in partitions]
        rows, known = pick(points, labelled), codes[labelled]
        given, weights = (None if part is None else pick(part, labelled) for part in (covariates, weights))
        self.labelled_cells_ = np.array([cells.predict(rows, given) for cells in self.cells_])
        self.cluster_values_ = [
            ClusterValues.fit(index, known, len(partition.sizes), len(self.classes_), self.prior, weights)
            for index, partition in zip(self.labelled_cells_, partitions)
        ]
        self.covariate_names_ = None if not hasattr(covariates, "columns") else [str(c) for c in covariates.columns]
        return self

    def _validate(self, X: ArrayLike, y: ArrayLike) -> tuple[Any, NDArray[np.int64]]:
        """Checked rows, and the place of each row's class in ``classes_``; -1 where it is missing and may be."""
        target: Any = y
        absent = np.asarray(pd.isna(target)) if self._base_strategy().needs.target == "partial" else None
        if absent is None or absent.ndim != 1 or not absent.any() or absent.all():
            return super()._validate(X, y)
        X, known = self._table(X, reset=True), np.flatnonzero(~absent)
        check_consistent_length(X, absent)
        codes = np.full(len(absent), -1)
        self.classes_, codes[known] = class_target(self, pick(X, known), np.array(np.asarray(target)[known].tolist()))
        return X, codes

    def _encoded(self, X: ArrayLike, codes: NDArray[np.int64], labelled: NDArray[np.int64]) -> Any:
        """Points of all rows, by an encoder that is fitted to those with a class, which it may cross-fit."""
        if self.encoder_ is None:
            return X
        known = self.encoder_.fit_transform(pick(X, labelled), self.classes_[codes[labelled]])
        if len(labelled) == len(codes):
            return known
        points = np.array(self.encoder_.transform(X), dtype=np.float64)
        points[labelled] = known
        return points

    def _weigh(
        self,
        points: NDArray,
        X: ArrayLike,
        codes: NDArray[np.int64],
        labelled: NDArray[np.int64],
        random_state: np.random.RandomState,
    ) -> NDArray[np.float64]:
        """Weighted points, the weights learnt from held-out encodings where asked for and possible."""
        learnt_on, known = None, codes[labelled]
        if self.cross_fit and self.encoder_ is not None:
            rows, y = pick(X, labelled), self.classes_[known]
            learnt_on = held_out_encoding(self.encoder_, rows, y, self.cross_fit, random_state)
        if learnt_on is None:  # unchanged where all rows are labelled: a copy in another order would round differently
            learnt_on = points if len(labelled) == len(codes) else pick(points, labelled)
        return self.weighting_.fit(learnt_on, known).transform(points)

    @property
    def diagrams_(self) -> list[PowerDiagram]:
        """Power diagram of every start, in the space of its cells."""
        return [cells.diagram for cells in self.cells_]

    def encode(self, X: ArrayLike) -> Any:
        """Encoded and weighted rows (n, p): the points that the partitioner clusters; a table where it takes tables."""
        check_is_fitted(self, "cells_")
        points = self._table(X, reset=False)
        for step in (self.cleaner_, self.encoder_, self.weighting_):
            points = points if step is None else step.transform(points)
        return points if hasattr(points, "iloc") else np.asarray(points, dtype=np.float64)

    def apply(self, X: ArrayLike, *, covariates: ArrayLike | None = None) -> NDArray[np.int64]:
        """Cells (n, m) that hold the rows of X, one column per start; covariates as in `predict_proba`."""
        points = self.encode(X)
        return np.column_stack([cells.predict(points, covariates) for cells in self.cells_])

    def predict_proba(
        self, X: Any, aggregate: Literal["max", "mean"] | None = None, *, covariates: Any = None
    ) -> NDArray[np.float64]:
        """Scores (n, C) of the classes in the order of ``classes_``, rows summing to 1.

        Parameters
        ----------
        X : (n, d) DataFrame or array_like
            Rows to classify.
        aggregate : {"max", "mean"}, optional
            Overrides the parameter of the same name: both are available from one fit.
        covariates : (n,) or (n, c) array_like or DataFrame, optional
            Covariates of the rows, for strategies whose cells depend on them; see `Partitioner.predict` for what
            happens without them.
        """
        points = self.encode(X)
        mode = self.aggregate if aggregate is None else aggregate
        one_of(mode, "aggregate", ("max", "mean"))
        starts = list(zip(self.cells_, self.cluster_values_))
        total = mean_scores([starts[self.best_]] if mode == "max" else starts, points, covariates)
        if len(self.classes_) == 2:  # the score of the positive class is f itself, prior or not
            return np.column_stack([1.0 - total[:, 1], total[:, 1]])
        return total / total.sum(axis=1, keepdims=True)

    def predict(self, X: Any, *, covariates: Any = None) -> NDArray:
        """Classes (n,); covariates as in `predict_proba`."""
        scores = self.predict_proba(X, covariates=covariates)
        if len(self.classes_) == 2:
            return self.classes_[(scores[:, 1] >= self.threshold).astype(np.int64)]
        return self.classes_[scores.argmax(axis=1)]

    def stored_parts(self) -> dict[str, object]:
        """What a model file holds, by name; a model of cells that read tables takes them without its strategy, too."""
        tables = any(part.embedding is not None and part.embedding.reads_tables for part in self.cells_)
        return {**vars(self), **({"encoder": "auto"} if tables else {})}

    def _check_options(self) -> None:
        one_of(self.aggregate, "aggregate", ("max", "mean"))
        instance_of(self._base_strategy(), "partitioner", Partitioner, "pass a strategy of partitope.solvers, or None")
        whole_number(self.n_starts, "n_starts")
        threshold: Any = self.threshold
        number = isinstance(threshold, float | int | np.number) and not isinstance(threshold, bool)
        if not number or not np.isfinite(threshold):
            raise InvalidInputError(f"threshold={threshold!r}: expected a finite number, 0.5 for even odds")
        if whole_number(self.cross_fit, "cross_fit", 0) == 1:
            raise InvalidInputError(f"cross_fit={self.cross_fit!r}: expected 0 or a number of folds >= 2")
        if self.prior is not None:
            check_prior(self.prior)

    def _base_strategy(self) -> Partitioner:
        from ..solvers.geometric.partitioner import GeometricPartitioner

        return GeometricPartitioner() if self.partitioner is None else self.partitioner

    def _strategy_takes_tables(self) -> bool:
        return self.partitioner is not None and bool(get_tags(self.partitioner).input_tags.categorical)

    def _takes_tables(self) -> bool:
        return self.encoder is not None or self._strategy_takes_tables()


def _fresh(option: Any, named: Record, name: str) -> Any:
    """Unfitted transformer from an option: None, a name, or an estimator to clone."""
    if option is None:
        return None
    if isinstance(option, str):
        one_of(option, name, tuple(named))
        return named[option]()
    check_part(option, name, "fit_transform")
    return clone(option)
