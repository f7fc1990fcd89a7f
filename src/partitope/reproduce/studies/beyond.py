"""Beyond the papers: every strategy on every data set, with the same size bounds, folds and encoding.

Each strategy of the table, and k-means without bounds for reference, through `partitope.compare`: k is twice the number
of classes; every cluster holds n/k rows give or take a fifth; 5 stratified folds; the class shares of the cells score
the rows held out. Sets of more than MOST_ROWS rows are represented by a random sample of SAMPLE. Strategies that need
covariates get the set's own, or the attribute of COVARIATES, one that a user might want to look through: sex, age,
place, size. It stays among the features. The strategy that learns from few labels has one cluster a class, with the
bounds of two clusters added up, and is given a tenth of the labels of its rows; but its columns are encoded, and its
cells scored, by all labels of the training rows, as for every strategy. The ranks are over the sets on which every
strategy has a figure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import stats

from ...compare.methods import known_methods
from ...compare.run import compare
from ...datasets.dataset import Dataset
from ..ranks import rank_methods
from ..rows import as_row
from ..study import Job, Result, Row, Study
from ..tables import TABLES, load_table

SETS = (
    "breast_cancer", "german", "glass", "pima", "segment", "mushroom", "titanic", "titanic2201", "census",
    "vehicle", "waveform", "pendigits", "magic", "creditcard", "diabetes130", "kcc_simu1", "kcc_simu2", "kcc_simu3",
    "kcc_face4", "kcc_face", "kcc_webkb",
)  # fmt: skip
QUICK_SETS = ("breast_cancer", "kcc_face4")
COVARIATES: dict[str, tuple[str, str]] = {
    "breast_cancer": ("mean radius", "real"),
    "german": ("personal status and sex", "categorical"),
    "glass": ("RI", "real"),
    "pima": ("age", "real"),
    "segment": ("REGION-CENTROID-ROW", "real"),
    "vehicle": ("COMPACTNESS", "real"),
    "waveform": ("x7", "real"),
    "pendigits": ("y1", "real"),
    "magic": ("fSize", "real"),
    "mushroom": ("habitat", "categorical"),
    "titanic": ("sex", "categorical"),
    "titanic2201": ("sex", "categorical"),
    "census": ("sex", "categorical"),
    "creditcard": ("X2", "categorical"),
    "diabetes130": ("gender", "categorical"),
}
FOLDS = 5
MOST_ROWS, SAMPLE = 50_000, 20_000


def beyond_jobs(
    *, quick: bool = False, random_state: int = 0, n_starts: int = 5, sets: Sequence[str] = SETS
) -> list[dict[str, Any]]:
    """One job a set and strategy.

    Parameters
    ----------
    quick : bool, default False
        Two small sets, one start.
    n_starts : int, default 5
        Starts of each strategy, at most 5.
    sets : sequence of str
        Names that `partitope.datasets.load_dataset` takes, or "waveform", which is drawn.
    """
    n_starts = 1 if quick else min(n_starts, 5)
    return [
        {"study": "beyond", "data": data, "method": method, "n_starts": n_starts, "of": 2, "random_state": random_state}
        for data in sets
        for method in known_methods()
    ]


def beyond_job(settings: Job) -> dict[str, Any]:
    """One strategy on one set, as plain values."""
    seed = settings["random_state"]
    data = with_covariates(load_table(settings["data"], seed))
    data = data.drawn(SAMPLE, seed) if len(data.y) > MOST_ROWS else data
    k = 2 * len(data.classes)
    options = {"folds": FOLDS, "starts": settings["n_starts"], "methods": [settings["method"]], "plain": True}
    row = compare(data, k, seed=seed, **options)
    found = row.rows[0]
    if found.partition is None:
        return {"note": found.note}
    sizes = found.partition.sizes
    return {
        "n": len(data.y),
        "k": k,
        "lower": float(row.settings.lower[0]),
        "upper": float(row.settings.upper[0]),
        "smallest": float(sizes.min()),
        "largest": float(sizes.max()),
        "within": bool(found.within_bounds),
        "proof": found.proof,
        "time": round(found.seconds, 3),
        "ACC": [found.accuracy, found.accuracy_sd],
        "AUC": [found.auc, found.auc_sd],
        "note": found.note,
    }


def beyond_rows(done: Sequence[tuple[Job, Result]]) -> list[Row]:
    """Accuracy and AUC, then ``n, k, lower, upper, smallest, largest, within, proof``; and average ranks."""
    rows = [row for job, result in done for row in _rows(job, result)]
    return rows + _rank_rows(rows, done)


def with_covariates(data: Dataset) -> Dataset:
    """The set with the attribute of COVARIATES as covariate, unless it comes with its own or has none."""
    if data.covariates is not None or data.name not in COVARIATES:
        return data
    column, kind = COVARIATES[data.name]
    covariate = data.X[[column]].astype(float if kind == "real" else str)
    return replace(data, covariates=covariate)


def _rows(settings: Job, result: Result) -> list[Row]:
    data, method = settings["data"], settings["method"]
    if "ACC" not in result:
        row = as_row("beyond", data, method, "ACC", None, (np.nan,) * 3, note=result.get("missing", result.get("note")))
        return [row | {"verdict": "no data" if "missing" in result else "not run"}]
    extra = {name: result[name] for name in ("n", "k", "lower", "upper", "smallest", "largest", "within", "proof")}
    rows = []
    for metric in ("ACC", "AUC"):
        mean, sd = result[metric]
        mean, sd = (np.nan if value is None else value for value in (mean, sd))
        half = stats.t.ppf(0.975, FOLDS - 1) * sd * np.sqrt(1.0 / FOLDS + 1.0 / (FOLDS - 1))
        span = (mean, max(0.0, mean - half), min(1.0, mean + half))
        rows.append(as_row("beyond", data, method, metric, None, span, result["time"], result["note"]) | extra)
    return rows


def _rank_rows(rows: Sequence[Row], done: Sequence[tuple[Job, Result]]) -> list[Row]:
    """Average ranks of the accuracies, over the sets on which every strategy has one."""
    sets, methods = (list(dict.fromkeys(job[name] for job, _ in done)) for name in ("data", "method"))
    found = {(row["data"], row["method"]): row["ours"] for row in rows if row["metric"] == "ACC"}
    complete = [s for s in sets if all(np.isfinite(found.get((s, m), np.nan)) for m in methods)]
    if len(complete) < 2:
        return []
    ranking = rank_methods([[found[s, m] for m in methods] for s in complete])
    note = (
        f"{ranking.n_sets} sets, critical difference {ranking.critical_difference:.2f}, "
        f"Friedman's p {ranking.pvalue:.2g}"
    )
    return [
        as_row("ranks", "all sets", method, "average rank", None, (rank, np.nan, np.nan), note=note)
        | {"critical": round(ranking.critical_difference, 4)}
        for method, rank in sorted(zip(methods, ranking.ranks), key=lambda pair: pair[1])
    ]


STUDY = Study(
    "Beyond the papers: every strategy on every set, the same bounds and folds, shares",
    beyond_jobs, beyond_job, beyond_rows,
    sets=SETS, quick_sets=QUICK_SETS, known_sets=TABLES,
)  # fmt: skip
