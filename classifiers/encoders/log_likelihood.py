"""Supervised encoding of mixed tables, without parameters to tune: log-likelihoods of the classes, or parts.

Each column is split into the parts (intervals of numbers, groups of categories) that minimise the MODL criterion of
`partitope.stats.modl`, its own prior included: a column without information on the classes stays one part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from ...base.checks import as_number, class_target, one_of
from ...base.columns import MixedTable, as_frame, names_of_features
from ...base.errors import InvalidInputError
from ...base.inherited_docs import FittedToClasses
from ...solvers.predictive.log_likelihoods import LogLikelihoodEmbedding
from ...stats.modl.cuts_and_groups import Method

METHODS = ("auto", "exact", "greedy")


@dataclass(eq=False, repr=False, kw_only=True)
class LogLikelihoodEncoder(MixedTable, FittedToClasses, TransformerMixin, BaseEstimator):
    """Replace every entry by the log-likelihoods of the classes in its interval or group, or by its number.

    Parameters
    ----------
    output : {"log-likelihoods", "parts"}, default "log-likelihoods"
        log P(part | class), J columns for each feature that tells the classes apart, as PKM clusters them; or the
        number of the part, one column for every feature: discretised numbers, grouped categories.
    method : {"auto", "exact", "greedy"}, default "auto"
        Search for the parts: dynamic programming, joining with post-optimisation, or the first where it fits.
    smoothing : float, optional
        e in P(part | class) = (count + e) / (class total + I e); None is 1 / (n + 1).

    Attributes
    ----------
    parts_ : tuple of Intervals and Groups
        Cuts or groups, class counts, criterion and compression gain of every column.

    Raises
    ------
    InvalidInputError
        From ``fit``: y of one class, infinite numbers, an option that is not known.

    Notes
    -----
    Exact: O(B^2 (J + I)) for a column of numbers with B blocks; for V categories O(V^2 I) with two classes, O(3^V I)
    with more. Greedy: O(n log n), O(V^2 J). Missing numbers are an interval of their own, the last one; where training
    had none they go to the least informative interval, and so do categories that it did not hold. A
    missing category is a value like the others. To group numbers by their values, pass them as texts.

    References
    ----------
    Boulle 2006, MODL: a Bayes optimal discretization method for continuous attributes, Machine Learning 65; 2005, A
    Bayes optimal approach for partitioning the values of categorical attributes, JMLR 6. Lemaire, Alaoui Ismaili,
    Cornuejols and Gay 2020, Predictive k-means with local models.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from partitope.classifiers import LogLikelihoodEncoder
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> encoder = LogLikelihoodEncoder().fit(X, y)
    >>> encoder.parts_[2].cuts.round(2), encoder.transform(X).shape
    (array([2.45, 4.75]), (150, 12))
    """

    output: Literal["log-likelihoods", "parts"] = "log-likelihoods"
    method: Method = "auto"
    smoothing: float | None = None

    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Find the parts of the columns of X (n, d) for the classes y (n,)."""
        one_of(self.output, "output", ("log-likelihoods", "parts"))
        check_smoothing(self.smoothing)
        frame, codes, self.classes_ = check_table(self, X, y)
        self._embedding = LogLikelihoodEmbedding.fit(frame, codes, len(self.classes_), self.method, self.smoothing)
        self.parts_ = self._embedding.parts
        return self

    def transform(self, X: Any) -> Any:
        """Log-likelihoods (n, d' J), or parts (n, d) as a DataFrame when X is one."""
        check_is_fitted(self)
        frame = as_frame(self, X, reset=False)
        if self.output == "log-likelihoods":
            return self._embedding.transform(frame)
        codes = self._embedding.codes(frame)
        return pd.DataFrame(codes, frame.index, frame.columns) if isinstance(X, pd.DataFrame) else codes

    def report(self) -> pd.DataFrame:
        """One row per column: parts, criterion, its value for one part, compression gain, proved or not."""
        check_is_fitted(self)
        rows = [(part.n_parts, part.value, part.null_value, part.gain, part.exact) for part in self.parts_]
        names = ["parts", "criterion", "criterion of one part", "compression gain", "exact"]
        table = pd.DataFrame(rows, index=[column_name(self, f) for f in range(len(rows))], columns=names)
        return table.sort_values("compression gain", ascending=False, kind="stable")

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """Names of the output columns: those of the input, or ``feature=class``."""
        check_is_fitted(self)
        names = names_of_features(self, input_features)
        if self.output == "log-likelihoods":
            names = [f"{names[f]}={label}" for f in self._embedding.kept for label in self.classes_]
        return np.array(names, dtype=object)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def check_table(estimator: Any, X: Any, y: ArrayLike | None) -> tuple[pd.DataFrame, NDArray[np.int64], NDArray]:
    """Table, class numbers (n,) and classes (J,) of a supervised fit; sets ``n_features_in_`` and names."""
    one_of(estimator.method, "method", METHODS)
    frame = as_frame(estimator, X, reset=True)
    classes, codes = class_target(estimator, frame, y)
    return frame, codes, classes


def check_smoothing(smoothing: float | None) -> None:
    """Raise InvalidInputError unless the smoothing is None or a positive finite number."""
    if smoothing is not None and not 0 < as_number(smoothing) < np.inf:
        raise InvalidInputError(f"smoothing={smoothing!r} is not usable: expected a finite number > 0, or None")


def column_name(estimator: BaseEstimator, f: int) -> str:
    """Name of input column f, ``x<f>`` when it has none."""
    names = getattr(estimator, "feature_names_in_", None)
    return f"x{f}" if names is None else str(names[f])
