"""The picture of a cluster value test: values, limits, test values with intervals, stars."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...output.style import DARK_BLUE, DARK_RED, GRID, PALE_BLUE, axes_of
from ..intervals import accuracy_interval

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))


def stars(pvalue: float) -> str:
    """Stars of a p-value: *** to 0.1 %, ** to 1 %, * to 5 %, else nothing."""
    return next((text for level, text in STARS if pvalue <= level), "")


def draw(table: pd.DataFrame, adjust: str | None, ax: Axes | None = None, confidence: float = 0.95) -> Axes:
    """Draw one column per cluster: the band between its limits, its training value, its test value with an interval."""
    import matplotlib.pyplot as plt

    size = (max(5.0, 0.75 * len(table) + 2.0), 4.2)
    ax = plt.subplots(figsize=size, layout="constrained")[1] if ax is None else axes_of(ax)
    # clusters without training rows have no limits to be held against
    table = table[table["lower_limit"].notna()].reset_index(drop=True)
    x = np.arange(len(table))
    low, high = table["lower_limit"].to_numpy(), table["upper_limit"].to_numpy()
    ax.bar(x, high - low, bottom=low, width=0.62, color=PALE_BLUE, edgecolor=DARK_BLUE, label="between the limits")
    ax.hlines(table["f_train"], x - 0.31, x + 0.31, color=DARK_BLUE, lw=2.0, label="training value")
    # Wilson's interval, which is honest for few points and shares near 0 and 1
    tested = table[table["n_test"] > 0]
    top = np.array(high, dtype=float)
    bottom = np.array(low, dtype=float)
    if len(tested):
        counts = [(round(f * n), int(n)) for f, n in zip(tested["f_test"], tested["n_test"])]
        ends = [tuple(accuracy_interval(*count, confidence, "wilson")) for count in counts]
        f, (down, up) = tested["f_test"].to_numpy(), np.array(ends).T
        place = tested.index.to_numpy()
        errors = np.maximum([f - down, up - f], 0.0)
        label = f"test value, {100 * confidence:g} % interval"
        ax.errorbar(place, f, errors, fmt="o", ms=4.5, color=DARK_RED, capsize=3, lw=1.2, label=label)
        top[place], bottom[place] = np.maximum(top[place], up), np.minimum(bottom[place], down)
    # stars mark where the value would have to be for the hypothesis to hold
    for i, (_, row) in enumerate(table.iterrows()):
        ax.annotate(stars(row["p_upper"]), (i, top[i]), (0, 1), textcoords="offset points", ha="center", va="bottom")
        ax.annotate(stars(row["p_lower"]), (i, bottom[i]), (0, -3), textcoords="offset points", ha="center", va="top")
    # shares fill the axis from 0 to 1, so that pictures of different models can be compared
    ax.set_xticks(x, [f"{c}\nn = {n}" for c, n in zip(table["cluster"], table["n_test"])])
    ax.set_xlabel("cluster, in the order of its training value; n test points")
    ax.set_ylabel("share of class 1")
    ax.set_ylim(-0.08, 1.08)
    ax.grid(axis="y", **GRID)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(loc="upper left", frameon=False, fontsize=9)
    kind = {None: "", "holm": ", Holm", "bh": ", Benjamini-Hochberg"}[adjust]
    ax.set_title(f"* 5 %, ** 1 %, *** 0.1 %: below against the lower, above the upper limit{kind}", fontsize=9)
    return ax
