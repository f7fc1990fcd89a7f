"""The clusters of a table, and the cluster of a new row: columns by their roles, then as points, then cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..base.errors import InvalidInputError
from ..classifiers import TableCleaner
from ..solvers.embedding import Cells
from .balanced_k_means import BalancedKMeans
from .table_encoder import TableEncoder

FORMAT, VERSION = "partitope.ClusterModel", 1


@dataclass(frozen=True, eq=False)
class ClusterModel:
    """A fitted cleaner, a fitted encoder and fitted cells.

    Attributes
    ----------
    cleaner_ : TableCleaner
        The role of every column of the table.
    encoder : TableEncoder
        Cleaned rows as points.
    cells : Cells
        Which cluster a point belongs to.
    centres : (k, p) ndarray
        Means of the clusters, as points.
    """

    cleaner_: TableCleaner
    encoder: TableEncoder
    cells: Cells
    centres: NDArray[np.float64]

    target_name_: ClassVar[None] = None
    covariate_names_: ClassVar[None] = None

    @classmethod
    def fit(
        cls, table: pd.DataFrame, estimator: BalancedKMeans, cleaner: TableCleaner | None = None
    ) -> tuple[Self, NDArray[np.float64]]:
        """The model of a table and its points (n, p), after cleaner and estimator were fitted on them."""
        cleaner = TableCleaner() if cleaner is None else cleaner
        cleaned, encoder = cleaner.fit_transform(table), TableEncoder()
        points = encoder.fit(cleaned).transform(cleaned)
        estimator.fit(points)
        return cls(cleaner, encoder, estimator.partition_.require_cells(), estimator.cluster_centers_), points

    @property
    def feature_names_in_(self) -> NDArray[np.object_]:
        """Columns (d,) of the table that was clustered."""
        return self.cleaner_.feature_names_in_

    @property
    def n_features_in_(self) -> int:
        """Number d of columns of the table that was clustered."""
        return self.cleaner_.n_features_in_

    def predict(self, table: pd.DataFrame) -> pd.DataFrame:
        """Cluster, distance to the nearest wall and distance to the centre of every row.

        Parameters
        ----------
        table : (m, d) DataFrame
            The columns of the fit, in its order.

        Returns
        -------
        (m, 3) DataFrame
            Columns ``cluster``, ``wall_distance`` and ``centre_distance``; distances are those of the encoded rows.
        """
        points = self.encoder.transform(self.cleaner_.transform(table))
        return self.describe(points, self.cells.predict(points))

    def describe(self, points: NDArray[np.float64], labels: NDArray[np.int64]) -> pd.DataFrame:
        """The table of `predict` for points (m, p) with known clusters (m,)."""
        to_centre = np.linalg.norm(points - self.centres[labels], axis=1)
        walls = self.cells.diagram.margin(points, labels)
        return pd.DataFrame({"cluster": labels, "wall_distance": walls, "centre_distance": to_centre})

    def to_dict(self) -> dict[str, Any]:
        """The model as plain lists, numbers and texts, fit for JSON; the inverse is `from_dict`."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "cleaner": self.cleaner_.to_dict(),
            "encoder": self.encoder.to_dict(),
            "centres": self.centres.tolist(),
            **self.cells.to_dict(),
        }

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> Self:
        """The model from `to_dict`: predicts as the one that was stored.

        Raises
        ------
        InvalidInputError
            When the state is of another format or version, or damaged.
        """
        if state.get("format") != FORMAT or state.get("version") != VERSION:
            raise InvalidInputError(
                f"the state is {state.get('format')!r} {state.get('version')!r}, expected {FORMAT!r} {VERSION}: "
                f"cluster the table again"
            )
        try:
            cleaner, cells = TableCleaner.from_dict(state["cleaner"]), Cells.from_dict(state)
            encoder = TableEncoder.from_dict(state["encoder"])
            centres = np.array(state["centres"], dtype=np.float64)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InvalidInputError(f"the state is damaged ({error}): cluster the table again") from error
        wanted = (cells.diagram.n_clusters, len(encoder.get_feature_names_out()))
        if centres.shape != wanted or cells.diagram.sites.shape != wanted or not np.isfinite(centres).all():
            raise InvalidInputError(f"centres have shape {centres.shape}, expected finite {wanted}: cluster again")
        if list(cleaner.get_feature_names_out()) != [column["name"] for column in encoder.columns_]:
            raise InvalidInputError("the encoder has other columns than the cleaner gives: cluster the table again")
        return cls(cleaner, encoder, cells, centres)
