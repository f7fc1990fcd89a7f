"""The price of balance on data: what a common lower bound costs, in the objective and in what clusters say.

For one start the sites are re-optimised at every bound l_1 < l_2 < ... and each run starts from the sites of the one
before, so that neighbouring bounds are compared along one path and not across local optima. At each bound:

    objective       of the training points' clustering
    accuracy, auc   of test points by the value of their cell
    half_width      mean half-width of the clusters' Wilson intervals, weighted by size
    value_error     mean |f_i - test share of cluster i|, weighted by size

Points without classes have the objective and the sizes alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...base.record import Record
from ...classifiers.cluster_values import ClusterValues
from ...solvers.geometric.partitioner import GeometricPartitioner
from ...stats.binary import roc_area
from ...stats.cluster_values.precision import value_half_width

MEASURES = {
    "objective": "objective", "accuracy": "accuracy", "auc": "AUC", "half_width": "half-width", "value_error": "error",
    "smallest": "smallest", "largest": "largest",
}  # fmt: skip
"""Measures of the curve, and their headings."""


def walk_one_start(
    points: NDArray[np.float64],
    n_clusters: int,
    lowers: NDArray[np.int64],
    objective: Literal["csa", "lsa"],
    measure: Callable[[GeometricPartitioner], dict[str, float]] | None,
    seed: int,
) -> list[Record]:
    """Rows of the curve's table for one start, a bound of ``lowers`` (m,) each; ``measure`` adds those of classes."""
    rows: list[Record] = []
    init: Any = "k-means++"
    for lower in lowers.tolist():
        partitioner = GeometricPartitioner(
            n_clusters, lower=lower, objective=objective, init=init, random_state=seed
        ).fit(points)
        init = partitioner.sites_
        partition = partitioner.partition_
        rows.append({
            "lower": lower,
            "objective": float(partition.objective),
            **({} if measure is None else measure(partitioner)),
            "smallest": float(partition.sizes.min()),
            "largest": float(partition.sizes.max()),
            "steps": int(partition.n_iter),
        })  # fmt: skip
    return rows


def class_measures(
    codes: NDArray[np.int64], others: NDArray[np.float64], truth: NDArray[np.bool_], partitioner: GeometricPartitioner
) -> dict[str, float]:
    """Accuracy and reliability of cluster values: classes (n,) of the points, test points (m, d), their truth (m,)."""
    partition, k = partitioner.partition_, partitioner.n_clusters
    values = ClusterValues.fit(partition.labels, codes, k).values[:, 1]
    cells = partitioner.predict(others)
    score = values[cells]
    hits = np.bincount(cells, truth, k)
    reached = np.bincount(cells, minlength=k)
    seen = reached > 0
    widths = value_half_width(partition.sizes, values)
    errors = np.abs(values[seen] - hits[seen] / reached[seen])
    full = partition.sizes > 0
    return {
        "accuracy": float(((score >= 0.5) == truth).mean()),
        "auc": roc_area(truth, score),
        "half_width": float(np.average(widths[full], weights=partition.sizes[full])),
        "value_error": float(np.average(errors, weights=reached[seen])),
    }
