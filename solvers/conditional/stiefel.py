"""Minimisation over matrices with orthonormal columns (the Stiefel manifold).

    minimise  f(W)   subject to  W'W = I,   W in R^(p x k)                                   (1)

With the gradient G of f at W, the skew matrix A = G W' - W G' defines the feasible curve (Cayley transform)

    W(t) = (I + t/2 A)^-1 (I - t/2 A) W,      W(0) = W,   f(W(t))' = -|A|^2 / 2 at t = 0     (2)

Step lengths are those of Barzilai and Borwein, alternating between the two formulas, accepted by the non-monotone
rule of Zhang and Hager: f(W(t)) <= C - rho t |D|^2 with D = G - W G'W and C a weighted mean of past values   (3)
With k < p/2, A = [G, W] [W, -G]' has rank 2k and (2) needs a 2k x 2k system only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.status import Status

Objective = Callable[[NDArray[np.float64]], tuple[float, NDArray[np.float64]]]
# Line search: fraction of the expected decrease that is required, factor of a shorter step, weight of earlier values in
# the reference value, first step, and the number of trials per step, which is also that of the averaged changes.
RHO, SHRINK, MEMORY, FIRST_STEP, WINDOW = 1e-4, 0.2, 0.85, 1e-3, 5


@dataclass(frozen=True, eq=False)
class StiefelResult:
    """What `minimise_stiefel` found."""

    point: NDArray[np.float64]  # (p, k): W with orthonormal columns.
    value: float  # f(W)
    n_iter: int  # Steps taken.
    status: Status  # Why the iteration stopped.


def polar_factor(W: ArrayLike) -> NDArray[np.float64]:
    """The nearest matrix (p, k) with orthonormal columns; unlike a QR factor it keeps the columns' signs."""
    left, _, right = np.linalg.svd(np.asarray(W, dtype=np.float64), full_matrices=False)
    return left @ right


def random_orthonormal(p: int, k: int, rng: np.random.RandomState) -> NDArray[np.float64]:
    """A uniformly distributed (p, k) matrix with orthonormal columns."""
    return polar_factor(rng.normal(size=(p, k)))


def minimise_stiefel(
    objective: Objective,
    start: ArrayLike,
    *,
    xtol: float = 1e-5,
    gtol: float = 1e-5,
    ftol: float = 1e-8,
    max_iter: int = 1000,
) -> StiefelResult:
    """Minimise a smooth function of a matrix with orthonormal columns. Shapes: start (p, k)."""
    W = np.array(start, dtype=np.float64)
    p = len(W)
    value, G = objective(W)
    curve = _Curve(W, G)
    reference, weight, step = value, 1.0, FIRST_STEP
    changes: list[tuple[float, float]] = []
    status, n_iter = Status.ITERATION_LIMIT, 0
    if curve.norm < gtol:
        return StiefelResult(W, float(value), 0, Status.CONVERGED)
    for n_iter in range(1, max_iter + 1):
        for trial in range(WINDOW):
            new = curve.at(step)
            new_value, new_G = objective(new)
            if new_value <= reference - RHO * step * curve.norm**2 or trial == WINDOW - 1:
                break
            step *= SHRINK
        following = _Curve(new, new_G)
        moved, turned = new - W, following.direction - curve.direction
        changes.append((float(np.linalg.norm(moved)) / np.sqrt(p), abs(value - new_value) / (abs(value) + 1.0)))
        W, value, curve = new, new_value, following
        # a small last step, a small gradient, or small steps on average
        (gone, gained), (mean_gone, mean_gained) = changes[-1], np.mean(changes[-WINDOW:], axis=0)
        small = (gone < xtol and gained < ftol) or (mean_gone < 10 * xtol and mean_gained < 10 * ftol)
        if small or curve.norm < gtol:
            status = Status.CONVERGED
            break
        # Barzilai and Borwein's two step lengths in turn, within [1e-20, 1e20]
        inner, squares = abs(float(np.vdot(moved, turned))), [float(np.vdot(D, D)) for D in (moved, turned)]
        above, below = (squares[0], inner) if n_iter % 2 == 0 else (inner, squares[1])
        step = min(max(above / below, 1e-20), 1e20) if below > 0 else FIRST_STEP
        reference = MEMORY * weight * reference + value
        weight = MEMORY * weight + 1.0
        reference /= weight
    return StiefelResult(W, float(value), n_iter, status)


class _Curve:
    """The feasible curve (2) through W for the gradient G."""

    def __init__(self, W: NDArray[np.float64], G: NDArray[np.float64]) -> None:
        p, k = W.shape
        self.W = W
        self.direction = G - W @ (G.T @ W)
        self.norm = float(np.linalg.norm(self.direction))
        self.low_rank = k < p / 2
        if self.low_rank:
            self.left, right = np.hstack([G, W]), np.hstack([W, -G])
            self.inner, self.coordinates = right.T @ self.left, right.T @ W
        else:
            GW = G @ W.T
            self.skew = 0.5 * (GW - GW.T)

    def at(self, step: float) -> NDArray[np.float64]:
        """W(t), with orthonormal columns."""
        moved: NDArray[np.floating]
        if self.low_rank:
            system = np.eye(len(self.inner)) + 0.5 * step * self.inner
            moved = self.W - self.left @ (step * np.linalg.solve(system, self.coordinates))
        else:  # t/2 A is step * skew
            system = np.eye(len(self.skew)) + step * self.skew
            moved = np.linalg.solve(system, self.W - step * (self.skew @ self.W))
        W = np.asarray(moved, dtype=np.float64)
        if np.linalg.norm(W.T @ W - np.eye(W.shape[1])) > 1e-13:  # rounding has built up
            W = polar_factor(W)
        return W
