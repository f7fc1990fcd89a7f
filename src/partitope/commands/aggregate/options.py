"""`partitope aggregate`: release a table in which every row shares its values with others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..options import READING, SEARCH, SIZES, Delivery, Output, Seed, bundled, columns, number, option
from ..tables import Reading, load_features


@bundled
def aggregate(
    table: Annotated[Path, typer.Argument(help="CSV, Parquet or Excel file.", show_default=False)],
    *,
    lower: Annotated[int, number(SIZES, "Least number of rows in a group, the k of k-anonymity.", "--lower", "-k")] = 3,
    keep: Annotated[
        list[str] | None, columns(READING, "Column to release unchanged, such as a diagnosis that is studied.")
    ] = None,
    within: Annotated[
        str | None,
        option(
            SIZES, "Column whose entries never share a group, such as a region; released unchanged.", metavar="COLUMN"
        ),
    ] = None,
    weights: Annotated[
        str | None, option(SIZES, "Column of weights: they count in means and loss, not in k.", metavar="COLUMN")
    ] = None,
    reading: Reading,
    output: Output = Path("released.csv"),
    seed: Seed = 0,
    time_limit: Annotated[
        float | None, option(SEARCH, "Seconds for search and proof; default: fixed steps.", metavar="SECONDS")
    ] = None,
    printing: Delivery,
) -> None:
    """Release a table with k-anonymity: every row becomes the mean of its group of at least k rows (microaggregation).

    partitope aggregate people.csv -k 5 --keep diagnosis -o released.csv

    Numbers become means, categories the most frequent one in the group; --keep columns stay, ids of rows are left
    out, and a column gives the group. The report states the information loss and a proved limit on improvements.
    """
    from ...output.files import check_writable, write_together
    from ...output.terminal import note
    from .report import aggregate_report
    from .run import released_table

    path = check_writable(output, sources=(table,))
    printing.check(table, output=path)
    name, raw = load_features(table, reading)
    found = released_table(raw, name, lower, keep or (), within, weights, reading, seed, time_limit)
    write_together({path: found.table.to_csv(index=False)})
    printing.say(found.remarks)
    note(f"aggregate: {path}")
    printing.deliver(aggregate_report(name, found))
