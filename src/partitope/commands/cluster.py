"""`partitope cluster`: size-bounded clusters of a table that has no target."""

from __future__ import annotations

from collections.abc import Callable
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

BROKEN = 3  # exit code


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
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="CSV file of labels to write, one line a row of the table, with the columns that name the rows.",
        ),
    ] = None,
    report: Annotated[Path | None, typer.Option(help="Also write one self-contained HTML report.")] = None,
    model: Annotated[Path | None, typer.Option(help="Also write a model file (.json) for `partitope predict`.")] = None,
    starts: Starts = 10,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Cluster the rows of a table by k-means within size bounds; no column is a target.

    Numbers are standardised and categories become indicators, so that one standard deviation and another level count
    the same; the two columns of a map (x and y, lon and lat, easting and northing) keep one scale. Without --lower,
    --upper and --balance, sizes may differ from n/k by a fifth. --balance-column and --share bound sums of further
    columns and shares of groups, as for territories with even populations; --allowed says where a row may go.
    """
    from ..cluster.further import Further
    from ..cluster.page import cluster_report, labels_text
    from ..models.certificates.broken_bounds import in_words
    from ..output.files import check_writable, write_together
    from ..output.pages import as_html
    from ..output.terminal import deliver, note
    from ..workflows.cluster import cluster_table
    from ..workflows.model_files import check_model_name, model_text

    files = {"labels": output, "model": model, "report": report}
    named = {what: check_writable(path, sources=(table,)) for what, path in files.items() if path is not None}
    refuse_one_file_for_two(named)
    if model is not None:
        check_model_name(model)
    further = Further.of(balance_column or (), share or (), within, allowed)
    name, frame = load_features(table, reading)
    frame, bounded = further.taken_from(frame, name)
    polytope = bounds_or_default(lower, upper, balance, len(frame), clusters)
    cleaner = reading.cleaner()
    result = cluster_table(
        frame, polytope, cleaner=cleaner, further=further, bounded=bounded, name=name, starts=starts, seed=seed
    )
    found = cluster_report(result)
    texts: dict[str, Callable[[], str]] = {
        "labels": lambda: labels_text(result.named_rows),
        "model": lambda: model_text(result.model),
        "report": lambda: as_html(found),
    }
    # files first: they are written even where nobody reads the table to its end
    write_together({path: texts[what]() for what, path in named.items()})
    for what, path in named.items():
        note(f"{what}: {path}")
    for line in () if json else result.remarks:
        note(line)
    deliver(found, None, json=json)
    if result.broken:
        note(f"bounds are not kept: {in_words(result.broken)}")
        raise typer.Exit(BROKEN)


def refuse_one_file_for_two(named: dict[str, Path]) -> None:
    """Refuse outputs of which one would replace another."""
    from ..base.errors import InvalidInputError

    places = [path.resolve() for path in named.values()]
    files = [not place.exists() or place.is_file() for place in places]  # what is thrown away may be so twice
    twice = [what for what, place, file in zip(named, places, files) if file and places.count(place) > 1]
    if twice:
        raise InvalidInputError(f"{' and '.join(twice)} are both to be {named[twice[0]]}: name a file for each")
