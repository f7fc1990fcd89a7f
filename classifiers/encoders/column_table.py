"""Conditional means of one column: a table from values to numbers.

    t(v) = ( sum_{j : x_j = v} y_j  +  m ybar ) / ( #{j : x_j = v} + m )       (1)
    t(v) = ybar                       for a value v that no training row holds  (2)

m >= 0 is the smoothing weight, 0 for the plain conditional mean; ybar the mean of y over all training rows, so
that the encoded column has mean ybar whenever m = 0. A missing entry is a value of its own in (1).

Empirical Bayes chooses m from the column itself, by the analysis of variance with random effects: with n_v of the n
rows at each of V values, W = sum (y_j - t(x_j))^2 and B = sum n_v (t(v) - ybar)^2 for the plain means t,

    s^2 = W / (n - V)                                  variance within a value
    u^2 = ( B - (V - 1) s^2 ) / ( n - sum n_v^2 / n )  variance between the values' own means
    m   = s^2 / u^2,   infinite when u^2 <= 0, V = 1 or V > n / 2, or when B / (V - 1) / s^2 is below the 90 %
                       quantile of the F distribution with V - 1 and n - V degrees of freedom            (3)

so that means which differ no more than chance makes them differ are drawn together to ybar. A column has no place in
the encoding unless it tells the classes apart. With p_fc the chance of an F so large for class c in column f,

    p_f = C P min_c p_fc,  the columns with p_f <= 1 % are kept, or that of the smallest p_f where there is none    (5)

P is 1 or, of the columns that `TableCleaner` makes of one date, how many they are: each is another try of chance.
Without it a column of noise would keep a little of its noise in half of all samples, enough to send a clustering to
another local optimum. The level is that of one column, so that no column depends on what others there are.

Cross-fitting encodes a training row by (1) over the rows of the other folds, with the same m and ybar: a row's own
label is then no part of its encoding, however rare its value.                                     (4)

Three kinds of columns share the rule and differ in what counts as the same value: `category` compares texts,
`number` compares floats, `bins` compares the interval that holds the number. A fourth, `line`, is straight between
values (`line_column`). Supervised intervals and groups (MODL) are tables too: equal means within a group of texts, or
within an interval.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import fdtrc

from ...base.columns import as_numbers, as_texts, numbers_as_learnt, refuse_infinite
from ...solvers.predictive.log_likelihoods import fit_parts, part_codes
from ...stats.modl.cuts_and_groups import Groups

Kind = Literal["category", "number", "bins", "line"]


@dataclass(frozen=True, eq=False)
class ColumnTable:
    """Fitted rule (1), (2) of one column."""

    name: str  # Column name, for messages.
    kind: Kind  # Kind of equality of values; "line" is straight between the keys.
    keys: NDArray  # (m,): Values of the column.
    means: NDArray[np.float64]  # (m, c): Means t(v), row by row; one row more than keys for bins.
    missing: NDArray[np.float64]  # (c,): Mean of missing entries; the overall mean when training had none.
    default: NDArray[np.float64]  # (c,): Overall mean, for values without a row of their own.

    def transform(self, column: pd.Series) -> NDArray[np.float64]:
        """Encoded column (n, c); a value that training did not hold gives ``default``."""
        if self.kind == "category":
            which, texts = pd.factorize(as_texts(column))
            absent = which < 0
            known = pd.Index(self.keys, dtype=object).get_indexer(pd.Index(texts, dtype=object))
            rows = np.append(known, -1)[which]
        else:
            absent = pd.isna(column).to_numpy()
            numbers = numbers_as_learnt(column)
            if self.kind == "line":
                straight = np.column_stack([np.interp(numbers, self.keys, mean) for mean in self.means.T])
                return np.where(np.isnan(numbers)[:, None], self.default, straight)
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


CLASS_LEVEL = 0.1
"""Level of the test whether the means of one class differ at all, in a column that tells the classes apart."""
AUTO_BINS = 5  # Intervals of ``bins="auto"``: fifths, as in the dissertation's experiments.
AUTO_ROWS = 10  # Rows per value, on average, down to which ``bins="auto"`` takes values one by one.


def _interval_ends(present: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Quantiles 1/count, ..., (count-1)/count, each a value of the data, without repeats or the maximum."""
    ordered = np.sort(present)  # where `np.quantile` with "inverted_cdf" looks
    places = np.ceil(present.size * (np.arange(1, count) / count) - 1.0).astype(np.int64)
    ends = ordered[np.maximum(places, 0)]
    return np.unique(ends[ends < ordered[-1]])


@dataclass(frozen=True, eq=False)
class GroupedColumn:
    """A training column (n,), its entries put into groups that count as the same value."""

    name: str
    kind: Kind
    keys: NDArray
    key_groups: NDArray[np.int64]  # (m,): Group of every key, or of every interval.
    missing: int | None  # Group of the missing entries.
    codes: NDArray[np.int64]  # (n,): Group of every row.
    targets: NDArray[np.float64]  # (n, c): Averaged targets, such as one column per class indicator.

    @classmethod
    def of(
        cls, column: pd.Series, targets: NDArray[np.float64], bins: int | Literal["auto", "modl"] | None
    ) -> GroupedColumn:
        """Groups of a column. Shapes: column (n,), targets (n, c)."""
        name = str(column.name)
        if bins == "modl":
            single = targets.shape[1] == 1
            y = targets[:, 0].astype(np.int64) if single else targets.argmax(axis=1)
            part = fit_parts(column, y, 2 if single else targets.shape[1])
            codes = part_codes(part, column)
            if isinstance(part, Groups):
                return cls(name, "category", part.values, part.group, part.missing, codes, targets)
            return cls(name, "bins", part.cuts, np.arange(part.cuts.size + 1), part.missing, codes, targets)
        numbers = as_numbers(column)
        kind: Kind
        if numbers is None:
            which, texts = pd.factorize(as_texts(column))
            absent, kind = which < 0, "category"
            keys, place = np.unique(texts.astype(str), return_inverse=True)
            codes = place[which[~absent]]
        else:
            refuse_infinite(numbers, column.name)
            absent, kind = np.isnan(numbers), "number"
            present = numbers[~absent]
            keys, codes = np.unique(present, return_inverse=True)
            count = AUTO_BINS if bins == "auto" and keys.size * AUTO_ROWS > present.size else bins
            if isinstance(count, int | np.integer) and keys.size > count:
                kind, keys = "bins", _interval_ends(present, count)
                codes = np.searchsorted(keys, present, side="left")
        groups = keys.size + (kind == "bins")
        whole = np.full(len(absent), groups, dtype=np.int64)
        whole[~absent] = codes
        return cls(name, kind, keys, np.arange(groups), groups if absent.any() else None, whole, targets)

    @cached_property
    def mean_squares(self) -> MeanSquares:
        """Squares between the groups and inside them."""
        sums, default = self.sums, self.sums.default
        held = sums.counts > 0
        counts, n, values = sums.counts[held], sums.counts.sum(), int(held.sum())
        if values == 1 or 2 * values > n:
            return MeanSquares(0.0 * default, 1.0 + 0.0 * default, 1, 1, 1.0)
        between = (counts[:, None] * (sums.sums[held] / counts[:, None] - default) ** 2).sum(axis=0)
        inside = np.maximum(sums.squares - between, 0.0) / (n - values)
        unit = (n - (counts**2).sum() / n) / (values - 1)
        return MeanSquares(between / (values - 1), inside, values - 1, int(n) - values, float(unit))

    @cached_property
    def sums(self) -> _GroupSums:
        """Counts and sums of the groups."""
        return _GroupSums.of(self.codes, self.targets, int(self.codes.max()) + 1)

    def table(self, m: NDArray[np.float64]) -> ColumnTable:
        """(1) and (2) with the weights m (c,)."""
        means, default = self.sums.means(m), self.sums.default
        missing = default if self.missing is None else means[self.missing]
        return ColumnTable(self.name, self.kind, self.keys, means[self.key_groups], missing, default)

    def encoded(self, m: NDArray[np.float64], folds: NDArray[np.int64] | None) -> NDArray[np.float64]:
        """The column itself (n, c): by (1), or cross-fitted by (4) where every row has a fold."""
        if folds is None:
            return self.sums.means(m)[self.codes]
        # the sums (f, g) without the rows of each fold 0, ..., f - 1; the mean of all rows stays
        shape = int(folds.max()) + 1, len(self.sums.counts)
        out = _GroupSums.of(folds * shape[1] + self.codes, self.targets, shape[0] * shape[1])
        counts, sums = self.sums.counts - out.counts.reshape(shape), self.sums.sums - out.sums.reshape(*shape, -1)
        return replace(self.sums, counts=counts, sums=sums).means(m)[folds, self.codes]


@dataclass(frozen=True, eq=False)
class MeanSquares:
    """B / f and W / g (c,) of (3) with degrees of freedom f and g; u^2 is their difference over ``unit``."""

    between: NDArray[np.float64]
    inside: NDArray[np.float64]
    f: int
    g: int
    unit: float

    def chances(self) -> NDArray[np.float64]:
        """p-values (c,) of (5): how often plain means differ as much as these where the values' own means are equal."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(self.inside > 0, fdtrc(float(self.f), float(self.g), self.between / self.inside), 0.0)

    def shrinkage(self) -> NDArray[np.float64]:
        """m (c,) of (3)."""
        spread = (self.between - self.inside) / self.unit
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where((spread > 0) & (self.chances() <= CLASS_LEVEL), self.inside / spread, np.inf)


@dataclass(frozen=True, eq=False)
class _GroupSums:
    """Rows (..., g) and sums (..., g, c) of targets in every group, the mean (c,) of all rows, their squares (c,)."""

    counts: NDArray[np.float64]
    sums: NDArray[np.float64]
    default: NDArray[np.float64]
    squares: NDArray[np.float64]

    @classmethod
    def of(cls, codes: NDArray[np.int64], targets: NDArray[np.float64], n_groups: int) -> _GroupSums:
        counts: NDArray[np.float64] = np.bincount(codes, minlength=n_groups).astype(np.float64)
        sums: Any = np.column_stack([np.bincount(codes, weights=t, minlength=n_groups) for t in targets.T])
        default = targets.mean(axis=0)
        return cls(counts, sums, default, ((targets - default) ** 2).sum(axis=0))

    def means(self, smoothing: NDArray[np.float64]) -> NDArray[np.float64]:
        """(1) of every group for weights m (c,)."""
        weight = self.counts[..., None] + smoothing
        drawn = np.where(np.isfinite(smoothing), smoothing, 0.0) * self.default
        with np.errstate(invalid="ignore", divide="ignore"):
            means = (self.sums + drawn) / weight
        return np.where((weight > 0) & np.isfinite(weight), means, self.default)
