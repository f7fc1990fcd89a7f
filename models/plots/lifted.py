"""The lifted picture: a power diagram as the lower envelope of paraboloids, or the upper envelope of planes.

Along a line x(t) the cells of a diagram are where one curve is extreme:

    LSA   lowest of    |x - a_i|^2 + mu_i        a price lifts the paraboloid of its site
    CSA   highest of   a_i . (x - c) - mu_i      a price lowers the plane of its site
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import as_floats, checked_labels, finite_rows, instance_of
from ...base.errors import InvalidInputError
from ...output.style import axes_of, look
from ..diagram.power_diagram import PowerDiagram

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def lifted_heights(diagram: PowerDiagram, points: ArrayLike) -> NDArray[np.float64]:
    """Heights (m, k) of the surfaces of all sites over points (m, d), prices included."""
    X = np.asarray(points, dtype=np.float64)
    reduced = diagram.decision_function(X)
    if diagram.kind == "csa":
        return reduced
    if diagram.matrices is not None:
        return -reduced
    return ((X - diagram.origin) ** 2).sum(axis=1)[:, None] - reduced


def plot_lifted(
    diagram: PowerDiagram,
    ax: Axes | None = None,
    *,
    start: ArrayLike,
    end: ArrayLike,
    X: ArrayLike | None = None,
    labels: ArrayLike | None = None,
) -> Axes:
    """Draw the surfaces of all sites above the line from ``start`` to ``end`` (d,), and their envelope.

    Points X (n, d), in the colours of ``labels`` or of their cells, are marked below the line.
    The horizontal axis is the distance from ``start``; dashed curves are the surfaces at price zero.
    """
    instance_of(diagram, "diagram", PowerDiagram)
    a, b = as_floats(start, "start"), as_floats(end, "end")
    d = diagram.sites.shape[1]
    length = float(np.linalg.norm(b - a)) if a.shape == b.shape == (d,) else 0.0
    if length == 0:
        raise InvalidInputError(f"start and end must be two different points of dimension {d}")
    axes = axes_of(ax)
    t = np.linspace(0.0, length, 400)
    line = a + t[:, None] * (b - a) / length
    heights = lifted_heights(diagram, line)
    unpriced = np.zeros(diagram.n_clusters), diagram.kind, diagram.origin, diagram.matrices
    at_zero = lifted_heights(PowerDiagram(diagram.sites, *unpriced), line)
    lowest = diagram.kind == "lsa"
    envelope = heights.min(axis=1) if lowest else heights.max(axis=1)
    span = float(np.ptp(envelope)) or 1.0
    for i in range(diagram.n_clusters):
        colour = look(i)["color"]
        axes.plot(t, at_zero[:, i], color=colour, linewidth=1.0, linestyle=(0, (2, 3)), zorder=2)
        axes.plot(t, heights[:, i], color=colour, linewidth=1.8, zorder=3, label=f"site {i}")
    axes.plot(t, envelope, color="black", linewidth=3.2, zorder=4, label="envelope")
    bottom = envelope.min() - 0.2 * span - (0.0 if lowest else 0.6 * span)
    axes.set_ylim(bottom, envelope.max() + (0.8 if lowest else 0.2) * span)
    axes.set_xlim(0.0, length)
    winner = heights.argmin(axis=1) if lowest else heights.argmax(axis=1)
    # the cells on the line, and the points at their nearest places on it
    for first, last in pairwise([0, *np.flatnonzero(np.diff(winner)) + 1, len(t)]):
        colour = look(int(winner[first]))["color"]
        axes.axvspan(t[first], t[min(last, len(t) - 1)], color=colour, alpha=0.13, linewidth=0, zorder=1)
    if X is not None:
        points = finite_rows(X, n_columns=d)
        y = diagram.predict(points) if labels is None else checked_labels(labels, len(points), diagram.n_clusters)
        feet = (points - a) @ (b - a) / length
        for i in np.unique(y):
            style, mine = look(int(i)), feet[y == i]
            axes.scatter(
                mine, np.full(mine.size, bottom + 0.1 * span), s=22, c=style["color"], marker=style["marker"],
                edgecolors="0.15", linewidths=0.4, zorder=5,
            )  # fmt: skip
    return axes
