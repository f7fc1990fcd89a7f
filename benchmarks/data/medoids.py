"""Published instances of capacitated medians and centred clusters, from the folder ``medoids`` of the data home."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from partitope.base.checks.values import one_of
from partitope.datasets.raw_files import RawFile, read_raw


@dataclass(frozen=True, eq=False)
class MedoidInstance:
    """Points in the plane, each with a demand, to be given whole to medians of one capacity.

    Attributes
    ----------
    name : str
        Name of the instance.
    X : (n, 2) ndarray
        Coordinates.
    demand : (n,) ndarray
        What every point asks for.
    n_clusters : int
        Number of medians.
    capacity : float
        Of every median.
    rounded : bool
        Whether published values round every distance down to a whole number.
    target : float
        Best value published: an optimum where ``proved``, otherwise an upper value.
    proved : bool
        Whether an optimum was proved.
    """

    name: str
    X: NDArray[np.float64]
    demand: NDArray[np.float64]
    n_clusters: int
    capacity: float
    rounded: bool
    target: float
    proved: bool

    @property
    def distances(self) -> NDArray[np.float64]:
        """Distances (n, n) as published values count them."""
        from scipy.spatial.distance import cdist

        found = cdist(self.X, self.X)
        return np.floor(found + 1e-9) if self.rounded else found


def load_medoids(name: str) -> MedoidInstance:
    """One instance of the table ``medoids/records.csv``, such as "SJC1", "pmedcap1_1" or "u724_010".

    Parameters
    ----------
    name : str
        A name of that table, or of ``medoids/records_centred.csv`` after "centred/", such as "centred/doni1".

    Returns
    -------
    MedoidInstance

    Raises
    ------
    InvalidInputError
        When the name is not one of the table.
    DataNotFoundError
        When a file is not in the data home; it has no public address of its own.
    """
    file = "records_centred" if name.startswith("centred/") else "records"
    table = pd.read_csv(io.BytesIO(read_raw(RawFile(f"medoids/{file}.csv", None)))).set_index("instance")
    if file == "records_centred":
        table = table.rename(columns={"p_in_file": "p", "repo_value": "target"}).assign(distance="", proved_here="")
        table.index = "centred/" + table.index
    one_of(name, "name", tuple(table.index))
    row: Any = table.loc[name]
    rounded = "rounded" in str(row["distance"])
    path = "medoids/" + row["file"].removesuffix(".gz")
    lines = read_raw(RawFile(path, None)).decode().split("\n")
    numbers = np.array([line.split() for line in lines[2 if rounded else 1 :] if line.strip()], dtype=np.float64)
    x = 1 if rounded else 0
    return MedoidInstance(
        name, numbers[:, x : x + 2], numbers[:, 3], int(row["p"]), float(row["capacity"]), rounded,
        float(row["target"]), bool(row["proved_here"] == "optimal"),
    )  # fmt: skip
