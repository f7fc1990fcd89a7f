"""The table a command works on: one way to read it, one way to say what was made of its columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from ..base.errors import InvalidInputError
from ..base.record import Record
from .options import READING, Printing, columns, option

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray
    from sklearn.base import BaseEstimator

    from ..base.outlines import Outlines
    from ..datasets.dataset import Dataset


@dataclass(frozen=True)
class FileReading:
    """How a file of rows is to be read, as the options say."""

    decimal: Annotated[str | None, option(READING, "Decimal sign of the table: '.' or ','.", metavar="SIGN")] = None
    encoding: Annotated[
        str | None, option(READING, "Encoding of a text file, such as latin-1; default: UTF-8.", metavar="NAME")
    ] = None
    sheet: Annotated[str | None, option(READING, "Name or number of the sheet of an Excel file.", metavar="SHEET")] = (
        None
    )

    @property
    def file_options(self) -> Record:
        """What the reader of files takes."""
        return {"encoding": self.encoding, "sheet": self.sheet, "decimal": self.decimal}

    def refuse_without_table(self) -> None:
        """Refuse options for a file where none is read."""
        for name, value in self.file_options.items():
            if value is not None:
                raise InvalidInputError(f"--{name} {value} was given without a file to read: name one, or leave it out")


@dataclass(frozen=True)
class Reading(FileReading):
    """How the columns of a file are to be read, too."""

    drop: Annotated[list[str] | None, columns(READING, "Column to leave out.")] = None
    identifiers: Annotated[
        list[str] | None, columns(READING, "Column that names the rows; it is written next to the clusters.", "--id")
    ] = None
    types: Annotated[
        list[str] | None,
        columns(
            READING,
            "Role of a column, if the detected one is wrong: number, category, date, date:%d/%m/%Y, identifier "
            "or text.",
            metavar="COLUMN=ROLE",
        ),
    ] = None

    @property
    def roles(self) -> dict[str, str]:
        """Role by column, as --types says."""
        pairs = [entry.rpartition("=") for entry in self.types or ()]
        wrong = [whole for whole, (name, _, _) in zip(self.types or (), pairs) if not name]
        if wrong:
            raise InvalidInputError(f"--types {wrong[0]!r} is not usable: write column=role, such as zip=category")
        return {name: role for name, _, role in pairs}

    def cleaner(self, others: Sequence[str] = (), numbers: Sequence[str] = (), names: Sequence[str] = ()) -> Any:
        """An unfitted `TableCleaner` of the features. Options may name columns that are ``others``; ``numbers`` are
        numbers by default, and ``names`` name the rows."""
        from ..classifiers import TableCleaner

        roles = dict.fromkeys(numbers, "number") | self.roles
        return TableCleaner(
            types={name: role for name, role in roles.items() if name not in others},
            drop=[name for name in self.drop or () if name not in others],
            identifiers=[name for name in (*(self.identifiers or ()), *names) if name not in others],
            decimal=self.decimal,
        )

    def names_of_rows(self, table: pd.DataFrame, others: Sequence[str]) -> list[str]:
        """Columns of different whole numbers from 0 that neither options nor a map make coordinates."""
        from ..classifiers.encoders.find_role import FEWEST
        from ..cluster.map_columns import map_columns

        asked = {*self.roles, *(self.drop or ()), *(self.identifiers or ()), *others}
        asked |= {name for pair in map_columns(list(table.columns)) for name in pair}
        whole = [name for name in table.columns if table[name].dtype.kind in "iu" and name not in asked]
        return [name for name in whole if len(table) >= FEWEST and table[name].is_unique and table[name].min() >= 0]

    def cleaner_of(
        self, table: pd.DataFrame, others: Sequence[str] = (), numbers: Sequence[str] = (), stated: bool = False
    ) -> tuple[Any, list[str], bool]:
        """The cleaner of a table, the columns that it takes for names of rows, and whether none is left to cluster by;
        where nothing is ``stated`` either, such columns are coordinates."""
        names = self.names_of_rows(table, numbers)
        bare = not has_columns(table, self.cleaner(others, numbers, names))
        names = [] if bare and not stated else names
        return self.cleaner(others, numbers, names), names, bare

    def read_others(self, table: pd.DataFrame) -> pd.DataFrame:
        """Columns that are not features: as numbers or names where --types says so, else as the file holds them."""
        from ..base.columns import as_texts
        from ..classifiers.encoders.find_role import find_role

        read = table.copy()
        for name, role in self.roles.items():
            if name not in table.columns:
                continue
            if role not in ("number", "category", "identifier", "text"):
                raise InvalidInputError(f"--types {name}={role}: another option names it: write number or category")
            column = table[name]
            number = role == "number"
            read[name] = find_role(column, role, self.decimal).read(column).columns[0] if number else as_texts(column)
        return read


def has_columns(features: pd.DataFrame, cleaner: Any) -> bool:
    """Whether a cleaner leaves any column to cluster by."""
    from ..classifiers.encoders.table_cleaner import NoColumnLeftError

    try:
        return bool(features.shape[1]) and bool(cleaner.fit(features))
    except NoColumnLeftError:
        return False


def counted_line(names: Sequence[str], n: int) -> list[str]:
    """A line on columns that were taken for names of the n rows without being declared; none without such columns."""
    again = f"--types {''.join(names[:1])}=number clusters by it"
    return [f"{', '.join(names)}: taken as row ids, since all {n} whole numbers differ ({again})."] if names else []


def without_rare_classes(data: Dataset, folds: int) -> Dataset:
    """The rows of the classes that have one for every fold; a note says which are left out."""
    from dataclasses import replace

    import numpy as np

    classes, codes, counts = np.unique(data.y, return_inverse=True, return_counts=True)
    rare = counts < folds
    if not rare.any() or np.count_nonzero(~rare) < 2:
        return data
    names = ", ".join(f"{name} ({count})" for name, count in zip(classes[rare][:5], counts[rare]))
    more = f" and {np.count_nonzero(rare) - 5} more" if np.count_nonzero(rare) > 5 else ""
    note = f"classes with fewer rows than the {folds} folds are left out: {names}{more}"
    return replace(data.rows(~rare[codes]), notes=(*data.notes, note))


def load_data(
    table: str | Path | None,
    target: str | None,
    covariates: list[str] | None,
    reading: Reading,
    *,
    unlabelled: bool = False,
) -> Dataset:
    """Cleaned data set of a file and its target, of a name ("census", "german"), or the embedded default, without the
    covariate columns; ``unlabelled`` keeps rows without a class."""
    from dataclasses import replace

    from ..classifiers.encoders.table_cleaner import clean
    from ..datasets import load_dataset, load_table

    names = list(dict.fromkeys(covariates or ()))
    cleaner = reading.cleaner(others=[*names, *([] if target is None else [target])])
    if table is None or is_named(table):
        reading.refuse_without_table()
        data = load_dataset("breast_cancer" if table is None else str(table).replace("-", "_"))
        if target not in (None, data.target_name):
            raise InvalidInputError(
                f"--target {target} was given for {data.name}, whose target is fixed: leave it out, or name a file"
            )
    else:
        if target is None:
            raise InvalidInputError(f"--target is missing: name the class column of {table}")
        role = reading.roles.get(target, "category")
        if role != "category" or target in (*(reading.drop or ()), *(reading.identifiers or ())):
            raise InvalidInputError(f"column {target!r} is the target, a class: name it in no --drop, --id or --types")
        data = load_table(table, target, unlabelled=unlabelled, **reading.file_options)
    for name in names:
        if name not in data.X.columns:
            raise InvalidInputError(f"--covariates {name!r} is not a column: columns are {', '.join(data.X.columns)}")
    if names:
        features = data.X.drop(columns=names)
        if not features.shape[1]:
            raise InvalidInputError("--covariates names every column: leave at least one to cluster by")
        data = replace(data, X=features, covariates=reading.read_others(data.X[names]))
    return clean(data, cleaner)


def load_features(table: Path, reading: FileReading) -> tuple[str, pd.DataFrame]:
    """Name and columns of a file without a target, as the file holds them, without rows that are not records."""
    from ..datasets.table_reader import read_with_notes
    from ..datasets.tables import check_finite
    from ..output.terminal import note

    frame, notes = read_with_notes(table, **reading.file_options)
    for line in notes:
        note(line)
    empty = frame.isna().all(axis=1)
    if empty.any() and not empty.all():
        note(f"{int(empty.sum())} of {len(frame)} rows hold no entry and are left out; row numbers count the others")
        frame = frame[~empty].reset_index(drop=True)
    check_finite(frame)
    return table.name, frame


def edges_of(path: Path, table: pd.DataFrame, source: Path, reading: Reading, areas: Outlines | None) -> NDArray:
    """Pairs (e, 2) of rows of a table: neighbours on a map (``areas`` if known), or the first two columns of a file:
    entries of its --id, or row numbers; with weights (e, 3) where a third column holds numbers, and of a map."""
    import numpy as np
    import pandas as pd

    from ..base.columns import as_texts, written_numbers
    from ..datasets.table_reader import read_with_notes
    from ..output.terminal import note

    if is_map(path):
        return (areas or outlines_of(path, table, source, reading, "--connected")).borders
    pairs = read_with_notes(path, **reading.file_options | {"sheet": None})[0]
    weights = written_numbers(pairs.iloc[:, 2], reading.decimal) if pairs.shape[1] > 2 else None
    unused = list(map(str, pairs.columns[2 if weights is None else 3 :]))
    if weights is not None:
        note(f"--connected {path.name}: {pairs.columns[2]} is the weight of an edge, for --objective cut")
    if unused:
        note(f"--connected {path.name}: {', '.join(unused)} is not used: edges are two columns, and a number as weight")
    if pairs.shape[1] < 2:
        raise InvalidInputError(f"--connected {path.name} has {pairs.shape[1]} columns, expected two: neighbours")
    known, names = names_of(table, reading, "--connected")
    ends = [pd.Index(as_texts(pairs.iloc[:, side]).astype(str)) for side in (0, 1)]
    rows = [names.get_indexer(end) for end in ends]
    for end, row in zip(ends, rows):
        if (row < 0).any():
            wanted = ends[0].union(ends[1])
            fit = [name for name in table if wanted.isin(as_texts(table[name]).astype(str)).all()]
            todo = "change one of them" if reading.identifiers or not fit else f"--id {fit[0]} holds all of its entries"
            raise InvalidInputError(
                f"--connected {path.name} holds {end[row < 0][0]!r}, not {known} of the table: {todo}"
            )
    found = np.column_stack(rows).astype(np.int64)
    return found if weights is None else np.column_stack([found, weights])


def is_map(path: Path | None) -> bool:
    """Whether a file is GeoJSON, by its name."""
    return path is not None and path.name.lower().removesuffix(".gz").endswith((".geojson", ".json"))


def names_of(table: pd.DataFrame, reading: Reading, option: str) -> tuple[str, pd.Index]:
    """What names the rows of a table in another file, and these names: entries of --id, or row numbers."""
    import pandas as pd

    from ..base.columns import as_texts

    if not reading.identifiers:
        return "a row number", pd.Index([str(row) for row in range(len(table))])
    known = reading.identifiers[0]
    if known not in table.columns:
        raise InvalidInputError(f"--id {known!r} is not a column: columns are {', '.join(map(str, table.columns))}")
    names = pd.Index(as_texts(table[known]).astype(str))
    if names.has_duplicates:
        twice = names[names.duplicated()][0]
        raise InvalidInputError(f"--id {known} holds {twice!r} twice, which {option} cannot tell apart: name another")
    return known, names


def outlines_of(path: Path, table: pd.DataFrame, source: Path, reading: Reading, option: str) -> Outlines:
    """The outlines of the rows of a table from a GeoJSON file: all where it is the ``source`` of the table, features
    with its --id, or else as many as there are rows, in their order."""
    import pandas as pd

    from ..base.columns import as_texts
    from ..base.outlines import Outlines
    from ..datasets.table_reader import as_written, checked_file
    from ..output.terminal import note

    outlines = Outlines.read(checked_file(path)[0])
    if path.samefile(source):
        return outlines
    properties = pd.DataFrame(outlines.properties, dtype=object)
    if not reading.identifiers and len(outlines.rings) == len(table):
        for name in (name for name in table.columns if name in properties):
            for row, (own, other) in enumerate(zip(as_texts(table[name]), as_texts(as_written(properties[name])))):
                if own != other:
                    raise InvalidInputError(
                        f"{option} {path.name} has {other!r} as {name} of area {row}, and the table {own!r}: name with "
                        f"--id a column that is a property, too, or rename one of the two"
                    )
        note(f"{option} {path.name}: without --id, rows and areas are paired in their order")
        return outlines
    known, names = names_of(table, reading, option)
    if known not in properties:
        raise InvalidInputError(
            f"{option} {path.name} has {len(outlines.rings)} areas for {len(table)} rows, and their properties are "
            f"{', '.join(map(str, properties)) or 'none'}: name with --id a column of the table that is one"
        )
    areas = pd.Index(as_texts(properties[known]).astype(str))
    missing, twice = names[~names.isin(areas)], areas[areas.duplicated() & areas.isin(names)]
    if len(missing) or len(twice):
        what = f"no area {missing[0]!r}" if len(missing) else f"the area {twice[0]!r} twice"
        raise InvalidInputError(f"{option} {path.name} has {what} by {known}, expected one per row: correct the file")
    return outlines.rows([areas.get_loc(name) for name in names])


@contextmanager
def rows_named(
    table: pd.DataFrame, identifiers: Sequence[str] | None, options: Mapping[str, str] | None = None
) -> Iterator[None]:
    """Let messages about points name rows of the table: by the entry of --id, or by the row number; and arguments by
    the option that says them, longer names first."""
    from ..base.errors import PartitopeError

    column = next((name for name in identifiers or () if name in table.columns), None)
    try:
        yield
    except PartitopeError as error:
        name = (lambda row: row) if column is None else lambda row: str(table[column].iloc[int(row)])
        word = "row" if column is None else column
        text, said = str(error), options or {}
        named = "|".join(re.escape(argument) for argument in sorted(said, key=len, reverse=True))
        if named:
            text = re.sub(rf"(?<![\w-])({named})(?![\w\[])(=?)", lambda at: said[at[1]] + " " * len(at[2]), text)
        text = re.sub(
            r"\bpoints? (\[?\d+(?:(?:, | and )\d+)*)(?!\d| more|\.\.)",
            lambda found: f"{word} {re.sub(r'[0-9]+', lambda row: name(row.group()), found[1])}",
            text,
        )
        error.args = (text, *error.args[1:])
        raise


def is_named(table: str | Path) -> bool:
    """Whether a word names a data set and no file."""
    from ..datasets import DATASETS

    return str(table).replace("-", "_") in DATASETS and not Path(table).exists()


def tell_columns(data: Dataset, printing: Printing) -> None:
    """Report how the columns of a table were used, one line each."""
    if data.cleaner is not None:
        printing.say([data.cleaner.summary(), *data.notes])


def tell_findings(model: BaseEstimator, table: pd.DataFrame) -> None:
    """Say what a new table holds that the training table of a model did not, one line per column."""
    from ..output.terminal import note

    cleaner = getattr(model, "cleaner_", None)
    if cleaner is None:
        return
    known = {getattr(model, "target_name_", None), *(getattr(model, "covariate_names_", None) or ())}
    for line in cleaner.findings(table.drop(columns=[name for name in table.columns if name in known])):
        note(line)
