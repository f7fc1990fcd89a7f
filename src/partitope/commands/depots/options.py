"""`partitope depots`: which places serve the rows of a table, within capacities and at the least cost."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..options import FURTHER, OUTPUT, READING, SEARCH, SIZES, Delivery, Links, Seed, bundled, columns, number, option
from ..tables import FileReading, load_features


@bundled
def depots(
    table: Annotated[Path, typer.Argument(help="CSV, Parquet or Excel file, a customer per row.", show_default=False)],
    *,
    clusters: Annotated[
        int | None, number(SIZES, "Number of depots; optional with --cost or --capacity.", "--depots", "-k")
    ] = None,
    demand: Annotated[
        list[str] | None, columns(SIZES, "Column with the demand of a customer, such as weight; 1 if not given.")
    ] = None,
    capacity: Annotated[
        list[str] | None,
        columns(SIZES, "Largest demand that a depot serves: a number or a column; one per --demand.", metavar="SIZE"),
    ] = None,
    cost: Annotated[
        str | None, option(FURTHER, "Cost of opening a depot: a number or a column.", metavar="COST")
    ] = None,
    sites: Annotated[
        Path | None,
        option(
            FURTHER, "Table of possible depots, with --capacity and --cost; default: the customers.", metavar="FILE"
        ),
    ] = None,
    distances: Annotated[
        Path | None,
        option(FURTHER, "Distances: a row per --id, a column per depot; empty cells forbid pairs.", metavar="FILE"),
    ] = None,
    objective: Annotated[
        str, option(SEARCH, "Distances to a customer or site (medoids), or to the mean (means).", metavar="WORD")
    ] = "medoids",
    at: Annotated[
        list[str] | None,
        columns(FURTHER, "Column of a coordinate. Longitude and latitude, or x and y, are found by their names."),
    ] = None,
    per_unit: Annotated[
        bool,
        option(
            FURTHER,
            "Cost of serving a customer: (first) demand times distance, or distance.",
            "--per-unit/--per-customer",
        ),
    ] = False,
    reach: Annotated[
        float | None, option(FURTHER, "Largest distance from a customer to its depot.", min=0.0, metavar="DISTANCE")
    ] = None,
    fixed: Annotated[
        str | None,
        option(
            FURTHER, "Column with the depot that has to serve a customer, as --id names it; or empty.", metavar="COLUMN"
        ),
    ] = None,
    links: Links,
    time_limit: Annotated[float, number(SEARCH, "Largest time for search and proof, in seconds.")] = 10.0,
    identifiers: Annotated[
        list[str] | None, columns(READING, "Column that names the depots in the answer; default: row numbers.", "--id")
    ] = None,
    reading: FileReading,
    seed: Seed = 0,
    output: Annotated[
        Path | None,
        option(OUTPUT, "CSV file: the table with depot and distance of each row.", "-o", "--output", metavar="FILE"),
    ] = None,
    printing: Delivery,
) -> None:
    """Choose depots, and for each customer the depot that serves it: the capacitated p-median problem.

    partitope depots customers.csv --demand demand -k 8 --capacity 840 --report depots.html

    Each customer is served whole by one depot. Distances between longitudes and latitudes are kilometres on the earth,
    others are Euclidean. The result says by how much the best choice of depots can be better.
    """
    from ...base.checks import one_of
    from ...output.files import check_writable, write_together
    from ...output.terminal import note
    from .run import DepotOptions, choose_depots, depots_report

    one_of(objective, "--objective", ("medoids", "means"))
    path = None if output is None else check_writable(output, sources=(table, sites, distances))
    printing.check(table, sites, distances, output=path)
    name, frame = load_features(table, reading)
    options = DepotOptions(
        clusters, tuple(demand or ()), tuple(capacity or ()), cost, tuple(at or ()), per_unit=per_unit, reach=reach,
        fixed=fixed, together=tuple(links.together or ()), apart=tuple(links.apart or ()), objective=objective,
    )  # fmt: skip
    others = None if sites is None else load_features(sites, reading)
    ways = None if distances is None else load_features(distances, reading)
    found = choose_depots((name, frame), others, options, identifiers or (), ways, time_limit=time_limit, seed=seed)
    if path is not None:
        write_together({path: found.table.to_csv(index=False)})
        note(f"depots: {path}")
    printing.deliver(depots_report(found, {"seed": seed, "time limit": f"{time_limit:g} s"}))
