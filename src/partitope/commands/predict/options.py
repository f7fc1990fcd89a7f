"""`partitope predict`: classes and scores of the rows of a table from a model file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..options import OUTPUT, bundled, columns, file
from ..tables import FileReading, tell_findings


@bundled
def predict(
    model: Annotated[
        Path, typer.Argument(help="Model file written by `partitope fit` or `cluster`.", show_default=False)
    ],
    table: Annotated[Path, typer.Argument(help="CSV, Parquet or Excel with the model's columns.", show_default=False)],
    output: Annotated[
        Path | None, file(OUTPUT, "CSV file to write; standard output when left out.", "--output", "-o")
    ] = None,
    identifiers: Annotated[list[str] | None, columns(OUTPUT, "Column to copy to the predictions.", "--id")] = None,
    *,
    reading: FileReading,
) -> None:
    """Predict every row: its class and the score of each, its cluster and the distance to the nearest boundary.

    partitope predict model.json new.csv -o predictions.csv
    partitope predict model.json new.csv --id name

    Columns that the model does not know are not used, the target's own among them; they are named, and so is every
    column with values that training did not hold, with counts. Loading a model never runs code from its file.
    """
    from ...datasets.table_reader import read_with_notes
    from ...model_files.files import load_model, using
    from ...output.files import check_writable, write_atomically
    from ...output.terminal import note
    from ..fit.run import predictions

    if output is not None:
        check_writable(output, sources=(model, table))
    classifier = load_model(model)
    rows, notes = read_with_notes(table, **reading.file_options)
    for line in notes:
        if not line.startswith("column "):  # what columns hold, the model's findings say
            note(line)
    with using(model):
        text = predictions(classifier, rows, identifiers or ()).to_csv(index=False, lineterminator="\n")
        tell_findings(classifier, rows)
    if output is None:
        typer.echo(text, nl=False)
        return
    write_atomically(output, text)
    note(f"predictions: {output}")
