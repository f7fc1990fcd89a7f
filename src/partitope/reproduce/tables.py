"""Tables of the studies by name: the data sets of the package, and one that is drawn."""

from __future__ import annotations

from ..datasets import DATASETS, load_dataset, make_waveform
from ..datasets.dataset import Dataset

TABLES = (*DATASETS, "waveform")


def load_table(name: str, seed: int) -> Dataset:
    """A set of `TABLES`; "waveform" is drawn with the seed."""
    return make_waveform(random_state=seed) if name == "waveform" else load_dataset(name)
