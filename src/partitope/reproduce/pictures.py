"""Pictures of the tables as SVG texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..models.plotting import COLOURS
from ..report_figures import LINES, STYLE, WIDTH, svg_text
from .ranks import alike

ROWS = 44
"""At most so many rows in one panel."""
QUARTERS = {"Polarize 5": "their quarter", "Polarize 1, another quarter": "another quarter", "Polarize 4": "five folds"}
"""Panels of the picture of clustering aware classification."""


def printed_figure(rows: Sequence[dict[str, Any]], group: tuple[str, ...]) -> str | None:
    """Printed and own figures, one panel a measure; None when nothing is printed."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    shown = [row for row in rows if _number(row.get("paper")) and _number(row.get("ours"))]
    shown = [row for row in shown if row.get("part", "test") == "test"]
    metrics = [m for m in dict.fromkeys(row["metric"] for row in shown) if not m.startswith(("place", "robust"))][:4]
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


def ranks_figure(rows: Sequence[dict[str, Any]], group: tuple[str, ...]) -> str | None:
    """Critical-difference diagram: average rank of the accuracy over the sets, the best to the left.

    Bars join strategies whose ranks differ by less than the critical difference of Nemenyi's test at the level .05.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    shown = sorted((row for row in rows if row.get("table") == "ranks"), key=lambda row: row["ours"])
    if len(shown) < 2:
        return None
    ranks, critical, m = [row["ours"] for row in shown], shown[0]["critical"], len(shown)
    half = (m + 1) // 2
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, 1.5 + 0.24 * half), layout="constrained")
        ax = figure.subplots()
        ax.plot([1, m], [0, 0], color="black", linewidth=1.0)
        for tick in range(1, m + 1):
            ax.plot([tick, tick], [0, 0.18], color="black", linewidth=1.0)
            ax.text(tick, 0.3, str(tick), ha="center", va="bottom")
        ax.plot([1, 1 + critical], [1.25, 1.25], "|-", color="black", linewidth=1.4)
        ax.text(1 + critical / 2, 1.32, f"critical difference {critical:.2f}", ha="center", va="bottom")
        runs = alike(ranks, critical)
        for level, (first, last) in enumerate(runs):
            y = -0.22 - 0.2 * level
            ax.plot([ranks[first] - 0.03, ranks[last] + 0.03], [y, y], color="#0072B2", linewidth=3.5)
        below = -0.35 - 0.2 * len(runs)
        for place, row in enumerate(shown):
            left = place < half
            y = below - 0.45 * (place if left else m - 1 - place)
            end = 0.8 if left else m + 0.2
            ax.plot([row["ours"], row["ours"], end], [0, y, y], color="0.35", linewidth=0.9)
            text = f"{row['method']}  {row['ours']:.2f}"
            ax.text(end + (-0.05 if left else 0.05), y, text, ha="right" if left else "left", va="center")
        ax.set(xlim=(-0.6, m + 1.6), ylim=(below - 0.45 * half, 1.8))
        ax.axis("off")
        return svg_text(figure)


def sweeps_figure(rows: Sequence[dict[str, Any]], group: tuple[str, ...]) -> str | None:
    """F1 over the inner and outer separation, the natural clusters K and the clusters asked for, k.

    Each panel averages over everything that it does not name; bars are 95 % intervals of CAC+LR over the draws.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    shown = [row for row in rows if row["metric"] == "F1" and "=" in row["data"]]
    names = list(dict.fromkeys(row["data"].split("=")[0] for row in shown))
    if not names:
        return None
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, 2.9), layout="constrained")
        panels = figure.subplots(1, len(names), sharey=True, squeeze=False)[0]
        for ax, name in zip(panels, names):
            for number, method in enumerate(dict.fromkeys(row["method"] for row in shown)):
                part = [row for row in shown if row["method"] == method and row["data"].startswith(f"{name}=")]
                across = [float(row["data"].split("=")[1]) for row in part]
                look = {"color": COLOURS[number], "linestyle": LINES[number], "linewidth": 1.6, "label": method}
                ax.plot(across, [row["ours"] for row in part], marker="os^"[number % 3], markersize=3.5, **look)
                if method.startswith("CAC"):
                    for x, row in zip(across, part):
                        if _number(row["low"]) and _number(row["high"]):
                            ax.plot([x, x], [row["low"], row["high"]], color=COLOURS[number], linewidth=0.9)
            ax.set_xlabel(name)
            ax.grid(axis="y", color="0.9", linewidth=0.6)
        panels[0].set_ylabel("F1")
        panels[0].set_ylim(0.0, None)
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
        return svg_text(figure)


def agreement_figure(rows: Sequence[dict[str, Any]], group: tuple[str, ...]) -> str | None:
    """Ours over the printed figure, F1 of the authors' files; on the line they agree, bars are 95 % intervals of ours.

    The first panel is the quarter that the papers hold out, the second another quarter.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    shown = [row for row in rows if _number(row.get("paper")) and _number(row.get("ours")) and row["metric"] == "F1"]
    shown = [row for row in shown if " raw" not in row["data"]]
    tables = [name for name in QUARTERS if any(row["table"] == name for row in shown)]
    if not tables:
        return None
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, 3.1), layout="constrained")
        panels = figure.subplots(1, len(tables), sharex=True, sharey=True, squeeze=False)[0]
        for ax, table in zip(panels, tables):
            ax.plot([0, 1], [0, 1], color="0.6", linewidth=0.9, zorder=0)
            for number, start in enumerate(("", "KM+", "CAC+")):
                part = [row for row in shown if row["table"] == table and _kind(row["method"]) == start]
                for row in part:
                    ax.plot([row["paper"]] * 2, [row["low"], row["high"]], color=COLOURS[number], linewidth=0.7)
                ax.plot(
                    [row["paper"] for row in part], [row["ours"] for row in part], "os^"[number], color=COLOURS[number],
                    markersize=3.5, label=f"{start}X" if start else "one model",
                )  # fmt: skip
            ax.set(title=QUARTERS[table], xlabel="printed", xlim=(0, 1), ylim=(0, 1), aspect="equal")
        panels[0].set_ylabel("ours")
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
        return svg_text(figure)


def _kind(method: str) -> str:
    return next((start for start in ("KM+", "CAC+") if method.startswith(start)), "")


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

PICTURES: dict[str, Picture] = {
    "beyond": ranks_figure,
    "cac": agreement_figure,
    "cac-synthetic": sweeps_figure,
}
"""Studies with a picture of their own; its docstring is the caption."""
