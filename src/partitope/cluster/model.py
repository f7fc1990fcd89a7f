"""The clusters of a table, and the cluster of a new row: columns by their roles, then as points, then cells."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ..base.checks import checked_labels, finite_rows, instance_of
from ..base.errors import InvalidInputError
from ..classifiers import TableCleaner
from ..models.polytope.polytope import PartitionPolytope
from ..solvers.cells import Cells, WithAttributes
from ..solvers.geometric.partitioner import GeometricPartitioner
from .balanced_k_means import BalancedKMeans
from .further import Further
from .table_encoder import TableEncoder


@dataclass(frozen=True, eq=False)
class ClusterModel:
    """A fitted cleaner, a fitted encoder and fitted cells."""

    cleaner_: TableCleaner  # The role of every column of the table.
    encoder: TableEncoder  # Cleaned rows as points.
    cells: Cells  # Cells that assign points to clusters.
    centres: NDArray[np.float64]  # (k, p): Means of the clusters, as points.
    further: Further = field(default_factory=Further)  # Bounds on side columns, which the cells then depend on.

    target_name_: ClassVar[None] = None

    @property
    def covariate_names_(self) -> list[str] | None:
        """Columns that new rows need besides those that were clustered; None if there are no such columns."""
        return self.further.columns or None

    @classmethod
    def fit(
        cls,
        table: pd.DataFrame,
        estimator: BalancedKMeans | GeometricPartitioner,
        cleaner: TableCleaner | None = None,
        polytope: PartitionPolytope | None = None,
        further: Further | None = None,
        encoder: TableEncoder | None = None,
        start: NDArray[np.int64] | None = None,
    ) -> tuple[Self, NDArray[np.float64]]:
        """The model of a table and its points (n, p), after cleaner, encoder and estimator were fitted on them, within
        a polytope that also bounds further columns, from labels (n,) that keep it."""
        cleaner = TableCleaner() if cleaner is None else cleaner
        further = Further() if further is None else further
        instance_of(table, "table", pd.DataFrame)
        instance_of(cleaner, "cleaner", TableCleaner)
        instance_of(further, "further", Further)
        cleaned, encoder = cleaner.fit_transform(table), TableEncoder() if encoder is None else encoder
        points = encoder.fit(cleaned).transform(cleaned)
        estimator.fit(points, polytope=polytope, start=start)
        cells = estimator.partition_.require_cells()
        return cls(cleaner, encoder, cells, estimator.cluster_centers_, further), points

    @property
    def feature_names_in_(self) -> NDArray[np.object_]:
        """Columns (d,) of the table that was clustered."""
        return self.cleaner_.feature_names_in_

    @property
    def n_features_in_(self) -> int:
        """Number d of columns of the table that was clustered."""
        return self.cleaner_.n_features_in_

    def predict(self, table: pd.DataFrame, covariates: pd.DataFrame | None = None) -> pd.DataFrame:
        """Cluster, distance to the nearest boundary and to the centre (m, 3) of every row of a table (m, d), encoded;
        to boundaries together with the further columns, ``covariates`` (m, r)."""
        points = self.encoder.transform(self.cleaner_.transform(table))
        labels = self.cells.diagram.predict(self.images(points, covariates))
        return self.describe(points, labels, covariates)

    def images(self, points: NDArray[np.float64], covariates: pd.DataFrame | None) -> NDArray[np.float64]:
        """Points in the space of the cells."""
        embedding = self.cells.embedding
        if not isinstance(embedding, WithAttributes):
            return points
        if covariates is None:
            raise InvalidInputError(f"covariates are missing: the cells need {', '.join(self.further.columns)}")
        instance_of(covariates, "covariates", pd.DataFrame)
        return embedding(points, self.further.attributes(covariates, embedding.names))

    def describe(self, points: ArrayLike, labels: ArrayLike, covariates: pd.DataFrame | None = None) -> pd.DataFrame:
        """The table of `predict` for points (m, p) with known clusters (m,)."""
        k, p = self.centres.shape
        rows = finite_rows(points, "points", n_columns=p)
        clusters = checked_labels(labels, len(rows), k)
        to_centre = np.linalg.norm(rows - self.centres[clusters], axis=1)
        walls = self.cells.diagram.margin(self.images(rows, covariates), clusters)
        return pd.DataFrame({"cluster": clusters, "boundary_distance": walls, "centre_distance": to_centre})


def with_row_names(found: pd.DataFrame, table: pd.DataFrame, cleaner: TableCleaner) -> pd.DataFrame:
    """A result, one line per row of a table, with the columns of the table before it that name its rows."""
    names = [role.name for role in cleaner.roles_ if role.role == "identifier" and role.name in table.columns]
    return pd.concat([table[names].reset_index(drop=True), found.reset_index(drop=True)], axis=1)
