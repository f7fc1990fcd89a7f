"""What `partitope cluster` and `partitope suggest-k` do, as functions of tables."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pandas as pd

from ..base.checks import whole_number
from ..base.errors import BrokenBoundsWarning, InvalidInputError
from ..base.sizes import parse_share
from ..classifiers import TableCleaner
from ..cluster import BalancedKMeans, suggest_clusters
from ..cluster.further import Further
from ..cluster.model import ClusterModel
from ..cluster.result import ClusterResult
from ..cluster.suggest import ClusterSuggestion, Progress
from ..cluster.table_encoder import TableEncoder
from ..models.polytope.polytope import PartitionPolytope


def cluster_table(
    table: pd.DataFrame,
    polytope: PartitionPolytope,
    *,
    cleaner: TableCleaner | None = None,
    further: Further | None = None,
    bounded: pd.DataFrame | None = None,
    name: str = "the table",
    starts: int = 10,
    seed: int = 0,
) -> ClusterResult:
    """The best of several starts of balanced k-means on the encoded rows of a table. Shapes: table (n, d), bounded
    (n, r)."""
    whole_number(starts, "--starts")
    whole_number(seed, "--seed", 0)
    n, k = len(table), polytope.n_clusters
    if k > n:
        raise InvalidInputError(f"--clusters {k} exceeds the {n} rows of {name}: ask for at most {n}")
    estimator = BalancedKMeans(k, n_init=starts, random_state=seed)
    if further is not None and further.taken and bounded is not None:
        polytope = further.on(polytope, bounded)
        polytope.check()
        with warnings.catch_warnings():  # the result says it
            warnings.simplefilter("ignore", BrokenBoundsWarning)
            model, points = ClusterModel.fit(table, estimator, cleaner, polytope, further)
    else:
        polytope.check()
        bounds = (
            polytope.lower if polytope.lower.any() else None,
            polytope.upper if (polytope.upper < n).any() else None,
        )
        estimator.set_params(lower=bounds[0], upper=bounds[1])
        model, points = ClusterModel.fit(table, estimator, cleaner)
    remarks = (*model.cleaner_.lines(), *model.encoder.remarks())
    return ClusterResult(name, table, model, points, estimator, polytope, remarks, seed, bounded)


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
    samples: int = 10,
    threshold: float = 0.8,
    seed: int = 0,
    progress: Progress | None = None,
    tell: Callable[[str], None] | None = None,
) -> ClusterSuggestion:
    """A number of clusters for the encoded rows of a table; bounds as users write them. ``tell`` hears of maps."""
    for value, option in [(starts, "--starts"), (splits, "--splits"), (samples, "--samples")]:
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
        n_samples=samples,
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
