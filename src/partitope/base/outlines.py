"""Outlines of areas from GeoJSON: their middles, and which of them are neighbours.

Two areas are neighbours where their outlines run along the same line. They need not have the same vertices: a corner of
one may be within a side of the other, and rounding may leave a gap of ``tolerance``. Corners alone do not count.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .errors import InvalidInputError
from .record import Record
from .sphere import on_earth

Ring = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Outlines:
    """The polygons of areas, in their order."""

    rings: list[list[Ring]]  # The closed rings (v, 2) of every area: counterclockwise, holes clockwise.
    properties: list[Record]  # What is known of every area.
    degrees: bool  # Whether coordinates are longitudes and latitudes.
    tolerance: float = 1e-5  # Width of a gap between neighbours, in the longer side of the map.

    @classmethod
    def of(cls, areas: Any, name: str = "areas") -> Self:
        """Outlines of a FeatureCollection (dict), or of what holds one in ``__geo_interface__`` (GeoDataFrame)."""
        found = getattr(areas, "__geo_interface__", areas)
        features = found.get("features") if isinstance(found, dict) else None
        if not isinstance(features, list) or not features:
            raise InvalidInputError(
                f"{name} holds no features: pass a FeatureCollection of GeoJSON with polygons, or a GeoDataFrame"
            )
        rings = [_rings(feature, place, name) for place, feature in enumerate(features)]
        properties = [dict(feature.get("properties") or {}) for feature in features]
        most = np.abs(np.vstack([ring for own in rings for ring in own])).max(axis=0)
        system = getattr(areas, "crs", None)
        geographic = bool(most[0] <= 360.0 and most[1] <= 90.0) if system is None else bool(system.is_geographic)
        return cls(rings, properties, geographic)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Outlines of a GeoJSON file."""
        try:
            found = json.loads(path.read_text(encoding="utf-8-sig"))
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise InvalidInputError(f"{path} cannot be read as GeoJSON: {reason}") from error
        return cls.of(found, path.name)

    def rows(self, places: Sequence[int]) -> Outlines:
        """Some areas, in a new order."""
        properties = [self.properties[place] for place in places]
        return Outlines([self.rings[place] for place in places], properties, self.degrees)

    @property
    def axes(self) -> tuple[str, str]:
        """What the two coordinates are called."""
        return ("longitude", "latitude") if self.degrees else ("x", "y")

    @cached_property
    def middles(self) -> NDArray[np.float64]:
        """Centroid (n, 2) of every area."""
        found = []
        for rings in self.rings:
            base = rings[0][0]
            sides = np.concatenate([np.hstack([ring[:-1], ring[1:]]) - np.tile(base, 2) for ring in rings])
            cross = sides[:, 0] * sides[:, 3] - sides[:, 1] * sides[:, 2]
            area = max(float(cross.sum()), 1e-300)
            found.append(base + (cross[:, None] * (sides[:, :2] + sides[:, 2:])).sum(axis=0) / (3.0 * area))
        return np.array(found)

    @property
    def points(self) -> NDArray[np.float64]:
        """The middles as points between which distances are true: (n, 3) in kilometres of degrees, else (n, 2)."""
        return on_earth(self.middles[:, 1], self.middles[:, 0]) if self.degrees else self.middles

    @property
    def table(self) -> pd.DataFrame:
        """The properties, one column each, and the middles."""
        frame = pd.DataFrame(self.properties)
        for axis, column in zip(self.axes, self.middles.T):
            if axis not in frame.columns:
                frame[axis] = column.round(6 if self.degrees else 3)
        return frame

    @cached_property
    def shared(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Pairs (m, 2) of neighbours, and their common lines (m, 2, 2) piece by piece."""
        from scipy.spatial import cKDTree

        start = np.vstack([ring[:-1] for rings in self.rings for ring in rings])
        end = np.vstack([ring[1:] for rings in self.rings for ring in rings])
        owner = np.repeat(np.arange(len(self.rings)), [sum(len(r) - 1 for r in rings) for rings in self.rings])
        corners, width = np.unique(start, axis=0), self.tolerance * float(np.ptp(start, axis=0).max())
        length = np.linalg.norm(end - start, axis=1)
        near = cKDTree(corners).query_ball_point((start + end) / 2, length / 2 + width)
        owners: dict[tuple[int, int], set[int]] = {}
        for a, b, long, area, close in zip(start, end, length, owner.tolist(), near):
            if long == 0.0:
                continue
            # a side is cut at all corners that are on it, so that common pieces have the same ends
            some, along = np.array(close), (b - a) / long
            off = (corners[some] - a) @ np.array([-along[1], along[0]])
            some = some[np.abs(off) <= width]
            some = some[np.argsort((corners[some] - a) @ along)]
            for ends in zip(some.tolist(), some[1:].tolist()):
                owners.setdefault((min(ends), max(ends)), set()).add(area)
        found = [(pair, ends) for ends, some in owners.items() if len(some) > 1
                 for pair in zip(sorted(some), sorted(some)[1:])]  # fmt: skip
        pairs = np.array([pair for pair, _ in found], dtype=np.int64).reshape(-1, 2)
        return pairs, corners[np.array([ends for _, ends in found], dtype=np.int64).reshape(-1, 2)]

    @property
    def borders(self) -> NDArray[np.float64]:
        """Neighbours and the length of their common border (e, 3), in kilometres of degrees."""
        pairs, lines = self.shared
        ends = on_earth(lines[..., 1].ravel(), lines[..., 0].ravel()).reshape(-1, 2, 3) if self.degrees else lines
        long = np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1)
        width = self.tolerance * float(np.ptp(ends.reshape(-1, ends.shape[-1]), axis=0).max(initial=0.0))
        edges, place = np.unique(pairs, axis=0, return_inverse=True)
        whole = np.bincount(place.ravel(), long, len(edges))
        return np.column_stack([edges, whole])[whole > width]


def _rings(feature: Any, place: int, name: str) -> list[Ring]:
    """The rings of a polygon, or of several."""
    geometry = (feature.get("geometry") if isinstance(feature, dict) else None) or {}
    kind = geometry.get("type")
    if kind not in ("Polygon", "MultiPolygon"):
        raise InvalidInputError(f"feature {place} of {name} is {kind or 'empty'}, expected a Polygon or a MultiPolygon")
    polygons = geometry["coordinates"] if kind == "MultiPolygon" else [geometry["coordinates"]]
    try:
        rings = [(np.array([point[:2] for point in ring], dtype=np.float64), hole > 0)
                 for polygon in polygons for hole, ring in enumerate(polygon)]  # fmt: skip
        if not rings or any(len(ring) < 4 or ring.shape[1] != 2 or not np.isfinite(ring).all() for ring, _ in rings):
            raise ValueError
    except (TypeError, ValueError, IndexError) as error:
        raise InvalidInputError(
            f"feature {place} of {name} has rings that are not lists of four or more points: mend the file"
        ) from error
    return [ring if (_turn(ring) > 0.0) != hole else ring[::-1] for ring, hole in rings]


def _turn(ring: Ring) -> float:
    """Above zero for a ring that runs counterclockwise."""
    x, y = (ring - ring[0]).T
    return float(x[:-1] @ y[1:] - x[1:] @ y[:-1])
