"""The pictures of a solver comparison as SVG texts, in the style of the comparison's report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from partitope.output.style import BLUE, COLOURS, GRID, LINES, ORANGE, as_svg, look, make_panels
from partitope.solver_comparison.comparison import performance_profile

from ..other_codes_text import NAMES, Done, curves
from .run import Bench

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FLOOR = 1e-3
"""Percent below which distances are drawn alike: zero has no place on a logarithmic axis."""

LEVELS = (1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0)


@as_svg
def profile_figure(bench: Bench) -> Figure | None:
    """Performance profiles of the backends: the whole time, and the time without building; None with fewer than two."""
    if len(bench.backends) < 2:
        return None
    figure, panels = make_panels(2, 4.1, sharey=True)
    for ax, part, title in zip(
        panels, ("seconds", "solve_seconds"), ("building and solving", "solving alone"), strict=True
    ):
        tau, rho = performance_profile(bench.times(part))
        end = max(10.0, 1.3 * float(tau[-1]))
        for s, name in enumerate(bench.backends):
            across, up = np.append(tau, end), np.append(rho[:, s], rho[-1, s])
            ax.step(across, up, where="post", label=name, clip_on=False, **_style(s))
        ax.set(xscale="log", xlim=(1.0, end), ylim=(0.0, 1.02), xlabel="factor of the fastest")
        _plain(ax.xaxis)
        ax.set_title(title)
        ax.grid(axis="y", **GRID)
    panels[0].set_ylabel("share of instances solved")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
    return figure


@as_svg
def time_figure(bench: Bench) -> Figure | None:
    """Build and solve seconds of every backend, one panel an instance; None without backends."""
    if not bench.backends:
        return None
    figure, panels = _grid(len(bench.instances), 0.26 * len(bench.backends) + 0.9)
    place = np.arange(len(bench.backends))[::-1]
    for ax, name in zip(panels, bench.instances):
        entries = [bench.entries[b, name] for b in bench.backends]
        for y, backend, entry in zip(place, bench.backends, entries):
            if entry["seconds"] is None:
                ax.annotate("left out", (0.02, y), xycoords=("axes fraction", "data"), va="center", color="0.4")
                continue
            solved = bench.solved(backend, name)
            ax.plot(entry["solve_seconds"], y, "o", color=BLUE, ms=5, mfc=BLUE if solved else "white")
            ax.plot(max(entry["build_seconds"], 1e-6), y, "s", color=ORANGE, ms=5, mec="0.3", mew=0.4)
        ax.set(xscale="log", title=_short(name), ylim=(-0.6, len(place) - 0.4))
        ax.set_yticks(place, bench.backends)
        ax.grid(color="0.92", linewidth=0.6)
        ax.set_xlabel("seconds")
        _plain(ax.xaxis)
    marks: list[Any] = [
        panels[0].plot([], [], "s", color=ORANGE, mec="0.3", mew=0.4, label="building")[0],
        panels[0].plot([], [], "o", color=BLUE, label="solving")[0],
        panels[0].plot([], [], "o", color=BLUE, mfc="white", label="not solved to the accuracy")[0],
    ]
    figure.legend(handles=marks, loc="outside lower center", ncols=3)
    return figure


@as_svg
def curve_figure(bench: Bench) -> Figure | None:
    """Distance of incumbents and bounds from the best sum of squares, over time; None without a trace."""
    from matplotlib.ticker import NullLocator

    shown = [i for i in bench.instances if any(bench.entries[s, i]["trace"] for s in bench.strategies)]
    if not shown:
        return None
    figure, panels = _grid(len(shown), 2.4)
    for number, (ax, name) in enumerate(zip(panels, shown)):
        entries = [bench.entries[s, name] for s in bench.strategies]
        best = min(entry["trace"][-1][1] for entry in entries if entry["trace"])
        end = max(curve[-1][0] for entry in entries for curve in (entry["trace"], entry["bounds"]) if curve)
        for s, (strategy, entry) in enumerate(zip(bench.strategies, entries)):
            if entry["trace"]:
                t, far = _distance([*entry["trace"], [end, entry["trace"][-1][1]]], best)
                ax.step(t, far, where="post", label=strategy, marker=look(s)["marker"], ms=4, **_style(s))
            if entry["bounds"]:
                t, far = _distance([*entry["bounds"], [end, entry["bounds"][-1][1]]], best)
                style: dict[str, Any] = {"color": "0.3", "lw": 1.3, "ls": ":", "marker": "v", "ms": 4}
                ax.step(t, far, where="post", label=f"{strategy}: bound", markevery=[-1], **style)
        ax.axhline(FLOOR, color="0.8", linewidth=0.6)
        ax.set(xscale="log", yscale="log", title=_short(name), xlabel="seconds", ylim=(0.7 * FLOOR, 150.0))
        _plain(ax.xaxis)
        ax.set_yticks(LEVELS, [f"≤ {LEVELS[0]:g} %", *(f"{level:g} %" for level in LEVELS[1:])])
        ax.yaxis.set_minor_locator(NullLocator())
        if number % 3 == 0:
            ax.set_ylabel("distance from the best")
    handles = {str(h.get_label()): h for ax in panels for h in ax.get_legend_handles_labels()[0]}
    figure.legend(handles=list(handles.values()), loc="outside lower center", ncols=4)
    return figure


def _distance(curve: list[list[float]], best: float) -> tuple[np.ndarray, np.ndarray]:
    """Seconds, and |value - best| in percent of the best, at least `FLOOR`."""
    seconds, value = np.array(curve, dtype=np.float64).T
    return seconds, np.maximum(100.0 * np.abs(value - best) / max(abs(best), 1e-300), FLOOR)


def _plain(axis: Any) -> None:
    """Powers of ten as plain numbers: the style reads no formulas."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(numticks=5))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def _style(number: int) -> dict[str, Any]:
    return {"color": COLOURS[number % 6], "linestyle": LINES[number % len(LINES)], "linewidth": 1.7}


def _short(name: str) -> str:
    return name.rsplit("/", 1)[-1]


def _grid(count: int, height: float) -> tuple[Figure, list[Any]]:
    down = -(-count // 3)
    figure, found = make_panels(3, (height + 0.5) * down + 0.4, rows=down)
    for ax in found[count:]:
        ax.set_axis_off()
    return figure, found[:count]


def growth_figure(done: Done) -> Figure | None:
    """Seconds of the codes over points and over clusters, two panels; None where no case is a point of a curve."""
    from matplotlib.figure import Figure

    where = {"n": "points n (k = 10, d = 4)", "k": "clusters k (n = 30 162, d = 12)"}
    found = {name: curves(done, name) for name in where}
    if not any(found.values()):
        return None
    figure = Figure(figsize=(9.0, 3.6), layout="constrained")
    for axes, name in zip(figure.subplots(1, 2), where):
        for (peer, points), colour, marker in zip(sorted(found[name].items(), reverse=True), ("C0", "C1"), "os"):
            axes.loglog(*zip(*points), color=colour, marker=marker, label=NAMES[peer])
        axes.set_xlabel(where[name])
        axes.set_ylabel("processor seconds of an assignment")
        axes.grid(True, which="major", alpha=0.3)
        axes.legend(frameon=False)
    return figure
