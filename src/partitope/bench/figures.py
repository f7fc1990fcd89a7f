"""The pictures of a solver comparison as SVG texts, in the style of the comparison's report."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..models.plotting import COLOURS, look
from ..report_figures import LINES, STYLE, WIDTH, svg_text
from .profile import performance_profile
from .run import Bench


def profile_figure(bench: Bench) -> str | None:
    """Performance profiles of the backends: the whole time, and the time without building; None with fewer than two."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    if len(bench.backends) < 2:
        return None
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, 4.1), layout="constrained")
        panels = figure.subplots(1, 2, sharey=True)
        for ax, part, title in zip(
            panels, ("seconds", "solve_seconds"), ("building and solving", "solving alone"), strict=True
        ):
            tau, rho = performance_profile(bench.times(part))
            end = max(10.0, 1.3 * float(tau[-1]))
            for s, name in enumerate(bench.backends):
                across, up = np.append(tau, end), np.append(rho[:, s], rho[-1, s])
                ax.step(across, up, where="post", label=name, clip_on=False, **_style(s))
            ax.set(xscale="log", xlim=(1.0, end), ylim=(0.0, 1.02), xlabel="factor of the fastest")
            ax.set_title(title)
            ax.grid(axis="y", color="0.9", linewidth=0.6)
        panels[0].set_ylabel("share of instances solved")
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
        return svg_text(figure)


def time_figure(bench: Bench) -> str | None:
    """Build and solve seconds of every backend, one panel an instance; None without backends."""
    import matplotlib as mpl

    if not bench.backends:
        return None
    with mpl.rc_context(STYLE):
        figure, panels = _grid(len(bench.instances), 0.26 * len(bench.backends) + 0.9)
        place = np.arange(len(bench.backends))[::-1]
        for number, (ax, name) in enumerate(zip(panels, bench.instances)):
            cells = [bench.cells[b, name] for b in bench.backends]
            for y, backend, cell in zip(place, bench.backends, cells):
                if cell["seconds"] is None:
                    ax.annotate("left out", (0.02, y), xycoords=("axes fraction", "data"), va="center", color="0.4")
                    continue
                solved = bench.solved(backend, name)
                ax.plot(cell["solve_seconds"], y, "o", color="#0072B2", ms=5, mfc="#0072B2" if solved else "white")
                ax.plot(max(cell["build_seconds"], 1e-6), y, "s", color="#E69F00", ms=5, mec="0.3", mew=0.4)
            ax.set(xscale="log", title=_short(name), ylim=(-0.6, len(place) - 0.4))
            ax.set_yticks(place, bench.backends if number % 3 == 0 else [""] * len(place))
            ax.grid(color="0.92", linewidth=0.6)
            ax.set_xlabel("seconds")
        marks: list[Any] = [
            panels[0].plot([], [], "s", color="#E69F00", mec="0.3", mew=0.4, label="building")[0],
            panels[0].plot([], [], "o", color="#0072B2", label="solving")[0],
            panels[0].plot([], [], "o", color="#0072B2", mfc="white", label="not solved to the accuracy")[0],
        ]
        figure.legend(handles=marks, loc="outside lower center", ncols=3)
        return svg_text(figure)


def curve_figure(bench: Bench) -> str | None:
    """Best objective over time of every strategy and proved bounds, one panel an instance; None without a trace."""
    import matplotlib as mpl

    shown = [i for i in bench.instances if any(bench.cells[s, i]["trace"] for s in bench.strategies)]
    if not shown:
        return None
    with mpl.rc_context(STYLE):
        figure, panels = _grid(len(shown), 2.4)
        for number, (ax, name) in enumerate(zip(panels, shown)):
            end = max(c[-1][0] for s in bench.strategies for c in _curves(bench, s, name))
            for s, strategy in enumerate(bench.strategies):
                cell = bench.cells[strategy, name]
                if cell["trace"]:
                    t, v = np.array([*cell["trace"], [end, cell["trace"][-1][1]]]).T
                    ax.step(t, v, where="post", label=strategy, **_style(s), marker=look(s)["marker"], ms=3.5)
                if len(cell["bounds"]) > 1:
                    t, v = np.array(cell["bounds"]).T
                    ax.step(t, v, where="post", label=f"{strategy}: lower bound", color="0.35", lw=1.2, ls=":")
            best = min(c[-1][1] for s in bench.strategies if (c := bench.cells[s, name]["trace"]))
            top = max(c[0][1] for s in bench.strategies if (c := bench.cells[s, name]["trace"]))
            ax.set(xscale="log", title=_short(name), xlabel="seconds", ylim=_window(best, top))
            ax.ticklabel_format(axis="y", useOffset=False)
            if number % 3 == 0:
                ax.set_ylabel("sum of squares")
        handles = {h.get_label(): h for ax in panels for h in ax.get_legend_handles_labels()[0]}
        figure.legend(handles=list(handles.values()), loc="outside lower center", ncols=4)
        return svg_text(figure)


def _window(best: float, top: float) -> tuple[float, float]:
    """Where the incumbents are, with room below for the end of the bounds."""
    height = max(top - best, 2e-3 * abs(best), 1e-12)
    return best - 0.6 * height, top + 0.15 * height


def _curves(bench: Bench, strategy: str, name: str) -> list[list[list[float]]]:
    cell = bench.cells[strategy, name]
    return [curve for curve in (cell["trace"], cell["bounds"]) if curve]


def _style(number: int) -> dict[str, Any]:
    return {"color": COLOURS[number % 6], "linestyle": LINES[number % len(LINES)], "linewidth": 1.7}


def _short(name: str) -> str:
    return name.rsplit("/", 1)[-1]


def _grid(count: int, height: float) -> tuple[Any, list[Any]]:
    from matplotlib.figure import Figure

    down = -(-count // 3)
    figure = Figure(figsize=(WIDTH, (height + 0.5) * down + 0.4), layout="constrained")
    panels = np.atleast_1d(figure.subplots(down, 3, squeeze=False)).ravel()
    for ax in panels[count:]:
        ax.set_axis_off()
    return figure, list(panels[:count])
