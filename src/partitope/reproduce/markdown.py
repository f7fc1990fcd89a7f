"""A reproduction as a page of the documentation, in Markdown."""

from __future__ import annotations

import math
from typing import Any

from .page import LEAD, findings
from .pictures_papers import pictures
from .remarks import REMARKS
from .studies import STUDIES

INTRODUCTION = """# The papers' tables, computed again

    partitope reproduce kcc                                # one study; census, german, tests, cac, cac-synthetic,
                                                           # pkm, kcc, kcssl, beyond or all
    partitope reproduce all --quick                        # small sizes: shows that everything runs
    partitope reproduce all --report page.html             # one page with all tables and pictures
    partitope reproduce pkm --save pkm.json                # rows, machine and versions

Finished cells are kept in the user's cache, so that a long run can be stopped and resumed. From Python, every study is
a function of `partitope.reproduce` that returns a DataFrame.
"""


def as_markdown(record: dict[str, Any]) -> str:
    """The page of a record (`Reproduction.as_dict`).

    Parameters
    ----------
    record : dict
        Studies with their rows, the machine and the versions.

    Returns
    -------
    str
        Markdown with folded tables.
    """
    machine = ", ".join(f"{key} {value}" for key, value in record["machine"].items())
    parts = [
        INTRODUCTION,
        LEAD,
        "Below is the full run that comes with the package (`src/partitope/reproduce/results.json`), of "
        f"{record['date']}, seed {record['random_state']}. Machine and versions: {machine}.",
        "\n".join(f"* {line}" for line in findings(record["studies"])),
    ]
    for name, study in record["studies"].items():
        parts.append(f"## {study['title']}")
        parts += ["\n".join(f"* {line}" for line in REMARKS[name])] if REMARKS.get(name) else []
        if study.get("part"):
            parts.append(f"Part of the study: {study['part']}.")
        for number, (_, caption) in enumerate(pictures(name, study["rows"]), start=1):
            parts.append(f"![{caption}]({picture_path(name, number)})\n\n*{caption}*")
        parts.append(f'??? note "{len(study["rows"])} rows"\n\n{_table(study["rows"], STUDIES[name].group)}')
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def picture_path(study: str, number: int) -> str:
    """Where the documentation has a picture of a study, from the page of `as_markdown`."""
    return f"images/reproduce/{study}-{number}.svg"


def _table(rows: list[dict[str, Any]], group: tuple[str, ...]) -> str:
    columns = [*group, "metric", "paper", "ours", "95 % interval", "verdict"]
    lines = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    for row in rows:
        low, high = _text(row.get("low")), _text(row.get("high"))
        interval = f"{low} to {high}" if low and high else ""
        cells = [str(row.get(name, "")) for name in (*group, "metric")]
        cells += [_text(row.get("paper")), _text(row.get("ours")), interval, str(row["verdict"])]
        lines.append("| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |")
    return "\n".join(f"    {line}" for line in lines)


def _text(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return f"{value:.4g}"
