"""`partitope cluster`: size-bounded clusters of a table that has no target."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from ...base.errors import InvalidInputError
from ..exit_code import ExitCode
from ..options import (
    FURTHER,
    OUTPUT,
    READING,
    SEARCH,
    SIZES,
    Delivery,
    Printing,
    Scale,
    Search,
    Sizes,
    Statements,
    bundled,
    file,
    option,
)
from ..tables import Reading, edges_of, load_features


@bundled
def cluster(
    table: Annotated[Path, typer.Argument(help="CSV, Parquet or Excel file.", show_default=False)],
    clusters: Annotated[
        str, typer.Option("--clusters", "-k", help="Number of clusters; auto: the least that --upper allows.")
    ] = "5",
    *,
    sizes: Sizes,
    optional: Annotated[bool, option(SIZES, "A cluster is within its bounds or empty.", "--optional")] = False,
    whole: Annotated[
        bool, option(SIZES, "Whether further bounds may divide a row between clusters.", "--whole/--divided")
    ] = True,
    statements: Statements,
    connected: Annotated[
        Path | None,
        option(
            FURTHER,
            "CSV file of two columns, the neighbours by --id, or by row number from 0: every cluster is connected.",
            metavar="EDGES",
        ),
    ] = None,
    reading: Reading,
    scale: Scale = None,
    geo: Annotated[
        str | None, option(READING, "Columns of degrees: places on the sphere, in kilometres.", metavar="LAT,LON")
    ] = None,
    output: Annotated[
        Path | None,
        option(
            OUTPUT,
            "CSV file of labels: the columns that name the rows, and clusters.",
            "-o",
            "--output",
            metavar="FILE",
        ),
    ] = None,
    keep_all: Annotated[
        bool, option(OUTPUT, "Write the whole table and the clusters to --output.", "--keep-all")
    ] = False,
    model: Annotated[Path | None, file(OUTPUT, "Also write a model (.json) for `partitope predict`.")] = None,
    search: Search,
    prove: Annotated[
        float,
        option(
            SEARCH, "Seconds for a proof of how much better the best clustering can be.", min=0.0, metavar="SECONDS"
        ),
    ] = 0.0,
    printing: Delivery,
) -> None:
    """Cluster the rows of a table by k-means within size bounds; no column is a target.

    partitope cluster customers.csv -k 4 --lower 10% --upper 40% -o labels.csv
    partitope cluster places.csv -k 6 --balance-column sales=5% --report r.html

    Without --lower, --upper and --balance, sizes may differ from n/k by a fifth; with --balance-column or --share they
    are free, but no cluster is empty. Columns named by options for further bounds are not coordinates. Rows are
    whole: the answer says how far from the best for its centres it may be at most, and with --prove how far from the
    best of all. Where no whole answer is found within the bounds, the first line says what is missed, and the command
    ends with 3.
    """
    from ...cluster.table_encoder import TableEncoder
    from ...model_files.files import check_model_name, model_text
    from ...models.polytope.broken_bounds import in_words
    from ...output.files import check_writable, write_together
    from ...output.html_pages import as_html
    from ...output.terminal import note
    from .report import cluster_report, labels_text
    from .run import cluster_table

    # files are checked before any work is done, against the table and each other
    files = {"labels": output, "model": model, "report": printing.report}
    named = {what: check_writable(path, sources=(table,)) for what, path in files.items() if path is not None}
    refuse_one_file_for_two(named)
    if model is not None:
        check_model_name(model)
    check_together(optional, sizes, statements, keep_all, output)
    places = [] if geo is None else [name.strip() for name in geo.split(",")]
    encoder = TableEncoder(scale, places or None)
    name, frame = load_features(table, reading)
    further = statements.further(frame.columns)
    if keep_all and "cluster" in frame.columns:
        raise InvalidInputError(f"{name} has a column 'cluster' already, which --keep-all would write: rename it")
    edges = None if connected is None else edges_of(connected, frame, reading)
    # columns with bounds are not coordinates
    features, bounded = further.taken_from(frame, name, reading.identifiers or ())
    bounded = reading.read_others(bounded)
    taken = [column for column in further.taken if column not in features]
    k = number_of_clusters(clusters, sizes.upper, len(frame))
    if clusters == "auto":
        printing.say([f"-k auto: {k}, the least number of clusters that --upper {sizes.upper} allows"])
    # from here on all bounds travel as one object; sums and shares say what is even, rows are then free
    stated = statements.balance_column or statements.share
    polytope = (Sizes(lower="1") if stated and not sizes.given else sizes).on(len(frame), k)
    if optional:
        polytope = polytope.optional()
    with printing.progress() as progress:
        result = cluster_table(
            features, polytope, cleaner=reading.cleaner(taken, places), encoder=encoder, further=further,
            bounded=bounded, name=name, edges=edges, search=search, whole=whole, prove=prove, progress=progress,
        )  # fmt: skip
    found = cluster_report(result)
    texts: dict[str, Callable[[], str]] = {
        "labels": lambda: labels_text(result.beside(frame) if keep_all else result.named_rows),
        "model": lambda: model_text(result.model),
        "report": lambda: as_html(found),
    }
    # files first: they are written even where nobody reads the table to its end
    write_together({path: texts[what]() for what, path in named.items()})
    for what, path in named.items():
        note(f"{what}: {path}")
    printing.say(result.remarks)
    Printing(printing.json).deliver(found)
    if result.broken:
        note(f"bounds are not kept: {in_words(result.broken)}")
        raise typer.Exit(ExitCode.BROKEN)


def check_together(optional: bool, sizes: Sizes, statements: Statements, keep_all: bool, output: Path | None) -> None:
    """Refuse options that do not go together."""
    if optional and sizes.lower is None and sizes.upper is None:
        raise InvalidInputError("--optional has no bounds to leave open: give --lower or --upper, too")
    if optional and statements.most_even:
        raise InvalidInputError(
            "--optional does not go with --most-even, whose mean is over all clusters: leave one out"
        )
    if keep_all and output is None:
        raise InvalidInputError("--keep-all says what --output holds: name the file, too")


def refuse_one_file_for_two(named: dict[str, Path]) -> None:
    """Refuse outputs of which one would replace another."""
    places = [path.resolve() for path in named.values()]
    files = [not place.exists() or place.is_file() for place in places]  # what is thrown away may be so twice
    twice = [what for what, place, file in zip(named, places, files) if file and places.count(place) > 1]
    if twice:
        raise InvalidInputError(f"{' and '.join(twice)} are both to be {named[twice[0]]}: name a file for each")


def number_of_clusters(text: str, upper: str | None, n: int) -> int:
    """The number that --clusters says; of ``auto`` the least k with k times --upper at least n."""
    import numpy as np

    from ...base.sizes import bound_sizes, fewest_clusters

    if text.isdecimal() and int(text):
        return int(text)
    if text != "auto":
        raise InvalidInputError(f"--clusters {text!r} is not usable: write a number such as 5, or auto")
    most = bound_sizes(upper, "upper", n, 1, name="--upper")
    return fewest_clusters(
        n,
        None if most is None else np.floor(most),
        "--clusters auto is the least number that --upper allows: give --upper, or a number of clusters (with --lower "
        "alone every row may be in one cluster)",
    )
