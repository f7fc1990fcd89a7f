"""The pictures of a comparison as SVG texts: no colour carries anything that shape, line or hatch does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...compare.method import settings_of
from ...compare.result import Comparison, Row
from ...models.plots.cells import draw_points, frame_of, plot_power_diagram, principal_plane, show_frame
from ...output.style import WIDTH, as_svg, draw_sizes, make_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@as_svg
def sizes_figure(result: Comparison) -> Figure:
    """Bars of cluster sizes against the bounds, one panel a method."""
    shown = [row for row in result.rows if row.partition is not None]
    figure, panels = _panels(len(shown), height=2.5, sharey=True)
    top = 0.0
    for row, ax in zip(shown, panels):
        assert row.partition is not None
        sizes = row.partition.sizes
        top = max(top, draw_sizes(ax, sizes, *bounds_of(row, result), len(result.data.y)))
        ax.set(title=row.name)
        ax.set_xticks(range(len(sizes)) if len(sizes) <= 12 else [])
    panels[0].set_ylim(0, 1.08 * top)
    _label_first(panels, "points")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


@as_svg
def cells_figure(result: Comparison) -> Figure | None:
    """The section of every power diagram by the plane of the first two principal axes, with the points; None for one
    column."""
    shown, points = [row for row in result.rows if row.partition is not None], result.points
    if points.shape[1] < 2:
        return None
    figure, panels = _panels(len(shown), height=3.0)
    plane = principal_plane(points)
    flat = plane.project(points)
    for row, ax in zip(shown, panels):
        assert row.partition is not None
        diagram = row.partition.power_diagram
        if diagram is not None and diagram.sites.shape[1] == points.shape[1]:
            plot_power_diagram(diagram, ax, points, row.partition.labels, plane=plane, size=9)
            ax.set_title(row.name)
        else:
            draw_points(ax, flat, row.partition.labels, size=9)
            show_frame(ax, frame_of(flat))
            ax.set_title(f"{row.name} (points only)")
        ax.set(xlabel="1st principal axis", xticks=[], yticks=[])
        ax.spines[["top", "right"]].set_visible(True)
    _label_first(panels, "2nd principal axis")
    return figure


def bounds_of(row: Row, result: Comparison) -> tuple[NDArray, NDArray]:
    """Bounds under which the method ran, as long as the row's sizes: a strategy may have chosen its own number."""
    assert row.partition is not None
    assert row.method is not None
    polytope = settings_of(row.method, result.settings, len(result.data.classes))[0].polytope
    count = len(row.partition.sizes)
    if count == polytope.n_clusters:
        return polytope.lower, polytope.upper
    return np.full(count, polytope.lower.min()), np.full(count, polytope.upper.max())


def _columns(count: int) -> int:
    """Panels in a row: three, or four where that leaves no panel alone."""
    return 4 if count in (4, 7, 8) else min(count, 3)


def _label_first(panels: list[Axes], label: str) -> None:
    """Label the vertical axis of the first panel of every row."""
    for ax in panels[:: _columns(len(panels))]:
        ax.set_ylabel(label)


def _panels(count: int, *, height: float, **options: Any) -> tuple[Figure, list[Axes]]:
    """A figure of ``count`` equal panels, three or four in a row."""
    across = _columns(count)
    down, width = -(-count // across), WIDTH / max(across, 2)
    high = height * width / 3.1 * down + 0.3
    figure, panels = make_panels(across, high, rows=down, width=width * across, **options)
    for ax in panels[count:]:
        ax.set_axis_off()
    return figure, panels[:count]
