"""Table and plot from results: into docs/engine.md, docs/images/engine.png and the README, between markers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
BEGIN, END = "<!-- bench -->", "<!-- /bench -->"
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


def write_report(results: dict[str, Any], order: list[str]) -> None:
    """Write everything that the results allow.

    Parameters
    ----------
    results : dict
        What the harness stored.
    order : list of str
        Names of the cases, in the order of the table.
    """
    done = [results["cases"][name] for name in order if name in results["cases"]]
    repeats = sorted({result["case"]["repeats"] for result in done})
    times = " to ".join(str(r) for r in sorted({repeats[0], repeats[-1]})) if repeats else "0"
    head = f"Measured on {results['machine']}; medians of {times} repeats, all peers of a case in turn in one run."
    head += f" {results['note']}\n\n" if results.get("note") else "\n\n"
    between_markers(ROOT / "docs" / "engine.md", head + _table(done, full=True) + _slopes(done))
    between_markers(ROOT / "README.md", head + _table(done, full=False))
    _plot(done, ROOT / "docs" / "images" / "engine.png")


def between_markers(path: Path, text: str) -> None:
    """Replace what stands between the markers of a file; a file without them is left alone."""
    if not path.exists():
        return
    old = path.read_text()
    if BEGIN not in old or END not in old:
        return
    before, rest = old.split(BEGIN, 1)
    path.write_text(f"{before}{BEGIN}\n{text.rstrip()}\n{END}{rest.split(END, 1)[1]}")


def _table(done: list[dict[str, Any]], full: bool) -> str:
    """Rows of a Markdown table."""
    if full:
        lines = [
            "| case | code | build s | solve s | CPU s | times ours | in CPU | peak MiB | cost above ours | gap |",
            "|---|---|---|---|---|---|---|---|---|---|",
        ]
    else:
        lines = ["| case | partitope | the others, in multiples of its seconds |", "|---|---|---|"]
    for result in done:
        if not full and result["case"]["series"]:
            continue
        lines += _full_rows(result) if full else [_short_row(result)]
    return "\n".join(lines) + "\n"


def _full_rows(result: dict[str, Any]) -> list[str]:
    rows, title = [], result["case"]["title"]
    ours = next((result["peers"][peer] for peer in ("transport", "geometric") if peer in result["peers"]), None)
    for peer in result["case"]["peers"]:
        if peer in result["failures"]:
            rows.append(f"| {title} | {NAMES[peer]} | | {result['failures'][peer]} | | | | | | |")
        elif peer in result["peers"]:
            one = result["peers"][peer]
            ratio = one["seconds"] / ours["seconds"] if ours else float("nan")
            above = "" if not ours else f"{(one['objective'] - ours['objective']) / abs(ours['objective']):+.1e}"
            rows.append(
                f"| {title} | {NAMES[peer]} | {one['build']:.3g} | {one['seconds']:.3g} "
                f"| {_cell(one, 'cpu', '.3g')} | {_plain(ratio)} | {_processor_ratio(one, ours)} | {one['peak']:.0f} "
                f"| {'no bounds' if 'unbounded' in one else above} | {_cell(one, 'gap', '.0e')} |"
            )
        title = ""
    return rows


def _processor_ratio(one: dict[str, float], ours: dict[str, float] | None) -> str:
    return _plain(one["cpu"] / ours["cpu"]) if ours and "cpu" in one and ours.get("cpu") else ""


def _short_row(result: dict[str, Any]) -> str:
    peers = result["peers"]
    own = next(peer for peer in ("transport", "geometric") if peer in result["case"]["peers"])
    if own not in peers:
        return f"| {result['case']['title']} | {result['failures'].get(own, '')} | |"
    others = [
        f"{NAMES[peer]} {_multiple(peers[peer], peers[own])}" if peer in peers
        else f"{NAMES[peer]} {result['failures'].get(peer, '')}"
        for peer in result["case"]["peers"] if peer != own
    ]  # fmt: skip
    return f"| {result['case']['title']} | {peers[own]['seconds']:.3g} s | {'; '.join(others)} |"


def _multiple(one: dict[str, float], ours: dict[str, float]) -> str:
    processor = _processor_ratio(one, ours)
    return _plain(one["seconds"] / ours["seconds"]) + (f" ({processor} in CPU)" if processor else "")


def _plain(ratio: float) -> str:
    """Two digits, never an exponent."""
    return f"{float(f'{ratio:.2g}'):g}"


def _cell(one: dict[str, float], name: str, style: str) -> str:
    return format(one[name], style) if name in one else ""


def _series(done: list[dict[str, Any]], name: str) -> dict[str, list[tuple[float, float]]]:
    """(size, seconds) of every code along a curve."""
    curves: dict[str, list[tuple[float, float]]] = {}
    for result in done:
        if result["case"]["series"] == name:
            for peer, one in result["peers"].items():
                curves.setdefault(peer, []).append((result["case"][name], one["seconds"]))
    return {peer: sorted(points) for peer, points in curves.items()}


def _slopes(done: list[dict[str, Any]]) -> str:
    lines = []
    for name in ("n", "k"):
        for peer, points in _series(done, name).items():
            if len(points) > 1:
                x, y = np.log(np.array(points)).T
                lines.append(f"- {NAMES[peer]}: time grows like {name}^{np.polyfit(x, y, 1)[0]:.2f}")
    return "\nSlopes of the log-log lines:\n\n" + "\n".join(lines) + "\n" if lines else ""


def _plot(done: list[dict[str, Any]], path: Path) -> None:
    """Time against n and against k, both axes logarithmic."""
    curves = {name: _series(done, name) for name in ("n", "k")}
    if not any(curves.values()):
        return
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, 2, figsize=(9.0, 3.6), layout="constrained")
    where = {"n": "points n (k = 10, d = 4)", "k": "clusters k (n = 30 162, d = 12)"}
    for axes, (name, of_name) in zip(panels, curves.items()):
        for (peer, points), colour, marker in zip(sorted(of_name.items(), reverse=True), ("C0", "C1"), "os"):
            axes.loglog(*zip(*points), color=colour, marker=marker, label=NAMES[peer])
        axes.set_xlabel(where[name])
        axes.set_ylabel("seconds for one exact assignment")
        axes.grid(True, which="major", alpha=0.3)
        axes.legend(frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
    plt.close(figure)
