"""Groups of rows with common released values; every column has its own scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ...base.checks import whole_number
from ...base.columns import EXACT, as_texts, fitting_numbers
from ...base.errors import InvalidInputError
from ...classifiers.encoders.find_role import names_rows
from ...cluster.table_encoder import TableEncoder
from ...solvers.microaggregation import Microaggregation
from ..tables import Reading


@dataclass(frozen=True)
class Released:
    """A table to be released."""

    table: pd.DataFrame  # (n, q): The columns in their order, and the group.
    before: pd.DataFrame  # (n, d): The columns that were replaced, as they were.
    model: Microaggregation  # Groups, their loss and its bound.
    keep: Sequence[str]  # Columns that are released as they are.
    within: str | None  # Column whose entries are never in one group.
    remarks: Sequence[str]  # What was made of the columns.
    weights: str | None  # Column that weighs the rows.


def released_table(
    raw: pd.DataFrame, name: str, least: int, keep: Sequence[str], within: str | None, weights: str | None,
    reading: Reading, seed: int, time_limit: float | None,
) -> Released:  # fmt: skip
    """The table (n, q) to be released, the groups, and what was made of the columns."""
    if weights is not None and weights == within:
        raise InvalidInputError(f"--within {within} and --weights {weights} name one column: leave one of them out")
    for option, said in (("--drop", reading.drop), ("--id", reading.identifiers)):
        for both in {within, weights, *keep}.intersection(said or ()):
            raise InvalidInputError(
                f"{option} {both}: --keep, --within or --weights releases it; name it in one of them"
            )
    keep = [column for column in dict.fromkeys([*keep, *([] if weights is None else [weights])]) if column != within]
    same = [*keep, *([] if within is None else [within])]
    missing = [column for column in same if column not in raw.columns]
    if missing or "group" in raw.columns:
        option = {within: "for --within", weights: "for --weights"}.get(missing[0] if missing else None, "to --keep")
        what = f"no column {missing[0]!r} {option}" if missing else "a column 'group', which would be written"
        raise InvalidInputError(f"{name} has {what}: its columns are {', '.join(raw.columns)}")
    if len(raw) < whole_number(least, "--lower"):
        raise InvalidInputError(f"--lower {least} is more than the {len(raw)} rows of {name}: ask for no more")
    if within is not None and raw[within].isna().any():
        raise InvalidInputError(f"--within {within} has no entry in row {int(raw[within].isna().argmax())}: fill it")
    # a categorical may have levels without a row
    if within is not None and (counts := raw[within].value_counts()[lambda rows: rows > 0]).min() < least:
        raise InvalidInputError(
            f"--within {within}: {counts.index[-1]!r} has {counts.iloc[-1]} rows, fewer than --lower {least}: join it "
            f"with another entry, or leave its rows out"
        )
    cleaner = reading.cleaner(same)
    frame = cleaner.fit_transform(raw.drop(columns=same))
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
    model = Microaggregation(least, time_limit=time_limit, random_state=seed, standardise=False)
    weight = None
    if weights is not None:
        wanted = "numbers above 0: correct it, or leave the row out"
        weight = fitting_numbers(raw[weights], f"--weights {weights}", wanted, lambda x: x > 0.0, reading.decimal)
    model.fit(X, strata=None if within is None else as_texts(raw[within]), sample_weight=weight)
    released = frame.apply(lambda column: _one_value(column, model))
    ordered = [column for column in raw.columns if column in released.columns or column in same]
    table = released.join(raw[same])[ordered].assign(group=model.labels_)
    return Released(table, frame, model, keep, within, cleaner.lines(), weights)


def _one_value(column: pd.Series, model: Microaggregation) -> pd.Series:
    """The mean of numbers in each group, the most frequent of words; of several of these the first in order."""
    if pd.api.types.is_numeric_dtype(column.dtype):
        return pd.Series(model.aggregate(column.to_numpy(np.float64)[:, None])[:, 0], column.index)
    codes, words = pd.factorize(column, sort=True)
    sums = np.zeros((model.labels_.max() + 1, len(words)))
    np.add.at(sums, (model.labels_, codes), model.weights_)
    return pd.Series(words[sums.argmax(axis=1)[model.labels_]], column.index)
