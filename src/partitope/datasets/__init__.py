"""Published data sets and tables from files, as frozen `Dataset` objects.

Raw files are read from the data home: the folder named by the environment variable ``PARTITOPE_DATA``, else the
user's cache. A file that is not there is downloaded from its public address and checked against its SHA-256; it goes
into the user's cache when the data home cannot be written. `make_waveform` draws its rows and needs no file.
"""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..base.errors import InvalidInputError
from .dataset import Dataset
from .entries import ENTRIES, Entry
from .gct import read_platforms
from .raw_files import DataNotFoundError, data_home, read_raw
from .table_files import read_table
from .tables import load_table
from .waveform import make_waveform

__all__ = [
    "DATASETS",
    "DataNotFoundError",
    "Dataset",
    "data_home",
    "load_breast_cancer",
    "load_census",
    "load_dataset",
    "load_german",
    "load_table",
    "make_waveform",
    "read_table",
]

DATASETS: tuple[str, ...] = ("breast_cancer", *ENTRIES)
"""Names that `load_dataset` takes."""


def load_dataset(name: str) -> Dataset:
    """A published set by name.

    Parameters
    ----------
    name : str
        One of `DATASETS`.

    Returns
    -------
    Dataset

    Raises
    ------
    InvalidInputError
        When the name is not known, or a file does not hold what it should.
    DataNotFoundError
        When a file is neither in the data home nor can be downloaded.

    Examples
    --------
    >>> from partitope.datasets import load_dataset
    >>> load_dataset("breast_cancer")
    Dataset('breast_cancer': 569 rows, 30 features, target 'diagnosis')
    """
    given: Any = name
    if not isinstance(given, str) or given not in DATASETS:
        raise InvalidInputError(f"dataset {given!r} is not known: choose one of {', '.join(DATASETS)}")
    if name == "breast_cancer":
        return load_breast_cancer()
    entry = ENTRIES[name]
    reader = {"table": _read_tables, "pairs": _read_pairs, "npz": _read_arrays, "gct": read_platforms}[entry.layout]
    return reader(name, entry)


def load_census(*, complete: bool = False) -> Dataset:
    """Census Income (Adult): 32 561 training and 16 281 test rows, 14 features, target ``income``.

    Parameters
    ----------
    complete : bool, default False
        Keep only the 30 162 and 15 060 rows without missing entries, as the published studies do.

    Returns
    -------
    Dataset
        ``train`` and ``test`` are the published parts; classes "<=50K" and ">50K".
    """
    data = load_dataset("census")
    return data.complete() if complete else data


def load_german() -> Dataset:
    """Statlog German Credit: 1000 rows, 20 features, classes "bad" (300) and "good" (700)."""
    return load_dataset("german")


def load_breast_cancer() -> Dataset:
    """Breast cancer Wisconsin (diagnostic) as shipped with scikit-learn: 569 rows, 30 numbers."""
    from sklearn.datasets import load_breast_cancer as load

    bunch = load(as_frame=True)
    y = bunch.target_names[bunch.target.to_numpy()].astype(str)
    return Dataset(
        bunch.data,
        y,
        "breast_cancer",
        "diagnosis",
        "Breast cancer Wisconsin (diagnostic), UCI, as shipped with scikit-learn: 30 measurements of cell nuclei.",
    )


def _read_tables(name: str, entry: Entry) -> Dataset:
    tables = []
    for file in entry.files:
        text = read_raw(file).decode("utf-8")
        skip = 1 if text.startswith("|") else entry.skip  # a published comment line that some copies lack
        table = pd.read_csv(
            io.StringIO(text),
            sep=r"\s+" if entry.separator == " " else entry.separator,
            names=list(entry.columns) or None,
            skiprows=skip,
            skipinitialspace=True,
            keep_default_na=False,
            na_values=["?", ""],
            low_memory=False,
        )
        if entry.target not in table or not len(table):
            raise InvalidInputError(f"{file.path} holds no column {entry.target!r}: is it the published file?")
        tables.append(_without_empty_lines(table))
    frame = pd.concat(tables, ignore_index=True)
    y = _labels(frame[entry.target], entry)
    X = frame.drop(columns=[entry.target, *entry.drop])
    return Dataset(X, y, name, entry.target, entry.title, _split(entry, [len(table) for table in tables]))


def _read_pairs(name: str, entry: Entry) -> Dataset:
    tables = [pd.read_csv(io.BytesIO(read_raw(file))) for file in entry.files]
    features = pd.concat(tables[0::2], ignore_index=True)
    y = np.concatenate([table.iloc[:, 0].to_numpy() for table in tables[1::2]])
    if len(features) != len(y):
        raise InvalidInputError(f"{name}: {len(features)} rows of X and {len(y)} of y: are these the published files?")
    X = features.set_axis([f"x{column}" for column in features.columns], axis=1)
    return Dataset(X, y, name, entry.target, entry.title, _split(entry, [len(table) for table in tables[0::2]]))


def _read_arrays(name: str, entry: Entry) -> Dataset:
    with np.load(io.BytesIO(read_raw(entry.files[0])), allow_pickle=False) as arrays:
        if "D" in arrays:
            points = arrays["D"].astype(np.float64)
        else:
            from scipy.sparse import csr_matrix

            parts = (arrays["D_data"], arrays["D_indices"], arrays["D_indptr"])
            points = csr_matrix(parts, shape=tuple(arrays["D_shape"])).toarray()
        covariates = pd.DataFrame({"c": arrays["C"]})
        y = arrays["y"].astype(np.int64)
    X = pd.DataFrame(points, columns=[f"x{column}" for column in range(points.shape[1])])
    return Dataset(X, y, name, entry.target, entry.title, covariates=covariates)


def _labels(column: pd.Series, entry: Entry) -> NDArray:
    """Classes under the names of the entry; integers stay integers where it names none."""
    if not entry.labels:
        return column.to_numpy(dtype=str) if column.dtype.kind not in "iu" else column.to_numpy()
    return np.array([entry.labels.get(str(value), str(value)) for value in column])


def _without_empty_lines(table: pd.DataFrame) -> pd.DataFrame:
    """Rows that hold anything; columns that were read as floats only for the empty rows become integers again."""
    kept = table.dropna(how="all")
    if len(kept) == len(table):
        return table
    return pd.DataFrame(
        {
            name: pd.to_numeric(kept[name], downcast="integer") if _whole(kept[name]) else kept[name]
            for name in kept.columns
        }
    )


def _whole(column: pd.Series) -> bool:
    return column.dtype.kind == "f" and bool((column % 1 == 0).all())


def _split(entry: Entry, lengths: list[int]) -> NDArray | None:
    return np.repeat(entry.parts, lengths) if entry.parts else None
