"""The points of a study of bounds: of a table alone as `partitope cluster` takes them, or of a table with two classes.

With two classes, rows are split into training and test part (the published split where there is one) and encoded by
conditional means that are learnt on the training part; what clusters say is then tested on the other part.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from ...base.errors import InvalidInputError
from ...classifiers import ConditionalMeanEncoder
from ...classifiers.encoders.table_cleaner import clean
from ...cluster.table_encoder import TableEncoder
from ...datasets.dataset import Dataset
from ...output.report import data_record


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Classes of the training points, and points to test on."""

    y: NDArray  # (n,): Classes of the training points, two values.
    X: NDArray[np.float64]  # (m, d)
    truth: NDArray[np.bool_]  # (m,): Whether a test point is of the second class.


@dataclass(frozen=True, eq=False)
class StudiedPoints:
    """What is clustered, and how a report names it."""

    X: NDArray[np.float64]  # (n, d)
    name: str  # Name of the table.
    lead: str  # Description of the points, as a sentence.
    held_out: HeldOut | None = None  # Held-out points, where there are two classes.
    notes: tuple[str, ...] = ()  # Remarks on how columns were used.
    left_out: tuple[str, ...] = ()  # Requested parts that are not shown.
    record: dict[str, object] = field(default_factory=dict)  # Description of the table for JSON.

    @classmethod
    def of_table(
        cls,
        table: pd.DataFrame,
        name: str,
        encoder: TableEncoder,
        remarks: Iterable[str] = (),
        left_out: tuple[str, ...] = (),
    ) -> StudiedPoints:
        """Points of a cleaned table (n, d) without a class, or whose classes are ``left_out``."""
        X = encoder.fit_transform(table)
        lead = f"{len(X)} rows, {table.shape[1]} columns; no class."
        notes = (*remarks, *encoder.remarks())
        record = {"name": name, "rows": len(X), "target": None, "notes": [*left_out, *notes]}
        return cls(X, name, lead, None, notes, left_out, record)

    @classmethod
    def of_classes(cls, data: Dataset, seed: int) -> StudiedPoints:
        """Training points of a data set with two classes, and its test points."""
        train, test = _parts(clean(data), seed)
        if len(train.classes) != 2:
            raise InvalidInputError(
                f"{data.target_name} has {len(train.classes)} classes in the training rows: the study needs two"
            )
        encoder = ConditionalMeanEncoder()
        X = encoder.fit_transform(train.X, train.y)
        held_out = HeldOut(train.y, encoder.transform(test.X), test.y == train.classes[1])
        lead = (
            f"{len(data.y)} rows, {data.X.shape[1]} features, target {data.target_name}; {len(X)} training rows. "
            f"{data.description}"
        )
        notes = data.notes if data.cleaner is None else (data.cleaner.summary(), *data.notes)
        return cls(X, data.name, lead.strip(), held_out, notes, record=data_record(data))


def _parts(data: Dataset, seed: int) -> tuple[Dataset, Dataset]:
    if data.split is not None:
        return data.train, data.test
    smallest = min(np.unique(data.y, return_counts=True)[1])
    if smallest < 2:
        raise InvalidInputError(f"{data.target_name} has a class of {smallest} row: the study needs rows to test on")
    rows = np.arange(len(data.y))
    train, test = train_test_split(rows, test_size=0.3, stratify=data.y, random_state=seed)
    return data.rows(train), data.rows(test)
