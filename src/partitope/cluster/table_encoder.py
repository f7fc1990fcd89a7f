"""Tables without a target as points: numbers on one scale, categories as their indicators.

    number      z = (x - mean) / standard deviation          a missing value is the mean, z = 0
    map         z = (x - mean) / s for both of its columns   s^2 is the mean of their two variances (`map_columns`)
    category    z_l = 1 / sqrt 2 if x is level l, else 0     two different levels are at distance 1; missing: all 0

So a step of one standard deviation and another level of a category count the same. Levels beyond the `MOST_LEVELS` most
frequent ones, and those not seen in the fit, have all indicators 0. Columns that hold one value are left out.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..base.atomic_fit import AtomicFit
from ..base.checks import finite_rows
from ..base.columns import MixedTable, as_frame, as_numbers, as_texts, input_names, refuse_infinite
from ..base.errors import InvalidInputError
from .map_columns import map_columns, one_scale

MOST_LEVELS = 30
APART = float(np.sqrt(0.5))
ROUNDING = 1e-12
"""Size of a mean, in the distance from the mean of all rows, up to which it is rounding of 0."""


class TableEncoder(AtomicFit, MixedTable, TransformerMixin, BaseEstimator):
    """Numbers standardised, categories as indicators: points for a clustering of a table that has no target.

    Attributes
    ----------
    columns_ : list of dict
        One a column: its ``name`` and ``kind``, "number" with ``mean`` and ``scale`` and of a map the name of the other
        column, "category" with ``levels`` in order of frequency and ``others`` (how many are left out), or "constant".
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Raises
    ------
    InvalidInputError
        From ``fit``: a column holds infinite numbers, or every column holds one value only. From ``transform``: a
        column of numbers holds texts.

    Notes
    -----
    Exact. O(n) a column; a table of p numbers and levels in all becomes an (n, p) array.

    Examples
    --------
    >>> import pandas as pd
    >>> from partitope.cluster.table_encoder import TableEncoder
    >>> TableEncoder().fit_transform(pd.DataFrame({"x": [0, 2], "kind": ["a", "b"]})).round(2)
    array([[-1.  ,  0.71,  0.  ],
           [ 1.  ,  0.  ,  0.71]])
    """

    stored: ClassVar[tuple[str, ...]] = ("columns_",)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn means, scales and levels of the columns of X (n, d); y is ignored."""
        frame = as_frame(self, X, reset=True)
        self.columns_ = [_learn(frame.iloc[:, f]) for f in range(frame.shape[1])]
        numbers = {column["name"]: column for column in self.columns_ if column["kind"] == "number"}
        for east, north in map_columns(list(numbers)):
            one_scale(numbers[east], numbers[north])
        if all(column["kind"] == "constant" for column in self.columns_):
            raise InvalidInputError(
                f"every column of X holds one value only (n_samples={len(frame)}): there is nothing to cluster by"
            )
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Points (m, p) of the rows of X (m, d)."""
        check_is_fitted(self, "columns_")
        frame = as_frame(self, X, reset=False)
        parts = [_encode(frame.iloc[:, f], column) for f, column in enumerate(self.columns_)]
        return np.column_stack([part for part in parts if part is not None])

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """Names (p,) of the coordinates: those of the columns, and ``column=level`` for categories."""
        check_is_fitted(self, "columns_")
        names: list[str] = []
        for name, column in zip(input_names(self, input_features), self.columns_):
            names += [str(name)] if column["kind"] == "number" else []
            names += [f"{name}={level}" for level in column.get("levels", [])]
        return np.array(names, dtype=object)

    def describe(self, centres: ArrayLike) -> pd.DataFrame:
        """What centres (k, p) are in the table's own units: one row a column, one column a centre.

        A number has its mean; a category its most frequent level among those that are kept, with its share.

        Raises
        ------
        InvalidInputError
            When the centres are no points of this encoder.
        """
        centres = finite_rows(centres, "centres", n_columns=len(self.get_feature_names_out()))
        rows, place = {}, 0
        for column in self.columns_:
            if column["kind"] == "number":
                moved = column["scale"] * centres[:, place]
                means = column["mean"] + moved
                means[np.abs(means) <= ROUNDING * np.abs(moved)] = 0.0  # what is left of a difference of equal numbers
                rows[column["name"]] = means.tolist()
                place += 1
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
                    f"{len(column['levels'])} most frequent ones are told apart, the others are not"
                )
            if column.get("missing"):
                lines.append(f"column {column['name']!r} lacks {column['missing']} values: taken as its mean")
        return lines

    def map_remarks(self) -> list[str]:
        """A sentence for every two columns that are a map."""
        pairs = {tuple(sorted((column["name"], column["map"]))) for column in self.columns_ if "map" in column}
        return [
            f"columns {a} and {b} are a map by their names: one scale for both, so that distances on it stay true"
            for a, b in sorted(pairs)
        ]


def _learn(column: pd.Series) -> dict[str, Any]:
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
    return {"name": name, "kind": "number", "mean": mean, "scale": scale, "missing": len(numbers) - len(present)}


def _encode(column: pd.Series, learnt: dict[str, Any]) -> NDArray[np.float64] | None:
    if learnt["kind"] == "constant":
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
