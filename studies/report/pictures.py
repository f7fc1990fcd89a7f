"""Pictures of any study's tables as SVG texts: printed beside own figures, and average ranks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from partitope.output.style import BLUE, GRID, as_svg, make_panels

from ..base.ranks import alike

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@as_svg
def printed_figure(rows: Sequence[dict[str, Any]], group: tuple[str, ...]) -> Figure | None:
    """A cross is the printed figure, a dot ours with its 95 % interval; one panel a measure."""
    shown = [row for row in rows if is_number(row.get("paper")) and is_number(row.get("ours"))]
    shown = [row for row in shown if row.get("part", "test") == "test"]
    metrics = [m for m in dict.fromkeys(row["metric"] for row in shown) if not m.startswith(("place", "robust"))][:4]
    if not metrics:
        return None
    parts = [[row for row in shown if row["metric"] == metric] for metric in metrics]
    tall = max(map(len, parts))
    figure, panels = make_panels(len(metrics), 0.19 * tall + 1.1)
    for ax, metric, part in zip(panels, metrics, parts):
        _panel(ax, part, group)
        ax.set_title(metric)
        ax.set_ylim(tall - 0.4, -0.6)
    return figure


@as_svg
def ranks_figure(rows: Sequence[dict[str, Any]], group: tuple[str, ...]) -> Figure | None:
    """Critical-difference diagram: average rank of the accuracy over the sets, the best to the left.

    Bars join strategies whose ranks differ by less than the critical difference of Nemenyi's test at the level .05.
    """
    return _ranks(rows, "ranks")


@as_svg
def local_ranks_figure(rows: Sequence[dict[str, Any]], group: tuple[str, ...]) -> Figure | None:
    """The same for every strategy with local models in its cells, beside classifiers without clusters."""
    return _ranks(rows, "ranks of local models")


def _ranks(rows: Sequence[dict[str, Any]], table: str) -> Figure | None:
    shown = sorted((row for row in rows if row.get("table") == table), key=lambda row: row["ours"])
    if len(shown) < 2:
        return None
    ranks, critical, m = [row["ours"] for row in shown], shown[0]["critical"], len(shown)
    half = (m + 1) // 2
    figure, (ax,) = make_panels(1, 1.5 + 0.24 * half)
    ax.plot([1, m], [0, 0], color="black", linewidth=1.0)
    for tick in range(1, m + 1):
        ax.plot([tick, tick], [0, 0.18], color="black", linewidth=1.0)
        ax.text(tick, 0.3, str(tick), ha="center", va="bottom")
    ax.plot([1, 1 + critical], [1.25, 1.25], "|-", color="black", linewidth=1.4)
    ax.text(1 + critical / 2, 1.32, f"critical difference {critical:.2f}", ha="center", va="bottom")
    runs = alike(ranks, critical)
    for level, (first, last) in enumerate(runs):
        y = -0.22 - 0.2 * level
        ax.plot([ranks[first] - 0.03, ranks[last] + 0.03], [y, y], color=BLUE, linewidth=3.5)
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
    return figure


@as_svg
def sizes_figure(rows: Sequence[dict[str, Any]], group: tuple[str, ...]) -> Figure | None:
    """What bounds change against no bound, the narrower the farther to the right.

    A thin line is a set; the thick one their mean, with its 95 % interval over the sets.
    """
    mean = [row for row in rows if row["table"] == "all sets" and is_number(row["ours"])]
    names = list(dict.fromkeys(row["metric"] for row in mean))
    if not names:
        return None
    widths = sorted({row["width"] for row in mean}, reverse=True)
    figure, panels = make_panels(-(-len(names) // 2), 5.4, rows=2, sharex=True)
    for ax, name in zip(panels, names):
        ax.axhline(0.0, color="0.6", linewidth=0.9)
        single = [row for row in rows if (row["table"], row["metric"]) == ("against no bound", name)]
        for data in dict.fromkeys(row["data"] for row in single):
            points = {row["width"]: row["ours"] for row in single if row["data"] == data and is_number(row["ours"])}
            across = [width for width in widths if width in points]
            ax.plot([widths.index(w) for w in across], [points[w] for w in across], color="0.75", linewidth=0.8)
        for place, row in [(widths.index(row["width"]), row) for row in mean if row["metric"] == name]:
            if is_number(row["low"]) and is_number(row["high"]):
                ax.plot([place, place], [row["low"], row["high"]], color=BLUE, linewidth=1.4)
        thick = {row["width"]: row["ours"] for row in mean if row["metric"] == name}
        ax.plot(range(len(widths)), [thick.get(w, float("nan")) for w in widths], "o-", color=BLUE, linewidth=1.8)
        title = name.removeprefix("change of ")
        ax.set_title("accuracy" if title == "ACC" else title)
        ax.set_xticks(range(len(widths)), [f"{100 * width:g} %" for width in widths])
    for ax in panels[len(names) :]:
        ax.axis("off")
    figure.supxlabel("sizes within this of n/k", fontsize=9)
    figure.supylabel("change against no bound", fontsize=9)
    return figure


@as_svg
def accuracy_by_width_figure(rows: Sequence[dict[str, Any]], group: tuple[str, ...]) -> Figure | None:
    """Accuracy on the rows held out against the width of the bounds, a panel a set, with its interval over the folds.

    The dashed line is the accuracy without bounds.
    """
    shown = [row for row in rows if (row["table"], row["metric"]) == ("sizes", "ACC") and is_number(row["ours"])]
    sets = list(dict.fromkeys(row["data"] for row in shown))
    if not sets:
        return None
    widths = sorted({row["width"] for row in shown if is_number(row["width"])}, reverse=True)
    lines = -(-len(sets) // 5)
    figure, panels = make_panels(min(len(sets), 5), 1.6 * lines, rows=lines, sharex=True)
    for ax, data in zip(panels, sets):
        of_width = {row["width"]: row for row in shown if row["data"] == data}
        if None in of_width:
            ax.axhline(of_width[None]["ours"], color="0.4", linewidth=0.9, linestyle="--")
        points = [(place, of_width[width]) for place, width in enumerate(widths) if width in of_width]
        ax.plot([x for x, _ in points], [row["ours"] for _, row in points], "o-", color=BLUE, markersize=3)
        ax.vlines([x for x, _ in points], *zip(*[(row["low"], row["high"]) for _, row in points]), color=BLUE, lw=0.9)
        ax.set_title(data, fontsize=8)
        ax.set_xticks(range(len(widths)), [f"{100 * width:g}" for width in widths])
        ax.tick_params(labelsize=6)
    for ax in panels[len(sets) :]:
        ax.axis("off")
    figure.supxlabel("sizes within this percentage of n/k", fontsize=9)
    figure.supylabel("accuracy", fontsize=9)
    return figure


def _panel(ax: Any, rows: Sequence[dict[str, Any]], group: tuple[str, ...]) -> None:
    varied = [name for name in group if len({row.get(name) for row in rows}) > 1] or [group[-1]]
    for place, row in enumerate(rows):
        low, high = row.get("low"), row.get("high")
        if is_number(low) and is_number(high):
            ax.plot([low, high], [place, place], color=BLUE, linewidth=1.4, solid_capstyle="butt")
        ax.plot(row["ours"], place, "o", color=BLUE, markersize=4)
        ax.plot(row["paper"], place, "x", color="black", markersize=5, markeredgewidth=1.3)
    ax.set_yticks(range(len(rows)), [" ".join(str(row.get(name)) for name in varied) for row in rows], fontsize=6.5)
    ax.grid(axis="x", **GRID)
    ax.tick_params(axis="y", length=0)


def is_number(value: Any) -> bool:
    """Whether a value of a row is there and finite."""
    return isinstance(value, int | float) and value == value and abs(value) != float("inf")


Drawing = Callable[[Sequence[dict[str, Any]], tuple[str, ...]], "str | None"]
