"""The pictures of a comparison as SVG texts: no colour carries anything that shape, line or hatch does not."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..models.plots.cells import draw_points, frame_of, plot_power_diagram, principal_plane, show_frame
from ..models.plots.look import look
from ..output.style import COLOURS, LINES, WIDTH, as_svg, draw_sizes, make_panels
from .method import settings_of
from .result import Comparison, Row

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
        ax.set(title=row.method.name)
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
            ax.set_title(row.method.name)
        else:
            draw_points(ax, flat, row.partition.labels, size=9)
            show_frame(ax, frame_of(flat))
            ax.set_title(f"{row.method.name} (points only)")
        ax.set(xlabel="1st principal axis", xticks=[], yticks=[])
        ax.spines[["top", "right"]].set_visible(True)
    _label_first(panels, "2nd principal axis")
    return figure


@as_svg
def roc_figure(result: Comparison) -> Figure | None:
    """ROC curves of the out-of-fold scores; the mean of one class against the rest for more than two; None
    without scores."""
    _, codes = np.unique(result.data.y, return_inverse=True)
    curves = [(row, *mean_roc(codes, row.scores)) for row in result.rows if row.scores is not None]
    if not curves:
        return None
    figure, (ax,) = make_panels(1, 4.5, width=WIDTH / 2)
    for number, (row, across, up) in enumerate(curves):
        label = f"{row.method.name}  ({row.auc:.3f})" if math.isfinite(row.auc) else row.method.name
        line = {"color": COLOURS[number % len(COLOURS)], "linestyle": LINES[number % len(LINES)], "linewidth": 1.7}
        mark = {"marker": look(number)["marker"], "markersize": 5, "markeredgecolor": "0.15", "markeredgewidth": 0.4}
        ax.plot(across, up, markevery=(0.03 * number, 0.17), label=label, **line, **mark)
    ax.plot([0, 1], [0, 1], color="0.6", linewidth=0.8)
    ax.set(xlabel="false positive rate", ylabel="true positive rate", aspect="equal")
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01))
    ax.legend(title="method (mean AUC of the folds)", loc="lower right", alignment="left")
    return figure


def mean_roc(codes: NDArray[np.int64], scores: NDArray[np.float64]) -> tuple[NDArray, NDArray]:
    """False and true positive rates: of the second of two classes, or averaged over one class against the rest."""
    from sklearn.metrics import roc_curve

    if scores.shape[1] == 2:
        across, up, _ = roc_curve(codes, scores[:, 1])
        return across, up
    grid = np.linspace(0.0, 1.0, 201)
    curves = [roc_curve(codes == c, scores[:, c])[:2] for c in range(scores.shape[1])]
    mean = np.mean([np.interp(grid, across, up) for across, up in curves], axis=0)
    return np.concatenate([[0.0], grid]), np.concatenate([[0.0], mean])


def bounds_of(row: Row, result: Comparison) -> tuple[NDArray, NDArray]:
    """Bounds under which the method ran, as long as the row's sizes: a strategy may have chosen its own number."""
    assert row.partition is not None
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
    from matplotlib.figure import Figure

    across = _columns(count)
    down = -(-count // across)
    width = WIDTH / max(across, 2)
    figure = Figure(figsize=(width * max(across, 1), height * width / 3.1 * down + 0.3), layout="constrained")
    grid = np.atleast_1d(figure.subplots(down, across, squeeze=False, **options)).ravel()
    for ax in grid[count:]:
        ax.set_axis_off()
    return figure, list(grid[:count])
