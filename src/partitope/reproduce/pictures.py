"""Pictures of the tables as SVG texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..report_figures import STYLE, WIDTH, svg_text

ROWS = 44
"""At most so many rows in one panel."""


def printed_figure(rows: Sequence[dict[str, Any]], group: tuple[str, ...]) -> str | None:
    """Printed and own figures, one panel a measure; None when nothing is printed."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    shown = [row for row in rows if _number(row.get("paper")) and _number(row.get("ours"))]
    shown = [row for row in shown if row.get("part", "test") == "test"]
    metrics = list(dict.fromkeys(row["metric"] for row in shown))[:4]
    if not metrics:
        return None
    parts = [[row for row in shown if row["metric"] == metric][:ROWS] for metric in metrics]
    tall = max(map(len, parts))
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, 0.19 * tall + 1.1), layout="constrained")
        panels = figure.subplots(1, len(metrics), squeeze=False)[0]
        for ax, metric, part in zip(panels, metrics, parts):
            _panel(ax, part, group)
            ax.set_title(metric)
            ax.set_ylim(tall - 0.4, -0.6)
        return svg_text(figure)


def _panel(ax: Any, rows: Sequence[dict[str, Any]], group: tuple[str, ...]) -> None:
    varied = [name for name in group if len({row.get(name) for row in rows}) > 1] or [group[-1]]
    for place, row in enumerate(rows):
        low, high = row.get("low"), row.get("high")
        if _number(low) and _number(high):
            ax.plot([low, high], [place, place], color="#0072B2", linewidth=1.4, solid_capstyle="butt")
        ax.plot(row["ours"], place, "o", color="#0072B2", markersize=4)
        ax.plot(row["paper"], place, "x", color="black", markersize=5, markeredgewidth=1.3)
    ax.set_yticks(range(len(rows)), [" ".join(str(row.get(name)) for name in varied) for row in rows], fontsize=6.5)
    ax.grid(axis="x", color="0.9", linewidth=0.6)
    ax.tick_params(axis="y", length=0)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and value == value and abs(value) != float("inf")


Picture = Callable[[Sequence[dict[str, Any]], tuple[str, ...]], "str | None"]

PICTURES: dict[str, Picture] = {}
"""Studies with a picture of their own; its docstring is the caption."""
