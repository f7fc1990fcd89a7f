"""Tables with a class column from files, refused with one clear line where they cannot be used."""

from __future__ import annotations

import re
from difflib import get_close_matches
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..base.checks import instance_of
from ..base.errors import InvalidInputError
from ..base.number_texts import MISSING_WORDS, word_of
from .dataset import Dataset
from .table_reader import read_with_notes

MAX_CLASSES, MAX_FRACTIONS = 100, 10  # A column of more numbers, or of more rarely repeated values, is not a class.


def load_table(
    path: str | Path,
    target: str,
    *,
    encoding: str | None = None,
    sheet: str | None = None,
    decimal: str | None = None,
    unlabelled: bool = False,
) -> Dataset:
    """A table with a class column from a CSV, Parquet or Excel file.

    Parameters
    ----------
    path : str or Path
        As for `read_table`, like the options below.
    target : str
        Name of the class column.
    encoding, sheet, decimal : str, optional
        How the file is written.
    unlabelled : bool, default False
        Keep the features of rows without a class, for methods that learn from these too, in ``Dataset.unlabelled``.

    Returns
    -------
    Dataset
        Rows without a class are not in ``X`` and ``y``; they are counted in ``notes``. Columns are as the file holds
        them: see `partitope.classifiers.TableCleaner` for dates, numbers with signs around them, identifiers and the
        like.

    Raises
    ------
    InvalidInputError
        When the file cannot be read; when the target is not a column, has no entry, holds one class, or holds numbers
        that are not classes; when a column has an infinite entry.

    Examples
    --------
    >>> import pandas as pd, tempfile, os
    >>> from partitope.datasets import load_table
    >>> file = os.path.join(tempfile.mkdtemp(), "fruit.csv")
    >>> pd.DataFrame({"weight": [3, 4], "kind": ["pear", "plum"]}).to_csv(file, index=False)
    >>> load_table(file, target="kind")
    Dataset('fruit.csv': 2 rows, 1 features, target 'kind')
    """
    instance_of(target, "target", str, "pass the name of the class column")
    frame, notes = read_with_notes(path, encoding, sheet, decimal, target.strip())
    columns, name = list(frame.columns), Path(path).name
    target = target.strip()
    if target not in columns:
        near = get_close_matches(target, columns, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"columns are {listing(columns)}"
        if len(columns) == 1:
            hint += "; only one column was found: put commas, semicolons, tabs, bars or blanks between columns"
        hint = "; ".join([hint, *(note for note in notes if not note.startswith("column "))])
        raise InvalidInputError(f"target {target!r} is not a column of {name}: {hint}")
    if len(columns) < 2:
        raise InvalidInputError(f"{name} has no column besides the target {target!r}: add features")
    notes = tuple(re.sub(rf"^column {re.escape(target)}:", f"target {target}:", note) for note in notes)
    known = frame[target].notna()
    if not known.any():
        raise InvalidInputError(f"target {target!r} has no entry at all: name the column that holds the classes")
    missing = int((~known).sum())
    if missing:
        fate = "clustered with the others, without a class" if unlabelled else "left out"
        notes = (f"target {target}: missing in {missing} of {len(frame)} rows, which are {fate}", *notes)
    rest = frame[~known].drop(columns=target).reset_index(drop=True) if unlabelled and missing else None
    frame = frame[known].reset_index(drop=True)
    y = _check_target(frame[target], target)
    notes = (*notes, *_spellings(y, target))
    X = frame.drop(columns=target)
    for part in (X, *([] if rest is None else [rest])):
        check_finite(part)
    return Dataset(X, y, name, target, notes=notes, unlabelled=rest)


def _check_target(column: pd.Series, target: str) -> NDArray:
    classes = column.nunique()
    if classes < 2:
        raise InvalidInputError(f"target {target!r} holds one class only, '{column.iloc[0]}': expected at least two")
    numeric = pd.api.types.is_numeric_dtype(column.dtype)
    fractional = column.dtype.kind == "f" and not bool((column % 1 == 0).all())
    hardly_repeated = classes > MAX_FRACTIONS and 2 * classes > len(column)
    if hardly_repeated or (classes > MAX_CLASSES and numeric):
        what = "numbers" if numeric else "texts"
        raise InvalidInputError(
            f"target {target!r} holds {classes} different {what} in {len(column)} rows, expected classes: group them "
            f"first"
        )
    if not numeric:
        return column.to_numpy(dtype=str)
    if not np.isfinite(column.to_numpy(np.float64)).all():
        raise InvalidInputError(f"target {target!r} holds infinite values: expected classes")
    if fractional:
        return column.map(str).to_numpy(dtype=str)
    return column.to_numpy(dtype=np.int64) if column.dtype.kind == "f" else column.to_numpy()


def _spellings(y: NDArray, target: str) -> list[str]:
    """A line for each group of classes that are one word up to capitals and blanks, and for what may be no class."""
    doubtful = [str(label) for label in np.unique(y) if str(label).lower() in MISSING_WORDS]
    labels = [str(label) for label in np.unique(y)] if y.dtype.kind == "U" else []
    groups: dict[str, list[str]] = {}
    for label in labels:
        groups.setdefault(word_of(label), []).append(label)
    lines = [f"{label!r} is kept as a class; leave its rows empty if it means missing" for label in doubtful]
    for alike in groups.values():
        if len(alike) > 1:
            lines.append(f"{' and '.join(map(repr, alike))} are spellings of one word, kept as {len(alike)} classes")
    return [f"target {target}: {line}" for line in lines]


def check_finite(X: pd.DataFrame) -> None:
    """Refuse a column with infinite entries; rows are counted from 1, as in the file."""
    for name in X.columns:
        column = X[name]
        if pd.api.types.is_float_dtype(column.dtype):
            infinite = np.flatnonzero(np.isinf(column.to_numpy(np.float64, na_value=np.nan)))
            if infinite.size:
                raise InvalidInputError(
                    f"column {name!r} holds {infinite.size} infinite value{'s' * (infinite.size > 1)}, the first in "
                    f"row {infinite[0] + 1}: replace them by numbers or leave them empty"
                )


def listing(names: list[str]) -> str:
    """The first names, and how many there are where these are not all."""
    return ", ".join(names[:10]) + (f", ... ({len(names)} in all)" if len(names) > 10 else "")
