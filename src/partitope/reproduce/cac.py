"""Tables of the two papers on clustering aware classification: {classifier} x {alone, KM+, CAC+} on four sets.

The sets are the authors' processed files, standardised by the training rows. Adult and diabetes differ from the papers'
tables in size: 32 561 rows (45 000 printed) and 69 973 (100 000). Titanic has 1309 rows (2200 printed), of which the
418 of the test part carry no true labels: theirs is whether the passenger is a woman. The first paper's figures are
those of learning from the other 891 and testing on these 418, the second's those of all 1309 rows together, as logistic
regression shows, which agrees to three digits in both. "titanic true labels" is the 891 rows alone. k is the papers'
(2, credit 3). alpha is chosen for each classifier and each training part by a cross-validation inside the training part
(`CACSearchCV`, three folds, F1), on at most SEARCH_ROWS of its rows.

The papers' logistic regressions in clusters weight the classes ("balanced") and their single one does not; they do not
say so, but their figures come out like this and not otherwise. The rows KM+LR and CAC+LR follow them. "LR balanced" is
the single one with weights, "KM+LR plain" and "CAC+LR plain" are without: what clusters give beyond the weights is the
difference of rows with the same weights.

    folds      five stratified folds: F1 at 0.5, and the AUC of classifiers with probabilities
    held out   a quarter of the rows held out once
    parts      titanic's published parts
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold, train_test_split

from ..datasets import load_dataset
from ..models.errors import InvalidInputError
from ..stats import accuracy_interval
from .cells import Progress, run_cells
from .published_cac import DATA, EC3, FIRST, FOLDS, HELD_OUT
from .rows import Printed, absent, as_frame, as_row, fold_interval
from .verdict import interval as auc_interval

CLASSIFIERS = ("LR", "SVM", "LDA", "Perceptron", "RF", "KNN", "SGD", "Ridge")
DEEP = ("FNN", "DMNN", "DeepCAC")
TRUE = "titanic true labels"
SETS = (*DATA, TRUE)
N_CLUSTERS = {"titanic": 2, TRUE: 2, "credit": 3, "adult": 2, "diabetes": 2}
DESIGNS = ("folds", "parts", "held out")
ALPHAS = (0.0, 0.02, 0.05, 0.2, 0.8, 2.5)
SEARCH_ROWS = 6000
TRUE_ROWS = 891
NO_LIBRARY = "no maintained library offers it"
SIZES = {
    "titanic": "1309 rows, 418 of them with untrue labels",
    TRUE: "891 rows",
    "credit": "",
    "adult": "32561 rows, 45000 in the papers",
    "diabetes": "69973 rows, 100000 in the papers",
}


def reproduce_cac(
    *,
    quick: bool = False,
    sets: Sequence[str] | None = None,
    classifiers: Sequence[str] | None = None,
    deep: Sequence[str] = ("titanic",),
    random_state: int = 0,
    cache: str | Path | None = "default",
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Printed and own figures of the papers' tables.

    Parameters
    ----------
    quick : bool, default False
        Titanic with logistic regression.
    sets : sequence of str, optional
        Which of titanic, credit, adult, diabetes, "titanic true labels"; None is all of them.
    classifiers : sequence of str, optional
        Which of `CLASSIFIERS`; None is all of them.
    deep : sequence of str
        Sets for FNN, DMNN and DeepCAC, which need the extra ``deep`` and take minutes to hours on large sets.
    random_state : int
        Seed of folds, starts and classifiers.
    cache : str, Path or None, default "default"
        Folder of finished cells; "default" is one in the user's cache, None keeps nothing.
    progress : callable, optional
        ``progress(done, total, text)`` after each cell.

    Returns
    -------
    DataFrame
        Columns of `partitope.reproduce.rows`, then ``paper_sd`` and ``sd`` over the folds.

    Raises
    ------
    InvalidInputError
        When a set or a classifier is not known.
    """
    chosen = _known("set", sets, SETS) if sets is not None else list(DATA[:1] if quick else SETS)
    names = _known("classifier", classifiers, CLASSIFIERS) if classifiers else list(CLASSIFIERS)
    names = ["LR"] if quick and not classifiers else names
    deep_on = [data for data in chosen if data in deep and not quick and find_spec("torch") is not None]
    cells = [
        cell_settings(data, name, design, random_state)
        for design in DESIGNS
        for data in chosen
        if design != "parts" or data == "titanic"
        for name in (*names, *(["deep"] if data in deep_on else []))
    ]
    results = run_cells(cells, cac_cell, cache, progress)
    rows: list[dict[str, Any]] = []
    for settings, result in zip(cells, results):
        rows += _rows(settings, result)
    for figure in (*FOLDS, *HELD_OUT, *FIRST) if not quick else ():
        if figure.method in DEEP and figure.data not in deep_on and figure.data in chosen:
            rows.append(absent(figure, "not run", "needs the extra deep and, on this set, hours: pass deep="))
    rows += [absent(figure, "not run", NO_LIBRARY) for figure in EC3]
    return as_frame(rows)


def cell_settings(data: str, classifier: str, design: str, random_state: int) -> dict[str, Any]:
    """What names a cell; logistic regression has had its weights since revision 2."""
    newer = {"of": 2} if classifier == "LR" else {}
    return {
        "study": "cac", "data": data, "classifier": classifier, "design": design, "random_state": random_state, **newer
    }  # fmt: skip


def cac_cell(settings: Mapping[str, Any]) -> dict[str, Any]:
    """F1 and AUC of a classifier alone, after k-means and after CAC, as plain values."""
    X, y = _table(settings["data"])
    seed, k = settings["random_state"], N_CLUSTERS[settings["data"]]
    if settings["design"] == "parts":
        splits = [(np.arange(TRUE_ROWS), np.arange(TRUE_ROWS, len(y)))]
    elif settings["design"] == "folds":
        splits = list(StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y))
    else:
        everyone = np.arange(len(y))
        splits = [tuple(train_test_split(everyone, test_size=0.25, random_state=seed, stratify=y))]
    scores: dict[str, list[dict[str, Any]]] = {}
    for train, test in splits:
        models = _deep(k, seed) if settings["classifier"] == "deep" else _shallow(settings["classifier"], k, seed)
        for name, model in models.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # lines that do not converge are part of the tables
                score = _score(model, X[train], y[train], X[test], y[test], seed)
            scores.setdefault(name, []).append(score)
    return {"scores": scores}


def _score(model: Any, X: NDArray, y: NDArray, X_test: NDArray, y_test: NDArray, seed: int) -> dict[str, Any]:
    from sklearn.preprocessing import StandardScaler

    scale = StandardScaler().fit(X)
    model, alpha = _fitted(model, scale.transform(X), y, seed)
    said = model.predict(scale.transform(X_test))
    hits = int(((said == 1) & (y_test == 1)).sum())
    either = int(((said == 1) | (y_test == 1)).sum())
    found = {
        "F1": float(f1_score(y_test, said)),
        "hits": hits,
        "either": either,
        "alpha": alpha,
        "positives": int((y_test == 1).sum()),
        "negatives": int((y_test == 0).sum()),
    }
    if hasattr(model, "predict_proba"):
        found["AUC"] = float(roc_auc_score(y_test, model.predict_proba(scale.transform(X_test))[:, 1]))
    return found


def _fitted(model: Any, X: NDArray, y: NDArray, seed: int) -> tuple[Any, float | None]:
    """The fitted model and its alpha; large alphas are given up where they leave clusters that no model takes."""
    for last in range(len(ALPHAS), 1, -1):
        try:
            chosen, alpha = _with_alpha(model, X, y, seed, ALPHAS[:last])
            return chosen.fit(X, y), alpha
        except InvalidInputError:
            continue
    chosen, alpha = _with_alpha(model, X, y, seed, ALPHAS[:1])
    return chosen.fit(X, y), alpha


def _with_alpha(
    model: Any, X: NDArray, y: NDArray, seed: int, alphas: Sequence[float] = ALPHAS
) -> tuple[Any, float | None]:
    """The model with the best alpha of a cross-validation on these rows, where it has one to choose."""
    from ..classifiers import CACSearchCV, LocalModelClassifier
    from ..solvers import CAC

    if not (isinstance(model, LocalModelClassifier) and isinstance(model.partitioner, CAC)):
        return model, None
    rows = np.arange(len(y))
    if len(y) > SEARCH_ROWS:
        rows = train_test_split(rows, train_size=SEARCH_ROWS, random_state=seed, stratify=y)[0]
    search = CACSearchCV(
        model.estimator, n_clusters=model.partitioner.n_clusters, alphas=alphas, scoring="f1", cv=3, random_state=seed
    ).fit(X[rows], y[rows])
    alpha = float(search.best_params_["alpha"])
    return model.set_params(partitioner__alpha=alpha), alpha


def _shallow(name: str, k: int, seed: int) -> dict[str, Any]:
    from sklearn.cluster import KMeans

    from ..classifiers import LocalModelClassifier
    from ..solvers import CAC

    def clustered(base: Any, ending: str = "") -> dict[str, Any]:
        return {
            f"KM+{name}{ending}": LocalModelClassifier(KMeans(k, n_init=10, random_state=seed), base),
            f"CAC+{name}{ending}": LocalModelClassifier(CAC(k, random_state=seed), base),
        }

    base = _base(name, seed)
    if name != "LR":
        return {name: base, **clustered(base)}
    balanced = _base(name, seed).set_params(class_weight="balanced")
    return {name: base, **clustered(balanced), "LR balanced": balanced, **clustered(base, " plain")}


def _base(name: str, seed: int) -> Any:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier, SGDClassifier
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.svm import LinearSVC

    return {
        "LR": LogisticRegression(max_iter=1000),
        "SVM": LinearSVC(random_state=seed),
        "LDA": LinearDiscriminantAnalysis(),
        "Perceptron": Perceptron(random_state=seed),
        "RF": RandomForestClassifier(10, random_state=seed),
        "KNN": KNeighborsClassifier(5),
        "SGD": SGDClassifier(random_state=seed),
        "Ridge": RidgeClassifier(),
    }[name]


def _deep(k: int, seed: int) -> dict[str, Any]:
    from ..classifiers.deep import DMNN, FNN, DeepCAC

    return {
        "FNN": FNN(random_state=seed),
        "DMNN": DMNN(k, random_state=seed),
        "DeepCAC": DeepCAC(k, random_state=seed),
    }


def _rows(settings: Mapping[str, Any], result: Mapping[str, Any]) -> list[dict[str, Any]]:
    data, folds = settings["data"], settings["design"] == "folds"
    printed = [f for f in _printed(data, settings["design"]) if f.data == data]
    if "missing" in result:
        return [absent(f, "no data", result["missing"]) for f in printed if f.method in _methods(settings)]
    rows: list[dict[str, Any]] = []
    for method, scores in result["scores"].items():
        alphas = sorted({score["alpha"] for score in scores} - {None})
        note = "; ".join(filter(None, [SIZES[data], f"alpha {', '.join(f'{a:g}' for a in alphas)}" if alphas else ""]))
        for metric in ("F1", "AUC"):
            figures = [f for f in printed if (f.method, f.metric) == (method, metric)]
            if metric not in scores[0] or not (figures or metric == "F1"):
                continue
            values = [score[metric] for score in scores]
            spread = round(float(np.std(values, ddof=1)), 4) if folds else np.nan
            interval = fold_interval(values, 0.25) if folds else _single(metric, scores[0])
            for figure in figures if figures else (None,):
                table = figure.table if figure else settings["design"]
                paper, sd = (figure.value, figure.sd) if figure else (None, None)
                row = as_row(table, data, method, metric, paper, interval, result["seconds"], note)
                rows.append(row | {"paper_sd": np.nan if sd is None else sd, "sd": spread})
    return rows


def _printed(data: str, design: str) -> tuple[Printed, ...]:
    """Which tables a design answers: the first paper's figures for titanic are those of its published parts."""
    if design == "folds":
        return FOLDS if data == "titanic" else (*FOLDS, *FIRST)
    return FIRST if design == "parts" else HELD_OUT


def _single(metric: str, score: Mapping[str, Any]) -> tuple[float, float, float]:
    """A measure of one test set and its interval."""
    if metric == "F1":
        return f1_interval(score["hits"], score["either"])
    return score["AUC"], *auc_interval("AUC", score["AUC"], score["positives"], score["negatives"])


def f1_interval(hits: int, either: int) -> tuple[float, float, float]:
    """F1 and its 95 % interval from the true positives and the rows that are, or are called, positive.

    F1 = 2 p / (1 + p) with p = hits / either, a share, whose interval is Wilson's.
    """
    if not either:
        return 0.0, 0.0, 1.0
    low, high = accuracy_interval(hits, either, method="wilson")
    value, low, high = (2 * p / (1 + p) for p in (hits / either, low, high))
    return value, low, high


def _methods(settings: Mapping[str, Any]) -> tuple[str, ...]:
    name = settings["classifier"]
    return DEEP if name == "deep" else (name, f"KM+{name}", f"CAC+{name}")


def _known(kind: str, names: Sequence[str], known: Sequence[str]) -> list[str]:
    for name in names:
        if name not in known:
            raise InvalidInputError(f"{kind} {name!r} is not known: choose among {', '.join(known)}")
    return list(names)


def _table(name: str) -> tuple[NDArray, NDArray]:
    """Features (n, d) and 0/1 labels (n,) of the authors' files."""
    data = load_dataset({"credit": "creditcard", TRUE: "titanic"}.get(name, name) + "_cac")
    data = data.train if name == TRUE else data
    return data.X.to_numpy(dtype=np.float64), data.y.astype(np.int64)
