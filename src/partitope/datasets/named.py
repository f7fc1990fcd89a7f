"""The data sets of the package by name."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from ..base.checks.values import one_of
from .dataset import Dataset
from .raw_files import RawFile, read_raw

UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"
ADULT = tuple(
    RawFile(f"adult/adult.{part}", checksum, f"{UCI}/adult/adult.{part}")
    for part, checksum in (
        ("data", "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d"),
        ("test", "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05"),
    )
)
ADULT_COLUMNS = """
    age, workclass, fnlwgt, education, education-num, marital-status, occupation, relationship, race, sex,
    capital-gain, capital-loss, hours-per-week, native-country, income
"""
GERMAN = RawFile(
    "german/german.data",
    "b21f3d81db8071257d5ff1deaeba1fd4303b62712e6fcc9715c7a86202cb5871",
    f"{UCI}/statlog/german/german.data",
)
GERMAN_COLUMNS = """
    status of existing checking account, duration in months, credit history, purpose, credit amount,
    savings account/bonds, present employment since, installment rate in % of disposable income,
    personal status and sex, other debtors/guarantors, present residence since, property, age in years,
    other installment plans, housing, number of existing credits at this bank, job,
    number of people liable to provide maintenance for, telephone, foreign worker, credit rating
"""


def load_dataset(name: str) -> Dataset:
    """One of the published data sets `DATASETS`, all of its rows.

    Parameters
    ----------
    name : str
        "census": Census Income (Adult), 32 561 training and 16 281 test rows as published, 14 features, classes
        "<=50K" and ">50K" of ``income``; "german": Statlog German Credit, 1000 rows, 20 features, classes "bad" (300)
        and "good" (700); "breast_cancer": Breast cancer Wisconsin (diagnostic) as shipped with scikit-learn, 569 rows,
        30 numbers.

    Returns
    -------
    Dataset
        `Dataset.complete` leaves out rows with missing entries: 30 162 and 15 060 of the Census have none.

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
    one_of(name, "name", DATASETS)
    return _READERS[name]()


def _table(file: RawFile, columns: str, **options: Any) -> pd.DataFrame:
    """A published file without a header, its columns named in the order of a text."""
    names = [" ".join(name.split()) for name in columns.split(",")]
    return pd.read_csv(io.BytesIO(read_raw(file)), names=names, keep_default_na=False, na_values=["?", ""], **options)


def _census() -> Dataset:
    parts = [_table(file, ADULT_COLUMNS, skipinitialspace=True, comment="|") for file in ADULT]
    table = pd.concat(parts, ignore_index=True)
    y = table.pop("income").str.rstrip(".").to_numpy(dtype=str)
    title = (
        "Census Income (Adult), UCI: whether a person earns more than 50 000 dollars a year. Published in two "
        "parts; '?' is missing in workclass, occupation and native-country."
    )
    return Dataset(table, y, "census", "income", title, np.repeat(["train", "test"], [len(part) for part in parts]))


def _german() -> Dataset:
    table = _table(GERMAN, GERMAN_COLUMNS, sep=r"\s+")
    y = np.array(["good", "bad"])[table.pop("credit rating").to_numpy() - 1]
    title = "Statlog German Credit, UCI: good or bad credit risk, 13 coded attributes and 7 numbers."
    return Dataset(table, y, "german", "credit rating", title)


def _breast_cancer() -> Dataset:
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer(as_frame=True)
    y = bunch.target_names[bunch.target.to_numpy()].astype(str)
    return Dataset(
        bunch.data,
        y,
        "breast_cancer",
        "diagnosis",
        "Breast cancer Wisconsin (diagnostic), UCI, as shipped with scikit-learn: 30 measurements of cell nuclei.",
    )


_READERS: dict[str, Callable[[], Dataset]] = {
    "breast_cancer": _breast_cancer,
    "census": _census,
    "german": _german,
}
DATASETS: tuple[str, ...] = tuple(_READERS)
"""Names that `load_dataset` takes."""
