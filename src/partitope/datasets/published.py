"""Published tables: their files, columns and target, and how they are read. Census and German are defined here."""

from __future__ import annotations

import io
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..base.errors import InvalidInputError
from .dataset import Dataset
from .raw_files import RawFile, read_raw

UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"


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


CENSUS = PublishedTable(
    "Census Income (Adult), UCI: whether a person earns more than 50 000 dollars a year. Published in two "
    "parts; '?' is missing in workclass, occupation and native-country.",
    (
        uci("adult/adult.data", "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d"),
        uci("adult/adult.test", "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05"),
    ),
    target="income",
    columns=names("""
        age, workclass, fnlwgt, education, education-num, marital-status, occupation, relationship, race, sex,
        capital-gain, capital-loss, hours-per-week, native-country, income
    """),
    parts=("train", "test"),
    labels={"<=50K.": "<=50K", ">50K.": ">50K"},
)
GERMAN = PublishedTable(
    "Statlog German Credit, UCI: good or bad credit risk, 13 coded attributes and 7 numbers.",
    (
        uci(
            "german/german.data",
            "b21f3d81db8071257d5ff1deaeba1fd4303b62712e6fcc9715c7a86202cb5871",
            "statlog/german/german.data",
        ),
    ),
    target="credit rating",
    columns=names("""
        status of existing checking account, duration in months, credit history, purpose, credit amount,
        savings account/bonds, present employment since, installment rate in % of disposable income,
        personal status and sex, other debtors/guarantors, present residence since, property, age in years,
        other installment plans, housing, number of existing credits at this bank, job,
        number of people liable to provide maintenance for, telephone, foreign worker, credit rating
    """),
    separator=" ",
    labels={"1": "good", "2": "bad"},
)
