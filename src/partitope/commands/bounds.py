"""`partitope bounds`: what size bounds cost, and what they buy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Json, Seed, Target
from .tables import Reading, load_named, reads_tables, tell_columns


@reads_tables
def bounds(
    table: Annotated[
        str | None,
        typer.Argument(help="CSV, Parquet, Excel, or census or german; scikit-learn's breast-cancer table otherwise."),
    ] = None,
    target: Target = None,
    clusters: Annotated[
        list[int] | None, typer.Option("--clusters", "-k", help="Number of clusters (repeat).", show_default="5")
    ] = None,
    objective: Annotated[str, typer.Option(help="'lsa', least squares, or 'csa', norms of cluster sums.")] = "lsa",
    starts: Annotated[int, typer.Option("--starts", "--n-init", help="Starts of the re-optimised curve.")] = 20,
    points: Annotated[int, typer.Option(help="Bounds between 0 and n/k on the re-optimised curve.")] = 21,
    precision: Annotated[float, typer.Option(help="Half-width of a cluster value's interval to plan for.")] = 0.05,
    seed: Seed = 0,
    *,
    reading: Reading,
    jobs: Annotated[int | None, typer.Option(help="Starts at the same time; no result depends on it.")] = None,
    json: Json = False,
    report: Annotated[Path | None, typer.Option(help="Also write one self-contained HTML report.")] = None,
) -> None:
    """Show what a common lower size bound costs: exact curve and breakpoints, prices, accuracy, reliability."""
    from ..base.checks import n_processes, whole_number
    from ..base.errors import InvalidInputError
    from ..bounds.page import bounds_report
    from ..bounds.study import study_bounds
    from ..output.files import check_writable
    from ..output.terminal import deliver, progress_bar

    if objective not in ("lsa", "csa"):
        raise InvalidInputError(f"--objective {objective!r} is not known: choose 'lsa' or 'csa'")
    if not 0 < precision < 0.5:
        raise InvalidInputError(f"--precision {precision:g} must lie between 0 and 0.5")
    whole_number(seed, "--seed", least=0)
    n_processes(jobs, "--jobs")
    if report is not None:
        check_writable(report, sources=(Path(table),) if table else ())
    data = load_named(table, target, reading)
    studies = []
    with progress_bar("preparing", quiet=json) as progress:
        for k in dict.fromkeys(clusters or [5]):
            studies.append(
                study_bounds(
                    data,
                    k,
                    objective=objective,  # type: ignore[arg-type]
                    starts=starts,
                    points=points,
                    precision=precision,
                    seed=seed,
                    n_jobs=jobs,
                    progress=progress,
                )
            )
    tell_columns(data, json=json)
    deliver(bounds_report(data, studies), report, json=json)
