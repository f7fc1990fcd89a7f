"""Selective naive Bayes: naive Bayes whose features carry weights found by compression.

    (1)  P(j | x)  proportional to  P(j) prod_f P(x_f | j)^W_f            W_f in [0, 1]
    (2)  l(M) = log(d + 1) + log C(d + m - 1, m) - sum_i log P(y_i | x_i, M)   for a model M of m of the d features
    (3)  W_f  = sum_{M holding f} w_M / sum_M w_M,   w_M = max(0, 1 - l(M) / l(no feature))

P(x_f | j) is the smoothed share of class j in the interval or group that holds x_f (`partitope.stats.modl`). The sums
in (3) run over the models that forward additions and backward removals meet from several random orders.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ...base.checks import whole_number
from ...base.columns import MixedTable, as_frame
from ...base.inherited_docs import FittedToClasses
from ...solvers.predictive.log_likelihoods import LogLikelihoodEmbedding
from ...stats.modl.cuts_and_groups import Method
from ..encoders.log_likelihood import check_smoothing, check_table, column_name
from .kernels import average_models


@dataclass(eq=False, repr=False, kw_only=True)
class SelectiveNaiveBayes(MixedTable, FittedToClasses, ClassifierMixin, BaseEstimator):
    """Naive Bayes on supervised intervals and groups, features weighted by compression-based averaging.

    Parameters
    ----------
    selective : bool, default True
        False gives every feature the weight 1: plain naive Bayes on the same intervals and groups.
    n_orders : int, optional
        Random orders of the search; None is log2(n d), rounded up.
    method : {"auto", "exact", "greedy"}, default "auto"
        Search for the parts, as in `LogLikelihoodEncoder`.
    smoothing : float, optional
        e in P(part | class) = (count + e) / (class total + I e); None is 1 / (n + 1).
    random_state : int, RandomState or None, default 0
        Seed of the orders.

    Attributes
    ----------
    weights_ : (d,) ndarray
        W_f; 0 for a feature of one part.
    gain_ : float
        Compression gain 1 - l / l(no feature) of the best model met; 0 when no feature beats the majority vote.
    n_models_ : int
        Models looked at.
    redescription_ : LogLikelihoodEmbedding
        Parts of every column.
    class_prior_ : (J,) ndarray
        Shares of the classes.

    Raises
    ------
    InvalidInputError
        From ``fit``: y of one class, infinite numbers, an option that cannot be used.

    Notes
    -----
    Heuristic search. O(d n log n) for the parts and O(n J d) per pass of the search; a few passes an order.

    References
    ----------
    Boulle 2007, Compression-based averaging of selective naive Bayes classifiers, JMLR 8.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from partitope.classifiers import SelectiveNaiveBayes
    >>> X, y = load_iris(return_X_y=True)
    >>> SelectiveNaiveBayes().fit(X, y).predict(X[[0, 60, 140]])
    array([0, 1, 2])
    """

    selective: bool = True
    n_orders: int | None = None
    method: Method = "auto"
    smoothing: float | None = None
    random_state: int | np.random.RandomState | None = 0
    stored: ClassVar[tuple[str, ...]] = ("weights_", "gain_", "redescription_", "class_prior_")

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Find parts and weights for the rows of X (n, d) and the classes y (n,)."""
        check_smoothing(self.smoothing)
        if self.n_orders is not None:
            whole_number(self.n_orders, "n_orders")
        frame, y_codes, self.classes_ = check_table(self, X, y)
        rule = LogLikelihoodEmbedding.fit(frame, y_codes, len(self.classes_), self.method, self.smoothing)
        self.redescription_ = rule
        self.class_prior_ = rule.class_counts / len(frame)
        self.weights_ = np.zeros(frame.shape[1])
        self.gain_, self.n_models_ = 0.0, 0
        if rule.informative.size:
            self._weigh(rule, rule.codes(frame)[:, rule.informative], y_codes)
        return self

    def predict_log_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Logarithms (n, J) of `predict_proba`."""
        scores = self._scores(X)
        return scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """P(j | x) (n, J) by (1)."""
        return softmax(self._scores(X), axis=1)

    def predict(self, X: Any) -> NDArray:
        """Classes (n,), the first of equals."""
        scores = self._scores(X)
        return self.classes_[scores.argmax(axis=1)]

    def report(self) -> pd.DataFrame:
        """One row a feature: weight, parts and compression gain, the heaviest first."""
        check_is_fitted(self)
        parts = self.redescription_.parts
        gains, n_parts = [part.gain for part in parts], [part.n_parts for part in parts]
        columns = {"weight": self.weights_, "parts": n_parts, "compression gain": gains}
        table = pd.DataFrame(columns, index=[column_name(self, f) for f in range(len(parts))])
        return table.sort_values(["weight", "compression gain"], ascending=False, kind="stable")

    def _scores(self, X: ArrayLike) -> NDArray[np.float64]:
        check_is_fitted(self)
        frame, rule = as_frame(self, X, reset=False), self.redescription_
        scores = np.tile(np.log(self.class_prior_), (len(frame), 1))
        used = np.flatnonzero(self.weights_ > 0)
        for f in used:
            table = self.weights_[f] * rule.parts[f].log_likelihood(rule.smoothing)
            scores += table[rule.column_codes(frame, int(f))]
        return scores

    def _weigh(self, rule: LogLikelihoodEmbedding, codes: NDArray[np.int64], y: NDArray[np.int64]) -> None:
        features = rule.informative
        n, d = len(y), len(rule.parts)
        log_prior = np.log(self.class_prior_)
        sizes = np.arange(features.size + 1)
        # d >= 1, so that gammaln(d) is finite; m = 0 gives log 1
        model_prior = np.log(d + 1) + gammaln(d + sizes) - gammaln(sizes + 1) - gammaln(d)
        null_length = model_prior[0] - float(log_prior[y].sum())
        most = max(rule.parts[f].n_parts for f in features)
        tables = np.zeros((features.size, most, len(log_prior)))
        for row, f in enumerate(features):
            table = rule.parts[f].log_likelihood(rule.smoothing)
            tables[row, : len(table)] = table
        rng = check_random_state(self.random_state)
        count = int(np.ceil(np.log2(n * d + 1))) if self.n_orders is None else int(self.n_orders)
        orders = np.array([rng.permutation(features.size) for _ in range(count)])
        held, total, best, self.n_models_ = average_models(
            np.ascontiguousarray(codes.T), tables, y, log_prior, orders, model_prior, null_length
        )
        self.gain_ = max(0.0, 1.0 - best / null_length)
        if not self.selective:
            self.weights_[features] = 1.0
        elif total > 0:
            self.weights_[features] = held / total
