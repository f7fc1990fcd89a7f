"""`partitope groups`: groups of rows that are as alike as possible."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...base.errors import InvalidInputError
from ..options import FURTHER, OUTPUT, SEARCH, Bounds, Clusters, Delivery, Links, bundled, columns, number, option
from ..tables import Reading, load_features, rows_named

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray


@bundled
def groups(
    table: Annotated[Path, typer.Argument(help="CSV, Parquet or Excel file.", show_default=False)],
    clusters: Clusters = 2,
    *,
    sizes: Bounds,
    like: Annotated[
        list[str] | None, columns(FURTHER, "Column to be made alike; default: all columns of numbers or categories.")
    ] = None,
    share: Annotated[
        list[str] | None, columns(FURTHER, "Column of categories; every group gets its share of each, rounded to rows.")
    ] = None,
    links: Links,
    reading: Reading,
    output: Annotated[
        Path | None, option(OUTPUT, "CSV file: the table with a column of groups.", "-o", "--output", metavar="FILE")
    ] = None,
    seed: Annotated[int | None, number(SEARCH, "Seed of all random choices; drawn and printed by default.")] = None,
    printing: Delivery,
) -> None:
    """Divide the rows of a table into groups that are as alike as possible: classes, plates, folds, arms of a trial.

    partitope groups students.csv -k 6 --share sex --together family -o groups.csv

    Means and spreads of the columns are made alike (k-plus). Without --lower and --upper, sizes are as even as whole
    rows allow. The groups are random; the printed seed reproduces them.
    """
    import secrets

    import numpy as np

    from ...base.columns import as_texts
    from ...cluster.further import Further
    from ...cluster.table_encoder import TableEncoder
    from ...output.files import check_writable, write_together
    from ...output.report import Report, Section, Table
    from ...output.terminal import note
    from ...solvers import AlikePartitioner
    from ...solvers.anticlustering.partitioner import even_groups

    path = None if output is None else check_writable(output, sources=(table,))
    printing.check(table, output=path)
    name, frame = load_features(table, reading)
    if "group" in frame.columns:
        raise InvalidInputError(f"{name} has a column 'group' already, which would be written: rename it")
    seed = secrets.randbelow(2**31) if seed is None else seed
    # columns that bind the groups are not made alike as well
    further = Further(together=tuple(links.together or ()), apart=tuple(links.apart or ()), even=tuple(share or ()))
    rest, bound = further.taken_from(frame, name, reading.identifiers or ())
    missing = [column for column in like or () if column not in rest.columns]
    if missing:
        raise InvalidInputError(
            f"{name} has no column {missing[0]!r} that --like could name: it has {list(rest.columns)}"
        )
    cleaner = reading.cleaner([column for column in frame.columns if column not in rest.columns])
    cleaned = cleaner.fit_transform(rest[list(like)] if like else rest)
    for line in cleaner.lines():
        note(line)
    X = TableEncoder().fit_transform(cleaned)
    n = len(frame)
    if clusters > n:
        raise InvalidInputError(f"--clusters {clusters} exceeds the {n} rows of {name}: ask for at most {n}")
    categories = np.column_stack([as_texts(frame[column]) for column in share]) if share else None
    model = AlikePartitioner(clusters, random_state=seed)
    with rows_named(frame, reading.identifiers):
        polytope = Further(together=further.together, apart=further.apart).on(
            sizes.on(n, clusters), reading.read_others(bound)
        )
        partition = model.fit(X, polytope=even_groups(polytope, categories)).partition_
    if path is not None:
        write_together({path: frame.assign(group=partition.labels).to_csv(index=False)})
        note(f"groups: {path}")
    numbers = cleaned.select_dtypes("number")
    shown = _compared(numbers, partition.labels, clusters)
    least = 0.0 if partition.bound is None else partition.bound.lower
    finding = (
        f"{100.0 * partition.objective:.2g} % of the variance of means and spreads is between the groups; in other "
        f"groups it can be lower by at most {100.0 * (partition.objective - least):.2g} percentage points (proved)."
    )
    held = np.unique(partition.sizes)
    lead = f"{n} rows in {clusters} groups of {' to '.join(map(str, dict.fromkeys([held[0], held[-1]])))}; seed {seed}."
    record = {
        "data": {"name": name, "rows": n}, "groups": clusters, "sizes": partition.sizes.tolist(), "seed": seed,
        "share": partition.objective, "least_share": least, "columns": shown.to_dict(orient="records"),
        "labels": partition.labels.tolist(),
    }  # fmt: skip
    section = Section("Columns by group", "columns", (), (), (Table.of(shown, "Mean (standard deviation)"),))
    printing.deliver(Report(f"Groups of {name}", lead, [finding], (section,), {"seed": seed}, "groups", record))


def _compared(numbers: pd.DataFrame, labels: NDArray, k: int) -> pd.DataFrame:
    """Means and standard deviations by group, one row per column, and the largest difference of means in deviations."""
    import pandas as pd

    rows = []
    for column in numbers.columns:
        parts = [numbers[column][labels == i] for i in range(k)]
        means, spread = [float(part.mean()) for part in parts], float(numbers[column].std(ddof=0))
        row = {"column": str(column)}
        row |= {
            f"group {i}": f"{mean:.4g} ({part.std(ddof=0):.3g})" for i, (mean, part) in enumerate(zip(means, parts))
        }
        rows.append(row | {"largest difference in sd": (max(means) - min(means)) / spread if spread else 0.0})
    return pd.DataFrame(rows)
