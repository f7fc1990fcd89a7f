"""Two columns of numbers that are a map: they share one scale, so that near rows stay near; and places on the sphere.

Their names tell: word by word they are equal but for one, which is x in one and y in the other, longitude (lon, lng,
long) and latitude (lat), or easting and northing. ``x_km`` and ``y_km`` are a map, ``x1`` and ``y2`` are none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..base.columns import as_numbers
from ..base.errors import InvalidInputError
from ..base.record import Record
from ..base.sphere import on_earth

LONGITUDES, LATITUDES = ("longitude", "long", "lon", "lng"), ("latitude", "lat")
AXES = {("x", "y"), ("easting", "northing"), *((east, north) for east in LONGITUDES for north in LATITUDES)}


def map_columns(names: Sequence[str]) -> list[tuple[str, str]]:
    """The pairs of names that are a map, what counts to the east first."""
    return [(a, b) for a in names for b in names if _axes(a, b) in AXES]


def are_degrees(names: Sequence[str]) -> bool:
    """Whether two columns are named like longitude and latitude, in this order."""
    return len(names) == 2 and _axes(*names) in AXES and _axes(*names)[0] in LONGITUDES


def one_scale(east: Record, north: Record) -> None:
    """Give two columns of numbers of a `TableEncoder` one scale, at which their mean variance is 1; ``unit`` divides
    them without scaling: 1, for longitudes the ratio of a degree of latitude to one of longitude."""
    degrees = are_degrees((east["name"], north["name"]))
    shorter = np.cos(np.radians(north["mean"])) if degrees and abs(north["mean"]) < 90 else 1.0
    scale = float(np.hypot(shorter * east["scale"], north["scale"]) / np.sqrt(2.0))
    for column, other, part in ((east, north, float(shorter)), (north, east, 1.0)):
        column.update({"scale": scale / part, "unit": 1.0 / part, "map": other["name"], "degrees": degrees})


def learn_sphere(table: pd.DataFrame, names: Sequence[str], columns: dict[str, Record]) -> list[Record]:
    """Make the columns of latitude and longitude, as `TableEncoder` has learnt them, places on the sphere."""
    if len(names) != 2 or any(name not in columns for name in names):
        raise InvalidInputError(f"--geo {','.join(names)} does not name two columns: write LAT,LON, their names")
    latitude, longitude = _in_order(table, *names)
    kinds = [columns[name]["kind"] for name in names]
    if "category" in kinds or latitude == longitude:
        raise InvalidInputError(f"--geo {','.join(names)}: expected two columns of numbers, latitude and longitude")
    points = encode_sphere(table[latitude], table[longitude], 1.0)
    if np.ptp(points, axis=0).max() == 0.0:
        raise InvalidInputError(f"--geo {','.join(names)}: all rows are at one place: leave --geo out and drop these")
    scale = float(np.sqrt(points.var(axis=0).sum() / 2.0))  # as of a map: the mean variance of two directions is 1
    columns[longitude].clear()
    columns[longitude].update({"name": longitude, "kind": "longitude"})
    columns[latitude].clear()
    columns[latitude].update({"name": latitude, "kind": "sphere", "longitude": longitude, "scale": scale})
    return [columns[latitude]]


def _in_order(table: pd.DataFrame, first: str, second: str) -> tuple[str, str]:
    """Latitude and longitude: as their names say, else as values beyond 90 say, else as they were written."""
    found = [set(_words(name)) for name in (first, second)]
    east = [bool(words & set(LONGITUDES)) - bool(words & set(LATITUDES)) for words in found]
    if east[0] == east[1]:
        degrees = [as_numbers(table[name]) for name in (first, second)]
        east = [0 if column is None else int(np.nanmax(np.abs(column), initial=0.0) > 90.0) for column in degrees]
    return (second, first) if east[0] > east[1] else (first, second)


def encode_sphere(latitude: pd.Series, longitude: pd.Series, scale: float) -> NDArray[np.float64]:
    """Points (n, 3) on the sphere of the earth, in kilometres over ``scale``, of degrees."""
    sides = []
    for column, most in ((latitude, 90.0), (longitude, 360.0)):
        degrees = as_numbers(column)
        if degrees is None or not (np.abs(degrees) <= most).all():
            row = 0 if degrees is None else int(np.flatnonzero(~(np.abs(degrees) <= most))[0])
            raise InvalidInputError(
                f"column {column.name!r} holds {column.iloc[row]!r} in row {row}, expected degrees from {-most:g} to "
                f"{most:g}: mend it, or leave the row out"
            )
        sides.append(degrees)
    return on_earth(*sides) / scale


def on_sphere(points: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Latitudes and longitudes in degrees of points (m, 3), drawn to the sphere from its centre."""
    x, y, z = points.T
    return np.degrees(np.arctan2(z, np.hypot(x, y))), np.degrees(np.arctan2(y, x))


def _axes(a: str, b: str) -> tuple[str, str]:
    """The one word in which two names differ, of each; two empty texts where they do not differ in one word."""
    words = [_words(name) for name in (a, b)]
    differing = [pair for pair in zip(*words) if pair[0] != pair[1]]
    return differing[0] if len(words[0]) == len(words[1]) and len(differing) == 1 else ("", "")


def _words(name: str) -> list[str]:
    """The words and numbers in a name, in small letters."""
    return re.findall(r"[^\W\d_]+|\d+", name.lower())
