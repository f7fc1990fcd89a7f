"""Tables of the studies by name: the data sets of the package, those that only studies read, and one that is drawn."""

from __future__ import annotations

from partitope.base.errors import InvalidInputError
from partitope.datasets import DATASETS as OF_THE_PACKAGE
from partitope.datasets import load_dataset as load_own
from partitope.datasets.dataset import Dataset

from .entries import ENTRIES
from .waveform import make_waveform

DATASETS: tuple[str, ...] = (*OF_THE_PACKAGE, *ENTRIES)
"""Names that `load_dataset` takes."""
TABLES = (*DATASETS, "waveform")


def load_dataset(name: str) -> Dataset:
    """One of `DATASETS`.

    Raises
    ------
    InvalidInputError
        When the name is not known, or a file does not hold what it should.
    DataNotFoundError
        When a file is neither in the data home nor can be downloaded.
    """
    if name not in DATASETS:
        raise InvalidInputError(f"dataset {name!r} is not known: choose one of {', '.join(DATASETS)}")
    return load_own(name) if name in OF_THE_PACKAGE else ENTRIES[name].read(name)


def load_table(name: str, seed: int) -> Dataset:
    """A set of `TABLES`; "waveform" is drawn with the seed."""
    return make_waveform(random_state=seed) if name == "waveform" else load_dataset(name)
