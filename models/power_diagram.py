"""Power diagrams: the dual of the assignment program, as a decomposition of space.

    cell  P_i = { x : gamma_i(x) - mu_i >= gamma_j(x) - mu_j  for all j },   gamma_i affine in x

    CSA   gamma_i(x) = a_i . (x - c)                  weights sigma_i = |a_i|^2 - 2 mu_i
    LSA   gamma_i(x) = |x - c|^2 - |x - a_i|^2        weights sigma_i = -mu_i

All prices that make a given clustering optimal for its sites form the polyhedron

    (5)  mu_i - mu_j <= w_ij := min over x in C_i of gamma_i(x) - gamma_j(x)       (exchange gaps)

It is empty exactly when the exchange graph has a negative cycle. The max-margin prices maximise eps subject to

    (6)  mu_i - mu_j + eps |g_i - g_j| <= w_ij        g_i the gradient of gamma_i

so that eps is the smallest distance of any point to a wall of its cell (dissertation, Theorem 4.1.21 and
Algorithm 6, whose support-only constraints are corrected here; Algorithm 7 is `predict`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.checks import checked_labels
from ..base.errors import InvalidInputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLOCK_ROWS = 65_536
SAME = 1e-12  # relative; sites and prices closer than this are equal up to rounding


@dataclass(frozen=True, eq=False)
class PowerDiagram:
    """A decomposition of space into k convex cells, one a cluster.

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

    Raises
    ------
    InvalidInputError
        When shapes disagree or a value is not finite.

    Examples
    --------
    >>> from partitope.models import PowerDiagram
    >>> PowerDiagram([[0.0], [4.0]], [0.0, 0.0], kind="lsa").predict([[1.0], [3.0]])
    array([0, 1])
    """

    sites: NDArray[np.float64]
    prices: NDArray[np.float64]
    kind: Literal["csa", "lsa"] = "csa"
    origin: NDArray[np.float64] = field(default=None)  # type: ignore[arg-type]

    def __post_init__(self) -> None:
        sites, prices = np.array(self.sites, dtype=np.float64), np.array(self.prices, dtype=np.float64)
        if sites.ndim != 2 or prices.shape != (len(sites),):
            raise InvalidInputError(
                f"sites {sites.shape} and prices {prices.shape} do not fit: expected (k, d) and (k,)"
            )
        origin = np.zeros(sites.shape[1]) if self.origin is None else np.array(self.origin, dtype=np.float64)
        if origin.shape != (sites.shape[1],):
            raise InvalidInputError(f"origin has shape {origin.shape}, expected ({sites.shape[1]},)")
        if not (np.isfinite(sites).all() and np.isfinite(prices).all() and np.isfinite(origin).all()):
            raise InvalidInputError("sites, prices and origin must be finite")
        if self.kind not in ("csa", "lsa"):
            raise InvalidInputError(f"kind={self.kind!r} is not known: choose 'csa' or 'lsa'")
        for name, value in [("sites", sites), ("prices", prices), ("origin", origin)]:
            value.setflags(write=False)
            object.__setattr__(self, name, value)

    @property
    def n_clusters(self) -> int:
        """Number of cells k."""
        return len(self.sites)

    @property
    def weights(self) -> NDArray[np.float64]:
        """Weights sigma (k,): the cells are |x - c - a_i|^2 - sigma_i smallest (CSA; LSA without the c)."""
        return (self.sites**2).sum(axis=1) - 2.0 * self.prices if self.kind == "csa" else -self.prices

    @property
    def gradients(self) -> NDArray[np.float64]:
        """Gradients g_i (k, d) of the scores."""
        return self.sites if self.kind == "csa" else 2.0 * (self.sites - self.origin)

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Reduced scores gamma_i(x) - mu_i, shape (n, k); the largest names the cell."""
        points = np.asarray(X, dtype=np.float64)
        if points.ndim != 2 or points.shape[1] != self.sites.shape[1]:
            raise InvalidInputError(f"X has shape {points.shape}, expected (n_points, {self.sites.shape[1]})")
        offsets = 0.0 if self.kind == "csa" else ((self.sites - self.origin) ** 2).sum(axis=1)
        return (points - self.origin) @ self.gradients.T - (self.prices + offsets)

    def predict(self, X: ArrayLike) -> NDArray[np.int64]:
        """Cell (n,) of every row of X (n, d), ties to the smallest index; O(n k d), in blocks of rows."""
        points = X if isinstance(X, np.ndarray) else np.asarray(X)
        labels = np.empty(len(points), dtype=np.int64)
        for start in range(0, len(points), BLOCK_ROWS):
            stop = start + BLOCK_ROWS
            labels[start:stop] = self.decision_function(points[start:stop]).argmax(axis=1)
        return labels

    def margin(self, X: ArrayLike, labels: ArrayLike) -> NDArray[np.float64]:
        """Signed distance (n,) of every point to the nearest wall of the cell of its label.

        Positive strictly inside, zero on a wall, negative outside; infinite with one cell.

        Parameters
        ----------
        X : (n, d) array_like
            Points.
        labels : (n,) array_like of int
            Their cells.

        Returns
        -------
        (n,) ndarray

        Raises
        ------
        InvalidInputError
            When shapes disagree or a label names no cell.

        Notes
        -----
        Sites closer than `SAME` times their distance from the origin, or than their rounding, are one site, and no
        wall lies between their cells. Of such cells the one with the lowest price covers the others: it has no
        distance to them, and a point with the label of a covered cell, which is empty, has the distance minus
        infinity. Cells whose prices agree up to rounding as well are the same cell: a point with either label lies
        on their wall, at distance 0.

        The distance is taken along the unit vector between two sites, so that it keeps its digits where sites are
        close. O(n k d).
        """
        points = X if isinstance(X, np.ndarray) else np.asarray(X)
        if points.ndim != 2 or points.shape[1] != self.sites.shape[1]:
            raise InvalidInputError(f"X has shape {points.shape}, expected (n_points, {self.sites.shape[1]})")
        y = checked_labels(labels, len(points), self.n_clusters)
        margins = np.full(len(y), np.inf)
        for start in range(0, len(y), BLOCK_ROWS):
            block, own = points[start : start + BLOCK_ROWS], y[start : start + BLOCK_ROWS]
            for i in np.unique(own):
                members = np.flatnonzero(own == i)
                if self.n_clusters > 1:
                    margins[start + members] = self._wall_distance(block[members], int(i)).min(axis=1)
        return margins

    def _wall_distance(self, points: NDArray[np.floating], i: int) -> NDArray[np.float64]:
        """Signed distances (m, k - 1) of points (m, d) to the walls between cell i and every other cell."""
        others = np.delete(np.arange(self.n_clusters), i)
        between, cheaper = self.sites[i] - self.sites[others], self.prices[others] - self.prices[i]
        measured = self.sites if self.kind == "csa" else self.sites - self.origin
        distance, length = np.linalg.norm(between, axis=1), np.linalg.norm(measured, axis=1)
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

    @classmethod
    def max_margin(
        cls,
        X: ArrayLike,
        labels: ArrayLike,
        sites: ArrayLike,
        kind: Literal["csa", "lsa"] = "csa",
        origin: ArrayLike | None = None,
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
        kind, origin
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
        diagram = cls(sites, np.zeros(len(np.asarray(sites))), kind, origin)  # type: ignore[arg-type]
        gaps = diagram.exchange_gaps(X, labels)
        prices = max_margin_prices(gaps, pairwise_distance(diagram.gradients))
        return cls(diagram.sites, prices, kind, diagram.origin)

    def exchange_gaps(self, X: ArrayLike, labels: ArrayLike) -> NDArray[np.float64]:
        """Exchange gaps w (k, k) of (5), before prices; infinite rows for empty clusters, 0 on the diagonal."""
        points, k = np.asarray(X), self.n_clusters
        y = checked_labels(labels, len(points), k)
        gaps = np.full((k, k), np.inf)
        for start in range(0, len(points), BLOCK_ROWS):
            scores = self.decision_function(points[start : start + BLOCK_ROWS]) + self.prices
            block = y[start : start + BLOCK_ROWS]
            lead = scores[np.arange(len(block)), block][:, None] - scores
            for i in np.unique(block):
                gaps[i] = np.minimum(gaps[i], lead[block == i].min(axis=0))
        np.fill_diagonal(gaps, 0.0)
        return gaps

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the cells of a two-dimensional diagram; see `partitope.models.plots.cells.plot_power_diagram`."""
        from .plots.cells import plot_power_diagram

        return plot_power_diagram(self, ax=ax, **options)


def max_margin_prices(gaps: NDArray[np.float64], distance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Prices (k,) that maximise eps in (6) for gaps w (k, k) and distances |g_i - g_j| (k, k).

    Raises
    ------
    InvalidInputError
        When (5) has no solution.

    Notes
    -----
    Exact up to rounding. The largest eps is the smallest ratio w(cycle) / distance(cycle) over the cycles of
    the exchange graph; Dinkelbach's method finds it with a handful of shortest-path computations of O(k^3).
    """
    k = len(gaps)
    filled = np.flatnonzero(np.isfinite(gaps + np.where(np.eye(k), np.inf, 0.0)).any(axis=1))
    prices, eps = np.zeros(k), 0.0
    if filled.size > 1:
        inner = np.ix_(filled, filled)
        eps, prices[filled] = _widest_potentials(gaps[inner], distance[inner])
        prices[filled] -= prices[filled].mean()
    empty = np.setdiff1d(np.arange(k), filled) if filled.size else np.arange(0)
    for i in empty:  # an empty cluster's cell may come as near to the points as the margin, not nearer
        clear = (prices[filled] - gaps[filled, i] + eps * distance[filled, i]).max()
        prices[i] = clear + (0.0 if eps > 0 else 1e-6 * np.abs(gaps[filled, i]).max())  # nor touch them
    return prices


def pairwise_distance(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distances (k, k) between the rows of an array (k, d); 0 where two rows are equal up to `SAME`."""
    distance = np.array([np.linalg.norm(vectors - v, axis=1) for v in vectors])
    length = np.linalg.norm(vectors, axis=1)
    return np.where(distance <= SAME * (length[:, None] + length), 0.0, distance)


def _widest_potentials(gaps: NDArray[np.float64], distance: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    """Largest eps for which (6) has potentials, and such potentials: Dinkelbach's minimum-ratio cycle."""
    rounding = 1e-12 * (float(np.abs(gaps).max()) or 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        pairs = (gaps + gaps.T) / (distance + distance.T)
    eps = float(np.min(pairs[np.isfinite(pairs)], initial=np.inf))
    eps = 0.0 if np.isinf(eps) else max(eps, 0.0)
    while True:
        potentials, cycle = shortest_potentials(gaps - eps * distance, slack=rounding / 10)
        if cycle is None:
            break
        ahead = np.roll(cycle, -1)
        length, turn = float(gaps[cycle, ahead].sum()), float(distance[cycle, ahead].sum())
        ratio = length / turn if turn > 0 else -np.inf
        if length < -rounding * len(cycle) or turn == 0:
            raise InvalidInputError(
                "labels is not optimal for these sites (a cyclic exchange of points improves it): solve the "
                "assignment program for the sites first, or use is_separable to look for other sites"
            )
        if ratio >= eps:  # the cycle is negative by rounding only
            potentials, _ = shortest_potentials(gaps - eps * distance, slack=rounding)
            break
        eps = max(ratio, 0.0)
    return eps, potentials


def shortest_potentials(
    length: NDArray[np.float64], slack: float = 0.0
) -> tuple[NDArray[np.float64], NDArray[np.int64] | None]:
    """Bellman and Ford on a complete graph: potentials with mu_i <= mu_j + length_ij, or a negative cycle.

    Parameters
    ----------
    length : (m, m) ndarray
        Arc lengths i -> j; the diagonal is ignored.
    slack : float
        Improvements up to this size do not count.

    Returns
    -------
    potentials : (m,) ndarray
        Feasible up to ``slack`` when no cycle is returned.
    cycle : (c,) ndarray or None
        Nodes of a cycle i -> j -> ... of negative total length.
    """
    m = len(length)
    mu, successor = np.zeros(m), np.full(m, -1)
    for _ in range(m * m):
        through = mu[None, :] + length
        np.fill_diagonal(through, np.inf)
        best = through.argmin(axis=1)
        value = through[np.arange(m), best]
        shorter = value < mu - slack
        if not shorter.any():
            break
        mu, successor = np.where(shorter, value, mu), np.where(shorter, best, successor)
        cycle = _cycle_of(successor)
        if cycle is not None:
            return mu, cycle
    return mu, None


def _cycle_of(successor: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """A cycle of the functional graph i -> successor[i] (-1 ends a walk)."""
    seen = np.full(len(successor), -1)
    for start in range(len(successor)):
        node = start
        while node >= 0 and seen[node] < 0:
            seen[node] = start
            node = int(successor[node])
        if node >= 0 and seen[node] == start:
            cycle = [node]
            while int(successor[cycle[-1]]) != node:
                cycle.append(int(successor[cycle[-1]]))
            return np.array(cycle)
    return None
