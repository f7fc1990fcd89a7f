"""`partitope cluster`: size-bounded clusters of a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...base.errors import InvalidInputError
from ..exit_code import ExitCode
from ..options import (
    OUTPUT,
    READING,
    SEARCH,
    SIZES,
    Connected,
    Delivery,
    Optional,
    Printing,
    Scale,
    Search,
    Sizes,
    Statements,
    bundled,
    file,
    option,
    refuse_one_file_for_two,
    refuse_others,
    word,
)
from ..tables import Reading, edges_of, is_map, load_features, outlines_of, rows_named

if TYPE_CHECKING:
    from ...output.report import Report as Result

MOST_REMARKS = 2  # Remarks on columns that are printed without ``--details``.


@bundled
def cluster(
    context: typer.Context,
    table: Annotated[Path, typer.Argument(help="CSV, Parquet, Excel or GeoJSON file.", show_default=False)],
    clusters: Annotated[
        str, typer.Option("--clusters", "-k", help="Number of clusters; auto: the least that --upper allows.")
    ] = "5",
    *,
    sizes: Sizes,
    optional: Optional = False,
    whole: Annotated[
        bool, option(SIZES, "Whether side constraints may divide a row between clusters.", "--whole/--divided")
    ] = True,
    statements: Statements,
    connected: Connected = None,
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
    objective: Annotated[
        str | None,
        word(
            SEARCH,
            "Objective with --connected: squares (the default, with centres), medoids (moment of inertia) or cut "
            "(edges between clusters).",
        ),
    ] = None,
    time_limit: Annotated[
        float | None, option(SEARCH, "Seconds for the search for connected clusters, and its proof.", metavar="SECONDS")
    ] = None,
    prove: Annotated[
        float,
        option(
            SEARCH, "Seconds for a proof of how much better the best clustering can be.", min=0.0, metavar="SECONDS"
        ),
    ] = 0.0,
    outlines: Annotated[
        Path | None,
        option(
            OUTPUT,
            "GeoJSON file of areas to draw in the report, a feature per --id; the table or --connected if that is "
            "GeoJSON.",
            metavar="FILE",
        ),
    ] = None,
    unit: Annotated[str, word(OUTPUT, "Unit of the coordinates in the report; km if columns end with _km.")] = "",
    details: Annotated[bool, option(OUTPUT, "Also print all tables.", "--details")] = False,
    printing: Delivery,
) -> None:
    """Cluster the rows of a table by k-means within size bounds; no column is a target.

    partitope cluster customers.csv -k 4 --lower 10% --upper 40% -o labels.csv
    partitope cluster places.csv -k 6 --balance-column sales=5% --report r.html
    partitope cluster players.csv -k 2 --lower 5 --id player --most-even rating -o teams.csv

    Without --lower, --upper and --balance, sizes may differ from n/k by a fifth; with --balance-column or --share they
    are free, but no cluster is empty. Columns named by options for side constraints are not coordinates. If no other
    column is left, rows are grouped by these alone (folds, teams, plates). Rows are undivided: the answer says how far
    it can be from the best one for its centres, and with --prove from the best of all. If no undivided
    answer is found within the bounds, the first line says which bounds are broken, and the exit status is 3.
    """
    from ...cluster.table_encoder import TableEncoder
    from ...model_files.files import check_model_name, model_text
    from ...models.polytope.broken_bounds import in_words
    from ...output.files import check_writable, write_together
    from ...output.html_pages import as_html
    from ...output.terminal import note
    from .grouping import stated_alone, territories
    from .report import labels_text
    from .run import Columns, Task, cluster_table

    # files are checked before any work is done, against the table and each other
    files = {"labels": output, "model": model, "report": printing.report}
    read = (table, connected, outlines)
    named = {what: check_writable(path, sources=read) for what, path in files.items() if path is not None}
    refuse_one_file_for_two(named)
    if model is not None:
        check_model_name(model)
    check_together(optional, sizes, statements, keep_all, output)
    if connected is None and (objective or time_limit):
        raise InvalidInputError(
            "--objective and --time-limit are for --connected: name its file, too, or leave both out"
        )
    if outlines is not None and printing.report is None:
        raise InvalidInputError(f"--outlines {outlines} is drawn in the report only: add --report, or leave it out")
    places = [] if geo is None else [name.strip() for name in geo.split(",")]
    encoder = TableEncoder(scale, places or None)
    name, frame = load_features(table, reading)
    further = statements.further(frame.columns)
    if keep_all and "cluster" in frame.columns:
        raise InvalidInputError(f"{name} has a column 'cluster' already, which --keep-all would write: rename it")
    areas = outlines or next((path for path in (connected, table) if is_map(path)), None)
    named_by = "--outlines" if outlines else "--connected"
    drawn = None if areas is None else outlines_of(areas, frame, table, reading, named_by)
    known = drawn if areas == connected else None
    edges = None if connected is None else edges_of(connected, frame, table, reading, known)
    # columns with bounds are not coordinates, nor are those that name rows
    features, bounded = further.taken_from(frame, name, reading.identifiers or ())
    bounded = reading.read_others(bounded)
    taken = [column for column in further.taken if column not in features]
    cleaner, counted, bare = reading.cleaner_of(features, taken, places, bool(further.taken))
    k = number_of_clusters(clusters, sizes.upper, len(frame))
    if k > len(frame):
        raise InvalidInputError(f"--clusters {k} exceeds the {len(frame)} rows of {name}: ask for at most {len(frame)}")
    if clusters == "auto":
        printing.say([f"-k auto: {k}, the least number of clusters that --upper {sizes.upper} allows"])
    # from here on all bounds travel as one object; sums and shares say what is even, rows are then free
    free = (statements.balance_column or statements.share) and not sizes.given
    polytope = (Sizes(lower="1") if free else sizes).on(len(frame), k)
    if optional:
        polytope = polytope.optional()
    columns = Columns(features, bounded, further, cleaner, encoder, counted)
    task = Task(name, columns, polytope, edges, search.starts, search.seed, whole, prove, sizes.given, unit, drawn)
    unread = ("starts", "prove", "unit", *([] if whole else ["whole"]))
    with printing.progress() as progress, rows_named(frame, reading.identifiers):
        if objective or time_limit:
            refuse_others(context, "--objective" if objective else "--time-limit", unread=unread)
            answer = territories(task, objective or "squares", time_limit)
        elif bare and further.taken:
            refuse_others(context, "a table without a column to cluster by", unread=(*unread, "scale", "geo"))
            answer = stated_alone(task)
        else:
            answer = cluster_table(task, progress)
    if model is not None and answer.model is None:
        raise InvalidInputError("--model needs clusters with centres, which these are not: leave it out")
    found = answer.report
    texts: dict[str, Callable[[], str]] = {
        "labels": lambda: labels_text(frame.assign(**answer.clusters) if keep_all else answer.rows),
        "model": lambda: model_text(answer.model),
        "report": lambda: as_html(found),
    }
    # files first: they are written even if the output is cut short, as by `head`
    write_together({path: texts[what]() for what, path in named.items()})
    for what, path in named.items():
        note(f"{what}: {path}")
    printing.say(answer.remarks if details else shortened(answer.remarks))
    Printing(printing.json).deliver(found if details else briefly(found))
    if answer.broken:
        note(f"bounds are not kept: {in_words(answer.broken)}")
        raise typer.Exit(ExitCode.PARTLY)


def shortened(lines: Sequence[str]) -> list[str]:
    """The first remarks on columns, and how many more there are."""
    more = len(lines) - MOST_REMARKS
    return [*lines[:MOST_REMARKS], *([f"{more} more remarks on columns: --details"] if more > 0 else [])]


def briefly(found: Result) -> Result:
    """A report without its tables, for a terminal."""
    findings = [*found.findings, "Tables of clusters, bounds and centres: --details, or --report with pictures."]
    return replace(found, sections=(), findings=findings)


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


def number_of_clusters(text: str, upper: str | None, n: int) -> int:
    """The number in --clusters; for ``auto`` the least k with k times --upper at least n."""
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
