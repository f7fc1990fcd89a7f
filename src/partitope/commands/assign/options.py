"""`partitope assign`: the cheapest assignment of a table of costs within size bounds, with its proof."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..options import OUTPUT, READING, SEARCH, SIZES, Bounds, Optional, Printing, SharesAndLinks, bundled, option, word
from ..tables import FileReading, rows_named


@bundled
def assign(
    costs: Annotated[
        Path,
        typer.Argument(
            help="CSV, Parquet or Excel file: the cost of every point (row) in every cluster (column).",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path, option(OUTPUT, "CSV file to write: the id and the cluster of every point.", "--output", "-o")
    ],
    *,
    sizes: Bounds,
    weights: Annotated[
        str | None, option(SIZES, "Column whose sums are the sizes that --lower and --upper bound.", metavar="COLUMN")
    ] = None,
    optional: Optional = False,
    whole: Annotated[
        bool, option(SIZES, "Whether weights may divide a point between clusters.", "--whole/--divided")
    ] = True,
    identifier: Annotated[
        str | None, option(READING, "Column that names the points; default: the first one.", "--id")
    ] = None,
    statements: SharesAndLinks,
    never: Annotated[str | None, word(READING, "Word that forbids a cell, as an empty cell does.")] = None,
    reading: FileReading,
    gap: Annotated[
        float | None,
        option(SEARCH, "Stop where no assignment of whole points can cost less by more than this.", metavar="COST"),
    ] = None,
    time_limit: Annotated[float | None, option(SEARCH, "Stop after this many seconds.", metavar="SECONDS")] = None,
    printing: Printing,
) -> None:
    """Assign points to clusters at the least total cost within size bounds.

    partitope assign costs.csv --lower 10 --upper 20 -o plan.csv
    partitope assign wishes.csv --lower 4 --upper 6 --optional --never never --together friends --apart rivals -o p.csv

    The first column names the points, every other one that no option names is a cluster. An empty cell says that the
    point is not allowed there. With --weights, a cost is that of the whole point, whatever its weight.
    """
    import math

    from ...classifiers.encoders.table_cleaner import usual_decimal
    from ...datasets.table_reader import read_with_notes
    from ...models.programs.assignment import AssignmentModel
    from ...output.files import check_writable, write_atomically
    from ...output.terminal import note
    from ...solvers.assignment.solve import solve
    from ..stated import stated
    from .report import assignment_report, missed
    from .run import bounded, columns_of, cost_matrix, plan_text, without

    file = check_writable(output, sources=(costs,))
    frame, notes = read_with_notes(costs, **reading.file_options)
    for line in notes:
        note(line)
    further = statements.further(frame.columns)
    rest, said = further.taken_from(frame, costs.name)
    ids, table, weight = columns_of(rest, costs.name, identifier, weights)
    decimal = reading.decimal or usual_decimal(rest)
    names = [str(name) for name in table.columns]
    polytope = bounded(sizes, ids, len(names), weight, decimal)
    if optional:
        polytope = polytope.optional()
    matrix = cost_matrix(table if never is None else without(table, never), ids, decimal)
    with rows_named(frame, [str(ids.name)]):
        polytope, _, _ = stated(polytope, further, said)
        model = AssignmentModel.of_costs(polytope.whole() if whole else polytope, matrix)
        solution = solve(model, gap=gap, time_limit=time_limit)
    not_reached = missed(solution, gap)
    report = assignment_report(costs.name, names, solution, not_reached, int((~(matrix < math.inf)).sum()))
    write_atomically(file, plan_text(ids, names, solution))
    note(f"labels: {file}")
    printing.deliver(report, partly=bool(not_reached))
