"""Readings of the dissertation's sentence on capital gain and loss, and how far each is from the printed Table 7.2.

Section 6.1 says that both columns are "discretized by 20 %-quantiles", and Table 6.2 that five values are left. Which
quantiles is not said: nine rows of ten hold a zero, so that those of the column itself are all zero. A `Reading` is one
way to make few values. What tells them apart is Table 7.2, whose five clusters, with their sizes and values on the
training rows, are a fingerprint of the table that was clustered. `readings` lists what is tried, combinations of

    columns       both are cut, or the loss alone, or the gain alone, or none; of the others every value counts
    cut           distinct values; those above 0; rows above 0; all rows in the order of the file (equal values are
                  torn apart); the range
    parts         five, or twenty
    zero          in the first part, or a part of its own beside five or four others
    order         by the amount, or by the share of the class ">50K" among the rows of that amount, that is, the column
                  after its encoding
    counted       training rows, both parts, or both with the rows that miss an entry
    ends          a value at the end of a part belongs to it ("left") or to the next ("right")
    intercept     least squares with one, as for the weights of section 4.6 here, or without
    centred       columns less their means, or as they are
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from itertools import product
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from partitope.datasets import load_dataset

CAPITAL = ("capital-gain", "capital-loss")
LEFT_OUT = ("fnlwgt", "education")


@dataclass(frozen=True)
class Reading:
    """One reading; the module's head says what the words mean."""

    columns: tuple[str, ...] = CAPITAL
    cut: Literal["distinct", "distinct above 0", "rows above 0", "ranks", "range"] = "distinct"
    zero: Literal["first", "apart of 6", "apart of 5"] = "first"
    order: Literal["amount", "share"] = "amount"
    counted: Literal["train", "both", "incomplete"] = "train"
    ends: Literal["left", "right"] = "left"
    parts: int = 5
    intercept: bool = True
    centred: bool = True

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Reading:
        """The reading of a job."""
        asked = {one.name: settings[one.name] for one in fields(cls) if one.name in settings}
        return cls(**{**asked, "columns": tuple(settings["columns"])})

    def settings(self) -> dict[str, Any]:
        """The reading as plain values, for a job."""
        return {**asdict(self), "columns": list(self.columns)}

    @property
    def name(self) -> str:
        """In words."""
        if not self.columns:
            words = ["every value counts"]
        else:
            parts = {4: "fourths", 5: "fifths", 20: "twentieths"}[self.parts - (self.zero == "apart of 5")]
            zero = (
                []
                if self.cut in ("distinct", "ranks")
                else [f"zero {'in the first' if self.zero == 'first' else 'apart'}"]
            )
            words = [
                f"{parts} of {self.cut}",
                *zero,
                f"by {self.order}",
                f"counted {self.counted}",
                f"ends {self.ends}",
            ]
            words += [] if len(self.columns) == 2 else [f"{self.columns[0]} alone"]
        return ", ".join([*words, *([] if self.intercept else ["no intercept"]), *([] if self.centred else ["as is"])])


TEXT = Reading()
"""Fifths of the distinct amounts of the training rows: what printed rows stood for before readings were compared."""
BEST_OF_TEXT = Reading(cut="distinct above 0", order="share")
"""Both columns in fifths of the distinct amounts above 0, in the order of their shares: of the variants that contradict
nothing in section 6.1 the one whose clusters are nearest to the printed ones."""
BY_VALUE = Reading(columns=())


def readings() -> list[Reading]:
    """All that is tried, each once."""
    found = [BY_VALUE]
    zeros = {"distinct": ("first",), "ranks": ("first",)}
    ways: Any
    cut: Any
    for cut in ("distinct", "distinct above 0", "rows above 0", "ranks", "range"):
        ways = product(
            zeros.get(cut, ("first", "apart of 6", "apart of 5")), ("amount", "share"), ("train", "both", "incomplete"),
            ("left", "right"),
        )  # fmt: skip
        for zero, order, counted, ends in ways:
            if cut == "ranks" and (ends, counted) != ("left", "train"):
                continue  # equal values are torn apart: parts have no ends in common, and no row of another table
            if cut == "range" and (counted != "train" or order == "share"):
                continue  # the extremes are the same
            found.append(Reading(CAPITAL, cut, zero, order, counted, ends))
    by_amount = [one for one in found if one.columns and one.order == "amount" and one.cut != "ranks"]
    found += [replace(one, columns=(name,)) for name in CAPITAL for one in by_amount]
    found += [replace(one, parts=20) for one in by_amount if one.zero == "first" and one.counted == "train"]
    loss_alone = replace(TEXT, columns=CAPITAL[1:])
    others = [(True, False), (False, True), (False, False)]
    return found + [replace(o, intercept=i, centred=c) for i, c in others for o in (BY_VALUE, TEXT, loss_alone)]


def closest() -> Reading:
    """The reading of least distance in the record of the study "readings"."""
    from .base.record import read_record

    row = min(read_record()["studies"]["readings"]["rows"], key=lambda row: row["ours"])
    return Reading.of(row | {"columns": [name for name in CAPITAL if name in row.get("columns", "")]})


@cache
def _tables() -> dict[str, Any]:
    """Census Income in the parts that readings count."""
    data = load_dataset("census")
    whole = data.rows(data.X.notna().all(axis=1).to_numpy())
    return {
        "train": (whole.train.X, whole.train.y),
        "test": (whole.test.X, whole.test.y),
        "both": whole.X,
        "incomplete": data.X,
    }


def parts_of(reading: Reading) -> dict[str, tuple[pd.DataFrame, NDArray[Any]]]:
    """Features, capital gain and loss as the reading says, and classes of "train" and "test"."""
    tables = _tables()
    parts = {part: (tables[part][0].drop(columns=list(LEFT_OUT)), tables[part][1]) for part in ("train", "test")}
    for name in reading.columns:
        coded = _coded(reading, name)
        for part, (frame, _) in parts.items():
            frame[name] = coded[part]
    return parts


def _coded(reading: Reading, name: str) -> Mapping[str, NDArray[np.int64]]:
    """The part of every row's amount, counted from 0, by "train" and "test"."""
    tables = _tables()
    amounts = {part: tables[part][0][name].to_numpy(dtype=np.float64) for part in ("train", "test")}
    if reading.order == "share":
        known, place = np.unique(amounts["train"], return_inverse=True)
        shares = np.bincount(place, tables["train"][1] == ">50K") / np.bincount(place)
        overall = float((tables["train"][1] == ">50K").mean())

        def ordered(values: NDArray[np.float64]) -> NDArray[np.float64]:
            at = np.minimum(np.searchsorted(known, values), len(known) - 1)
            return np.where(known[at] == values, shares[at], overall)
    else:

        def ordered(values: NDArray[np.float64]) -> NDArray[np.float64]:
            return values

    if reading.cut == "ranks":
        ranks = {part: np.argsort(np.argsort(ordered(v), kind="stable")) for part, v in amounts.items()}
        return {part: (reading.parts * rank) // len(rank) for part, rank in ranks.items()}
    frame = tables["train"][0] if reading.counted == "train" else tables[reading.counted]
    counted = frame[name].to_numpy(dtype=np.float64)
    counted = counted if reading.cut == "distinct" else counted[counted > 0]
    n_parts = reading.parts - (reading.zero == "apart of 5")
    steps = np.arange(1, n_parts) / n_parts
    if reading.cut == "range":
        ends = counted.min() + steps * (counted.max() - counted.min())
    else:
        values = ordered(counted if reading.cut == "rows above 0" else np.unique(counted))
        ends = np.quantile(values, steps, method="inverted_cdf")
    found = {}
    for part, all_of in amounts.items():
        codes = np.searchsorted(ends, ordered(all_of), side="left" if reading.ends == "left" else "right")
        codes = codes if reading.zero == "first" else codes + 1
        found[part] = np.where(all_of > 0, codes, 0) if reading.cut != "distinct" else codes
    return found
