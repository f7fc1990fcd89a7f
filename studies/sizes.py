"""What a size bound costs, and what it gives: tables with known classes, bounds of several widths around n/k.

A bound of width b keeps every cluster between (1 - b) n/k and (1 + b) n/k rows, 0 <= b <= 1; "none" is no bound. For
every table, width and one of 5 stratified folds, rows encoded by conditional means learnt on the training rows:

    ACC           accuracy on the rows held out, each in the class that leads in its cluster
    value error   mean over these rows of |share of the leading class in the cluster, trained less held out|
    half-width    mean over the clusters of the half-width of Wilson's interval of that share, as training promises
    stability     adjusted Rand index on the held-out rows of two clusterings, each learnt on half of the training rows
    squares       sum of squares within clusters over that without bounds, less 1
    price         mean over the clusters of |price of its size bound|, in mean squares of a row
    told apart    share of selective tests, at the level .05, that find the means of clusters 0 and 1 different although
                  the same rows made the clusters; on the TESTED first training rows, k-means of one start

and the sizes of the smallest and the largest cluster. The clustering is the best of ``n_starts`` of balanced k-means;
its last step is optimal within the bounds, which `Certificate.verify` recomputes on every one: "verified". k is four
times the number of classes, at most one cluster for MIN_SIZE training rows. Nothing is chosen on held-out rows.

Rows of ``sizes`` are means over folds with intervals for folds; rows of ``against no bound`` are paired differences,
and those of ``all sets`` their means over the sets, with the interval that another draw of sets would give.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from partitope.base.errors import InvalidInputError
from partitope.classifiers import ClusteringClassifier
from partitope.datasets.dataset import Dataset
from partitope.models.polytope.polytope import PartitionPolytope
from partitope.solvers.geometric.partitioner import GeometricPartitioner
from partitope.solvers.geometric.recorded import recorded_k_means
from partitope.stats.cluster_values.precision import value_half_width

from .base.agreement import partition_agreement
from .base.rows import as_row, fold_interval
from .base.study import Job, Result, Row, Study
from .beyond import sample
from .data import TABLES, load_table

SETS = (
    "breast_cancer", "german", "glass", "pima", "segment", "mushroom", "titanic", "titanic2201", "census", "vehicle",
    "waveform", "pendigits", "magic", "creditcard", "diabetes130",
)  # fmt: skip
QUICK_SETS = ("breast_cancer",)
WIDTHS: tuple[float | None, ...] = (None, 1.0, 0.5, 0.25, 0.1, 0.0)
FOLDS, LEVEL = 5, 0.05
CLUSTERS_A_CLASS, MIN_SIZE = 4, 20
MOST_ROWS, TESTED = 5000, 200
SQUARES = "squares"
MEASURES = ("ACC", "value error", "half-width", "stability", "price", "told apart", SQUARES)
PLAIN = ("smallest", "largest", "verified")


def sizes_jobs(
    *, quick: bool = False, random_state: int = 0, n_starts: int = 5, sets: Sequence[str] = SETS
) -> list[dict[str, Any]]:
    """One job a set and width of the bounds.

    Parameters
    ----------
    quick : bool, default False
        One small set, one start, three widths.
    n_starts : int, default 5
        Starts of each clustering.
    sets : sequence of str
        Names that `studies.data.load_dataset` takes, or "waveform", which is drawn.
    """
    widths = WIDTHS[::2] if quick else WIDTHS
    return [
        {"study": "sizes", "data": data, "width": width, "n_starts": 1 if quick else n_starts,
         "random_state": random_state}
        for data in sets for width in widths
    ]  # fmt: skip


def sizes_job(settings: Job, n_jobs: int | None = None) -> dict[str, Any]:
    """Every measure on every fold, as plain values."""
    started, seed, width = perf_counter(), settings["random_state"], settings["width"]
    data = sample(load_table(settings["data"], seed), seed, MOST_ROWS)
    k = n_clusters(len(data.y) * (FOLDS - 1) // FOLDS, len(data.classes))
    found: dict[str, list[float]] = {}
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(data.X, data.y):
        train = np.random.default_rng(seed).permutation(train)
        model = classifier(k, width, settings["n_starts"], seed, n_jobs)
        model.fit(data.X.iloc[train], data.y[train])
        measures = _measures(model, data.X.iloc[test], data.y[test])
        measures["stability"] = _stability(data, train, test, model)
        measures["told apart"] = _told_apart(model.encode(data.X.iloc[train[:TESTED]]), k, width, seed)
        for name, value in measures.items():
            found.setdefault(name, []).append(value)
    return {"n": len(data.y), "k": k, "measures": found, "seconds": perf_counter() - started}


def n_clusters(n: int, classes: int) -> int:
    """k for n training rows."""
    return max(2, min(CLUSTERS_A_CLASS * classes, n // MIN_SIZE))


def classifier(k: int, width: float | None, n_starts: int, seed: int, n_jobs: int | None) -> ClusteringClassifier:
    """Clusters of a width whose leading classes are the prediction, on conditional means."""
    return ClusteringClassifier(
        GeometricPartitioner(k, balance=width, objective="lsa"),
        aggregate="max", n_starts=n_starts, random_state=seed, n_jobs=n_jobs,
    )  # fmt: skip


def _measures(model: ClusteringClassifier, X: pd.DataFrame, y: NDArray[Any]) -> dict[str, float]:
    """What the best start says of held-out rows, and of itself."""
    partition, values = model.partition_, model.cluster_values_[model.best_].values
    inside = model.apply(X)[:, model.best_]
    right = y == model.classes_[values.argmax(axis=1)][inside]
    counts = np.bincount(inside, minlength=len(values))
    kept = np.bincount(inside, right, len(values)) / np.maximum(counts, 1)
    sizes, leading = np.maximum(partition.sizes, 1.0), values.max(axis=1)
    certificate = partition.certificate
    assert certificate is not None, "a geometric clustering of its own labels"
    return {
        "ACC": float(right.mean()),
        "value error": float(np.abs(leading - kept) @ counts / counts.sum()),
        "half-width": float(np.mean(value_half_width(sizes, leading))),
        SQUARES: float(partition.objective),
        "price": float(np.mean(np.abs(certificate.prices)) / partition.objective * sizes.sum()),
        "smallest": float(partition.sizes.min()),
        "largest": float(partition.sizes.max()),
        "verified": float(certificate.verified),
    }


def _stability(data: Dataset, train: NDArray, test: NDArray, model: ClusteringClassifier) -> float:
    """Agreement on the rows of ``test`` of two clusterings, each learnt on every other row of ``train``."""
    labels = []
    for half in (train[::2], train[1::2]):
        fitted = clone(model).fit(data.X.iloc[half], data.y[half])
        labels.append(fitted.apply(data.X.iloc[test])[:, fitted.best_])
    return float(partition_agreement(*labels).adjusted_rand)


def _told_apart(points: NDArray[np.float64], k: int, width: float | None, seed: int) -> float:
    """Whether the selective test rejects, 0 or 1; not a number where the two clusters are too small for it."""
    polytope = PartitionPolytope.asked_for(len(points), k, None, None, width, None)
    path = recorded_k_means(points, k, lower=np.maximum(polytope.lower, 1), upper=polytope.upper, random_state=seed)
    try:
        return float(path.test((0, 1), covariance="spherical").pvalue < LEVEL)
    except InvalidInputError:
        return float("nan")


def sizes_rows(done: Sequence[tuple[Job, Result]]) -> list[Row]:
    """Rows of the sets, of the changes that a bound makes, and of their means over all sets."""
    found = {(job["data"], job["width"]): result for job, result in done}
    rows: list[Row] = []
    means: dict[tuple[float, str], list[float]] = {}
    for (data, width), result in found.items():
        if "missing" in result:
            row = as_row("sizes", data, said(width), "ACC", None, (np.nan,) * 3, note=result["missing"])
            rows.append(row | {"verdict": "no data"})
            continue
        free = found.get((data, None), {}).get("measures")
        measures = _against(result["measures"], free)
        plain = {name: float(np.mean(result["measures"][name])) for name in PLAIN}
        note = f"{result['n']} rows, k = {result['k']}"
        for name in MEASURES if free or width is None else MEASURES[:-1]:
            rows.append(_row("sizes", data, width, name, measures[name], note, result["seconds"]) | plain)
        if free and width is not None:
            for name in MEASURES:
                change = measures[name] - (0.0 if name == SQUARES else np.array(free[name], dtype=np.float64))
                rows.append(_row("against no bound", data, width, f"change of {name}", change))
                means.setdefault((width, name), []).append(float(np.nanmean(change)))
    for (width, name), values in means.items():
        note = f"mean over {len(values)} sets, larger than without bounds on {sum(value > 0 for value in values)}"
        rows.append(_row("all sets", "all sets", width, f"change of {name}", np.array(values), note, ratio=0.0))
    return rows


def _against(measures: Mapping[str, Sequence[float]], free: Mapping[str, Sequence[float]] | None) -> dict[str, NDArray]:
    """Measures (FOLDS,), the sum of squares relative to that without bounds."""
    found = {name: np.array(values, dtype=np.float64) for name, values in measures.items()}
    if free:
        found[SQUARES] = found[SQUARES] / np.array(free[SQUARES]) - 1.0
    return found


def _row(
    table: str, data: str, width: float | None, name: str, values: NDArray, note: str = "", seconds: float = np.nan,
    ratio: float = 1.0 / (FOLDS - 1),
) -> Row:  # fmt: skip
    known = values[np.isfinite(values)]
    span = fold_interval(known, ratio) if len(known) else (np.nan,) * 3
    return as_row(table, data, said(width), name, None, span, seconds, note) | {"width": width}


def said(width: float | None) -> str:
    """A width in words."""
    return "no bound" if width is None else f"within {100 * width:g} %"


STUDY = Study(
    "What a size bound costs and gives: balanced k-means within bounds around n/k, shares",
    sizes_jobs, sizes_job, sizes_rows,
    sets=SETS, quick_sets=QUICK_SETS, known_sets=TABLES,
)  # fmt: skip
