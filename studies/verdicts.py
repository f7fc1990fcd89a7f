"""``python -m studies verdicts``: one page that says of every table, figure, theorem and claim what came out.

Figures and verdicts come from the record that the studies wrote (`studies.base.record`); this module only knows which
rows belong to which place of which paper (`papers.toml`), and adds one sentence where they differ, or a reason where
nothing was run. The verdicts are those of `studies.base.rows`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .verdict_items import ITEMS, PAPERS, Item

PAGE = Path(__file__).parents[1] / "docs" / "papers.md"
LEFT_ASIDE = ("not printed", "no data", "not run")
WORDS = (
    "met", "checked", "beaten", "undecided", "missed", "differs", "competitor better", "competitor worse", "no data",
    "not run",
)  # fmt: skip
KINDS = {
    "printed": "", "text": "best reading of the text", "closest": "departure that fits best",
    "ours": "our preprocessing",
}  # fmt: skip
HEAD = """# The papers, claim by claim

What five papers print, and what comes out here: every table, figure, theorem behind an algorithm, and claim that can be
counted. `python -m studies verdicts` writes it from the record of {date}; [one table](papers-tables.csv) has the single
figures with their intervals. No parameter of a method was chosen on test rows.

**met**: the printed figure is in our 95 % interval and within .01 (one point in percent) of ours, or within its printed
deviation. **checked**: the same for figures that follow from printed ones, and for bounds that cannot fail.
**undecided**: in the interval, but farther away; where the paper's own rows are used again, only folds and starts can
differ, and such a figure is beaten or missed. On the quarter that the papers on CAC hold out, the interval is that of
other seeds, here and in the paper. **beaten**, **missed**: outside, ours is better or worse. **competitor better**,
**competitor worse**: the same for a method that the papers compare theirs with. **differs**: outside, and neither side
is better. Sensitivity and specificity of a classifier are judged as a pair: if one is beaten and the other missed, a
threshold has moved, and both differ.

Other tolerances: p-values, wins of nine and numbers of small p-values are met within one (a point in percent, one win);
average uplifts within .5 points or a tenth of the printed value; average ranks within .1 from printed figures and .5
from ours. A rank correlation is called high from .5 on. Claims without a number are met or missed.

Rows are of the printed setting; rows without a place repeat the one above with another preprocessing. The *best reading
of the text* cuts both capital columns into fifths of their distinct values above zero, in the order of their shares.
The *departure that fits best* is the one of 206 variants that fits the printed clusters of the training rows best: it
cuts the capital loss alone, by its range, into six values. The list of variants was not fixed beforehand: it came out
of trials by hand in which printed figures of test rows were looked at, too; the distance counts training rows alone.
*Our preprocessing* is a departure as well.
"""


def page(record: Mapping[str, Any]) -> str:
    """The page in Markdown."""
    parts = [HEAD.format(date=record["date"])]
    for paper, title in PAPERS.items():
        parts.append(f"\n## {title}\n")
        parts.append(
            "| where | what | verdicts | widest gap, printed and ours | where they differ, or why nothing was run |"
        )
        parts.append("|---|---|---|---|---|")
        parts += [line for item in ITEMS if item.paper == paper for line in item_lines(item, record)]
    return _with_notes("\n".join(parts)) + "\n"


def _with_notes(text: str) -> str:
    """The page with sentences that several lines share as numbered notes at its end."""
    shared = [said for said in dict.fromkeys(item.said for item in ITEMS if item.said) if text.count(f"| {said} |") > 1]
    for number, said in enumerate(shared, 1):
        text = text.replace(f"| {said} |", f"| [note {number}](#notes) |")
    return "\n".join([text, "\n## Notes\n", *(f"{number}. {said}" for number, said in enumerate(shared, 1))])


def item_lines(item: Item, record: Mapping[str, Any]) -> list[str]:
    """Lines of the table of one item, one a preprocessing of its rows."""
    if not item.studies:
        return [_line(item, item.verdict, "", item.said)]
    found = [row for name in item.studies for row in record["studies"].get(name, {"rows": ()})["rows"]]
    rows = [row for row in found if item.holds(row)]
    lines: list[str] = []
    for kind, words in KINDS.items():
        part = [row for row in rows if (row.get("preprocessing") or "printed") == kind]
        judged = [row for row in part if row["verdict"] not in LEFT_ASIDE]
        if judged:
            differ = any(row["verdict"] not in ("met", "checked", "beaten") for row in judged)
            said = item.said if differ or item.always else ""
            lines.append(_line(item, counted(part), widest(judged), said, words, again=bool(lines)))
    absent = Counter(row["verdict"] for row in rows)
    return lines or [_line(item, "not run", "", item.said or f"{sum(absent.values())} rows without a verdict")]


def counted(rows: Iterable[Mapping[str, Any]]) -> str:
    """How many rows have which verdict; those without a printed figure are not counted."""
    counts = Counter(row["verdict"] for row in rows if row["verdict"] != "not printed")
    return ", ".join(f"{counts[word]} {word}" for word in WORDS if counts[word])


def widest(rows: Sequence[Mapping[str, Any]]) -> str:
    """The row that is farthest from its printed figure, in units of that figure; of claims without one, all values."""
    with_figure = [row for row in rows if row.get("paper") is not None and row.get("difference") is not None]
    if with_figure:
        row = max(with_figure, key=lambda row: abs(row["difference"]) / max(abs(row["paper"]), 0.05))
        return f"{name(row)}: {row['paper']:.4g}, {row['ours']:.4g}"
    values = [f"{name(row)}: {row['ours']:.3g}" for row in rows if row.get("ours") is not None]
    same = {(row.get("method"), row["metric"]) for row in rows}
    if len(same) == 1 < len(values) and all(row.get("data") and row.get("ours") is not None for row in rows):
        sets = ", ".join(f"{row['data']} {row['ours']:.3g}" for row in rows)
        return f"{', '.join(filter(None, same.pop()))}: {sets}"
    return "; ".join(values if len(values) <= 4 else [*values[:3], f"and {len(values) - 3} more"])


def name(row: Mapping[str, Any]) -> str:
    """What a row is about, in a few words."""
    about = ("data", "method") if "data" in row else ("scenario", "k", "classifier", "part")
    words = [f"k = {row[a]}" if a == "k" else str(row[a]) for a in about if row.get(a)]
    return ", ".join([*words, row["metric"]])


def _line(item: Item, verdict: str, gap: str, said: str, kind: str = "", again: bool = False) -> str:
    about = ("", kind) if again else (item.where, ": ".join(filter(None, (kind, item.what))))
    cells = (*about, verdict, gap, said)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
