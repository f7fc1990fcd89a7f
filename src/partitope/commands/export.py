"""`partitope export`: the assignment program as a file for other solvers, and their answers read back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Clusters, Json, Lower, Output, Seed, Starts, Target, Upper, size_bounds


def export(
    source: Annotated[
        Path,
        typer.Argument(help="CSV or Parquet file of points; with --solution, the .json instance.", show_default=False),
    ],
    output: Output = Path("model.mps"),
    target: Target = None,
    clusters: Clusters = 5,
    lower: Lower = None,
    upper: Upper = None,
    objective: Annotated[str, typer.Option(help="'lsa': least squares, 'csa': cluster sums.")] = "lsa",
    sites: Annotated[
        Path | None, typer.Option(help="CSV of k sites; where the best of --starts ends when left out.")
    ] = None,
    starts: Starts = 10,
    seed: Seed = 0,
    solution: Annotated[
        Path | None, typer.Option(help="Solution file or labels to check; --output is then a CSV of labels.")
    ] = None,
    json: Json = False,
) -> None:
    """Write the assignment program to an .mps, .lp or .json file, or check another solver's answer to it.

    With --target, columns are encoded as `compare` encodes them; without, all columns must be numbers. With
    --solution, sizes and objective are recomputed, the assignment is certified optimal for the instance's scores or
    an improving exchange is named, and the labels are written.
    """
    from ..output.files import check_writable
    from ..output.terminal import note, print_json
    from ..workflows.export import check_answer, check_output, export_model, points_model, table_points

    file = check_writable(check_output(output, solution), sources=(source, sites, solution))
    if solution is not None:
        record = check_answer(source, solution, file)
        line = f"objective {record['objective']:.10g}: {record['remark']} (proof: {record['proof']})"
    else:
        X = table_points(source, target)
        model = points_model(X, size_bounds(lower, upper, len(X), clusters), objective, sites, starts, seed)
        record = export_model(model, file)
        line = f"{record['points']} points, {record['clusters']} clusters, {record['variables']} variables"
    if json:
        print_json(record)
        return
    note(line)
    note(f"{'labels' if solution is not None else 'model'}: {output}")
