"""Rows of the tables of the papers: a printed figure, ours, its interval, the verdict.

The verdicts are those of `partitope.reproduce.verdict`, with more:

    no data     the set's files are neither in the data home nor could be downloaded; the note names the file
    not run     the data are there, but this method was not computed; the note says why
    differs     the printed figure lies outside the interval, and neither side is better

For a measure that is better when smaller (SMALLER), beaten and missed change places. Three intervals are used:

    clusterings   Wilson's for the matched accuracy; for the other measures of agreement the jackknife over the points
    k-fold        mean over r test sets, t interval with the variance corrected for overlapping training sets,
                  s^2 (1/r + n_test/n_train), by Nadeau and Bengio
    splits        mean over random splits of one set: the variance of the mean over splits and that of a share of n
                  rows together, since both the splits and the rows could have been others
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from ..stats import accuracy_interval
from ..stats.agreement import partition_agreement
from .verdict import Z95, verdict

COLUMNS = ("table", "data", "method", "metric", "paper", "ours", "difference", "low", "high", "verdict", "seconds",
           "note")  # fmt: skip
SMALLER = frozenset({"NMI_c", "JI"})
_TURNED = {"beaten": "missed", "missed": "beaten"}


@dataclass(frozen=True)
class Printed:
    """One printed number of a paper.

    Attributes
    ----------
    table : str
        Where it stands.
    data, method, metric : str
        What it is about.
    value : float
        The number, in the paper's unit.
    sd : float or None
        The standard deviation printed with it.
    """

    table: str
    data: str
    method: str
    metric: str
    value: float
    sd: float | None = None


def find(printed: Sequence[Printed], data: str, method: str, metric: str) -> Printed | None:
    """The printed figure of a row, if there is one."""
    return next((p for p in printed if (p.data, p.method, p.metric) == (data, method, metric)), None)


def as_row(
    table: str,
    data: str,
    method: str,
    metric: str,
    paper: float | None,
    ours: tuple[float, float, float],
    seconds: float = np.nan,
    note: str = "",
) -> dict[str, Any]:
    """A row of the report; ``ours`` is (value, low, high)."""
    value, low, high = (float(number) for number in ours)
    word = verdict(paper, low, high)
    return {
        "table": table,
        "data": data,
        "method": method,
        "metric": metric,
        "paper": np.nan if paper is None else paper,
        "ours": round(value, 4),
        "difference": round(value - (np.nan if paper is None else paper), 4),
        "low": round(low, 4),
        "high": round(high, 4),
        "verdict": _TURNED.get(word, word) if metric in SMALLER else word,
        "seconds": round(seconds, 2),
        "note": note,
    }


def absent(figure: Printed, word: str, note: str) -> dict[str, Any]:
    """The row of a printed figure that nothing of ours stands beside; ``word`` is its verdict."""
    row = as_row(figure.table, figure.data, figure.method, figure.metric, figure.value, (np.nan,) * 3, note=note)
    return row | {"verdict": word}


def as_frame(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Rows as a DataFrame with the columns in the order of `COLUMNS`, others after them."""
    frame = pd.DataFrame(list(rows))
    return frame[[*COLUMNS, *(c for c in frame.columns if c not in COLUMNS)]] if len(frame) else frame


def fold_interval(values: ArrayLike, ratio: float, repetitions: int = 1) -> tuple[float, float, float]:
    """Mean and 95 % interval of the values (r,) of test sets, ``ratio`` = n_test/n_train; "k-fold" above.

    ``repetitions`` is only stated for the reader: repeated folds count as further values of r.
    """
    found = np.asarray(values, dtype=np.float64)
    mean, r = float(found.mean()), len(found)
    if r < 2:
        return mean, -np.inf, np.inf
    half = float(stats.t.ppf(0.975, r - 1) * found.std(ddof=1) * np.sqrt(1.0 / r + ratio))
    return mean, mean - half, mean + half


def split_interval(values: ArrayLike, n_rows: int) -> tuple[float, float, float]:
    """Mean and 95 % interval of shares (r,) over random splits, each measured on n_rows rows; "splits" above."""
    found = np.asarray(values, dtype=np.float64)
    mean = float(found.mean())
    spread = found.var(ddof=1) / len(found) if len(found) > 1 else 0.0
    half = Z95 * float(np.sqrt(spread + mean * (1.0 - mean) / n_rows))
    return mean, max(0.0, mean - half), min(1.0, mean + half)


def agreement_measures(labels: ArrayLike, truth: ArrayLike, covariate: ArrayLike | None) -> dict[str, list[float]]:
    """ACC and NMI_g against the truth, NMI_c and JI against the covariate, each as [value, low, high]."""
    found = partition_agreement(labels, truth, average="max")
    n = found.n
    low, high = accuracy_interval(round(found.accuracy * n), n, method="wilson")
    measures = {"ACC": [found.accuracy, low, high], "NMI_g": _jackknife(labels, truth, "mutual_information", "max")}
    if covariate is not None:
        measures["NMI_c"] = _jackknife(labels, covariate, "mutual_information", "geometric")
        measures["JI"] = _jackknife(labels, covariate, "jaccard", "geometric")
    return measures


def _jackknife(first: ArrayLike, second: ArrayLike, measure: str, average: Any) -> list[float]:
    """Value and 95 % interval; points of the same pair of clusters have the same leave-one-out value."""
    _, pair, counts = np.unique(
        np.column_stack([np.unique(np.asarray(part), return_inverse=True)[1] for part in (first, second)]),
        axis=0, return_index=True, return_counts=True,
    )  # fmt: skip
    a, b = np.asarray(first), np.asarray(second)

    def value(rows: Any) -> float:
        return float(getattr(partition_agreement(a[rows], b[rows], average=average, self_pairs=True), measure))

    everyone = np.arange(len(a))
    left_out = np.array([value(everyone != point) for point in pair])
    mean = np.average(left_out, weights=counts)
    half = Z95 * np.sqrt((len(a) - 1) / len(a) * (counts * (left_out - mean) ** 2).sum())
    whole = value(everyone)
    return [whole, max(0.0, whole - half), min(1.0, whole + half)]
