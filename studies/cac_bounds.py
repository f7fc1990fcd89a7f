"""Theorems 1 and 4 of the papers on clustering aware classification as numbers.

Theorem 1. With probability 1 - delta the expected loss of every model of cluster p is at most

    (1)  training loss  +  2 R_p  +  lambda sqrt(ln(1 / delta_p) / (2 n_p))

Models are lines with |w| <= B, rows have |x| <= r, the loss is ln(1 + exp(-y w.x)), which is 1-Lipschitz and at most
lambda = ln(1 + exp(B r)); so R_p <= B r_p / sqrt(n_p) by contraction. B is the norm of the line that was learnt, as if
it had been set beforehand. Clusters are counted together by their shares of the rows, each with delta / k, and were
chosen with the rows in sight, which the theorem leaves out: (1) compares, it certifies nothing.

Theorem 4, for J classes with scores b_j.x + a_j. Of u_j = b_j.x + a_j less their mean over j and c = max |u_j|,

    (2)  ln J  <=  ln sum_j exp(u_j)  <=  ln(J cosh c)           by Jensen, and since e^u <= cosh c + (u / c) sinh c

so that the log-loss  sum_i ln sum_j exp(u_ij) - u_{i, y_i}  lies between N ln J and N ln(J cosh c), both less
sum_j N_j u_j(mu_j), since u_j is affine: the class means mu_j alone move the bounds. With two classes and
u = +- beta.x / 2 these are the papers' C_1 and C_2; c is the largest
|beta.x| / 2, where they print the row at which it is reached.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.linear_model import LogisticRegression


def cluster_risk(
    X: NDArray[np.float64], y: NDArray[np.int64], labels: NDArray[np.int64], delta: float
) -> dict[str, float]:
    """The terms of (1) for logistic regressions in the clusters of rows X (n, d), averaged by the clusters' shares."""
    n, clusters = len(X), np.unique(labels)
    terms = {"training loss": 0.0, "complexity": 0.0, "confidence": 0.0}
    for p in clusters:
        rows, truth = X[labels == p], y[labels == p]
        m = len(rows)
        if len(np.unique(truth)) == 1:  # a constant: no loss, nothing to choose
            continue
        model = LogisticRegression(max_iter=1000).fit(rows, truth)
        scores = model.decision_function(rows)
        B = float(np.hypot(np.linalg.norm(model.coef_), model.intercept_[0]))
        r = float(np.sqrt((rows**2).sum(axis=1).max() + 1.0))  # a column of ones carries the intercept
        share = m / n
        terms["training loss"] += share * float(np.logaddexp(0.0, np.where(truth == 1, -scores, scores)).mean())
        terms["complexity"] += share * 2.0 * B * r / np.sqrt(m)
        terms["confidence"] += share * np.logaddexp(0.0, B * r) * np.sqrt(np.log(len(clusters) / delta) / (2.0 * m))
    return {**{name: float(value) for name, value in terms.items()}, "bound": float(sum(terms.values()))}


def log_loss_bounds(model: Any, X: NDArray[np.float64], y: ArrayLike) -> tuple[float, float, float]:
    """(2) as means over the rows X (n, d): lower bound, log-loss, upper bound of a linear model of scikit-learn."""
    scores = model.decision_function(X)
    u = np.column_stack([-scores / 2.0, scores / 2.0]) if scores.ndim == 1 else scores
    u = u - u.mean(axis=1, keepdims=True)
    codes = np.searchsorted(model.classes_, y)
    own = u[np.arange(len(u)), codes].mean()  # sum_j N_j u_j(mu_j) / N
    J, c = u.shape[1], np.abs(u).max()
    loss = np.logaddexp.reduce(u, axis=1).mean() - own
    return float(np.log(J) - own), float(loss), float(np.log(J) + np.logaddexp(c, -c) - np.log(2.0) - own)
