"""The reference microdata of the European CASC project, on which microaggregation is compared."""

from __future__ import annotations

import io

import pandas as pd

from partitope.base.checks.values import one_of
from partitope.datasets.raw_files import RawFile, read_raw

MICRODATA = {
    "census": RawFile("microdata/census.csv", "40fb91564d4379274610e941161fd38729adb471bddb9c71d7c01ef142fd0f5b"),
    "eia": RawFile("microdata/eia.csv", "4384e99a2ee9c70a75700820e5e33d72df84d6b96afd28fda9a806de223150f4"),
}
"""Files as CSV; they were published as R files in the package sdcMicro (CASCrefmicrodata.rda, EIA.rda)."""


def load_microdata(name: str) -> pd.DataFrame:
    """The numeric columns of a table: "census" is 1080 x 13, "eia" 4092 x 11 with UTILITYID among them, as is usual.

    InvalidInputError for another name, DataNotFoundError where the file is not in the data home.
    """
    one_of(name, "name", tuple(MICRODATA))
    return pd.read_csv(io.BytesIO(read_raw(MICRODATA[name])))
