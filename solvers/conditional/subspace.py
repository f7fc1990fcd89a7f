"""The alternation behind conditional clustering: a subspace W and an embedding U, with what is explained removed.

    maximise  tr(U' P K_DW P U)   over  W'W = I,  U'U = I                                                         (1)

P is a residual operator. For W fixed, U are the leading eigenvectors; for U fixed, with L = P U U' P,

    f(W) = -sum_ij L_ij K_ij,   K_ij = exp(-|W'(d_i - d_j)|^2 / (2 s^2))                                          (2)
    grad f = (2 / s^2) D' (diag(T 1) - T) D W,   T = L o K                                                        (3)

is minimised over the Stiefel manifold. The first W comes from (2) with L = P K_D P, repeated with the median width s
of the projected points until s settles.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from ...base.arrays import Reals
from ...base.errors import InvalidInputError
from ...base.status import Status
from ...stats.dependence.kernels import median_width, rbf_kernel
from .residual import Residual
from .stiefel import minimise_stiefel, random_orthonormal

BLOCK = 128  # Rows of the product per block.


def dimension(given: object, default: int, most: int, what: str) -> int:
    """Dimension of the subspace."""
    d = default if given is None else given
    if isinstance(d, bool) or not isinstance(d, (int, np.integer)) or not 1 <= d <= most:
        raise InvalidInputError(f"n_components={d!r} is not usable: pass an integer from 1 to {most} {what}")
    return int(d)


def pair_forces(L: NDArray[np.float64], Z: NDArray[np.float64], scale: float) -> tuple[float, NDArray[np.float64]]:
    """Sum of T = L o K and rows sum_j T_ij (z_i - z_j) for symmetric L (n, n), Z (n, k); K as in (2), scale 1/(2
    s^2)."""
    n = len(Z)
    squares, doubled = scale * (Z * Z).sum(axis=1), 2.0 * scale * Z
    forces, total = np.zeros_like(Z), 0.0
    space = np.empty(min(BLOCK, n) * n)
    for i in range(0, n, BLOCK):
        j = min(i + BLOCK, n)
        T = space[: (j - i) * (n - i)].reshape(j - i, n - i)
        np.matmul(doubled[i:j], Z[i:].T, out=T)
        T -= squares[i:]
        T -= squares[i:j, None]
        np.exp(T, out=T)
        T *= L[i:j, i:]
        beyond = T[:, j - i :]
        rows, columns = T.sum(axis=1), beyond.sum(axis=0)
        forces[i:j] += rows[:, None] * Z[i:j] - T @ Z[i:]
        forces[j:] += columns[:, None] * Z[j:] - beyond.T @ Z[i:j]
        total += float(rows.sum() + columns.sum())
    return total, forces


def subspace_objective(
    D: NDArray[np.float64], L: NDArray[np.float64], width: float
) -> Callable[[NDArray[np.float64]], tuple[float, NDArray[np.float64]]]:
    """(2) and (3) as a function of W (p, k), for D (n, p) and a symmetric L (n, n)."""

    def value_and_gradient(W: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        total, forces = pair_forces(L, D @ W, 0.5 / width**2)
        return -total, (2.0 / width**2) * (D.T @ forces)

    return value_and_gradient


@dataclass(frozen=True, eq=False)
class Subspace:
    """A local optimum of (1)."""

    W: NDArray[np.float64]  # (p, d): Orthonormal columns.
    width: float  # s
    U: NDArray[np.float64]  # (n, k): Orthonormal columns, by falling eigenvalue.
    values: NDArray[np.float64]  # (k,): The eigenvalues; their sum is the objective.
    history: list[float]  # The objective after every round.
    status: Status  # Why the rounds stopped.


def learn_subspace(
    D: Reals,
    residual: Residual,
    n_clusters: int,
    n_components: int,
    *,
    tol: float,
    max_iter: int,
    rng: np.random.RandomState,
) -> Subspace:
    """Alternate between W and U until the objective gains less than ``tol``; D (n, p)."""
    width = data_width(D)
    L = residual.both_sides(rbf_kernel(D, width=width))
    first = settled_subspace(D, L, width, n_components, tol, max_iter, rng)

    def embed(W: NDArray[np.float64], width: float) -> Embedding:
        values, U = leading_eigenvectors(rbf_kernel(D @ W, width=width), residual, n_clusters)
        return values, U, residual.apply(U)

    return improve_subspace(D, first, embed, tol, max_iter)


Embedding = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]
"""For W fixed: the eigenvalues (k,), U (n, k), and V (n, k) with L = V V' of (2)."""


def improve_subspace(
    D: Reals, first: tuple[Reals, float], embed: Callable[[Reals, float], Embedding], tol: float, max_iter: int
) -> Subspace:
    """Rounds of U for W fixed (``embed``) and of W for U fixed, from the ``first`` W and its width; D (n, p)."""
    W, width = first
    best: Subspace | None = None
    history: list[float] = []
    status = Status.ITERATION_LIMIT
    for _ in range(max_iter):
        values, U, V = embed(W, width)
        objective = float(values.sum())
        gain = np.inf if best is None else (objective - history[-1]) / max(abs(history[-1]), 1e-300)
        if gain > 0:
            history.append(objective)
            best = Subspace(W, width, U, values, history, status)
        if gain < tol:
            status = Status.CONVERGED
            break
        W = minimise_stiefel(subspace_objective(D, V @ V.T, width), W).point
    assert best is not None
    return Subspace(best.W, width, best.U, best.values, history, status)


def settled_subspace(
    D: Reals, L: Reals, width: float, d: int, tol: float, max_iter: int, rng: np.random.RandomState
) -> tuple[Reals, float]:
    """W (p, d) of least (2) for L (n, n), and the median width of the projected points, repeated until it settles."""
    W = random_orthonormal(D.shape[1], d, rng)
    for _ in range(max_iter):
        W = minimise_stiefel(subspace_objective(D, L, width), W).point
        before, width = width, data_width(D @ W)
        if abs(width - before) < tol * before:
            break
    return W, width


def data_width(D: NDArray[np.float64]) -> float:
    """Median width of the points, with an error that names X when they are all equal."""
    try:
        return median_width(D)
    except ValueError:
        raise InvalidInputError("all rows of X are equal: there is nothing to cluster") from None


def leading_eigenvectors(K: Reals, residual: Residual, k: int) -> tuple[Reals, Reals]:
    """The k largest eigenvalues (k,), falling, and eigenvectors (n, k) of P K P; K (n, n)."""
    n = len(K)

    def product(V: NDArray[np.float64]) -> NDArray[np.float64]:
        columns = np.asarray(V, dtype=np.float64).reshape(n, -1)
        return residual.apply(K @ residual.apply(columns)).reshape(np.shape(V))

    return largest_eigenpairs(product, n, k, "LM")


def largest_eigenpairs(
    product: Callable[[NDArray[np.float64]], NDArray[np.float64]], n: int, k: int, which: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The k largest eigenvalues (k,), falling, and eigenvectors (n, k) of the symmetric matrix (n, n) behind a
    product."""
    if n > 400 and k < n // 10:  # below, a full eigendecomposition is quicker than Lanczos
        start = np.random.RandomState(0).normal(size=n)  # a constant vector can be in the kernel
        operator = LinearOperator((n, n), matvec=product, matmat=product, dtype=np.float64)
        try:
            values, U = eigsh(operator, k, which=which, v0=start)
            return values[::-1].copy(), U[:, ::-1].copy()
        except ArpackNoConvergence:
            pass  # a cluster of equal eigenvalues: decompose in full
    L = product(np.eye(n))
    values, U = eigh(0.5 * (L + L.T), subset_by_index=(n - k, n - 1))
    return values[::-1].copy(), U[:, ::-1].copy()
