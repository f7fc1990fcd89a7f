"""Clustering aware classification: clusters that are compact and whose classes are far apart.

    minimise  phi = sum_p ( D_p - alpha omega_p S_p )          over clusterings within the size bounds

    (1)  D_p = sum_{j in p} w_j |x_j - mu_p|^2
    (2)  S_p = sum_{a<b} W_a W_b |mu_a - mu_b|^2 / sum_{a<b} W_a W_b     mu_a, W_a mean and weight of class a in p
    (3)  omega_p = W_p  ("size")   or   1  ("unit")

With two classes (2) is |mu+ - mu-|^2; with more it is the mean of that over the pairs of classes, each weighted by
the number of pairs of points, and equals 2 W B / (W^2 - sum_a W_a^2) with B the scatter between the classes. A
cluster with points of one class only has S_p = 0. The papers print (3) in both forms; "size" is the one of their
derivations and of their published alphas.

Hartigan's method: points are visited one by one, and each moves to the cluster that lowers phi the most, if any does,

    (4)  unless its removal leaves fewer than two classes behind       (alpha > 0 and at least two classes)
    (5)  and only where  l_p <= W_p - w,  W_q + w <= u_q,  and masks and rows of a polytope allow it (`row_slack`)

A round without a move ends the run. With size bounds there are exchanges of two points between two clusters, too,
subject to (4) and (5), and the run ends when neither a move nor an exchange lowers phi. Since every step lowers phi,
it ends (first paper, Theorem 2). Exchanges (`swaps`) are looked for where no point moves alone; where weights differ,
of all pairs at the end only.

A run within bounds starts where one without them ended, at the assignment within the bounds that the changes of phi
by single moves from there make cheapest: a linear program. That is near a good end; from bounded k-means the boundaries
drift there in hundreds of rounds. With alpha = 0 this is Hartigan's k-means. A new point belongs to
the nearest mean mu_p.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from ...base.arrays import Integers, Reals
from ...base.checks import check_positive, check_weight, distinct, one_of
from ...base.status import Status
from ...models.diagram.power_diagram import PowerDiagram
from ...models.objectives.objectives import Sense
from ...models.polytope.kinds import LINEAR
from ...models.polytope.polytope import PartitionPolytope
from ..partition import Partition
from ..partitioner import Needs, Partitioner, Points, Random, Target
from .kernels import Descent, Rule, empty_state, recompute, sweep
from .row_slack import RowSlack
from .start import labels_within, starting_labels, without_bounds
from .swaps import sweep_swaps

CLOSED = 1e300  # Price of a cell without points: no point is ever assigned to it.


@dataclass(eq=False, repr=False, kw_only=True)
class CAC(Partitioner):
    """Clusters for local classifiers: small scatter, classes far apart within each cluster.

    Parameters
    ----------
    alpha : float, default 1.0
        Weight of the separation of the classes, at least 0.
    separation_weight : {"size", "unit"}, default "size"
        Whether the separation of a cluster counts once per point or once.
    init : {"k-means", "random"}, (n,) array_like of int, Partition or Partitioner, default "k-means"
        Starting partition: the best of ``n_init`` k-means runs (with size bounds, CAC without them from there, brought
        within them by one exact assignment), random, or given; a Partitioner is cloned and fitted.
    n_init : int, default 10
        Runs of k-means in ``init="k-means"``.
    shuffle : bool, default False
        Visit the points in a new random order every round instead of their own order.
    max_iter : int, default 300
        Rounds at most, and with size bounds and ``init="k-means"`` as many without them before.
    record_rounds : bool, default False
        Keep the partition of every round in ``rounds_``.
    random_state : int, RandomState or None
        Seed of the start and of the order.

    Attributes
    ----------
    partition_ : Partition
        ``objective`` is phi; ``history`` has the columns objective, D, S, moves, swaps with one row per round, the
        first for the start: phi = D - alpha S, S summed with the weights (3); ``power_diagram`` has the means as
        sites and equal prices.
    classes_ : (C,) ndarray
        Classes in sorted order.
    means_ : (k, d) ndarray
        Means of the clusters; of an empty cluster the mean of X, in a cell that holds no point.
    rounds_ : list of (labels, PowerDiagram)
        With ``record_rounds``: the start and every round.

    Raises
    ------
    InvalidInputError
        When a parameter has an unknown value, or ``init`` violates the bounds.
    InfeasibleBoundsError
        When no clustering satisfies the bounds.

    Notes
    -----
    Heuristic: ends in a local optimum of single moves, and with size bounds of exchanges too. A round costs
    O(n k d). A round of exchanges takes O(n k C d) and O(d) per pair of points that is read: few where all points weigh
    the same; where weights differ the last round reads all, O(n^2 d). Means are recomputed after every round so that
    rounding does not build up.
    Points of weight 0 keep the cluster of the start.
    ``fit(X, y, polytope=...)`` keeps masks, several size dimensions, shares and custom rows with whole
    points, at every move.
    The rule (4) freezes the points of a cluster that starts with one class; other points may still join it.
    For ``alpha`` so large that phi is dominated by the separation, clusters spread over each other.

    References
    ----------
    Srivastava, Bhatia, Huang, Lim, Kawaguchi, Rajan: CAC: A Clustering Based Framework for Classification.
    The same authors: Don't Just Divide; Polarize and Conquer!

    Examples
    --------
    >>> from partitope.solvers import CAC
    >>> X = [[0.0, 0.0], [0.0, 1.0], [9.0, 0.0], [9.0, 1.0]]
    >>> CAC(2, random_state=0).fit(X, [0, 1, 0, 1]).partition_.history["S"]
    array([4.])
    """

    needs: ClassVar[Needs] = Needs(target="required", sample_weight=True, supports=LINEAR)
    objective_sense: ClassVar[Sense] = "min"

    alpha: float = 1.0
    separation_weight: Literal["size", "unit"] = "size"
    init: Any = "k-means"
    n_init: int = 10
    shuffle: bool = False
    max_iter: int = 300
    record_rounds: bool = False

    def _partition(self, X: Points, y: Target, covariates: Any, polytope: PartitionPolytope, rng: Random) -> Partition:
        assert y is not None
        self._check_parameters(X)
        check_classification_targets(y)
        self.classes_, codes = distinct(y, "y")
        origin = np.average(X, axis=0, weights=polytope.weights).astype(np.float64)
        points = np.ascontiguousarray(X - origin, dtype=np.float64)
        labels = starting_labels(self.init, points, codes, polytope, self.n_init, rng)
        if isinstance(self.init, str) and self.init == "k-means" and not polytope.is_free:
            free = _Run(points, codes, labels, without_bounds(polytope), self, len(self.classes_))
            free.descend(self, rng)
            labels = labels_within(free.descent, polytope)
        run = _Run(points, codes, labels, polytope, self, len(self.classes_))
        status = run.descend(self, rng)
        self.means_, diagram = run.cells(origin)
        if self.record_rounds:
            self.rounds_ = [(kept, _diagram(means, sizes, origin)) for kept, means, sizes in run.kept]
        return Partition(
            labels=run.labels,
            sizes=polytope.sizes(run.labels),
            objective=run.trace[-1][0],
            history={name: np.array(c) for name, c in zip(("objective", "D", "S", "moves", "swaps"), zip(*run.trace))},
            power_diagram=diagram,
            n_iter=len(run.trace) - 1,
            status=status,
            local_optimum="" if status is not Status.CONVERGED else "moves and swaps" if run.bounded else "moves",
        )

    def _check_parameters(self, X: NDArray[np.float64]) -> None:
        check_positive(self, "n_init", "max_iter")
        check_weight("alpha", self.alpha)
        one_of(self.separation_weight, "separation_weight", ("size", "unit"))


class _Run:
    """One descent: labels, sums of the clusters, and the trace."""

    def __init__(
        self, X: Reals, y: Integers, labels: Integers, polytope: PartitionPolytope, options: CAC, n_classes: int
    ) -> None:
        self.rule = Rule(
            float(options.alpha),
            options.separation_weight == "size",
            options.alpha > 0 and n_classes > 1,
            np.array(polytope.lower),
            np.array(polytope.upper),
            polytope.slack,
        )
        self.labels, self.state = labels, empty_state(polytope.n_clusters, n_classes, X.shape[1])
        self.descent = Descent(X, y, np.array(polytope.point_weights), labels, self.state, self.rule)
        self.bounded = not polytope.is_free
        self.row_slack = RowSlack.of(polytope)
        self.within = np.zeros(polytope.n_clusters)
        self.trace: list[tuple[float, float, float, int, int]] = []
        self.kept: list[tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]] = []

    def record(self, moves: int, swaps: int, keep: bool) -> None:
        """Recompute the sums and append a row to the trace."""
        recompute(*self.descent[:5], self.within)
        if self.row_slack is not None:
            self.row_slack.activity[:] = self.row_slack.pairs.activity(self.labels, len(self.within))
        D = float(self.within.sum())
        weight, pairs = self.state.weight, self.state.pairs
        mixed = ((self.state.class_count > 0).sum(axis=1) > 1) & (pairs > 0.0)
        factor = weight[mixed] if self.rule.by_size else 1.0
        S = float((factor * weight[mixed] * self.state.between[mixed] / pairs[mixed]).sum())
        self.trace.append((D - self.rule.alpha * S, D, S, moves, swaps))
        if keep:
            self.kept.append((self.labels.copy(), self.state.mean.copy(), self.state.weight.copy()))

    def descend(self, options: CAC, rng: np.random.RandomState) -> Status:
        """Rounds of moves, and of exchanges once moves are exhausted, until neither lowers phi."""
        self.record(0, 0, options.record_rounds)
        order = np.arange(len(self.labels))
        settled = np.zeros((len(self.within), len(self.within)), dtype=np.int64)
        for _ in range(options.max_iter):
            if options.shuffle:
                order = rng.permutation(len(self.labels))
            before = self.labels.copy() if self.bounded else self.labels
            moves, swaps = sweep(self.descent, order, self.row_slack), 0
            if self.bounded:
                moved = before != self.labels
                changed = np.unique(np.concatenate([before[moved], self.labels[moved]]))
                settled[changed] = settled[:, changed] = 0
            for thorough in (False, True) if self.bounded else ():
                if moves + swaps == 0:
                    swaps = sweep_swaps(self.descent, self.row_slack, settled, thorough)
            if self.row_slack is not None and moves + swaps:  # a custom row may speak of all clusters
                settled[:] = 0
            if moves + swaps == 0:
                return Status.CONVERGED
            self.record(moves, swaps, options.record_rounds)
        return Status.ITERATION_LIMIT

    def cells(self, origin: NDArray[np.float64]) -> tuple[NDArray[np.float64], PowerDiagram]:
        """Means in the user's coordinates and their nearest-mean cells."""
        return self.state.mean + origin, _diagram(self.state.mean, self.state.weight, origin)


def _diagram(means: NDArray[np.float64], sizes: NDArray[np.float64], origin: NDArray[np.float64]) -> PowerDiagram:
    """Cells of the nearest mean; the cell of a cluster without weight is closed."""
    return PowerDiagram(means + origin, np.where(sizes > 0, 0.0, CLOSED), "lsa", origin)
