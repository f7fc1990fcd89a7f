"""What `partitope suggest-k` does with a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from ...base.checks import whole_number
from ...base.errors import InvalidInputError
from ...base.sizes import parse_share
from ...classifiers import TableCleaner
from ...cluster import suggest_clusters
from ...cluster.suggest import ClusterSuggestion, Progress
from ...cluster.table_encoder import TableEncoder
from ..options import Sizes


def suggest_for_table(
    table: pd.DataFrame,
    tried: list[int],
    sizes: Sizes,
    *,
    cleaner: TableCleaner,
    starts: int,
    splits: int,
    threshold: float,
    seed: int,
    progress: Progress | None,
    tell: Callable[[list[str]], None],
) -> ClusterSuggestion:
    """A number of clusters for the encoded rows of a table. ``tell`` hears of maps."""
    for value, option in [(starts, "--starts"), (splits, "--splits")]:
        whole_number(value, option)
    whole_number(seed, "--seed", 0)
    usable = [k for k in tried if k <= len(table)]
    if not usable:
        raise InvalidInputError(f"--clusters {tried[0]} exceeds the {len(table)} rows: ask for fewer clusters")
    cleaned = cleaner.fit_transform(table)
    encoder = TableEncoder().fit(cleaned)
    tell(encoder.map_remarks())
    return suggest_clusters(
        encoder.transform(cleaned),
        usable,
        lower=sizes.lower,
        upper=sizes.upper,
        balance=None if sizes.balance is None else parse_share(sizes.balance, "--balance"),
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
