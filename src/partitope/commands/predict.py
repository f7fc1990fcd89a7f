"""`partitope predict`: classes and scores of the rows of a table from a model file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def predict(
    model: Annotated[
        Path, typer.Argument(help="Model file written by `partitope fit` or `cluster`.", show_default=False)
    ],
    table: Annotated[Path, typer.Argument(help="CSV or Parquet file with the model's columns.", show_default=False)],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="CSV file to write; standard output when left out.")
    ] = None,
) -> None:
    """Predict every row: its class and the score of each, its cluster and the distance to the nearest wall.

    Columns that the model does not know are ignored, the target's own among them. Loading a model never runs
    code from its file.
    """
    from ..datasets import read_table
    from ..output.files import check_writable, write_atomically
    from ..output.terminal import note
    from ..workflows.fit import predictions
    from ..workflows.model_files import load_model

    if output is not None:
        check_writable(output, sources=(model, table))
    classifier = load_model(model)
    text = predictions(classifier, read_table(table)).to_csv(index=False, lineterminator="\n")
    if output is None:
        typer.echo(text, nl=False)
        return
    write_atomically(output, text)
    note(f"predictions: {output}")
