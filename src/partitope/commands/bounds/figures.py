"""The pictures of a study of bounds as SVG texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ...output.style import BLUE, RED, as_svg, legend_above, make_panels
from .run import BoundsStudy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@as_svg
def curves_figure(study: BoundsStudy) -> Figure:
    """Objective and sizes against the lower bound; with two classes also accuracy and AUC, and reliability."""
    summary = study.summary()
    if study.suggestion is None:
        figure, (top, last) = make_panels(2, 3.2)
    else:
        figure, (top, right, left, last) = make_panels(2, 6.4, rows=2, sharex=True)
        _band(right, summary, "accuracy", BLUE, "-", "accuracy")
        _band(right, summary, "auc", RED, "--", "AUC")
        right.set(title="Test rows", ylabel="accuracy, AUC")
        _band(left, summary, "half_width", BLUE, "-", "half-width of interval")
        _band(left, summary, "value_error", RED, "--", "error on test rows")
        left.set(title="Reliability of cluster values", xlabel="lower bound l", ylabel="share")
    study.path.plot(top)
    best = study.best()
    top.plot(best.index, best, color=BLUE, ls="--", lw=1.5, marker=".", ms=4, label="re-optimised, best start")
    top.set_title("Objective")
    _band(last, summary, "largest", RED, "--", "largest cluster")
    _band(last, summary, "smallest", BLUE, "-", "smallest cluster")
    last.axhline(study.n_points / study.n_clusters, color="0.5", lw=0.9, ls=":", label="n/k")
    last.set(title="Sizes", xlabel="lower bound l", ylabel="points", ylim=(0, None))
    for ax in figure.axes:
        legend_above(ax)
    return figure


@as_svg
def plane_figure(study: BoundsStudy) -> Figure | None:
    """What the bounds cost over the plane (l, u), and accuracy or the price of an upper bound; None without a plane."""
    if study.plane is None:
        return None
    figure, (left, right) = make_panels(2, 3.6, sharey=True)
    study.plane.plot("cost", left)
    study.plane.plot("accuracy" if "accuracy" in study.plane.table else "price_upper", right)
    right.set_ylabel("")
    return figure


def _band(ax: Axes, summary: pd.DataFrame, name: str, colour: str, line: str, label: str) -> None:
    part, lower = summary[name], summary.index.to_numpy(dtype=np.float64)
    ax.fill_between(lower, part["low"], part["high"], color=colour, alpha=0.18, lw=0)
    ax.plot(lower, part["mean"], color=colour, ls=line, lw=1.5, marker=".", ms=4, label=label)
