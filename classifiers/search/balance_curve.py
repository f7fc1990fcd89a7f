"""The price of balance on data: what a common lower bound costs, in the objective and in what clusters say.

For one start the sites are re-optimised at every bound l_1 < l_2 < ... and each run starts from the sites of the one
before, so that neighbouring bounds are compared along one path and not across local optima. At each bound:

    objective       of the training points' clustering
    accuracy, auc   of test points by the value of their cell
    half_width      mean half-width of the clusters' Wilson intervals, by size: what is promised
    value_error     mean |f_i - test share of cluster i|, by size: what is kept

Points without classes have the objective and the sizes alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...base.arrays import Record
from ...base.checks import in_interval, whole_number
from ...solvers.geometric.partitioner import GeometricPartitioner
from ...stats.binary import roc_area
from ...stats.cluster_values.precision import value_half_width
from ..cluster_values import ClusterValues

MEASURES = ("objective", "accuracy", "auc", "half_width", "value_error", "smallest", "largest")


@dataclass(frozen=True, eq=False)
class BalanceCurve:
    """Measures along a growing lower bound, from several starts: a local optimum each; `bounds_path` is exact."""

    table: pd.DataFrame  # One row per start and bound: start, lower, the available `MEASURES`, steps.
    objective: Literal["csa", "lsa"]  # What was optimised: a maximum or a minimum.

    def summary(self, confidence: float = 0.95) -> pd.DataFrame:
        """Mean and band over starts at every bound: columns (measure, "mean" | "low" | "high"), indexed by lower."""
        tail = (1.0 - in_interval(confidence, "confidence", 0.0, 1.0, closed=True)) / 2.0
        groups = self.table.groupby("lower")[[name for name in MEASURES if name in self.table]]
        parts = {"mean": groups.mean(), "low": groups.quantile(tail), "high": groups.quantile(1.0 - tail)}
        return pd.concat(parts, axis=1).swaplevel(axis=1).sort_index(axis=1)

    def best(self) -> pd.Series:
        """The objective of the best start at every bound, indexed by lower."""
        groups = self.table.groupby("lower")["objective"]
        return groups.min() if self.objective == "lsa" else groups.max()


def common_lower_bounds(n_points: int, n_clusters: int, number: int = 21) -> NDArray[np.int64]:
    """At most ``number`` different whole lower bounds (m,) from 0 to floor(n / k), evenly spread."""
    most = whole_number(n_points, "n_points", 0) // whole_number(n_clusters, "n_clusters")
    whole_number(number, "number", 0)
    return np.unique(np.round(np.linspace(0, most, min(number, most + 1))).astype(np.int64))


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
