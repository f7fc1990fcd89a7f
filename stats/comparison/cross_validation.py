"""Repeated stratified cross-validation of several classifiers on the same folds, with honest comparisons.

Every classifier is trained and scored on the same r = folds x repeats splits; two of them are compared by the
corrected resampled t-test of `classifier_tests`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ...base.checks import as_array, distinct, instance_of, one_of, same_length, whole_number
from ...base.errors import InvalidInputError
from .two_classifiers import ClassifierTest, corrected_t_test

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """Scores of classifiers on the same splits.

    Attributes
    ----------
    scores : pandas.DataFrame
        One row a split, one column a classifier.
    n_folds, n_repeats : int
        Splits: folds times repeats.
    n : int
        Points.
    scoring : str
        What was measured.
    """

    scores: pd.DataFrame = field(repr=False)
    n_folds: int
    n_repeats: int
    n: int
    scoring: str

    def compare(self, first: str, second: str, confidence: float = 0.95) -> ClassifierTest:
        """Compare two classifiers by the corrected resampled t-test.

        Parameters
        ----------
        first, second : str
            Names of classifiers.
        confidence : float
            Level of the interval of the difference.

        Raises
        ------
        InvalidInputError
            When a name is not known.
        """
        one_of(first, "first", tuple(self.scores))
        one_of(second, "second", tuple(self.scores))
        ratio = 1.0 / (self.n_folds - 1)
        return corrected_t_test(self.scores[first], self.scores[second], ratio, confidence=confidence)

    def table(self, adjust: str | None = "holm") -> pd.DataFrame:
        """Compare all pairs.

        Parameters
        ----------
        adjust : {"holm", "bh", None}
            Adjustment of the p-values over all pairs.

        Returns
        -------
        pandas.DataFrame
            Columns first, second, difference, low, high, t, p, p_adjusted; one row a pair, best classifiers first.
        """
        from itertools import combinations

        import pandas as pd

        from ..cluster_values.steps import adjusted

        one_of(adjust, "adjust", (None, "holm", "bh"))
        order = self.scores.mean().sort_values(ascending=False, kind="stable").index
        rows = []
        for first, second in combinations(order, 2):
            test = self.compare(first, second)
            rows.append((first, second, test.difference, test.low, test.high, test.statistic, test.pvalue))
        columns = ["first", "second", "difference", "low", "high", "t", "p"]
        table = pd.DataFrame(rows, columns=columns)
        table["p_adjusted"] = adjusted(table["p"].to_numpy(dtype=np.float64), adjust)  # type: ignore[arg-type]
        return table


def repeated_cross_validation(
    classifiers: Mapping[str, Any],
    X: ArrayLike,
    y: ArrayLike,
    *,
    n_folds: int = 10,
    n_repeats: int = 10,
    scoring: str | Callable[..., float] = "accuracy",
    random_state: int | None = 0,
) -> CrossValidation:
    """Score classifiers by repeated stratified cross-validation.

    Parameters
    ----------
    classifiers : mapping of str to estimator
        scikit-learn classifiers, pipelines included; they are cloned.
    X : (n, d) array_like or DataFrame
        Rows.
    y : (n,) array_like
        Classes.
    n_folds, n_repeats : int
        Folds, at least 2, and how often the folds are drawn anew.
    scoring : str or callable
        A name of scikit-learn, or ``scoring(estimator, X, y)``; larger is better.
    random_state : int or None
        Seed of the folds.

    Returns
    -------
    CrossValidation

    Raises
    ------
    InvalidInputError
        When ``classifiers`` is no mapping of names to estimators or empty, X and y differ in length, a number of
        folds or repeats is not usable, or a class has fewer points than folds.

    Notes
    -----
    n_folds n_repeats trainings of each classifier. An error in a training is raised, never scored.

    References
    ----------
    Bouckaert and Frank (2004), Evaluating the replicability of significance tests for comparing learning algorithms.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from partitope.stats.comparison.cross_validation import repeated_cross_validation
    >>> X, y = load_iris(return_X_y=True)
    >>> stump, bayes = DecisionTreeClassifier(max_depth=1), GaussianNB()
    >>> result = repeated_cross_validation({"stump": stump, "bayes": bayes}, X, y, n_folds=5, n_repeats=2)
    >>> bool(result.compare("bayes", "stump").pvalue < 0.001)
    True
    """
    import pandas as pd
    from sklearn.base import clone
    from sklearn.metrics import check_scoring
    from sklearn.model_selection import RepeatedStratifiedKFold
    from sklearn.utils import _safe_indexing

    instance_of(classifiers, "classifiers", Mapping, "pass names and their estimators")
    if not classifiers:
        raise InvalidInputError("classifiers is empty: pass a mapping of names to estimators")
    for name, classifier in classifiers.items():
        if not hasattr(classifier, "fit"):
            raise InvalidInputError(f"classifiers[{name!r}] is {classifier!r}, expected an estimator with a method fit")
    whole_number(n_folds, "n_folds", 2)
    whole_number(n_repeats, "n_repeats")
    table: Any = X if hasattr(X, "iloc") else as_array(X, "X")
    classes = as_array(y, "y")
    same_length(X=table, y=classes)
    fewest = int(np.bincount(distinct(classes, "y")[1].ravel()).min(initial=len(classes)))
    if fewest < n_folds:
        raise InvalidInputError(f"a class has {fewest} points, fewer than n_folds={n_folds}")
    splitter = RepeatedStratifiedKFold(n_splits=n_folds, n_repeats=n_repeats, random_state=random_state)
    found: dict[str, list[float]] = {name: [] for name in classifiers}
    for train, test in splitter.split(np.zeros(len(classes)), classes):
        for name, classifier in classifiers.items():
            fitted = clone(classifier).fit(_safe_indexing(table, train), classes[train])
            measure = check_scoring(fitted, scoring)
            found[name].append(float(measure(fitted, _safe_indexing(table, test), classes[test])))
    name = scoring if isinstance(scoring, str) else getattr(scoring, "__name__", "custom")
    return CrossValidation(pd.DataFrame(found), int(n_folds), int(n_repeats), len(classes), name)
