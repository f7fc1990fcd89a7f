"""Tables without a target as points: numbers on one scale, categories as their indicators.

    number      z = (x - mean) / standard deviation          a missing value is the mean, z = 0
    map         z = (x - mean) / s for both of its columns   s^2 is the mean of their two variances (`map_columns`)
    sphere      z = R (cos a cos b, cos a sin b, sin a) / s  latitude a and longitude b, R = 6371.0088 km
    category    z_l = 1 / sqrt 2 if x is level l, else 0     two different levels are at distance 1; missing: all 0

So a step of one standard deviation and another level of a category count the same. Without scaling, which is what a map
alone gets, all divisors are 1; distances on the sphere are then chords in kilometres. Levels beyond the `MOST_LEVELS`
most frequent ones, and those not seen in the fit, have all indicators 0. Columns that hold one value are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..base.atomic_fit import AtomicFit
from ..base.checks import finite_rows, one_of
from ..base.columns import MixedTable, as_frame, as_numbers, as_texts, names_of_features, refuse_infinite
from ..base.errors import InvalidInputError
from ..base.record import Record
from .map_columns import encode_sphere, learn_sphere, map_columns, on_sphere, one_scale

SCALES = ("none", "standard", "columns")
MOST_LEVELS = 30  # Levels of a category with a column of their own; the rest share one.
APART = float(np.sqrt(0.5))  # Value of an indicator: two different levels are at distance 1.
ROUNDING = 1e-9  # A mean is shown as 0 below this, in standard deviations of its column.


class TableEncoder(AtomicFit, MixedTable, TransformerMixin, BaseEstimator):
    """Numbers standardised, categories as indicators: points for a clustering of a table that has no target."""

    stored: ClassVar[tuple[str, ...]] = ("columns_", "scale_")

    def __init__(self, scale: str | None = None, geo: Sequence[str] | None = None) -> None:
        # by what numbers are divided, one of `SCALES`; nothing where two columns that are a map are all there is
        self.scale = scale
        self.geo = geo  # columns of latitude and longitude in degrees, which become points on the sphere

    def fit(self, X: Any, y: object = None) -> Self:
        """Learn means, scales and levels of the columns of X (n, d); y is ignored."""
        frame = as_frame(self, X, reset=True)
        if self.scale is not None:
            one_of(self.scale, "scale", SCALES)
        # one entry per column: a name, a kind ("number", "sphere", "category", "constant"), and what encodes it
        self.columns_ = [_learn(frame.iloc[:, f]) for f in range(frame.shape[1])]
        by_name = {column["name"]: column for column in self.columns_}
        sphere = [] if self.geo is None else learn_sphere(frame, self.geo, by_name)
        numbers = {name: column for name, column in by_name.items() if column["kind"] == "number"}
        pairs = map_columns(list(numbers))
        alone = sum(column["kind"] != "constant" for column in self.columns_) == 2 and bool(pairs or sphere)
        self.scale_ = self.scale or ("none" if alone else "standard")
        for east, north in pairs if self.scale_ != "columns" else ():
            one_scale(numbers[east], numbers[north])
        if self.scale_ == "none":
            for column in (*numbers.values(), *sphere):
                column["scale"] = column.get("unit", 1.0)
        if all(column["kind"] == "constant" for column in self.columns_):
            raise InvalidInputError(
                f"every column of X holds one value only (n_samples={len(frame)}): there is nothing to cluster by"
            )
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Points (m, p) of the rows of X (m, d)."""
        check_is_fitted(self, "columns_")
        frame = as_frame(self, X, reset=False)
        place = {column["name"]: f for f, column in enumerate(self.columns_)}
        parts = [
            encode_sphere(frame.iloc[:, f], frame.iloc[:, place[column["longitude"]]], column["scale"])
            if column["kind"] == "sphere"
            else _encode(frame.iloc[:, f], column)
            for f, column in enumerate(self.columns_)
        ]
        return np.column_stack([part for part in parts if part is not None])

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """Names (p,) of the coordinates: those of the columns, and ``column=level`` for categories."""
        check_is_fitted(self, "columns_")
        names: list[str] = []
        for name, column in zip(names_of_features(self, input_features), self.columns_):
            names += [str(name)] if column["kind"] == "number" else []
            names += [f"sphere {axis}" for axis in "xyz"] if column["kind"] == "sphere" else []
            names += [f"{name}={level}" for level in column.get("levels", [])]
        return np.array(names, dtype=object)

    def describe(self, centres: ArrayLike) -> pd.DataFrame:
        """What centres (k, p) are in the table's own units: one row per column, one column per centre; a number has its
        mean, a category its most frequent level among those that are kept, with its share."""
        centres = finite_rows(centres, "centres", n_columns=len(self.get_feature_names_out()))
        rows, place = {}, 0
        for column in self.columns_:
            if column["kind"] == "number":
                moved = column["scale"] * centres[:, place]
                means = column["mean"] + moved
                rounding = ROUNDING * np.maximum(np.abs(moved), column["deviation"])
                means[np.abs(means) <= rounding] = 0.0  # what is left of a difference of equal numbers
                rows[column["name"]] = means.tolist()
                place += 1
            elif column["kind"] == "sphere":
                degrees = on_sphere(centres[:, place : place + 3])
                rows[column["name"]], rows[column["longitude"]] = (side.tolist() for side in degrees)
                place += 3
            elif column["kind"] == "category":
                levels = column["levels"]
                shares = centres[:, place : place + len(levels)] / APART
                best = shares.argmax(axis=1)
                rows[column["name"]] = [f"{levels[b]} ({100 * s[b]:.0f} %)" for b, s in zip(best, shares)]
                place += len(levels)
        return pd.DataFrame.from_dict(rows, orient="index", columns=range(len(centres)))

    def remarks(self) -> list[str]:
        """What was left out of the table, one sentence each."""
        lines = self.map_remarks()
        constant = [column["name"] for column in self.columns_ if column["kind"] == "constant"]
        if constant:
            more = f" and {len(constant) - 5} more" if len(constant) > 5 else ""
            lines.append(f"left out, because all rows have the same value: {', '.join(constant[:5])}{more}")
        for column in self.columns_:
            if column.get("others"):
                lines.append(
                    f"column {column['name']!r} has {len(column['levels']) + column['others']} levels: the "
                    f"{len(column['levels'])} most frequent ones are distinguished, the others are merged"
                )
            if column.get("missing"):
                lines.append(f"column {column['name']!r} lacks {column['missing']} values: taken as its mean")
        return lines

    def pair(self) -> tuple[str, str] | None:
        """The two columns of a map, east first, or the only two coordinates; None where there are none."""
        spheres = [(column["longitude"], column["name"]) for column in self.columns_ if column["kind"] == "sphere"]
        numbers = [column["name"] for column in self.columns_ if column["kind"] == "number"]
        others = sum(column["kind"] not in ("number", "constant") for column in self.columns_)
        pairs = spheres or map_columns(numbers)
        return pairs[0] if pairs else (numbers[0], numbers[1]) if len(numbers) == 2 and not others else None

    def map_remarks(self) -> list[str]:
        """A sentence for every two columns that are a map."""
        scaled = "not scaled" if self.scale_ == "none" else "one scale for both"
        kept, lines = f"{scaled}, so that distances on it stay true", []
        for column in self.columns_:
            if "map" in column and column["name"] < column["map"]:
                a, b = column["name"], column["map"]
                lines.append(f"columns {a} and {b} are a map by their names: {kept}")
                far = "; degrees of longitude count as long as they are at the mean latitude (--geo: exactly)"
                lines[-1] += far * column["degrees"]
            elif column["kind"] == "sphere":
                a, b = column["name"], column["longitude"]
                lines.append(f"columns {a} (latitude) and {b} (longitude) are places on the sphere")
        return lines


def _learn(column: pd.Series) -> Record:
    name, numbers = str(column.name), as_numbers(column)
    if numbers is None:
        levels = pd.Series(as_texts(column)).value_counts()  # without missing values, the most frequent first
        ordered = sorted(levels.items(), key=lambda item: (-int(item[1]), str(item[0])))
        names = [str(level) for level, _ in ordered[:MOST_LEVELS]]
        if len(names) + bool(column.isna().any()) < 2:
            return {"name": name, "kind": "constant"}
        return {"name": name, "kind": "category", "levels": names, "others": max(len(ordered) - MOST_LEVELS, 0)}
    refuse_infinite(numbers, name)
    present = numbers[~np.isnan(numbers)]
    if not present.size or present.min() == present.max():
        return {"name": name, "kind": "constant"}
    unit = float(np.abs(present).max())  # squares of large numbers would overflow
    scale = float(unit * np.std(present / unit))
    mean = float(unit * np.mean(present / unit))
    missing = len(numbers) - len(present)
    return {"name": name, "kind": "number", "mean": mean, "scale": scale, "deviation": scale, "missing": missing}


def _encode(column: pd.Series, learnt: Record) -> NDArray[np.float64] | None:
    if learnt["kind"] in ("constant", "longitude"):
        return None
    if learnt["kind"] == "category":
        texts = as_texts(column)
        return np.column_stack([np.where(texts == level, APART, 0.0) for level in learnt["levels"]])
    numbers = as_numbers(column)
    if numbers is None:
        raise InvalidInputError(
            f"column {learnt['name']!r} holds texts such as {column.dropna().iloc[0]!r}, expected numbers as in the fit"
            if column.notna().any()
            else f"column {learnt['name']!r} has no entry at all, expected numbers as in the fit"
        )
    refuse_infinite(numbers, learnt["name"])
    return np.nan_to_num((numbers - learnt["mean"]) / learnt["scale"], nan=0.0)
