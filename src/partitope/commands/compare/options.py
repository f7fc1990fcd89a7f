"""`partitope compare`: every strategy on the same data, bounds and folds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..options import SEARCH, Clusters, Covariates, Delivery, Search, Sizes, Target, bundled, columns, number
from ..tables import Reading, load_data, tell_columns, without_rare_classes


@bundled
def compare(
    table: Annotated[
        Path | None, typer.Argument(help="CSV, Parquet or Excel; scikit-learn's breast-cancer table when left out.")
    ] = None,
    target: Target = None,
    clusters: Clusters = 5,
    *,
    sizes: Sizes,
    folds: Annotated[int, number(SEARCH, "Folds of the stratified cross-validation.")] = 5,
    search: Search,
    method: Annotated[
        list[str] | None,
        columns(None, "Strategy or row to run; else the standard ones.", "--method", "-m", metavar="NAME"),
    ] = None,
    covariates: Covariates = None,
    reading: Reading,
    printing: Delivery,
) -> None:
    """Compare strategies on the same data, size bounds and folds.

    partitope compare people.csv --target income -k 5 --balance 20% --report r.html
    partitope compare people.csv --target income -m geometric-lsa -m cac

    Bounds are for the whole table; a fold that trains on n' of n rows uses floor(l n'/n) and ceil(u n'/n).
    Without --lower, --upper and --balance, sizes may differ from n/k by a fifth.
    """
    from ...compare.run import compare as run_comparison
    from .report import comparison_report

    printing.check(table)
    data = without_rare_classes(load_data(table, target, covariates, reading), folds)
    polytope = sizes.on(len(data.y), clusters) if sizes.given else None
    with printing.progress() as progress:
        result = run_comparison(
            data, clusters, polytope=polytope, folds=folds, starts=search.starts, seed=search.seed,
            methods=method, progress=progress,
        )  # fmt: skip
    tell_columns(data, printing)
    left_out = result.settings.named and not all(row.partition for row in result.rows)
    printing.deliver(comparison_report(result), partly=left_out)
