"""A map as one SVG that is part of its page: territories tinted, numbers at the centres, words at every point.

The territory of a point is what is nearer to it than to any other point (its Voronoi cell), in the tint of its cluster;
where two clusters meet there is a line. Pointing anywhere shows what the nearest point says, without a script.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

from .style import MAX_POINTS, MOST_SHOWN, look, shortened

WIDE = 640  # Width of a map in its own units: letters of 13 units are readable on a screen of 390 pixels.


def draw_map(
    points: NDArray[np.float64], labels: NDArray[np.int64], words: Sequence[str], names: tuple[str, str],
    legend: Sequence[str], aspect: float = 1.0, edges: NDArray[np.int64] | None = None,
    before: NDArray[np.int64] | None = None,
) -> str:  # fmt: skip
    """The HTML of a map of points (n, 2) in clusters (n,) with their words; of many points an even pick. ``aspect`` is
    the height of a unit of the second column by the width of one of the first; ``legend`` has a text per cluster; lines
    ``edges`` (e, 2) join points; points with another cluster ``before`` (n,) have a ring in its colour."""
    chosen = slice(None, None, -(-len(points) // MAX_POINTS))
    low, high = points.min(axis=0), points.max(axis=0)
    span = np.maximum(high - low, 1e-300) * (1.0, aspect)
    scale = (WIDE - 40) / max(span[0], span[1] / 1.2)
    tall = int(span[1] * scale) + 40
    flat = np.column_stack([20 + (points[:, 0] - low[0]) * scale, tall - 20 - (points[:, 1] - low[1]) * aspect * scale])
    flat += (0.5 * (WIDE - 40 - span[0] * scale), 0.0)
    shifted = flat[chosen]
    shown, own = np.unique(shifted.round(2), axis=0, return_index=True)
    clusters, earlier = labels[chosen][own], (labels if before is None else before)[chosen][own]
    said = [words[place] for place in np.arange(len(points))[chosen][own]]
    return "".join([
        f'<div class="map"><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {tall}" role="img" '
        f'aria-label="Map of the clusters: {escape(", ".join(legend[:MOST_SHOWN]))}">',
        *_territories(shown, clusters, said),
        *([] if edges is None else [_lines(flat[edges], 'stroke-opacity=".35"')]),
        *(f'<circle cx="{x:g}" cy="{y:g}" r="3" fill="{look(i)["color"]}"{_ring(i, old)}><title>{escape(text)}</title>'
          f"</circle>" for (x, y), i, old, text in zip(shown, clusters, earlier, said)),
        *_numbers(shifted, labels[chosen]),
        "</svg><p>",
        *(f'<span><i style="background:{look(i)["color"]}"></i>{escape(text)}</span>'
          for i, text in enumerate(legend[:MOST_SHOWN])),
        f"</p><p>Across: {escape(_range(names[0], low[0], high[0]))}. Up: {escape(_range(names[1], low[1], high[1]))}. "
        f"Pointing at a place shows its nearest row and what moving it would cost.</p></div>",
    ])  # fmt: skip


def _ring(cluster: int, before: int) -> str:
    return "" if cluster == before else f' style="stroke:{look(before)["color"]};stroke-width:2.5"'


def _range(name: str, low: float, high: float) -> str:
    return f"{shortened(name, 20)} {low:.5g} to {high:.5g}"


def _territories(points: NDArray[np.float64], clusters: NDArray[np.int64], said: Sequence[str]) -> list[str]:
    """Tinted Voronoi cells with their words, and lines between clusters; nothing where all points are on a line."""
    from scipy.spatial import QhullError, Voronoi

    far = 20.0 * WIDE * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])
    try:
        cells = Voronoi(np.vstack([points, points.mean(axis=0) + far]))
    except QhullError:
        return []
    found = []
    for place, (cluster, text) in enumerate(zip(clusters, said)):
        region = cells.regions[cells.point_region[place]]
        if region and -1 not in region:
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in cells.vertices[region])
            tint = f'fill="{look(cluster)["color"]}" fill-opacity=".22"'
            found.append(f'<polygon points="{path}" {tint}><title>{escape(text)}</title></polygon>')
    ends = np.append(clusters, [-1, -1, -1, -1])
    meet = [pair for (a, b), pair in zip(cells.ridge_points, cells.ridge_vertices) if ends[a] != ends[b]
            and min(ends[a], ends[b]) >= 0 and -1 not in pair]  # fmt: skip
    return [*found, _lines(cells.vertices[np.array(meet, dtype=np.int64).reshape(-1, 2)], 'stroke-width="1.3"')]


def _lines(ends: NDArray[np.float64], style: str) -> str:
    """One path of lines (m, 2, 2)."""
    path = "".join("M{:.1f} {:.1f}L{:.1f} {:.1f}".format(*line) for line in ends.reshape(-1, 4))
    return f'<path d="{path}" fill="none" stroke="currentColor" {style}/>'


def _numbers(points: NDArray[np.float64], labels: NDArray[np.int64]) -> list[str]:
    """The number of every cluster at the mean of its points."""
    centres = [(i, points[labels == i].mean(axis=0)) for i in np.unique(labels)]
    return [f'<text x="{x:.1f}" y="{y + 6:.1f}" text-anchor="middle">{i}</text>' for i, (x, y) in centres]
