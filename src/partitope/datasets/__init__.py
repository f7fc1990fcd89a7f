"""Published data sets and tables from files, as frozen `Dataset` objects.

Raw files are read from the data home: the folder named by the environment variable ``PARTITOPE_DATA``, else the
user's cache. A file that is not there is downloaded from its public address and checked against its SHA-256; it goes
into the user's cache when the data home cannot be written.
"""

from __future__ import annotations

from .dataset import Dataset
from .published import CENSUS, GERMAN
from .raw_files import DataNotFoundError, data_home
from .table_files import read_table
from .tables import load_table

__all__ = [
    "DataNotFoundError",
    "Dataset",
    "data_home",
    "load_breast_cancer",
    "load_census",
    "load_german",
    "load_table",
    "read_table",
]


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

    Raises
    ------
    InvalidInputError
        When a file does not hold what it should.
    DataNotFoundError
        When a file is neither in the data home nor can be downloaded.
    """
    data = CENSUS.read("census")
    return data.complete() if complete else data


def load_german() -> Dataset:
    """Statlog German Credit: 1000 rows, 20 features, classes "bad" (300) and "good" (700).

    Raises
    ------
    InvalidInputError
        When the file does not hold what it should.
    DataNotFoundError
        When the file is neither in the data home nor can be downloaded.
    """
    return GERMAN.read("german")


def load_breast_cancer() -> Dataset:
    """Breast cancer Wisconsin (diagnostic) as shipped with scikit-learn: 569 rows, 30 numbers.

    Examples
    --------
    >>> from partitope.datasets import load_breast_cancer
    >>> load_breast_cancer()
    Dataset('breast_cancer': 569 rows, 30 features, target 'diagnosis')
    """
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
