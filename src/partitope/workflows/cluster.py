"""What `partitope cluster` and `partitope suggest-k` do, as functions of tables."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..base.checks import whole_number
from ..base.errors import BrokenBoundsWarning, InvalidInputError
from ..base.heard import heard
from ..base.sizes import parse_share
from ..classifiers import TableCleaner
from ..cluster import BalancedKMeans, suggest_clusters
from ..cluster.further import Further
from ..cluster.model import ClusterModel
from ..cluster.result import ClusterResult
from ..cluster.suggest import ClusterSuggestion, Progress
from ..cluster.table_encoder import TableEncoder
from ..models.polytope.polytope import PartitionPolytope
from ..solvers import GeometricPartitioner, evenest


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
    starts: int = 10,
    seed: int = 0,
    whole: bool = True,
    prove: float = 0.0,
    progress: Progress | None = None,
) -> ClusterResult:
    """The best of several starts of balanced k-means on the encoded rows of a table. Shapes: table (n, d), bounded
    (n, r), edges (e, 2) of rows in which every cluster is to be connected."""
    whole_number(starts, "--starts")
    whole_number(seed, "--seed", 0)
    n, k, further = len(table), polytope.n_clusters, Further() if further is None else further
    if k > n:
        raise InvalidInputError(f"--clusters {k} exceeds the {n} rows of {name}: ask for at most {n}")
    evenness = None
    if further.taken and bounded is not None:
        polytope = further.on(polytope, bounded)
    if edges is not None:
        polytope = polytope.connected(edges)
    polytope.check()
    if further.even:
        if progress is not None:
            progress(0, starts, f"as even as possible: {', '.join(further.even)}")
        polytope, evenness = evenest(polytope, list(further.even), time_limit=30.0)
    if not whole and polytope.is_discrete:
        raise InvalidInputError(
            "--divided does not go with --together, --apart, --connected, --optional or --most-even, which ask for "
            "whole rows: leave it out"
        )
    estimator = chosen_estimator(polytope, starts, seed, whole, prove)
    stated = None if polytope.is_plain else polytope
    with warnings.catch_warnings():  # the result says it
        warnings.simplefilter("ignore", BrokenBoundsWarning)
        with heard("partitope.solvers.geometric", logging.INFO, told(progress, starts)):
            model, points = ClusterModel.fit(table, estimator, cleaner, stated, further, encoder)
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


def suggest_for_table(
    table: pd.DataFrame,
    tried: list[int],
    lower: str | None = None,
    upper: str | None = None,
    balance: str | None = None,
    *,
    cleaner: TableCleaner | None = None,
    starts: int = 3,
    splits: int = 10,
    threshold: float = 0.8,
    seed: int = 0,
    progress: Progress | None = None,
    tell: Callable[[str], None] | None = None,
) -> ClusterSuggestion:
    """A number of clusters for the encoded rows of a table; bounds as users write them. ``tell`` hears of maps."""
    for value, option in [(starts, "--starts"), (splits, "--splits")]:
        whole_number(value, option)
    whole_number(seed, "--seed", 0)
    usable = [k for k in tried if k <= len(table)]
    if not usable:
        raise InvalidInputError(f"--clusters {tried[0]} exceeds the {len(table)} rows: ask for fewer clusters")
    cleaned = (TableCleaner() if cleaner is None else cleaner).fit_transform(table)
    encoder = TableEncoder().fit(cleaned)
    if tell is not None:
        for line in encoder.map_remarks():
            tell(line)
    return suggest_clusters(
        encoder.transform(cleaned),
        usable,
        lower=lower,
        upper=upper,
        balance=None if balance is None else parse_share(balance, "--balance"),
        n_init=starts,
        n_splits=splits,
        threshold=threshold,
        random_state=seed,
        progress=progress,
    )


def parse_numbers(text: str) -> list[int]:
    """Numbers of clusters from ``"2-10"`` or ``"3,5,8"``."""
    numbers: set[int] = set()
    for part in text.split(","):
        ends: list[Any] = [end.strip() for end in part.split("-")]
        if len(ends) > 2 or not all(end.isdigit() for end in ends) or int(ends[0]) > int(ends[-1]):
            raise InvalidInputError(f"--clusters {text!r} is not usable: write 2-10, or 3,5,8")
        numbers |= set(range(int(ends[0]), int(ends[-1]) + 1))
    if min(numbers) < 2:
        raise InvalidInputError(f"--clusters {text!r} is not usable: try at least 2 clusters")
    return sorted(numbers)
