"""What size bounds cost on a table: the exact curve, prices, and what clusters still say, for `partitope bounds`.

For every number of clusters k:

    exact       for the sites of the best unbounded least-squares start: the optimum as a function of a common lower
                bound, with every breakpoint, and one-sided prices at one bound
    plane       where it is asked for: the same over both bounds (l, u)
    curve       sites re-optimised along growing bounds from several starts: objective and sizes, and with two classes
                accuracy, AUC and reliability
    suggestion  with two classes: the smallest bound that makes a cluster's value precise
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import Literal

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray

from ...base.checks import class_codes, whole_number
from ...base.errors import InvalidInputError
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.assignment import AssignmentModel
from ...solvers import bounds_path, bounds_plane, sensitivity, solve
from ...solvers.assignment.bounds_path import BoundsPath
from ...solvers.assignment.bounds_plane import BoundsPlane
from ...solvers.best_start import seeds_of_starts
from ...solvers.geometric.partitioner import GeometricPartitioner
from ...stats import suggest_bounds
from ...stats.cluster_values.precision import BoundSuggestion
from .curve import MEASURES, class_measures, walk_one_start
from .points import StudiedPoints

Progress = Callable[[int, int, str], None]
"""``progress(done, total, text)``, called after each start."""


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
    for name, value, least in [("starts", starts, 1), ("points", points, 2), ("clusters", n_clusters, 1)]:
        whole_number(value, f"--{name}", least)
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
