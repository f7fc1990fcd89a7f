"""A printed figure beside ours: interval and verdict.

    beaten        ours is larger and the printed figure lies below our 95 % interval
    met           the printed figure lies inside our 95 % interval
    missed        the printed figure lies above our 95 % interval
    not printed   there is no figure to compare with

All measures here are better when larger. The interval is the uncertainty that rows of a test set, drawn anew,
would give our figure: Wilson's for a share (accuracy over all rows, sensitivity over the positive rows, specificity
over the negative ones), Hanley and McNeil's for the AUC. "Met" therefore includes a figure of ours that is smaller
than the printed one by less than the data can tell; the column ``difference`` shows by how much.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..stats import accuracy_interval, binary_report
from .published import Figure

Z95 = 1.959963984540054
COLUMNS = [
    "table", "scenario", "k", "classifier", "part", "metric",
    "paper", "ours", "difference", "low", "high", "verdict",
]  # fmt: skip


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


def verdict(paper: float | None, low: float, high: float) -> str:
    """One of beaten, met, missed, not printed, by the rules above."""
    if paper is None or np.isnan(paper):
        return "not printed"
    return "beaten" if paper < low else "missed" if paper > high else "met"


def compare(
    figures: Iterable[Figure], table: str, scenario: str, cell: tuple[str, int, str, str], ours: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Rows of the report for one cell (weighting, k, classifier, part), one a measure, in percent.

    Parameters
    ----------
    figures : iterable of Figure
        Everything printed.
    table, scenario : str
        What the rows are called where no figure is printed.
    cell : (weighting, k, classifier, part)
        Which figures belong to it.
    ours : mapping
        Result of `measure`.
    """
    printed = {f.metric: f for f in figures if (f.weighting, f.k, f.classifier, f.part) == cell}
    rows = []
    for metric in ("ACC", "SENS", "SPEC", "AUC"):
        paper = printed[metric].value if metric in printed else np.nan
        value = ours[metric]
        low, high = interval(metric, value, ours["positives"], ours["negatives"])
        low, high = round(100 * low, 4), round(100 * high, 4)
        rows.append(
            {
                "table": printed[metric].table if metric in printed else table,
                "scenario": scenario,
                "k": cell[1],
                "classifier": cell[2],
                "part": cell[3],
                "metric": metric,
                "paper": paper,
                "ours": round(100 * value, 4),
                "difference": round(100 * value - paper, 4),
                "low": low,
                "high": high,
                "verdict": verdict(paper, low, high),
            }
        )
    return rows


def as_report(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Rows as a DataFrame with the columns in the order of `COLUMNS`, others after them."""
    frame = pd.DataFrame(rows)
    return frame[[*COLUMNS, *(c for c in frame.columns if c not in COLUMNS)]] if len(frame) else frame
