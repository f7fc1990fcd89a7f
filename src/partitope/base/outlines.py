"""Outlines of areas from GeoJSON: their middles, and which of them are neighbours.

Two areas are neighbours where their outlines run along the same line. They need not have the same vertices: a corner of
one may be within a side of the other, and rounding may leave a gap of ``tolerance``. Corners alone do not count.
"""

from __future__ import annotations

import gzip
import json
import reprlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
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
    properties: list[Record]  # What is known of every area: the same names for all, None where there is no entry.
    degrees: bool  # Whether coordinates are longitudes and latitudes.
    tolerance: float = 1e-5  # Width of a gap between neighbours, in the longer side of the map.

    @classmethod
    def of(cls, areas: Any, name: str = "areas") -> Self:
        """Outlines of a FeatureCollection (dict), or of what holds one in ``__geo_interface__`` (GeoDataFrame)."""
        if isinstance(areas, pd.Series):
            what, usable = f"{name} is a {type(areas).__name__}", f"{name}.to_frame('geometry')"
            raise InvalidInputError(f"{what}, expected a GeoDataFrame or a FeatureCollection: pass {usable}")
        found = getattr(areas, "__geo_interface__", areas)
        features = found.get("features") if isinstance(found, dict) else None
        if not isinstance(features, list) or not features:
            usable = (
                "json.load of the file" if isinstance(areas, str | Path) else "one with polygons, or a GeoDataFrame"
            )
            raise InvalidInputError(f"{name} is {reprlib.repr(areas)}, expected a FeatureCollection: pass {usable}")
        named = [(f"feature {place} of {name}", feature) for place, feature in enumerate(features)]
        properties = [_properties(feature, what) for what, feature in named]
        names = dict.fromkeys(key for own in properties for key in own)
        rings = [_rings(feature, what) for what, feature in named]
        most = np.abs(np.vstack([ring for own in rings for ring, _ in own])).max(axis=0)
        system = getattr(areas, "crs", None)
        geographic = bool(most[0] <= 360.0 and most[1] <= 90.0) if system is None else bool(system.is_geographic)
        if geographic:
            _without_jump(rings)
        properties = [{key: own.get(key) for key in names} for own in properties]
        return cls([_turned(own, what) for own, (what, _) in zip(rings, named)], properties, geographic)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Outlines of a GeoJSON file, which may be gzipped."""
        try:
            data = path.read_bytes()
            found = json.loads(gzip.decompress(data) if path.suffix.lower() == ".gz" else data)
        except (OSError, EOFError, zlib.error, ValueError, RecursionError) as error:
            raise InvalidInputError(f"{path} cannot be read as GeoJSON: {error}") from error
        return cls.of(found, path.name)

    def rows(self, places: Sequence[int]) -> Outlines:
        """Some areas, in a new order."""
        properties = [self.properties[place] for place in places]
        return replace(self, rings=[self.rings[place] for place in places], properties=properties)

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

        every = [ring for rings in self.rings for ring in rings]
        reach = np.vstack(every)[:, 0]
        if self.degrees and np.ptp(reach) > 180.0 and reach.min() < 0.0:  # rings beyond 180 have neighbours before it
            beyond = [int(ring[:, 0].min() >= 180.0) - int(ring[:, 0].max() <= -180.0) for ring in every]
            every = [ring - (360.0 * turns, 0.0) for ring, turns in zip(every, beyond)]
        start, end = np.vstack([ring[:-1] for ring in every]), np.vstack([ring[1:] for ring in every])
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
                 for pair in combinations(sorted(some), 2)]  # fmt: skip
        pairs = np.array([pair for pair, _ in found], dtype=np.int64).reshape(-1, 2)
        return pairs, corners[np.array([ends for _, ends in found], dtype=np.int64).reshape(-1, 2)]

    @property
    def borders(self) -> NDArray[np.float64]:
        """Neighbours and the length of their common border (e, 3), in kilometres of degrees."""
        pairs, lines = self.shared
        if not len(pairs):
            return np.empty((0, 3))
        ends = on_earth(lines[..., 1].ravel(), lines[..., 0].ravel()).reshape(-1, 2, 3) if self.degrees else lines
        long = np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1)
        width = self.tolerance * float(np.ptp(ends.reshape(-1, ends.shape[-1]), axis=0).max())
        edges, place = np.unique(pairs, axis=0, return_inverse=True)
        whole = np.bincount(place.ravel(), long, len(edges))
        return np.column_stack([edges, whole])[whole > width]


def _properties(feature: Any, what: str) -> Record:
    """The properties of a feature, and its id unless it is among them."""
    own = feature.get("properties") if isinstance(feature, dict) else feature
    if not isinstance(feature, dict) or not isinstance(own or {}, dict):
        raise InvalidInputError(f"{what} holds {reprlib.repr(own)}, expected an object of properties: mend the map")
    return {name: feature[name] for name in ("id",) if name in feature} | (own or {})


def _rings(feature: Record, what: str) -> list[tuple[Ring, bool]]:
    """The rings of a polygon, or of several, closed once, and whether they are holes."""
    geometry: Any = feature.get("geometry")
    kind = geometry.get("type") if isinstance(geometry, dict) else geometry
    if kind not in ("Polygon", "MultiPolygon"):
        raise InvalidInputError(
            f"{what} is {kind or 'empty'}, expected a Polygon or a MultiPolygon: leave it out, or give it a polygon"
        )
    try:
        polygons = geometry["coordinates"] if kind == "MultiPolygon" else [geometry["coordinates"]]
        rings = [(np.array([*(point[:2] for point in ring), ring[0][:2]], dtype=np.float64), hole > 0)
                 for polygon in polygons for hole, ring in enumerate(polygon)]  # fmt: skip
        if not rings or not all(len(r) > 3 and r.shape[1:] == (2,) and (np.abs(r) <= 1e100).all() for r, _ in rings):
            raise ValueError
    except (TypeError, ValueError, LookupError, OverflowError) as error:
        raise InvalidInputError(
            f"{what} has rings that are not lists of three or more points within 1e100: mend them, or leave it out"
        ) from error
    return [(ring[:-1] if (ring[-2] == ring[-1]).all() else ring, hole) for ring, hole in rings]


def _without_jump(rings: list[list[tuple[Ring, bool]]]) -> None:
    """Let longitudes go on beyond 180 degrees where they leave a gap of more than half a turn: those of all areas or,
    on a map of the world, those of one area, on the side with fewer corners."""
    every = [ring for own in rings for ring, _ in own]
    for some in (every, *([ring for ring, _ in own] for own in rings)):
        longitudes = np.concatenate([ring[:, 0] for ring in some])
        known = np.unique(longitudes)
        gaps = np.diff(known, prepend=known[0])
        if gaps.max() > 180.0:
            east = known[gaps.argmax()]
            turn = 360.0 if some is every or 2 * (longitudes < east).sum() <= longitudes.size else -360.0
            for ring in some:
                ring[:, 0] += turn * ((ring[:, 0] < east) == (turn > 0.0))


def _turned(rings: list[tuple[Ring, bool]], what: str) -> list[Ring]:
    """Rings counterclockwise, and holes clockwise; refused where an area is 0."""
    turns = []
    for ring, _ in rings:
        x, y = (ring - ring[0]).T
        turns.append(float(x[:-1] @ y[1:] - x[1:] @ y[:-1]))
    flat = any(abs(turn) <= 1e-12 * np.ptp(ring, axis=0).max() ** 2 for turn, (ring, _) in zip(turns, rings))
    if flat or sum(-abs(turn) if hole else abs(turn) for turn, (_, hole) in zip(turns, rings)) <= 0.0:
        raise InvalidInputError(f"{what} has a ring of area 0, or holes as large as itself: mend it, or leave it out")
    return [ring if (turn > 0.0) != hole else ring[::-1] for turn, (ring, hole) in zip(turns, rings)]
