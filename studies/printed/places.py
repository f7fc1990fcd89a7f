"""Places among the techniques of Tables 5.5, 5.6 and 6.8: printed accuracies of others, in percent.

The accuracies of the other techniques are those of the studies that the dissertation quotes. They were reached on other
folds (German Credit) or on the same test rows (Census Income), so that a place is an orientation, not a test; the
places of both ends of our interval are given with it. Met is the first place, undecided one that is first within the
interval.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

GERMAN_FIRST: dict[str, float] = {
    "LDA": 74.6, "QDA": 71.0, "LOG": 74.6, "LP": 71.9, "RBF LS-SVM": 74.3, "Lin LS-SVM": 73.7, "RBF SVM": 74.0,
    "Lin SVM": 71.0, "NN": 73.7, "NB": 72.2, "TAN": 72.5, "C4.5": 72.2, "C4.5 rules": 71.0, "C4.5 dis": 74.6,
    "C4.5 rules dis": 74.3, "KNN10": 70.7, "KNN100": 68.6,
}  # fmt: skip
"""Table 5.5, without the dissertation's own row, 75.48."""

GERMAN_SECOND: dict[str, float] = {
    "ANN": 74.9, "B-Net": 73.1, "CART": 69.3, "ELM": 73.5, "ELM-K": 74.7, "J4.8": 71.7, "KNN": 73.5, "LDA": 74.8,
    "LOR": 74.7, "LOR-R": 74.2, "NB": 74.0, "NN RBF": 72.7, "QDA": 58.6, "Lin SVM": 74.2, "RBF SVM": 75.3, "VP": 67.5,
}  # fmt: skip
"""Table 5.6, without the dissertation's own row, 75.48."""

CENSUS: dict[str, float] = {
    "FSS NB": 85.95, "NBTree": 85.90, "C4.5-auto": 85.54, "IDTM": 85.54, "HOODG": 85.18, "C4.5 rules": 85.06,
    "OC1": 84.96, "Voted ID3 (0.6)": 84.36, "CN2": 84.00, "NB": 83.88, "Voted ID3 (0.8)": 83.53, "T2": 83.16,
    "1R": 80.46, "KNN3": 79.65, "KNN1": 78.58,
}  # fmt: skip
"""Table 6.8, without the dissertation's own row, 85.98."""


def place(others: Mapping[str, float], accuracy: float) -> int:
    """1 + the techniques that are more accurate."""
    return 1 + sum(value > accuracy for value in others.values())


def place_row(table: str, others: Mapping[str, float], row: Mapping[str, Any]) -> dict[str, Any]:
    """The place that a row of a report (accuracy on test rows, percent) takes; the dissertation's is the first."""
    ours, low, high = (place(others, row[name]) for name in ("ours", "high", "low"))
    return {
        **row,
        "table": table,
        "metric": f"place of {len(others) + 1}",
        "paper": 1.0,
        "ours": float(ours),
        "difference": float(ours - 1),
        "low": float(low),
        "high": float(high),
        "verdict": "met" if ours == 1 else "missed",  # on the same rows only folds and starts differ
    }
