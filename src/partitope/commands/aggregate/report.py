"""The facts that a released table needs: groups, loss, distance from the least loss, and what groups reveal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ...output.report import Report, Section, Table
from ...solvers.microaggregation import Microaggregation


def aggregate_report(name: str, released: pd.DataFrame, model: Microaggregation, keep: Sequence[str]) -> Report:
    """The report of `partitope aggregate`."""
    sizes, counts = np.unique(np.bincount(model.labels_), return_counts=True)
    groups = pd.DataFrame({"size": sizes, "groups": counts, "rows": sizes * counts})
    n, least = len(released), model.minimum
    loss, bound = model.information_loss_, model.bound_
    alike = {column: int((released.groupby("group")[column].nunique(dropna=False) == 1).sum()) for column in keep}
    findings = [
        f"In {count} of {counts.sum()} groups all rows have the same value of {column}. Anyone who knows a row's group "
        f"then knows it: k-anonymity does not protect against this."
        for column, count in alike.items()
        if count
    ]
    findings.append(f"Information loss {loss:.4g} %; no groups of at least {least} rows lose less than {bound:.4g} %.")
    record = {
        "data": {"name": name, "rows": n}, "minimum": least, "groups": int(counts.sum()), "information_loss": loss,
        "bound": bound, "one_value": alike, "sizes": groups.to_dict(orient="records"),
    }  # fmt: skip
    columns = released.shape[1] - 1 - len(keep)
    lead = f"{n} rows and {columns} columns, as the means of {counts.sum()} groups of at least {least} rows."
    section = Section("Sizes of groups", "sizes", tables=(Table.of(groups, "Groups"),))
    settings = {"seed": model.random_state}
    return Report(f"Microaggregation of {name}", lead, findings, (section,), settings, "microaggregation", record)
