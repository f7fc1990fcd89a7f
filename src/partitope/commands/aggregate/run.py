"""Groups of rows with common released values; every column has its own scale."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from ...base.checks import whole_number
from ...base.columns import EXACT
from ...base.errors import InvalidInputError
from ...classifiers.encoders.find_role import names_rows
from ...cluster.table_encoder import TableEncoder
from ...solvers.microaggregation import Microaggregation
from ..tables import Reading


def released_table(
    raw: pd.DataFrame, name: str, least: int, keep: Sequence[str], reading: Reading, seed: int, time_limit: float | None
) -> tuple[pd.DataFrame, Microaggregation, list[str]]:
    """The table (n, q) to be released, the groups, and what was made of the columns."""
    missing = [column for column in keep if column not in raw.columns]
    if missing or "group" in raw.columns:
        what = f"no column {missing[0]!r} to --keep" if missing else "a column 'group', which would be written"
        raise InvalidInputError(f"{name} has {what}: its columns are {', '.join(raw.columns)}")
    if len(raw) < whole_number(least, "--lower"):
        raise InvalidInputError(f"--lower {least} is more than the {len(raw)} rows of {name}: ask for no more")
    cleaner = reading.cleaner(keep)
    frame = cleaner.fit_transform(raw.drop(columns=list(keep)))
    for role in cleaner.roles_:
        whole = role.role == "category" and raw[role.name].dtype.kind in "iu" and role.name not in reading.roles
        if role.kept and (role.role not in ("number", "category") or whole or frame[role.name].isna().any()):
            large = f", or whole numbers beyond {EXACT:.0f}, of which floats merge some"
            raise InvalidInputError(
                f"column {role.name!r} of {name} has entries that are neither numbers nor categories, or gaps{large}: "
                f"mend them, leave the column out with --drop, or release it as it is with --keep"
            )
        if role.kept and role.role == "number" and names_rows(role.name) and role.name not in reading.roles:
            raise InvalidInputError(
                f"column {role.name!r} of {name} looks like an id by its name: leave it out (--drop), or write --types "
                f"{role.name}=number to release its means"
            )
    X = TableEncoder("columns").fit_transform(frame)
    model = Microaggregation(least, time_limit=time_limit, random_state=seed, standardise=False).fit(X)
    released = frame.groupby(model.labels_).transform(_one_value)
    ordered = [column for column in raw.columns if column in released.columns or column in keep]
    return released.join(raw[list(keep)])[ordered].assign(group=model.labels_), model, cleaner.lines()


def _one_value(column: pd.Series) -> object:
    """The mean of numbers, the most frequent of words; of several of these the first in order."""
    return column.mean() if pd.api.types.is_numeric_dtype(column.dtype) else column.mode().iloc[0]
