"""What size bounds cost on a table: the exact curve, prices, and what clusters still say, for `partitope bounds`.

For every number of clusters k:

    exact       for the sites of the best unbounded least-squares start: the optimum as a function of a common lower
                bound, with every breakpoint, and one-sided prices at one bound
    plane       where it is asked for: the same over both bounds (l, u)
    curve       sites re-optimised along growing bounds from several starts, each run from the sites of the one before,
                so that neighbouring bounds are compared along one path and not across local optima: objective, sizes,
                and with two classes accuracy and AUC of test points by the value of their cell, half_width, the mean
                half-width of the clusters' Wilson intervals, and value_error, the mean |f_i - test share of cluster
                i|, both weighted by size
    suggestion  with two classes: the smallest bound that makes a cluster's value precise
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import Any, Literal

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray

from ...base.checks import class_codes
from ...base.errors import InvalidInputError
from ...base.record import Record
from ...classifiers.cluster_values import ClusterValues
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.assignment import AssignmentModel
from ...solvers import bounds_path, bounds_plane, sensitivity, solve
from ...solvers.assignment.bounds_path import BoundsPath
from ...solvers.assignment.bounds_plane import BoundsPlane
from ...solvers.best_start import seeds_of_starts
from ...solvers.geometric.partitioner import GeometricPartitioner
from ...stats import suggest_bounds
from ...stats.binary import roc_area
from ...stats.cluster_values.precision import BoundSuggestion, value_half_width
from .points import StudiedPoints

Progress = Callable[[int, int, str], None]
"""``progress(done, total, text)``, called after each start."""
MEASURES = {
    "objective": "objective", "accuracy": "accuracy", "auc": "AUC", "half_width": "half-width", "value_error": "error",
    "smallest": "smallest", "largest": "largest",
}  # fmt: skip
"""Measures of the curve, and their headings."""


@dataclass(frozen=True, eq=False)
class BoundsStudy:
    """Everything about one number of clusters."""

    n_clusters: int  # The number k of clusters.
    n_points: int  # Points that are clustered.
    objective: Literal["lsa", "csa"]  # What is optimised.
    path: BoundsPath  # Exact curve for fixed centres.
    priced_at: int  # The common lower bound of ``prices``.
    prices: pd.DataFrame  # One row per cluster.
    curve: pd.DataFrame  # The re-optimised curve: start, lower, those of `MEASURES` that there are, steps.
    plane: BoundsPlane | None  # Plane of both bounds, for the same centres.
    suggestion: BoundSuggestion | None  # With two classes, the smallest lower bound with the requested precision.
    seconds: float  # Wall time in seconds.

    def summary(self) -> pd.DataFrame:
        """Mean and 95 % of starts at every bound: columns (measure, "mean" | "low" | "high"), indexed by lower."""
        groups = self.curve.groupby("lower")[[name for name in MEASURES if name in self.curve]]
        parts = {"mean": groups.mean(), "low": groups.quantile(0.025), "high": groups.quantile(0.975)}
        return pd.concat(parts, axis=1).swaplevel(axis=1).sort_index(axis=1)

    def best(self) -> pd.Series:
        """The objective of the best start at every bound, indexed by lower."""
        groups = self.curve.groupby("lower")["objective"]
        return groups.min() if self.objective == "lsa" else groups.max()


def study_bounds(
    table: StudiedPoints,
    n_clusters: int,
    *,
    objective: Literal["lsa", "csa"] = "lsa",
    starts: int = 20,
    points: int = 21,
    precision: float = 0.05,
    plane: bool = False,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> BoundsStudy:
    """Study a common lower bound from 0 to n/k on one table."""
    started = perf_counter()
    X, held_out = table.X, table.held_out
    if n_clusters > len(X):
        raise InvalidInputError(f"--clusters {n_clusters} exceeds the {len(X)} rows to be clustered: ask for fewer")
    most = len(X) // n_clusters  # different whole bounds, evenly spread
    lowers = np.unique(np.round(np.linspace(0, most, min(points, most + 1))).astype(np.int64))
    seeds = seeds_of_starts(seed, starts)
    measure, suggestion = None, None
    if held_out is not None:
        measure = partial(class_measures, class_codes(held_out.y)[1], held_out.X, held_out.truth)
        suggestion = suggest_bounds(held_out.y, n_clusters, precision)
    walk = partial(walk_one_start, X, n_clusters, lowers, objective, measure)
    frames = []
    for number, rows in enumerate(Parallel(n_jobs, return_as="generator")(delayed(walk)(one) for one in seeds)):
        frames.append(pd.DataFrame(rows).assign(start=number))
        if progress is not None:
            progress(number + 1, starts, f"k = {n_clusters}, start {number + 1}")
    curve = pd.concat(frames, ignore_index=True)
    model = _at_fixed_sites(X, n_clusters, objective, seeds[0], starts)
    path, prices, priced_at = _exact(model)
    both = None
    if plane:
        classes = None if held_out is None else held_out.y
        both = bounds_plane(model, classes, None if len(X) <= 2000 else 0.01)  # all pairs, while they take seconds
    return BoundsStudy(
        n_clusters, len(X), objective, path, priced_at, prices, curve, both, suggestion, perf_counter() - started
    )


def _at_fixed_sites(
    X: NDArray[np.float64], k: int, objective: Literal["lsa", "csa"], seed: int, starts: int
) -> AssignmentModel:
    """The program at the sites of the best unbounded start."""
    free = GeometricPartitioner(k, objective=objective, n_init=min(starts, 5), random_state=seed).fit(X)
    origin = X.mean(axis=0) if objective == "csa" else 0.0
    make = AssignmentModel.csa if objective == "csa" else AssignmentModel.lsa
    return make(X - origin, free.sites_, PartitionPolytope(len(X), n_clusters=k))


def _exact(model: AssignmentModel) -> tuple[BoundsPath, pd.DataFrame, int]:
    n, k = model.polytope.n_points, model.polytope.n_clusters
    path = bounds_path(model, "lower")
    at = int((path.free_until + n / k) / 2)  # the range in which bounds have an effect
    solution = solve(replace(model, polytope=PartitionPolytope(n, at, n_clusters=k)))
    table = sensitivity(solution, bounds=("lower",)).table
    prices = pd.DataFrame({
        "cluster": np.arange(k),
        "size": np.bincount(solution.require_labels(), minlength=k),
        "price": np.asarray(solution.prices) + 0.0,
    })  # fmt: skip
    for side in ("raise", "reduce"):
        part = table[table["side"] == side].sort_values("cluster")
        prices[side] = part["derivative"].to_numpy() + 0.0
        prices[f"{side}_range"] = part["range"].to_numpy()
    return path, prices, at


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
