"""The clustering-based classifier: clusterings of encoded rows, read as estimates of class probabilities.

    (1)  Z = weighting(encoding(X))                                     encoded training rows
    (2)  C_1, ..., C_m          m starts of a partitioner on Z          each with a power diagram
    (3)  f_s(x) = value of the cell of C_s that holds x                 `ClusterValues`, from training labels
    (4)  max:   f(x) = f_s*(x),  s* the start with the best objective   (dissertation, Definition 4.8.1)
         mean:  f(x) = (f_1(x) + ... + f_m(x)) / m                      (Definition 4.9.1)
    (5)  two classes: the second where f(x) >= omega;  more: the class of largest f

The values in (3) count training rows by the cell that holds them, as new rows will be (Remark 4.5.1): a row on a
wall counts for the smaller index, whatever cluster the size bounds gave it to. Algorithms 8 and 9 of the
dissertation are this with and without weighting.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, Literal, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from ..base.checks import class_target
from ..base.columns import as_frame
from ..base.errors import CapabilityError, InvalidInputError
from ..models.power_diagram import PowerDiagram
from ..solvers.partition import Partition
from ..solvers.partitioner import Partitioner
from .cluster_values import ClusterValues, check_prior
from .encoders.conditional_mean import ConditionalMeanEncoder, held_out_encoding
from .encoders.weighting import LeastSquaresWeighting
from .state import check_format, diagram_from_dict, diagram_to_dict, plain_labels, reads_state

FORMAT = "partitope.ClusteringClassifier"
ENCODERS: dict[str, Any] = {"auto": ConditionalMeanEncoder, "modl": partial(ConditionalMeanEncoder, bins="modl")}
WEIGHTINGS: dict[str, Any] = {"least-squares": LeastSquaresWeighting}
STORED: dict[str, Any] = {"encoder": ConditionalMeanEncoder, "weighting": LeastSquaresWeighting}


@dataclass(eq=False, repr=False)
class ClusteringClassifier(ClassifierMixin, BaseEstimator):
    """Classify rows by the share of each class in the cells that hold them.

    Parameters
    ----------
    partitioner : Partitioner, optional
        Any strategy whose partition has a power diagram; cloned for every start. Default
        ``GeometricPartitioner()``.
    aggregate : {"max", "mean"}, default "mean"
        Use the start with the best objective, or the mean over all starts.
    n_starts : int, default 10
        Number m of starts.
    prior : (alpha, beta), optional
        Beta prior of the cluster values; None is maximum likelihood.
    threshold : float, default 0.5
        omega of (5), for two classes; no effect with more.
    encoder : "auto", "modl", transformer or None, default "auto"
        "auto" is `ConditionalMeanEncoder`, "modl" the same on supervised intervals and groups (``bins="modl"``);
        a `LogLikelihoodEncoder` gives the space of predictive k-means. None takes X as it is, which must then be
        numeric and complete.
    weighting : "least-squares", transformer or None, default None
        Applied to the encoded columns; "least-squares" is `LeastSquaresWeighting`.
    cross_fit : int, default 0
        Folds K >= 2 by which the weights are learnt from held-out encodings: each row encoded by the averages
        of the other folds. 0 learns them from the encoding that is clustered, which favours columns of rare
        values, whose averages follow the labels of single rows.
    n_jobs : int, optional
        Starts run at the same time (joblib); the result does not depend on it.
    random_state : int, RandomState or None
        Seed of the starts; None takes the partitioner's.

    Attributes
    ----------
    classes_ : (C,) ndarray
        Classes in sorted order; with two, the second is the positive one.
    encoder_, weighting_ : fitted transformers or None
    partition_ : Partition
        The start with the best objective; absent from a model that was read from its stored state.
    diagrams_ : list of PowerDiagram
        One a start.
    cluster_values_ : list of ClusterValues
        One a start.
    objectives_ : (m,) ndarray
        Objective of every start.
    best_ : int
        Index of the start with the best objective, the first on ties.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Raises
    ------
    InvalidInputError
        From ``fit``: an option that is not known, y of one class, infinite numbers.
    CapabilityError
        From ``fit``: a partitioner without power diagrams; from `to_dict`: a transformer that is not
        partitope's own.
    InfeasibleBoundsError
        From ``fit``: size bounds that fit no clustering.

    Notes
    -----
    Heuristic: each start is a local optimum of the partitioner. Prediction costs O(k d) a row and start.

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
    weighting: Any = None
    cross_fit: int = 0
    n_jobs: int | None = None
    random_state: int | np.random.RandomState | None = None

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Encode the rows of X (n, d), cluster them and take the cluster values.

        Parameters
        ----------
        X : (n, d) DataFrame or array_like
            What the encoder takes.
        y : (n,) array_like
            Classes, at least two.

        Returns
        -------
        self
        """
        self._check_options()
        X, codes = self._validate(X, y)
        self.encoder_ = _fresh(self.encoder, ENCODERS, "encoder")
        points = X if self.encoder_ is None else self.encoder_.fit(X, self.classes_[codes]).transform(X)
        starts, random_state = self._starts()
        self.weighting_ = _fresh(self.weighting, WEIGHTINGS, "weighting")
        if self.weighting_ is not None:
            points = self._weigh(points, X, codes, random_state)
        fitted = Parallel(n_jobs=self.n_jobs)(delayed(_fit_start)(start, points, codes) for start in starts)
        partitions = [partition for partition, _ in fitted]
        self.objectives_ = np.array([partition.objective for partition in partitions])
        smaller = getattr(starts[0], "objective_sense", "max") == "min"
        self.best_ = int(self.objectives_.argmin() if smaller else self.objectives_.argmax())
        self.partition_ = partitions[self.best_]
        self.diagrams_ = [partition.power_diagram for partition in partitions]
        self.cluster_values_ = [
            ClusterValues.fit(cells, codes, diagram.n_clusters, len(self.classes_), self.prior)
            for diagram, (_, cells) in zip(self.diagrams_, fitted)
        ]
        return self

    def _weigh(
        self, points: NDArray, X: Any, codes: NDArray[np.int64], random_state: np.random.RandomState
    ) -> NDArray[np.float64]:
        """Weighted points, the weights learnt from held-out encodings where asked for and possible."""
        learnt_on = None
        if self.cross_fit and self.encoder_ is not None:
            learnt_on = held_out_encoding(self.encoder_, X, self.classes_[codes], self.cross_fit, random_state)
        return self.weighting_.fit(points if learnt_on is None else learnt_on, codes).transform(points)

    def encode(self, X: Any) -> NDArray[np.float64]:
        """Encoded and weighted rows (n, p): the points that the partitioner clusters."""
        check_is_fitted(self, "diagrams_")
        points = self._table(X, reset=False)
        for step in (self.encoder_, self.weighting_):
            points = points if step is None else step.transform(points)
        return np.asarray(points, dtype=np.float64)

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Cells (n, m) that hold the rows of X, one column a start."""
        points = self.encode(X)
        return np.column_stack([diagram.predict(points) for diagram in self.diagrams_])

    def predict_proba(self, X: Any, aggregate: Literal["max", "mean"] | None = None) -> NDArray[np.float64]:
        """Scores (n, C) of the classes in the order of ``classes_``, rows summing to 1.

        Parameters
        ----------
        X : (n, d) DataFrame or array_like
            Rows to classify.
        aggregate : {"max", "mean"}, optional
            Overrides the parameter of the same name: both are available from one fit.
        """
        points = self.encode(X)
        mode = self.aggregate if aggregate is None else aggregate
        _check_choice("aggregate", mode, ("max", "mean"))
        chosen = [self.best_] if mode == "max" else range(len(self.diagrams_))
        total = np.zeros((len(points), len(self.classes_)))
        for s in chosen:
            total += self.cluster_values_[s].score(self.diagrams_[s].predict(points))
        total /= len(chosen)
        if len(self.classes_) == 2:  # the score of the positive class is f itself, prior or not
            return np.column_stack([1.0 - total[:, 1], total[:, 1]])
        return total / total.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> NDArray:
        """Classes (n,)."""
        scores = self.predict_proba(X)
        if len(self.classes_) == 2:
            return self.classes_[(scores[:, 1] >= self.threshold).astype(np.int64)]
        return self.classes_[scores.argmax(axis=1)]

    def to_dict(self) -> dict[str, Any]:
        """Fitted state as plain lists, numbers and texts, fit for JSON; the inverse is `from_dict`."""
        check_is_fitted(self, "diagrams_")
        names = getattr(self, "feature_names_in_", None)
        return {
            "format": FORMAT,
            "version": 1,
            "classes": plain_labels(self.classes_),
            "aggregate": self.aggregate,
            "threshold": float(self.threshold),
            "prior": None if self.prior is None else list(check_prior(self.prior)),
            "n_features": int(self.n_features_in_),
            "feature_names": None if names is None else [str(name) for name in names],
            **{name: self._stored(name) for name in STORED},
            "best": self.best_,
            "starts": [
                {"objective": float(objective), **diagram_to_dict(diagram), **values.to_dict()}
                for objective, diagram, values in zip(self.objectives_, self.diagrams_, self.cluster_values_)
            ],
        }

    @classmethod
    @reads_state
    def from_dict(cls, state: Mapping[str, Any]) -> Self:
        """Fitted classifier from `to_dict`: predicts as the one that was stored.

        Raises
        ------
        InvalidInputError
            When the state is not one of this class and version, or is damaged.
        """
        check_format(state, FORMAT, 1)
        starts = state["starts"]
        prior = None if state["prior"] is None else check_prior(state["prior"])
        model = cls(None, state["aggregate"], len(starts), prior, state["threshold"])
        model._check_options()
        for name, stored in STORED.items():
            part = None if state[name] is None else stored.from_dict(state[name])
            setattr(model, name, None if part is None else clone(part))
            setattr(model, f"{name}_", part)
        model.classes_ = np.array(state["classes"])
        model.n_features_in_ = int(state["n_features"])
        if state["feature_names"] is not None:
            model.feature_names_in_ = np.array(state["feature_names"], dtype=object)
        model.diagrams_ = [diagram_from_dict(start) for start in starts]
        model.cluster_values_ = [ClusterValues.from_dict(start) for start in starts]
        model.objectives_ = np.array([start["objective"] for start in starts], dtype=np.float64)
        model.best_ = int(state["best"])
        model._check_state()
        return model

    def _check_options(self) -> None:
        _check_choice("aggregate", self.aggregate, ("max", "mean"))
        if not isinstance(self.n_starts, int | np.integer) or self.n_starts < 1:
            raise InvalidInputError(f"n_starts={self.n_starts!r}: expected an integer >= 1")
        if not isinstance(self.threshold, float | int | np.number) or not np.isfinite(self.threshold):
            raise InvalidInputError(f"threshold={self.threshold!r}: expected a finite number, 0.5 for even odds")
        whole = isinstance(self.cross_fit, int | np.integer) and not isinstance(self.cross_fit, bool)
        if not whole or self.cross_fit < 0 or self.cross_fit == 1:
            raise InvalidInputError(f"cross_fit={self.cross_fit!r}: expected 0 or a number of folds >= 2")
        if self.prior is not None:
            check_prior(self.prior)

    def _check_state(self) -> None:
        """Refuse stored parts that do not fit together."""
        if not 0 <= self.best_ < len(self.diagrams_):
            raise InvalidInputError(f"best={self.best_} names none of the {len(self.diagrams_)} stored starts")
        for diagram, values in zip(self.diagrams_, self.cluster_values_):
            if values.values.shape != (diagram.n_clusters, len(self.classes_)):
                raise InvalidInputError(
                    f"cluster values {values.values.shape} do not fit {diagram.n_clusters} cells and "
                    f"{len(self.classes_)} classes"
                )

    def _table(self, X: Any, *, reset: bool) -> Any:
        if self.encoder is None:
            return validate_data(self, X, reset=reset, dtype=np.float64)
        return as_frame(self, X, reset=reset)

    def _validate(self, X: Any, y: ArrayLike) -> tuple[Any, NDArray[np.int64]]:
        X = self._table(X, reset=True)
        self.classes_, codes = class_target(self, X, y)
        return X, codes

    def _starts(self) -> tuple[list[Partitioner], np.random.RandomState]:
        """One seeded clone of the partitioner a start, and the generator for whatever else is random."""
        from ..solvers.geometric.partitioner import GeometricPartitioner

        base = GeometricPartitioner() if self.partitioner is None else self.partitioner
        seed = self.random_state if self.random_state is not None else getattr(base, "random_state", None)
        random_state = check_random_state(seed)
        seeds = random_state.randint(np.iinfo(np.int32).max, size=self.n_starts)
        return [clone(base).set_params(random_state=int(value)) for value in seeds], random_state

    def _stored(self, name: str) -> dict[str, Any] | None:
        part = getattr(self, f"{name}_")
        if part is not None and type(part) is not STORED[name]:
            raise CapabilityError(
                f"{name} is a {type(part).__name__}: only {STORED[name].__name__} has a readable state; "
                f"store this model with skops"
            )
        return None if part is None else part.to_dict()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.encoder is not None
        tags.input_tags.categorical = self.encoder is not None
        tags.input_tags.string = self.encoder is not None
        return tags


def _fit_start(start: Partitioner, points: NDArray, codes: NDArray) -> tuple[Partition, NDArray[np.int64]]:
    """Partition of one start, and the cells that hold the training points."""
    partition = start.fit(points, codes).partition_
    diagram: PowerDiagram | None = partition.power_diagram
    if diagram is None:
        raise CapabilityError(
            f"{type(start).__name__} gives no power diagram, so new rows have no cell: use a strategy that does"
        )
    return partition, diagram.predict(points)


def _fresh(option: Any, named: Mapping[str, Any], name: str) -> Any:
    """Unfitted transformer from an option: None, a name, or an estimator to clone."""
    if option is None:
        return None
    if isinstance(option, str):
        _check_choice(name, option, tuple(named))
        return named[option]()
    return clone(option)


def _check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise InvalidInputError(f"{name}={value!r} is not known: choose one of {', '.join(map(repr, choices))}")
