"""Published graphs of areas with their populations, from the folder ``regions`` of the data home."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from partitope.base.errors import InvalidInputError
from partitope.datasets.raw_files import RawFile, read_raw


@dataclass(frozen=True, eq=False)
class TerritoryInstance:
    """Areas and which of them are neighbours.

    Attributes
    ----------
    name : str
        Name of the instance.
    areas : (n, c) DataFrame
        Names, populations, coordinates and attributes, as published.
    edges : (e, 2) ndarray of int
        Neighbours, as row numbers of ``areas``.
    distances : (n, n) ndarray or None
        Kilometres between centroids on the WGS84 ellipsoid; of counties only.
    records : DataFrame
        What is published for the instance, such as clusters ``k``, bounds ``L`` and ``U``, and optima; empty for none.
    """

    name: str
    areas: pd.DataFrame
    edges: NDArray[np.int64]
    distances: NDArray[np.float64] | None
    records: pd.DataFrame


def load_territory(name: str) -> TerritoryInstance:
    """Counties of a state and a census, such as "IA2010" and "OK2020", "fl25", or areas such as "nat3085".

    Parameters
    ----------
    name : str
        A name of the folder ``regions`` of the data home.

    Returns
    -------
    TerritoryInstance

    Raises
    ------
    InvalidInputError
        When the name is no text of letters and digits.
    DataNotFoundError
        When a file is not in the data home; it has no public address of its own.
    """
    if not re.fullmatch(r"[A-Za-z0-9]+", str(name)):
        raise InvalidInputError(f"name={name!r} names no territory: pass such as 'IA2010', 'fl25' or 'nat3085'")
    county = re.fullmatch("([A-Z]{2})(2010|2020)", name)
    folder, stem, published = ("areas", name, None)
    if county:
        folder, published = f"counties{county[2]}", "counties2010/records.csv" if county[2] == "2010" else None
        stem = county[1] if county[2] == "2010" else name
    elif name in ("fl25", "gerrymandria64"):
        folder, published = "exact", "exact/fl25_optima.csv" if name == "fl25" else None
    records = pd.DataFrame() if published is None else _read(published)
    if county and "state" in records:
        records = records[records["state"] == county[1]].reset_index(drop=True)
    distances = _read(f"{folder}/{stem}_distance_km.csv", header=None).to_numpy(float) if county else None
    edges = _read(f"{folder}/{stem}_edges.csv")[["u", "v"]].to_numpy(np.int64)
    return TerritoryInstance(name, _read(f"{folder}/{stem}_nodes.csv"), edges, distances, records)


def _read(path: str, header: int | None = 0) -> pd.DataFrame:
    """One table of the folder."""
    return pd.read_csv(io.BytesIO(read_raw(RawFile(f"regions/{path}", None))), header=header)
