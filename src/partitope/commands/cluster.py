"""`partitope cluster`: size-bounded clusters of a table that has no target."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import (
    Balance,
    Clusters,
    Decimal,
    Drop,
    Encoding,
    Identifiers,
    Json,
    Lower,
    Seed,
    Sheet,
    Starts,
    Types,
    Upper,
    bounds_or_default,
)


def cluster(
    table: Annotated[Path, typer.Argument(help="CSV, Parquet or Excel file.", show_default=False)],
    clusters: Clusters = 5,
    lower: Lower = None,
    upper: Upper = None,
    balance: Balance = None,
    drop: Drop = None,
    identifiers: Identifiers = None,
    types: Types = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="CSV file of labels to write, one line a row of the table.")
    ] = None,
    report: Annotated[Path | None, typer.Option(help="Also write one self-contained HTML report.")] = None,
    model: Annotated[Path | None, typer.Option(help="Also write a model file (.json) for `partitope predict`.")] = None,
    starts: Starts = 10,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Cluster the rows of a table by k-means within size bounds; no column is a target.

    Numbers are standardised and categories become indicators, so that one standard deviation and another level count
    the same. Without --lower, --upper and --balance, sizes may differ from n/k by a fifth.
    """
    from ..cluster.page import cluster_report, labels_text
    from ..output.files import check_writable, write_atomically
    from ..output.terminal import deliver, note
    from ..workflows.cluster import cluster_table
    from ..workflows.model_files import check_readable_name, save_model
    from .tables import Reading, load_features

    for path in (output, report):
        if path is not None:
            check_writable(path, sources=(table,))
    if model is not None:
        check_readable_name(check_writable(model, sources=(table,)))
    reading = Reading(encoding, sheet, decimal, types, drop, identifiers)
    name, frame = load_features(table, reading)
    polytope = bounds_or_default(lower, upper, balance, len(frame), clusters)
    result = cluster_table(frame, polytope, cleaner=reading.cleaner(), name=name, starts=starts, seed=seed)
    if output is not None:  # files first: they are written even where nobody reads the table to its end
        write_atomically(output, labels_text(result.rows))
        note(f"labels: {output}")
    if model is not None:
        note(f"model: {save_model(result.model, model)}")
    deliver(cluster_report(result), report, json=json)
