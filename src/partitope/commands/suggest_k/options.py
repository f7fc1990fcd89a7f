"""`partitope suggest-k`: how many clusters a table supports, within size bounds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...base.errors import InvalidInputError
from ..options import SEARCH, SIZES, Delivery, Seed, Sizes, bundled, number, option
from ..tables import Reading, counted_line, load_features


@bundled
def suggest_k(
    table: Annotated[Path, typer.Argument(help="CSV, Parquet or Excel file.", show_default=False)],
    clusters: Annotated[
        str, option(SIZES, "Numbers to try: 2-10, or 3,5,8.", "--clusters", "-k", metavar="NUMBERS")
    ] = "2-10",
    *,
    sizes: Sizes,
    reading: Reading,
    starts: Annotated[int, number(SEARCH, "Starts of every clustering.", "--starts", "--n-init", min=1)] = 3,
    splits: Annotated[int, number(SEARCH, "Random halves behind the prediction strength.", min=1)] = 10,
    threshold: Annotated[float, number(SEARCH, "Prediction strength to be reached.")] = 0.8,
    seed: Seed = 0,
    printing: Delivery,
) -> None:
    """Suggest a number of clusters: the largest one whose clusters reappear in other rows of the table.

    partitope suggest-k places.csv
    partitope suggest-k places.csv -k 2-6 --lower 10% --report r.html

    Prediction strength (Tibshirani and Walther 2005) for every number of clusters, with the same bounds: write them as
    shares, such as --lower 10%. Without bounds no cluster is empty.
    """
    from ...base.sizes import parse_share
    from ...cluster import suggest_clusters
    from ...cluster.table_encoder import TableEncoder
    from .report import suggestion_report

    printing.check(table)
    tried = parse_numbers(clusters)
    name, frame = load_features(table, reading)
    usable = [k for k in tried if k <= len(frame)]
    if not usable:
        raise InvalidInputError(f"--clusters {tried[0]} exceeds the {len(frame)} rows: ask for fewer clusters")
    cleaner, counted, _ = reading.cleaner_of(frame)
    cleaned = cleaner.fit_transform(frame)
    encoder = TableEncoder().fit(cleaned)
    printing.say([*counted_line(counted, len(frame)), *encoder.map_remarks()])
    balance = None if sizes.balance is None else parse_share(sizes.balance, "--balance")
    with printing.progress() as progress:
        suggestion = suggest_clusters(
            encoder.transform(cleaned), usable, lower=sizes.lower, upper=sizes.upper, balance=balance, n_init=starts,
            n_splits=splits, threshold=threshold, random_state=seed, progress=progress,
        )  # fmt: skip
    settings = {"seed": seed, "starts": starts, "halves": splits}
    partly = clusters != "2-10" and bool(suggestion.left_out)  # not of the default
    printing.deliver(suggestion_report(name, len(frame), suggestion, settings), partly=partly)


def parse_numbers(text: str) -> list[int]:
    """Numbers of clusters from ``"2-10"`` or ``"3,5,8"``."""
    numbers: set[int] = set()
    for part in text.split(","):
        ends = [end.strip() for end in part.split("-")]
        if len(ends) > 2 or not all(end.isdigit() for end in ends) or int(ends[0]) > int(ends[-1]):
            raise InvalidInputError(f"--clusters {text!r} is not usable: write 2-10, or 3,5,8")
        numbers |= set(range(int(ends[0]), int(ends[-1]) + 1))
    if min(numbers) < 2:
        raise InvalidInputError(f"--clusters {text!r} is not usable: try at least 2 clusters")
    return sorted(numbers)
