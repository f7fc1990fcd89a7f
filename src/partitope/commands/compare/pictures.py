"""Pictures of a comparison: the cells of all methods, and what is special in the clusters of predictive strategies. No
colour carries anything that shape, line or hatch does not."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

from ...base.errors import InvalidInputError
from ...classifiers import cluster_profiles
from ...classifiers.profiles.profiles import ClusterProfiles
from ...compare.result import Comparison, Row
from ...models.diagram.picture import draw_points, frame_of, principal_plane, show_frame
from ...output.report import Picture, Section
from ...output.style import WIDTH, as_svg, make_panels
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


@as_svg
def cells_figure(result: Comparison) -> Figure | None:
    """The section of every power diagram by the plane of the first two principal axes, with the points; None for one
    column."""
    shown, points = [row for row in result.rows if row.partition is not None], result.points
    if points.shape[1] < 2:
        return None
    # three panels in a row, or four where that leaves no panel alone
    across = 4 if len(shown) in (4, 7, 8) else min(len(shown), 3)
    down, width = -(-len(shown) // across), WIDTH / max(across, 2)
    figure, panels = make_panels(across, 0.97 * width * down + 0.3, rows=down, width=width * across)
    for ax in panels[len(shown) :]:
        ax.set_axis_off()
    for ax in panels[::across]:
        ax.set_ylabel("2nd principal axis")
    plane = principal_plane(points)
    flat = plane.project(points)
    for row, ax in zip(shown, panels):
        assert row.partition is not None
        diagram = row.partition.power_diagram
        if diagram is not None and diagram.sites.shape[1] == points.shape[1]:
            diagram.plot(ax, points, row.partition.labels, plane=plane, size=9)
            ax.set_title(row.name)
        else:
            draw_points(ax, flat, row.partition.labels, size=9)
            show_frame(ax, frame_of(flat))
            ax.set_title(f"{row.name} (points only)")
        ax.set(xlabel="1st principal axis", xticks=[], yticks=[])
        ax.spines[["top", "right"]].set_visible(True)
    return figure
