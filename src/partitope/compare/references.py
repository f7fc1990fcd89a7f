"""What any comparison is measured against: classifiers without clusters, on the same folds.

majority               the most frequent class
logistic regression    scikit-learn's, on standardised numbers and an indicator a word
naive Bayes            `SelectiveNaiveBayes` with every weight 1: shares of supervised intervals and groups
nearest neighbours     scikit-learn's with its defaults, five rows, in the columns of the logistic regression
gradient boosting      scikit-learn's histogram gradient boosting with its defaults; words as the numbers 0, 1, ...
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

from ..base.deadline import clock
from ..classifiers.linear.basis import LinearBasis
from ..classifiers.naive_bayes.classifier import SelectiveNaiveBayes
from ..datasets.dataset import Dataset
from .result import Row
from .scoring import score_folds


class WordsAsNumbers(TransformerMixin, BaseEstimator):
    """Words as their places among those of the training rows, in sorted order; missing and unseen ones as nan."""

    def fit(self, X: pd.DataFrame, y: Any = None) -> WordsAsNumbers:
        """Learn which columns hold words, and which."""
        places = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan)
        self.words_ = {name: clone(places).fit(X[[name]]) for name in X.select_dtypes(exclude="number")}
        return self

    def transform(self, X: pd.DataFrame) -> NDArray[np.float64]:
        """Numbers (n, d), columns in their order: boosting takes the first of two that split alike."""
        found = X.assign(**{str(name): places.transform(X[[name]]).ravel() for name, places in self.words_.items()})
        return found.to_numpy(np.float64)


def reference_models(seed: int) -> dict[str, Any]:
    """The classifiers, not yet fitted, by name."""
    return {
        "majority": DummyClassifier(strategy="prior"),
        "logistic regression": make_pipeline(LinearBasis(), LogisticRegression(max_iter=1000)),
        "naive Bayes": SelectiveNaiveBayes(selective=False),
        "nearest neighbours": make_pipeline(LinearBasis(), KNeighborsClassifier()),
        "gradient boosting": make_pipeline(WordsAsNumbers(), HistGradientBoostingClassifier(random_state=seed)),
    }


def references(
    data: Dataset, codes: NDArray[np.int64], splits: Sequence[Any], models: Mapping[str, Any]
) -> tuple[Row, ...]:
    """Every model on the folds; it sees the training rows only, encoding included."""
    found = []
    for name, model in models.items():
        started = clock()

        def scores(train: NDArray, test: NDArray, model: Any = model) -> NDArray[np.float64]:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a logistic regression that stops at its limit says so
                fitted = model.fit(data.X.iloc[train], codes[train])
            return np.asarray(fitted.predict_proba(data.X.iloc[test]))

        folds = score_folds(codes, splits, scores)
        found.append(Row(name, seconds=clock() - started, folds=folds))
    return tuple(found)
