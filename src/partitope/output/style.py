"""One style and one set of colours for all pictures: no colour carries anything that shape, line or hatch does not."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import wraps
from textwrap import wrap
from typing import TYPE_CHECKING, Any, ParamSpec

import numpy as np
from numpy.typing import NDArray

from ..base.checks import instance_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = BLUE, ORANGE, GREEN, PINK, RED, SKY, YELLOW, GREY = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#F0E442", "#7F7F7F",
)  # fmt: skip
"""Okabe and Ito's colours, which colour-blind readers can distinguish."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">")
PALE_BLUE, DARK_BLUE, PALE_RED, DARK_RED = "#9CC3E5", "#1F4E79", "#F4C7A8", "#8A3B00"
"""Fills and edges of bars, and lines on them: the dark ones differ in lightness from the pale ones."""
GRID: dict[str, Any] = {"color": "0.9", "linewidth": 0.6}
LINES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (8, 2, 2, 2)))
STYLE: dict[Any, Any] = {
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "legend.frameon": False,
    "text.parse_math": False,  # names of the user's table are not formulas
    "svg.fonttype": "path",
    "svg.hashsalt": "partitope",
    "hatch.linewidth": 0.7,
}
WIDTH = 9.6  # Width of a picture in inches.
MOST_PANELS = 8  # Panels of a picture at most.
MAX_POINTS = 3000  # Points drawn in a picture; of more, an even selection is drawn.
MOST_SHOWN = 24  # Rows of a table, or places of a picture: of more, the first or the most telling.
P = ParamSpec("P")


def look(cluster: int) -> dict[str, Any]:
    """Colour and marker of a cluster, the same in every picture; no pair repeats among the first 40."""
    return {"color": COLOURS[cluster % len(COLOURS)], "marker": MARKERS[cluster % len(MARKERS)]}


def shortened(text: str, letters: int) -> str:
    """A text, cut to this number of letters where it is longer."""
    return text if len(text) <= letters else f"{text[: letters - 1]}…"


def axes_of(ax: Axes | None) -> Axes:
    """The axes to draw into: the current ones when None."""
    from matplotlib import pyplot as plt
    from matplotlib.axes import Axes

    if ax is None:
        return plt.gca()
    instance_of(ax, "ax", Axes, "pass axes of matplotlib, or None for the current ones")
    return ax


def svg_text(figure: Figure) -> str:
    """The figure as one SVG element."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    if not fit_titles(figure):
        figure.set_layout_engine("none")  # it was laid out to see the titles, which takes as long as drawing
    stream = io.StringIO()
    FigureCanvasSVG(figure).print_svg(stream, metadata={"Date": None, "Creator": None})  # `savefig` draws twice
    text = stream.getvalue()
    return text[text.index("<svg") :]


def fit_titles(figure: Figure) -> bool:
    """Fold titles that are wider than their panels, so that they do not run into those of the next ones."""
    from matplotlib.text import Text

    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
    folded = False
    for ax in figure.axes:
        titles = [ax.get_title(place) for place in ("left", "center", "right")]
        room = ax.get_window_extent().width
        for text in ax.get_children():
            if isinstance(text, Text) and text.get_text() and text.get_text() in titles:
                share = room / max(text.get_window_extent().width, 1.0)
                if share < 1.0:
                    folded = True
                    lines = text.get_text().splitlines()
                    longest = max(int(0.85 * share * max(map(len, lines))), 6)  # letters differ in width
                    text.set_text("\n".join(part for line in lines for part in wrap(line, longest)))
    return folded


def legend_above(ax: Axes) -> None:
    """Put the legend between title and panel, where it hides no curve."""
    ax.legend(fontsize=8, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2, borderaxespad=0.2, borderpad=0.2)
    rows = -(-len(ax.get_legend_handles_labels()[0]) // 2)
    ax.set_title(ax.get_title("left"), pad=6 + 12 * rows)


def draw_sizes(ax: Axes, sizes: NDArray[Any], low: NDArray[Any], high: NDArray[Any], n: float) -> float:
    """Bars of cluster sizes (k,) of n points with the bounds on them, hatched outside them; returns the top."""
    place, outside, reachable = np.arange(len(sizes)), (sizes < low) | (sizes > high), high < n
    ax.bar(place[~outside], sizes[~outside], color="0.75", edgecolor="0.25", linewidth=0.7)
    ax.bar(place[outside], sizes[outside], color=PALE_RED, edgecolor=DARK_RED, hatch="////", linewidth=0.7)
    line: dict[str, Any] = {"linewidth": 2.2}
    if low.any():
        ax.hlines(low, place - 0.45, place + 0.45, color=BLUE, label="lower bound", **line)
    if reachable.any():
        at, line = place[reachable], {**line, "linestyle": (0, (2, 0.7))}
        ax.hlines(high[reachable], at - 0.45, at + 0.45, color="black", label="upper bound", **line)
    ax.axhline(n / len(sizes), color="0.4", linewidth=0.9, linestyle=":", label="n/k")
    ax.set(xlabel="cluster")
    return max(float(sizes.max()), float(high[reachable].max(initial=0.0)), n / len(sizes))


def as_svg(draw: Callable[P, Figure | None]) -> Callable[P, str | None]:
    """A function that draws in the style and returns an SVG text, of one that returns a figure, or None for none."""

    @wraps(draw)
    def drawn(*args: P.args, **options: P.kwargs) -> str | None:
        import matplotlib as mpl

        with mpl.rc_context(STYLE):
            figure = draw(*args, **options)
            return None if figure is None else svg_text(figure)

    return drawn


def make_panels(
    columns: int, height: float, *, rows: int = 1, width: float = WIDTH, **options: Any
) -> tuple[Figure, list[Any]]:
    """A figure ``width`` inches wide (those of a report) and ``height`` inches high; its axes from left to right."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, list(figure.subplots(rows, columns, squeeze=False, **options).ravel())
