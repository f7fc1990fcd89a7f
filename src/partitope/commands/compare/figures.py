"""The pictures of a comparison as SVG texts: no colour carries anything that shape, line or hatch does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...compare.result import Comparison
from ...models.diagram.picture import draw_points, frame_of, principal_plane, show_frame
from ...output.style import WIDTH, as_svg, make_panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
