"""Stand-ins for the logistic model tree and the naive Bayes tree, which no maintained Python library offers.

(1)  a node is cut in two where the entropy of the classes falls most      a stump on numbers and indicators
(2)  the cut stands when it lowers the cross-validated error of the model of the leaves by more than 5 %: the model
     learnt on all rows of the node against one learnt on either side; nodes of fewer than 30 rows are not cut
(3)  every leaf holds a model learnt on its rows: logistic regression, or naive Bayes on intervals and groups

(2) is the rule of Kohavi's naive Bayes tree; his cuts are chosen by (2) too, among all columns, and have a branch for
each value. Landwehr's logistic model tree boosts its regressions from the root downwards and is pruned as by CART.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

STAND_INS = {
    "LMT": "stand-in: tree with logistic regressions in its leaves",
    "NBT": "stand-in: tree with naive Bayes models in its leaves",
}
SMALLEST = 30
GAIN = 0.05
INNER_FOLDS = 5


@dataclass(eq=False, repr=False)
class ModelTree(ClassifierMixin, BaseEstimator):
    """A binary tree of (1) and (2) with a copy of ``leaf`` in each leaf; tables in, classes out.

    Parameters
    ----------
    leaf : classifier
        Cloned for every leaf of more than one class; takes tables and has ``predict_proba``.

    Attributes
    ----------
    classes_ : (J,) ndarray
        Classes in sorted order.
    nodes_ : list of tuple
        (stump, left, right) for inner nodes, with node numbers; (None, model or None, class shares (J,)) for leaves.
    """

    leaf: Any

    def fit(self, X: pd.DataFrame, y: NDArray) -> Self:
        """Grow the tree on the rows of X (n, d) with classes y (n,)."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        self._columns = encoder().fit(X)
        self.nodes_: list[Any] = [None]
        waiting = [(0, np.arange(len(codes)), self._errors(X, codes))]
        while waiting:
            node, rows, errors = waiting.pop()
            stump, sides = self._cut(X.iloc[rows], codes[rows])
            parts = [rows[~sides], rows[sides]]
            after = [self._errors(X.iloc[part], codes[part]) for part in parts] if stump else [np.inf]
            if sum(after) >= (1.0 - GAIN) * errors:
                self.nodes_[node] = self._leaf(X.iloc[rows], codes[rows])
                continue
            self.nodes_[node] = (stump, len(self.nodes_), len(self.nodes_) + 1)
            waiting += [(len(self.nodes_) + i, parts[i], after[i]) for i in (0, 1)]
            self.nodes_ += [None, None]
        return self

    def predict_proba(self, X: pd.DataFrame) -> NDArray[np.float64]:
        """P(j | x) (n, J) by the model of the leaf of each row."""
        scores = np.zeros((len(X), len(self.classes_)))
        waiting = [(0, np.arange(len(X)))]
        while waiting:
            node, rows = waiting.pop()
            stump, left, right = self.nodes_[node]
            if not rows.size:
                continue
            if stump is None:
                scores[rows] = _shares(left, right, X.iloc[rows])
            else:
                sides = stump.apply(self._columns.transform(X.iloc[rows])) == 2
                waiting += [(left, rows[~sides]), (right, rows[sides])]
        return scores

    def predict(self, X: pd.DataFrame) -> NDArray:
        """Classes (n,), the first of equals."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def _cut(self, X: pd.DataFrame, codes: NDArray) -> tuple[Any, NDArray]:
        """The stump of (1), None where there is none, and which rows (n,) go to its right side."""
        if len(codes) < SMALLEST or len(np.unique(codes)) < 2:
            return None, np.zeros(len(codes), dtype=bool)
        points = self._columns.transform(X)
        stump = DecisionTreeClassifier(criterion="entropy", max_depth=1, min_samples_leaf=5, random_state=0)
        leaves = stump.fit(points, codes).apply(points)
        return (stump if leaves.any() else None), leaves == 2

    def _errors(self, X: pd.DataFrame, codes: NDArray) -> float:
        """Rows that models of the other folds get wrong."""
        if len(np.unique(codes)) < 2 or len(codes) < INNER_FOLDS:
            return float(len(codes) - np.bincount(codes).max())
        wrong = 0.0
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The least populated class")
            folds = StratifiedKFold(INNER_FOLDS, shuffle=True, random_state=0)
            splits = list(folds.split(codes, np.zeros_like(codes) if np.bincount(codes).max() < INNER_FOLDS else codes))
        for train, test in splits:
            _, model, shares = self._leaf(X.iloc[train], codes[train])
            wrong += float((_shares(model, shares, X.iloc[test]).argmax(axis=1) != codes[test]).sum())
        return wrong

    def _leaf(self, X: pd.DataFrame, codes: NDArray) -> tuple[None, Any, NDArray]:
        counts = np.bincount(codes, minlength=len(self.classes_))
        model = clone(self.leaf).fit(X, codes) if np.count_nonzero(counts) > 1 else None
        return None, model, counts / counts.sum()


def stand_in(method: str) -> ModelTree:
    """The tree that stands in for "LMT" or "NBT"."""
    from partitope.classifiers import SelectiveNaiveBayes

    if method == "LMT":
        return ModelTree(make_pipeline(encoder(), LogisticRegression(max_iter=2000)))
    return ModelTree(SelectiveNaiveBayes(selective=False, n_orders=1))


def encoder() -> Any:
    """Standardised numbers and indicators of categories."""
    return make_column_transformer(
        (make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler()),
         make_column_selector(dtype_include="number")),
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")),
    )  # fmt: skip


def _shares(model: Any, shares: NDArray[np.float64], X: pd.DataFrame) -> NDArray[np.float64]:
    """P(j | x) (n, J) of one leaf: its model's, or the shares of its classes."""
    if model is None:
        return np.tile(shares, (len(X), 1))
    found = np.zeros((len(X), len(shares)))
    found[:, model.classes_] = model.predict_proba(X)
    return found
