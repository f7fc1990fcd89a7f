"""Tables 5.3 to 5.6: Statlog German Credit, cross-validation in ten random folds of one hundred rows.

As in the dissertation: 30 clusters, lower bounds 20, no upper bounds, the mean of 50 starts, threshold 0.5. The
dissertation printed one run over ten folds; here the folds are drawn ten times, and the mean over the ten runs
stands beside the printed figure. Everything learnt from data (averages, quantiles, weights, which features to
keep, which preprocessing to use) is learnt on the training rows of each fold alone.

Preprocessings:

    text        fifths of duration and amount, the 11 features of largest F statistic (the dissertation keeps 11 of
                20 by an earlier study that it only cites), no weighting
    weighted    fifths of duration, amount and age, averages smoothed by ten rows' worth of the overall mean, all
                features, non-negative least-squares weights learnt from averages of held-out tenths
    squares     as weighted, but clustered by least squares (balanced k-means) instead of norm maximisation
    chosen      whichever of `CANDIDATES` does best in an inner cross-validation on the training rows
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline

from ..classifiers import ClusteringClassifier, ConditionalMeanEncoder, LeastSquaresWeighting
from ..datasets import load_german
from ..datasets_result import Dataset
from ..models.errors import InvalidInputError
from ..solvers.geometric import GeometricPartitioner
from .cells import Progress, default_folder, finished_cell
from .places import GERMAN_FIRST, GERMAN_SECOND, place_row
from .published import GERMAN
from .verdict import as_report, compare, measure

N_CLUSTERS, LOWER, N_FOLDS = 30, 20, 10
INNER_FOLDS, INNER_STARTS = 5, 10
FIFTHS = {"duration in months": 5, "credit amount": 5}
KEPT = 11
CANDIDATES = ("text", "weighted", "squares")
MEASURES = ("ACC", "SENS", "SPEC", "AUC")


def reproduce_german(
    *,
    quick: bool = False,
    repetitions: int = 10,
    n_starts: int = 50,
    preprocessing: Literal["text", "weighted", "squares", "chosen"] = "chosen",
    random_state: int = 0,
    n_jobs: int | None = None,
    cache: str | Path | None = "default",
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Printed and own figures for the German Credit tables.

    Parameters
    ----------
    quick : bool, default False
        One repetition, 2 starts, preprocessing "text": a check that everything runs, not a reproduction.
    repetitions : int, default 10
        How often the ten folds are drawn.
    n_starts : int, default 50
        Starts of each classifier.
    preprocessing : {"chosen", "text", "weighted", "squares"}
        What happens to the table before it is clustered; see the module.
    random_state : int
        Seed of folds and starts.
    n_jobs : int, optional
        Starts run at the same time; the result does not depend on it.
    cache : str, Path or None, default "default"
        Folder of finished cells, one a repetition; "default" is one in the user's cache, None keeps nothing.
    progress : callable, optional
        ``progress(done, total, text)`` after each repetition.

    Returns
    -------
    DataFrame
        Columns as `reproduce_census` gives them (percent, means over folds and repetitions), then ``sd``, the
        standard deviation over repetitions (NaN for one), and ``seconds``. Intervals are those of one test of
        1000 rows: repeating the folds does not make the rows more.

    Raises
    ------
    InvalidInputError
        When an option is not known.
    DataNotFoundError
        When the raw file is neither in the data home nor can be downloaded.
    """
    if preprocessing not in (*CANDIDATES, "chosen"):
        known = ", ".join(map(repr, (*CANDIDATES, "chosen")))
        raise InvalidInputError(f"preprocessing={preprocessing!r} is not known: choose one of {known}")
    if repetitions < 1 or n_starts < 1:
        raise InvalidInputError(f"repetitions={repetitions} and n_starts={n_starts} must be at least 1")
    if quick:
        repetitions, n_starts, preprocessing = 1, min(n_starts, 2), "text"
    folder = default_folder() if cache == "default" else cache
    data: list[Dataset] = []
    results = []
    for repetition in range(repetitions):
        settings = {
            "study": "german",
            "preprocessing": preprocessing,
            "n_starts": n_starts,
            "random_state": random_state,
            "repetition": repetition,
        }

        def compute(settings: dict[str, Any] = settings) -> dict[str, Any]:
            data[:] = data or [load_german()]
            return german_cell(data[0], settings, n_jobs)

        results.append(finished_cell(settings, compute, folder))
        if progress is not None:
            progress(repetition + 1, repetitions, f"german repetition {repetition + 1}")
    return _report(results, preprocessing)


def german_cell(data: Dataset, settings: dict[str, Any], n_jobs: int | None = None) -> dict[str, Any]:
    """Measures of one repetition, means over its ten folds, by aggregation and part, as plain values."""
    started = perf_counter()
    seed = settings["random_state"] + 1000 * settings["repetition"]
    folds: dict[tuple[str, str], list[dict[str, float]]] = {}
    used: Counter[str] = Counter()
    for train, test in KFold(N_FOLDS, shuffle=True, random_state=seed).split(data.X):
        X, y = data.X.iloc[train], data.y[train]
        name = settings["preprocessing"]
        if name == "chosen":
            name = choose_preprocessing(X, y, seed, n_jobs)
        used[name] += 1
        model = _classifier(name, settings["n_starts"], seed, n_jobs).fit(X, y)
        for mode in ("max", "mean"):
            for part, rows in [("train", train), ("test", test)]:
                scores = model.predict_proba(data.X.iloc[rows], mode)[:, 1]
                folds.setdefault((mode, part), []).append(measure(data.y[rows] == "good", scores))
    means = {
        mode: {part: {m: float(np.mean([f[m] for f in folds[mode, part]])) for m in MEASURES} for part in parts}
        for mode, parts in [("max", ("train", "test")), ("mean", ("train", "test"))]
    }
    return {"seconds": perf_counter() - started, "measures": means, "preprocessing": dict(used)}


def choose_preprocessing(X: pd.DataFrame, y: NDArray, seed: int, n_jobs: int | None = None) -> str:
    """The candidate of best accuracy in an inner cross-validation on these rows, the first on ties."""
    hits = dict.fromkeys(CANDIDATES, 0)
    for train, test in KFold(INNER_FOLDS, shuffle=True, random_state=seed).split(X):
        for name in CANDIDATES:
            model = _classifier(name, INNER_STARTS, seed, n_jobs, lower=LOWER * len(train) // len(X))
            model.fit(X.iloc[train], y[train])
            hits[name] += int((model.predict(X.iloc[test]) == y[test]).sum())
    return max(CANDIDATES, key=lambda name: hits[name])


def _classifier(
    preprocessing: str, n_starts: int, seed: int, n_jobs: int | None, lower: int = LOWER
) -> ClusteringClassifier:
    if preprocessing == "text":
        encoder = make_pipeline(ConditionalMeanEncoder(bins=FIFTHS), SelectKBest(f_classif, k=KEPT))
    else:
        encoder = ConditionalMeanEncoder(bins=FIFTHS | {"age in years": 5}, smoothing=10.0)
    return ClusteringClassifier(
        GeometricPartitioner(N_CLUSTERS, lower=lower, objective="lsa" if preprocessing == "squares" else "csa"),
        n_starts=n_starts,
        encoder=encoder,
        weighting=None if preprocessing == "text" else LeastSquaresWeighting(nonnegative=True),
        cross_fit=0 if preprocessing == "text" else N_FOLDS,
        random_state=seed,
        n_jobs=n_jobs,
    )


def _report(results: list[dict[str, Any]], preprocessing: str) -> pd.DataFrame:
    rows = []
    seconds = sum(result["seconds"] for result in results)
    for mode in ("max", "mean"):
        for part, table, share in [("train", "5.3", 0.9), ("test", "5.4", 1.0)]:
            runs = pd.DataFrame([result["measures"][mode][part] for result in results])
            means: dict[str, Any] = {m: float(runs[m].mean()) for m in MEASURES}
            counts = {"positives": int(700 * share), "negatives": int(300 * share)}
            cell = ("unweighted", N_CLUSTERS, mode, part)
            spread = 100 * runs.std(ddof=1)
            for row in compare(GERMAN, table, preprocessing, cell, means | counts):
                rows.append(row | {"sd": round(spread[row["metric"]], 4), "seconds": round(seconds, 2)})
    found = next(r for r in rows if (r["classifier"], r["part"], r["metric"]) == ("mean", "test", "ACC"))
    rows += [place_row("5.5", GERMAN_FIRST, found), place_row("5.6", GERMAN_SECOND, found)]
    return as_report(rows)
