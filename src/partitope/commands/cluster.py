"""`partitope cluster`: size-bounded clusters of a table that has no target."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import (
    Allowed,
    Balance,
    BalanceColumn,
    Clusters,
    Json,
    Lower,
    Seed,
    Share,
    Starts,
    Upper,
    Within,
    bounds_or_default,
)
from .tables import Reading, load_features, reads_tables


@reads_tables
def cluster(
    table: Annotated[Path, typer.Argument(help="CSV, Parquet or Excel file.", show_default=False)],
    clusters: Clusters = 5,
    lower: Lower = None,
    upper: Upper = None,
    balance: Balance = None,
    balance_column: BalanceColumn = None,
    share: Share = None,
    within: Within = None,
    allowed: Allowed = None,
    *,
    reading: Reading,
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
    the same. Without --lower, --upper and --balance, sizes may differ from n/k by a fifth. --balance-column and --share
    bound sums of further columns and shares of groups, as for territories with even populations; --allowed says where a
    row may go.
    """
    from ..cluster.further import Further
    from ..cluster.page import cluster_report, labels_text
    from ..output.files import check_writable, write_atomically
    from ..output.terminal import deliver, note
    from ..workflows.cluster import cluster_table
    from ..workflows.model_files import check_model_name, save_model

    for path in (output, report):
        if path is not None:
            check_writable(path, sources=(table,))
    if model is not None:
        check_model_name(check_writable(model, sources=(table,)))
    further = Further.of(balance_column or (), share or (), within, allowed)
    name, frame = load_features(table, reading)
    frame, bounded = further.taken_from(frame, name)
    polytope = bounds_or_default(lower, upper, balance, len(frame), clusters)
    cleaner = reading.cleaner()
    result = cluster_table(
        frame, polytope, cleaner=cleaner, further=further, bounded=bounded, name=name, starts=starts, seed=seed
    )
    if output is not None:  # files first: they are written even where nobody reads the table to its end
        write_atomically(output, labels_text(result.rows))
        note(f"labels: {output}")
    if model is not None:
        note(f"model: {save_model(result.model, model)}")
    for line in () if json else result.remarks:
        note(line)
    deliver(cluster_report(result), report, json=json)
