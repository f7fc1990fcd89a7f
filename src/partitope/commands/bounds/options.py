"""`partitope bounds`: what size bounds cost, and with two classes what they buy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..options import SEARCH, Delivery, Scale, Seed, Starts, Target, bundled, number, refuse_others, word
from ..tables import Reading, counted_line, is_named, load_data, load_features

if TYPE_CHECKING:
    from .points import StudiedPoints


@bundled
def bounds(
    context: typer.Context,
    table: Annotated[
        str | None,
        typer.Argument(help="CSV, Parquet, Excel, or census or german; scikit-learn's breast-cancer table otherwise."),
    ] = None,
    *,
    target: Target = None,
    clusters: Annotated[
        list[int] | None, number(None, "Number of clusters; repeat for more. 5 unless said.", "--clusters", "-k", min=1)
    ] = None,
    objective: Annotated[str, word(SEARCH, "lsa, least squares, or csa, norms of cluster sums.")] = "lsa",
    starts: Starts = 20,
    points: Annotated[int, number(SEARCH, "Bounds between 0 and n/k on the re-optimised curve.", min=2)] = 21,
    precision: Annotated[
        float, number(None, "With a target: half-width of a cluster value's interval to plan for.")
    ] = 0.05,
    plane: Annotated[bool, typer.Option("--plane", help="Also the plane of both bounds, lower and upper.")] = False,
    seed: Seed = 0,
    reading: Reading,
    scale: Scale = None,
    jobs: Annotated[int | None, number(SEARCH, "Starts at the same time; no result depends on it.")] = None,
    printing: Delivery,
) -> None:
    """Show what a common lower size bound costs: exact curve with its breakpoints, prices, re-optimised curve.

    partitope bounds places.csv -k 6 --report r.html
    partitope bounds people.csv --target income -k 5 --plane

    With a target of two classes also what the bound does to accuracy and to the reliability of cluster values.
    """
    from ...base.checks import n_processes
    from ...base.errors import InvalidInputError
    from .report import bounds_report
    from .run import study_bounds

    # refused before a start is made, as all of them take minutes
    if objective not in ("lsa", "csa"):
        raise InvalidInputError(f"--objective {objective!r} is not known: choose 'lsa' or 'csa'")
    if not 0 < precision < 0.5:
        raise InvalidInputError(f"--precision {precision:g} must be between 0 and 0.5")
    n_processes(jobs, "--jobs")
    printing.check(table)
    studied = points_of(table, target, reading, scale, seed)
    if studied.held_out is None:
        refuse_others(context, "a table without a target of two classes", unread={"precision"})
    # one study a number of clusters, on the same points
    studies = []
    with printing.progress() as progress:
        for k in dict.fromkeys(clusters or [5]):
            studies.append(study_bounds(
                studied, k, objective=objective, starts=starts, points=points,  # type: ignore[arg-type]
                precision=precision, plane=plane, seed=seed, n_jobs=jobs, progress=progress,
            ))  # fmt: skip
    printing.say(studied.notes)
    printing.deliver(bounds_report(studied, studies), partly=bool(studied.left_out))


def points_of(table: str | None, target: str | None, reading: Reading, scale: str | None, seed: int) -> StudiedPoints:
    """The points of a table as `cluster` takes them, or where it has a target of two classes its training points."""
    from ...base.errors import InvalidInputError
    from ...cluster.table_encoder import TableEncoder
    from .points import StudiedPoints

    encoder = TableEncoder(scale)
    if table is not None and target is None and not is_named(table):
        name, frame = load_features(Path(table), reading)
        cleaner, counted, _ = reading.cleaner_of(frame)
        cleaned = cleaner.fit_transform(frame)
        return StudiedPoints.of_table(cleaned, name, encoder, [*counted_line(counted, len(frame)), *cleaner.lines()])
    data = load_data(table, target, None, reading)
    if len(data.classes) == 2:
        if scale is not None:
            raise InvalidInputError(f"--scale {scale} is for tables without a target of two classes: leave it out")
        return StudiedPoints.of_classes(data, seed)
    left_out = f"{data.target_name} has {len(data.classes)} classes, and accuracy is shown for two: it is left out."
    return StudiedPoints.of_table(data.X, data.name, encoder, data.notes, (left_out,))
