"""What `partitope cluster` does with a table."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...base.errors import BrokenBoundsWarning, InvalidInputError
from ...base.log_messages import heard
from ...base.outlines import Outlines
from ...base.record import Record
from ...classifiers import TableCleaner
from ...cluster import BalancedKMeans
from ...cluster.further import Further
from ...cluster.model import ClusterModel
from ...cluster.suggest import Progress
from ...cluster.table_encoder import TableEncoder
from ...models.polytope.broken_bounds import BrokenBound
from ...models.polytope.polytope import PartitionPolytope
from ...output.report import Report
from ...solvers import GeometricPartitioner
from ...solvers.global_optimum import cascade
from ..stated import stated
from ..tables import counted_line
from .report import cluster_report
from .result import ClusterResult


@dataclass(frozen=True, eq=False)
class Columns:
    """The columns of a table, by what they are to its clusters."""

    features: pd.DataFrame  # (n, d): Columns to cluster by, and names of rows.
    bounded: pd.DataFrame  # (n, r): Columns with requirements.
    further: Further  # Requirements on these columns.
    cleaner: TableCleaner  # Cleaner of the features.
    encoder: TableEncoder
    counted: Sequence[str]  # Columns taken for names of rows, since their numbers all differ.


@dataclass(frozen=True, eq=False)
class Task:
    """Everything that a search for clusters is told."""

    name: str  # Name of the table.
    columns: Columns
    polytope: PartitionPolytope  # Polytope of the sizes.
    edges: NDArray[np.int64] | None  # (e, 2): Neighbouring rows, where every cluster has to be connected.
    starts: int
    seed: int
    whole: bool  # Whether rows are undivided.
    prove: float  # Seconds for the proof.
    sized: bool  # Whether these sizes were requested.
    unit: str = ""  # Unit of the coordinates as the user wrote it, or nothing.
    outlines: Outlines | None = None  # Outlines of the rows, to be drawn.


@dataclass(frozen=True, eq=False)
class Answer:
    """What a command delivers."""

    report: Report
    clusters: Record  # Columns added to the whole table.
    rows: pd.DataFrame  # Names of rows, and clusters.
    remarks: Sequence[str] = ()  # Remarks on columns.
    model: ClusterModel | None = None
    broken: tuple[BrokenBound, ...] = ()


def cluster_table(task: Task, progress: Progress | None = None) -> Answer:
    """The clusters of a table, as what the command delivers."""
    result = best_clusters(task, progress)
    report = with_names(cluster_report(result), task.columns)
    return Answer(report, result.added, result.named_rows, result.remarks, result.model, result.broken)


def best_clusters(task: Task, progress: Progress | None = None) -> ClusterResult:
    """The best of several starts of balanced k-means on the encoded rows of a table."""
    columns = task.columns
    polytope, evenness, start = stated(task.polytope, columns.further, columns.bounded, task.edges)
    if not task.whole and polytope.is_discrete:
        raise InvalidInputError(
            "--divided does not go with --together, --apart, --connected, --optional or --most-even, which ask for "
            "whole rows: leave it out"
        )
    if task.unit:  # the encoder says whether columns are scaled, long before the search ends
        encoder = columns.encoder.fit(columns.cleaner.fit_transform(columns.features))
        if encoder.geo or encoder.scale_ != "none":
            raise InvalidInputError(f"--unit {task.unit} is for unscaled columns: add --scale none, or leave it out")
    estimator = chosen_estimator(polytope, task.starts, task.seed, task.whole, task.prove)
    with warnings.catch_warnings():  # the result says it
        warnings.simplefilter("ignore", BrokenBoundsWarning)
        tell = told(progress, task.starts)
        with heard("partitope.solvers.geometric", logging.INFO, tell), heard(cascade.__name__, logging.INFO, tell):
            model, points = ClusterModel.fit(
                columns.features, estimator, columns.cleaner, None if polytope.is_plain else polytope, columns.further,
                columns.encoder, start,
            )  # fmt: skip
    remarks = (*model.cleaner_.lines(), *model.encoder.remarks())
    if task.edges is not None:
        remarks += (f"every cluster is connected by the {len(task.edges)} pairs of neighbours given",)
    return ClusterResult(
        task.name, columns.features, model, points, estimator, polytope, remarks, task.seed, columns.bounded, evenness,
        task.unit, task.outlines,
    )  # fmt: skip


def with_names(report: Report, columns: Columns) -> Report:
    """A report that begins with the columns that were taken for ids without being declared."""
    return replace(report, findings=[*counted_line(columns.counted, len(columns.features)), *report.findings])


def told(progress: Progress | None, starts: int) -> Callable[[str], None]:
    """A callback for every finished start."""
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
            raise InvalidInputError("--prove does not go with --divided: it bounds undivided rows only")
        return GeometricPartitioner(k, n_init=starts, random_state=seed, whole=False)
    if not polytope.is_plain:
        return BalancedKMeans(k, n_init=starts, random_state=seed, prove=prove)
    lower = polytope.lower if polytope.lower.any() else None
    upper = polytope.upper if (polytope.upper < n).any() else None
    return BalancedKMeans(k, lower, upper, n_init=starts, random_state=seed, prove=prove)
