"""What the starts of a classifier say: section 4.8's claim on objectives, and Theorem 4.3.6's bound on steps.

The dissertation chooses the start of the largest objective (4.9), sum_i |s_i|, since it is "highly correlated" with the
accuracy. `start_rows` gives the rank correlation (Spearman) of the two over the starts, with the interval of Bonett and
Wright (2000), tanh(artanh r +- z sqrt((1 + r^2/2) / (m - 3))). A correlation of `HIGH` and more is called high. Met: it
is high, and the interval is above 0. Missed: the whole interval is below `HIGH`. Undecided otherwise. The theorem
bounds the steps of a start by (40 e k^2 n)^((d+1) k - 1); the row has logarithms to base 10.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import e, log10
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from .base.rows import DISSERTATION, Z95, judged

CLAIM, BOUND = "section 4.8", "Theorem 4.3.6"
HIGH = 0.5
"""Rank correlations from here on are called high (Cohen 1988: a large effect)."""


def start_measures(model: Any, parts: Mapping[str, tuple[Any, NDArray[np.bool_]]]) -> dict[str, Any]:
    """Objectives of the starts of a fitted classifier, their accuracies by part, and the steps of the best, as plain
    values; a part is its rows and which of them are positive."""
    cells = {part: model.apply(X) for part, (X, _) in parts.items()}
    X, positive = parts["train"]
    found: dict[str, list[float]] = {part: [] for part in parts}
    for start, learnt in enumerate(cells["train"].T):
        ones, all_of = np.bincount(learnt, positive), np.bincount(learnt)
        k = max(int(rows[:, start].max()) for rows in cells.values()) + 1
        said = np.zeros(k, dtype=bool)
        said[: len(ones)] = 2 * ones >= np.maximum(all_of, 1)
        for part, (_, truth) in parts.items():
            found[part].append(float((said[cells[part][:, start]] == truth).mean()))
    n, d = model.encode(X).shape
    return {"objectives": model.objectives_.tolist(), "accuracies": found, "steps": model.partition_.n_iter,
            "n": n, "d": d}  # fmt: skip


def start_rows(measures: Sequence[Mapping[str, Any]], scenario: str, k: int) -> list[dict[str, Any]]:
    """Rows of both claims; of several models, one a training set, the correlations are averaged before the interval."""
    rows = []
    for part in measures[0]["accuracies"]:
        ranks = [spearmanr(one["objectives"], one["accuracies"][part]).statistic for one in measures]
        m = sum(len(one["objectives"]) for one in measures)
        span = correlation_interval(float(np.mean(np.nan_to_num(ranks))), m)
        word = "met" if span[0] >= HIGH and span[1] > 0 else "missed" if span[2] < HIGH else "undecided"
        rows.append(_row(CLAIM, scenario, k, part, judged("rank correlation", None, span)) | {"verdict": word})
    last = max(measures, key=lambda one: one["steps"])
    bound = ((last["d"] + 1) * k - 1) * log10(40 * e * k**2 * last["n"])
    steps = log10(last["steps"])
    word = "checked" if steps <= bound else "missed"
    row = judged("log10 of steps, at most", round(bound, 1), (steps, np.nan, np.nan))
    return [*rows, _row(BOUND, scenario, k, "train", row) | {"verdict": word}]


def correlation_interval(r: float, m: int) -> tuple[float, float, float]:
    """A rank correlation of m pairs with its 95 % interval."""
    if m < 4 or abs(r) >= 1.0:
        return r, -1.0, 1.0
    half = Z95 * np.sqrt((1.0 + r**2 / 2.0) / (m - 3))
    return r, float(np.tanh(np.arctanh(r) - half)), float(np.tanh(np.arctanh(r) + half))


def _row(table: str, scenario: str, k: int, part: str, rest: dict[str, Any]) -> dict[str, Any]:
    return dict(zip(DISSERTATION, (table, scenario, k, "starts", part))) | rest
