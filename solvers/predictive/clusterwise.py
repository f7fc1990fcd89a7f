"""Clusterwise regression within size bounds: cells that are chosen by the models that live in them.

    maximise  F = sum_j w_j sum_i xi_ij ( log p(y_j | x_j; V_i) + log g_i(x_j) ) - r/2 sum_i |V_i|^2 - s/2 |G|^2

    (1)  xi in P(l, u), whole                           the cluster of every point, within the bounds on sizes
    (2)  g(x) = softmax(G'x)                            the gate: one affine function per cluster
    (3)  p(y | x; V_i) = softmax(x'(W + V_i))           classes; W is the logistic regression of all rows
         p(y | x; V_i) = N(x'(W + V_i), sigma^2)        numbers; W is the linear regression of all rows

A round maximises F over one block of variables after the other: xi by an assignment program (exact; where the points'
weights differ, those that it splits are rounded), G by a multinomial logistic regression, V and sigma by one
regression per cluster (both convex). So F never falls, and a round that does
not raise it ends the run. The whole is a heuristic: a local optimum of the three blocks. This is the classification
form of a mixture of experts whose clusters have bounded sizes.

The clusters that are returned are the cells of the gate within the bounds,

    (4)  maximise  sum_j w_j sum_i xi_ij G_i'x_j   over P(l, u),

an assignment program of affine scores: its prices make the cells a power diagram, and certify the last step. Models are
fitted once more in these cells.

Starts: a greedy tree, which splits the cell and column whose two linear models lower the sum of squares most, at a
quartile of the column; further starts are the cells of random gates.

References
----------
Spaeth (1979), Algorithm 39: clusterwise linear regression, Computing 22; Jacobs, Jordan, Nowlan and Hinton (1991) and
Jordan and Jacobs (1994), Neural Computation 3 and 6, for mixtures of experts; Celeux and Govaert (1992), Computational
Statistics and Data Analysis 14, for the classification form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from ...base.arrays import Reals
from ...base.checks import check_positive, distinct, in_interval
from ...base.errors import InvalidInputError
from ...base.status import Status
from ...models.diagram.power_diagram import PowerDiagram
from ...models.objectives.objectives import Sense
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.assignment import AssignmentModel
from ...models.scores.scores import AffineScores
from ...stats.multinomial import Group, fit_groups, path_of_all, softmax
from ..assignment.rounding import round_within
from ..assignment.solve import solve
from ..partition import Partition
from ..partitioner import Needs, Partitioner, Points, Random, Target
from ..solution import AssignmentSolution

GATE_PENALTY = 0.1  # The penalty s of F: the gate may be steep, so that its cells have sharp boundaries.
TREE_ROWS = 2000  # Random rows from which the tree of a start is grown.
TOLERANCE = 1e-4  # A regression stops at this fraction of its first gradient.


class Round(NamedTuple):
    """One state of a run: labels (n,), gate G (p, k), deviations V (k, p, C), residual variance, and the value F."""

    labels: NDArray[np.int64]
    gate: Reals
    deviations: Reals
    variance: float
    value: float


@dataclass(eq=False, repr=False, kw_only=True)
class ClusterwiseRegression(Partitioner):
    """Cells in each of which one linear model explains the target: regimes, within bounds on their sizes.

    Parameters
    ----------
    penalty : float, default 1.0
        r of the module's F, greater than 0: how strongly the model of a cell is drawn to the model of all rows.
    n_init : int, default 3
        Starts: the first is a tree of linear models, the others are random gates; the largest F is returned.
    max_iter : int, default 50
        Largest number of rounds of a start.
    random_state : int, RandomState or None
        Seed of the random gates and of the rows for the tree.

    Attributes
    ----------
    partition_ : Partition
        ``objective`` is F in the cells of the gate; ``history["objective"]`` is F after each round of the best start,
        which never falls; ``certificate`` proves the cells optimal for the gate; ``power_diagram`` has the rows of the
        gate as sites.
    classes_ : (C,) ndarray or None
        Classes in sorted order; None where the target holds numbers.
    coefficients_ : (k, d + 1, C) ndarray
        Linear functions of the cells in the units of X, the intercept last: log-odds up to a constant for classes,
        predictions for numbers (C = 1).

    Raises
    ------
    InvalidInputError
        When the target is missing, holds one class or is not finite, or a parameter is not positive.
    InfeasibleBoundsError
        When no clustering satisfies the bounds.

    Notes
    -----
    Heuristic: a local optimum of F over clusters, gate and models; each block is exact. One round costs an assignment
    program of n k scores and O(n k p^2) for p = d + 1 coefficients. Columns are standardised inside. Whole numbers are
    classes, as in scikit-learn: pass floats that are not all whole for a numeric target.

    References
    ----------
    See the module `partitope.solvers.predictive.clusterwise`.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.solvers import ClusterwiseRegression
    >>> x = np.linspace(-1.0, 1.0, 80)[:, None]
    >>> model = ClusterwiseRegression(2, lower=30, random_state=0).fit(x, np.abs(x[:, 0]))
    >>> bool(np.abs(model.predict_target(x) - np.abs(x[:, 0])).max() < 0.1)
    True
    """

    needs: ClassVar[Needs] = Needs(target="required", sample_weight=True, n_points=2)
    objective_sense: ClassVar[Sense] = "max"

    penalty: float = 1.0
    n_init: int = 3
    max_iter: int = 50

    def _partition(
        self, X: Points, y: Target, covariates: object, polytope: PartitionPolytope, rng: Random
    ) -> Partition:
        assert y is not None
        check_positive(self, "n_init", "max_iter")
        in_interval(self.penalty, "penalty", 0.0, np.inf)
        weights = np.array(polytope.point_weights, dtype=np.float64)
        centre, scale = _mean_and_spread(X, weights)
        scale = np.where(scale > 0.0, scale, 1.0)
        rows = np.column_stack([(X - centre) / scale, np.ones(len(X))])
        target, unit = self._target(y, weights)
        experts = _Experts.of(rows, target, weights, self.classes_ is not None, float(self.penalty))
        # the best of several ascents; each is a list of rounds
        runs = [
            _ascend(experts, labels, polytope, self.max_iter)
            for labels in _starts(experts, polytope.n_clusters, self.n_init, rng)
        ]
        best = max(runs, key=lambda run: run[-1].value)
        # (4): the cells of the gate, in the units of X
        gradients, offsets = best[-1].gate[:-1].T / scale, best[-1].gate[-1]
        model = AssignmentModel(polytope, AffineScores(gradients, offsets, centre).on(X))
        solution = solve(model)
        labels, prices = _whole(solution, polytope), solution.prices
        assert prices is not None
        last = experts.fitted(labels, best[-1].gate, best[-1].variance)
        coefficients = experts.shared + last.deviations
        slopes = coefficients[:, :-1] / scale[None, :, None]
        intercepts = coefficients[:, -1:] - np.einsum("d,kdc->kc", centre, slopes)[:, None]
        self.coefficients_ = np.concatenate([slopes, intercepts], axis=1) * unit[1]
        self.coefficients_[:, -1] += unit[0]
        return Partition(
            labels=labels,
            sizes=polytope.sizes(labels),
            objective=last.value,
            history={"objective": np.array([one.value for one in best])},
            certificate=solution.verify(),
            power_diagram=PowerDiagram(gradients, prices - offsets, "csa", centre),
            n_iter=len(best),
            prices=solution.named_prices,
            status=Status.CONVERGED if len(best) < self.max_iter else Status.ITERATION_LIMIT,
            local_optimum="blocks of clusters, gate and models",
        )

    def _target(self, y: NDArray, weights: Reals) -> tuple[Reals, tuple[float, float]]:
        """Indicators (n, C) of the classes, or standardised numbers (n, 1), with the offset and unit of the latter."""
        self.classes_: NDArray | None = None
        if not type_of_target(y).startswith("continuous"):
            self.classes_, codes = distinct(y, "y")
            if len(self.classes_) < 2:
                raise InvalidInputError(f"y holds one class, {self.classes_[0]!r}: pass at least two, or numbers")
            return np.eye(len(self.classes_))[codes], (0.0, 1.0)
        numbers = y.astype(np.float64)
        if not np.isfinite(numbers).all():
            raise InvalidInputError("y holds NaN or infinity: pass finite numbers")
        offset, spread = _mean_and_spread(numbers, weights)
        unit = float(spread) or 1.0
        return ((numbers - offset) / unit)[:, None], (float(offset), unit)

    def predict_target(self, X: ArrayLike) -> Reals:
        """The target of new rows X (m, d) by the model of their cell: numbers (m,), or probabilities (m, C)."""
        check_is_fitted(self)
        points = self._validate_points(X, reset=False)
        coefficients = self.coefficients_[self.partition_.predict(points)]
        values = np.einsum("md,mdc->mc", points, coefficients[:, :-1]) + coefficients[:, -1]
        return np.asarray(values[:, 0] if self.classes_ is None else softmax(values), dtype=np.float64)


class _Experts(NamedTuple):
    """Rows (n, p) with an intercept, target (n, C), weights (n,), the model W (p, C) of all rows, and the penalty r."""

    rows: Reals
    target: Reals
    weights: Reals
    shared: Reals
    is_class: bool
    penalty: float

    @classmethod
    def of(
        cls,
        rows: Reals,
        target: Reals,
        weights: Reals,
        is_class: bool,
        penalty: float,
    ) -> _Experts:
        """With W from all rows: a logistic or a linear regression with the same penalty."""
        if is_class:
            group = Group(rows, target, np.zeros_like(target), weights)
            free = np.arange(rows.shape[1]) == rows.shape[1] - 1
            shared = next(path_of_all(group, free, [penalty], TOLERANCE))
        else:
            shared = _ridge(rows, target, weights, penalty)
        return cls(rows, target, weights, np.asarray(shared, dtype=np.float64), is_class, penalty)

    def fitted(self, labels: NDArray[np.int64], gate: Reals, variance: float) -> Round:
        """The round with these clusters and this gate, with V and then sigma at their best."""
        k, first, w = gate.shape[1], self.rows @ self.shared, self.weights
        members = [np.flatnonzero(labels == i) for i in range(k)]
        if self.is_class:
            groups = [Group(self.rows[m], self.target[m], first[m], w[m]) for m in members]
            deviations = np.asarray(fit_groups(groups, [self.penalty], TOLERANCE)[0], dtype=np.float64)
        else:
            rest = self.target - first
            deviations = np.array([_ridge(self.rows[m], rest[m], w[m], self.penalty * variance) for m in members])
            errors = rest[:, 0] - np.einsum("np,np->n", self.rows, deviations[labels, :, 0])
            variance = max(float(np.average(errors**2, weights=w)), 1e-12)
        fits = self.log_likelihoods(deviations, variance) + _log_softmax(self.rows @ gate)
        value = w @ fits[np.arange(len(labels)), labels] - 0.5 * self.penalty * float((deviations**2).sum())
        value -= 0.5 * GATE_PENALTY * float((gate[:-1] ** 2).sum())
        return Round(labels, gate, deviations, variance, float(value))

    def log_likelihoods(self, deviations: Reals, variance: float) -> Reals:
        """log p (n, k) of (3) for every row in every cluster."""
        found = np.empty((len(self.rows), len(deviations)))
        for i, deviation in enumerate(deviations):
            scores = self.rows @ (self.shared + deviation)
            if self.is_class:
                found[:, i] = (_log_softmax(scores) * self.target).sum(axis=1)
            else:
                found[:, i] = -0.5 * ((self.target - scores)[:, 0] ** 2 / variance + np.log(2.0 * np.pi * variance))
        return found


def _ascend(experts: _Experts, labels: NDArray[np.int64], polytope: PartitionPolytope, max_iter: int) -> list[Round]:
    """Rounds of rising F from starting labels (n,), of which only the first may break the bounds."""
    k, free = polytope.n_clusters, np.arange(experts.rows.shape[1]) == experts.rows.shape[1] - 1
    rounds: list[Round] = []
    variance = 1.0
    for _ in range(max_iter):
        # G: the gate that predicts the clusters; V: one model per cluster
        group = Group(experts.rows, np.eye(k)[labels], np.zeros((len(labels), k)), experts.weights)
        gate = np.zeros((len(free), k))
        if k > 1:
            gate = np.asarray(next(path_of_all(group, free, [GATE_PENALTY], TOLERANCE)), dtype=np.float64)
        found = experts.fitted(labels, gate, variance)
        variance = found.variance
        # the labels of a start need not keep the bounds: its value is not a value of the program
        if len(rounds) > 1 and found.value <= rounds[-1].value:
            break
        rounds.append(found)
        # xi: the exact assignment to models and gate
        fits = experts.log_likelihoods(found.deviations, variance) + _log_softmax(experts.rows @ gate)
        labels = _whole(solve(AssignmentModel(polytope, fits)), polytope)
        if len(rounds) > 1 and np.array_equal(labels, rounds[-1].labels):
            break
    return rounds[1:] or rounds


def _mean_and_spread(X: NDArray, weights: Reals) -> tuple[Reals, Reals]:
    """Means and standard deviations of columns."""
    mean = np.average(X, axis=0, weights=weights)
    return mean, np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weights))


def _whole(solution: AssignmentSolution, polytope: PartitionPolytope) -> NDArray[np.int64]:
    """Labels (n,) of an assignment, within the bounds where points of unequal weight were split."""
    return round_within(solution.require_labels(), solution.splits, polytope).labels


def _starts(experts: _Experts, k: int, n_init: int, rng: Random) -> list[NDArray[np.int64]]:
    """Labels (n,) of every start: the tree, then random gates."""
    rows = experts.rows
    found = [_tree(rows, experts.target, experts.weights, k, rng)]
    for _ in range(n_init - 1):
        found.append((rows @ rng.normal(size=(rows.shape[1], k))).argmax(axis=1))
    return found


def _tree(rows: Reals, target: Reals, weights: Reals, k: int, rng: Random) -> NDArray[np.int64]:
    """Labels (n,) of the k leaves of a greedy tree of linear models, grown from at most `TREE_ROWS` rows."""
    chosen = np.sort(rng.permutation(len(rows))[:TREE_ROWS])
    Z, T, w = rows[chosen], target[chosen], weights[chosen]
    leaves, labels = [(np.arange(len(Z)), np.arange(len(rows)))], np.zeros(len(rows), dtype=np.int64)
    splits = [_best_split(Z, T, w, leaves[0][0])]
    while len(leaves) < k:
        place = int(np.argmax([gain for gain, _, _ in splits]))
        gain, column, cut = splits[place]
        if not np.isfinite(gain):  # too few rows everywhere: the remaining clusters start empty
            break
        halves = [part[side] for part, table in zip(leaves[place], (Z, rows))
                  for side in (table[part, column] <= cut, table[part, column] > cut)]  # fmt: skip
        leaves[place : place + 1] = [(halves[0], halves[2]), (halves[1], halves[3])]
        splits[place : place + 1] = [_best_split(Z, T, w, leaf) for leaf, _ in leaves[place : place + 2]]
    for i, (_, members) in enumerate(leaves):
        labels[members] = i
    return labels


def _best_split(Z: Reals, T: Reals, w: Reals, leaf: NDArray[np.int64]) -> tuple[float, int, float]:
    """Gain in the sum of squares, column and cut of the best split of a leaf at a quartile; -inf where none fits."""
    p, best = Z.shape[1], (-np.inf, 0, 0.0)
    if len(leaf) < 8 * p:  # a quarter of the rows must still determine a model
        return best
    before = _squares(Z, T, w, leaf)
    for column in range(p - 1):
        for cut in np.unique(np.quantile(Z[leaf, column], (0.25, 0.5, 0.75))):
            left = Z[leaf, column] <= cut
            if min(left.sum(), (~left).sum()) < 2 * p:
                continue
            gain = before - _squares(Z, T, w, leaf[left]) - _squares(Z, T, w, leaf[~left])
            if gain > best[0]:
                best = (gain, column, float(cut))
    return best


def _squares(Z: Reals, T: Reals, w: Reals, leaf: NDArray[np.int64]) -> float:
    """Weighted sum of squares of the residuals of a linear model of some rows, with a penalty of 1."""
    rows, aims, weights = Z[leaf], T[leaf], w[leaf, None]
    fitted = _ridge(rows, aims, w[leaf], 1.0)
    return float((weights * aims**2).sum() - ((rows.T @ (weights * aims)) * fitted).sum())


def _ridge(Z: Reals, T: Reals, w: Reals, penalty: float) -> Reals:
    """Coefficients (p, C) of the weighted linear regression with this penalty."""
    weighted = Z.T * w
    moments = weighted @ Z
    moments[np.diag_indices(len(moments))] += penalty + 1e-12 * (1.0 + np.trace(moments))
    return np.asarray(np.linalg.solve(moments, weighted @ T))


def _log_softmax(S: Reals) -> Reals:
    """Logarithms of `softmax` of scores (n, k)."""
    rest = S - S.max(axis=1, keepdims=True)
    return np.asarray(rest - np.log(np.exp(rest).sum(axis=1, keepdims=True)))
