"""Display of a partition or solution in a notebook, with the sample of points that it needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...base.record import Record
from ...output.report import Table, shown
from ...output.style import MAX_POINTS, MOST_SHOWN, as_svg, axes_of, look, make_panels
from ..diagram.picture import draw_points, frame_of, principal_plane, show_frame

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..diagram.power_diagram import PowerDiagram
    from ..polytope.polytope import PartitionPolytope


@dataclass(frozen=True, eq=False)
class Sample:
    """Points that a picture shows, and the bounds of their clusters."""

    points: NDArray[np.floating]  # (m, d): Every `step`-th point of a fit.
    step: int  # Step between shown points: at most 3000 points and about 60 000 numbers are kept.
    names: Sequence[str]  # Names of the columns; empty where they have none.
    lower: NDArray  # (k,)
    upper: NDArray  # (k,)
    rings: Sequence[Sequence[NDArray[np.float64]]] = ()  # Outlines of the points as closed rings (v, 2).

    @classmethod
    def of(cls, X: Any, names: Any, polytope: PartitionPolytope) -> Sample | None:
        """The sample of points (n, d); None where they are not an array in memory, or infinite, as costs may be."""
        if not isinstance(X, np.ndarray) or X.ndim != 2:
            return None
        step = -(-len(X) // min(MAX_POINTS, max(20 * MAX_POINTS // max(X.shape[1], 1), MAX_POINTS // 30)))
        named = [] if names is None else list(map(str, names))
        kept = X[::step].copy()
        return cls(kept, step, named, polytope.lower, polytope.upper) if np.isfinite(kept).all() else None


def draw_partition(
    points: NDArray, labels: NDArray[np.int64], names: Sequence[str], diagram: PowerDiagram | None,
    ax: Axes | None, options: Record,
) -> Axes:  # fmt: skip
    """Points (n, d) with d >= 2 in the colours of their clusters, over the cells where there are any."""
    axes, plane = axes_of(ax), None if points.shape[1] == 2 else principal_plane(points)
    if diagram is not None:
        diagram.plot(axes, X=points, labels=labels, **options)
    else:
        flat = points if plane is None else plane.project(points)
        draw_points(axes, flat, labels, **{"size": 12.0, **options})
        show_frame(axes, frame_of(flat))
    if plane is not None:
        axes.set(xlabel="1st principal axis", ylabel="2nd principal axis")
    elif len(names) == 2:
        axes.set(xlabel=names[0], ylabel=names[1])
    return axes


def draw_areas(sample: Sample, labels: NDArray[np.int64], ax: Axes | None) -> Axes:
    """Outlines of the points in the colours of their clusters, and the numbers of these; degrees of longitude are as
    long as they are at the mean latitude."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    axes = axes_of(ax)
    for rings, label in zip(sample.rings, labels):
        path = Path.make_compound_path(*[Path(ring, closed=True) for ring in rings])
        axes.add_patch(PathPatch(path, facecolor=look(int(label))["color"], alpha=0.5, edgecolor="0.2", linewidth=0.4))
    for i in np.unique(labels):
        axes.annotate(str(i), sample.points[labels == i].mean(axis=0), ha="center", va="center", weight="bold")
    axes.autoscale_view()
    degrees = list(sample.names) == ["longitude", "latitude"]
    axes.set(aspect=1.0 / np.cos(np.radians(sample.points[:, 1].mean())) if degrees else 1.0)
    axes.set(xlabel=sample.names[0], ylabel=sample.names[1])
    return axes


def as_card(
    title: str, claim: str, sizes: NDArray, bounds: tuple[Any, Any] | None, draw: Callable[[Axes], Any] | None
) -> str:
    """HTML for notebooks: a title, what is proved, every size against its bounds, and a small map."""
    from ...output.html_pages import grid

    columns, rows = ["cluster", "size"], [[i, shown(float(size), digits=6)] for i, size in enumerate(sizes)]
    if bounds is not None:
        columns += ["lower", "upper"]
        rows = [[*row, *(shown(float(side[i]), digits=6) for side in bounds)] for i, row in enumerate(rows)]
    more = f"<p>and {len(rows) - MOST_SHOWN} clusters more</p>" if len(rows) > MOST_SHOWN else ""
    table = grid(Table("", columns, rows[:MOST_SHOWN]), "")
    return (
        f'<div style="display:flex;flex-wrap:wrap;gap:1.5em;align-items:flex-start"><div><b>{escape(title)}</b>'
        f'<p style="max-width:26em">{escape(claim)}</p>{table}{more}</div><div>{_map(draw) or ""}</div></div>'
    )


@as_svg
def _map(draw: Callable[[Axes], Any] | None) -> Figure | None:
    if draw is None:
        return None
    figure, (ax,) = make_panels(1, 3.0, width=3.6)
    draw(ax)
    return figure
