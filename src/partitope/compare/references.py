"""What any comparison is measured against: classifiers without clusters, on the same folds.

majority               the most frequent class
logistic regression    scikit-learn's, on standardised numbers and an indicator a word
naive Bayes            `SelectiveNaiveBayes` with every weight 1: shares of supervised intervals and groups
nearest neighbours     scikit-learn's with its defaults, five rows, in the columns of the logistic regression
gradient boosting      scikit-learn's histogram gradient boosting with its defaults; words as the numbers 0, 1, ...
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from ..base.columns import as_numbers, as_texts, numbers_as_learnt
from ..classifiers.linear.basis import LinearBasis
from ..classifiers.naive_bayes.classifier import SelectiveNaiveBayes
from ..datasets.dataset import Dataset
from .scoring import FoldScores, Splits, score_folds

MAJORITY = "majority"


class WordsAsNumbers(TransformerMixin, BaseEstimator):
    """Words as their places among those of the training rows, in sorted order; missing and unseen ones as nan."""

    def fit(self, X: pd.DataFrame, y: Any = None) -> WordsAsNumbers:
        """Learn which columns hold words, and which."""
        words = {name: as_texts(column) for name, column in X.items() if as_numbers(column) is None}
        self.words_ = {name: sorted(set(texts) - {None}) for name, texts in words.items()}
        return self

    def transform(self, X: pd.DataFrame) -> NDArray[np.float64]:
        """Numbers (n, d), columns in their order: boosting takes the first of two that split alike."""
        found = []
        for name, column in X.items():
            places = pd.Categorical(as_texts(column), self.words_[name]).codes if name in self.words_ else None
            found.append(numbers_as_learnt(column) if places is None else np.where(places < 0, np.nan, places))
        return np.column_stack(found)


@dataclass(frozen=True, eq=False)
class Reference:
    """What a classifier without clusters reaches."""

    name: str  # Name, as in the module's head.
    folds: FoldScores  # Figures fold by fold.
    seconds: float  # Wall time of all folds in seconds.
    partition: ClassVar[None] = None  # A reference has no partition, unlike a `Row`.
    local: ClassVar[None] = None
    within_bounds: ClassVar[None] = None
    sum_of_squares: ClassVar[float] = np.nan
    note: ClassVar[str] = ""


def reference_models(seed: int) -> dict[str, Any]:
    """The classifiers, not yet fitted, by name."""
    return {
        MAJORITY: DummyClassifier(strategy="prior"),
        "logistic regression": make_pipeline(LinearBasis(), LogisticRegression(max_iter=1000)),
        "naive Bayes": SelectiveNaiveBayes(selective=False),
        "nearest neighbours": make_pipeline(LinearBasis(), KNeighborsClassifier()),
        "gradient boosting": make_pipeline(WordsAsNumbers(), HistGradientBoostingClassifier(random_state=seed)),
    }


def references(
    data: Dataset, codes: NDArray[np.int64], splits: Splits, models: Mapping[str, Any]
) -> tuple[Reference, ...]:
    """Every model on the folds; it sees the training rows only, encoding included."""
    found = []
    for name, model in models.items():
        started = perf_counter()

        def scores(train: NDArray, test: NDArray, model: Any = model) -> NDArray[np.float64]:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a logistic regression that stops at its limit says so
                fitted = model.fit(data.X.iloc[train], codes[train])
            return np.asarray(fitted.predict_proba(data.X.iloc[test]))

        found.append(Reference(name, score_folds(codes, splits, scores), perf_counter() - started))
    return tuple(found)
