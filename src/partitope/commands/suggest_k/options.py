"""`partitope suggest-k`: how many clusters a table supports, within size bounds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..options import SEARCH, SIZES, Delivery, Seed, Sizes, bundled, number, option
from ..tables import Reading, load_features


@bundled
def suggest_k(
    table: Annotated[Path, typer.Argument(help="CSV, Parquet or Excel file.", show_default=False)],
    clusters: Annotated[
        str, option(SIZES, "Numbers to try: 2-10, or 3,5,8.", "--clusters", "-k", metavar="NUMBERS")
    ] = "2-10",
    *,
    sizes: Sizes,
    reading: Reading,
    starts: Annotated[int, number(SEARCH, "Starts of every clustering.", "--starts", "--n-init")] = 3,
    splits: Annotated[int, number(SEARCH, "Random halves behind the prediction strength.")] = 10,
    threshold: Annotated[float, number(SEARCH, "Prediction strength to be reached.")] = 0.8,
    seed: Seed = 0,
    printing: Delivery,
) -> None:
    """Suggest a number of clusters: the largest whose clusters are found again in other rows of the table.

    partitope suggest-k places.csv
    partitope suggest-k places.csv -k 2-6 --lower 10% --report r.html

    Prediction strength (Tibshirani and Walther 2005) for every number of clusters, with the same bounds: write them as
    shares, such as --lower 10%. Without bounds no cluster is empty.
    """
    from .report import suggestion_report
    from .run import parse_numbers, suggest_for_table

    printing.check(table)
    tried = parse_numbers(clusters)
    name, frame = load_features(table, reading)
    with printing.progress() as progress:
        suggestion = suggest_for_table(
            frame, tried, sizes, cleaner=reading.cleaner(), starts=starts, splits=splits,
            threshold=threshold, seed=seed, progress=progress, tell=printing.say,
        )  # fmt: skip
    settings = {"seed": seed, "starts": starts, "halves": splits}
    partly = clusters != "2-10" and bool(suggestion.left_out)  # not of the default
    printing.deliver(suggestion_report(name, len(frame), suggestion, settings), partly=partly)
