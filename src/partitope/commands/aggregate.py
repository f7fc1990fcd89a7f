"""`partitope cluster --aggregate`: a table to be released, whose rows are means of groups of a least size."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .tables import Reading


def aggregate_table(
    table: Path, into: Path, clusters: str, lower: str | None, reading: Reading, *, seed: int, json: bool
) -> None:
    """Write the group means of a table of numbers, and report sizes of groups and information loss."""
    import numpy as np
    import pandas as pd

    from ..base.columns import EXACT
    from ..base.errors import InvalidInputError
    from ..classifiers.encoders.find_role import names_rows
    from ..output.files import check_writable, write_together
    from ..output.report import Report, Section, Table
    from ..output.terminal import deliver, note
    from ..solvers.microaggregation import Microaggregation
    from .tables import load_features

    if clusters != "auto" or not (lower or "").isdecimal():
        raise InvalidInputError(
            f"--aggregate takes --clusters auto and a whole number of rows as --lower, not {clusters} and {lower}: "
            f"write -k auto --lower 3"
        )
    # means need numbers without gaps in every column that is released; names of rows are not released
    path = check_writable(into, sources=(table,))
    name, raw = load_features(table, reading)
    cleaner = reading.cleaner()
    frame = cleaner.fit_transform(raw)
    for line in cleaner.lines():
        note(line)
    for role in cleaner.roles_:
        if role.kept and (role.role != "number" or frame[role.name].isna().any()):
            large = f", or whole numbers beyond {EXACT:.0f}, of which floats merge some"
            raise InvalidInputError(
                f"column {role.name!r} of {name} has entries that are not numbers, or gaps{large}: mend them, or leave "
                f"the column out of the released table with --drop"
            )
        if role.kept and names_rows(role.name) and role.name not in reading.roles:
            raise InvalidInputError(
                f"column {role.name!r} of {name} names rows by its own name: leave it out with --drop, or say --types "
                f"{role.name}=number to release its means"
            )
    if len(frame) < int(lower or 0):
        raise InvalidInputError(f"--lower {lower} is more than the {len(frame)} rows of {name}: ask for no more")
    X = frame.to_numpy(np.float64)
    # write the table before the report, so that readers of the report have it
    model = Microaggregation(int(lower or 0), random_state=seed).fit(X)
    released = pd.DataFrame(model.aggregate(X), columns=list(frame))
    write_together({path: released.to_csv(index=False)})
    note(f"aggregate: {path}")
    # what whoever releases the table has to justify: groups, loss, and how far from the least loss
    sizes, counts = np.unique(np.bincount(model.labels_), return_counts=True)
    groups = pd.DataFrame({"size": sizes, "groups": counts, "rows": sizes * counts})
    loss, bound = model.information_loss_, model.bound_
    finding = f"Information loss {loss:.4g} %; no groups of at least {lower} rows lose less than {bound:.4g} %."
    record = {
        "data": {"name": name, "rows": len(X)}, "minimum": int(lower or 0), "groups": int(counts.sum()),
        "information_loss": loss, "bound": bound, "sizes": groups.to_dict(orient="records"),
    }  # fmt: skip
    lead = f"{len(X)} rows and {X.shape[1]} columns, as the means of {counts.sum()} groups of at least {lower} rows."
    section = Section("Sizes of groups", "sizes", (), (), (Table.of(groups, "Groups"),))
    deliver(
        Report(f"Microaggregation of {name}", lead, [finding], (section,), {"seed": seed}, "microaggregation", record),
        None,
        json=json,
    )
