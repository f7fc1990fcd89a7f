"""The table a command works on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from ..datasets.dataset import Dataset


def load_data(table: Path | None, target: str | None, covariates: list[str] | None = None) -> Dataset:
    """Dataset of a file and its target, or the embedded default; named covariate columns leave the features.

    Raises
    ------
    InvalidInputError
        When the file, its target or a covariate column cannot be used.
    """
    from dataclasses import replace

    from ..base.errors import InvalidInputError
    from ..datasets import load_breast_cancer, load_table

    if table is None:
        data = load_breast_cancer()
        if target not in (None, data.target_name):
            raise InvalidInputError(f"--target {target} was given without a table: name the file to read")
    else:
        if target is None:
            raise InvalidInputError(f"--target is missing: name the class column of {table}")
        data = load_table(table, target)
    if not covariates:
        return data
    for name in covariates:
        if name not in data.X.columns:
            raise InvalidInputError(f"--covariates {name!r} is not a column: columns are {', '.join(data.X.columns)}")
    features = data.X.drop(columns=list(dict.fromkeys(covariates)))
    if not features.shape[1]:
        raise InvalidInputError("--covariates names every column: leave at least one to cluster by")
    return replace(data, X=features, covariates=data.X[list(dict.fromkeys(covariates))])


def load_features(table: Path, drop: list[str] | None = None) -> tuple[str, pd.DataFrame]:
    """Name and columns of a file without a target, less the columns to leave out.

    Raises
    ------
    InvalidInputError
        When the file cannot be used, or a column to leave out is none.
    """
    from ..base.errors import InvalidInputError
    from ..datasets import read_table

    frame = read_table(table)
    for name in drop or ():
        if name not in frame.columns:
            raise InvalidInputError(f"--drop {name!r} is not a column: columns are {', '.join(frame.columns)}")
    frame = frame.drop(columns=list(dict.fromkeys(drop or ())))
    if not frame.shape[1]:
        raise InvalidInputError("--drop names every column: leave at least one to cluster by")
    return table.name, frame


def load_named(table: str | None, target: str | None) -> Dataset:
    """Dataset of a file, of a name ("census", "german", "breast-cancer"), or the embedded default.

    Raises
    ------
    InvalidInputError
        When the file or its target cannot be used, or a target is given for a named set.
    DataNotFoundError
        When the raw files of a named set are neither in the data home nor can be downloaded.
    """
    from ..base.errors import InvalidInputError
    from ..datasets import load_breast_cancer, load_census, load_german

    named = {"census": load_census, "german": load_german, "breast-cancer": load_breast_cancer}
    if table is None or table not in named or Path(table).exists():
        return load_data(None if table is None else Path(table), target)
    if target is not None:
        raise InvalidInputError(f"--target {target} was given for {table}, whose target is fixed: leave it out")
    return named[table]()
