"""`partitope export`: the assignment program as a file for other solvers, and their answers read back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..options import (
    OUTPUT,
    SEARCH,
    Bounds,
    Clusters,
    Output,
    Printing,
    Search,
    Sums,
    Target,
    bundled,
    file,
    refuse_others,
    word,
)
from ..tables import Reading, load_data

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from ...cluster.further import Further


@bundled
def export(
    context: typer.Context,
    source: Annotated[
        Path,
        typer.Argument(
            help="CSV, Parquet or Excel of points; with --solution, the .json instance.", show_default=False
        ),
    ],
    output: Output = Path("model.mps"),
    target: Target = None,
    clusters: Clusters = 5,
    *,
    sizes: Bounds,
    sums: Sums,
    objective: Annotated[str, word(SEARCH, "lsa, least squares, or csa, cluster sums.")] = "lsa",
    sites: Annotated[
        Path | None, file(SEARCH, "CSV of k sites; where the best of --starts ends when left out.")
    ] = None,
    search: Search,
    reading: Reading,
    solution: Annotated[
        Path | None, file(OUTPUT, "Solution file or labels to check; --output is then a CSV of labels.")
    ] = None,
    printing: Printing,
) -> None:
    """Write the assignment program to an .mps, .lp or .json file, or check another solver's answer to it.

    partitope export places.csv -k 5 --lower 20 -o model.mps
    partitope export model.json --solution answer.sol -o labels.csv

    With --target, columns are encoded as `compare` encodes them; without, all columns must be numbers. With
    --solution, sizes and objective are recomputed, the assignment is certified optimal for the instance's scores or
    an improving exchange is named, and the labels are written.
    """
    from ...datasets import read_table
    from ...output.files import check_writable
    from ...output.terminal import note, print_json
    from .run import check_answer, check_output, export_model, points_model

    file = check_writable(check_output(output, solution), sources=(source, sites, solution))
    notes: list[str] = []
    if sites is not None:
        refuse_others(context, "--sites", unread={"starts", "seed"})
    if solution is not None:
        refuse_others(context, "--solution", read={"source", "output", "solution", "json"})
        record = check_answer(source, solution, file)
        line = f"objective {record['objective']:.10g}: {record['remark']} (proof: {record['proof']})"
    else:
        points, notes, table, further = _points(source, target, reading, sums)
        polytope = further.on(sizes.on(len(points), clusters), table)
        given = None if sites is None else read_table(sites, **reading.file_options | {"sheet": None})
        model = points_model(points, polytope, objective, given, search.starts, search.seed)
        record = export_model(model, file)
        line = f"{record['points']} points, {record['clusters']} clusters, {record['variables']} variables"
    if printing.json:
        print_json(record)
        return
    for said in (*notes, line):
        note(said)
    note(f"{'labels' if solution is not None else 'model'}: {output}")


def _points(
    source: Path, target: str | None, reading: Reading, sums: Sums
) -> tuple[NDArray[np.float64], list[str], pd.DataFrame, Further]:
    """Encoded rows of a table with a target; without one, its columns, which must be numbers, less the bounded ones.

    Besides what was changed, the table of the ``bounded`` columns, and what they bound.
    """
    import pandas as pd

    from ...base.errors import InvalidInputError
    from ...datasets import read_table
    from .run import encoded_points, plain_points

    if target is not None:
        further = sums.further()
        if further.taken:
            raise InvalidInputError(
                f"--balance-column, --share and --allowed do not go with --target {target}: leave the target out, or "
                f"the columns"
            )
        data = load_data(source, target, None, reading)
        return encoded_points(data), [data.cleaner.summary(), *data.notes], pd.DataFrame(), further
    table = read_table(source, **reading.file_options)
    further = sums.further(table.columns)
    table, kept = further.taken_from(table, source.name)
    kept, others = reading.read_others(kept), further.taken
    asked = reading.types or reading.drop or reading.identifiers
    if not asked and all(kind.kind in "iufb" for kind in table.dtypes):
        return plain_points(table, source.name), [], kept, further
    cleaner = reading.cleaner(others)
    return plain_points(table, source.name, cleaner), cleaner.lines(), kept, further
