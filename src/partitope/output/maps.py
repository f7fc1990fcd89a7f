"""Maps as SVG that is part of its page: areas tinted, numbers at the middles, words at every place, without a script.

The area of a point is its outline where there is one, else what is nearer to it than to any other point (its Voronoi
cell). It has the tint of its cluster; where two clusters meet there is a line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .style import MAX_POINTS, MOST_SHOWN, look, shortened

if TYPE_CHECKING:
    from ..base.outlines import Outlines

WIDE = 640  # Width of a map in its own units: letters of 13 units are readable on a screen of 390 pixels.


Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Hubs = tuple[Floats, Sequence[str]]
"""A place (k, 2) on the map for every cluster, and its name."""


@dataclass(frozen=True, eq=False)
class Ground:
    """Points on a map, with the areas around them."""

    axes: str  # What is to be read across and up, with ranges.
    tall: int  # Height of the map in its own units.
    places: Floats  # (n, 2): Points on the map.
    shown: Ints  # (m,): Points that are drawn; of many an even pick, of equal ones the first.
    cells: list[str]  # (m,): Areas as paths, empty where there are none.
    pairs: Ints  # (b, 2): Neighbours among the points.
    lines: Floats  # (b, 2, 2): Their common borders.
    outlined: bool  # Whether areas are outlines.

    @classmethod
    def of(cls, points: Floats, names: Sequence[str], degrees: bool, outlines: Outlines | None = None) -> Ground:
        """The ground of points (n, 2) in two columns of these names. Of ``degrees``, those of longitude are drawn as
        long as they are at the mean latitude."""
        every = points if outlines is None else np.vstack([ring for rings in outlines.rings for ring in rings])
        low, high = every.min(axis=0), every.max(axis=0)
        aspect = 1.0 / max(np.cos(np.radians(points[:, 1].mean())), 0.05) if degrees else 1.0
        span = np.maximum(high - low, 1e-300) * (1.0, aspect)
        scale = (WIDE - 40) / max(span[0], span[1] / 1.2)
        tall, left = int(span[1] * scale) + 40, 0.5 * (WIDE - span[0] * scale)

        def put(xy: Floats) -> Floats:
            x, y = np.moveaxis((xy - low) * (scale, scale * aspect), -1, 0)
            return np.stack([left + x, tall - 20 - y], axis=-1)

        ranges = [f"{shortened(name, 20)} {a:.5g} to {b:.5g}" for name, a, b in zip(names, low, high)]
        axes, places = f"Across: {ranges[0]}. Up: {ranges[1]}.", put(points)
        if outlines is not None:
            cells = ["".join(_path(put(ring), closed=True) for ring in rings) for rings in outlines.rings]
            pairs, lines = outlines.shared
            return cls(axes, tall, places, np.arange(len(points)), cells, pairs, put(lines), True)
        chosen = np.arange(0, len(points), -(-len(points) // MAX_POINTS))
        corners, own = np.unique(places[chosen].round(2), axis=0, return_index=True)
        cells, pairs, lines = _voronoi(corners)
        return cls(axes, tall, places, chosen[own], cells, chosen[own][pairs], lines, False)

    def svg(self, labels: Ints, name: str, said: Sequence[str] = (), more: Sequence[str] = ()) -> str:
        """The map of clusters (n,), with words for every point that is drawn, and more elements under the numbers."""
        words = [f"<title>{escape(said[j])}</title>" if said else "" for j in self.shown]
        meet = self.lines[labels[self.pairs[:, 0]] != labels[self.pairs[:, 1]]]
        tint = 4 if self.outlined else 22
        border = ' stroke="currentColor" stroke-opacity=".25" stroke-width=".7"' if self.outlined else ""
        return "".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {self.tall}" role="img" '
            f'aria-label="{escape(name)}">',
            *(f'<path d="{cell}" fill="{_colour(labels[j])}" fill-opacity=".{tint}"{border}>{text}</path>'
              for j, cell, text in zip(self.shown, self.cells, words) if cell),
            f'<path d="{"".join(map(_path, meet))}" fill="none" stroke="currentColor" stroke-width="1.6"/>',
            *more,
            "</svg>",
        ])  # fmt: skip


def draw_map(
    ground: Ground, labels: Ints, words: Sequence[str], legend: Sequence[str], edges: Ints | None = None,
    before: Ints | None = None, hubs: Hubs | None = None,
) -> str:  # fmt: skip
    """The HTML of a map of points in clusters (n,) with their words; ``legend`` has a text per cluster. Lines ``edges``
    (e, 2) join points; points with another cluster ``before`` (n,) have a ring in its colour; from ``hubs`` lines lead
    to the points."""
    places, earlier = ground.places, labels if before is None else before
    joined = [] if edges is None or ground.outlined else [places[edges]]
    joined += [] if hubs is None else [np.stack([places, hubs[0][labels]], axis=1)]
    ringed = ground.shown if not ground.outlined else np.flatnonzero(earlier != labels)
    circles = [
        f'<circle cx="{places[j, 0]:.2f}" cy="{places[j, 1]:.2f}" r="3" fill="{_colour(labels[j])}"'
        f"{'' if labels[j] == earlier[j] else _ring(earlier[j])}><title>{escape(words[j])}</title></circle>"
        for j in ringed
    ]
    lines = [f'<path d="{"".join(map(_path, ends))}" fill="none" stroke="currentColor" stroke-opacity=".35"/>'
             for ends in joined]  # fmt: skip
    name = f"Map of the clusters: {', '.join(legend[:MOST_SHOWN])}"
    keys = (f'<span><i style="background:{_colour(i)}"></i>{escape(text)}</span>' for i, text in enumerate(legend))
    return "".join([
        '<div class="map">', ground.svg(labels, name, words, [*lines, *circles, *_numbers(ground, labels, hubs)]),
        "<p>", *list(keys)[:MOST_SHOWN],
        f"</p><p>{escape(ground.axes)} Pointing at a place shows what is known of its nearest row.</p></div>",
    ])  # fmt: skip


def two_maps(ground: Ground, before: Ints, after: Ints, texts: tuple[str, str]) -> str:
    """The HTML of two maps next to each other, or one below the other where the screen is narrow."""
    drawn = (f"<div>{ground.svg(labels, text, (), _numbers(ground, labels))}<p>{escape(text)}</p></div>"
             for labels, text in zip((before, after), texts))  # fmt: skip
    return f'<div class="map"><div class="two">{"".join(drawn)}</div></div>'


def _colour(cluster: int) -> str:
    return str(look(int(cluster))["color"])


def _ring(cluster: int) -> str:
    return f' style="stroke:{_colour(cluster)};stroke-width:2.5"'


def _path(ends: Floats, closed: bool = False) -> str:
    """A line (v, 2) as part of a path; that of a polygon ends where it began."""
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in ends[: len(ends) - closed]) + "Z" * closed


def _voronoi(points: Floats) -> tuple[list[str], Ints, Floats]:
    """The cells of points (m, 2) as paths, pairs of neighbours (b, 2) and their common borders (b, 2, 2); nothing where
    all points are on a line."""
    from scipy.spatial import QhullError, Voronoi

    far = 20.0 * WIDE * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])
    try:
        found = Voronoi(np.vstack([points, points.mean(axis=0) + far]))
    except QhullError:
        return [""] * len(points), np.empty((0, 2), dtype=np.int64), np.empty((0, 2, 2))
    regions = [found.regions[place] for place in found.point_region[: len(points)]]
    cells = [_path(found.vertices[region + region[:1]], closed=True) if region and -1 not in region else ""
             for region in regions]  # fmt: skip
    ends = np.array(found.ridge_vertices)
    inner = (found.ridge_points < len(points)).all(axis=1) & (ends >= 0).all(axis=1)
    return cells, found.ridge_points[inner].astype(np.int64), found.vertices[ends[inner]]


def _numbers(ground: Ground, labels: Ints, hubs: Hubs | None = None) -> list[str]:
    """The number of every cluster at the mean of its points, or its name at its hub."""
    used, marks = np.unique(labels), []
    if hubs is None:
        named = [(str(i), *ground.places[labels == i].mean(axis=0)) for i in used]
        named = [(text, x, y + 6) for text, x, y in named]
    else:
        named = [(shortened(hubs[1][i], 16), *hubs[0][i]) for i in used]
        marks = [f'<rect x="{x - 6:.1f}" y="{y - 6:.1f}" width="12" height="12"/>' for _, x, y in named]
        named = [(text, x, y - 11) for text, x, y in named]
    return [
        *marks,
        *(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle">{escape(text)}</text>' for text, x, y in named),
    ]
