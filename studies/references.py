"""Tables 5.5, 5.6 and 6.8: the techniques that scikit-learn has, run under the folds and rows of our own figures.

The dissertation quotes the accuracies of other techniques from studies with other folds. Here they run on German
Credit under the ten folds of `german` (the first drawing), and on Census Income on the published test rows:

    NB        naive Bayes of categories by maximum likelihood; numbers are cut into fifths of the training rows
    NB MAP    the same with Dirichlet's prior, every share (count + 1) / (rows of the class + values)
    KNN       nearest neighbours, as many as the name says; LDA, QDA, LOG, SVM, CART: scikit-learn's defaults, QDA with
              covariances shrunk by .1, which indicators of all words make singular

All but NB read standardised numbers and an indicator a word. The printed figure beside NB MAP is that of NB.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.naive_bayes import CategoricalNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from partitope.datasets import load_dataset

from .base.rows import DISSERTATION, interval, judged
from .base.study import Job, Result, Row, Study
from .german import N_FOLDS
from .printed.places import CENSUS, GERMAN_FIRST, GERMAN_SECOND
from .readings import BY_VALUE, parts_of

GERMAN = ("LDA", "QDA", "LOG", "NB", "NB MAP", "KNN10", "KNN100", "CART", "Lin SVM", "RBF SVM")
ADULT = ("LOG", "NB", "NB MAP", "KNN1", "KNN3", "CART")
OTHER_NAMES = {"5.6": {"LOG": "LOR", "KNN10": "KNN"}}
TABLES = {"5.5": GERMAN_FIRST, "5.6": GERMAN_SECOND, "6.8": CENSUS}
FIFTHS = 5


def references_jobs(*, quick: bool = False, random_state: int = 0) -> list[dict[str, Any]]:
    """One job a set and technique; quick: German Credit without the SVM."""
    asked = [("german", name) for name in GERMAN if not (quick and "SVM" in name)]
    asked += [] if quick else [("census", name) for name in ADULT]
    return [
        {"study": "references", "data": data, "technique": name, "random_state": random_state} for data, name in asked
    ]


def references_job(job: Job) -> dict[str, Any]:
    """How many test rows of every class are hit, over all folds."""
    if job["data"] == "census":
        (X, y), (X_test, y_test) = parts_of(BY_VALUE).values()
        splits = [(X, y == ">50K", X_test, y_test == ">50K")]
    else:
        data = load_dataset("german")
        folds = KFold(N_FOLDS, shuffle=True, random_state=job["random_state"]).split(data.X)
        good = data.y == "good"
        splits = [(data.X.iloc[a], good[a], data.X.iloc[b], good[b]) for a, b in folds]
    hits = {"positives": [0, 0], "negatives": [0, 0]}
    for X, y, X_test, truth in splits:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # collinear indicators, lines that stop at their limit
            said = technique(job["technique"], X).fit(X, y).predict(X_test)
        for name, of in (("positives", truth), ("negatives", ~truth)):
            hits[name][0] += int((said[of] == truth[of]).sum())
            hits[name][1] += int(of.sum())
    return hits


def technique(name: str, X: pd.DataFrame) -> Any:
    """One of `GERMAN` or `ADULT`, with what makes columns of a table like X."""
    numbers = [column for column in X if X[column].dtype.kind in "iuf"]
    words = [column for column in X if column not in numbers]
    if name.startswith("NB"):
        codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
        return make_pipeline(Fifths(numbers), codes, SeenValues(1.0 if name == "NB MAP" else 0.0))
    indicators = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    columns = ColumnTransformer([("numbers", StandardScaler(), numbers), ("words", indicators, words)])
    models: dict[str, Any] = {
        "LDA": LinearDiscriminantAnalysis(), "QDA": QuadraticDiscriminantAnalysis(reg_param=0.1),
        "LOG": LogisticRegression(max_iter=1000), "CART": DecisionTreeClassifier(random_state=0),
        "Lin SVM": LinearSVC(random_state=0), "RBF SVM": SVC(),
    }  # fmt: skip
    return make_pipeline(columns, models.get(name) or KNeighborsClassifier(int(name.removeprefix("KNN"))))


class Fifths(TransformerMixin, BaseEstimator):
    """Numbers of more than five values become the fifth of the training rows that they are in."""

    def __init__(self, numbers: Sequence[Any]) -> None:
        self.numbers = numbers

    def fit(self, X: pd.DataFrame, y: Any = None) -> Fifths:
        """Learn the ends."""
        wide = [column for column in self.numbers if X[column].nunique() > FIFTHS]
        self.ends_ = {c: np.unique(np.quantile(X[c], np.arange(1, FIFTHS) / FIFTHS)) for c in wide}
        return self

    def transform(self, X: pd.DataFrame) -> pd.DataFrame:
        """The rows with numbers cut."""
        return X.assign(**{c: np.searchsorted(ends, X[c], side="left") for c, ends in self.ends_.items()}).astype(str)


class SeenValues(ClassifierMixin, BaseEstimator):
    """scikit-learn's naive Bayes of categories; a value that no training row has says nothing."""

    def __init__(self, prior: float) -> None:
        self.prior = prior

    def fit(self, X: NDArray[np.float64], y: NDArray[np.bool_]) -> SeenValues:
        """Learn the shares; 1e-10 in the place of no prior, since a share of 0 has no logarithm."""
        self.classes_ = np.unique(y)
        self.model_ = CategoricalNB(alpha=self.prior or 1e-10, force_alpha=True).fit(X, y)
        return self

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whether rows are positive."""
        total = np.tile(self.model_.class_log_prior_, (len(X), 1))
        for j, table in enumerate(self.model_.feature_log_prob_):
            codes = X[:, j].astype(np.int64)
            total += np.where(codes[:, None] >= 0, table[:, np.maximum(codes, 0)].T, 0.0)
        return self.model_.classes_[total.argmax(axis=1)]


def references_rows(done: Sequence[tuple[Job, Result]]) -> list[Row]:
    """Accuracy beside the printed one of every table that names the technique; sensitivity and specificity alone."""
    rows = []
    for job, found in done:
        (a, n), (b, m) = found["positives"], found["negatives"]
        tables = ("6.8",) if job["data"] == "census" else ("5.5", "5.6")
        for table in tables:
            plain = job["technique"].removesuffix(" MAP")
            paper = TABLES[table].get(OTHER_NAMES.get(table, {}).get(plain, plain))
            for metric, value in (("ACC", (a + b) / (n + m)), ("SENS", a / n), ("SPEC", b / m)):
                if table == "5.6" and (metric != "ACC" or paper is None):
                    continue
                low, high = interval(metric, value, n, m)
                row = judged(metric, paper if metric == "ACC" else None, (100 * value, 100 * low, 100 * high))
                where = (table, "techniques of others", 0, job["technique"], "test")
                rows.append(dict(zip(DISSERTATION, where)) | row | {"seconds": found["seconds"]})
                words = {"beaten": "competitor better", "missed": "competitor worse"}
                rows[-1]["verdict"] = words.get(row["verdict"], row["verdict"])
    return rows


STUDY = Study(
    "Öllinger, Tables 5.5, 5.6 and 6.8: techniques of others under our folds, percent",
    references_jobs, references_job, references_rows,
    group=("table", "classifier", "part"), partial=False, unit=100.0,
)  # fmt: skip
