"""Supervised cuts and groups of one column that need no parameter: the MODL criterion.

n rows of J classes are split into I parts by the values of one column; part i holds n_i rows, n_ij of class j.

    (1)  value = prior(I) + sum_i f(n_i1, ..., n_iJ)                      minimise, natural logarithms
    (2)  f     = log C(n_i + J - 1, J - 1) + log( n_i! / prod_j n_ij! )
               = log( (n_i + J - 1)! / ( (J - 1)! prod_j n_ij! ) )
    (3)  numbers, parts are intervals:        prior(I) = log n + log C(n + I - 1, I - 1)
    (4)  categories, parts are sets of the V values: prior(I) = log V + log B(V, I),  B = ways to split V values
         into at most I groups

(1) is minus the log posterior of the partition; exp of it compares partitions. One part means that the column has
no information on the classes. The compression gain is 1 - value / value of one part.

f, continued by the gamma function, is concave on the non-negative orthant and f(0) = 0: its Hessian is
s 1 1' - diag(a_j) with s = psi'(n + J), a_j = psi'(n_j + 1), and 1/s >= sum_j 1/a_j. So for fixed I the sum in (1)
is a concave function of the parts' sums of count vectors and has its minimum at a vertex of the partition polytope
of the count vectors: its parts are separated by cones. Three rules follow, all used here and tested:

    (5)  neighbouring values of one and the same class alone are never cut apart
    (6)  values with proportional count vectors belong to one group
    (7)  J = 2: the best groups are intervals of the values ordered by their share of class 1
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from ...base.checks import as_array, one_of, same_length, whole_number
from ...base.errors import InvalidInputError
from . import groups as _g
from . import interval_kernels as _k

Method = Literal["auto", "exact", "greedy"]
EXACT_BLOCKS = 2048
"""``method="auto"`` cuts exactly up to this many blocks, and groups two classes exactly up to as many values: tens of
milliseconds and 50 MB at most, about ten times what the greedy search takes."""
EXACT_VALUES = 12  # ``method="auto"`` groups more than two classes exactly up to this many values after rule (6).
KEPT = 256  # Parts that the greedy search passes to the exact one; larger partitions are not considered.


@dataclass(frozen=True, eq=False)
class Parts:
    """What a column's parts say about the classes."""

    counts: NDArray[np.int64]  # (I, J): Training rows of each class in each part.
    value: float  # The criterion (1).
    null_value: float  # Criterion of one part.
    exact: bool  # Whether ``value`` is proved to be the minimum.

    @property
    def n_parts(self) -> int:
        """I."""
        return len(self.counts)

    @property
    def informative(self) -> bool:
        """Whether there is more than one part."""
        return self.n_parts > 1

    @property
    def gain(self) -> float:
        """Compression gain 1 - value / null_value, 0 for one part."""
        return 0.0 if self.null_value <= 0 else max(0.0, 1.0 - self.value / self.null_value)

    @cached_property
    def neutral(self) -> int:
        """The part whose class shares are nearest to those of all rows: where values unseen in training go."""
        whole = self.counts.sum(axis=0) / self.counts.sum()
        share = (self.counts + whole) / (self.counts.sum(axis=1, keepdims=True) + 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.where(share > 0, share * np.log(share / whole), 0.0)
        return int(np.argmin(terms.sum(axis=1)))

    def log_likelihood(self, smoothing: float | None = None) -> NDArray[np.float64]:
        """log P(part | class) (I, J), smoothed: log( (n_ij + e) / (n_j + I e) ); e is 1/(n + 1) by default."""
        e = 1.0 / (self.counts.sum() + 1.0) if smoothing is None else smoothing
        return np.log(self.counts + e) - np.log(self.counts.sum(axis=0) + self.n_parts * e)


@dataclass(frozen=True, eq=False)
class Intervals(Parts):
    """Intervals of a numeric column; the i-th is ``cuts[i-1] < x <= cuts[i]``."""

    cuts: NDArray[np.float64]  # (m,): Increasing ends of all intervals but the last.
    missing: int | None  # Part of the missing entries, the last one.

    def codes(self, x: NDArray[np.float64]) -> NDArray[np.int64]:
        """Part (n,) of every number; NaN unseen in training goes to the neutral part."""
        parts = np.searchsorted(self.cuts, x, side="left").astype(np.int64)
        return np.where(np.isnan(x), self.neutral if self.missing is None else self.missing, parts)


@dataclass(frozen=True, eq=False)
class Groups(Parts):
    """Groups of the values of a category, numbered by size, the largest first."""

    values: NDArray[np.str_]  # (V,): Values in sorted order, without the missing one.
    group: NDArray[np.int64]  # (V,): Group of each value.
    missing: int | None  # Group of the missing entries; None when training had none.

    def codes(self, x: NDArray[np.object_]) -> NDArray[np.int64]:
        """Group (n,) of every text, None for missing; values unseen in training go to the neutral group."""
        absent = np.array([text is None for text in x], dtype=bool)
        parts = np.full(len(x), self.neutral, dtype=np.int64)
        if self.missing is not None:
            parts[absent] = self.missing
        if self.values.size:
            texts, where = _distinct(x[~absent])
            at = np.minimum(np.searchsorted(self.values, texts), self.values.size - 1)
            parts[~absent] = np.where(self.values[at] == texts, self.group[at], self.neutral)[where]
        return parts


def part_costs(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Cost f (I,) of parts with class counts (I, J), formula (2)."""
    J = counts.shape[1]
    return gammaln(counts.sum(axis=1) + J) - gammaln(J) - gammaln(counts + 1.0).sum(axis=1)


def interval_prior(n_rows: int, most: int) -> NDArray[np.float64]:
    """Formula (3) for I = 0 .. most; entry 0 is infinite."""
    parts = np.arange(1, most + 1)
    prior = np.log(n_rows) + gammaln(n_rows + parts) - gammaln(parts) - gammaln(n_rows + 1)
    return np.concatenate([[np.inf], prior])


def group_prior(n_values: int, most: int) -> NDArray[np.float64]:
    """Formula (4) for I = 0 .. most; entry 0 is infinite."""
    prior = np.log(n_values) + _g.log_partition_counts(n_values, most)
    prior[0] = np.inf
    return prior


def cut_numbers(x: NDArray[np.float64], y: NDArray[np.int64], n_classes: int, method: Method = "auto") -> Intervals:
    """Intervals of a numeric column that minimise (1) with (3). Shapes: x (n,), y (n,)."""
    x, y = _checked(x, y, n_classes, method)
    if x.dtype.kind not in "fiub":
        raise InvalidInputError(f"x holds {x.dtype} values, expected numbers: use group_values for texts")
    absent = np.isnan(x)
    present, classes = x[~absent], np.ascontiguousarray(y[~absent], dtype=np.int64)
    # blocks of equal values, or of one class, are never cut (5): the search sees their ends only
    order = np.argsort(present, kind="stable")
    present, classes = present[order], classes[order]
    n = x.size
    whole = np.bincount(y, minlength=n_classes)[None, :]
    null = float(interval_prior(n, 1)[1] + part_costs(whole)[0])
    alone = np.bincount(y[absent], minlength=n_classes)[None, :]
    has_missing = bool(absent.any())
    one = Intervals(whole, null, null, True, np.empty(0), None)
    if present.size == 0:
        return one
    ends, prefix = _k.boundary_blocks(present, classes, n_classes)
    blocks = len(ends)
    exact = method == "exact" or (method == "auto" and blocks <= EXACT_BLOCKS)
    # missing entries are a part of their own, which the prior counts in addition to the intervals
    most = blocks if exact else min(blocks, KEPT)
    prior = interval_prior(n, most + has_missing)[int(has_missing) :]
    prior[0] = np.inf
    lf = gammaln(np.arange(1, n + n_classes + 1, dtype=np.float64))
    cuts = _k.exact_parts(prefix, lf, prior)[0] if exact else _greedy_cuts(prefix, lf, prior, n)
    counts = np.diff(prefix[np.concatenate([[0], cuts])], axis=0)
    counts = np.vstack([counts, alone]) if has_missing else counts
    value = float(prior[len(cuts)] + part_costs(counts).sum())
    # a gain within rounding is zero: one part means that the column is not informative
    if value >= null - _k.TOLERANCE:
        return Intervals(whole, null, null, exact, np.empty(0), None)
    last = ends[cuts[:-1] - 1]
    # cuts are in the middle of a < b, at least a and less than b also where their sum overflows or rounds
    a, b = present[last - 1], present[last]
    middle = a / 2 + b / 2
    places = np.where((middle >= a) & (middle < b), middle, a)
    return Intervals(counts, value, null, exact, places, len(cuts) if has_missing else None)


def group_values(x: NDArray[np.object_], y: NDArray[np.int64], n_classes: int, method: Method = "auto") -> Groups:
    """Groups of a category's values that minimise (1) with (4). Shapes: x (n,), y (n,)."""
    x, y = _checked(x, y, n_classes, method)
    absent = np.array([text is None for text in x], dtype=bool)
    values, codes = _distinct(x[~absent])
    n_values = len(values) + bool(absent.any())
    every = np.full(len(x), len(values), dtype=np.int64)
    every[~absent] = codes
    counts = np.bincount(every * n_classes + y, minlength=n_values * n_classes).reshape(n_values, n_classes)
    # values whose counts have one direction are never separated (6)
    alike, twin = np.unique(counts // np.gcd.reduce(counts, axis=1, keepdims=True), axis=0, return_inverse=True)
    twin = twin.ravel()
    merged = np.zeros((len(alike), n_classes), dtype=np.int64)
    np.add.at(merged, twin, counts)
    prior = group_prior(n_values, min(n_values, EXACT_BLOCKS if n_classes == 2 else KEPT))
    lf = gammaln(np.arange(1, len(x) + n_classes + 1, dtype=np.float64))
    groups, exact = _best_groups(merged, lf, prior, method)
    null = float(prior[1] + part_costs(counts.sum(axis=0)[None, :])[0])
    group = groups[twin]
    sums = np.zeros((groups.max() + 1, n_classes), dtype=np.int64)
    np.add.at(sums, group, counts)
    value = float(prior[len(sums)] + part_costs(sums).sum())
    if value >= null - _k.TOLERANCE:
        group, sums, value = np.zeros(n_values, dtype=np.int64), counts.sum(axis=0)[None, :], null
    order = np.argsort(-sums.sum(axis=1), kind="stable")
    group = np.argsort(order)[group]
    missing = int(group[-1]) if absent.any() else None
    return Groups(sums[order], value, null, exact, values, group[: len(values)], missing)


def _distinct(x: NDArray[np.object_]) -> tuple[NDArray[np.str_], NDArray[np.int64]]:
    """Sorted distinct texts of x (n,), and which of them each entry is; only the distinct entries are sorted."""
    known: dict[object, int] = {}  # pandas before 3.0 takes texts that differ behind a NUL character for one
    places = np.fromiter((known.setdefault(value, len(known)) for value in x), np.int64, len(x))
    found = np.empty(len(known), dtype=object)
    found[:] = list(known)
    texts, order = np.unique(found.astype(str), return_inverse=True)
    return texts, order[places].astype(np.int64)


def _checked(x: NDArray, y: NDArray, n_classes: int, method: str) -> tuple[NDArray, NDArray]:
    """A column (n,) and the classes 0 .. n_classes - 1 of its rows."""
    one_of(method, "method", ("auto", "exact", "greedy"))
    whole_number(n_classes, "n_classes")
    x, y = as_array(x, "x"), as_array(y, "y")
    if not same_length(x=x, y=y):
        raise InvalidInputError("the column has no rows: pass at least one")
    if x.ndim != 1 or y.ndim != 1:
        raise InvalidInputError(f"x has shape {x.shape}, y {y.shape}, expected (n,): pass one column and its classes")
    if y.dtype.kind not in "biu" or y.min() < 0 or y.max() >= n_classes:
        raise InvalidInputError(f"y must hold classes 0..{n_classes - 1}: pass whole numbers below n_classes")
    return x, y


def _greedy_cuts(prefix: NDArray, lf: NDArray, prior: NDArray, n_rows: int) -> NDArray[np.int64]:
    """Thin out, join best-first, cut the last `KEPT` parts exactly, post-optimise; keep the best of the two."""
    cuts = _k.thin_cuts(prefix, lf, np.arange(1, len(prefix)), 16 * KEPT, n_rows)
    left, best_parts = _k.merge_cuts(prefix, lf, cuts, prior)
    coarse = cuts[left < KEPT]
    chosen = coarse[_k.exact_parts(prefix[np.concatenate([[0], coarse])], lf, prior)[0] - 1]
    tried = [_k.refine_cuts(prefix, lf, start.copy(), prior) for start in (chosen, cuts[left < best_parts])]
    union = np.unique(np.concatenate([coarse, *tried]))
    return union[_k.exact_parts(prefix[np.concatenate([[0], union])], lf, prior)[0] - 1]


def _best_groups(counts: NDArray[np.int64], lf: NDArray, prior: NDArray, method: str) -> tuple[NDArray[np.int64], bool]:
    """Groups 0 .. I-1 (V,) of rows of counts, and whether they are optimal."""
    V, J = counts.shape
    limit = EXACT_BLOCKS if J <= 2 else EXACT_VALUES
    if method == "exact" or (method == "auto" and limit >= V):
        if J <= 2:
            order = np.argsort(counts[:, -1] / counts.sum(axis=1), kind="stable")
            groups, limited = _consecutive(counts, order, lf, prior, exact=True)
            return groups, not limited
        if V > 20:
            raise InvalidInputError(f"method='exact' takes at most 20 values of {J} classes, got {V}: use 'auto'")
        return _g.exact_groups(counts, lf, prior), True
    start = np.arange(V)
    if V > KEPT:
        share = counts / counts.sum(axis=1, keepdims=True)
        share = share - counts.sum(axis=0) / counts.sum()
        axis = np.linalg.svd(share * np.sqrt(counts.sum(axis=1, keepdims=True)), full_matrices=False)[2][0]
        start, _ = _consecutive(counts, np.argsort(share @ axis, kind="stable"), lf, prior, exact=False)
    rows = np.zeros((start.max() + 1, J), dtype=np.int64)
    np.add.at(rows, start, counts)
    groups = _numbered(_g.merge_groups(rows, lf, prior)[start])
    return _numbered(_g.refine_groups(counts, groups, lf, prior)), False


def _consecutive(
    counts: NDArray[np.int64], order: NDArray, lf: NDArray, prior: NDArray, *, exact: bool
) -> tuple[NDArray[np.int64], bool]:
    """Groups of consecutive rows in the given order, and whether the search was limited: the best ones where it is to
    be ``exact``, otherwise `KEPT` by best-first joining."""
    prefix = np.vstack([np.zeros((1, counts.shape[1]), dtype=np.int64), counts[order].cumsum(axis=0)])
    cuts, limited = _k.exact_parts(prefix, lf, prior) if exact else (np.arange(1, len(prefix)), True)
    if not exact:
        cuts = cuts[_k.merge_cuts(prefix, lf, cuts, prior)[0] < KEPT]
    groups = np.empty(len(counts), dtype=np.int64)
    groups[order] = np.searchsorted(cuts, np.arange(len(counts)), side="right")
    return groups, limited


def _numbered(groups: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.unique(groups, return_inverse=True)[1].ravel().astype(np.int64)
