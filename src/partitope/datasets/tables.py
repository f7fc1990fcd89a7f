"""Tables from CSV and Parquet files, refused with one clear line where they cannot be used."""

from __future__ import annotations

import gzip
from difflib import get_close_matches
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..base.errors import InvalidInputError, PartitopeError
from ..base.extras import import_extra
from .dataset import Dataset

CSV_SUFFIXES = (".csv", ".tsv", ".txt", ".data")
PARQUET_SUFFIXES = (".parquet", ".pq")
MAX_CLASSES = 100


def load_table(path: str | Path, target: str) -> Dataset:
    """A table with a class column from a CSV or Parquet file.

    Parameters
    ----------
    path : str or Path
        ``.csv``, ``.tsv``, ``.txt`` or ``.data`` (with a header line; gzipped too), ``.parquet`` or ``.pq``.
    target : str
        Name of the class column.

    Returns
    -------
    Dataset
        Empty fields, "?" and pandas' usual words (NA, NaN, null, ...) are missing.

    Raises
    ------
    InvalidInputError
        When the file is missing, empty, unreadable or of another kind; when the target is not a column, has
        missing entries, holds one class, or holds numbers that are no classes; when a column has no entry at
        all or an infinite one; when column names repeat.

    Examples
    --------
    >>> import pandas as pd, tempfile, os
    >>> from partitope.datasets import load_table
    >>> file = os.path.join(tempfile.mkdtemp(), "fruit.csv")
    >>> pd.DataFrame({"weight": [3, 4], "kind": ["pear", "plum"]}).to_csv(file, index=False)
    >>> load_table(file, target="kind")
    Dataset('fruit.csv': 2 rows, 1 features, target 'kind')
    """
    frame = read_table(path)
    columns = list(frame.columns)
    if target not in columns:
        near = get_close_matches(target, columns, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"columns are {_listing(columns)}"
        raise InvalidInputError(f"target {target!r} is not a column of {Path(path).name}: {hint}")
    if len(columns) < 2:
        raise InvalidInputError(f"{Path(path).name} has no column beside the target {target!r}: add features")
    y = _check_target(frame[target], target)
    X = frame.drop(columns=target)
    _check_features(X)
    return Dataset(X, y, Path(path).name, target, f"{Path(path).name}: {len(X)} rows")


def read_table(path: str | Path) -> pd.DataFrame:
    """The table of a CSV or Parquet file, without a target.

    Parameters
    ----------
    path : str or Path
        File; its suffix says its kind.

    Returns
    -------
    DataFrame

    Raises
    ------
    InvalidInputError
        As `load_table` about the file and its columns.
    """
    file = Path(path)
    if not file.is_file():
        what = "is a folder" if file.is_dir() else "does not exist"
        raise InvalidInputError(f"{file} {what}: pass the path of a CSV or Parquet file")
    if not file.stat().st_size:
        raise InvalidInputError(f"{file} is empty: expected a header line and rows")
    suffix = Path(file.stem).suffix.lower() if file.suffix.lower() == ".gz" else file.suffix.lower()
    try:
        if suffix in PARQUET_SUFFIXES:
            import_extra("pyarrow", "parquet", f"{file.name} is a Parquet file, which pyarrow reads")
            frame = pd.read_parquet(file, engine="pyarrow")
        elif suffix in CSV_SUFFIXES:
            frame = _read_csv(file)
        else:
            known = ", ".join((*CSV_SUFFIXES, *PARQUET_SUFFIXES))
            raise InvalidInputError(f"{file.name} has the suffix {suffix!r}: expected one of {known}")
    except PartitopeError:
        raise
    except Exception as error:  # pandas, pyarrow, gzip and codecs raise what they like on damaged files
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InvalidInputError(f"{file.name} cannot be read ({reason[:200]}): is it a {suffix} file?") from error
    frame.columns = [str(name) for name in frame.columns]
    repeated = frame.columns[frame.columns.duplicated()]
    if len(repeated):
        raise InvalidInputError(f"{file.name} has two columns named {repeated[0]!r}: rename one")
    if not len(frame):
        raise InvalidInputError(f"{file.name} has a header but no rows: add data")
    return frame


def _read_csv(file: Path) -> pd.DataFrame:
    """Read with the separator that splits the header line into most fields: comma, semicolon, tab, bar."""
    opener = gzip.open if file.suffix.lower() == ".gz" else open
    with opener(file, "rt", encoding="utf-8-sig") as lines:
        header = str(lines.readline())
    separator = max(",;\t|", key=header.count)
    names = [name.strip().strip('"') for name in header.rstrip("\r\n").split(separator)]
    for name in names:
        if name and names.count(name) > 1:  # pandas would rename the second one silently
            raise InvalidInputError(f"{file.name} has two columns named {name!r}: rename one")
    return pd.read_csv(
        file, sep=separator, skipinitialspace=True, na_values=["?"], encoding="utf-8-sig", low_memory=False
    )


def _check_target(column: pd.Series, target: str) -> NDArray:
    missing = int(column.isna().sum())
    if missing:
        raise InvalidInputError(f"target {target!r} is missing in {missing} rows: remove these rows or fill them in")
    classes = column.nunique()
    if classes < 2:
        raise InvalidInputError(f"target {target!r} holds one class only, '{column.iloc[0]}': expected at least two")
    if classes > MAX_CLASSES and pd.api.types.is_numeric_dtype(column.dtype):
        raise InvalidInputError(
            f"target {target!r} holds {classes} different numbers, expected classes: group them first"
        )
    numeric = pd.api.types.is_numeric_dtype(column.dtype)
    if numeric and not np.isfinite(column.to_numpy(np.float64)).all():
        raise InvalidInputError(f"target {target!r} holds infinite values: expected classes")
    return column.to_numpy() if numeric else column.to_numpy(dtype=str)


def _check_features(X: pd.DataFrame) -> None:
    for name in X.columns:
        column = X[name]
        if column.isna().all():
            raise InvalidInputError(f"column {name!r} has no entry at all: drop it or fill it in")
        if pd.api.types.is_float_dtype(column.dtype):
            infinite = np.flatnonzero(np.isinf(column.to_numpy(np.float64, na_value=np.nan)))
            if infinite.size:
                raise InvalidInputError(
                    f"column {name!r} holds {infinite.size} infinite values, the first in row {infinite[0] + 1}: "
                    f"replace them by numbers or leave them empty"
                )


def _listing(names: list[str]) -> str:
    return ", ".join(names[:10]) + (f", ... ({len(names)} in all)" if len(names) > 10 else "")
