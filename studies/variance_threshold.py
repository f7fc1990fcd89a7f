"""A threshold by variance on the scores of clusters, an outlook of the thesis: "a variance based threshold on the
classification values".

The score of a row is the mean over the starts of the share f of positive training rows in its cluster; its variance v
is the mean over the starts of f (1 - f) / size, plus the variance of f over the starts. The text says no more than the
words above. Readings, fixed before the study was run; a row is positive where

    half            f >= 1/2, the dissertation's threshold
    lower limit     f - sqrt(v) >= 1/2
    upper limit     f + sqrt(v) >= 1/2
    shrunk          f, drawn towards the share p of all training rows by t / (t + v), is at least 1/2; t is the variance
                    of f over the training rows less the mean of v, or 0
    two groups      f is at least the threshold that divides the training scores into two groups of least variance
                    within them (Otsu 1979)
    tuned           f is at least the threshold most accurate on the training rows; looks at no variance

Norm maximisation in at most 30 clusters of at least 20 training rows and 10 starts, as for German Credit. Differences
to "half" are paired by folds, and their means over tables have tables as units. Nothing is chosen on held-out rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from partitope.classifiers import ClusteringClassifier
from partitope.solvers.geometric.partitioner import GeometricPartitioner

from .base.rows import as_row, fold_interval
from .base.study import Job, Result, Row, Study
from .beyond import sample
from .data import load_dataset

SETS = ("german", "census", "pima", "titanic", "breast_cancer", "magic", "creditcard")
MOST_ROWS, FOLDS, STARTS = 5000, 5, 10
MOST_CLUSTERS, SMALLEST = 30, 20
HALF = "half"
RULES = (HALF, "lower limit", "upper limit", "shrunk", "two groups", "tuned")
Scores = NDArray[np.float64]


def variance_jobs(
    *, quick: bool = False, random_state: int = 0, n_starts: int = STARTS, sets: Sequence[str] = SETS
) -> list[dict[str, Any]]:
    """One job a set.

    Parameters
    ----------
    quick : bool, default False
        Two starts.
    n_starts : int, default 10
        Starts of each classifier.
    sets : sequence of str
        Names of sets with two classes that `studies.data.load_dataset` takes.
    """
    starts = min(n_starts, 2) if quick else n_starts
    return [{"study": "variance", "data": data, "n_starts": starts, "random_state": random_state} for data in sets]


def variance_job(job: Job) -> dict[str, Any]:
    """Accuracy, sensitivity and specificity of every reading in every fold."""
    seed = job["random_state"]
    data = sample(load_dataset(job["data"]), seed, MOST_ROWS)
    positive = data.y == data.classes[-1]
    found: dict[str, dict[str, list[float]]] = {rule: {"ACC": [], "SENS": [], "SPEC": []} for rule in RULES}
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(data.X, positive):
        k = max(2, min(MOST_CLUSTERS, len(train) // (2 * SMALLEST)))
        model = ClusteringClassifier(
            GeometricPartitioner(k, objective="csa", lower=SMALLEST), aggregate="mean", n_starts=job["n_starts"],
            random_state=seed,
        ).fit(data.X.iloc[train], positive[train])  # fmt: skip
        cells = [model.apply(data.X.iloc[rows]) for rows in (train, test)]
        learnt, held_out = scores(cells[0], positive[train], cells)
        for rule, said in decisions(learnt, held_out, positive[train]).items():
            right = said == positive[test]
            parts = {"ACC": right, "SENS": right[positive[test]], "SPEC": right[~positive[test]]}
            for metric, share in parts.items():
                found[rule][metric].append(float(share.mean()))
    return {"rules": found, "n": len(positive)}


def scores(
    learnt: NDArray[np.int64], positive: NDArray[np.bool_], parts: Sequence[NDArray[np.int64]]
) -> list[tuple[Scores, Scores]]:
    """f and v (r,) of the rows of each part, from the cells (n, m) of training rows in every start, and of the part."""
    values: list[list[Scores]] = [[] for _ in parts]
    noise: list[list[Scores]] = [[] for _ in parts]
    for start, cells in enumerate(learnt.T):
        k = 1 + max(int(part[:, start].max()) for part in parts)
        sizes = np.maximum(np.bincount(cells, minlength=k), 1)
        shares = np.bincount(cells, positive, k) / sizes
        for place, part in enumerate(parts):
            values[place].append(shares[part[:, start]])
            noise[place].append((shares * (1.0 - shares) / sizes)[part[:, start]])
    return [(np.mean(f, axis=0), np.mean(v, axis=0) + np.var(f, axis=0)) for f, v in zip(values, noise)]


def decisions(
    learnt: tuple[Scores, Scores], held_out: tuple[Scores, Scores], positive: NDArray[np.bool_]
) -> dict[str, NDArray[np.bool_]]:
    """What every reading says of the held-out rows."""
    (f, v), (g, w) = learnt, held_out
    spread = max(float(f.var() - v.mean()), 0.0)
    kept = spread / np.maximum(spread + w, 1e-300)
    return {
        HALF: g >= 0.5,
        "lower limit": g - np.sqrt(w) >= 0.5,
        "upper limit": g + np.sqrt(w) >= 0.5,
        "shrunk": positive.mean() + kept * (g - positive.mean()) >= 0.5,
        "two groups": g >= two_groups(f),
        "tuned": g >= most_accurate(f, positive),
    }


def two_groups(values: Scores) -> float:
    """The threshold of least variance within two groups of values (n,): halfway between them."""
    ordered = np.sort(values)
    ends = np.flatnonzero(np.diff(ordered) > 0)
    if not ends.size:
        return float(ordered[0])
    totals, below = np.cumsum(ordered)[ends], ends + 1.0
    above = len(ordered) - below
    best = ends[(totals**2 / below + (ordered.sum() - totals) ** 2 / above).argmax()]
    return float((ordered[best] + ordered[best + 1]) / 2)


def most_accurate(values: Scores, positive: NDArray[np.bool_]) -> float:
    """The threshold of the most training rows right; of several the one closest to 1/2."""
    known = np.unique(values)
    thresholds = np.concatenate([[known[0]], (known[1:] + known[:-1]) / 2, [np.inf]])
    order = np.sort(values[positive]), np.sort(values[~positive])
    right = positive.sum() - np.searchsorted(order[0], thresholds) + np.searchsorted(order[1], thresholds)
    best = thresholds[right == right.max()]
    return float(best[np.abs(best - 0.5).argmin()])


def variance_rows(done: Sequence[tuple[Job, Result]]) -> list[Row]:
    """Figures of every table, changes against "half", and their means over the tables."""
    rows: list[Row] = []
    means: dict[tuple[str, str], list[float]] = {}
    for job, result in done:
        if "missing" in result:
            row = as_row("variance", job["data"], HALF, "ACC", None, (np.nan,) * 3, note=result["missing"])
            rows.append(row | {"verdict": "no data"})
            continue
        for rule, found in result["rules"].items():
            for metric, values in found.items():
                span = fold_interval(values, 1.0 / (FOLDS - 1))
                rows.append(as_row("variance", job["data"], rule, metric, None, span, note=f"{result['n']} rows"))
                if rule != HALF:
                    change = np.array(values) - np.array(result["rules"][HALF][metric])
                    span = fold_interval(change, 1.0 / (FOLDS - 1))
                    rows.append(as_row("against half", job["data"], rule, f"change of {metric}", None, span))
                    means.setdefault((rule, metric), []).append(float(change.mean()))
    for (rule, metric), values in means.items():
        note = f"{len(values)} tables, better on {sum(v > 0 for v in values)}, worse on {sum(v < 0 for v in values)}"
        span = fold_interval(values, 0.0)
        rows.append(as_row("all sets", "all sets", rule, f"change of {metric}", None, span, note=note))
    return rows


STUDY = Study(
    "A threshold by variance on the scores of clusters, against one half, shares",
    variance_jobs, variance_job, variance_rows,
    sets=SETS, quick_sets=("breast_cancer",), known_sets=SETS,
)  # fmt: skip
