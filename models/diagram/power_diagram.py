"""Power diagrams: the dual of the assignment program, as a decomposition of space.

    cell  P_i = { x : gamma_i(x) - mu_i >= gamma_j(x) - mu_j  for all j },   gamma_i affine in x

    CSA   gamma_i(x) = a_i . (x - c)                  weights sigma_i = |a_i|^2 - 2 mu_i
    LSA   gamma_i(x) = |x - c|^2 - |x - a_i|^2        weights sigma_i = -mu_i
          gamma_i(x) = -(x - a_i)' A_i (x - a_i)      the same with a matrix per site: boundaries are then quadrics

All prices that make a given clustering optimal for its sites form the polyhedron

    (5)  mu_i - mu_j <= w_ij := min over x in C_i of gamma_i(x) - gamma_j(x)       (exchange gaps)

It is empty exactly when the exchange graph has a negative cycle. The max-margin prices maximise eps subject to

    (6)  mu_i - mu_j + eps |g_i - g_j| <= w_ij        g_i the gradient of gamma_i

so that eps is the smallest distance of any point to a boundary of its cell (dissertation, Theorem 4.1.21 and
Algorithm 6, whose support-only constraints are corrected here; Algorithm 7 is `predict`). With matrices gradients
change from point to point, and eps is the smallest margin in the score: all |g_i - g_j| in (6) are 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import (
    as_array,
    as_floats,
    checked_labels,
    finite_rows,
    instance_of,
    one_of,
    refuse_missing,
    single_number,
)
from ...base.errors import InvalidInputError
from ...base.one_line import OneLine
from ...output.style import axes_of
from ..scores.quadratic import QuadraticFunctions, symmetric_matrices
from ..scores.scores import BLOCK_ROWS, AffineScores, Kind, dense_rows, is_sparse
from .curved_cells import draw_curved_cells
from .exchange_gaps import ExchangeGaps
from .max_margin_prices import SAME, max_margin_prices, pairwise_distance
from .picture import (
    Plane,
    cell_polygons,
    checked_plane,
    draw_cells,
    draw_numbers,
    draw_points,
    frame_of,
    principal_plane,
    rectangle,
    show_frame,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLOCK_NUMBERS = 1 << 22  # Coordinates per block when sparse points have to be made dense.


@dataclass(frozen=True, eq=False, repr=False)
class PowerDiagram(OneLine):
    """A decomposition of space into k cells, one per cluster: convex ones, unless sites have matrices.

    Parameters
    ----------
    sites : (k, d) array_like
        Sites a_i.
    prices : (k,) array_like
        Prices mu_i; only their differences matter.
    kind : {"csa", "lsa"}
        How scores come from sites.
    origin : (d,) array_like, optional
        Where coordinates are measured from: the centre that was subtracted before a CSA was solved, or the
        origin of LSA scores. Zero by default.
    matrices : (k, d, d) array_like, optional
        A_i, symmetric and positive definite, with ``kind="lsa"``: distances to site i are measured by
        (x - a_i)' A_i (x - a_i). The diagram is then a generalised balanced power diagram: cells need be neither
        convex nor connected.

    Raises
    ------
    InvalidInputError
        When shapes disagree, a value is not finite, or a matrix is not symmetric and positive definite.

    Examples
    --------
    >>> from partitope.models import PowerDiagram
    >>> PowerDiagram([[0.0], [4.0]], [0.0, 0.0], kind="lsa").predict([[1.0], [3.0]])
    array([0, 1])
    """

    sites: NDArray[np.float64]
    prices: NDArray[np.float64]
    kind: Kind = "csa"
    origin: NDArray[np.float64] = field(default=None)  # type: ignore[arg-type]
    matrices: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        sites, prices = np.array(as_floats(self.sites, "sites")), np.array(as_floats(self.prices, "prices"))
        if sites.ndim != 2 or prices.shape != (len(sites),):
            raise InvalidInputError(
                f"sites {sites.shape} and prices {prices.shape} do not fit: expected (k, d) and (k,)"
            )
        given: Any = self.origin
        origin = np.zeros(sites.shape[1]) if given is None else np.array(as_floats(given, "origin"))
        if origin.shape != (sites.shape[1],):
            raise InvalidInputError(f"origin has shape {origin.shape}, expected ({sites.shape[1]},)")
        for name, value in [("sites", sites), ("prices", prices), ("origin", origin)]:
            if not np.isfinite(value).all():
                raise InvalidInputError(f"{name} holds NaN or infinity: pass finite numbers")
        one_of(self.kind, "kind", ("csa", "lsa"))
        for name, value in [("sites", sites), ("prices", prices), ("origin", origin)]:
            value.setflags(write=False)
            object.__setattr__(self, name, value)
        if self.matrices is not None:
            if self.kind != "lsa":
                raise InvalidInputError(f"matrices need kind='lsa', got kind={self.kind!r}: leave out one of them")
            matrices = symmetric_matrices(self.matrices, *sites.shape)
            matrices.setflags(write=False)
            object.__setattr__(self, "matrices", matrices)

    @property
    def n_clusters(self) -> int:
        """Number of cells k."""
        return len(self.sites)

    @property
    def weights(self) -> NDArray[np.float64]:
        """Weights sigma (k,): the cells are |x - c - a_i|^2 - sigma_i smallest (CSA; LSA without the c).

        With matrices the first term is (x - a_i)' A_i (x - a_i).
        """
        return (self.sites**2).sum(axis=1) - 2.0 * self.prices if self.kind == "csa" else -self.prices

    @property
    def _measured(self) -> NDArray[np.float64]:
        """Sites (k, d) as the scores take them: for "lsa" from the origin."""
        return self.sites if self.kind == "csa" else self.sites - self.origin

    @property
    def gradients(self) -> NDArray[np.float64]:
        """Gradients g_i (k, d) of the scores; with matrices over lifted points, as in `QuadraticScores`."""
        return self.scores.gradients

    @property
    def scores(self) -> AffineScores:
        """Scores gamma_i, before prices."""
        if self.matrices is not None:
            return QuadraticFunctions.of_cells(self._measured, self.matrices, self.origin)
        return AffineScores.of(self.kind, self._measured, self.origin)

    @property
    def reduced(self) -> AffineScores:
        """Reduced scores gamma_i - mu_i, of which the largest names the cell."""
        return self.scores.less(self.prices)

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Reduced scores gamma_i(x) - mu_i, shape (n, k); the largest names the cell.

        Raises
        ------
        InvalidInputError
            When X is not an array (n, d) of finite numbers.
        """
        points = self._points(X)
        refuse_missing(points, "X")
        return self.reduced(points if is_sparse(points) else points.astype(np.float64, copy=False))

    def predict(self, X: ArrayLike) -> NDArray[np.int64]:
        """Cell (n,) of every row of X (n, d), ties to the smallest index; O(n k d), in blocks of rows.

        Raises
        ------
        InvalidInputError
            When X is not an array (n, d) of finite numbers.
        """
        points = self._points(X)
        labels = np.empty(points.shape[0], dtype=np.int64)
        for start in range(0, points.shape[0], BLOCK_ROWS):
            stop = start + BLOCK_ROWS
            labels[start:stop] = self.decision_function(points[start:stop]).argmax(axis=1)
        return labels

    def margin(self, X: ArrayLike, labels: ArrayLike) -> NDArray[np.float64]:
        """Signed distance (n,) of every point to the nearest boundary of the cell of its label.

        Positive strictly inside, zero on a boundary, negative outside; infinite with one cell.

        Parameters
        ----------
        X : (n, d) array_like or sparse matrix in rows
            Points; sparse ones are made dense in blocks.
        labels : (n,) array_like of int
            Their cells.

        Returns
        -------
        (n,) ndarray

        Raises
        ------
        InvalidInputError
            When shapes disagree, a label names no cell, or a coordinate is not finite.

        Notes
        -----
        Sites closer than `SAME` times their distance from the origin, or than their rounding, are one site, and no
        boundary is between their cells. Of such cells the one with the lowest price covers the others: it has no
        distance to them, and a point with the label of a covered cell, which is empty, has the distance minus
        infinity. Cells whose prices agree up to rounding as well are the same cell: a point with either label is
        on their boundary, at distance 0.

        The distance is taken along the unit vector between two sites, so that it keeps its digits where sites are
        close. O(n k d).

        With matrices it is the distance to first order: the margin of the reduced score over that of the other cell,
        divided by the length of the gradient of this margin at the point. Its sign is exact; its size is that of the
        distance near a boundary, the smaller the gradient's change on the way the better. O(n k d^2).
        """
        points = self._points(X)
        y = checked_labels(labels, points.shape[0], self.n_clusters)
        margins = np.full(len(y), np.inf)
        rows = max(BLOCK_NUMBERS // max(points.shape[1], 1), 1) if is_sparse(points) else BLOCK_ROWS
        for start in range(0, len(y), rows):
            own = y[start : start + rows]
            block = dense_rows(points, slice(start, start + rows))
            refuse_missing(block, "X")
            for i in np.unique(own):
                members = np.flatnonzero(own == i)
                if self.n_clusters > 1:
                    margins[start + members] = self._wall_distance(block[members], int(i)).min(axis=1)
        return margins

    def _wall_distance(self, points: NDArray[np.floating], i: int) -> NDArray[np.float64]:
        """Signed distances (m, k - 1) of points (m, d) to the boundaries between cell i and every other cell."""
        others = np.delete(np.arange(self.n_clusters), i)
        if self.matrices is not None:
            return self._lead_along_gradient(points, i, others)
        between, cheaper = self.sites[i] - self.sites[others], self.prices[others] - self.prices[i]
        distance, length = np.linalg.norm(between, axis=1), np.linalg.norm(self._measured, axis=1)
        stored = 4 * np.finfo(np.float64).eps * np.linalg.norm(self.sites, axis=1)  # rounding of the sites themselves
        apart = distance > SAME * (length[i] + length[others]) + stored[i] + stored[others]
        towards = between / np.where(apart, distance, 1.0)[:, None]
        # gamma_i - gamma_j - (mu_i - mu_j) over |g_i - g_j|
        if self.kind == "csa":
            place, room, steepness = np.asarray(points, dtype=np.float64) - self.origin, 0.0, 1.0
        else:
            place, room, steepness = np.asarray(points, dtype=np.float64) - self.sites[i], distance / 2.0, 2.0
        walls = place @ towards.T + (room + cheaper / (steepness * np.where(apart, distance, 1.0)))
        # prices are known up to the rounding of the scores they come from
        reach = steepness * (length[i] + length[others]) * np.linalg.norm(place, axis=1)[:, None]
        same = np.abs(cheaper) <= SAME * (np.ptp(self.prices) + reach)
        covered = np.where(same, 0.0, np.where(cheaper > 0, np.inf, -np.inf))
        return np.where(apart, walls, covered)

    def _lead_along_gradient(
        self, points: NDArray[np.floating], i: int, others: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """First-order distances (m, k - 1) of points (m, d) to the curved boundaries between cell i and the others."""
        assert self.matrices is not None
        reduced, distances = self.decision_function(points), np.empty((len(points), len(others)))
        steep = (points - self.sites[i]) @ self.matrices[i]
        for column, j in enumerate(others):
            slope = 2.0 * np.linalg.norm((points - self.sites[j]) @ self.matrices[j] - steep, axis=1)
            ahead = reduced[:, i] - reduced[:, j]
            infinite = np.where(ahead == 0, 0.0, np.copysign(np.inf, ahead))
            distances[:, column] = np.where(slope > 0, ahead / np.where(slope > 0, slope, 1.0), infinite)
        return distances

    @classmethod
    def max_margin(
        cls,
        X: ArrayLike,
        labels: ArrayLike,
        sites: ArrayLike,
        kind: Kind = "csa",
        origin: ArrayLike | None = None,
        matrices: ArrayLike | None = None,
    ) -> PowerDiagram:
        """The diagram for these sites whose cells hold their clusters with the largest margin.

        Parameters
        ----------
        X : (n, d) array_like
            Points.
        labels : (n,) array_like of int
            Their clusters 0..k-1; clusters may be empty.
        sites : (k, d) array_like
            Sites.
        kind, origin, matrices
            As for the class.

        Returns
        -------
        PowerDiagram
            Prices are normalised to sum to zero over the clusters that hold points.

        Raises
        ------
        InvalidInputError
            When no prices exist: the clustering is not optimal for these sites (5).

        Notes
        -----
        One pass over the data, O(n k d), then a minimum-ratio cycle on k nodes: the prices satisfy (6) to
        rounding, not to a solver's tolerance.
        """
        sites = finite_rows(sites, "sites")
        diagram = cls(sites, np.zeros(len(sites)), kind, origin, matrices)  # type: ignore[arg-type]
        gaps = diagram._gaps(X, labels)
        return cls.from_gaps(diagram.sites, gaps.closed, diagram.scores, kind, diagram.matrices, gaps.scale)

    @classmethod
    def from_gaps(
        cls,
        sites: NDArray[np.float64],
        gaps: NDArray[np.float64],
        scores: AffineScores,
        kind: Kind,
        matrices: NDArray[np.float64] | None = None,
        scale: float = 0.0,
    ) -> PowerDiagram:
        """`max_margin` for sites (k, d) with the scores that belong to them and exchange gaps (k, k) known already;
        ``scale`` as for `max_margin_prices`. InvalidInputError when they do not fit, or no prices exist."""
        sites, gaps = finite_rows(sites, "sites"), as_floats(gaps, "gaps")
        instance_of(scores, "scores", AffineScores, "pass the scores of a diagram with these sites")
        if gaps.shape != (len(sites),) * 2 or np.isnan(gaps).any():
            raise InvalidInputError(f"gaps has shape {gaps.shape}, expected {(len(sites),) * 2}, without NaN")
        single_number(scale, "scale")
        distance = pairwise_distance(scores.gradients) if matrices is None else 1.0 - np.eye(len(sites))
        return cls(sites, max_margin_prices(gaps, distance, scale), kind, scores.origin, matrices)

    def exchange_gaps(self, X: ArrayLike, labels: ArrayLike) -> NDArray[np.float64]:
        """Exchange gaps w (k, k) of (5), before prices; infinite rows for empty clusters, 0 on the diagonal.

        Raises
        ------
        InvalidInputError
            When X is not an array (n, d) of finite numbers, or a label names no cell.
        """
        return self._gaps(X, labels).closed

    def _gaps(self, X: ArrayLike, labels: ArrayLike) -> ExchangeGaps:
        points = self._points(X)
        refuse_missing(points, "X")
        return ExchangeGaps.of(self.scores.on(points), checked_labels(labels, points.shape[0], self.n_clusters))

    def _points(self, X: ArrayLike) -> Any:
        """Points (n, d) of the space of the sites, as they are: an array or a sparse matrix."""
        points: Any = X if is_sparse(X) else as_array(X, "X")
        if points.ndim != 2 or points.shape[1] != self.sites.shape[1]:
            raise InvalidInputError(f"X has shape {points.shape}, expected (n_points, {self.sites.shape[1]})")
        if points.dtype.kind not in "biuf":
            return as_floats(points, "X")
        return points

    def plot(
        self,
        ax: Axes | None = None,
        X: ArrayLike | None = None,
        labels: ArrayLike | None = None,
        *,
        plane: Plane | None = None,
        box: tuple[float, float, float, float] | None = None,
        numbers: bool = True,
        sites: bool = False,
        size: float = 12.0,
    ) -> Axes:
        """Draw the cells, and points in them; in more than two dimensions their section by a plane.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; the current axes when None.
        X : (n, d) array_like, optional
            Points; at most 3000 of them are drawn, evenly picked.
        labels : (n,) array_like of int, optional
            Clusters of the points: colour and marker. None means the cells that hold them.
        plane : Plane, optional
            The plane of the picture; with X and d > 2 the default is `principal_plane` of X.
        box : (left, right, bottom, top), optional
            The rectangle to show; by default the points, or the sites, and a margin.
        numbers : bool, default True
            Write the number of each cluster into its cell (up to 40 clusters).
        sites : bool, default False
            Mark the sites with crosses: their projections where there is a plane.
        size : float, default 12
            Area of a point's marker.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        InvalidInputError
            When X has another dimension than the sites, a label is out of range, or a plane is missing.

        Examples
        --------
        >>> from partitope.models import PowerDiagram
        >>> diagram = PowerDiagram([[0.0, 0.0], [2.0, 0.0]], [0.0, 0.0], kind="lsa")
        >>> ax = diagram.plot(box=(-1, 3, -1, 1))
        """
        axes, d = axes_of(ax), self.sites.shape[1]
        points = None if X is None else finite_rows(X, n_columns=d)
        if points is not None and not len(points):
            raise InvalidInputError(f"X has shape {points.shape}: pass at least one point to draw")
        if plane is None and d > 2 and points is not None:
            plane = principal_plane(points)
        seen = checked_plane(plane, d)
        marks, flat = seen.project(self.sites), None if points is None else seen.project(points)
        frame = rectangle(box) if box is not None else frame_of(marks if flat is None else flat)
        if self.matrices is None:
            places = draw_cells(axes, cell_polygons(self.reduced, frame, seen))
        else:
            places = draw_curved_cells(axes, lambda at: self.reduced(seen.point + at @ seen.basis), frame)
        if points is not None and flat is not None:
            y = self.predict(points) if labels is None else checked_labels(labels, len(points), self.n_clusters)
            draw_points(axes, flat, y, size)
        if sites:
            axes.scatter(marks[:, 0], marks[:, 1], marker="+", s=90, c="black", linewidths=1.6, zorder=5)
        if numbers and self.n_clusters <= 40:
            draw_numbers(axes, places)
        show_frame(axes, frame)
        return axes
