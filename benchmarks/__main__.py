"""``python -m benchmarks``: run the cases, write the table and the plot.

Options: ``--quick`` leaves out the cases of a million points and more; ``--case NAME`` (repeatable) runs only these
and keeps the other results; ``--report`` runs nothing and writes the table from the stored results.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pkgutil
import platform
import sys
from dataclasses import replace
from pathlib import Path

from . import cases as folder
from .case import Case
from .harness import run_case
from .report import write_report

RESULTS = Path(__file__).with_name("results.json")


def all_cases() -> list[Case]:
    """Every case of the folder, by size."""
    found = [importlib.import_module(f"benchmarks.cases.{m.name}").CASE for m in pkgutil.iter_modules(folder.__path__)]
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
    options = parser.parse_args()
    known = {case.name: case for case in all_cases()}
    unknown = sorted(set(options.case) - set(known))
    if unknown:
        parser.error(f"--case {unknown[0]} is not known: choose from {', '.join(known)}")
    results = json.loads(options.results.read_text()) if options.results.exists() else {"machine": "", "cases": {}}
    chosen = [] if options.report else [c for c in known.values() if (c.name in options.case or not options.case)]
    for case in chosen:
        if options.quick and case.full:
            continue
        case = replace(case, repeats=options.repeats or case.repeats)
        results["cases"][case.name] = run_case(case, options.python, lambda line: print(line, flush=True))
        results["note"] = f"Load of the machine when the last case ended: {os.getloadavg()[0]:.1f}."
        results["machine"] = f"{_processor()}, Python {platform.python_version()}"
        options.results.write_text(json.dumps(results, indent=1) + "\n")
    write_report(results, [case.name for case in known.values()])
    return 0


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    names = (
        [line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if "model name" in line]
        if info.exists()
        else []
    )
    return f"{os.cpu_count()} cores of {names[0] if names else platform.processor() or platform.machine()}"


if __name__ == "__main__":
    sys.exit(main())
