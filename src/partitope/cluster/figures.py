"""The pictures of a clustering, and of a suggested number of clusters, as SVG texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..models.plots.cells import plot_power_diagram, principal_plane
from ..models.plots.look import look
from ..output.style import MOST_SHOWN, WIDTH, as_svg, draw_sizes, legend_above, make_panels, shortened
from .result import ClusterResult
from .suggest import ClusterSuggestion

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@as_svg
def sizes_figure(result: ClusterResult) -> Figure:
    """Bars of the cluster sizes with their bounds."""
    figure, (ax,) = make_panels(1, 2.9, width=_width(result))
    sizes = result.sizes
    top = draw_sizes(ax, sizes, result.polytope.lower, result.polytope.upper, len(result.labels))
    for i, size in enumerate(sizes if len(sizes) <= MOST_SHOWN else ()):
        ax.text(i, 0.03 * top, str(size), ha="center", va="bottom", fontsize=9, fontweight="bold")
    ax.set(ylabel="rows", ylim=(0, 1.08 * top))
    ax.set_xticks(range(len(sizes)) if len(sizes) <= MOST_SHOWN else [])
    figure.legend(loc="outside lower center", ncols=3)
    return figure


@as_svg
def cells_figure(result: ClusterResult) -> Figure | None:
    """The section of the cells by the plane of the first two principal axes, with the rows; None for one column."""
    if result.points.shape[1] < 2 or result.model.cells.embedding is not None:
        return None  # cells that depend on further columns have no section by a plane of the rows alone
    figure, (ax,) = make_panels(1, 5.2, width=5.6)
    plane = principal_plane(result.points)
    plot_power_diagram(result.model.cells.diagram, ax, result.points, result.labels, plane=plane, size=13)
    ax.set(xlabel="1st principal axis", ylabel="2nd principal axis", xticks=[], yticks=[], aspect="equal")
    ax.spines[["top", "right"]].set_visible(True)
    return figure


@as_svg
def silhouette_figure(result: ClusterResult) -> Figure | None:
    """Silhouettes of the rows, cluster by cluster and sorted; None with one cluster."""
    values = result.silhouettes
    if values is None:
        return None
    figure, (ax,) = make_panels(1, 3.4, width=_width(result))
    labels, start, ticks = result.labels[result.measured], 0, []
    gap = max(len(labels) // 60, 1)
    for i in np.unique(labels):
        own = np.sort(values[labels == i])[::-1]
        place = np.arange(start, start + len(own))
        ax.fill_between(place, 0, own, step="mid", color=look(int(i))["color"], alpha=0.85, lw=0)
        ticks.append((start + len(own) / 2, str(i)))
        start += len(own) + gap
    ax.axhline(float(values.mean()), color="black", lw=1.0, ls="--", label=f"mean {values.mean():.2f}")
    ax.axhline(0.0, color="black", lw=0.8)
    ax.set_xticks([place for place, _ in ticks], [name for _, name in ticks])
    ax.set(xlabel="cluster, its rows sorted", ylabel="silhouette", xlim=(-gap, start))
    figure.legend(loc="outside lower center")
    return figure


@as_svg
def centres_figure(result: ClusterResult) -> Figure:
    """The centres in standard units, the coordinates that differ most between clusters first."""
    centres, sizes = result.model.centres - result.points.mean(axis=0), result.sizes
    names = result.model.encoder.get_feature_names_out()
    order = np.argsort(-(sizes @ centres**2), kind="stable")[:MOST_SHOWN]
    shown, k = centres[:, order].T, len(sizes)
    figure, (ax,) = make_panels(1, 1.3 + 0.27 * len(order), width=_width(result))
    reach = float(np.abs(shown).max()) or 1.0
    image = ax.imshow(shown, cmap="RdBu_r", vmin=-reach, vmax=reach, aspect="auto")
    ax.set_yticks(range(len(order)), [shortened(str(names[f]), 28) for f in order])
    ax.set_xticks(range(k), [str(i) for i in range(k)] if k <= MOST_SHOWN else [""] * k)
    ax.set(xlabel="cluster")
    ax.spines[:].set_visible(False)
    if k <= 12:
        for row, values in enumerate(shown):
            for column, value in enumerate(values):
                dark = abs(value) > 0.6 * reach
                ax.text(column, row, f"{round(value, 1) + 0.0:.1f}", ha="center", va="center", fontsize=8,
                        color="white" if dark else "black")  # fmt: skip
    figure.colorbar(image, ax=ax, label="standard units from the mean", shrink=min(1.0, 6 / len(order)), pad=0.02)
    return figure


@as_svg
def suggestion_figure(suggestion: ClusterSuggestion) -> Figure:
    """Prediction strength and stability against the number of clusters."""
    figure, (ax,) = make_panels(1, 3.6, width=5.6)
    suggestion.plot(ax)
    legend_above(ax)
    return figure


def _width(result: ClusterResult) -> float:
    """Inches for a picture with a place for every cluster: no wider than it needs, for small screens."""
    return min(WIDTH, 3.6 + 0.4 * len(result.sizes))
