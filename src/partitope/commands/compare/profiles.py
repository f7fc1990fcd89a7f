"""The part of the report that reads the clusters of predictive strategies: what is special in each, and its model."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

from ...base.errors import InvalidInputError
from ...classifiers import cluster_profiles
from ...classifiers.profiles.profiles import ClusterProfiles
from ...compare.result import Comparison, Row
from ...output.report import Picture, Section
from ...output.style import as_svg
from ...solvers.predictive.log_likelihoods import LogLikelihoodEmbedding

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def reading(result: Comparison) -> list[Section]:
    """One section for each row whose clusters live in log-likelihoods of the columns."""
    embeddings = [getattr(getattr(row.partition, "cells", None), "embedding", None) for row in result.rows]
    return [_section(row, result) for row, embedding in zip(result.rows, embeddings)
            if isinstance(embedding, LogLikelihoodEmbedding)]  # fmt: skip


def _section(row: Row, result: Comparison) -> Section:
    """What is special in each cluster, in words and in a picture; empty for a table that profiles refuse."""

    @cache
    def profiles() -> ClusterProfiles | None:
        assert row.partition is not None
        with suppress(InvalidInputError):  # columns that the strategy took and the profiles refuse
            k = len(row.partition.sizes)
            return cluster_profiles(result.data.X, result.data.y, row.partition.labels, n_clusters=k)
        return None

    @as_svg
    def draw() -> Figure | None:
        found = profiles()
        return found.plot() if found is not None and found.names else None

    def words() -> list[str]:
        found = profiles()
        return [] if found is None else found.describe()

    caption = (
        f"The clusters of {row.name}, column by column: bars are the shares of the cluster's rows in the "
        f"intervals or groups of values that tell the classes apart best, strokes the shares of all rows. Shown are "
        f"the columns that say most about the cluster, with their mutual information."
    )
    return Section(f"Reading the clusters of {row.name}", remarks=words, pictures=[Picture(draw, caption)])
