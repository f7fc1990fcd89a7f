"""The facts that a released table needs: groups, loss, distance from the least loss, and what groups reveal."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...output.report import Report, Section, Table
from .run import Released


def aggregate_report(name: str, found: Released) -> Report:
    """The report of `partitope aggregate`."""
    released, model = found.table, found.model
    sizes, counts = np.unique(np.bincount(model.labels_), return_counts=True)
    groups = pd.DataFrame({"size": sizes, "groups": counts, "rows": sizes * counts})
    n, least = len(released), model.minimum
    loss, bound = model.information_loss_, model.bound_
    alike = {column: int((released.groupby("group")[column].nunique(dropna=False) == 1).sum()) for column in found.keep}
    findings = [
        f"In {count} of {counts.sum()} groups all rows have the same value of {column}. Anyone who knows a row's group "
        f"then knows it: k-anonymity does not protect against this."
        for column, count in alike.items()
        if count
    ]
    # counted in the table itself, whatever the groups say
    stated = [*found.before.columns, *([] if found.within is None else [found.within])]
    fewest = int(released.groupby(stated, dropna=False, observed=True).size().min())
    findings.append(
        f"k = {fewest}: all rows share their values in {', '.join(map(str, stated))} with at least {fewest - 1} others "
        f"(counted in the released table)."
    )
    inside = "" if found.within is None else f" within one {found.within}"
    findings.append(
        f"Information loss {loss:.4g} %; no groups of at least {least} rows{inside} lose less than {bound:.4g} %."
    )
    columns = _columns(found)
    record = {
        "data": {"name": name, "rows": n}, "minimum": least, "groups": int(counts.sum()), "information_loss": loss,
        "bound": bound, "k": fewest, "one_value": alike, "sizes": groups.to_dict(orient="records"),
        "columns": columns.to_dict(orient="records"),
    }  # fmt: skip
    weighed = "" if found.weights is None else f" Means and losses are weighted by {found.weights}; k counts rows."
    apart = "" if found.within is None else f", none of which has rows with two entries of {found.within}"
    lead = (
        f"{n} rows and {len(found.before.columns)} columns, as the means of {counts.sum()} groups of at least {least} "
        f"rows{apart}.{weighed}"
    )
    notes = (
        "Loss of a number: variance within groups, in per cent of its variance. Loss of a category: rows whose entry "
        "changed, in per cent.",
        "Distances between rows: a number counts by its standard deviations, and two categories differ by 1.",
    )
    tables = Table.of(groups, "Groups"), Table.of(columns, "Columns", notes=notes)
    section = Section("What is released", "released", tables=tables)
    settings = {"seed": model.random_state, "least group": least}
    return Report(f"Microaggregation of {name}", lead, findings, (section,), settings, "microaggregation", record)


def _columns(found: Released) -> pd.DataFrame:
    """One line per column: as what it is released, and what it loses in per cent."""
    lines = []
    for column in found.table.columns.drop("group"):
        after = found.table[column]
        if column not in found.before:
            lines.append((column, "stratum, unchanged" if column == found.within else "unchanged", 0.0))
        elif pd.api.types.is_numeric_dtype(found.before[column].dtype):
            before = found.before[column].astype(float)
            weights = found.model.weights_
            whole = float(weights @ (before - np.average(before, weights=weights)) ** 2)
            lines.append((column, "mean", 100 * float(weights @ (before - after) ** 2) / whole if whole else 0.0))
        else:
            lines.append((column, "most frequent", 100 * float((found.before[column] != after).mean())))
    return pd.DataFrame(lines, columns=["column", "released", "loss %"])
