"""Raw tables made ready for encoding: columns are read by their roles, and those without information left out."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from ...base.atomic_fit import AtomicFit
from ...base.checks import instance_of, listed, one_of
from ...base.columns import MixedTable, as_frame, as_numbers
from ...base.errors import InvalidInputError
from ...base.number_texts import read_numbers
from ...datasets.dataset import Dataset
from ...datasets.tables import listing
from .find_role import find_role, names_rows
from .leaks import gives_away
from .roles import DECLARED, LARGEST, ColumnRole, Reading, trimmed_texts


class NoColumnLeftError(InvalidInputError):
    """No column of a table is left: all name rows, are constant, or are left out."""


@dataclass(eq=False, repr=False, kw_only=True)
class TableCleaner(AtomicFit, MixedTable, TransformerMixin, BaseEstimator):
    """Find the role of every column, read it accordingly, and leave out columns that carry no information.

    Parameters
    ----------
    types : mapping of column name to role, optional
        Overrules what is found: "number", "category", "date" (or "date:%d/%m/%Y"), "identifier" or "text".
    drop : sequence of column names, optional
        Columns to leave out.
    identifiers : sequence of column names, optional
        Columns that name the rows; left out.
    decimal : {".", ","}, optional
        The decimal sign of numbers written as texts; None decides column by column.

    Attributes
    ----------
    roles_ : list of ColumnRole
        One per column: role, changes, and how new entries are read.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Raises
    ------
    InvalidInputError
        From ``fit``: a name that is not a column, a role that is not known or not possible, no column left.

    Notes
    -----
    Looks at no class, and only at the training table: new tables are read by the roles that were found there. Linear
    in the number of entries but for sorting them.

    Examples
    --------
    >>> import pandas as pd
    >>> from partitope.classifiers import TableCleaner
    >>> table = pd.DataFrame({"price": ["$1,200.50", "$3", "?"], "day": ["31.01.2024", "01.02.2024", "02.02.2024"]})
    >>> cleaner = TableCleaner(types={"day": "date:%d.%m.%Y"}).fit(table)
    >>> cleaner.transform(table)["price"].tolist()
    [1200.5, 3.0, nan]
    >>> cleaner.lines()[0]
    'column price: numbers with the sign $'
    """

    types: Mapping[object, str] | None = None
    drop: Sequence[object] = ()
    identifiers: Sequence[object] = ()
    decimal: str | None = None
    stored: ClassVar[tuple[str, ...]] = ("roles_",)

    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Find the roles of the columns of X (n, d); y is not looked at.

        Returns
        -------
        self
        """
        frame = as_frame(self, X, reset=True)
        one_of(self.decimal, "decimal", (None, ".", ","))
        declared = self._declared([str(name) for name in frame.columns])
        default = usual_decimal(frame)
        self.roles_ = [
            find_role(frame.iloc[:, f], declared.get(str(name)), self.decimal, default)
            for f, name in enumerate(frame.columns)
        ]
        if not any(role.kept for role in self.roles_):  # numbers that count the rows may be all there is
            for f, role in enumerate(self.roles_):
                column = frame.iloc[:, f]
                free = role.name not in declared and role.role == "identifier" and not names_rows(role.name)
                if free and as_numbers(column) is not None:
                    self.roles_[f] = find_role(column, "number", self.decimal, default)
        if not any(role.kept for role in self.roles_):
            raise NoColumnLeftError(
                f"no column is left (n_samples={len(frame)}): {'; '.join(role.line for role in self.roles_[:3])}"
                f"{'; ...' if len(self.roles_) > 3 else ''}: declare one (--types name=category) or add columns"
            )
        return self

    def fit_transform(self, X: ArrayLike, y: ArrayLike | None = None) -> pd.DataFrame:
        """Fit, and the cleaned training table."""
        self.fit(X)
        return self._read(as_frame(self, X, reset=False))[0]

    def transform(self, X: Any) -> pd.DataFrame:
        """Columns that are kept: numbers as floats, categories as texts, None and NaN where missing.

        Warns
        -----
        UserWarning
            If a column of numbers or dates has other entries; they count as missing.
        """
        check_is_fitted(self, "roles_")
        frame, readings = self._read(as_frame(self, X, reset=False))
        for role, reading in readings:
            if reading.unread.any():
                warnings.warn(_unread_line(role, reading), UserWarning, stacklevel=2)
        return frame

    def lines(self) -> list[str]:
        """What was found or changed, one line for each column of which there is something to say."""
        check_is_fitted(self, "roles_")
        return [role.line for role in self.roles_ if role.remark]

    def summary(self) -> str:
        """How many columns have which role, in one line."""
        check_is_fitted(self, "roles_")
        counts = Counter(role.role for role in self.roles_)
        plural = {"category": "categories", "empty": "empty", "refused": "refused", "dropped": "dropped"}
        names = [f"{n} {role if n == 1 else plural.get(role, role + 's')}" for role, n in counts.items()]
        return f"columns: {', '.join(names)}"

    def findings(self, X: pd.DataFrame) -> list[str]:
        """What a new table holds that training did not, one line per column, with counts; empty when all is known.

        Parameters
        ----------
        X : (m, d) DataFrame
            With all columns of the training table, in any order, and others.

        Raises
        ------
        InvalidInputError
            When a column that is needed is absent.
        """
        self._require_columns(X)
        lines = []
        names = {role.name for role in self.roles_}
        for role in self.roles_:
            if not role.kept:
                continue
            reading = role.read(X[role.name])
            if reading.unread.any():
                lines.append(_unread_line(role, reading))
            if reading.unseen.any():
                lines.append(_unseen_line(role, reading))
            if X[role.name].isna().all():
                lines.append(f"column {role.name}: no entry, all read as missing")
        extra = [str(name) for name in X.columns if str(name) not in names]
        if extra:
            some = ", ".join(extra[:5]) + (", ..." if len(extra) > 5 else "")
            lines.append(f"{len(extra)} column{'s' if len(extra) > 1 else ''} that training did not have: {some}")
        return lines

    def aligned(self, X: pd.DataFrame) -> pd.DataFrame:
        """The columns of training in their order; those that are left out anyway may be absent.

        Raises
        ------
        InvalidInputError
            When a column that is needed is absent.
        """
        self._require_columns(X)
        columns = {r.name: X[r.name] if r.name in X.columns else None for r in self.roles_}
        return pd.DataFrame(columns, index=X.index)

    def _require_columns(self, X: Any) -> None:
        check_is_fitted(self, "roles_")
        instance_of(X, "X", pd.DataFrame, "pass a table with the columns of training")
        needed = [role.name for role in self.roles_ if role.kept and role.name not in X.columns]
        if needed:
            more = f" and {len(needed) - 1} more columns" if len(needed) > 1 else ""
            near = [repr(str(name)) for name in X.columns if _letters(name) == _letters(needed[0])]
            what = f"rename {near[0]}" if near else "add it"
            raise InvalidInputError(f"the table has no column {needed[0]!r}{more}, which the model needs: {what}")

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """Names of the output columns: those of the kept ones, ``name: part`` for the parts of a date."""
        check_is_fitted(self, "roles_")
        return np.array([name for role in self.roles_ for name in role.names], dtype=object)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _declared(self, names: list[str]) -> dict[str, str]:
        """Role that the user gave, by column name; "dropped" for columns to leave out."""
        types = {} if self.types is None else self.types
        instance_of(types, "types", Mapping, "pass roles by column name")
        declared = {str(name): str(role) for name, role in types.items()}
        for name, role in declared.items():
            if role.partition(":")[0] not in DECLARED or (":" in role and not role.startswith("date:")):
                raise InvalidInputError(
                    f"role {role!r} of column {name!r} is not known: choose one of {', '.join(DECLARED)}"
                )
        declared |= {str(name): "identifier" for name in listed(self.identifiers, "identifiers", "column names")}
        declared |= {str(name): "dropped" for name in listed(self.drop, "drop", "column names")}
        unknown = [name for name in declared if name not in names]
        if unknown:
            raise InvalidInputError(f"{unknown[0]!r} is not a column: columns are {listing(names)}")
        return declared

    def _read(self, frame: pd.DataFrame) -> tuple[pd.DataFrame, list[tuple[ColumnRole, Reading]]]:
        kept = [(role, role.read(frame.iloc[:, f])) for f, role in enumerate(self.roles_) if role.kept]
        columns = [pd.Series(values, index=frame.index) for _, reading in kept for values in reading.columns]
        return pd.concat(columns, axis=1, keys=list(self.get_feature_names_out())), kept


def clean(data: Dataset, cleaner: TableCleaner | None = None) -> Dataset:
    """A data set whose features are read by their roles; one that has been cleaned stays as it is."""
    if data.cleaner is not None:
        return data
    cleaner = TableCleaner() if cleaner is None else cleaner
    X = cleaner.fit_transform(data.X)
    lines = (*cleaner.lines(), *gives_away(X, data.y, str(data.target_name)))
    return replace(data, X=X, raw=data.X, cleaner=cleaner, notes=(*data.notes, *lines))


def _letters(name: object) -> str:
    """A name without what people change in it: capitals, blanks and signs."""
    return re.sub(r"[\W_]+", "", str(name)).casefold()


def usual_decimal(frame: pd.DataFrame) -> str | None:
    """The decimal sign of the columns of numbers that leave no choice, where they have the same one."""
    signs = set()
    for _, column in frame.items():
        if as_numbers(column) is None and not pd.api.types.is_bool_dtype(column.dtype):
            found = read_numbers(trimmed_texts(column))
            if found.sure and np.isfinite(found.values).sum() > found.unread.sum():
                signs.add(found.decimal)
    return signs.pop() if len(signs) == 1 else None


def _unseen_line(role: ColumnRole, reading: Reading) -> str:
    count = int(reading.unseen.sum())
    entries = f"column {role.name}: {count} of {len(reading.unseen)} entries"
    if role.role == "number":
        (low, high), example = role.limits, reading.columns[0][reading.unseen][0]
        are = "is" if count == 1 else "are"
        return f"{entries} {are} far from those of training, {low:g} to {high:g} ({example:g})"
    return f"{entries} {'was' if count == 1 else 'were'} not in training ({reading.example(reading.unseen)})"


def _unread_line(role: ColumnRole, reading: Reading) -> str:
    count = int(reading.unread.sum())
    which = f"is not a {role.role}" if count == 1 else f"are not {role.role}s"
    return (
        f"column {role.name}: {count} of {len(reading.unread)} entries {which} "
        f"({reading.example(reading.unread) or f'beyond {LARGEST:g}'}), read as missing"
    )
