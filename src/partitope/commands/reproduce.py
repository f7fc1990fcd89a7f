"""`partitope reproduce`: the dissertation's tables, printed and own figures side by side."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any

import typer

from .options import Json, Seed


class Study(StrEnum):
    """Studies that can be run again."""

    CENSUS = "census"
    GERMAN = "german"


def reproduce(
    study: Annotated[Study, typer.Argument(help="Which tables: 6.3 to 6.5 (census) or 5.3 and 5.4 (german).")],
    quick: Annotated[bool, typer.Option("--quick", help="A few starts only: shows that it runs, no reproduction.")] = (
        False
    ),
    starts: Annotated[int, typer.Option("--starts", "--n-init", help="Starts of every classifier.")] = 50,
    seed: Seed = 0,
    jobs: Annotated[int | None, typer.Option(help="Starts run at the same time; no result depends on it.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Do not use or keep finished cells of earlier runs.")] = False,
    json: Json = False,
) -> None:
    """Print the dissertation's tables beside ours: 95 % interval and met, beaten or missed for each row.

    Finished cells are kept in the user's cache: an interrupted run continues where it stopped.
    """
    import pooch

    from ..models.errors import InvalidInputError
    from ..reproduce import reproduce_census, reproduce_german
    from .terminal import note, print_json, progress_bar, show_frame

    if starts < 1 or seed < 0:
        raise InvalidInputError(f"--starts {starts} --seed {seed}: expected at least 1 start and a seed of at least 0")
    pooch.get_logger().setLevel("ERROR")
    run: Callable[..., Any] = reproduce_census if study is Study.CENSUS else reproduce_german
    with progress_bar(f"reproducing {study.value}", quiet=json) as progress:
        cache = {"cache": None} if fresh else {}
        frame = run(quick=quick, n_starts=starts, random_state=seed, n_jobs=jobs, progress=progress, **cache)
    if json:
        print_json({"format": "partitope.reproduction", "version": 1, "study": study.value,
                    "rows": frame.to_dict(orient="records")})  # fmt: skip
        return
    show_frame(frame, f"{study.value}: printed and own figures in percent, with the 95 % interval of ours")
    counts = frame["verdict"].value_counts()
    note(", ".join(f"{counts[word]} {word}" for word in counts.index))
