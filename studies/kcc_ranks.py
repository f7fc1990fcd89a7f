"""The last rows of Table 2: average ranks of the eleven methods over the sets, from printed figures and from ours.

The best method of a set has rank 1, equal ones the smallest of their ranks, and a method without a figure comes last,
as the paper says of ties and as its averages show of the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from .base.rows import SMALLER, as_row
from .printed.kcc import DATA, KCC, METHODS, RANKS

NEAR = {"printed figures": 0.1, "our figures": 0.5}
nan = float("nan")


def rank_rows(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A row for every measure, method and source, from the rows of Table 2, where these are complete."""
    printed = {(f.metric, f.data, f.method): f.value for f in KCC}
    ours = {(r["metric"], r["data"], r["method"]): r["ours"] for r in rows if pd.notna(r["ours"])}
    found = []
    for metric, papers in RANKS.items():
        for source, figures in (("printed figures", printed), ("our figures", ours)):
            asked = {data: [m for m in METHODS if (metric, data, m) in printed] for data in DATA}
            sets = [data for data, methods in asked.items() if methods]
            if not all((metric, data, m) in figures for data in sets for m in asked[data]):
                continue
            scores = np.array(
                [[figures.get((metric, d, m), nan) if m in asked[d] else nan for m in METHODS] for d in sets]
            )
            worst = np.where(np.isnan(scores), np.inf, scores if metric in SMALLER else -scores)
            means = rankdata(worst, method="min", axis=1).mean(axis=0)
            for method, value, paper in zip(METHODS, means, papers):
                row = as_row("2, ranks", source, method, f"rank by {metric}", paper, (value, nan, nan),
                             note=f"{len(sets)} sets")  # fmt: skip
                word = "checked" if source == "printed figures" else "met"
                found.append(row | {"verdict": word if abs(value - paper) <= NEAR[source] else "differs"})
    return found
