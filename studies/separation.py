"""How far apart classes lie: within the clusters of a partition, and what that says about the log-loss.

For cluster p with class means mu_a, class weights W_a and mean mu,

    (1)  D = sum_j w_j |x_j - mu|^2        B = sum_a W_a |mu_a - mu|^2
    (2)  S = sum_{a<b} W_a W_b |mu_a - mu_b|^2 / sum_{a<b} W_a W_b,    |mu+ - mu-|^2 for two classes

Log-loss of a linear score s(x) = beta . x + beta_0 with two classes of weights N+, N- and N = N+ + N-:

    (3)  L = sum_+ log(1 + exp(-s)) + sum_- log(1 + exp(s))
    (4)  N log 2 - M  <=  L  <=  N (log(1 + exp(c)) - c / 2) - M,     M = (N+ s(mu+) - N- s(mu-)) / 2
                                                                  c = max_j |s(x_j)|

The lower line is the tangent of log(1 + exp(t)) at 0, the upper one its chord over [-c, c]; both hold for every beta,
not only the minimiser of L. L decreases, within these lines, as the class means move apart along beta.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partitope.base.checks import (
    as_array,
    as_floats,
    distinct,
    finite_rows,
    finite_vector,
    one_of,
    single_number,
    whole_number,
)
from partitope.base.errors import InvalidInputError


@dataclass(frozen=True, eq=False)
class SeparationBounds:
    """Log-loss of a linear score between two lines in the scores of the class means.

    Attributes
    ----------
    lower, upper : float
        The two sides of (4).
    loss : float
        L of (3).
    jensen : float
        The sharper lower bound N+ log(1 + exp(-s(mu+))) + N- log(1 + exp(s(mu-))).
    positive_mean, negative_mean : float
        s(mu+) and s(mu-).
    largest_score : float
        c.
    n_positive, n_negative : float
        N+ and N-, sums of weights.
    """

    lower: float
    upper: float
    loss: float
    jensen: float
    positive_mean: float
    negative_mean: float
    largest_score: float
    n_positive: float
    n_negative: float


@dataclass(frozen=True, eq=False)
class ClassSeparation:
    """Scatter and class separation of every cluster.

    Attributes
    ----------
    classes : (C,) ndarray
    weights : (k,) ndarray
        Number of points, or sum of weights.
    class_weights : (k, C) ndarray
    scatter : (k,) ndarray
        D of (1).
    between : (k,) ndarray
        B of (1).
    separation : (k,) ndarray
        S of (2); 0 for a cluster with points of one class.
    """

    classes: NDArray
    weights: NDArray[np.float64]
    class_weights: NDArray[np.float64]
    scatter: NDArray[np.float64]
    between: NDArray[np.float64]
    separation: NDArray[np.float64]

    def total(self, separation_weight: Literal["size", "unit"] = "size") -> float:
        """Sum of S over the clusters, each counted once a point ("size") or once ("unit")."""
        one_of(separation_weight, "separation_weight", ("size", "unit"))
        return float(self.separation @ (self.weights if separation_weight == "size" else np.ones(len(self.weights))))

    def objective(self, alpha: float, separation_weight: Literal["size", "unit"] = "size") -> float:
        """phi = D - alpha S of the clustering.

        Raises
        ------
        InvalidInputError
            When alpha is no finite number, or the kind of weight is not known.
        """
        return float(self.scatter.sum()) - single_number(alpha, "alpha") * self.total(separation_weight)


def class_separation(
    X: ArrayLike,
    labels: ArrayLike,
    y: ArrayLike,
    *,
    n_clusters: int | None = None,
    sample_weight: ArrayLike | None = None,
) -> ClassSeparation:
    """Scatter D, between-class scatter B and class separation S of every cluster.

    Parameters
    ----------
    X : (n, d) array_like
    labels : (n,) array_like of int
        Clusters from 0.
    y : (n,) array_like
        Classes.
    n_clusters : int, optional
        Number of clusters; default one more than the largest label.
    sample_weight : (n,) array_like, optional

    Raises
    ------
    InvalidInputError
        When lengths differ, labels are negative or n_clusters is not a positive integer, or an entry is no number.

    Notes
    -----
    Exact, O(n d + k C^2 d).

    Examples
    --------
    >>> from studies.separation import class_separation
    >>> class_separation([[0.0], [2.0], [5.0], [6.0]], [0, 0, 1, 1], [0, 1, 0, 1]).separation
    array([4., 1.])
    """
    X, w, classes, codes = _weighted_rows(X, y, sample_weight)
    labels = as_array(labels, "labels")
    if labels.shape != codes.shape:
        raise InvalidInputError(f"X {X.shape} and labels {labels.shape} do not fit: pass one label a row")
    if labels.dtype.kind not in "iu" or labels.min() < 0:
        raise InvalidInputError("labels must be integers from 0: number the clusters")
    k, C = int(labels.max()) + 1 if n_clusters is None else whole_number(n_clusters, "n_clusters"), len(classes)
    scatter, between, separation, class_weights = np.zeros(k), np.zeros(k), np.zeros(k), np.zeros((k, C))
    for p in range(k):
        inside = (labels == p) & (w > 0)
        class_weights[p] = np.bincount(codes[inside], w[inside], C)
        present = np.flatnonzero(class_weights[p])
        if not present.size:
            continue
        mean = np.average(X[inside], axis=0, weights=w[inside])
        means = np.array([np.average(X[m], axis=0, weights=w[m]) for m in (inside & (codes == a) for a in present)])
        scatter[p] = w[inside] @ ((X[inside] - mean) ** 2).sum(axis=1)
        between[p] = class_weights[p, present] @ ((means - mean) ** 2).sum(axis=1)
        if present.size > 1:
            first, second = np.triu_indices(present.size, 1)
            share = class_weights[p, present[first]] * class_weights[p, present[second]]
            separation[p] = share @ ((means[first] - means[second]) ** 2).sum(axis=1) / share.sum()
    return ClassSeparation(classes, class_weights.sum(axis=1), class_weights, scatter, between, separation)


def separation_bounds(
    X: ArrayLike, y: ArrayLike, coef: ArrayLike, intercept: float = 0.0, *, sample_weight: ArrayLike | None = None
) -> SeparationBounds:
    """Bounds (4) on the log-loss of the linear score beta . x + intercept.

    Parameters
    ----------
    X : (n, d) array_like
    y : (n,) array_like
        Two classes; the larger one is positive.
    coef : (d,) or (1, d) array_like
        beta, such as ``LogisticRegression.coef_``.
    intercept : float, default 0.0
    sample_weight : (n,) array_like, optional

    Raises
    ------
    InvalidInputError
        When y has not exactly two classes, lengths do not fit, or an entry is no number.

    Notes
    -----
    Exact up to rounding, O(n d).

    References
    ----------
    Srivastava et al.: Don't Just Divide; Polarize and Conquer!, Theorem 4.

    Examples
    --------
    >>> from studies.separation import separation_bounds
    >>> bounds = separation_bounds([[-1.0], [2.0]], [0, 1], [1.0])
    >>> bounds.lower <= bounds.loss <= bounds.upper
    True
    """
    X, w, classes, codes = _weighted_rows(X, y, sample_weight)
    beta, offset = as_floats(coef, "coef").ravel(), as_floats(intercept, "intercept").ravel()
    if X.shape[1] != len(beta):
        raise InvalidInputError(f"X {X.shape} and coef {beta.shape} do not fit: pass one coefficient a column")
    if not offset.size:
        raise InvalidInputError("intercept is empty: pass a number")
    if len(classes) != 2:
        raise InvalidInputError(f"y has {len(classes)} classes, expected two: the bounds are for a binary score")
    score = X @ beta + float(offset[0])
    positive = codes == 1
    up, down = float(w[positive].sum()), float(w[~positive].sum())
    if up <= 0 or down <= 0:
        raise InvalidInputError("a class has no weight: give both classes points of positive weight")
    high, low = float(w[positive] @ score[positive]) / up, float(w[~positive] @ score[~positive]) / down
    loss = float(w @ np.logaddexp(0.0, np.where(positive, -score, score)))
    largest = float(np.abs(score[w > 0]).max())
    gain = (up * high - down * low) / 2
    return SeparationBounds(
        lower=(up + down) * float(np.log(2.0)) - gain,
        upper=(up + down) * (float(np.logaddexp(0.0, largest)) - largest / 2) - gain,
        loss=loss,
        jensen=up * float(np.logaddexp(0.0, -high)) + down * float(np.logaddexp(0.0, low)),
        positive_mean=high,
        negative_mean=low,
        largest_score=largest,
        n_positive=up,
        n_negative=down,
    )


def _weighted_rows(
    X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray, NDArray[np.int64]]:
    """X (n, d), weights (n,), the classes of y (n,), and which of them each row has."""
    rows, target = finite_rows(X), as_array(y, "y")
    n = len(rows)
    if target.shape != (n,) or not n:
        raise InvalidInputError(f"X {rows.shape} and y {target.shape} do not fit: pass one class a row")
    w = np.ones(n) if sample_weight is None else finite_vector(sample_weight, "sample_weight", n, "row")
    return rows, w, *distinct(target, "y")
