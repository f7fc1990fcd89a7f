"""``python -m benchmarks``: run the cases, write the table and the plot.

Options: ``--quick`` leaves out the cases of a million points and more; ``--case NAME`` (repeatable) runs only these
and keeps the other results; ``--report`` runs nothing and writes the table from the stored results; ``--commits A B``
runs our own code of a few cases on these commits in turn, prints their ratios and stores nothing.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import json
import os
import pkgutil
import platform
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from studies.base.machine import cores, processor

from . import cases as folder
from .backends.figures import growth_figure
from .bars import bars_svg
from .case import Case, run_case
from .commits import KEPT, compare_commits
from .other_codes_text import full_table, measured_on, slopes

RESULTS = Path(__file__).with_name("results.json")
ROOT = Path(__file__).parents[1]
BEGIN, END = "<!-- bench -->", "<!-- /bench -->"


def all_cases() -> list[Case]:
    """Every case of the folder, by size."""
    modules = [importlib.import_module(f"benchmarks.cases.{m.name}") for m in pkgutil.iter_modules(folder.__path__)]
    found = [case for module in modules for case in module.CASES]
    return sorted(found, key=lambda case: (case.series, case.kind != "step", case.n, case.k))


def main() -> int:
    """Parse the options, run, report."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="no case of a million points")
    parser.add_argument("--case", action="append", default=[], help="run only this case")
    parser.add_argument("--repeats", type=int, help="repeats of every case, instead of its own number")
    parser.add_argument("--results", type=Path, default=RESULTS, help="file of the stored results")
    parser.add_argument("--report", action="store_true", help="only write table and plot from the stored results")
    parser.add_argument("--python", default=sys.executable, help="interpreter that has the peers")
    parser.add_argument("--commits", nargs="+", default=[], metavar="REVISION", help="compare these, against the first")
    options = parser.parse_args()
    known = {case.name: case for case in all_cases()}
    unknown = sorted(set(options.case) - set(known))
    if unknown:
        parser.error(f"--case {unknown[0]} is not known: choose from {', '.join(known)}")
    if options.commits:
        cases = [known[name] for name in options.case or KEPT]
        say = functools.partial(print, file=sys.stderr, flush=True)
        try:
            print(compare_commits(ROOT, options.commits, cases, say, repeats=options.repeats))
        except ValueError as error:
            parser.error(str(error))
        return 0
    results = json.loads(options.results.read_text()) if options.results.exists() else {"machine": "", "cases": {}}
    chosen = [] if options.report else [c for c in known.values() if (c.name in options.case or not options.case)]
    for case in chosen:
        if options.quick and case.full:
            continue
        case = replace(case, repeats=options.repeats or case.repeats)
        results["cases"][case.name] = run_case(case, options.python, lambda line: print(line, flush=True))
        results["note"] = f"Load of the machine when the last case ended: {os.getloadavg()[0]:.1f}."
        results["machine"] = f"{cores()} of {processor()}, Python {platform.python_version()}"
        options.results.write_text(json.dumps(results, indent=1) + "\n")
    write_report(results, list(known))
    return 0


def write_report(results: dict[str, Any], order: list[str], root: Path = ROOT) -> None:
    """Write what the results allow: tables into docs/engine-figures.md, curves and bars into docs/images."""
    done = [results["cases"][name] for name in order if name in results["cases"]]
    head = measured_on(results, done)
    between_markers(
        root / "docs" / "engine-figures.md", "\n\n".join(filter(None, (head, full_table(done), slopes(done))))
    )
    pictures = root / "docs" / "images"
    pictures.mkdir(parents=True, exist_ok=True)
    (pictures / "speed.svg").write_text(bars_svg(done), encoding="utf-8")
    figure = growth_figure(done)
    if figure is not None:
        figure.savefig(pictures / "engine.png", dpi=150)


def between_markers(path: Path, text: str) -> None:
    """Replace what stands between the markers of a file; a file without them is left alone."""
    old = path.read_text() if path.exists() else ""
    if BEGIN not in old or END not in old:
        return
    before, rest = old.split(BEGIN, 1)
    path.write_text(f"{before}{BEGIN}\n{text.rstrip()}\n{END}{rest.split(END, 1)[1]}")


if __name__ == "__main__":
    sys.exit(main())
