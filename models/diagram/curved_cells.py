"""Pictures of cells with curved boundaries: the zero lines of the leads of their reduced scores, on a grid.

    lead_i(t) = s_i(t) - max over j != i of s_j(t),      s_i the reduced score at p + t_1 v_1 + t_2 v_2

Cell i is where lead_i >= 0. Its boundary is interpolated linearly between the points of the grid.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...output.style import look

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_curved_cells(
    axes: Axes, scores_of: Callable[[NDArray[np.float64]], NDArray[np.float64]], box: tuple[float, float, float, float]
) -> dict[int, NDArray[np.float64]]:
    """Draw the cells inside a rectangle (left, right, bottom, top) of a picture, by scores (m, k) of its points (m, 2);
    the middle of every cell that is seen."""
    from matplotlib.colors import to_rgb

    left, right, bottom, top = box
    step = max(right - left, top - bottom) / 319  # 320 points along the longer side
    x = np.linspace(left, right, max(int((right - left) / step), 2))
    y = np.linspace(bottom, top, max(int((top - bottom) / step), 2))
    points, places = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2), {}
    scores = scores_of(points)
    owner, best = scores.argmax(axis=1), scores.max(axis=1)
    second = np.partition(scores, -2, axis=1)[:, -2] if scores.shape[1] > 1 else best - 1.0
    for i in np.unique(owner).tolist():
        lead = (scores[:, i] - np.where(owner == i, second, best)).reshape(y.size, x.size)
        tint = tuple(0.82 + 0.18 * channel for channel in to_rgb(look(i)["color"]))
        axes.contourf(x, y, lead, levels=[0.0, np.inf], colors=[tint], zorder=1)
        axes.contour(x, y, lead, levels=[0.0], colors="0.25", linewidths=1.0, zorder=2)
        inside = points[owner == i]
        places[i] = inside[((inside - inside.mean(axis=0)) ** 2).sum(axis=1).argmin()]
    return places
