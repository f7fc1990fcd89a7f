"""Two columns of numbers that are a map: they share one scale, so that near rows stay near.

Their names tell: word by word they are equal but for one, which is x in one and y in the other, longitude (lon, lng,
long) and latitude (lat), or easting and northing. ``x_km`` and ``y_km`` are a map, ``x1`` and ``y2`` are none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

LONGITUDES, LATITUDES = ("longitude", "long", "lon", "lng"), ("latitude", "lat")
AXES = {("x", "y"), ("easting", "northing"), *((east, north) for east in LONGITUDES for north in LATITUDES)}


def map_columns(names: Sequence[str]) -> list[tuple[str, str]]:
    """The pairs of names that are a map, what counts to the east first."""
    return [(a, b) for a in names for b in names if _axes(a, b) in AXES]


def one_scale(east: dict[str, Any], north: dict[str, Any]) -> None:
    """Give two columns of numbers, as `TableEncoder` has learnt them, one scale, at which their mean variance is 1."""
    degrees = _axes(east["name"], north["name"])[0] in LONGITUDES
    shorter = np.cos(np.radians(north["mean"])) if degrees and abs(north["mean"]) < 90 else 1.0
    scale = float(np.hypot(shorter * east["scale"], north["scale"]) / np.sqrt(2.0))
    east["scale"], north["scale"] = float(scale / shorter), scale
    east["map"], north["map"] = north["name"], east["name"]


def _axes(a: str, b: str) -> tuple[str, str]:
    """The one word in which two names differ, of each; two empty texts where they do not differ in one word."""
    words = [re.findall(r"[^\W\d_]+|\d+", name.lower()) for name in (a, b)]
    differing = [pair for pair in zip(*words) if pair[0] != pair[1]]
    return differing[0] if len(words[0]) == len(words[1]) and len(differing) == 1 else ("", "")
