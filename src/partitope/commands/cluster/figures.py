"""The pictures of a clustering as SVG texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...models.certificates.certificate import check_assignment
from ...models.certificates.priced_out_rows import PricedOutRows, net_scores
from ...models.diagram.picture import draw_points, principal_plane
from ...models.programs.assignment import AssignmentModel
from ...output.maps import draw_map, two_maps
from ...output.report import shown
from ...output.style import MOST_PANELS, MOST_SHOWN, WIDTH, as_svg, draw_sizes, make_panels, shortened
from .result import ClusterResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@as_svg
def sizes_figure(result: ClusterResult) -> Figure:
    """Bars of the cluster sizes and of every further quantity, with their bounds."""
    k, further = len(result.sizes), list(result.further.groupby("name", sort=False))[: MOST_PANELS - 1]
    figure, axes = make_panels(1, 2.0 + 1.6 * (1 + len(further)), rows=1 + len(further), width=_width(result))
    _bars(axes[0], result.sizes, result.polytope.lower, result.polytope.upper, len(result.labels))
    axes[0].set(ylabel="rows")
    for ax, (name, rows) in zip(axes[1:], further):
        low = np.maximum(rows["lower"].to_numpy(np.float64), 0.0)
        high, values = rows["upper"].to_numpy(np.float64), rows["value"].to_numpy(np.float64)
        even = result.mean_share(str(name)) * k if str(name).endswith(" %") else float(values.sum())
        _bars(ax, values, low, high, even)
        ax.set(ylabel=shortened(str(name), 18))
    for ax in axes[:-1]:
        ax.set(xlabel="")
    handles = {label: handle for ax in axes for handle, label in zip(*ax.get_legend_handles_labels())}
    figure.legend(list(handles.values()), list(handles), loc="outside lower center", ncols=3)
    return figure


def _bars(ax: Axes, values: NDArray, low: NDArray, high: NDArray, total: float) -> None:
    """One panel of bars (k,), with their values where there is room."""
    top = draw_sizes(ax, values, low, high, total)
    least = min(float(values.min()), float(low.min()))
    floor = max(least - 0.4 * (top - least), 0.0) if float(low.min()) > 0.5 * top else 0.0  # bounds close to each other
    for i, value in enumerate(values if len(values) <= MOST_SHOWN else ()):
        at = floor + 0.03 * (top - floor)
        text = ax.text(i, at, shown(value.item()), ha="center", va="bottom", fontsize=8, fontweight="bold")
        text.set_rotation(0 if len(values) <= 10 else 90)
    ax.set(ylim=(floor, top + 0.08 * (top - floor)))
    ax.set_xticks(range(len(values)) if len(values) <= MOST_SHOWN else [])


def map_figure(result: ClusterResult) -> str | None:
    """The rows on a map, with their areas; None where there is no map."""
    if result.ground is None:
        return None
    before = _nearest(result)
    words = [
        f"{name}: cluster {own}{f' (nearest centre: {near})' if near != own else ''}{moved}"
        for name, own, near, moved in zip(result.ids, result.labels, before, _moves(result))
    ]
    name, sums = _first_sum(result, result.labels)
    more = [f", {name} {shown(float(value))}" for value in sums] if name != "rows" else [""] * len(sums)
    legend = [f"{i}: {size:g} rows{text}" for i, (size, text) in enumerate(zip(result.sizes, more))]
    connection = result.polytope.connection
    edges = None if connection is None else connection.edges
    return draw_map(result.ground, result.labels, words, legend, edges, before)


def before_and_after_figure(result: ClusterResult) -> str | None:
    """The clusters of the nearest centres, and those within the bounds; None where they are the same."""
    if result.ground is None or not len(result.displaced[0]):
        return None
    before, texts = _nearest(result), []
    words = ("Before, each row at its nearest centre", "After, within the bounds")
    for what, labels in zip(words, (before, result.labels)):
        name, sums = _first_sum(result, labels)
        texts.append(f"{what}: {name} {shown(float(sums.min()))} to {shown(float(sums.max()))} per cluster.")
    return two_maps(result.ground, before, result.labels, (texts[0], texts[1]))


def _first_sum(result: ClusterResult, labels: NDArray[np.int64]) -> tuple[str, NDArray[np.float64]]:
    """Name and sums (k,) of the first column with bounds, or of the rows."""
    stated = [(rows.name, rows.attributes[:, 0]) for rows in result.polytope.further if rows.attributes is not None]
    name, column = stated[0] if stated else ("rows", np.ones(len(labels)))
    return name, np.bincount(labels, column, len(result.sizes)).astype(np.float64)


def _nearest(result: ClusterResult) -> NDArray[np.int64]:
    """The cluster (n,) of the nearest centre of every row."""
    before = result.labels.copy()
    before[result.displaced[0]] = result.displaced[1]
    return before


def _moves(result: ClusterResult) -> list[str]:
    """Least extra cost of an assignment to these centres with a row in its next best cluster. With prices mu, a dual
    bound D and net scores s, one with row j in i is worth at most D - (max s_j - s_ji), the one here D - gap."""
    polytope, partition = result.polytope, result.partition
    prices = dict(partition.prices)
    mu = prices.pop(polytope.row_names[0], None)
    if polytope.n_clusters == 1 or partition.splits or mu is None:
        return [""] * len(result.labels)
    model = AssignmentModel.lsa(result.points, result.model.centres, polytope)
    certificate = check_assignment(model, result.labels, mu, further_prices=prices)
    scores = net_scores(model, mu, PricedOutRows.of(polytope, prices), 0, len(result.labels))
    best = scores.max(axis=1)
    scores[np.arange(len(scores)), result.labels] = -np.inf
    gap = max(certificate.dual_objective - certificate.primal_objective, 0.0)
    loss = np.maximum(best - scores.max(axis=1) - gap, 0.0)
    return [f"; moving it to {i} adds at least {x:.3g} to the sum of squares" if x > 0 else f"; next best: {i}"
            for i, x in zip(scores.argmax(axis=1), loss)]  # fmt: skip


@as_svg
def cells_figure(result: ClusterResult) -> Figure | None:
    """The section of the cells by the plane of the first two principal axes, with the rows; None where a map shows
    them, or for one column."""
    if result.points.shape[1] < 2 or result.ground is not None:
        return None
    figure, (ax,) = make_panels(1, 5.2, width=5.6)
    plane = principal_plane(result.points)
    if result.model.cells.embedding is None:
        result.model.cells.diagram.plot(ax, result.points, result.labels, plane=plane, size=13)
    else:  # cells that depend on further columns have no section by a plane of the rows alone
        draw_points(ax, plane.project(result.points), result.labels, 13)
    ax.set(xlabel="1st principal axis", ylabel="2nd principal axis", xticks=[], yticks=[], aspect="equal")
    ax.spines[["top", "right"]].set_visible(True)
    return figure


@as_svg
def centres_figure(result: ClusterResult) -> Figure | None:
    """The centres in standard units, coordinates that differ most first; None if the map is all there is."""
    if result.ground is not None and len(result.model.encoder.columns_) == 2:
        return None
    centres, sizes = result.model.centres - result.points.mean(axis=0), result.sizes
    names = list(result.model.encoder.get_feature_names_out())
    if result.model.encoder.geo:  # three coordinates on the sphere are not readable
        sphere = [place for place, name in enumerate(names) if str(name).startswith("sphere ")]
        far = np.linalg.norm(centres[:, sphere], axis=1, keepdims=True)
        centres = np.hstack([far, np.delete(centres, sphere, axis=1)])
        names = ["distance to the mean", *(name for place, name in enumerate(names) if place not in sphere)]
    order = np.argsort(-(sizes @ centres**2), kind="stable")[:MOST_SHOWN]
    values, k = centres[:, order].T, len(sizes)
    figure, (ax,) = make_panels(1, 2.0 + 0.27 * len(order), width=_width(result))
    reach = float(np.abs(values).max()) or 1.0
    image = ax.imshow(values, cmap="RdBu_r", vmin=-reach, vmax=reach, aspect="auto")
    ax.set_yticks(range(len(order)), [shortened(str(names[f]), 28) for f in order])
    ax.set_xticks(range(k), [str(i) for i in range(k)] if k <= MOST_SHOWN else [""] * k)
    ax.set(xlabel="cluster")
    ax.spines[:].set_visible(False)
    if k <= 12:
        for row, own in enumerate(values):
            for column, value in enumerate(own):
                dark = abs(value) > 0.6 * reach
                ax.text(column, row, f"{round(value, 1) + 0.0:.1f}", ha="center", va="center", fontsize=8,
                        color="white" if dark else "black")  # fmt: skip
    figure.colorbar(image, ax=ax, location="bottom", label="from the mean of all rows", aspect=40, pad=0.02)
    return figure


def _width(result: ClusterResult) -> float:
    """Width in inches of a picture with a place for every cluster, small enough for small screens."""
    return min(WIDTH, 2.2 + 0.35 * len(result.sizes))
