"""What a solver comparison says: plain values for machines, findings, the report."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import pandas as pd

from partitope.output.report import Picture, Report, Section, Table
from partitope.solver_comparison.comparison import performance_profile

from .figures import curve_figure, profile_figure, time_figure
from .run import Bench

PROFILE = (
    "Performance profiles (Dolan and Moré). A curve's height at 1 is the share of instances on which the backend is "
    "the fastest, its height at the right edge the share that it solves; at 10, the share that it solves at most ten "
    "times slower than the fastest."
)
TIMES = "Median seconds of building the model and of solving it, told apart."
CURVES = (
    "Distance from the best sum of squares that any strategy found, over time: of the incumbents within the bounds, a "
    "mark for every finished start, and, dotted, of the proved lower bound. Where the dotted line comes down, the "
    "optimum is proved to that distance."
)


def plain_record(bench: Bench) -> dict[str, Any]:
    """The comparison as plain data."""
    return {
        "settings": bench.settings | {"accuracy": bench.accuracy},
        "instances": {name: {"n": n, "k": k} for name, (n, k) in bench.sizes.items()},
        "backends": [
            entry | {"solver": b, "instance": i, "solved": bench.solved(b, i), "shortfall": bench.shortfall(b, i)}
            for i in bench.instances
            for b in bench.backends
            for entry in [bench.entries[b, i]]
        ],
        "strategies": [
            bench.entries[s, i] | {"solver": s, "instance": i} for i in bench.instances for s in bench.strategies
        ],
        "profiles": {part: _profile(bench, part) for part in ("seconds", "solve_seconds")} if bench.backends else {},
    }


def _profile(bench: Bench, part: str) -> dict[str, Any]:
    tau, rho = performance_profile(bench.times(part))
    return {"tau": tau, "rho": {name: rho[:, s] for s, name in enumerate(bench.backends)}}


def findings(bench: Bench) -> list[str]:
    """What the figures say, one sentence each."""
    lines, count = [], len(bench.instances)
    solved = {b: sum(bench.solved(b, i) for i in bench.instances) for b in bench.backends}
    if solved:
        everything = [b for b, number in solved.items() if number == count]
        lines.append(
            f"Solved to {bench.accuracy:g} on all {count} instances, as measured: {', '.join(everything) or 'none'}."
        )
        rest = [f"{b} ({number})" for b, number in solved.items() if number < count]
        if rest:
            lines.append(f"On fewer: {', '.join(rest)}; the table says why.")
        fastest: dict[str, int] = {}
        for row in bench.times():
            if math.isfinite(row.min()):
                name = bench.backends[int(row.argmin())]
                fastest[name] = fastest.get(name, 0) + 1
        order = sorted(fastest.items(), key=lambda pair: -pair[1])
        lines.append("Fastest, building included: " + ", ".join(f"{b} on {number}" for b, number in order) + ".")
    table = bench.strategy_table() if bench.strategies else pd.DataFrame()
    for strategy in bench.strategies:
        above = table.loc[table["solver"] == strategy, "above best %"].dropna()
        if len(above):
            lines.append(
                f"{strategy}: best known sum of squares on {(above <= 1e-6).sum()} of {len(above)} instances, "
                f"at most {above.max():.2g} % above it."
            )
    return lines


def bench_report(bench: Bench) -> Report:
    """The report: for the terminal, for JSON, or as a page; pictures are drawn when a page is written."""
    drawn = ((profile_figure, PROFILE), (time_figure, TIMES), (curve_figure, CURVES))
    pictures = [Picture(partial(draw, bench), caption, caption.split(".")[0]) for draw, caption in drawn]
    tables = []
    if bench.backends:
        words = (
            "Every backend on every instance: seconds are medians, every answer measured again. shortfall: distance "
            "of the measured objective from the smallest proved bound, relative to the spread of the scores; solved: "
            f"feasible, and a shortfall of at most {bench.accuracy:g}."
        )
        tables.append(Table.of(bench.table(), words))
    if bench.strategies:
        words = "Every strategy on every instance: best sum of squares within the bounds."
        tables.append(Table.of(bench.strategy_table(), words))
    lead = (
        f"{len(bench.instances)} instances, {len(bench.backends)} backends, {len(bench.strategies)} strategies. "
        f"Every answer was measured again by a checker that shares no code with any solver."
    )
    sections = [Section("Pictures", pictures=pictures), Section("Figures", tables=tables)]
    return Report("Solvers compared", lead, findings(bench), sections, bench.settings, "bench", plain_record(bench))
