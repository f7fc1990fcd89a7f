"""`partitope test`: do the values of a model's clusters hold on new data?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..options import OUTPUT, Printing, bundled, file, number, option, word
from ..tables import FileReading, tell_findings


@bundled
def value_test(
    model: Annotated[Path, typer.Argument(help="Model file written by `partitope fit`.", show_default=False)],
    table: Annotated[Path, typer.Argument(help="New rows with classes: CSV, Parquet or Excel.", show_default=False)],
    target: Annotated[
        str | None,
        option(
            None,
            "Name of the class column; default: the column that is not a feature.",
            "--target",
            "-t",
            metavar="COLUMN",
        ),
    ] = None,
    lam: Annotated[float, number(None, "Comparing distance, 0 to 1: larger is stricter.", "--lambda")] = 0.75,
    method: Annotated[str, word(None, "p-values: normal, or exact (never above their level).")] = "exact",
    adjust: Annotated[str | None, word(None, "For many clusters: holm or bh.")] = None,
    positive: Annotated[str | None, option(None, "Class whose share is tested.", "--class", metavar="NAME")] = None,
    plot: Annotated[Path | None, file(OUTPUT, "Also draw the values to a .svg, .png or .pdf file.")] = None,
    *,
    reading: FileReading,
    printing: Printing,
) -> None:
    """Test every cluster's value against limits towards its neighbours, on rows the model has not seen.

    partitope test model.json new.csv
    partitope test model.json new.csv --adjust holm --plot values.svg

    Tested is the start with the best objective. Rejecting both hypotheses of a cluster says that its value is
    strictly between its limits.
    """
    from ...datasets import load_table
    from ...model_files.files import load_model, using
    from ...output.files import check_writable, write_atomically
    from .run import check_picture, check_values, class_column, draw, value_report

    if plot is not None:
        check_picture(check_writable(plot, sources=(model, table)))
    classifier = load_model(model)
    with using(model):
        chosen = class_column(classifier, table, **reading.file_options) if target is None else target
        data = load_table(table, chosen, **reading.file_options)  # the model reads its columns by its own roles
        result, share = check_values(classifier, data, positive, lam, method, adjust)
        if plot is not None:
            write_atomically(plot, draw(result, plot, share))
        printing.say(data.notes)
        if not printing.json:
            tell_findings(classifier, data.X)
    printing.deliver(value_report(result, share, model.name, data))
