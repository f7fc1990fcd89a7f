"""Columns of a table that bind its clusters, as options say them: further sizes, shares of groups, clusters allowed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..base.columns import as_texts, written_numbers
from ..base.errors import InvalidInputError
from ..base.sizes import parse_share
from ..models.polytope.polytope import PartitionPolytope

MOST_GROUPS = 50  # Different entries at most in a column whose groups are shared out.
USUAL = "5%"  # default tolerance of sums and shares around equal values


@dataclass(frozen=True)
class Further:
    """Requirements that columns of a table place on its clusters; these columns are not coordinates."""

    balanced: Mapping[str, float] = field(default_factory=dict)
    shares: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    groups: Mapping[str, float] = field(default_factory=dict)
    allowed: str | None = None  # Column that lists the clusters of a row, such as ``2`` or ``0|2``.
    even: Sequence[str] = ()  # Columns whose sums are as even as whole rows allow.
    together: Sequence[str] = ()  # Columns of groups whose rows are in one cluster.
    apart: Sequence[str] = ()  # Columns of groups whose rows are in different clusters.

    @classmethod
    def of(
        cls,
        balanced: Sequence[str],
        shares: Sequence[str],
        within: str | None = None,
        allowed: str | None = None,
        *,
        columns: Iterable[str] = (),
        **named: Sequence[str],
    ) -> Further:
        """From the texts of options: ``column``, which takes ``within``, ``column=5%`` or ``column=0.3..0.5``;
        ``named`` has columns ``even``, ``together`` and ``apart``. A text in ``columns`` is a name as a whole."""
        plain = set(columns)
        usual = parse_share(USUAL if within is None else within, "--within")
        if within is not None and all("=" in text and text not in plain for text in (*balanced, *shares)):
            raise InvalidInputError(
                f"--within {within} is for a --balance-column or --share without bounds of its own: name one, or leave "
                f"--within out"
            )
        sums, between, groups = {}, {}, {}
        for text in balanced:
            name, given, value = ("", "", text) if text in plain else text.rpartition("=")
            _refuse_unless(not given or ".." not in value, "--balance-column", text, "column or column=5%")
            sums[name if given else value] = parse_share(value, "--balance-column") if given else usual
        for text in shares:
            name, given, value = ("", "", text) if text in plain else text.rpartition("=")
            low, dots, high = value.partition("..") if given or value not in plain else (value, "", "")
            _refuse_unless(bool(dots) == bool(given), "--share", text, "column, or column=0.3..0.5 of zeros and ones")
            if dots:
                between[name] = (parse_share(low, "--share"), parse_share(high, "--share"))
            else:
                groups[value] = usual
        return cls(
            sums, between, groups, allowed, **{what: tuple(dict.fromkeys(names)) for what, names in named.items()}
        )

    @property
    def columns(self) -> list[str]:
        """Names of the columns that cells depend on."""
        return list(dict.fromkeys([*self.balanced, *self.even, *self.shares, *self.groups]))

    @property
    def taken(self) -> list[str]:
        """Names of all columns that are not coordinates."""
        allowed = [] if self.allowed is None else [self.allowed]
        return list(dict.fromkeys([*self.columns, *self.together, *self.apart, *allowed]))

    def taken_from(
        self, table: pd.DataFrame, name: str, identifiers: Sequence[str] = ()
    ) -> tuple[pd.DataFrame, pd.DataFrame]:
        """The table without these columns, but for those that name its rows, and these columns."""
        missing = [column for column in self.taken if column not in table.columns]
        if missing:
            raise InvalidInputError(f"{name} has no column {missing[0]!r}, it has {', '.join(map(str, table.columns))}")
        rest = table.drop(columns=[column for column in self.taken if column not in identifiers])
        return rest, table[self.taken]

    def on(self, polytope: PartitionPolytope, table: pd.DataFrame) -> PartitionPolytope:
        """The polytope with these bounds on the columns of a table with its rows; bounds of those that are to be even
        come later, by `evenest`."""
        n, k = polytope.n_points, polytope.n_clusters
        # sums are further sizes of the same kind of row, so they become one statement with the number of points
        sums = dict.fromkeys(self.even, np.inf) | dict(self.balanced)
        if sums:
            columns, low, up = [np.ones(n)], [polytope.lower], [polytope.upper]
            for name, part in sums.items():
                columns.append(_numbers(table, name))
                even = columns[-1].sum() / k
                low.append(np.full(k, max(1 - part, 0.0) * even))
                up.append(np.full(k, min(1 + part, k) * even))
            polytope = replace(  # what the polytope states already stays
                polytope, lower=np.column_stack(low), upper=np.column_stack(up), weights=np.column_stack(columns),
                names=("size", *sums),
            )  # fmt: skip
        for name, (least, most) in self.shares.items():
            polytope = polytope.share(_members(table, name), least, most, name=name)
        # shares of a group are bounded about those of all rows, which are even by definition
        for name, part in self.groups.items():
            texts, counts = np.unique(_groups(table, name), return_counts=True)
            if len(texts) > MOST_GROUPS:
                raise InvalidInputError(
                    f"--share {name}: the column holds {len(texts)} different values, expected groups, at most "
                    f"{MOST_GROUPS}; for a number, use --balance-column {name}"
                )
            shares = dict(zip(texts.tolist(), (counts / n).tolist()))
            lower = {group: max(share - part, 0.0) for group, share in shares.items()}
            upper = {group: min(share + part, 1.0) for group, share in shares.items()}
            polytope = polytope.share(_groups(table, name), lower, upper, name=name)
        # last what rows say of single clusters and of each other
        if self.allowed is not None:
            polytope = polytope.allow(_mask(table[self.allowed], k))
        for name in self.together:
            polytope = polytope.together(as_texts(table[name]))
        for name in self.apart:
            polytope = polytope.apart(as_texts(table[name]), name=f"apart {name}")
        return polytope

    def attributes(self, table: pd.DataFrame, names: Iterable[str]) -> pd.DataFrame:
        """The attributes that cells know by these names, of the rows of a table with the columns."""
        found = {}
        for name in names:
            if name in self.balanced or name in self.even:
                found[name] = _numbers(table, name)
            elif name in self.shares:
                found[name] = _members(table, name).astype(np.float64)
            else:
                column = next(column for column in self.groups if name.startswith(f"{column}["))
                found[name] = (_groups(table, column) == name[len(column) + 1 : -1]).astype(np.float64)
        return pd.DataFrame(found)


def _refuse_unless(usable: bool, option: str, text: str, form: str) -> None:
    if not usable or not text.strip() or text.startswith("="):
        raise InvalidInputError(f"{option} {text!r} is not usable: write {form}")


def _complete(table: pd.DataFrame, name: str) -> pd.Series:
    if name not in table.columns:
        raise InvalidInputError(f"the table has no column {name!r}, it has {', '.join(map(str, table.columns))}")
    column = table[name]
    missing = int(column.isna().sum())
    if missing:
        raise InvalidInputError(
            f"column {name!r} has no entry in {missing} rows, the first is row {int(column.isna().argmax())}: fill "
            f"them, or leave these rows out"
        )
    return column


def _numbers(table: pd.DataFrame, name: str) -> NDArray[np.float64]:
    column = _complete(table, name)
    found = column.to_numpy(np.float64) if column.dtype == bool else written_numbers(column)
    if found is None or not np.isfinite(found).all():
        raise InvalidInputError(
            f"column {name!r} holds no numbers: for groups, use --share {name}; where a decimal sign may be read in "
            f"two ways, --decimal"
        )
    return found


def _members(table: pd.DataFrame, name: str) -> NDArray[np.bool_]:
    values = _numbers(table, name)
    if not np.isin(values, (0.0, 1.0)).all():
        raise InvalidInputError(
            f"--share {name}: the column holds other numbers than 0 and 1: for groups, write --share {name} alone"
        )
    return np.asarray(values == 1.0)


def _groups(table: pd.DataFrame, name: str) -> NDArray[np.str_]:
    return as_texts(_complete(table, name)).astype(str)


def _mask(column: pd.Series, k: int) -> NDArray[np.bool_]:
    """The pairs (n, k) that a column of clusters allows."""
    mask, texts = np.ones((len(column), k), dtype=bool), as_texts(column)
    for row in np.flatnonzero(column.notna()).tolist():
        parts = [part.removesuffix(".0") for part in re.split(r"[|,; ]+", texts[row].strip()) if part]
        if not all(part.isdecimal() and int(part) < k for part in parts):
            raise InvalidInputError(
                f"--allowed {column.name}: row {row} holds {texts[row]!r}, expected clusters from 0 to {k - 1}, "
                f"such as {k - 1} or 0|{k - 1}, or nothing"
            )
        if parts:
            mask[row] = False
            mask[row, [int(part) for part in parts]] = True
    return mask
