"""Tables 5.3 to 5.6: Statlog German Credit, cross-validation in ten random folds of one hundred rows.

As in the dissertation: 30 clusters, lower bounds 20, no upper bounds, the mean of 50 starts from the unit sphere,
threshold 0.5. The dissertation printed one run over ten folds; here the folds are drawn ten times, and the mean over
the ten runs stands beside the printed figure. The folds of the first drawing stand in columns of their own, in the
order of their accuracy beside the printed ones in theirs. Everything learnt from data (averages, quantiles, weights,
which features to keep, which preprocessing to use) is learnt on the training rows of each fold alone. The printed
preprocessing, "text", comes first; "chosen" is ours.

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
from collections.abc import Sequence
from time import perf_counter
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import chi2
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline

from partitope.classifiers import ClusteringClassifier, ConditionalMeanEncoder, LeastSquaresWeighting
from partitope.datasets import load_dataset
from partitope.solvers.geometric.partitioner import GeometricPartitioner
from partitope.stats import accuracy_interval

from .base.rows import DISSERTATION, compare, judged, measure
from .base.study import Job, Result, Row, Study, check_names
from .printed.dissertation import GERMAN, GERMAN_FOLDS
from .printed.places import GERMAN_FIRST, GERMAN_SECOND, place_row
from .starts import start_measures, start_rows

N_CLUSTERS, LOWER, N_FOLDS = 30, 20, 10
INNER_FOLDS, INNER_STARTS = 5, 10
FIFTHS = {"duration in months": 5, "credit amount": 5}
KEPT = 11
CANDIDATES = ("text", "weighted", "squares")
MEASURES = ("ACC", "SENS", "SPEC", "AUC")


def german_jobs(
    *,
    quick: bool = False,
    random_state: int = 0,
    repetitions: int = 10,
    n_starts: int = 50,
    preprocessing: Literal["both", "text", "weighted", "squares", "chosen"] = "both",
) -> list[dict[str, Any]]:
    """One job a drawing of the folds.

    Parameters
    ----------
    quick : bool, default False
        One repetition, 2 starts, preprocessing "text".
    repetitions : int, default 10
        How often the ten folds are drawn.
    n_starts : int, default 50
        Starts of each classifier.
    preprocessing : {"both", "text", "weighted", "squares", "chosen"}
        What happens to the table before it is clustered; see the module. Both are "text" and "chosen".

    Raises
    ------
    InvalidInputError
        When the preprocessing is not known.
    """
    check_names("preprocessing", [preprocessing], ("both", *CANDIDATES, "chosen"))
    if quick:
        repetitions, n_starts, preprocessing = 1, min(n_starts, 2), "text"
    return [
        {"study": "german", "preprocessing": name, "n_starts": n_starts, "random_state": random_state,
         "repetition": repetition}
        for name in (("text", "chosen") if preprocessing == "both" else (preprocessing,))
        for repetition in range(repetitions)
    ]  # fmt: skip


def german_job(settings: Job, n_jobs: int | None = None) -> dict[str, Any]:
    """Measures of one repetition, means over its ten folds, by aggregation and part, as plain values."""
    data, started = load_dataset("german"), perf_counter()
    seed = settings["random_state"] + 1000 * settings["repetition"]
    folds: dict[tuple[str, str], list[dict[str, float]]] = {}
    used: Counter[str] = Counter()
    starts: list[dict[str, Any]] = []
    for train, test in KFold(N_FOLDS, shuffle=True, random_state=seed).split(data.X):
        X, y = data.X.iloc[train], data.y[train]
        name = settings["preprocessing"]
        if name == "chosen":
            name = choose_preprocessing(X, y, seed, n_jobs)
        used[name] += 1
        model = _classifier(name, settings["n_starts"], seed, n_jobs).fit(X, y)
        parts = {"train": (X, y == "good"), "test": (data.X.iloc[test], data.y[test] == "good")}
        starts.append(start_measures(model, parts))
        for mode in ("max", "mean"):
            for part, rows in [("train", train), ("test", test)]:
                scores = model.predict_proba(data.X.iloc[rows], mode)[:, 1]
                folds.setdefault((mode, part), []).append(measure(data.y[rows] == "good", scores))
    means = {
        mode: {part: {m: float(np.mean([f[m] for f in folds[mode, part]])) for m in MEASURES} for part in parts}
        for mode, parts in [("max", ("train", "test")), ("mean", ("train", "test"))]
    }
    single = {part: folds["mean", part] for part in ("train", "test")}
    return {"seconds": perf_counter() - started, "measures": means, "preprocessing": dict(used), "starts": starts,
            "folds": single}  # fmt: skip


def choose_preprocessing(X: pd.DataFrame, y: NDArray, seed: int, n_jobs: int | None = None) -> str:
    """The candidate of best accuracy in an inner cross-validation on these rows, the first on ties."""
    hits = dict.fromkeys(CANDIDATES, 0)
    for train, test in KFold(INNER_FOLDS, shuffle=True, random_state=seed).split(X):
        for name in CANDIDATES:
            model = _classifier(name, INNER_STARTS, seed, n_jobs, lower=LOWER * len(train) // len(X))
            model.fit(X.iloc[train], y[train])
            hits[name] += int((model.predict(X.iloc[test]) == y[test]).sum())
    return max(CANDIDATES, key=lambda name: hits[name])


def text_classifier(k: int, lower: int, n_starts: int, seed: int, n_jobs: int | None = None) -> ClusteringClassifier:
    """The classifier of the printed preprocessing and starts, with k clusters of at least ``lower`` rows."""
    encoder = make_pipeline(
        ConditionalMeanEncoder(bins=FIFTHS, smoothing=0.0, cross_fit=0), SelectKBest(f_classif, k=KEPT)
    )
    partitioner = GeometricPartitioner(k, lower=lower, objective="csa", init="sphere")
    return ClusteringClassifier(
        partitioner, n_starts=n_starts, encoder=encoder, cleaner=None, random_state=seed, n_jobs=n_jobs
    )


def _classifier(
    preprocessing: str, n_starts: int, seed: int, n_jobs: int | None, lower: int = LOWER
) -> ClusteringClassifier:
    if preprocessing == "text":
        return text_classifier(N_CLUSTERS, lower, n_starts, seed, n_jobs)
    return ClusteringClassifier(
        GeometricPartitioner(N_CLUSTERS, lower=lower, objective="lsa" if preprocessing == "squares" else "csa"),
        n_starts=n_starts,
        encoder=ConditionalMeanEncoder(bins=FIFTHS | {"age in years": 5}, smoothing=10.0, cross_fit=0),
        weighting=LeastSquaresWeighting(nonnegative=True),
        cross_fit=N_FOLDS,
        cleaner=None,
        random_state=seed,
        n_jobs=n_jobs,
    )


def german_rows(done: Sequence[tuple[Job, Result]]) -> list[Row]:
    """For each preprocessing Tables 5.3 and 5.4, means over the repetitions, and places in 5.5 and 5.6.

    ``sd`` is the standard deviation over repetitions (NaN for one). Intervals are those of one test of 1000 rows:
    repeating the folds does not make the rows more.
    """
    kinds = dict.fromkeys(job["preprocessing"] for job, _ in done)
    return [row for kind in kinds for row in _rows([one for one in done if one[0]["preprocessing"] == kind])]


def _rows(done: Sequence[tuple[Job, Result]]) -> list[Row]:
    """Rows of one preprocessing."""
    rows: list[Row] = []
    seconds = sum(result["seconds"] for _, result in done)
    for mode in ("max", "mean"):
        for part, table, share in [("train", "5.3", 0.9), ("test", "5.4", 1.0)]:
            runs = pd.DataFrame([result["measures"][mode][part] for _, result in done])
            means: dict[str, Any] = {m: float(runs[m].mean()) for m in MEASURES}
            counts = {"positives": int(700 * share), "negatives": int(300 * share)}
            of = ("unweighted", N_CLUSTERS, mode, part)
            spread = 100 * runs.std(ddof=1)
            for row in compare(GERMAN, table, done[0][0]["preprocessing"], of, means | counts):
                name = "printed" if done[0][0]["preprocessing"] == "text" else "ours"
                rows.append(
                    row | {"preprocessing": name, "sd": round(spread[row["metric"]], 4), "seconds": round(seconds, 2)}
                )
    name = "printed" if done[0][0]["preprocessing"] == "text" else "ours"
    more = start_rows([one for _, result in done for one in result["starts"]], "unweighted", N_CLUSTERS)
    rows += [row | {"preprocessing": name} for row in [*_fold_rows(done[0][1]), *more]]
    found = next(r for r in rows if (r["classifier"], r["part"], r["metric"]) == ("mean", "test", "ACC"))
    return [*rows, place_row("5.5", GERMAN_FIRST, found), place_row("5.6", GERMAN_SECOND, found)]


def _fold_rows(result: Result) -> list[Row]:
    """The test folds of one drawing in the order of their accuracy, beside the printed ones in the order of theirs."""
    ours = sorted((100 * fold["ACC"], fold["positives"] + fold["negatives"]) for fold in result["folds"]["test"])
    rows = []
    for rank, ((value, n), paper) in enumerate(zip(ours, sorted(GERMAN_FOLDS)), start=1):
        low, high = accuracy_interval(round(value * n / 100), n, method="wilson")
        where = ("5.4", "unweighted", N_CLUSTERS, f"mean, fold of rank {rank}", "test")
        row = judged("ACC", paper, (value, 100 * low, 100 * high))
        rows.append(dict(zip(DISSERTATION, where)) | row)
    spread, printed = (float(np.std(v, ddof=1)) for v in ([value for value, _ in ours], GERMAN_FOLDS))
    where = ("5.4", "unweighted", N_CLUSTERS, "mean, over the folds", "test")
    low, high = (spread * np.sqrt(9 / chi2.ppf(q, 9)) for q in (0.975, 0.025))
    row = judged("deviation of ACC", printed, (spread, low, high))
    return [*rows, dict(zip(DISSERTATION, where)) | row | {"verdict": "met" if low <= printed <= high else "differs"}]


STUDY = Study(
    "Öllinger, Tables 5.3 to 5.6: German Credit, percent",
    german_jobs, german_job, german_rows,
    group=("preprocessing", "table", "scenario", "k", "classifier", "part"), partial=False, unit=100.0, same_rows=True,
)  # fmt: skip
