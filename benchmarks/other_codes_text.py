"""What the benchmark against other codes says: a table for the documentation, and the slopes of its curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from partitope.output.report import Table
from studies.report.markdown import markdown_table

from .case import OURS

NAMES = {
    "transport": "partitope",
    "geometric": "partitope",
    "argmax": "scores and arg-max, NumPy (no bounds)",
    "ortools": "OR-tools min-cost flow",
    "highs-simplex": "HiGHS simplex",
    "highs-ipm": "HiGHS interior point",
    "pot": "POT emd",
    "networkx": "networkx",
    "k-means-constrained": "k-means-constrained",
    "sklearn-kmeans": "scikit-learn KMeans (no bounds)",
}
FULL = ("case", "code", "build s", "solve s", "CPU s", "times ours", "in CPU", "peak MiB", "cost above ours", "gap")
Done = Sequence[dict[str, Any]]
"""Results of `cases.run_case`, in the order of the table."""


def measured_on(results: dict[str, Any], done: Done) -> str:
    """A sentence on the machine and the repeats."""
    times = sorted({result["case"]["repeats"] for result in done})
    repeats = " to ".join(str(r) for r in sorted({times[0], times[-1]})) if times else "0"
    note = f" {results['note']}" if results.get("note") else ""
    return (
        f"Measured on {results['machine']}; medians of {repeats} repeats, all peers of a case in turn in one run.{note}"
    )


def full_table(done: Done) -> str:
    """Every code of every case, in Markdown."""
    return markdown_table(Table("", FULL, [row for result in done for row in _full_rows(result)]), indent="")


def curves(done: Done, name: str) -> dict[str, list[tuple[float, float]]]:
    """(size, processor seconds) of every code along a curve, "n" or "k"."""
    found: dict[str, list[tuple[float, float]]] = {}
    for result in done:
        if result["case"]["series"] == name:
            for peer, one in result["peers"].items():
                found.setdefault(peer, []).append((result["case"][name], one["cpu"]))
    return {peer: sorted(points) for peer, points in found.items()}


def slopes(done: Done) -> str:
    """How the processor seconds of every code grow along the curves, one line each."""
    lines = []
    for name in ("n", "k"):
        for peer, points in curves(done, name).items():
            if len(points) > 1:
                x, y = np.log(np.array(points)).T
                lines.append(f"- {NAMES[peer]}: time grows like {name}^{np.polyfit(x, y, 1)[0]:.2f}")
    return "Slopes of the log-log lines:\n\n" + "\n".join(lines) if lines else ""


def _full_rows(result: dict[str, Any]) -> list[list[str]]:
    ours = next((result["peers"][peer] for peer in OURS if peer in result["peers"]), None)
    rows: list[list[str]] = []
    for peer in result["case"]["peers"]:
        title = "" if rows else result["case"]["title"]
        if peer in result["failures"]:
            rows.append([title, NAMES[peer], "", result["failures"][peer], *[""] * 6])
        elif peer in result["peers"]:
            one = result["peers"][peer]
            above = _above(one, ours) if ours else ""
            rows.append([
                title, NAMES[peer], f"{one['build']:.3g}", f"{one['seconds']:.3g}", _number(one, "cpu", ".3g"),
                _ratio(one, ours, "seconds"), _ratio(one, ours, "cpu"), f"{one['peak']:.0f}",
                "no bounds" if "unbounded" in one else above, _number(one, "gap", ".0e"),
            ])  # fmt: skip
    return rows


def _ratio(one: dict[str, float], ours: dict[str, float] | None, name: str) -> str:
    """Two digits, never an exponent."""
    if ours is None or name not in one or not ours.get(name):
        return ""
    return f"{float(f'{one[name] / ours[name]:.2g}'):g}"


def _above(one: dict[str, float], ours: dict[str, float]) -> str:
    """How far a cost lies above ours, relative to it."""
    more = (one["objective"] - ours["objective"]) / abs(ours["objective"])
    return f"{more:+.1e}" if more else "0"


def _number(one: dict[str, float], name: str, style: str) -> str:
    return format(one[name], style) if name in one else ""
