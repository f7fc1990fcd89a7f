"""The pictures of a study of bounds as SVG texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..output.style import WIDTH, svg_text
from .study import BoundsStudy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_DOTS = 120
MOST_NAMED = 30


def curves_figure(study: BoundsStudy) -> str:
    """Objective, accuracy and AUC, reliability and sizes against the lower bound."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, 6.4), layout="constrained")
    (top, right), (left, last) = figure.subplots(2, 2, sharex=True)
    summary = study.curve.summary()
    path = study.path
    top.plot(path.parameter, path.value, color="black", lw=1.4, label="exact, fixed sites")
    if len(path.parameter) <= MOST_DOTS:
        top.plot(path.parameter, path.value, "o", color="black", ms=3.2)
    _band(top, summary, "objective", "#0072B2", "--", "re-optimised")
    top.axvline(path.free_until, color="0.5", lw=0.9, ls=":", label="free until")
    top.set(title="Objective", ylabel="sum of squares" if study.objective == "lsa" else "sum of norms")
    _band(right, summary, "accuracy", "#0072B2", "-", "accuracy")
    _band(right, summary, "auc", "#D55E00", "--", "AUC")
    right.set(title="Test rows")
    _band(left, summary, "half_width", "#0072B2", "-", "half-width promised")
    _band(left, summary, "value_error", "#D55E00", "--", "error on test rows")
    left.set(title="Reliability of cluster values", xlabel="lower bound $l$", ylabel="share")
    _band(last, summary, "largest", "#D55E00", "--", "largest cluster")
    _band(last, summary, "smallest", "#0072B2", "-", "smallest cluster")
    last.axhline(study.n_points / study.n_clusters, color="0.5", lw=0.9, ls=":", label="n/k")
    last.set(title="Sizes", xlabel="lower bound $l$", ylabel="points", ylim=(0, None))
    for ax in (top, right, left, last):
        ax.legend(fontsize=8)
    return svg_text(figure)


def prices_figure(study: BoundsStudy) -> str:
    """Bars of what one more point in each lower bound costs, dearest first."""
    from matplotlib.figure import Figure

    table = study.prices.sort_values("raise", key=np.abs, ascending=False, kind="stable")
    figure = Figure(figsize=(WIDTH, 2.7), layout="constrained")
    ax = figure.subplots()
    place = np.arange(len(table))
    ax.bar(place, table["raise"], color="0.75", edgecolor="0.25", lw=0.7, label="raise the bound by one")
    ax.plot(place, -table["reduce"], "v", color="#0072B2", ms=5, label="reduce it by one (gain)")
    ax.axhline(0.0, color="black", lw=0.8)
    ax.set(title=f"Prices of the lower bounds at l = {study.priced_at}", xlabel="cluster", ylabel="objective a point")
    if len(table) <= MOST_NAMED:
        ax.set_xticks(place, [f"{int(c)}" for c in table["cluster"]])
    ax.legend(fontsize=8)
    return svg_text(figure)


def _band(ax: Axes, summary: pd.DataFrame, name: str, colour: str, line: str, label: str) -> None:
    part, lower = summary[name], summary.index.to_numpy(dtype=np.float64)
    ax.fill_between(lower, part["low"], part["high"], color=colour, alpha=0.18, lw=0)
    ax.plot(lower, part["mean"], color=colour, ls=line, lw=1.5, marker=".", ms=4, label=label)
