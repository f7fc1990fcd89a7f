"""Published data sets and tables from files, as frozen `Dataset` objects.

Raw files are read from the data home: the folder named by the environment variable ``PARTITOPE_DATA``, else the
user's cache. A file that is not there is downloaded from its public address and checked against its SHA-256; it goes
into the user's cache when the data home cannot be written.
"""

from __future__ import annotations

from .named import DATASETS, load_dataset
from .table_reader import read_table
from .tables import load_table

__all__ = ["DATASETS", "load_dataset", "load_table", "read_table"]
