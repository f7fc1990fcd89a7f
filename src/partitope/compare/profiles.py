"""The part of the report that reads the clusters of predictive strategies: what stands out in each, and its model."""

from __future__ import annotations

from html import escape

from ..base.errors import InvalidInputError
from ..classifiers import ClusterProfiles, cluster_profiles
from ..output.style import svg_text
from ..solvers.predictive.log_likelihoods import LogLikelihoodEmbedding
from .result import Comparison, Row


def read_rows(result: Comparison) -> list[tuple[Row, ClusterProfiles]]:
    """Profiles of the rows whose clusters live in the log-likelihoods of the columns, in table order.

    A table that has none is left out.
    """
    found = []
    for row in result.rows:
        cells = None if row.partition is None else row.partition.cells
        if row.partition is not None and cells is not None and isinstance(cells.embedding, LogLikelihoodEmbedding):
            labels, k = row.partition.labels, len(row.partition.sizes)
            try:
                found.append((row, cluster_profiles(result.data.X, result.data.y, labels, n_clusters=k)))
            except InvalidInputError:  # columns that the strategy took and the profiles refuse
                continue
    return found


def profile_figure(profiles: ClusterProfiles) -> str | None:
    """The picture of the profiles as SVG; None when no column has more than one part."""
    return svg_text(profiles.plot()) if profiles.names else None


def profile_caption(row: Row) -> str:
    """Caption of `profile_figure`."""
    return (
        f"The clusters of {row.method.name}, column by column: bars are the shares of the cluster's rows in the "
        f"intervals or groups of values that tell the classes apart best, strokes the shares of all rows. Shown are "
        f"the columns that say most about the cluster, with their mutual information."
    )


def profile_words(profiles: ClusterProfiles) -> str:
    """What stands out in each cluster, as an HTML list."""
    return f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in profiles.describe())}</ul>"
