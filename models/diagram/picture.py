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

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import as_floats, finite_rows, instance_of
from ...base.errors import InvalidInputError
from ...output.style import MAX_POINTS, look
from ..scores.scores import AffineScores

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
    reduced: AffineScores, box: tuple[float, float, float, float], plane: Plane | None = None
) -> list[NDArray[np.float64]]:
    """Cells of a diagram, of which the reduced scores are given, inside a rectangle (left, right, bottom, top), cut by
    a plane unless they are in one: convex polygons (v, 2), counter-clockwise, of no vertices where a cell misses it.
    Exact up to rounding; O(k^2) cuts."""
    left, right, bottom, top = rectangle(box)
    plane = checked_plane(plane, reduced.gradients.shape[1])
    slopes, offsets = reduced.gradients @ plane.basis.T, reduced(plane.point[None, :])[0]
    corners = np.array([[left, bottom], [right, bottom], [right, top], [left, top]])
    polygons = []
    for i in range(len(slopes)):
        polygon = corners
        for j in range(len(slopes)):
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


def rectangle(box: Any) -> tuple[float, float, float, float]:
    """Left, right, bottom and top, checked."""
    sides = as_floats(box, "box")
    if sides.shape != (4,):
        raise InvalidInputError(f"box={box!r} is not a rectangle: pass four numbers (left, right, bottom, top)")
    left, right, bottom, top = sides.tolist()
    if not (left < right and bottom < top):
        raise InvalidInputError(f"box={box} is empty: expected left < right and bottom < top")
    return left, right, bottom, top


def checked_plane(plane: Plane | None, d: int) -> Plane:
    """The plane of a picture of d dimensions; that of the points themselves when these are two and None is given."""
    if plane is None:
        if d != 2:
            raise InvalidInputError(f"the diagram has {d} dimensions, a picture has 2: pass plane=, or X with d > 2")
        plane = Plane(np.zeros(2), np.eye(2))
    instance_of(plane, "plane", Plane)
    if plane.point.shape != (d,) or plane.basis.shape != (2, d):
        raise InvalidInputError(f"plane has {plane.point.size} dimensions, expected those of the sites, {d}")
    return plane


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


def draw_cells(axes: Axes, polygons: list[NDArray[np.float64]]) -> dict[int, NDArray[np.float64]]:
    """Draw cells as polygons (v, 2); the centre of mass of every cell that is seen."""
    from matplotlib.colors import to_rgb
    from matplotlib.patches import Polygon

    for i, polygon in enumerate(polygons):
        if len(polygon):
            tint = tuple(0.82 + 0.18 * channel for channel in to_rgb(look(i)["color"]))
            axes.add_patch(Polygon(polygon, closed=True, facecolor=tint, edgecolor="0.25", linewidth=1.0, zorder=1))
    return {i: _centroid(polygon) for i, polygon in enumerate(polygons) if len(polygon)}


def draw_numbers(axes: Axes, places: Mapping[int, NDArray[np.float64]]) -> None:
    """Write the numbers of cells at their places (2,)."""
    box = {"boxstyle": "circle,pad=0.25", "facecolor": "white", "edgecolor": "0.25", "linewidth": 0.8}
    for i, (x, y) in places.items():
        axes.text(x, y, str(i), ha="center", va="center", fontsize=9, fontweight="bold", zorder=6, bbox=box)


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
