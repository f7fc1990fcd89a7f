"""Conditional means of one column: a table from values to numbers.

    t(v) = ( sum_{j : x_j = v} y_j  +  m ybar ) / ( #{j : x_j = v} + m )       (1)
    t(v) = ybar                       for a value v that no training row holds  (2)

m >= 0 is the smoothing weight, 0 for the plain conditional mean; ybar the mean of y over all training rows, so
that the encoded column has mean ybar whenever m = 0. A missing entry is a value of its own in (1).

Three kinds of columns share the rule and differ in what counts as the same value: `category` compares texts,
`number` compares floats, `bins` compares the interval that holds the number. Supervised intervals and groups
(MODL) are tables too: equal means within a group of texts, or within an interval.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...base.columns import as_numbers, as_texts, refuse_infinite
from ...base.errors import InvalidInputError
from ...solvers.predictive.log_likelihoods import fit_parts, part_codes
from ...stats.modl.parts import Groups
from ..state import reads_state

Kind = Literal["category", "number", "bins"]


@dataclass(frozen=True, eq=False)
class ColumnTable:
    """Fitted rule (1), (2) of one column.

    Attributes
    ----------
    name : str
        Column name, for messages.
    kind : {"category", "number", "bins"}
        What counts as the same value.
    keys : (m,) ndarray
        Values: texts in sorted order (category), floats in increasing order (number), or the upper ends of
        all intervals but the last (bins: the i-th interval is ``keys[i-1] < x <= keys[i]``).
    means : (m, c) or (m + 1, c) ndarray
        t(v), row by row; one row more than keys for bins.
    missing : (c,) ndarray
        t of a missing entry; the overall mean when training had none.
    default : (c,) ndarray
        ybar, for values without a row of their own.
    """

    name: str
    kind: Kind
    keys: NDArray
    means: NDArray[np.float64]
    missing: NDArray[np.float64]
    default: NDArray[np.float64]

    @classmethod
    def fit(
        cls,
        column: pd.Series,
        targets: NDArray[np.float64],
        bins: int | Literal["auto", "modl"] | None,
        smoothing: float,
    ) -> ColumnTable:
        """Table of one training column (n,) against targets (n, c).

        Parameters
        ----------
        column : pandas.Series
            Training values.
        targets : (n, c) ndarray
            What is averaged, one column a class indicator.
        bins : int, "auto", "modl" or None
            Number of quantile intervals for numbers, "auto" for `AUTO_BINS` of them where values are too
            rare to be averaged one by one, None for every value by itself; texts have no such intervals.
            "modl" for the intervals and groups of `partitope.stats.modl`; ``targets`` must be indicators then.
        smoothing : float
            m of (1).
        """
        default = targets.mean(axis=0)
        if bins == "modl":
            return cls._of_parts(column, targets, default, smoothing)
        numbers = as_numbers(column)
        kind: Kind = "category" if numbers is None else "number"
        if numbers is None:
            texts = as_texts(column)
            absent = np.array([text is None for text in texts])
            keys, codes = np.unique(texts[~absent].astype(str), return_inverse=True)
        else:
            refuse_infinite(numbers, column.name)
            absent = np.isnan(numbers)
            present = numbers[~absent]
            keys, codes = np.unique(present, return_inverse=True)
            count = AUTO_BINS if bins == "auto" and keys.size * AUTO_ROWS > present.size else bins
            if isinstance(count, int) and keys.size > count:
                kind, keys = "bins", _interval_ends(present, count)
                codes = np.searchsorted(keys, present, side="left")
        rows = keys.size + (kind == "bins")
        means = _group_means(codes, targets[~absent], rows, default, smoothing)
        missing = _group_means(np.zeros(absent.sum(), dtype=np.int64), targets[absent], 1, default, smoothing)[0]
        return cls(str(column.name), kind, keys, means, missing, default)

    @classmethod
    def _of_parts(
        cls, column: pd.Series, targets: NDArray[np.float64], default: NDArray[np.float64], smoothing: float
    ) -> ColumnTable:
        """Table that is constant on every supervised interval or group."""
        single = targets.shape[1] == 1
        y = targets[:, 0].astype(np.int64) if single else targets.argmax(axis=1)
        part = fit_parts(column, y, 2 if single else targets.shape[1])
        by_part = _group_means(part_codes(part, column), targets, part.n_parts, default, smoothing)
        missing = default if part.missing is None else by_part[part.missing]
        if isinstance(part, Groups):
            return cls(str(column.name), "category", part.values, by_part[part.group], missing, default)
        return cls(str(column.name), "bins", part.cuts, by_part[: part.cuts.size + 1], missing, default)

    def transform(self, column: pd.Series) -> NDArray[np.float64]:
        """Encoded column (n, c); a value that training did not hold gives ``default``."""
        if self.kind == "category":
            texts = as_texts(column)
            absent = np.array([text is None for text in texts], dtype=bool)
            rows = np.full(len(texts), -1, dtype=np.int64)
            rows[~absent] = pd.Index(self.keys).get_indexer(pd.Index(texts[~absent].astype(str)))
        else:
            absent = pd.isna(column).to_numpy()
            numbers = as_numbers(column)
            if numbers is None:  # texts where training had numbers: read what can be read
                numbers = pd.to_numeric(pd.Series(as_texts(column), dtype=object), errors="coerce").to_numpy(np.float64)
            refuse_infinite(numbers, self.name)
            rows = np.searchsorted(self.keys, numbers, side="left")
            if self.kind == "number" and self.keys.size:
                found = self.keys[np.minimum(rows, self.keys.size - 1)] == numbers
                rows = np.where(found, rows, -1)
            elif self.kind == "number":
                rows = np.full(len(numbers), -1)
            rows = np.where(np.isnan(numbers), -1, rows)
        encoded = np.where((rows >= 0)[:, None], np.vstack([self.means, self.default])[rows], self.default)
        encoded[absent] = self.missing
        return encoded

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, numbers and texts."""
        return {
            "name": self.name,
            "kind": self.kind,
            "keys": self.keys.tolist(),
            "means": self.means.tolist(),
            "missing": self.missing.tolist(),
            "default": self.default.tolist(),
        }

    @classmethod
    @reads_state
    def from_dict(cls, state: Mapping[str, Any]) -> ColumnTable:
        """Inverse of `to_dict`.

        Raises
        ------
        InvalidInputError
            When an entry is absent or shapes disagree.
        """
        kind = state["kind"]
        if kind not in ("category", "number", "bins"):
            raise InvalidInputError(f"column kind {kind!r} is not known: choose 'category', 'number' or 'bins'")
        default = np.array(state["default"], dtype=np.float64)
        keys = np.array(state["keys"], dtype=str if kind == "category" else np.float64)
        means = np.array(state["means"], dtype=np.float64).reshape(-1, default.size)
        missing = np.array(state["missing"], dtype=np.float64)
        finite = all(np.isfinite(block).all() for block in (means, missing, default))
        if len(means) != keys.size + (kind == "bins") or missing.shape != default.shape or not finite:
            raise InvalidInputError(f"column {state['name']!r}: {len(means)} means do not fit {keys.size} keys")
        if keys.size > 1 and not (keys[1:] > keys[:-1]).all():
            raise InvalidInputError(f"column {state['name']!r}: keys must increase strictly")
        return cls(str(state["name"]), kind, keys, means, missing, default)


AUTO_BINS = 5
"""Intervals that ``bins="auto"`` makes: fifths, as in the dissertation's experiments."""
AUTO_ROWS = 10
"""``bins="auto"`` takes values one by one as long as a value has this many rows on average."""


def _interval_ends(present: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Quantiles 1/count, ..., (count-1)/count, each a value of the data, without repeats or the maximum."""
    ends = np.quantile(present, np.arange(1, count) / count, method="inverted_cdf")
    return np.unique(ends[ends < present.max()])


def _group_means(
    codes: NDArray, targets: NDArray[np.float64], n_groups: int, default: NDArray[np.float64], smoothing: float
) -> NDArray[np.float64]:
    counts = np.bincount(codes, minlength=n_groups).astype(np.float64)
    sums = np.column_stack([np.bincount(codes, weights=t, minlength=n_groups) for t in targets.T])
    weight = (counts + smoothing)[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        means = (sums + smoothing * default) / weight
    return np.where(weight > 0, means, default)
