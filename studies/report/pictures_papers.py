"""Pictures that follow a figure of a paper, as SVG texts; each function's docstring is its caption."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from partitope.output.report import Picture
from partitope.output.style import COLOURS, GRID, LINES, as_svg, make_panels

from ..catalogue import STUDIES
from ..census_sweep import FIGURE, THRESHOLDS
from .pictures import (
    Drawing,
    accuracy_by_width_figure,
    is_number,
    local_ranks_figure,
    printed_figure,
    ranks_figure,
    sizes_figure,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ALT = "printed and own figures"
Rows = Sequence[dict[str, Any]]
QUARTERS = {"Polarize 5": "their quarter", "Polarize 1, another quarter": "another quarter", "Polarize 4": "five folds"}
"""Panels of the picture of clustering aware classification."""


@as_svg
def census_figure(rows: Rows, group: tuple[str, ...]) -> Figure | None:
    """Test rows of Census: accuracy over the number of clusters, the measures over the threshold, the ROC curve.

    Lines are ours, with 95 % intervals, of the first preprocessing of the rows; crosses are printed figures.
    """
    rows = [row for row in rows if row.get("preprocessing") == rows[0].get("preprocessing")]
    test = [row for row in rows if row["part"] == "test" and is_number(row["ours"])]
    curve = [row for row in test if row["table"] == FIGURE]
    if not curve:
        return None
    figure, (first, second, third) = make_panels(3, 3.0)
    many = [r for r in test if (r["scenario"], r["classifier"], r["metric"]) == ("weighted", "mean", "ACC")]
    _line(first, [(r["k"], r) for r in many if not r["table"].startswith("6.8")], 0)
    first.set(xlabel="clusters k", ylabel="percent", title="accuracy")
    for number, metric in enumerate(("ACC", "SENS", "SPEC")):
        part = {row["classifier"]: row for row in test if row["metric"] == metric and row["scenario"] == "thresholds"}
        points = [(t, part[f"mean at {t}"]) for t in THRESHOLDS if f"mean at {t}" in part]
        _line(second, points, number, {"ACC": "accuracy", "SENS": "sensitivity", "SPEC": "specificity"}[metric])
    second.set(xlabel="threshold", title=f"k = {curve[0]['k']}")
    second.legend(frameon=False, fontsize=7)
    across = [float(row["classifier"].split()[1]) for row in curve]
    third.plot([0.0, *across], [0.0, *(row["ours"] for row in curve)], color=COLOURS[0], linewidth=1.6)
    third.plot([0, 100], [0, 100], color="0.8", linewidth=0.8, zorder=0)
    third.set(xlabel="100 - specificity", ylabel="sensitivity", title="ROC curve")
    return figure


@as_svg
def penalty_figure(rows: Rows, group: tuple[str, ...]) -> Figure | None:
    """Agreement with the true clusters (NMI) of KDAC over its penalty, as a multiple of that of KCC, which has none.

    Ours fails at the smallest penalty alone; in the paper the best one differs between the sets by orders of magnitude.
    """
    found = {(r["data"], r["method"]): r["ours"] for r in rows if r["metric"] == "NMI_g" and is_number(r["ours"])}
    sweeps = sorted({method for _, method in found if method.startswith("KDAC lam=")}, key=_penalty)
    sets = [data for data, method in found if method == "KCC" and any((data, s) in found for s in sweeps)]
    if not sets:
        return None
    figure, (ax,) = make_panels(1, 3.0)
    ax.axhline(1.0, color="0.7", linewidth=0.9)
    for number, data in enumerate(sets):
        points = [(_penalty(s), found[data, s] / found[data, "KCC"]) for s in sweeps if (data, s) in found]
        look = {"color": COLOURS[number % len(COLOURS)], "linestyle": LINES[number % len(LINES)], "label": data}
        ax.plot(*zip(*points), marker="os^vD*"[number % 6], markersize=3.5, linewidth=1.4, **look)
    ax.set(xscale="log", xlabel="penalty of KDAC", ylabel="NMI of KDAC / NMI of KCC")
    penalties = [_penalty(sweep) for sweep in sweeps]
    ax.set_xticks(penalties, [f"{penalty:g}" for penalty in penalties])
    ax.minorticks_off()
    figure.legend(*ax.get_legend_handles_labels(), loc="outside right center")
    return figure


@as_svg
def clustered_figure(rows: Rows, group: tuple[str, ...]) -> Figure | None:
    """F1 of each classifier alone, after k-means and after CAC, over five folds of the authors' files.

    Lines are 95 % intervals; crosses are the printed figures.
    """
    shown = [r for r in rows if r["table"] == "Polarize 4" and is_number(r["ours"]) and is_number(r["paper"])]
    sets = [data for data in dict.fromkeys(row["data"] for row in shown) if not data.endswith("raw")]
    if not sets:
        return None
    names = list(dict.fromkeys(row["method"].split("+")[-1] for row in shown))
    figure, panels = make_panels(len(sets), 0.36 * len(names) + 1.2, sharey=True)
    for ax, data in zip(panels, sets):
        for row in (row for row in shown if row["data"] == data):
            kind = ("", "KM", "CAC").index(row["method"].split("+")[0] if "+" in row["method"] else "")
            place = names.index(row["method"].split("+")[-1]) + 0.22 * (kind - 1)
            ax.plot([row["low"], row["high"]], [place, place], color=COLOURS[kind], linewidth=1.2)
            ax.plot(row["ours"], place, "os^"[kind], color=COLOURS[kind], markersize=3.8)
            ax.plot(row["paper"], place, "x", color="black", markersize=4, markeredgewidth=1.0)
        ax.set_title(data)
        ax.grid(axis="x", **GRID)
    panels[0].set_yticks(range(len(names)), names)
    panels[0].set_ylim(len(names) - 0.4, -0.6)
    for kind, label in enumerate(("alone", "after k-means", "after CAC")):
        panels[0].plot([], [], "os^"[kind], color=COLOURS[kind], label=label)
    panels[0].plot([], [], "x", color="black", label="printed")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


@as_svg
def sweeps_figure(rows: Rows, group: tuple[str, ...]) -> Figure | None:
    """F1 over the inner and outer separation, the natural clusters K and the clusters asked for, k.

    Each panel averages over everything that it does not name; bars are 95 % intervals of CAC+LR over the draws.
    """
    shown = [row for row in rows if row["metric"] == "F1" and "=" in row["data"] and " with " not in row["data"]]
    names = list(dict.fromkeys(row["data"].split("=")[0] for row in shown))
    if not names:
        return None
    figure, panels = make_panels(len(names), 2.9, sharey=True)
    for ax, name in zip(panels, names):
        for number, method in enumerate(dict.fromkeys(row["method"] for row in shown)):
            part = [row for row in shown if row["method"] == method and row["data"].startswith(f"{name}=")]
            across = [float(row["data"].split("=")[1]) for row in part]
            look = {"color": COLOURS[number], "linestyle": LINES[number], "linewidth": 1.6, "label": method}
            ax.plot(across, [row["ours"] for row in part], marker="os^"[number % 3], markersize=3.5, **look)
            if method.startswith("CAC"):
                for x, row in zip(across, part):
                    if is_number(row["low"]) and is_number(row["high"]):
                        ax.plot([x, x], [row["low"], row["high"]], color=COLOURS[number], linewidth=0.9)
        ax.set_xlabel(name)
        ax.grid(axis="y", **GRID)
    panels[0].set_ylabel("F1")
    panels[0].set_ylim(0.0, None)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


@as_svg
def agreement_figure(rows: Rows, group: tuple[str, ...]) -> Figure | None:
    """Ours over the printed figure, F1 of the authors' files; on the line they agree, bars are 95 % intervals of ours.

    The first panel is the quarter that the papers hold out, the second another quarter, the third five folds.
    """
    shown = [
        row for row in rows if is_number(row.get("paper")) and is_number(row.get("ours")) and row["metric"] == "F1"
    ]
    shown = [row for row in shown if " raw" not in row["data"]]
    tables = [name for name in QUARTERS if any(row["table"] == name for row in shown)]
    if not tables:
        return None
    figure, panels = make_panels(len(tables), 3.1, sharex=True, sharey=True)
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
    return figure


def _kind(method: str) -> str:
    return next((start for start in ("KM+", "CAC+") if method.startswith(start)), "")


def _line(ax: Any, points: list[tuple[float, dict[str, Any]]], number: int, label: str | None = None) -> None:
    points = sorted(points, key=lambda point: point[0])
    look = {"color": COLOURS[number], "linestyle": LINES[number], "label": label}
    ax.plot([x for x, _ in points], [row["ours"] for _, row in points], linewidth=1.5, **look)
    for x, row in points:
        ax.plot([x, x], [row["low"], row["high"]], color=COLOURS[number], linewidth=0.9)
        if is_number(row["paper"]):
            ax.plot(x, row["paper"], "x", color="black", markersize=4, markeredgewidth=1.0)


def _penalty(method: str) -> float:
    return float(method.split("=")[1])


PICTURES: dict[str, tuple[Drawing, ...]] = {
    "census": (printed_figure, census_figure),
    "cac": (agreement_figure, clustered_figure),
    "cac-synthetic": (sweeps_figure,),
    "cac-curves": (),
    "choices": (),
    "readings": (),
    "references": (),
    "tables": (),
    "edges": (),
    "variance": (),
    "kcc": (printed_figure, penalty_figure),
    "beyond": (ranks_figure, local_ranks_figure),
    "sizes": (sizes_figure, accuracy_by_width_figure),
}
"""Studies with pictures of their own; others have `printed_figure`."""


def pictures(name: str, rows: list[dict[str, Any]]) -> list[Picture]:
    """Pictures of a study, with their captions."""
    return [
        Picture(partial(draw, rows, STUDIES[name].group), " ".join((draw.__doc__ or "").split()), f"{name}: {ALT}")
        for draw in (PICTURES.get(name, (printed_figure,)) if rows else ())
    ]
