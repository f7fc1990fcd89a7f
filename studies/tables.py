"""Forty public tables, raw: the search behind ``fit --auto`` beside four other methods, all with their defaults.

The list, its rule, the folds and the limits are in `tables.toml`, which was committed before the study was run. For
every table and fold, with everything learnt on the training rows, the roles of the columns included (`TableCleaner`):

    auto                   `LocalModelSearch`
    one cell               the best one-cell model of the same search, learnt on the same rows; what was chosen where
                           one cell was chosen
    logistic regression    scikit-learn's, of standardised numbers and an indicator a word
    random forest          scikit-learn's, of the same columns
    boosting               scikit-learn's `HistGradientBoostingClassifier`, words as its categories
    EBM                    `ExplainableBoostingClassifier` of interpret-core, on the first fold of small tables; left
                           out where that package is not installed

    ACC                    share of the held-out rows that are classified correctly
    log-loss               mean of -log of the probability of the class that a held-out row has

Rows of ``tables`` are means over the folds of a table with intervals for folds. Rows of ``all tables`` have tables as
units, each with the mean of its folds, and the t interval that another draw of tables would give: mean ranks, and
paired differences of "auto" and each other method. "auto - one cell" is what cells add. Nothing is chosen on held-out
rows.
"""

from __future__ import annotations

import importlib.util
import tomllib
import warnings
from collections.abc import Mapping, Sequence
from copy import copy
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from partitope.classifiers import LocalModelSearch, TableCleaner

from .base.rows import as_row, fold_interval
from .base.study import Job, Result, Row, Study
from .data.keel import read_keel

_FILE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
TABLES: dict[str, dict[str, Any]] = _FILE["tables"]
FOLDS, LEAST = _FILE["folds"], _FILE["least"]
AUTO, ONE_CELL, EBM = "auto", "one cell", "EBM"
RANKED = (AUTO, "logistic regression", "random forest", "boosting")
METRICS = {"ACC": 1.0, "log-loss": -1.0}
"""The measures; 1 where larger is better."""
Scores = dict[str, list[float]]


def tables_jobs(
    *, quick: bool = False, random_state: int = 0, sets: Sequence[str] = tuple(TABLES)
) -> list[dict[str, Any]]:
    """One job a table and method.

    Parameters
    ----------
    quick : bool, default False
        One small table, without EBM.
    sets : sequence of str
        Tables of the list.

    Notes
    -----
    About half an hour on one core.
    """
    return [
        {"study": "tables", "data": data, "method": method, "folds": FOLDS, "least": LEAST,
         "random_state": random_state}
        for data in sets
        for method in (*RANKED, *([EBM] if TABLES[data]["ebm"] and not quick else []))
        if method != EBM or importlib.util.find_spec("interpret") is not None
    ]  # fmt: skip


def tables_job(job: Job) -> dict[str, Any]:
    """Scores and CPU seconds of every fold, and what a search chose."""
    data, seed, method = read_keel(job["data"], TABLES[job["data"]]["sha256"]), job["random_state"], job["method"]
    scores: dict[str, Scores] = {}
    chosen = []
    splits = list(StratifiedKFold(job["folds"], shuffle=True, random_state=seed).split(data.X, data.y))
    for train, test in splits[:1] if method == EBM else splits:
        started = process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # entries that are no numbers, lines that stop at their limit
            cleaner = TableCleaner().fit(data.X.iloc[train])
            parts = [cleaner.transform(data.X.iloc[rows]).reset_index(drop=True) for rows in (train, test)]
            if method == AUTO:
                search = LocalModelSearch(random_state=seed).fit(parts[0], data.y[train])
                models, seconds = {AUTO: search}, process_time() - started
                models[ONE_CELL] = one_cell(search, parts[0], data.y[train])
                chosen.append(search.best_candidate_._asdict())
            else:
                models = {method: classifier(method, parts[0], seed).fit(parts[0], data.y[train])}
                seconds = process_time() - started
            for name, model in models.items():
                found = measures(model.classes_, model.predict_proba(parts[1]), data.y[test], job["least"])
                for metric, value in {**found, "CPU seconds": seconds}.items():
                    scores.setdefault(name, {}).setdefault(metric, []).append(round(value, 6))
    about = f"{len(data.y)} rows, {data.X.shape[1]} columns, {len(data.classes)} classes"
    return {"scores": scores, "chosen": chosen, "about": about}


def one_cell(search: LocalModelSearch, X: pd.DataFrame, y: NDArray[Any]) -> LocalModelSearch:
    """The search as if it had chosen its best one-cell model, learnt on the same rows."""
    if search.best_candidate_.n_clusters == 1:
        return search
    other = copy(search)
    other.best_candidate_ = search.comparison_.one_cell
    other.best_estimator_ = other._build(len(y)).fit(X, y)
    return other


def classifier(method: str, X: pd.DataFrame, seed: int) -> Any:
    """A method with its defaults, behind what it needs to read a table like the training rows X."""
    words = [name for name in X if X[name].dtype.kind not in "iufb"]
    numbers = [name for name in X if name not in words]
    if method == EBM:
        from interpret.glassbox import ExplainableBoostingClassifier

        return ExplainableBoostingClassifier(random_state=seed, n_jobs=1)
    if method == "boosting":
        return make_pipeline(Categories(words), HistGradientBoostingClassifier(random_state=seed))
    columns = ColumnTransformer([
        ("numbers", make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), numbers),
        ("words", OneHotEncoder(handle_unknown="ignore", sparse_output=False), words),
    ])  # fmt: skip
    forest = method == "random forest"
    model = RandomForestClassifier(random_state=seed) if forest else LogisticRegression(max_iter=1000)
    return make_pipeline(columns, model)


class Categories(TransformerMixin, BaseEstimator):
    """Words as categories of pandas with the values of the training rows; other values are missing."""

    def __init__(self, words: Sequence[Any]) -> None:
        self.words = words

    def fit(self, X: pd.DataFrame, y: Any = None) -> Categories:
        """Learn the values."""
        self.types_ = {name: pd.CategoricalDtype(sorted(X[name].dropna().unique())) for name in self.words}
        return self

    def transform(self, X: pd.DataFrame) -> pd.DataFrame:
        """The table with categories."""
        return X.astype(self.types_)


def measures(classes: NDArray[Any], chances: NDArray[np.float64], y: NDArray[Any], least: float) -> dict[str, float]:
    """Accuracy, and log-loss of probabilities (n, C) of at least ``least``, for rows of the classes y (n,)."""
    at_least = np.maximum(chances, least)
    at_least /= at_least.sum(axis=1, keepdims=True)
    found = np.where(classes[None, :] == y[:, None], at_least, 0.0).sum(axis=1)
    return {
        "ACC": float(np.mean(classes[chances.argmax(axis=1)] == y)),
        "log-loss": float(-np.log(np.where(found > 0, found, least)).mean()),  # 0: a class that was not learnt
    }


def tables_rows(done: Sequence[tuple[Job, Result]]) -> list[Row]:
    """Rows of every table, then those of all tables."""
    scores: dict[str, dict[str, Scores]] = {}
    rows: list[Row] = []
    cells: list[tuple[float, float]] = []
    with_cells: set[str] = set()
    for job, result in done:
        data = job["data"]
        if "missing" in result:
            row = as_row("tables", data, job["method"], "ACC", None, (np.nan,) * 3, note=result["missing"])
            rows.append(row | {"verdict": "no data"})
            continue
        scores.setdefault(data, {}).update(result["scores"])
        note = result["about"]
        if result["chosen"]:
            note += "; cells chosen: " + ", ".join(cells_in_words(candidate) for candidate in result["chosen"])
        for name, found in result["scores"].items():
            seconds = float(np.mean(found["CPU seconds"]))
            for metric in METRICS:
                span = fold_interval(found[metric], 1.0 / (job["folds"] - 1))
                rows.append(as_row("tables", data, name, metric, None, span, seconds, note))
        for fold, candidate in enumerate(result["chosen"]):
            if candidate["n_clusters"] > 1:
                both = [result["scores"][name] for name in (AUTO, ONE_CELL)]
                gain = [sign * (both[0][m][fold] - both[1][m][fold]) for m, sign in METRICS.items()]
                cells.append((gain[0], gain[1]))
                with_cells.add(data)
    whole = {data: found for data, found in scores.items() if set(RANKED) <= set(found)}
    small = {data: found for data, found in whole.items() if EBM in found}
    rows += rank_rows("all tables", whole, RANKED, None)
    rows += rank_rows("tables with EBM, first fold", small, (*RANKED, EBM), 1)
    rows += difference_rows("all tables", whole, (ONE_CELL, *RANKED[1:]), None)
    rows += difference_rows("tables with EBM, first fold", small, (*RANKED[1:], EBM), 1)
    rows += difference_rows("tables with cells in a fold", {d: whole[d] for d in whole if d in with_cells},
                            (ONE_CELL,), None)  # fmt: skip
    return rows + cell_rows(cells, sum(len(result.get("chosen", ())) for _, result in done))


def cells_in_words(candidate: Mapping[str, Any]) -> str:
    """How many cells of which strategy."""
    k = candidate["n_clusters"]
    return "1" if k == 1 else f"{k} of {candidate['strategy']}"


def mean_of(found: Mapping[str, Scores], method: str, metric: str, folds: int | None) -> float:
    """Mean of a measure over the first ``folds`` folds of a table."""
    return float(np.mean(found[method][metric][:folds]))


def rank_rows(where: str, tables: Mapping[str, Any], methods: Sequence[str], folds: int | None) -> list[Row]:
    """Mean ranks over the tables, 1 the best, and CPU seconds a fold."""
    rows = []
    for metric, sign in METRICS.items() if len(tables) > 1 else ():
        values = np.array([[mean_of(found, m, metric, folds) for m in methods] for found in tables.values()])
        ranks = rankdata(-sign * values, axis=1)
        for place, method in enumerate(methods):
            seconds = float(np.mean([mean_of(found, method, "CPU seconds", folds) for found in tables.values()]))
            note = f"of {len(methods)} methods on {len(tables)} tables; mean {metric} {values[:, place].mean():.4f}"
            span = fold_interval(ranks[:, place], 0.0)
            rows.append(as_row("all tables", where, method, f"mean rank by {metric}", None, span, seconds, note))
    return rows


def difference_rows(where: str, tables: Mapping[str, Any], others: Sequence[str], folds: int | None) -> list[Row]:
    """Means over the tables of "auto" less each other method."""
    rows = []
    for other in others if len(tables) > 1 else ():
        for metric, sign in METRICS.items():
            change = np.array([
                mean_of(found, AUTO, metric, folds) - mean_of(found, other, metric, folds) for found in tables.values()
            ])  # fmt: skip
            better, worse = int((sign * change > 0).sum()), int((sign * change < 0).sum())
            note = f"{len(tables)} tables: auto better on {better}, worse on {worse}"
            span = fold_interval(change, 0.0)
            rows.append(
                as_row("all tables", where, f"auto - {other}", f"difference of {metric}", None, span, note=note)
            )
    return rows


def cell_rows(gains: Sequence[tuple[float, float]], folds: int) -> list[Row]:
    """In how many folds cells were chosen, and won against one cell, as shares."""
    rows = []
    for place, metric in enumerate(METRICS):
        values = np.array([gain[place] for gain in gains])
        won, lost = int((values > 0).sum()), int((values < 0).sum())
        same = len(values) - won - lost
        note = f"cells chosen in {len(values)} of {folds} folds: won {won}, lost {lost}, the same {same}"
        share = won / len(values) if len(values) else np.nan
        row = as_row("all tables", "folds with cells", "auto", f"won by {metric}", None, (share,) * 3, note=note)
        rows.append(row | {"low": np.nan, "high": np.nan})
    return rows


STUDY = Study(
    "Forty public tables: the search behind fit --auto beside other methods, shares of held-out rows",
    tables_jobs, tables_job, tables_rows,
    sets=tuple(TABLES), quick_sets=("iris",),
)  # fmt: skip
