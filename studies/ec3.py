"""EC3: classes of test rows that agree with classifiers, and with one another inside clusters.

n test rows (objects) are put into g groups by M base methods: a classifier's groups are the rows it gives the same
class, a clustering's are its clusters. C is the number of classes.

    A  (n, g)    1 where object i is in group j
    K  (n, n)    doubly stochastic:  K = U A A' U, with U = diag(u) and u > 0 such that K 1 = 1
    Y  (n, C)    share of the classifiers that give object i class c
    Z  (g, C)    mean of Y over the objects of group j
    F  (n, C), G (g, C)   the classes of objects and groups that are sought

    (1)  minimise f(F, G) =  alpha/2 sum_ij A_ij |F_i - G_j|^2  +  beta/2 sum_ij K_ij |F_i - F_j|^2
                             + gamma |F - Y|^2  +  delta |G - Z|^2
    (2)  for F given:  G_j = (alpha sum_i A_ij F_i + 2 delta Z_j) / (alpha |group j| + 2 delta)
    (3)  for G given:  (D - 2 beta K) F = alpha A G + 2 gamma Y,   D = diag(alpha (A 1)_i + 2 beta + 2 gamma)

f is convex, strictly so for gamma, delta > 0: the first two terms are sums of squares with weights of at least 0, and
the others are strictly convex. Steps (2) and (3) in turn never increase f and tend to its only minimum. The matrices
of (2) and (3) have inverses without negative entries, and F = G = 1 c' solves them for Y = Z = 1 c'; so the rows of F
and G stay distributions without being told to. K has rank g at most: (3) is solved through a g x g system.

The answer for object i is the class c of the largest F_ic / sum_i F_ic (`decide`): the published problem gives every
class the same sum over the groups, which makes up for rare classes, and its code compares F with its mean as well. The
class of the largest F_ic is offered beside it; on sets with a rare class it hardly ever is the rare one.

Where this is a reading. Written from the published description and from the settings of the code that the papers on
CAC publish with their tables: the four terms, (2) and (3), the weights (.25, .35, .35, .05), six classifiers whose
logistic regression weights the classes, clusterings with eps = .3 and 10 neighbours (DBSCAN) and one cluster a class
(k-means, hierarchical). Ours are: K is scaled to its limit; rows that DBSCAN leaves out are in no group of it; rows of
G, not its columns, sum to 1, and classes get the same sum in the answer alone; the clusterings see the standardised
test rows, not all rows as they come.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import cho_factor, cho_solve

from partitope.base.errors import InvalidInputError, NotOptimalError

WEIGHTS = (0.25, 0.35, 0.35, 0.05)
MOST_SCALINGS = 100_000


@dataclass(frozen=True)
class Consensus:
    """The minimum of (1).

    Attributes
    ----------
    objects : (n, C) ndarray
        F, one distribution over the classes a row.
    groups : (g, C) ndarray
        G, likewise; groups of the classifiers first.
    history : tuple of float
        f after every pair of steps.
    """

    objects: NDArray[np.float64]
    groups: NDArray[np.float64]
    history: tuple[float, ...]


@dataclass(frozen=True)
class Problem:
    """A, the factor V = U A of K = V V', Y and Z of (1), and the four weights."""

    A: NDArray[np.float64]
    V: NDArray[np.float64]
    Y: NDArray[np.float64]
    Z: NDArray[np.float64]
    weights: tuple[float, float, float, float]

    def objective(self, F: NDArray[np.float64], G: NDArray[np.float64]) -> float:
        """f(F, G) of (1), in O(n g C)."""
        alpha, beta, gamma, delta = self.weights
        squares = (F**2).sum(axis=1)
        between = self.A.sum(axis=1) @ squares + self.A.sum(axis=0) @ (G**2).sum(axis=1) - 2 * (F * (self.A @ G)).sum()
        among = squares.sum() - ((self.V.T @ F) ** 2).sum()
        apart = gamma * ((F - self.Y) ** 2).sum() + delta * ((G - self.Z) ** 2).sum()
        return float(alpha / 2 * between + beta * among + apart)


def decide(F: NDArray[np.float64]) -> NDArray[np.int64]:
    """Class (n,) of every row of F (n, C), when each class has the same sum."""
    return (F / F.sum(axis=0)).argmax(axis=1).astype(np.int64)


def ec3_problem(
    votes: ArrayLike,
    clusterings: Sequence[ArrayLike],
    n_classes: int,
    weights: tuple[float, float, float, float] = WEIGHTS,
) -> Problem:
    """Problem (1) of the answers of base methods.

    Parameters
    ----------
    votes : (n, m) array of int
        Class 0 .. C - 1 of every object by each of m classifiers.
    clusterings : sequence of (n,) arrays of int
        Cluster of every object; -1 is none.
    n_classes : int
        C.
    weights : (alpha, beta, gamma, delta)
        At least 0, the last two greater than 0.

    Raises
    ------
    InvalidInputError
        When a weight is out of range, or there is no classifier.
    """
    said = np.asarray(votes, dtype=np.int64)
    if said.ndim != 2 or said.shape[1] < 1:
        raise InvalidInputError(f"votes of shape {said.shape}: expected (n, m) with at least one classifier")
    if min(weights) < 0 or min(weights[2:]) <= 0:
        raise InvalidInputError(f"weights={weights}: expected alpha, beta >= 0 and gamma, delta > 0")
    Y = np.stack([(said == c).mean(axis=1) for c in range(n_classes)], axis=1)
    A = np.hstack([_members(column) for column in (*said.T, *map(np.asarray, clusterings))])
    Z = A.T @ Y / A.sum(axis=0)[:, None]
    return Problem(A, _scaling(A)[:, None] * A, Y, Z, weights)


def solve_ec3(problem: Problem, *, tolerance: float = 1e-10, max_iter: int = 10_000) -> Consensus:
    """Minimum of (1) by steps (2) and (3) in turn, from F = Y.

    Parameters
    ----------
    problem : Problem
        From `ec3_problem`.
    tolerance : float, default 1e-10
        Ends when no entry of F changes by more.
    max_iter : int, default 10000
        At most so many pairs of steps.

    Raises
    ------
    NotOptimalError
        When ``max_iter`` pairs of steps do not suffice.

    Notes
    -----
    Exact up to ``tolerance``; O(g^3) once and O(n g C) a step.
    """
    alpha, beta, gamma, delta = problem.weights
    A, V = problem.A, problem.V
    diagonal = alpha * A.sum(axis=1) + 2 * beta + 2 * gamma
    W = V / diagonal[:, None]
    small = cho_factor(np.eye(A.shape[1]) - 2 * beta * V.T @ W)
    sizes = (alpha * A.sum(axis=0) + 2 * delta)[:, None]
    F, history = problem.Y, []
    for _ in range(max_iter):
        G = (alpha * A.T @ F + 2 * delta * problem.Z) / sizes
        right = (alpha * A @ G + 2 * gamma * problem.Y) / diagonal[:, None]
        before, F = F, right + 2 * beta * W @ cho_solve(small, V.T @ right)
        history.append(problem.objective(F, G))
        if np.abs(F - before).max() <= tolerance:
            return Consensus(F, (alpha * A.T @ F + 2 * delta * problem.Z) / sizes, tuple(history))
    raise NotOptimalError(f"EC3 has not converged after max_iter={max_iter} steps: raise max_iter or the tolerance")


class EC3:
    """Base classifiers fitted on training rows; test rows are answered together, with clusterings of them.

    Parameters
    ----------
    random_state : int
        Seed of the base methods.
    """

    def __init__(self, random_state: int = 0) -> None:
        self.random_state = random_state

    def fit(self, X: NDArray[np.float64], y: NDArray[np.int64]) -> EC3:
        """Fit the classifiers on the rows X (n, d) with classes y (n,)."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.models_ = [model.fit(X, codes) for model in _classifiers(self.random_state)]
        return self

    def answer(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """F (n, C) for the rows X (n, d); it depends on all of them."""
        votes = np.column_stack([model.predict(X) for model in self.models_])
        clusterings = [model.fit_predict(X) for model in _clusterings(len(self.classes_), self.random_state)]
        return solve_ec3(ec3_problem(votes, clusterings, len(self.classes_))).objects


def _classifiers(seed: int) -> list[Any]:
    from sklearn.linear_model import LogisticRegression, SGDClassifier
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.svm import LinearSVC
    from sklearn.tree import DecisionTreeClassifier

    return [
        DecisionTreeClassifier(random_state=seed),
        GaussianNB(),
        KNeighborsClassifier(5),
        LogisticRegression(class_weight="balanced", max_iter=1000),
        LinearSVC(random_state=seed),
        SGDClassifier(random_state=seed),
    ]


def _clusterings(n_classes: int, seed: int) -> list[Any]:
    from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans

    return [
        KMeans(n_classes, n_init=10, random_state=seed),
        AgglomerativeClustering(n_classes),
        DBSCAN(eps=0.3, min_samples=10),
    ]


def _members(labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """Groups (n, g) of one method; -1 is in none."""
    return (labels[:, None] == np.unique(labels[labels >= 0])[None, :]).astype(np.float64)


def _scaling(A: NDArray[np.float64]) -> NDArray[np.float64]:
    """u (n,) > 0 with U A A' U 1 = 1: symmetric scaling, which exists since A A' has a positive diagonal."""
    u = 1.0 / np.sqrt(A @ A.sum(axis=0))
    for _ in range(MOST_SCALINGS):
        sums = A @ (A.T @ u)
        if np.abs(u * sums - 1.0).max() <= 1e-12:
            return u
        u = np.sqrt(u / sums)
    raise NotOptimalError(f"the rows of K do not sum to 1 after {MOST_SCALINGS} steps: a base method splits too finely")
