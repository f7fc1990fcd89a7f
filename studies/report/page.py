"""A reproduction as a report, and as the page of the documentation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from partitope.output.pages import as_html
from partitope.output.report import Report, Section, Table

from ..catalogue import STUDIES
from .markdown import as_markdown
from .pictures_papers import pictures
from .remarks import REMARKS

LEAD = (
    "Every row holds a figure printed in a paper, the figure computed here, their difference, the 95 % interval of "
    "ours and a verdict. Met: the printed figure lies inside the interval and within .01 (a point in percent) of "
    "ours, or within its printed standard deviation. Undecided: inside the interval, but farther away. Beaten or "
    "missed: outside, ours is better or worse. Beaten is said of the methods that the papers propose, and in the study "
    "'local' of this project's own; where a method that they compare with comes out better here than printed, the "
    "verdict is that the baseline differs. Differs: outside, and neither side is better. No parameter was chosen on "
    "test rows. Where our preprocessing is not the printed one, the study says so."
)
WORDS = ("met", "beaten", "undecided", "missed", "baseline differs", "differs", "no data", "not run")
INTRODUCTION = """# The papers' tables, computed again

In a clone of the repository:

    python -m studies kcc                                # one study; census, german, tests, cac, cac-synthetic,
                                                         # pkm, kcc, kcssl, beyond, local, sizes or all
    python -m studies all --quick                        # small sizes: shows that everything runs
    python -m studies all --report page.html             # one page with all tables and pictures
    python -m studies pkm --save pkm.json                # rows, machine and versions

Finished jobs are kept in the user's cache, so that a long run can be stopped and resumed. From Python, the studies
stand in `studies.catalogue.STUDIES`; their `run` returns a DataFrame.
"""


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
    """Files of the documentation on a record (`Reproduction.as_dict`): a page with folded tables, and its pictures."""
    machine = ", ".join(f"{key} {value}" for key, value in record["machine"].items())
    lead = (
        f"{LEAD}\n\nBelow are the results of the repository (`studies/results.json`), put "
        f"together on {record['date']}, seed {record['random_state']}; each study says at which commits its were made. "
        f"Machine and versions: {machine}."
    )
    sections = [
        _section(name, study, _main_columns(study["rows"], STUDIES[name].group))
        for name, study in record["studies"].items()
    ]
    page = as_markdown(Report("", lead, findings(record), sections), _picture_path)
    drawn = {_picture_path(s.name, n): p.svg for s in sections for n, p in enumerate(s.drawn, start=1) if p.svg}
    return {"reproduce.md": f"{INTRODUCTION}\n{page}", **drawn}


def _picture_path(study: str, number: int) -> str:
    return f"images/reproduce/{study}-{number}.svg"


def findings(record: dict[str, Any]) -> list[str]:
    """How many figures of each study were met, beaten and missed, and what must be known with that."""
    lines = []
    for name, study in record["studies"].items():
        departures = [row for row in study["rows"] if row.get("preprocessing") == "ours"]
        printed = [row for row in study["rows"] if row.get("preprocessing") != "ours"]
        if not departures:
            lines.append(f"{name}: {_counted(printed)}.")
        elif not printed:
            lines.append(f"{name}: {_counted(departures)}, with another preprocessing than the printed one.")
        else:
            lines.append(f"{name}, preprocessing as printed: {_counted(printed)}. With ours: {_counted(departures)}.")
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


def _main_columns(rows: list[dict[str, Any]], group: tuple[str, ...]) -> Table:
    columns = [*group, "metric", "paper", "ours", "difference"]
    lines = []
    for row in rows:
        low, high = row.get("low"), row.get("high")
        interval = "" if low is None or high is None else f"{low:.4g} to {high:.4g}"
        lines.append([*(row.get(name) for name in columns), interval, row["verdict"]])
    return Table("", [*columns, "95 % interval", "verdict"], lines)
