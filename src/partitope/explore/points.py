"""Points for the page: two columns of a text file, an example, and sites to begin with.

A file is split at the first of tab, semicolon, comma and blanks that gives two columns of numbers; everywhere but
between commas a number may be written with a decimal comma. The page's own script reads files by the same rule.

Which columns are taken is said whenever there was a choice: named ones, or the first two columns of numbers that do not
merely count the rows.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..base.errors import InvalidInputError
from ..models.polytope.polytope import PartitionPolytope
from .answer import MAX_CLUSTERS, MAX_POINTS, State

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)
COUNTS_ROWS = re.compile(r"(.*[_ ])?(id|index|nr|no|row|key)", re.IGNORECASE)
ODD_BLANKS = re.compile(r"[\x0b\x0c\x1c-\x1f\x85\ufeff]")  # what Python or JavaScript alone takes for a blank
LINE_ENDS = re.compile(r"\r\n|\r|\n")
DELIMITERS = ("\t", ";", ",", None)  # None: blanks


@dataclass(frozen=True)
class Columns:
    """The columns of a text that hold numbers."""

    names: tuple[str, ...]  # headings, or "column 1" and so on
    cells: list[tuple[int, list[str]]]  # what stands below the headings
    numeric: tuple[int, ...]  # columns of which at least half the entries are numbers
    usual: tuple[int, ...]  # the two that are taken when nobody chooses
    decimal: str  # "," when an entry has a decimal comma

    def pairs(self, chosen: Sequence[int]) -> list[list[float]]:
        """The points that two columns give."""
        points = []
        for line, words in self.cells:
            pair = [_number(words[c], self.decimal) if c < len(words) else None for c in chosen]
            for c, value in zip(chosen, pair):
                if value is None:
                    written = repr(words[c]) if c < len(words) else "nothing"
                    raise InvalidInputError(
                        f"line {line} has {written} in {self.names[c]}, expected a number: mend or remove it"
                    )
            points.append([value for value in pair if value is not None])
        return points


def read_columns(text: str) -> Columns:
    """The columns of a text; see the module's head for the rule."""
    lines = [(n, line) for n, line in enumerate(LINE_ENDS.split(ODD_BLANKS.sub(" ", text)), start=1) if line.strip()]
    found = filter(None, (_split_at(delimiter, lines) for delimiter in DELIMITERS))
    columns = next(found, None)
    if columns is None:
        bad = next((n for n, line in lines[1:] if len(re.findall(NUMBER, line)) < 2), None)
        where = f"line {bad} does not hold" if bad else "no two columns hold"
        raise InvalidInputError(f"{where} two numbers: mend or remove it")
    return columns


def read_points(
    path: str | Path, columns: Sequence[str] | None = None, tell: Callable[[str], None] = lambda said: None
) -> NDArray[np.float64]:
    """Points (n, 2) of two columns of a text file."""
    try:
        table = read_columns(Path(path).read_text(encoding="utf-8-sig"))
        chosen = table.usual if columns is None else [_place(table, name) for name in columns]
        if len(chosen) != 2:
            raise InvalidInputError(
                f"columns={','.join(columns or ())!r} names {len(chosen)}, expected two such as x,y"
            )
        points = table.pairs(chosen)
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"{path} cannot be read as text: {error}") from None
    except InvalidInputError as error:
        raise InvalidInputError(f"{path}, {error}") from None
    if not points or len(points) > MAX_POINTS:
        raise InvalidInputError(f"{path} holds {len(points)} points: the page shows 1 to {MAX_POINTS}")
    if (columns is None and len(table.names) > 2) or table.decimal == ",":
        x, y = (table.names[c] for c in chosen)
        comma = ", decimal commas" if table.decimal == "," else ""
        tell(f"{path}: points of {x} and {y}{comma}; others by --columns NAME,NAME")
    return np.array(points)


def example_points(seed: int = 0) -> NDArray[np.float64]:
    """Three groups of 90, 40 and 20 points (150, 2), with four decimals."""
    rng = np.random.default_rng(seed)
    centres, sizes = [(2.2, 7.0), (7.5, 7.5), (6.0, 2.2)], [90, 40, 20]
    groups = [rng.normal(centre, 1.1, size=(size, 2)) for centre, size in zip(centres, sizes)]
    return np.vstack(groups).round(4)


def start_state(points: NDArray[np.float64], polytope: PartitionPolytope, kind: str = "lsa", seed: int = 0) -> State:
    """A state to begin with: sites spread over the points (n, 2) by k-means++."""
    from sklearn.cluster import kmeans_plusplus

    n, n_clusters = len(points), polytope.n_clusters
    if not 1 <= n_clusters <= min(MAX_CLUSTERS, n):
        raise InvalidInputError(f"n_clusters={n_clusters} is not usable: pass 1 to {min(MAX_CLUSTERS, n)}")
    polytope.check()
    sites = kmeans_plusplus(points, n_clusters, random_state=seed)[0]
    if kind == "csa":
        sites = sites - points.mean(axis=0)
    return State.of(
        {
            "kind": kind,
            "points": points.tolist(),
            "sites": sites.tolist(),
            "lower": polytope.lower.astype(int).tolist(),
            "upper": polytope.upper.astype(int).tolist(),
        }
    )


def _place(table: Columns, name: str) -> int:
    if name in table.names:
        return table.names.index(name)
    if name.isascii() and name.isdigit() and 1 <= int(name) <= len(table.names):
        return int(name) - 1
    raise InvalidInputError(f"columns has no {name!r}: there are {', '.join(table.names)}")


def _split_at(delimiter: str | None, lines: list[tuple[int, str]]) -> Columns | None:
    """The columns that a delimiter gives, None when they are not two of numbers."""
    rows = [(n, _fields(line, delimiter)) for n, line in lines]
    width = max((len(words) for _, words in rows), default=0)
    body = rows[1:] if len(rows) > 1 else rows
    within = (word.split() for _, words in body for word in words)
    if delimiter == "," and any(len(w) == 2 and all(NUMBER.fullmatch(part) for part in w) for w in within):
        return None  # "1,5 2,5" are two numbers with decimal commas
    decimal = "," if delimiter != "," and any(_number(w, ".") is None and _number(w, ",") is not None
                                              for _, words in body for w in words) else "."  # fmt: skip
    values = {c: [_number(words[c], decimal) if c < len(words) else None for _, words in body] for c in range(width)}
    numeric = [c for c, column in values.items() if 2 * sum(v is not None for v in column) >= len(body)]
    if len(numeric) < 2:
        return None
    first = rows[0][1]
    headed = len(rows) > 1 and all(c >= len(first) or _number(first[c], decimal) is None for c in numeric)
    names = tuple((first[c].strip() if headed and c < len(first) else "") or f"column {c + 1}" for c in range(width))
    if not headed:
        values = {c: [_number(first[c], decimal) if c < len(first) else None, *values[c]] for c in range(width)}
    telling = [c for c in numeric if not _counts_rows(names[c], values[c])]
    usual = tuple(sorted((telling + [c for c in numeric if c not in telling])[:2]))
    return Columns(names, rows[1:] if headed else rows, tuple(numeric), usual, decimal)


def _counts_rows(name: str, values: list[float | None]) -> bool:
    """Whether a column only numbers the rows: 1, 2, 3, ... from any start, or what its heading calls so."""
    known = [v for v in values if v is not None]
    return bool(COUNTS_ROWS.fullmatch(name)) or (len(known) > 2 and all(b - a == 1 for a, b in pairwise(known)))


def _fields(line: str, delimiter: str | None) -> list[str]:
    try:
        return line.split() if delimiter is None else [w.strip() for w in next(csv.reader([line], delimiter=delimiter))]
    except csv.Error:  # a field of more than 131072 letters
        return [line]


def _number(word: str, decimal: str) -> float | None:
    if decimal == ",":
        word = word.replace(",", ".") if "." not in word else "" if "," in word else word
    value = float(word) if NUMBER.fullmatch(word.strip()) else np.inf
    return value if np.isfinite(value) else None
