"""What `partitope cluster` does with a table."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from itertools import count

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...base.checks import whole_number
from ...base.errors import BrokenBoundsWarning, InvalidInputError
from ...base.heard import heard
from ...classifiers import TableCleaner
from ...cluster import BalancedKMeans
from ...cluster.further import Further
from ...cluster.model import ClusterModel
from ...cluster.suggest import Progress
from ...cluster.table_encoder import TableEncoder
from ...models.polytope.polytope import PartitionPolytope
from ...solvers import GeometricPartitioner, evenest
from ...solvers.global_optimum import cascade
from ..options import Search
from .result import ClusterResult


def cluster_table(
    table: pd.DataFrame,
    polytope: PartitionPolytope,
    *,
    cleaner: TableCleaner | None = None,
    encoder: TableEncoder | None = None,
    further: Further | None = None,
    bounded: pd.DataFrame | None = None,
    edges: NDArray[np.int64] | None = None,
    name: str = "the table",
    search: Search,
    whole: bool = True,
    prove: float = 0.0,
    progress: Progress | None = None,
) -> ClusterResult:
    """The best of several starts of balanced k-means on the encoded rows of a table. Shapes: table (n, d), bounded
    (n, r), edges (e, 2) of rows in which every cluster is to be connected."""
    starts, seed = whole_number(search.starts, "--starts"), whole_number(search.seed, "--seed", 0)
    n, k, further = len(table), polytope.n_clusters, Further() if further is None else further
    if k > n:
        raise InvalidInputError(f"--clusters {k} exceeds the {n} rows of {name}: ask for at most {n}")
    evenness, start = None, None
    if further.taken and bounded is not None:
        polytope = further.on(polytope, bounded)
    if edges is not None:
        polytope = polytope.connected(edges)
    polytope.check()
    if further.even:
        if progress is not None:
            progress(0, starts, f"as even as possible: {', '.join(further.even)}")
        polytope, evenness, start = evenest(polytope, list(further.even), time_limit=30.0)
    if not whole and polytope.is_discrete:
        raise InvalidInputError(
            "--divided does not go with --together, --apart, --connected, --optional or --most-even, which ask for "
            "whole rows: leave it out"
        )
    estimator = chosen_estimator(polytope, starts, seed, whole, prove)
    stated = None if polytope.is_plain else polytope
    with warnings.catch_warnings():  # the result says it
        warnings.simplefilter("ignore", BrokenBoundsWarning)
        tell = told(progress, starts)
        with heard("partitope.solvers.geometric", logging.INFO, tell), heard(cascade.__name__, logging.INFO, tell):
            model, points = ClusterModel.fit(table, estimator, cleaner, stated, further, encoder, start)
    remarks = (*model.cleaner_.lines(), *model.encoder.remarks())
    if polytope.connection is not None:
        remarks += (f"every cluster is connected by the {len(polytope.connection.edges)} edges between rows",)
    return ClusterResult(name, table, model, points, estimator, polytope, remarks, seed, bounded, evenness)


def told(progress: Progress | None, starts: int) -> Callable[[str], None]:
    """What hears of every start that is done."""
    done = count(1)

    def tell(message: str) -> None:
        if progress is not None:
            progress(min(next(done), starts), starts, message)

    return tell


def chosen_estimator(
    polytope: PartitionPolytope, starts: int, seed: int, whole: bool, prove: float = 0.0
) -> BalancedKMeans | GeometricPartitioner:
    """K-means within the bounds, in whole points or not."""
    n, k = polytope.n_points, polytope.n_clusters
    if not whole and not polytope.is_plain:
        if prove:
            raise InvalidInputError("--prove does not go with --divided: what it bounds is whole rows")
        return GeometricPartitioner(k, n_init=starts, random_state=seed, whole=False)
    if not polytope.is_plain:
        return BalancedKMeans(k, n_init=starts, random_state=seed, prove=prove)
    lower = polytope.lower if polytope.lower.any() else None
    upper = polytope.upper if (polytope.upper < n).any() else None
    return BalancedKMeans(k, lower, upper, n_init=starts, random_state=seed, prove=prove)
