"""The exchange graph of a clustering: optimality for given scores as a shortest-path question on k + 1 nodes.

Nodes       the clusters 0..k-1, and the slack node k that stands for unused room between the bounds
Arcs        i -> l   length w_il = min over points x of cluster i of gamma_i(x) - gamma_l(x)
            i -> k   length 0   if cluster i may grow   (size < u_i)
            k -> i   length 0   if cluster i may shrink (size > l_i)

An arc i -> l moves its point from i to l at a loss of w_il. A clustering is optimal if and only if no cycle is
negative; a negative cycle is a list of moves that keeps all bounds and gains. Otherwise shortest-path potentials

    (7)  mu_i - mu_l <= w_il,   mu_i <= 0 if i may grow,   mu_i >= 0 if i may shrink

are optimal prices in the sign convention of `certificate` (dissertation, Theorem 4.1.21, with its dual
constraints for all (i, j)). With weights (real shares) the same holds for every share that can be moved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import check_weight, checked_labels, cluster_numbers, instance_of
from ...base.errors import InvalidInputError, NotOptimalError
from ...base.one_line import OneLine
from ..diagram.exchange_gaps import ExchangeGaps, shorten
from ..diagram.max_margin_prices import shortest_potentials
from ..polytope.shares import Shares
from .certificate import Split

if TYPE_CHECKING:
    from ..programs.assignment import AssignmentModel


class Move(NamedTuple):
    """A point that goes from its source to its target cluster."""

    point: int
    source: int
    target: int


@dataclass(frozen=True)
class ExchangeCycle:
    """Moves that keep the size bounds and raise the objective: a proof that a clustering is not optimal.

    Attributes
    ----------
    moves : tuple of Move
        Which point goes from which cluster to which.
    gain : float
        By how much the total score per unit of weight rises; positive.
    """

    moves: tuple[Move, ...]
    gain: float

    def apply(self, labels: ArrayLike) -> NDArray[np.int64]:
        """The better clustering, as a new array (points of equal weight).

        Raises
        ------
        InvalidInputError
            When the labels are not those that the moves start from.
        """
        better = cluster_numbers(labels, "labels").copy()
        if any(move.point >= better.size or better[move.point] != move.source for move in self.moves):
            raise InvalidInputError("labels are not those of the exchange graph: pass the clustering it was made of")
        for point, _, target in self.moves:
            better[point] = target
        return better


@dataclass(frozen=True, eq=False, repr=False)
class ExchangeGraph(OneLine):
    """Arc lengths of the exchange graph and the points that attain them.

    Attributes
    ----------
    lengths : (k + 1, k + 1) ndarray
        Arc lengths, infinite where there is no arc; the last node is the slack.
    points : (k, k) ndarray of int64
        The point that attains w_il, -1 where there is none.
    scale : float
        Largest spread of a point's scores: what rounding errors are measured against.

    Notes
    -----
    Exact up to rounding: one pass over the data, O(n k), then O(k^3) for prices or a cycle.

    Examples
    --------
    >>> from partitope.models import AssignmentModel, ExchangeGraph, PartitionPolytope
    >>> model = AssignmentModel.lsa([[0.0], [1.0], [5.0]], [[0.0], [5.0]], PartitionPolytope(3, 1, 2, n_clusters=2))
    >>> cycle = ExchangeGraph.of(model, labels=[1, 0, 0]).negative_cycle()
    >>> cycle.gain, cycle.apply([1, 0, 0])
    (50.0, array([0, 0, 1]))
    >>> graph = ExchangeGraph.of(model, labels=[0, 0, 1])
    >>> graph.negative_cycle() is None, graph.prices()
    (True, array([0., 0.]))
    """

    lengths: NDArray[np.float64]
    points: NDArray[np.int64]
    scale: float

    @classmethod
    def of(cls, model: AssignmentModel, labels: ArrayLike, splits: Sequence[Split] = ()) -> ExchangeGraph:
        """The graph of a clustering (n,), whose split points count for every cluster that holds a share.

        Raises
        ------
        InvalidInputError
            If labels are not one number of 0..k-1 per point, or a split is not (point, cluster, share).
        CapabilityError
            When the polytope has side constraints.
        """
        from ..programs.assignment import AssignmentModel

        instance_of(model, "model", AssignmentModel)
        model.polytope.require_plain("the exchange graph", masks=True)
        model = model.without_mask()
        k = model.polytope.n_clusters
        y = checked_labels(labels, model.polytope.n_points, k)
        shares = Shares.of(y, splits, k)
        if not np.isfinite(shares.violation):
            raise InvalidInputError("splits are not shares of these points: pass (point, cluster, share) of each")
        gaps = ExchangeGaps.of(model.score_source, y, model.polytope.weights)
        lengths, points = np.pad(gaps.lengths, (0, 1), constant_values=np.inf), gaps.points
        for point, cluster, _ in splits:
            gamma = model.score_source.by_cluster(point, point + 1)
            shorten(lengths[cluster, :k], points[cluster], gamma[cluster] - gamma, np.array([point]))
        sizes = shares.sizes(model.polytope.weights, k)
        slack = model.polytope.slack
        lengths[:k, k][sizes < model.polytope.upper - slack] = 0.0
        lengths[k, :k][sizes > model.polytope.lower + slack] = 0.0
        np.fill_diagonal(lengths, 0.0)
        return cls(lengths, points, gaps.scale)

    @property
    def n_clusters(self) -> int:
        """Number of clusters k."""
        return len(self.points)

    def negative_cycle(self, tolerance: float = 1e-12) -> ExchangeCycle | None:
        """Moves that improve the clustering, or None when it is optimal up to ``tolerance * scale`` per arc."""
        return self._search(tolerance)[1]

    def prices(self, tolerance: float = 1e-12) -> NDArray[np.float64]:
        """Optimal prices mu (k,).

        Raises
        ------
        NotOptimalError
            When the clustering is not optimal for its scores; `negative_cycle` names the exchange.
        """
        potentials, cycle = self._search(tolerance)
        if cycle is not None:
            moves = ", ".join(f"point {m.point}: {m.source} -> {m.target}" for m in cycle.moves)
            raise NotOptimalError(
                f"labels is not optimal for these scores: moving {moves} gains {cycle.gain:.6g}; solve the "
                f"assignment program first"
            )
        return potentials

    def _search(self, tolerance: float) -> tuple[NDArray[np.float64], ExchangeCycle | None]:
        check_weight("tolerance", tolerance)
        k = self.n_clusters
        potentials, cycle = shortest_potentials(self.lengths, slack=0.0)
        if cycle is None:
            return self._signed(potentials), None
        proof = self._proof(cycle)
        if proof.gain > tolerance * self.scale * len(cycle):
            return potentials[:k], proof
        # the cycle is negative by rounding only; ask again for a real one with that much patience
        potentials, cycle = shortest_potentials(self.lengths, slack=tolerance * self.scale)
        if cycle is None or (proof := self._proof(cycle)).gain <= 0:
            return self._signed(potentials), None
        return potentials[:k], proof

    def _signed(self, potentials: NDArray[np.float64]) -> NDArray[np.float64]:
        k = self.n_clusters
        mu = potentials[:k] - potentials[k]
        mu = np.where(np.isfinite(self.lengths[:k, k]), np.minimum(mu, 0.0), mu)
        return np.where(np.isfinite(self.lengths[k, :k]), np.maximum(mu, 0.0), mu)

    def _proof(self, cycle: NDArray[np.int64]) -> ExchangeCycle:
        ahead, k = np.roll(cycle, -1), self.n_clusters
        moves = [Move(int(self.points[i, l]), int(i), int(l)) for i, l in zip(cycle, ahead) if i < k and l < k]
        return ExchangeCycle(tuple(moves), -float(self.lengths[cycle, ahead].sum()))
