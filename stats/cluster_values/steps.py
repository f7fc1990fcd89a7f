"""The steps of `cluster_value_test`: statistics, p-values, adjustment, and what a reader must know."""

from __future__ import annotations

import warnings
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.arrays import Integers, Reals
from ...base.checks import as_array, same_length
from ...base.errors import InvalidInputError

Method = Literal["normal", "exact"]
Adjust = Literal["holm", "bh"] | None

NORMAL_RULE = 9.0  # The normal approximation is used for n p (1 - p) above this.


class DoubleDippingWarning(UserWarning):
    """The rows that made the clusters also test them: the p-values are too small."""


def statistics(both: Reals, ones: Integers, n: Integers) -> Reals:
    """t (k, 2) against lower and upper limits (k, 2); 0 or infinite at a limit of 0 or 1, nan without test points."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (ones / n)[:, None]
        t = (share - both) / np.sqrt(both * (1 - both) / n[:, None])
    return np.where((share == both) & (n > 0)[:, None], 0.0, t)


def pvalues(both: Reals, statistic: Reals, ones: Integers, n: Integers, method: Method) -> Reals:
    """Normal or exact p-values (k, 2); the exact ones wherever a limit is 0 or 1."""
    from scipy.special import ndtr
    from scipy.stats import binom

    known = (n[:, None] > 0) & ~np.isnan(both)
    exact = np.column_stack([binom.sf(ones - 1, n, both[:, 0]), binom.cdf(ones, n, both[:, 1])])
    normal = np.column_stack([ndtr(-statistic[:, 0]), ndtr(statistic[:, 1])])
    degenerate = (both <= 0) | (both >= 1)
    chosen = np.where(degenerate, exact, normal) if method == "normal" else exact
    return np.where(known, chosen, np.nan)


def adjusted(raw: Reals, adjust: Adjust) -> Reals:
    """p-values adjusted over all that are not nan."""
    known = ~np.isnan(raw)
    if adjust is None or not known.any():
        return raw.copy()
    from scipy.stats import false_discovery_control

    pvalue = raw.copy()
    pvalue[known] = holm(raw[known]) if adjust == "holm" else false_discovery_control(raw[known])
    return pvalue


def holm(raw: Reals) -> Reals:
    """Holm's step-down adjustment: the i-th smallest of m p-values times m - i + 1, never below the one before."""
    order = np.argsort(raw)
    steps = np.maximum.accumulate(raw[order] * np.arange(raw.size, 0, -1))
    stepped = np.empty_like(raw)
    stepped[order] = np.minimum(steps, 1.0)
    return stepped


def notes_on(
    order: NDArray[np.intp], f: Reals, n: Integers, both: Reals, method: Method, own_limits: bool
) -> list[str]:
    """What a reader must know about single clusters."""

    def named(mask: NDArray[np.bool_]) -> str:
        return ", ".join(str(c) for c in order[mask])

    notes = []
    without, empty = np.isnan(f), n == 0
    if without.any():
        notes.append(f"clusters {named(without)} have no training points and hence no value")
    if empty.any():
        notes.append(f"clusters {named(empty)} have no test points: not tested, and not counted in an adjustment")
    tied = np.concatenate([[False], f[1:] == f[:-1]]) | np.concatenate([f[1:] == f[:-1], [False]])
    if tied.any() and not own_limits:
        notes.append(f"clusters {named(tied)} share values: a limit between them is the value")
    flat = ((both <= 0) | (both >= 1)).any(axis=1) & ~empty
    if flat.any():
        notes.append(f"clusters {named(flat)} have a limit of 0 or 1: its exact p-value is used")
    weak = (np.nan_to_num(n[:, None] * both * (1 - both), nan=np.inf) < NORMAL_RULE).any(axis=1) & ~empty & ~flat
    if weak.any() and method == "normal":
        notes.append(f"clusters {named(weak)} have n p (1 - p) < {NORMAL_RULE:g}: prefer method='exact'")
    return notes


def double_dipping(
    labels: Integers,
    classes: Integers,
    test: Integers,
    test_classes: Integers,
    train_index: ArrayLike | None,
    test_index: ArrayLike | None,
) -> tuple[str, ...]:
    """Warn of test points that are training points."""
    if (train_index is None) != (test_index is None):
        raise InvalidInputError("train_index and test_index belong together: pass both or none")
    if train_index is not None and test_index is not None:
        first, second = as_array(train_index, "train_index"), as_array(test_index, "test_index")
        same_length(train_labels=labels, train_index=first)
        same_length(test_labels=test, test_index=second)
        shared = int(np.isin(second, first).sum())
        text = f"{shared} of {second.size} test rows are training rows"
    else:
        same = np.array_equal(labels, test) and np.array_equal(classes, test_classes)
        shared, text = int(same), "training and test rows are identical"
    if not shared:
        return ()
    note = f"double dipping: {text}; p-values are too small, use new rows or selective_mean_test"
    warnings.warn(note, DoubleDippingWarning, stacklevel=3)
    return (note,)
