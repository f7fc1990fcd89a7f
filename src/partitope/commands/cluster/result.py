"""What `partitope cluster` found: a table, its clusters, and the figures by which they are judged."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import pairwise_distances_argmin_min

from ...base.outlines import Outlines
from ...base.record import Record
from ...cluster.balanced_k_means import BalancedKMeans
from ...cluster.map_columns import are_degrees, on_sphere
from ...cluster.model import ClusterModel, with_row_names
from ...cluster.table_encoder import ROUNDING, TableEncoder
from ...models.certificates.certificate import Certificate
from ...models.objectives.bound import Bound
from ...models.polytope.broken_bounds import BrokenBound, broken_bounds
from ...models.polytope.polytope import PartitionPolytope
from ...models.polytope.shares import Shares
from ...output.maps import Ground
from ...solvers.geometric.partitioner import GeometricPartitioner
from ...solvers.partition import Partition
from ..stated import bounded_sums


def ground_of(encoder: TableEncoder, table: pd.DataFrame, outlines: Outlines | None) -> Ground | None:
    """The map of cleaned rows by their outlines, or by the two columns of a map, if there are any of them; longitudes
    count from the mean of the sphere, without a jump."""
    pair = encoder.pair() if outlines is None else None
    if outlines is not None:
        return Ground.of(outlines.middles, outlines.axes, outlines.degrees, outlines)
    if pair is None:
        return None
    flat = np.column_stack([table[name].to_numpy(dtype=np.float64) for name in pair])
    if encoder.geo:
        middle = float(on_sphere(encoder.transform(table)[:, :3].mean(axis=0)[None, :])[1][0])
        flat[:, 0] = middle + (flat[:, 0] - middle + 180.0) % 360.0 - 180.0
    return Ground.of(flat, pair, are_degrees(pair) or bool(encoder.geo))


@dataclass(frozen=True, eq=False)
class ClusterResult:
    """The clusters of a table."""

    name: str  # Name of the table.
    table: pd.DataFrame  # (n, d): Its columns that were clustered.
    model: ClusterModel  # Encoder and cells.
    points: NDArray[np.float64]  # (n, p): Encoded rows.
    estimator: BalancedKMeans | GeometricPartitioner  # Fitted on the points.
    polytope: PartitionPolytope  # The size bounds.
    remarks: tuple[str, ...] = ()  # Changes to the table and columns left out.
    seed: int = 0  # Seed of the starts.
    bounded: pd.DataFrame | None = None  # (n, r): Side columns with bounds.
    evenness: Bound | None = None  # Interval around the least deviation of the sums to be evened out.
    given_unit: str = ""  # Unit of the coordinates as the user wrote it, or nothing.
    outlines: Outlines | None = None  # Outlines of the rows, to be drawn.

    @property
    def partition(self) -> Partition:
        """The partition, with its certificate and cells."""
        return self.estimator.partition_

    @property
    def labels(self) -> NDArray[np.int64]:
        """Cluster (n,) of every row."""
        return self.estimator.labels_

    @cached_property
    def rows(self) -> pd.DataFrame:
        """Cluster, distance to the nearest boundary and to the centre, one line per row of the table."""
        found = self.model.describe(self.points, self.labels, self.bounded)
        if self.partition.splits:
            found["shares"] = self.shares
        return found

    @property
    def shares(self) -> list[str]:
        """Clusters of every divided row and its parts in them, such as ``0: 0.7, 2: 0.3``."""
        texts = [""] * len(self.labels)
        for row, cluster, share in sorted(self.partition.splits):
            texts[row] += f"{', ' if texts[row] else ''}{cluster}: {share:.4g}"
        return texts

    @cached_property
    def displaced(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows (m,) whose nearest centre is that of another cluster, and these clusters (m,)."""
        nearest, distance = pairwise_distances_argmin_min(self.points, self.model.centres[self.opened])
        moved = np.flatnonzero(distance < (1.0 - ROUNDING) * self.rows["centre_distance"].to_numpy())
        return moved, self.opened[nearest[moved]]

    @property
    def ids(self) -> list[str]:
        """What names every row: the first column of names, or the row number."""
        named = self.named_rows.iloc[:, : -len(self.rows.columns)]
        return named.iloc[:, 0].map(str).tolist() if named.shape[1] else [f"row {j}" for j in range(len(named))]

    @property
    def unit(self) -> str:
        """Unit of distances, if known: as given, kilometres on the sphere, or what all coordinates end with (x_km)."""
        names = self.model.encoder.get_feature_names_out()
        if self.given_unit or self.model.encoder.scale_ != "none":
            return self.given_unit
        ends = {"_km" if self.model.encoder.geo else str(name)[-3:] for name in names}
        return "km" if ends == {"_km"} else ""

    def sums(self, column: NDArray) -> NDArray[np.float64]:
        """Sums (k,) of a column (n,) in the clusters; a divided row counts in parts."""
        return Shares.of(self.labels, self.partition.splits, self.polytope.n_clusters).sizes(
            np.asarray(column, dtype=np.float64), self.polytope.n_clusters
        )

    @property
    def named_rows(self) -> pd.DataFrame:
        """`rows` with the columns before them that name the rows of the table."""
        return with_row_names(self.rows, self.table, self.model.cleaner_)

    @property
    def added(self) -> Record:
        """Columns for a table of the same rows: ``cluster``, and ``shares`` where rows are divided."""
        return {"cluster": self.labels} | ({"shares": self.shares} if self.partition.splits else {})

    @cached_property
    def ground(self) -> Ground | None:
        """The map of the rows, or None where no two columns are one and there are no outlines."""
        return ground_of(self.model.encoder, self.model.cleaner_.transform(self.table), self.outlines)

    def mean_share(self, name: str) -> float:
        """Share in per cent of a group, named as in ``further``, in all rows."""
        rows = next(rows for rows in self.polytope.further if f"{rows.name} %" == name)
        assert rows.attributes is not None
        part, whole = rows.attributes.sum(axis=0)
        return float(100.0 * part / whole)

    @property
    def explained(self) -> float:
        """Share of the sum of squares about the mean of all rows that is between the clusters."""
        whole = float(((self.points - self.points.mean(axis=0)) ** 2).sum())
        return max(1.0 - self.estimator.inertia_ / whole, 0.0) if whole > 0 else 0.0

    @property
    def prices(self) -> NDArray[np.float64]:
        """Prices (k,) of the bounds in the certified last step, centred where no bound of theirs is met: mu."""
        certificate = self.partition.certificate
        k = len(self.sizes)
        found = np.array(certificate.prices[:k]) if isinstance(certificate, Certificate) else np.zeros(k)
        return self._felt(found)

    def _felt(self, prices: NDArray[np.float64]) -> NDArray[np.float64]:
        """Prices (q,) with those that are rounding, of the sum of squares of a row, set to zero."""
        unit = float((self.points - self.points.mean(axis=0)).var(axis=0).sum())
        return np.where(np.abs(prices) <= ROUNDING * unit, 0.0, prices)

    @property
    def sizes(self) -> NDArray:
        """Rows (k,) in every cluster; parts of rows where some are divided."""
        return self.partition.sizes

    @property
    def opened(self) -> NDArray[np.int64]:
        """The clusters that hold a row."""
        return np.flatnonzero(self.sizes > 0)

    @cached_property
    def clusters(self) -> pd.DataFrame:
        """One line per cluster: size, share, spread, nearest boundary and price."""
        k = self.polytope.n_clusters
        groups = self.rows.groupby("cluster")
        spread = groups["centre_distance"].apply(lambda d: float(np.sqrt((d**2).mean()))).reindex(range(k))
        found: Record = {
            "cluster": list(range(k)),
            "size": self.sizes.tolist(),
            "share %": (100.0 * self.sizes / len(self.labels)).tolist(),
            "spread": spread.tolist(),
        }
        if k > 1:
            walls = groups["boundary_distance"].min().reindex(range(k))
            found["nearest boundary"] = walls.mask(walls.abs() <= ROUNDING * spread.max(), 0.0).tolist()
        found["price"] = self.prices.tolist()
        return pd.DataFrame(found)

    @cached_property
    def further(self) -> pd.DataFrame:
        """A line per cluster and side constraint: name, cluster, lower, value, upper and price; shares in per cent."""
        return bounded_sums(
            self.polytope, self.sums, lambda rows: self._felt(self.partition.prices.get(rows.name, np.zeros(len(rows))))
        )

    @cached_property
    def broken(self) -> tuple[BrokenBound, ...]:
        """The bounds that whole rows break; none where rows are divided, within all of them."""
        if self.partition.splits:
            return ()
        return broken_bounds(self.polytope, self.labels)
