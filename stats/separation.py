"""How far apart classes lie within clusters, and what that says about the log-loss of a linear model there.

For cluster p with class means mu_a, class weights W_a and mean mu,

    (1)  D = sum_j w_j |x_j - mu|^2        B = sum_a W_a |mu_a - mu|^2
    (2)  S = sum_{a<b} W_a W_b |mu_a - mu_b|^2 / sum_{a<b} W_a W_b,    |mu+ - mu-|^2 for two classes

Log-loss of a linear score s(x) = beta . x + beta_0 with two classes of weights W+, W- and W = W+ + W-:

    (3)  L = sum_+ w_j log(1 + exp(-s)) + sum_- w_j log(1 + exp(s))
    (4)  W log 2 - M  <=  L  <=  W (log(1 + exp(c)) - c / 2) - M,     M = (W+ s(mu+) - W- s(mu-)) / 2
                                                                  c = max_j |s(x_j)|

The lower line is the tangent of log(1 + exp(t)) at 0, the upper one its chord over [-c, c]; both hold for every beta,
not only the minimiser of L. L decreases, within these lines, as the class means move apart along beta.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.checks import as_array, as_floats, cluster_numbers, distinct, finite_rows, finite_vector, same_length
from ..base.errors import InvalidInputError

if TYPE_CHECKING:
    import pandas as pd


def class_separation(
    X: ArrayLike,
    labels: ArrayLike,
    y: ArrayLike,
    *,
    coef: ArrayLike | None = None,
    intercept: ArrayLike = 0.0,
    sample_weight: ArrayLike | None = None,
) -> pd.DataFrame:
    """Scatter and class separation of every cluster, and bounds on the log-loss of linear scores.

    Parameters
    ----------
    X : (n, d) array_like
        Points.
    labels : (n,) array_like of int
        Their clusters from 0.
    y : (n,) array_like
        Their classes.
    coef : (d,) or (k, d) array_like, optional
        beta, one for all clusters or one each; for two classes, the larger one positive.
    intercept : float or (k,) array_like, default 0.0
        beta_0.
    sample_weight : (n,) array_like, optional
        Weights of the points.

    Returns
    -------
    DataFrame
        One row per cluster: weight; scatter and between, D and B of (1); separation, S of (2), 0 for a cluster of one
        class. With ``coef`` also loss, L of (3), and lower and upper of (4), nan for a cluster of one class. The
        objective of CAC is the sum of scatter - alpha * weight * separation.

    Raises
    ------
    InvalidInputError
        If lengths differ, labels are negative, an entry is not a number, or scores are not for two classes.

    Notes
    -----
    Exact up to rounding, O(n d + k C^2 d).

    References
    ----------
    Srivastava et al.: Don't Just Divide; Polarize and Conquer!, Theorem 4.

    Examples
    --------
    >>> from partitope.stats import class_separation
    >>> class_separation([[0.0], [2.0], [5.0], [6.0]], [0, 0, 1, 1], [0, 1, 0, 1])["separation"].tolist()
    [4.0, 1.0]
    """
    import pandas as pd

    rows, (classes, codes), cells = finite_rows(X), distinct(as_array(y, "y"), "y"), cluster_numbers(labels, "labels")
    n, k = same_length(X=rows, labels=cells, y=codes), int(cells.max()) + 1
    w = np.ones(n) if sample_weight is None else finite_vector(sample_weight, "sample_weight", n, "row")
    members = [np.flatnonzero((cells == p) & (w > 0)) for p in range(k)]
    found = [(float(w[m].sum()), *_scatters(rows[m], codes[m], w[m])) for m in members]
    table = pd.DataFrame(found, columns=["weight", "scatter", "between", "separation"])
    if coef is None:
        return table
    if len(classes) != 2:
        raise InvalidInputError(f"y has {len(classes)} classes, expected two: the bounds are for a binary score")
    beta, offset = np.atleast_2d(as_floats(coef, "coef")), as_floats(intercept, "intercept").ravel()
    if beta.shape not in ((1, rows.shape[1]), (k, rows.shape[1])) or len(offset) not in (1, k):
        raise InvalidInputError(
            f"coef {beta.shape} and intercept {offset.shape} do not fit {k} clusters of {rows.shape[1]} columns: pass "
            f"one coefficient per column, for all clusters or for each"
        )
    slopes, heights = np.broadcast_to(beta, (k, rows.shape[1])), np.broadcast_to(offset, k)
    scores = [rows[m] @ slopes[p] + heights[p] for p, m in enumerate(members)]
    losses = [_loss_bounds(s, codes[m] == 1, w[m]) for s, m in zip(scores, members)]
    return table.join(pd.DataFrame(losses, columns=["loss", "lower", "upper"]))


def _scatters(X: NDArray[np.float64], codes: NDArray[np.int64], w: NDArray[np.float64]) -> tuple[float, float, float]:
    """D, B and S of the points X (m, d) of one cluster with classes (m,) and weights (m,)."""
    if not len(X):
        return 0.0, 0.0, 0.0
    present, places = np.unique(codes, return_inverse=True)
    W, mean = np.bincount(places, w), np.average(X, axis=0, weights=w)
    means = np.array([np.average(X[places == a], axis=0, weights=w[places == a]) for a in range(len(present))])
    scatter, between = float(w @ ((X - mean) ** 2).sum(axis=1)), float(W @ ((means - mean) ** 2).sum(axis=1))
    first, second = np.triu_indices(len(present), 1)
    pairs = W[first] * W[second]
    squares = ((means[first] - means[second]) ** 2).sum(axis=1)
    return scatter, between, float(pairs @ squares / pairs.sum()) if len(pairs) else 0.0


def _loss_bounds(
    score: NDArray[np.float64], positive: NDArray[np.bool_], w: NDArray[np.float64]
) -> tuple[float, float, float]:
    """L of (3) and both sides of (4) for scores (m,), nan where one class is absent."""
    if not positive.any() or positive.all():
        return np.nan, np.nan, np.nan
    loss = float(w @ np.logaddexp(0.0, np.where(positive, -score, score)))
    gain, largest = float(w @ np.where(positive, score, -score)) / 2, float(np.abs(score).max())
    upper = float(w.sum()) * (float(np.logaddexp(0.0, largest)) - largest / 2) - gain
    return loss, float(w.sum() * np.log(2.0)) - gain, upper
