"""What was made of the columns of a table, as a part of a report."""

from __future__ import annotations

from ..datasets.dataset import Dataset
from ..output.report import Section


def columns_section(data: Dataset) -> list[Section]:
    """One section for a data set that has been cleaned: roles, and what was left out or changed; none otherwise."""
    if data.cleaner is None:
        return []
    by_role: dict[str, list[str]] = {}
    for role in data.cleaner.roles_:
        by_role.setdefault(role.role, []).append(role.name)
    named = [f"{role}: {', '.join(names)}" for role, names in by_role.items()]
    return [Section("Columns of the table", remarks=[data.cleaner.summary(), *named, *data.notes])]
