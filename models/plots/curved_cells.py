"""Pictures of cells with curved walls: the zero lines of the margins of their reduced scores, on a grid.

    lead_i(t) = s_i(t) - max over j != i of s_j(t),      s_i the reduced score at p + t_1 v_1 + t_2 v_2

Cell i is where lead_i >= 0. Its wall is interpolated linearly between the points of a grid, and drawn only in the
window of the grid that the cell meets.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..scores.scores import AffineScores
from .look import look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..diagram.power_diagram import PowerDiagram
    from .cells import Plane


def draw_curved_cells(
    axes: Axes, diagram: PowerDiagram, box: tuple[float, float, float, float], plane: Plane | None = None
) -> dict[int, NDArray[np.float64]]:
    """Draw the cells inside a rectangle (left, right, bottom, top) of the picture; O(k) scores a point of the grid."""
    from matplotlib.colors import to_rgb

    left, right, bottom, top = box
    step = max(right - left, top - bottom) / 479  # 480 points along the longer side
    x = np.linspace(left, right, max(int((right - left) / step), 2))
    y = np.linspace(bottom, top, max(int((top - bottom) / step), 2))
    points = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    space = points if plane is None else plane.point + points @ plane.basis
    best, second, arg = _largest_two(diagram, space)
    reduced = diagram.scores.less(diagram.prices)
    owner, places = arg.reshape(y.size, x.size), {}
    for i in np.unique(arg):
        rows, columns = np.nonzero(owner == i)
        window = np.ix_(
            np.arange(max(rows.min() - 1, 0), min(rows.max() + 2, y.size)),
            np.arange(max(columns.min() - 1, 0), min(columns.max() + 2, x.size)),
        )
        at = np.arange(len(points)).reshape(y.size, x.size)[window].ravel()
        own = _of_one(reduced, int(i))(space[at])[:, 0]
        margin = np.where(arg[at] == i, own - second[at], own - best[at]).reshape(window[0].size, window[1].size)
        inside = points[arg == i]
        places[int(i)] = inside[((inside - inside.mean(axis=0)) ** 2).sum(axis=1).argmin()]
        if min(margin.shape) > 1:
            tint = tuple(0.82 + 0.18 * channel for channel in to_rgb(look(int(i))["color"]))
            across, up = x[window[1].ravel()], y[window[0].ravel()]
            axes.contourf(across, up, margin, levels=[0.0, np.inf], colors=[tint], zorder=1)
            axes.contour(across, up, margin, levels=[0.0], colors="0.25", linewidths=1.0, zorder=2)
    return places


def _of_one(functions: AffineScores, i: int) -> AffineScores:
    """One of k score functions."""
    return replace(functions, gradients=functions.gradients[i : i + 1], offsets=functions.offsets[i : i + 1])


def _largest_two(
    diagram: PowerDiagram, points: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Largest and second largest reduced score (m,) of points (m, d), and the cell of the largest."""
    best, second, arg = np.empty(len(points)), np.full(len(points), -np.inf), np.empty(len(points), dtype=np.int64)
    rows = max((1 << 22) // diagram.n_clusters, 1)  # 32 MiB of scores at a time
    for start in range(0, len(points), rows):
        part = slice(start, start + rows)
        scores = diagram.decision_function(points[part])
        arg[part] = scores.argmax(axis=1)
        everyone = np.arange(len(scores))
        best[part] = scores[everyone, arg[part]]
        scores[everyone, arg[part]] = -np.inf
        second[part] = scores.max(axis=1)
    return best, second, arg
