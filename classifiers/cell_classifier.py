"""What the classifiers that look into clusters share: checked rows, a table where words are read, classes from scores.

(1)  rows -> table or numbers -> cells -> scores (n, C) -> the class of the largest score, the first of equals
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from ..base.checks import class_target, validate_data
from ..base.columns import as_frame
from ..base.errors import CapabilityError
from ..base.inherited_docs import FittedToClasses
from .local_collection import Collection


class CellClassifier(FittedToClasses, ClassifierMixin, BaseEstimator):
    """Base of the classifiers by cells; a subclass says which cell holds a row, and what the cells know."""

    classes_: NDArray
    _collection: Collection

    def apply(self, X: ArrayLike) -> NDArray[np.int64]:
        """Cell (n,) of every row of X (n, d)."""
        raise NotImplementedError

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """P(j | x) (n, C) by the model of the cell that holds the row, or by its shares of the classes."""
        check_is_fitted(self)
        return self._collection.probabilities(self._table(X, reset=False), self.apply(X))

    def predict(self, X: Any) -> NDArray:
        """Classes (n,), the first of equals."""
        scores = self.predict_proba(X)
        return self.classes_[scores.argmax(axis=1)]

    def _takes_tables(self) -> bool:
        """Whether rows may hold words and gaps."""
        return True

    def _table(self, X: ArrayLike, *, reset: bool) -> Any:
        if self._takes_tables():
            return as_frame(self, X, reset=reset)
        return validate_data(self, X, reset=reset, dtype=np.float64)

    def _validate(self, X: ArrayLike, y: ArrayLike) -> tuple[Any, NDArray[np.int64]]:
        """Checked rows, and the place of each row's class in ``classes_``."""
        X = self._table(X, reset=True)
        self.classes_, codes = class_target(self, X, y)
        return X, codes

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.categorical = tags.input_tags.string = self._takes_tables()
        return tags


def fit_strategy(strategy: BaseEstimator, X: Any, codes: NDArray[np.int64], covariates: Any, weights: Any) -> None:
    """Fit a strategy, or a clusterer of scikit-learn, with those of the arguments that it takes."""
    given: dict[str, object] = {}
    needs = getattr(strategy, "needs", None)
    if needs is not None:
        given = {"covariates": covariates, "sample_weight": weights if needs.sample_weight else None}
    elif covariates is not None:
        name = type(strategy).__name__
        raise CapabilityError(f"covariates were given, but {name} has no use for them: use KCC or KCSSL")
    elif has_fit_parameter(strategy, "sample_weight"):
        given = {"sample_weight": weights}
    strategy.fit(X, codes, **given)
