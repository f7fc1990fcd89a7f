"""A solver comparison as a record for machines and as one HTML file."""

from __future__ import annotations

import base64
import math
from html import escape
from typing import Any

import pandas as pd

from .. import __version__
from ..pages import fill_page
from .figures import curve_figure, profile_figure, time_figure
from .profile import performance_profile
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


def record(bench: Bench) -> dict[str, Any]:
    """The comparison as plain data."""
    return {
        "format": "partitope.bench",
        "version": 1,
        "partitope": __version__,
        "settings": bench.settings | {"accuracy": bench.accuracy},
        "instances": {name: {"n": n, "k": k} for name, (n, k) in bench.sizes.items()},
        "backends": [
            cell | {"solver": b, "instance": i, "solved": bench.solved(b, i), "shortfall": bench.shortfall(b, i)}
            for i in bench.instances
            for b in bench.backends
            for cell in [bench.cells[b, i]]
        ],
        "strategies": [
            bench.cells[s, i] | {"solver": s, "instance": i} for i in bench.instances for s in bench.strategies
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


def bench_html(bench: Bench) -> str:
    """The report: an HTML document with its style and pictures embedded; no script, nothing loaded from elsewhere."""
    pictures = [
        (svg, caption)
        for svg, caption in (
            (profile_figure(bench), PROFILE),
            (time_figure(bench), TIMES),
            (curve_figure(bench), CURVES),
        )
        if svg is not None
    ]
    tables = []
    if bench.backends:
        words = (
            "Every backend on every instance. shortfall: distance of the measured objective from the smallest proved "
            "bound, relative to the spread of the scores; solved: feasible, and a shortfall of at most "
            f"{bench.accuracy:g}."
        )
        tables.append(_table(bench.table(), 1, words))
    if bench.strategies:
        tables.append(_table(bench.strategy_table(), len(tables) + 1, "Every strategy on every instance."))
    return fill_page(
        "bench.html",
        title="Solvers compared",
        lead=escape(
            f"{len(bench.instances)} instances, {len(bench.backends)} backends, {len(bench.strategies)} strategies. "
            f"Every answer was measured again by a checker that shares no code with any solver."
        ),
        findings="".join(f"<li>{escape(line)}</li>" for line in findings(bench)),
        pictures="\n".join(_picture(number, *entry) for number, entry in enumerate(pictures, start=1)),
        tables="\n".join(tables),
        settings="".join(f"<dt>{escape(a)}</dt><dd>{escape(str(b))}</dd>" for a, b in bench.settings.items()),
    )


def _picture(number: int, svg: str, caption: str) -> str:
    image = base64.b64encode(svg.encode("utf-8")).decode("ascii")
    return (
        f'<figure><img alt="{escape(caption.split(".")[0])}" src="data:image/svg+xml;base64,{image}">'
        f"<figcaption><b>Figure {number}.</b> {escape(caption)}</figcaption></figure>"
    )


def _table(frame: pd.DataFrame, number: int, caption: str) -> str:
    head = "".join(f'<th scope="col">{escape(str(name))}</th>' for name in frame.columns)
    body = "\n".join(
        "<tr>" + "".join(f"<td>{escape(_cell(value))}</td>" for value in row) + "</tr>"
        for row in frame.itertuples(index=False)
    )
    return (
        f'<div class="scroll"><table><caption><b>Table {number}.</b> {escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
