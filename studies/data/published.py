"""Published tables: their files, columns and target, and how they are read."""

from __future__ import annotations

import io
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from partitope.base.errors import InvalidInputError
from partitope.datasets.dataset import Dataset
from partitope.datasets.named import UCI
from partitope.datasets.raw_files import RawFile, read_raw


@dataclass(frozen=True)
class PublishedTable:
    """How one set is read."""

    title: str  # Description for people.
    files: tuple[RawFile, ...]  # Parts, stacked in order.
    target: str = "class"  # Target column.
    columns: tuple[str, ...] = ()  # Column names in file order; empty when the file's first line holds them.
    separator: str = ","  # Field separator; a blank means any run of blanks.
    skip: int = 0  # Leading lines that are not data.
    drop: tuple[str, ...] = ()  # Columns that are not features: identifiers, and what became known only later.
    parts: tuple[str, ...] = ()  # Published part of each file, "train" or "test".
    labels: dict[str, str] = field(default_factory=dict)  # Raw class (as text) to its name.

    def read(self, name: str) -> Dataset:
        """The set; InvalidInputError when a file does not hold what it should, DataNotFoundError when it is absent."""
        tables = [self._table(file) for file in self.files]
        frame = pd.concat(tables, ignore_index=True)
        X = frame.drop(columns=[self.target, *self.drop])
        split = self.split([len(table) for table in tables])
        return Dataset(X, self._classes(frame[self.target]), name, self.target, self.title, split)

    def split(self, lengths: list[int]) -> NDArray | None:
        """Published part (n,) of every row of files of these lengths; None without parts."""
        return np.repeat(self.parts, lengths) if self.parts else None

    def _table(self, file: RawFile) -> pd.DataFrame:
        text = read_raw(file).decode("utf-8")
        table = pd.read_csv(
            io.StringIO(text),
            sep=r"\s+" if self.separator == " " else self.separator,
            names=list(self.columns) or None,
            skiprows=1 if text.startswith("|") else self.skip,  # a published comment line that some copies lack
            skipinitialspace=True,
            keep_default_na=False,
            na_values=["?", ""],
            low_memory=False,
        )
        if self.target not in table or not len(table):
            raise InvalidInputError(f"{file.path} holds no column {self.target!r}: is it the published file?")
        return _without_empty_lines(table)

    def _classes(self, column: pd.Series) -> NDArray:
        """Classes under the names of the entry; integers stay integers where it names none."""
        if not self.labels:
            return column.to_numpy(dtype=str) if column.dtype.kind not in "iu" else column.to_numpy()
        return np.array([self.labels.get(str(value), str(value)) for value in column])


def uci(name: str, checksum: str, remote: str = "") -> RawFile:
    """A file of the UCI repository, at the same address below its folder of data sets unless another one is given."""
    return RawFile(name, checksum, f"{UCI}/{remote or name}")


def names(text: str) -> tuple[str, ...]:
    """Column names, between commas."""
    return tuple(name.strip() for name in text.split(","))


def _without_empty_lines(table: pd.DataFrame) -> pd.DataFrame:
    """Rows that hold anything; columns that were read as floats only for the empty rows become integers again."""
    kept = table.dropna(how="all")
    if len(kept) == len(table):
        return table
    whole = [str(name) for name in kept.select_dtypes("float") if (kept[name] % 1 == 0).all()]
    return kept.assign(**{name: pd.to_numeric(kept[name], downcast="integer") for name in whole})
