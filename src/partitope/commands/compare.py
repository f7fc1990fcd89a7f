"""`partitope compare`: every strategy on the same data, bounds and folds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import (
    SEARCH,
    Balance,
    Clusters,
    Covariates,
    Json,
    Lower,
    Report,
    Seed,
    Starts,
    Target,
    Upper,
    bounds_or_default,
    columns,
    number,
)
from .tables import Reading, load_data, reads_tables, tell_columns, without_rare_classes


@reads_tables
def compare(
    table: Annotated[
        Path | None, typer.Argument(help="CSV, Parquet or Excel; scikit-learn's breast-cancer table when left out.")
    ] = None,
    target: Target = None,
    clusters: Clusters = 5,
    lower: Lower = None,
    upper: Upper = None,
    balance: Balance = None,
    folds: Annotated[int, number(SEARCH, "Folds of the stratified cross-validation.")] = 5,
    starts: Starts = 10,
    seed: Seed = 0,
    method: Annotated[
        list[str] | None,
        columns(None, "Strategy or row to run; else the standard ones.", "--method", "-m", metavar="NAME"),
    ] = None,
    covariates: Covariates = None,
    *,
    reading: Reading,
    json: Json = False,
    report: Report = None,
) -> None:
    """Compare strategies on the same data, size bounds and folds.

    partitope compare people.csv --target income -k 5 --balance 20% --report r.html
    partitope compare people.csv --target income -m geometric-lsa -m cac

    Bounds are for the whole table; a fold that trains on n' of n rows uses floor(l n'/n) and ceil(u n'/n).
    Without --lower, --upper and --balance, sizes may differ from n/k by a fifth.
    """
    from ..compare.report import comparison_report
    from ..compare.run import compare as run_comparison
    from ..output.files import check_writable
    from ..output.terminal import deliver, progress_bar

    if report is not None:
        check_writable(report, sources=(table,))
    data = without_rare_classes(load_data(table, target, covariates, reading), folds)
    unbounded = lower is None and upper is None and balance is None
    polytope = None if unbounded else bounds_or_default(lower, upper, balance, len(data.y), clusters)
    with progress_bar("preparing", quiet=json) as progress:
        result = run_comparison(
            data, clusters, polytope=polytope, folds=folds, starts=starts, seed=seed, methods=method,
            progress=progress,
        )  # fmt: skip
    tell_columns(data, json=json)
    deliver(comparison_report(result), report, json=json)
