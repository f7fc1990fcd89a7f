"""Beyond the papers: every strategy on every data set, with the same size bounds and folds, and other classifiers.

Each strategy of the table, and k-means without bounds for reference, through `partitope.compare` as it comes: k is
twice the number of classes; every cluster holds n/k rows give or take a fifth; 5 stratified folds; everything is
learnt from the training rows. On the held-out rows three kinds of classifiers are scored:

    shares            the class shares of the cells
    local models      a logistic regression in every cell, drawn to that of all rows
    without clusters  the majority, logistic regression, gradient boosting and the selective naive Bayes classifier

Sets of more than MOST_ROWS rows are represented by a random sample of as many. Strategies that need covariates get the
set's own, or the attribute of COVARIATES, one that a user might want to look through: sex, age, place, size. It stays
among the features. The strategy that learns from few labels has one cluster a class, with the bounds of two clusters
added up, and is given the labels of a tenth of its rows; its columns are encoded, its cells scored and its local models
learnt by that tenth. Ranks are over the sets on which every classifier of the ranking has a figure: of the shares among
themselves, and of the local models beside the classifiers without clusters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import stats

from partitope.classifiers import SelectiveNaiveBayes
from partitope.compare.methods import known_methods
from partitope.compare.references import reference_models
from partitope.compare.run import compare
from partitope.compare.scoring import FoldScores
from partitope.datasets.dataset import Dataset

from .base.ranks import rank_methods
from .base.rows import as_row
from .base.study import Job, Result, Row, Study, grouped
from .data import TABLES, load_table

SETS = (
    "breast_cancer", "german", "glass", "pima", "segment", "mushroom", "titanic", "titanic2201", "census",
    "vehicle", "waveform", "pendigits", "magic", "creditcard", "diabetes130", "kcc_simu1", "kcc_simu2", "kcc_simu3",
    "kcc_face4", "kcc_face", "kcc_webkb",
)  # fmt: skip
QUICK_SETS = ("glass", "kcc_simu1")
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
FOLDS, MOST_ROWS = 5, 2000
RESTARTING = ("kcc", "kcssl")
"""Strategies that look for clusters from a hundred starts themselves: one fit of them is enough."""
SHARES, LOCAL, OTHERS = "shares", "local models", "without clusters"
RANKINGS = {"ranks": (SHARES,), "ranks of local models": (LOCAL, OTHERS)}
"""The rankings, and the tables whose classifiers each of them ranks."""


def beyond_jobs(
    *, quick: bool = False, random_state: int = 0, n_starts: int = 5, sets: Sequence[str] = SETS
) -> list[dict[str, Any]]:
    """A job for each set and strategy of RESTARTING, and one for everything else on that set.

    Parameters
    ----------
    quick : bool, default False
        Two small sets, one start.
    n_starts : int, default 5
        Starts of each strategy but those of RESTARTING, at most 5.
    sets : sequence of str
        Names that `studies.data.load_dataset` takes, or "waveform", which is drawn.
    """
    n_starts = 1 if quick else min(n_starts, 5)
    starts = {"others": n_starts} | dict.fromkeys(RESTARTING, 1)
    return [
        {"study": "beyond", "data": data, "strategies": name, "n_starts": n, "of": 5, "random_state": random_state}
        for name, n in starts.items()
        for data in sets
    ]


def beyond_job(settings: Job) -> dict[str, Any]:
    """A strategy that restarts itself on one set, or all other classifiers, as plain values."""
    seed = settings["random_state"]
    data = sample(with_covariates(load_table(settings["data"], seed)), seed)
    others = settings["strategies"] == "others"
    methods = [name for name in known_methods() if name not in RESTARTING] if others else [settings["strategies"]]
    against = {**reference_models(seed), "selective naive Bayes": SelectiveNaiveBayes()} if others else {}
    found = compare(
        data,
        2 * len(data.classes),
        folds=FOLDS,
        starts=settings["n_starts"],
        seed=seed,
        methods=methods,
        against=against,
    )
    classifiers = [
        {"table": OTHERS, "method": other.name, "time": round(other.seconds, 3)} | _scores(other.folds)
        for other in found.references
        if other.folds is not None
    ]
    for row in found.rows:
        name = row.name
        if row.partition is None or row.folds is None or row.local is None:
            classifiers += [{"table": table, "method": name, "note": row.note} for table in (SHARES, LOCAL)]
            continue
        common = {
            "method": name,
            "smallest": float(row.partition.sizes.min()),
            "largest": float(row.partition.sizes.max()),
            "within": bool(row.within_bounds),
            "proof": row.proof,
            "time": round(row.seconds + row.cv_seconds, 3),
            "note": row.note,
        }
        classifiers += [{"table": t} | common | _scores(part) for t, part in ((SHARES, row.folds), (LOCAL, row.local))]
    polytope = found.settings.polytope
    return {
        "n": len(data.y),
        "k": polytope.n_clusters,
        "lower": float(polytope.lower[0]),
        "upper": float(polytope.upper[0]),
        "classifiers": classifiers,
    }


def _scores(folds: FoldScores) -> dict[str, Any]:
    return {"ACC": [folds.accuracy, folds.accuracy_sd], "AUC": [folds.auc, folds.auc_sd]}


def beyond_rows(done: Sequence[tuple[Job, Result]]) -> list[Row]:
    """Accuracy and AUC, then ``n, k, lower, upper, smallest, largest, within, proof``; and average ranks."""
    of_set = grouped(done, "data").items()
    rows = [row for (data,), results in of_set for result in _here(results) for row in _rows(data, result)]
    return rows + [row for ranking, tables in RANKINGS.items() for row in _rank_rows(rows, ranking, tables)]


def sample(data: Dataset, seed: int, most: int = MOST_ROWS) -> Dataset:
    """Rows of a set in their order, at most a given number, drawn without regard to classes."""
    n = len(data.y)
    return data if n <= most else data.rows(np.sort(np.random.default_rng(seed).permutation(n)[:most]))


def with_covariates(data: Dataset) -> Dataset:
    """The set with the attribute of COVARIATES as covariate, unless it comes with its own or has none."""
    if data.covariates is not None or data.name not in COVARIATES:
        return data
    column, kind = COVARIATES[data.name]
    covariate = data.X[[column]].astype(float if kind == "real" else str)
    return replace(data, covariates=covariate)


def _here(results: Sequence[Result]) -> Sequence[Result]:
    """The results of a set; only the first, which says so, where its data are missing."""
    return results[:1] if any("missing" in result for result in results) else results


def _rows(data: str, result: Result) -> list[Row]:
    if "missing" in result:
        row = as_row(SHARES, data, "all", "ACC", None, (np.nan,) * 3, note=result["missing"])
        return [row | {"verdict": "no data"}]
    rows = []
    common = {name: result[name] for name in ("n", "k", "lower", "upper")}
    for found in result["classifiers"]:
        table, method, note = found["table"], found["method"], found.get("note", "")
        if "ACC" not in found:
            row = as_row(table, data, method, "ACC", None, (np.nan,) * 3, note=note)
            rows.append(row | {"verdict": "not run"})
            continue
        own = {name: found[name] for name in ("smallest", "largest", "within", "proof") if name in found}
        for metric in ("ACC", "AUC"):
            mean, sd = (np.nan if value is None else value for value in found[metric])
            half = stats.t.ppf(0.975, FOLDS - 1) * sd * np.sqrt(1.0 / FOLDS + 1.0 / (FOLDS - 1))
            span = (mean, max(0.0, mean - half), min(1.0, mean + half))
            rows.append(as_row(table, data, method, metric, None, span, found["time"], note) | common | own)
    return rows


def _rank_rows(rows: Sequence[Row], ranking: str, tables: Sequence[str]) -> list[Row]:
    """Average ranks of the accuracies of these tables' classifiers, over the sets on which each of them has one."""
    found: dict[str, dict[str, float]] = {}
    for row in rows:
        if row["metric"] == "ACC" and row["table"] in tables:
            name = f"{row['method']}, {LOCAL}" if row["table"] == LOCAL else row["method"]
            found.setdefault(row["data"], {})[name] = row["ours"]
    methods = list(dict.fromkeys(name for scores in found.values() for name in scores))
    complete = [scores for scores in found.values() if np.isfinite([scores.get(m, np.nan) for m in methods]).all()]
    if len(complete) < 2:
        return []
    ranks = rank_methods([[scores[m] for m in methods] for scores in complete])
    note = f"{ranks.n_sets} sets, critical difference {ranks.critical_difference:.2f}, Friedman's p {ranks.pvalue:.2g}"
    return [
        as_row(ranking, "all sets", method, "average rank", None, (rank, np.nan, np.nan), note=note)
        | {"critical": round(ranks.critical_difference, 4)}
        for method, rank in sorted(zip(methods, ranks.ranks), key=lambda pair: pair[1])
    ]


STUDY = Study(
    "Beyond the papers: every strategy on every set, the same bounds and folds, beside other classifiers",
    beyond_jobs, beyond_job, beyond_rows,
    sets=SETS, quick_sets=QUICK_SETS, known_sets=TABLES,
)  # fmt: skip
