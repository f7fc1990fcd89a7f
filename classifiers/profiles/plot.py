"""The picture of cluster profiles: one row of panels a cluster, one column of panels a feature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...base.checks import cluster_numbers, whole_number
from ...base.errors import InvalidInputError
from ...base.record import Record
from ...output.style import DARK_BLUE, DARK_RED, MOST_PANELS, PALE_BLUE, WIDTH, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .profiles import ClusterProfiles


def plot_profiles(profiles: ClusterProfiles, most: int = 4, clusters: Sequence[int] | None = None) -> Figure:
    """Draw shares over the parts: bars for the cluster, strokes for all rows."""
    from matplotlib.figure import Figure

    from .profiles import class_name

    if not profiles.names:
        raise InvalidInputError("no column tells the classes apart, so there is no profile to draw: use text()")
    k = len(profiles.sizes)
    if clusters is None:
        clusters = sorted(np.argsort(-profiles.sizes, kind="stable")[:MOST_PANELS].tolist())
    clusters = cluster_numbers(clusters, "clusters").tolist()
    if not clusters or max(clusters) >= k:
        raise InvalidInputError(f"clusters={clusters!r}: expected some of 0 to {k - 1}")
    features = np.argsort(-profiles.information, kind="stable")[: max(1, whole_number(most, "most", 0))]
    widths = [max(2.0, min(len(profiles.parts[f]), 12) ** 0.6) for f in features]
    figure = Figure(figsize=(min(WIDTH, max(6.0, 1.2 * sum(widths))), 1.35 * len(clusters) + 1.5), layout="constrained")
    panels = figure.subplots(len(clusters), len(features), sharey=True, squeeze=False, width_ratios=widths)
    for row, cluster in enumerate(clusters):
        for column, f in enumerate(features):
            _panel(panels[row, column], profiles, int(cluster), int(f), last=row == len(clusters) - 1)
        mix = profiles.class_counts[cluster]
        winner = shortened(class_name(profiles.classes[int(mix.argmax())]), 16)
        share = 100 * mix.max() / max(mix.sum(), 1)
        panels[row, 0].set_ylabel(f"cluster {cluster}\nn = {mix.sum()}\n{share:.0f} % {winner}", fontsize=8)
    for column, f in enumerate(features):
        title = f"{shortened(profiles.names[f], 28)}\n{profiles.information[f]:.2f} bits"
        panels[0, column].set_title(title, fontsize=9)
    handles, words = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, words, loc="outside lower center", ncols=2, frameon=False, fontsize=9)
    return figure


def _panel(ax: Axes, profiles: ClusterProfiles, cluster: int, f: int, *, last: bool) -> None:
    from .profiles import shares

    counts = profiles.counts[f]
    x = np.arange(counts.shape[1])
    look: Record = {"color": PALE_BLUE, "edgecolor": DARK_BLUE, "linewidth": 0.7}
    ax.bar(x, shares(counts)[cluster], width=0.8, label="share in the cluster", **look)
    whole = counts.sum(axis=0) / counts.sum()
    ax.hlines(whole, x - 0.46, x + 0.46, color=DARK_RED, linewidth=1.8, label="share in all rows")
    ax.set(ylim=(0, 1.02), yticks=[0, 0.5, 1])
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize=8)
    step = -(-len(x) // 9)  # at most nine bars have a word
    ax.set_xticks(x[::step] if last else [])
    if last:
        words = [shortened(word, 16) for word in profiles.parts[f][::step]]
        ax.set_xticklabels(words, rotation=40, ha="right", rotation_mode="anchor", fontsize=8, parse_math=False)
        if step > 1:
            ax.set_xlabel(f"{len(x)} parts, one in {step} named", fontsize=8)
