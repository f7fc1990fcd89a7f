"""Picture of `power`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...output.style import GREY, GRID, axes_of
from .power import PowerAnalysis, rejection_rate

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_power(result: PowerAnalysis, ax: Axes | None = None) -> Axes:
    """Power to reject both hypotheses against the number of test points, one line a cluster."""
    import matplotlib.pyplot as plt

    ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")[1] if ax is None else axes_of(ax)
    table = result.table
    finite = result.n[:, 2][np.isfinite(result.n[:, 2])]
    start, end = (finite.min() / 20.0, 4.0 * finite.max()) if finite.size else (1.0, 1000.0)
    n = np.unique(np.geomspace(max(start, 1.0), max(end, 10.0), 400).astype(np.int64))
    colours = plt.get_cmap("viridis")(np.linspace(0.0, 0.88, len(table)))
    columns = table[["lower_limit", "upper_limit", "p", "value"]].to_numpy()
    for (low, up, p, value), cluster, needed, colour in zip(columns, table["cluster"], result.n[:, 2], colours):
        curve = rejection_rate("both", n, low, up, p, result.alpha, result.method)
        ax.plot(n, curve, color=colour, lw=1.4, label=f"{cluster}: {value:.3g}")
        if np.isfinite(needed):
            ax.plot(needed, result.power, "o", color=colour, ms=4.5)
    ax.axhline(result.power, color=GREY, lw=0.8, ls="--")
    ax.set_xscale("log")
    ax.set_xlabel("test points in the cluster")
    ax.set_ylabel("power to reject both hypotheses")
    ax.set_ylim(-0.02, 1.02)
    ax.grid(**GRID)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(title="cluster: value", frameon=False, fontsize=8, title_fontsize=8, loc="upper left")
    ax.set_title(f"{result.method} version, level {result.alpha:g}; dots: points needed", fontsize=9)
    return ax
