"""Local models in the cells of any strategy: what the cells are worth beyond their shares of the classes.

On the training rows of a fold, once for all methods:  the columns of `LinearBasis` with splines and log-odds, and a
logistic regression on them, without words and dates that tell the classes apart no better than chance. In every cell of
every start:  a deviation from it, shrunk towards it (`PooledLogisticRegression`), with the penalties `PENALTY` and
`LOCAL_PENALTY`. Held-out rows are scored by the mean over the starts.

The penalties are the same for every table, so that the figures of all methods are comparable and nothing is chosen
on held-out rows; `LocalModelSearch` chooses them for one table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ..classifiers import ConditionalMeanEncoder
from ..classifiers.encoders.roles import columns_of_its_date
from ..classifiers.linear.basis import LinearBasis
from ..classifiers.linear.pooled import PooledLogisticRegression
from ..classifiers.local_collection import fit_collection
from ..datasets.dataset import Dataset
from ..solvers.cells import Cells

PENALTY, LOCAL_PENALTY = 30.0, 30.0  # Penalties of the model of all rows and of the deviations of cells.


def informative(X: pd.DataFrame, codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Places of the columns of X without those of words, and of dates, that `ConditionalMeanEncoder` leaves out."""
    encoder = ConditionalMeanEncoder().fit(X, codes)
    doubtful = [t.kind == "category" or c > 1 for t, c in zip(encoder.tables_, columns_of_its_date(X.columns))]
    left_out = {t.name for t, doubt in zip(encoder.tables_, doubtful) if doubt} & set(encoder.uninformative_)
    kept = [j for j, table in enumerate(encoder.tables_) if table.name not in left_out]
    return np.array(kept or range(len(encoder.tables_)), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class FoldColumns:
    """The columns of one fold and the model of all its training rows."""

    inside: NDArray[np.float64]
    outside: NDArray[np.float64]
    codes: NDArray[np.int64]
    pooled: PooledLogisticRegression

    @classmethod
    def of(cls, data: Dataset, codes: NDArray[np.int64], train: NDArray[np.int64], test: NDArray[np.int64]) -> Self:
        """Learnt from the training rows of the table, without words and dates that do not tell their classes apart."""
        X = data.X
        kept = informative(X.iloc[train], codes[train])
        basis = LinearBasis("spline", log_odds=True)
        inside = basis.fit_transform(X.iloc[train, kept], codes[train])
        pooled = PooledLogisticRegression(PENALTY, LOCAL_PENALTY).fit(inside, codes[train])
        return cls(inside, basis.transform(X.iloc[test, kept]), codes[train], pooled)

    def scores(
        self, cells: Sequence[Cells], cell_indices: NDArray[np.int64], held_out: Any, covariates: ArrayLike | None
    ) -> NDArray[np.float64]:
        """Scores (n_test, C) of the held-out rows: the mean over local models in the cells of every start."""
        total = np.zeros((len(self.outside), len(self.pooled.classes_)))
        for part, cell_index in zip(cells, cell_indices):
            models = fit_collection(
                self.pooled, cell_index, part.diagram.n_clusters, self.inside, self.codes, self.pooled.classes_
            )
            total += models.probabilities(self.outside, part.predict(held_out, covariates)) / len(cells)
        return total
