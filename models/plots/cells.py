"""Pictures of power diagrams: cells as exact polygons, readable in grey and by colour-blind readers.

A cell is { t : a_i . t + b_i >= a_j . t + b_j for all j } for the affine scores of its diagram, so inside a
rectangle it is the rectangle cut by k - 1 half-planes: a convex polygon, computed here vertex by vertex. In more
than two dimensions the picture shows the section of the cells by a plane x = p + t_1 v_1 + t_2 v_2, on which the
scores are affine again:

    a_i = V g_i,   b_i = score of p,     V = (v_1, v_2) as rows, g_i the gradient of the score

so the section is exact; points off the plane are projected onto it, and may be drawn outside the section of
their own cell. Cells of a diagram with matrices have curved boundaries, which `curved_cells` draws.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import as_floats, checked_labels, finite_rows, instance_of
from ...base.errors import InvalidInputError
from ...output.style import MAX_POINTS, axes_of, look
from ..diagram.power_diagram import PowerDiagram
from .curved_cells import draw_curved_cells

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class Plane:
    """A plane in d dimensions."""

    point: NDArray[np.float64]  # (d,): A point p of the plane.
    basis: NDArray[np.float64]  # (2, d): Orthonormal directions v_1, v_2.

    def project(self, X: ArrayLike) -> NDArray[np.float64]:
        """Coordinates (n, 2) in the plane of the rows of X (n, d); InvalidInputError for any other X."""
        return (finite_rows(X, n_columns=len(self.point)) - self.point) @ self.basis.T


def principal_plane(X: ArrayLike) -> Plane:
    """The plane through the mean of points (n, d) along their first two principal axes, whose largest entries are
    positive."""
    points = as_floats(X, "X")
    if points.ndim != 2 or points.shape[1] < 2:
        raise InvalidInputError(f"X has shape {points.shape}, expected (n_points, d) with d >= 2")
    mean = points.mean(axis=0)
    _, axes = np.linalg.eigh((points - mean).T @ (points - mean))
    basis = axes[:, ::-1][:, :2].T
    signs = np.sign(basis[np.arange(2), np.abs(basis).argmax(axis=1)])
    return Plane(mean, basis * signs[:, None])


def cell_polygons(
    diagram: PowerDiagram, box: tuple[float, float, float, float], plane: Plane | None = None
) -> list[NDArray[np.float64]]:
    """Cells of a diagram inside a rectangle (left, right, bottom, top), cut by a plane unless they are in one: convex
    polygons (v, 2), counter-clockwise, of no vertices where a cell misses it. Exact up to rounding; O(k^2) cuts."""
    left, right, bottom, top = _rectangle(box)
    slopes, offsets = _section(diagram, plane)
    corners = np.array([[left, bottom], [right, bottom], [right, top], [left, top]])
    polygons = []
    for i in range(diagram.n_clusters):
        polygon = corners
        for j in range(diagram.n_clusters):
            slope, offset = slopes[i] - slopes[j], float(offsets[i] - offsets[j])
            if j != i and not (j > i and offset == 0 and not slope.any()):  # twins: the first has the cell
                strict = j < i and offset == 0 and not slope.any()
                polygon = polygon[:0] if strict else cut(polygon, slope, offset)
            if not len(polygon):
                break
        polygons.append(polygon)
    return polygons


def cut(polygon: NDArray[np.float64], slope: NDArray[np.float64], offset: float) -> NDArray[np.float64]:
    """The part of a convex polygon (v, 2) where ``slope . t + offset >= 0`` (Sutherland and Hodgman)."""
    height = polygon @ slope + offset
    if (height >= 0).all():
        return polygon
    kept: list[NDArray[np.float64]] = []
    for a in range(len(polygon)):
        b = (a + 1) % len(polygon)
        if height[a] >= 0:
            kept.append(polygon[a])
        if (height[a] > 0 > height[b]) or (height[a] < 0 < height[b]):
            share = height[a] / (height[a] - height[b])
            kept.append(polygon[a] + share * (polygon[b] - polygon[a]))
    return np.array(kept) if len(kept) > 2 else np.empty((0, 2))


def plot_power_diagram(
    diagram: PowerDiagram,
    ax: Axes | None = None,
    X: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    *,
    plane: Plane | None = None,
    box: tuple[float, float, float, float] | None = None,
    numbers: bool = True,
    sites: bool = False,
    size: float = 12.0,
) -> Axes:
    """Draw the cells of a power diagram, and points in them.

    Parameters
    ----------
    diagram : PowerDiagram
        What to draw. In more than two dimensions its section by ``plane``.
    ax : matplotlib Axes, optional
        Where to draw; the current axes when None.
    X : (n, d) array_like, optional
        Points; at most 3000 of them are drawn, evenly picked.
    labels : (n,) array_like of int, optional
        Clusters of the points: colour and marker. None means the cells that hold them.
    plane : Plane, optional
        The plane of the picture; with X and d > 2 the default is `principal_plane` of X.
    box : (left, right, bottom, top), optional
        The rectangle to show; by default the points, or the sites, and a margin.
    numbers : bool, default True
        Write the number of each cluster into its cell (up to 40 clusters).
    sites : bool, default False
        Mark the sites with crosses: their projections where there is a plane.
    size : float, default 12
        Area of a point's marker.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InvalidInputError
        When X has another dimension than the sites, a label is out of range, or a plane is missing.

    Examples
    --------
    >>> from partitope.models import PowerDiagram
    >>> diagram = PowerDiagram([[0.0, 0.0], [2.0, 0.0]], [0.0, 0.0], kind="lsa")
    >>> ax = diagram.plot(box=(-1, 3, -1, 1))
    """
    instance_of(diagram, "diagram", PowerDiagram)
    axes = axes_of(ax)
    points = None if X is None else _points(diagram, X)
    if plane is None and diagram.sites.shape[1] > 2 and points is not None:
        plane = principal_plane(points)
    _checked_plane(diagram, plane)  # refuses a missing plane before anything is drawn
    flat = None if points is None else (points if plane is None else plane.project(points))
    marks = diagram.sites if plane is None else plane.project(diagram.sites)
    frame = frame_of(marks if flat is None else flat) if box is None else tuple(_rectangle(box))
    if diagram.matrices is None:
        polygons = cell_polygons(diagram, frame, plane)  # type: ignore[arg-type]
        _draw_cells(axes, polygons)
        places = {i: _centroid(polygon) for i, polygon in enumerate(polygons) if len(polygon)}
    else:
        seen = _checked_plane(diagram, plane)
        places = draw_curved_cells(
            axes,
            lambda points: diagram.decision_function(seen.point + points @ seen.basis),
            frame,  # type: ignore[arg-type]
        )
    if points is not None and flat is not None:
        y = diagram.predict(points) if labels is None else checked_labels(labels, len(points), diagram.n_clusters)
        draw_points(axes, flat, y, size)
    if sites:
        axes.scatter(marks[:, 0], marks[:, 1], marker="+", s=90, c="black", linewidths=1.6, zorder=5)
    if numbers and diagram.n_clusters <= 40:
        look = {"boxstyle": "circle,pad=0.25", "facecolor": "white", "edgecolor": "0.25", "linewidth": 0.8}
        for i, (x, y) in places.items():
            axes.text(x, y, str(i), ha="center", va="center", fontsize=9, fontweight="bold", zorder=6, bbox=look)
    show_frame(axes, frame)  # type: ignore[arg-type]
    return axes


def _rectangle(box: Any) -> list[float]:
    """Left, right, bottom and top, checked."""
    sides = as_floats(box, "box")
    if sides.shape != (4,):
        raise InvalidInputError(f"box={box!r} is not a rectangle: pass four numbers (left, right, bottom, top)")
    if not (sides[0] < sides[1] and sides[2] < sides[3]):
        raise InvalidInputError(f"box={box} is empty: expected left < right and bottom < top")
    return sides.tolist()


def _checked_plane(diagram: PowerDiagram, plane: Plane | None) -> Plane:
    """The plane of the picture; that of the diagram itself when it has two dimensions and None is given."""
    instance_of(diagram, "diagram", PowerDiagram)
    d = diagram.sites.shape[1]
    if plane is not None:
        instance_of(plane, "plane", Plane)
    if plane is None:
        if d != 2:
            raise InvalidInputError(f"the diagram has {d} dimensions, a picture has 2: pass plane=, or X with d > 2")
        plane = Plane(np.zeros(2), np.eye(2))
    if plane.point.shape != (d,) or plane.basis.shape != (2, d):
        raise InvalidInputError(f"plane has {plane.point.size} dimensions, expected those of the sites, {d}")
    return plane


def _section(diagram: PowerDiagram, plane: Plane | None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Slopes (k, 2) and offsets (k,) of the scores in the coordinates of the picture."""
    plane = _checked_plane(diagram, plane)
    if diagram.matrices is not None:
        raise InvalidInputError("the diagram has matrices, so its cells are not polygons: use its plot()")
    return diagram.gradients @ plane.basis.T, diagram.decision_function(plane.point[None, :])[0]


def _points(diagram: PowerDiagram, X: ArrayLike) -> NDArray[np.float64]:
    points = finite_rows(X, n_columns=diagram.sites.shape[1])
    if not len(points):
        raise InvalidInputError(f"X has shape {points.shape}: pass at least one point to draw")
    return points


def frame_of(points: NDArray[np.float64]) -> tuple[float, float, float, float]:
    """Smallest rectangle (left, right, bottom, top) of the points (n, 2), with a margin of a twelfth."""
    low, high = points.min(axis=0), points.max(axis=0)
    margin = np.where(high > low, (high - low) / 12, 1.0)
    (left, bottom), (right, top) = low - margin, high + margin
    return float(left), float(right), float(bottom), float(top)


def show_frame(axes: Axes, frame: tuple[float, float, float, float]) -> None:
    """Show this rectangle; both axes in one unit unless it is long and thin."""
    axes.set_xlim(frame[0], frame[1])
    axes.set_ylim(frame[2], frame[3])
    wide, high = frame[1] - frame[0], frame[3] - frame[2]
    if max(wide, high) < 4 * min(wide, high):  # boundaries are drawn perpendicular to the line between their sites
        axes.set_aspect("equal")


def _draw_cells(axes: Axes, polygons: list[NDArray[np.float64]]) -> None:
    from matplotlib.colors import to_rgb
    from matplotlib.patches import Polygon

    for i, polygon in enumerate(polygons):
        if len(polygon):
            tint = tuple(0.82 + 0.18 * channel for channel in to_rgb(look(i)["color"]))
            axes.add_patch(Polygon(polygon, closed=True, facecolor=tint, edgecolor="0.25", linewidth=1.0, zorder=1))


def draw_points(axes: Axes, flat: NDArray[np.float64], labels: NDArray[np.int64], size: float) -> None:
    """Draw points (n, 2), or an even pick of `MAX_POINTS` of them, in the colour and marker of their cluster."""
    step = -(-len(flat) // MAX_POINTS)
    flat, labels = flat[::step], labels[::step]
    for i in np.unique(labels):
        mine = flat[labels == i]
        style = look(int(i))
        axes.scatter(
            mine[:, 0], mine[:, 1], s=size, c=style["color"], marker=style["marker"],
            edgecolors="0.15", linewidths=0.35, alpha=0.9, zorder=3, rasterized=len(flat) > 1500,
        )  # fmt: skip


def _centroid(polygon: NDArray[np.float64]) -> NDArray[np.float64]:
    """Centre of mass of a polygon (v, 2); the mean of its vertices when it has no area."""
    base = polygon[0]
    shifted, ahead = polygon - base, np.roll(polygon, -1, axis=0) - base
    cross = shifted[:, 0] * ahead[:, 1] - shifted[:, 1] * ahead[:, 0]
    if abs(cross.sum()) <= 1e-300:
        return polygon.mean(axis=0)
    return base + ((shifted + ahead) * cross[:, None]).sum(axis=0) / (3.0 * cross.sum())
