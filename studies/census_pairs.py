"""Pairs of columns of Census Income as columns of linear models: the log-odds of what two values together say.

A number of more than GROUPS values is cut into fifths of the training rows, but for capital gain and loss, of which
every value counts. Of every two columns the pairs of their values are encoded by `ConditionalMeanEncoder`, which takes
the share of a class for a training row from other rows than itself; log-odds, centred and scaled, as in `LinearBasis`.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin

from partitope.classifiers import ConditionalMeanEncoder
from partitope.classifiers.linear.basis import log_odds, scale

from .readings import CAPITAL

GROUPS = 5


class PairLogOdds(TransformerMixin, BaseEstimator):
    """Columns (n, p) of a table of Census Income, one for every two of its columns that say something together."""

    def fit(self, X: pd.DataFrame, y: NDArray[Any]) -> PairLogOdds:
        """Learn from the rows of X (n, d) with classes y (n,)."""
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: pd.DataFrame, y: NDArray[Any]) -> NDArray[np.float64]:
        """Learn from the rows, and give their own columns by shares among other rows."""
        cut = [c for c in X if X[c].dtype.kind in "iuf" and c not in CAPITAL and X[c].nunique() > GROUPS]
        self.ends_ = {c: np.unique(np.quantile(X[c], np.arange(1, GROUPS) / GROUPS)) for c in cut}
        self.encoder_ = ConditionalMeanEncoder()
        raw = log_odds(self.encoder_.fit_transform(self._pairs(X), y))
        self.means_, self.spreads_ = raw.mean(axis=0), scale(raw)
        return (raw - self.means_) / self.spreads_

    def transform(self, X: pd.DataFrame) -> NDArray[np.float64]:
        """Columns (m, p) of the rows of X (m, d)."""
        return (log_odds(self.encoder_.transform(self._pairs(X))) - self.means_) / self.spreads_

    def _pairs(self, X: pd.DataFrame) -> pd.DataFrame:
        """Texts of two values each."""
        words = {c: X[c].astype(str) for c in X if c not in self.ends_}
        groups = {c: np.searchsorted(ends, X[c], side="right") for c, ends in self.ends_.items()}
        words |= {c: pd.Series(found.astype(str), index=X.index) for c, found in groups.items()}
        return pd.DataFrame({f"{a}, {b}": words[a] + "|" + words[b] for a, b in combinations(X.columns, 2)})
