"""A reproduction as a report, and what the documentation shows of it."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from partitope.output.html_pages import as_html
from partitope.output.report import Report, Section, Table

from ..verdicts import WORDS
from .pictures_papers import pictures
from .remarks import REMARKS

LEAD = (
    "Every row has a figure printed in a paper, the figure computed here, their difference, the 95 % interval of ours "
    "and a verdict. Met: the printed figure is inside the interval and within .01 (one point in percent) of ours, or "
    "within its printed standard deviation. Checked: the same for what follows from printed figures. Undecided: "
    "inside the interval, but farther away. Beaten or missed: outside, ours is better or worse. Beaten is used for "
    "the methods that the papers propose, and in the study 'local' for this project's own; a method that they compare "
    "with is 'competitor better' where it does better here than printed. Differs: outside, and neither side is "
    "better. No parameter of a method was chosen on test rows. Where our preprocessing is not the printed one, the "
    "study says so."
)
HOW = {
    "printed": "preprocessing as printed",
    "text": "with the best reading of the text",
    "closest": "with the departure that fits best",
    "ours": "with ours",
}


def reproduction_report(record: dict[str, Any]) -> Report:
    """The report of a record (`Reproduction.as_dict`).

    Parameters
    ----------
    record : dict
        Studies with their rows, the machine and the versions.

    Returns
    -------
    Report
        For JSON or as a page; pictures are drawn when a page is written.
    """
    settings = {
        "run": "quick: small sizes that show that it runs, no reproduction" if record["quick"] else "full",
        "date": record["date"],
        "seed": record["random_state"],
        "partitope": record["partitope"],
        **record["machine"],
    }
    sections = [
        _section(name, study, _all_columns(study["rows"], study["title"])) for name, study in record["studies"].items()
    ]
    title = "Published tables, computed again"
    return Report(title, LEAD, findings(record), sections, settings, "reproduction", record)


def reproduction_html(record: dict[str, Any]) -> str:
    """`reproduction_report` as one HTML document with its style and pictures embedded; no script."""
    return as_html(reproduction_report(record))


def documentation(record: dict[str, Any]) -> dict[str, str]:
    """Files that the pages show of a record: every row as CSV, and the pictures of the study of size bounds."""
    rows = [{"study": name, **row} for name, study in record["studies"].items() for row in study["rows"]]
    columns = list(dict.fromkeys(column for row in rows for column in row))
    table = io.StringIO()
    writer = csv.DictWriter(table, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    drawn = pictures("sizes", record["studies"]["sizes"]["rows"])
    files = {f"images/reproduce/sizes-{n}.svg": picture.svg for n, picture in enumerate(drawn, start=1) if picture.svg}
    return {"papers-tables.csv": table.getvalue(), **files}


def findings(record: dict[str, Any]) -> list[str]:
    """How many figures of each study were met, beaten and missed, and what must be known with that."""
    lines = []
    for name, study in record["studies"].items():
        kinds = dict.fromkeys(row.get("preprocessing") or "printed" for row in study["rows"])
        found = {k: _counted([r for r in study["rows"] if (r.get("preprocessing") or "printed") == k]) for k in kinds}
        if list(kinds) == ["printed"]:
            lines.append(f"{name}: {found['printed']}.")
        else:
            lines.append(f"{name}: " + "; ".join(f"{HOW[kind]} {counts}" for kind, counts in found.items()) + ".")
    return lines


def _counted(rows: Sequence[dict[str, Any]]) -> str:
    counts = Counter(row["verdict"] for row in rows)
    words = [f"{counts[word]} {word}" for word in WORDS if counts[word]]
    return ", ".join(words) or "nothing printed to compare with"


def _section(name: str, study: dict[str, Any], table: Table) -> Section:
    remarks = [*REMARKS.get(name, ()), *_commits(study.get("commits", {}))]
    return Section(study["title"], name, remarks, pictures(name, study["rows"]), [table])


def _commits(counts: Mapping[str, int]) -> list[str]:
    """At which commits the results of a study were made, as a remark; nothing where that is not known."""
    made = [f"{commit} ({number})" for commit, number in counts.items()]
    return [f"Made at commit {', '.join(made)}; in brackets the number of results."] if made else []


def _all_columns(rows: list[dict[str, Any]], caption: str) -> Table:
    columns = list(dict.fromkeys(column for row in rows for column in row))
    columns.sort(key=lambda name: name == "note")  # the note is long and stands last
    return Table(caption, columns, [[row.get(name) for name in columns] for row in rows])
