"""The data sets of the package by name."""

from __future__ import annotations

from collections.abc import Callable

from ..base.checks.values import one_of
from .dataset import Dataset
from .published import CENSUS, GERMAN


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
    "census": lambda: CENSUS.read("census"),
    "german": lambda: GERMAN.read("german"),
}
DATASETS: tuple[str, ...] = tuple(_READERS)
"""Names that `load_dataset` takes."""
