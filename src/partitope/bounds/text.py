"""A study of bounds as text: findings in words, and its tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..output.style import MOST_SHOWN
from .study import BoundsStudy

TITLES = {
    "objective": "objective", "accuracy": "accuracy", "auc": "AUC", "half_width": "half-width", "value_error": "error",
    "smallest": "smallest", "largest": "largest",
}  # fmt: skip
"""Measures of the curve, and their headings."""


def findings(study: BoundsStudy) -> list[str]:
    """What the study says, one sentence each."""
    path, k = study.path, study.n_clusters
    least, most = path.value[0], path.value[-1]
    summary = study.curve.summary()
    first, last = summary.iloc[0], summary.iloc[-1]
    cost = abs(most - least) / abs(least) if least else 0.0
    best = study.curve.best()
    change = best.iloc[-1] / best.iloc[0] - 1 if best.iloc[0] else 0.0
    starts = study.curve.table["start"].nunique()
    lines = [
        f"For fixed sites a lower bound costs nothing up to l = {path.free_until:.6g} of at most n/k = "
        f"{study.n_points / k:.6g}; from there the unbounded clustering is infeasible. Equal sizes cost "
        f"{100 * cost:.2f} % of the objective. The exact curve has {len(path.parameter)} breakpoints.",
        f"With sites re-optimised, equal sizes change the objective by {100 * change:+.2f} % (the best of {starts} "
        f"starts at each bound).",
    ]
    s = study.suggestion
    if s is None:
        return lines
    lines += [
        f"Accuracy on test rows goes from {_percent(first, 'accuracy')} to {_percent(last, 'accuracy')} (means and "
        f"95 % bands over the starts).",
        f"Reliability: the mean half-width of a cluster value's 95 % interval goes from "
        f"{first['half_width']['mean']:.3f} to {last['half_width']['mean']:.3f}, its mean error on test rows from "
        f"{first['value_error']['mean']:.3f} to {last['value_error']['mean']:.3f}.",
    ]
    text = f"A half-width of {s.precision:g} for every cluster takes l = {s.lower}"
    if s.feasible:
        lines.append(f"{text}, which {study.n_points} training points allow in each of the {k} clusters.")
    else:
        lines.append(
            f"{text}: {study.n_points} training points allow at most {s.most_clusters} such clusters, not {k}."
        )
    return lines


def curve_table(study: BoundsStudy) -> pd.DataFrame:
    """One row a bound, in the words of a reader: the best objective, other means over starts, a band of accuracies."""
    summary = study.curve.summary()
    shown = {title: summary[name]["mean"] for name, title in TITLES.items() if name in summary}
    table = pd.DataFrame({**shown, "objective": study.curve.best()}).reset_index()
    if "accuracy" in table:
        table.insert(3, "from", summary["accuracy"]["low"].to_numpy())
        table.insert(4, "to", summary["accuracy"]["high"].to_numpy())
    table.insert(1, "exact, fixed sites", study.path(table["lower"].to_numpy(dtype=np.float64)))
    return table


def price_table(study: BoundsStudy) -> pd.DataFrame:
    """One row a cluster, the dearest first: its price, and the change of the objective for one point more or less."""
    order = study.prices["price"].abs().sort_values(ascending=False, kind="stable").index
    return (
        study.prices.reindex(order).head(MOST_SHOWN).rename(columns=lambda name: name.replace("_range", " holds for"))
    )


def _percent(row: Any, name: str) -> str:
    part = row[name]
    return f"{100 * part['mean']:.1f} % [{100 * part['low']:.1f}, {100 * part['high']:.1f}]"
