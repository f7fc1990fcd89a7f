"""``python -m benchmarks.backends``: backends and strategies over instances, timed; their answers measured again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from partitope.cli import run
from partitope.commands.options import Json, Seed, Starts
from partitope.output.files import check_writable
from partitope.output.terminal import deliver, progress_bar
from studies.base.jobs import default_folder

from . import run_bench
from .text import bench_report

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def bench(
    instances: Annotated[
        list[str] | None,
        typer.Argument(help="iris, wine, breast-cancer, blobs:n=500,k=5,d=2,seed=0, uniform, ties, equal, or a .json."),
    ] = None,
    backend: Annotated[
        list[str] | None, typer.Option("--backend", "-b", help="Backend (repeat); all, or 'none' for none.")
    ] = None,
    strategy: Annotated[
        list[str] | None,
        typer.Option("--strategy", "-m", help="Strategy (repeat); geometric-lsa and global, or 'none'."),
    ] = None,
    repeats: Annotated[int, typer.Option(help="Runs of a backend of which the median counts.")] = 3,
    starts: Starts = 20,
    seed: Seed = 0,
    time_limit: Annotated[float, typer.Option(help="Seconds for one solver on one instance.")] = 20.0,
    accuracy: Annotated[float, typer.Option(help="Relative shortfall up to which an answer counts as solved.")] = 1e-6,
    cells: Annotated[Path | None, typer.Option(help="Folder of finished jobs; the user's cache when left out.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Do not use or keep finished jobs of earlier runs.")] = False,
    json: Json = False,
    report: Annotated[Path | None, typer.Option(help="Also write one self-contained HTML report.")] = None,
) -> None:
    """Compare solvers: build and solve timed apart, performance profiles, objective over time.

    Finished jobs are kept: a run that was stopped continues where it stopped. No solver's own claim is used: every
    answer's bounds, objective and proof are measured again.
    """
    if report is not None:
        check_writable(report)
    folder = None if fresh else cells if cells is not None else default_folder()
    with progress_bar("measuring", quiet=json) as progress:
        result = run_bench(
            instances or None,
            [] if backend == ["none"] else backend or None,
            [] if strategy == ["none"] else strategy or None,
            repeats=repeats, starts=starts, seed=seed, time_limit=time_limit, accuracy=accuracy, folder=folder,
            progress=progress,
        )  # fmt: skip
    deliver(bench_report(result), report, json=json)


if __name__ == "__main__":
    sys.exit(run(application=app))
