"""Rows of the tables of the papers: a printed figure, ours, its 95 % interval and a verdict.

    met                the printed figure is inside our interval, and no farther from ours than the tolerance
    checked            the same for what follows from printed figures, or for a bound that cannot fail
    undecided          it is inside our interval, but farther from ours: the data cannot tell the two apart
    beaten             our method is better and the printed figure is outside our interval
    competitor better  the same for a method of others: it does better here than the paper prints
    competitor worse   a method of others does worse here than printed, under settings that are not printed
    missed             ours is worse and the printed figure is outside our interval
    not printed        there is no figure to compare with
    differs            the printed figure is outside the interval, and neither side is better
    no data            the set's files are not in the data home, could not be downloaded or read; the note says which
    not run            the data are there, but this method was not computed; the note says why

The tolerance is TOLERANCE (.01, one point in percent), or the printed standard deviation where that is larger. All
measures are better when larger, but those of SMALLER. The interval is the uncertainty of our figure if the rows of the
test set were drawn again; for a measure of BOUNDED it is cut off at 0 and 1. Where the paper's own rows are used again
(``same_rows`` of a study), only drawings of folds and starts can differ: nothing is undecided, and a figure inside the
interval but beyond the tolerance is beaten or missed. Sensitivity and specificity of one classifier are one pair: if
one is beaten and the other missed, a threshold has moved, and both differ. The column ``difference`` is ours less the
printed one. The intervals:

    one test set  Wilson's for a share (accuracy over all rows, sensitivity over the positive rows, specificity over
                  the negative ones), Hanley and McNeil's for the AUC
    clusterings   Wilson's for the matched accuracy; for the other measures of agreement the jackknife over the points
    starts        on a paper's own test rows, for other seeds alone: see `studies.cac_intervals`
    k-fold        mean over r test sets, t interval with the variance corrected for overlapping training sets,
                  s^2 (1/r + n_test/n_train), by Nadeau and Bengio
    splits        mean over random splits of one set: the variance of the mean over splits and that of a share of n
                  rows together, since both the splits and the rows could have been others

Rows name what they are about by ``table, data, method``; those of the dissertation by ``table, scenario, k, classifier,
part``. `JUDGED` follows in both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from partitope.stats import accuracy_interval, binary_report

from ..printed import Figure, Printed
from .agreement import partition_agreement

Z95 = 1.959963984540054
JUDGED = ("metric", "paper", "ours", "difference", "low", "high", "verdict")
COLUMNS = ("table", "data", "method", *JUDGED, "seconds", "note")
DISSERTATION = ("table", "scenario", "k", "classifier", "part", *JUDGED)
"""Columns of the dissertation's rows; ``seconds`` and others may follow."""
SMALLER = frozenset({"NMI_c", "JI"})
BOUNDED = frozenset({"ACC", "SENS", "SPEC", "AUC", "F1", "NMI_g", "NMI_c", "JI"})
"""Measures between 0 and 1, or 0 and 100 percent."""
RATIOS = frozenset({"robustness ACC", "robustness AUC"})  # test over training score, a share whatever the unit
PAIR = ("preprocessing", "table", "scenario", "k", "classifier", "part", "data", "method")
"""Columns that name a classifier and the rows on which it is measured."""
TOLERANCE = 0.01
ROUNDING = 1e-9  # differences are kept with four digits
_TURNED = {"beaten": "missed", "missed": "beaten"}


def judged(metric: str, paper: float | None, ours: Sequence[float]) -> dict[str, Any]:
    """The columns `JUDGED` of a row; ``ours`` is (value, low, high)."""
    value, low, high = (float(number) for number in ours)
    paper = np.nan if paper is None else paper
    word = verdict(paper, low, high)
    found = (
        metric, paper, round(value, 4), round(value - paper, 4), round(low, 4), round(high, 4),
        _TURNED.get(word, word) if metric in SMALLER else word,
    )  # fmt: skip
    return dict(zip(JUDGED, found, strict=True))


def verdict(paper: float | None, low: float, high: float) -> str:
    """Where the printed figure lies: one of beaten, met, missed, not printed, for a measure better when larger.

    `settled` makes the verdict of the row of it.
    """
    if paper is None or np.isnan(paper):
        return "not printed"
    return "beaten" if paper < low else "missed" if paper > high else "met"


def settled(
    row: Mapping[str, Any], unit: float = 1.0, own: Sequence[str] = (), same_rows: bool = False
) -> dict[str, Any]:
    """The row with its interval cut off where the measure ends, and the verdict that the module's head defines.

    Parameters
    ----------
    row : mapping
        A row whose verdict says where the printed figure lies, or one that is settled already.
    unit : float
        1 for shares, 100 for percent.
    own : sequence of str
        What the names of our methods start with; empty where all are ours.
    same_rows : bool
        Whether the paper's own rows are used again, so that nothing is undecided.
    """
    found = dict(row)
    low, high, difference = (found.get(name) for name in ("low", "high", "difference"))
    if low is None or high is None or np.isnan(low) or np.isnan(high):
        return found
    if found["metric"] in BOUNDED:
        found |= {"low": max(low, 0.0), "high": min(high, unit)}
    tolerance = max(TOLERANCE * (1.0 if found["metric"] in RATIOS else unit), _number(found.get("paper_sd")))
    if found["verdict"] == "met" and abs(_number(difference)) > tolerance + ROUNDING:
        better = (_number(difference) > 0) != (found["metric"] in SMALLER)
        found["verdict"] = "undecided" if not same_rows else "beaten" if better else "missed"
    if found["verdict"] == "beaten" and own and not str(found.get("method", "")).startswith(tuple(own)):
        found["verdict"] = "competitor better"
    return found


def paired(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows, where sensitivity and specificity of one classifier differ together if one is beaten and one missed."""
    found = [dict(row) for row in rows]
    pairs: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in found:
        if row.get("metric") in ("SENS", "SPEC"):
            pairs.setdefault(tuple(row.get(name) for name in PAIR), []).append(row)
    for pair in pairs.values():
        if {row["verdict"] for row in pair} == {"beaten", "missed"}:
            for row in pair:
                row["verdict"] = "differs"
    return found


def _number(value: float | None) -> float:
    """The number, or 0 where there is none."""
    return 0.0 if value is None or np.isnan(value) else float(value)


def as_row(
    table: str,
    data: str,
    method: str,
    metric: str,
    printed: Printed | float | None,
    ours: Sequence[float],
    seconds: float = np.nan,
    note: str = "",
) -> dict[str, Any]:
    """A row of the report; ``ours`` is (value, low, high)."""
    paper = printed.value if isinstance(printed, Printed) else printed
    where = {"table": table, "data": data, "method": method}
    return where | judged(metric, paper, ours) | {"seconds": round(seconds, 2), "note": note}


def absent(figure: Printed, word: str, note: str) -> dict[str, Any]:
    """The row of a printed figure for which we have none; ``word`` is its verdict."""
    row = as_row(figure.table, figure.data, figure.method, figure.metric, figure, (np.nan,) * 3, note=note)
    return row | {"verdict": word}


def compare(
    figures: Iterable[Figure], table: str, scenario: str, of: tuple[str, int, str, str], ours: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Rows of the dissertation's report for one classifier on one part, one a measure, in percent.

    ``of`` is (weighting, k, classifier, part), ``ours`` from `measure`; ``table`` holds where nothing is printed.
    """
    printed = {f.metric: f for f in figures if (f.weighting, f.k, f.classifier, f.part) == of}
    rows = []
    for metric in ("ACC", "SENS", "SPEC", "AUC"):
        figure = printed.get(metric)
        span = (ours[metric], *interval(metric, ours[metric], ours["positives"], ours["negatives"]))
        where = (figure.table if figure else table, scenario, *of[1:])
        percent = judged(metric, figure.value if figure else None, [100 * number for number in span])
        rows.append(dict(zip(DISSERTATION, where)) | percent)
    return rows


def measure(positive: np.ndarray, scores: np.ndarray, threshold: float = 0.5) -> dict[str, float]:
    """Accuracy, sensitivity, specificity, AUC (shares) and the class counts of scores (n,) for labels (n,)."""
    truth = np.asarray(positive, dtype=np.int64)
    report = binary_report(truth, scores, threshold)
    return {
        "ACC": report.accuracy,
        "SENS": report.sensitivity,
        "SPEC": report.specificity,
        "AUC": report.auc,
        "positives": int(truth.sum()),
        "negatives": int(truth.size - truth.sum()),
    }


def interval(metric: str, value: float, positives: int, negatives: int) -> tuple[float, float]:
    """95 % interval of a measure (all as shares) for the given numbers of positive and negative rows."""
    if metric == "AUC":
        q1, q2 = value / (2 - value), 2 * value**2 / (1 + value)
        spread = value * (1 - value) + (positives - 1) * (q1 - value**2) + (negatives - 1) * (q2 - value**2)
        half = Z95 * np.sqrt(max(spread, 0.0) / (positives * negatives))
        return max(0.0, value - half), min(1.0, value + half)
    n = {"ACC": positives + negatives, "SENS": positives, "SPEC": negatives}[metric]
    low, high = accuracy_interval(round(value * n), n, method="wilson")
    return low, high


def fold_interval(values: ArrayLike, ratio: float) -> tuple[float, float, float]:
    """Mean and 95 % interval of the values (r,) of test sets, ``ratio`` = n_test/n_train; "k-fold" above.

    Folds that are drawn again count as further values; a ratio of 0 is for values that are independent.
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
