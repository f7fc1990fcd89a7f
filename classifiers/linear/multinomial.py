"""Multinomial logistic models of many groups of rows at once, each with a quadratic penalty and given first scores.

For a group with rows x_j (p,), classes as indicators y_j (C,), weights w_j and first scores o_j (C,):

    (1)  minimise over V (p, C)   sum_j w_j ( log sum_c exp s_jc - y_j . s_j )  +  1/2 sum_f r_f |V_f|^2
                                  with scores s_j = o_j + V'x_j
    (2)  gradient   X'W(P - Y) + r V         Hessian   U -> X'W(diag(P) - P P')X U + r U
    (3)  preconditioner   X'W diag(h) X + diag(r) for every class,   h_j = mean over c of P_jc (1 - P_jc) at V = 0

Newton's method: the step solves (2) by conjugate gradients with (3), and is halved until (1) falls enough (Armijo). The
Hessian of one row, diag(P) - P P', is the Laplacian of a graph with degrees P_jc (1 - P_jc), hence at most twice their
diagonal: (3) has the right size, and a few steps suffice.

All groups of similar size are stacked and padded by rows of zeros, so that every operation is one product of stacked
matrices. Where a group has fewer rows than columns, V lies in the span of its rows, and (1) is solved there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Reals

NEWTON_STEPS = 50
CG_STEPS = 20
HALVINGS = 30


class Group(NamedTuple):
    """Rows X (m, p), indicators Y (m, C), first scores (m, C) and weights (m,) of one group."""

    X: NDArray[np.float64]
    Y: NDArray[np.float64]
    scores: NDArray[np.float64]
    weights: NDArray[np.float64]


def fit_groups(groups: Sequence[Group], penalties: Sequence[float], tol: float = 1e-3) -> NDArray[np.float64]:
    """Deviations V (t, g, p, C) of (1) for every group and every penalty, r being the same for all columns.

    Parameters
    ----------
    groups : sequence of Group
        g of them, with the same columns and classes.
    penalties : sequence of float
        Values of r, all positive; best in decreasing order, each starts from the solution before it.
    tol : float
        Stop a group when its gradient is this part of the one at V = 0.

    Notes
    -----
    O(m p^2 + p^3) for every group and penalty, with p replaced by the smaller of rows and columns.
    """
    p, C = groups[0].X.shape[1], groups[0].Y.shape[1]
    found = np.zeros((len(penalties), len(groups), p, C))
    for members in _similar_sizes([len(group.X) for group in groups]):
        X, Y, scores, weights = _stack([groups[i] for i in members])
        basis = None
        if X.shape[1] < p:
            basis, rows = np.linalg.qr(X.transpose(0, 2, 1))
            X = np.ascontiguousarray(rows.transpose(0, 2, 1))
        V = np.zeros((len(members), X.shape[2], C))
        for t, penalty in enumerate(penalties):
            V = minimise(X, Y, scores, weights, np.full(X.shape[2], float(penalty)), V, tol)
            found[t, members] = V if basis is None else basis @ V
    return found


def _similar_sizes(sizes: Sequence[int]) -> Iterator[NDArray[np.int64]]:
    """Groups in parts whose largest has at most twice the rows of the smallest; empty groups are left out."""
    order = np.argsort(sizes, kind="stable")
    order = order[np.asarray(sizes)[order] > 0]
    while order.size:
        fit = int(np.searchsorted(np.asarray(sizes)[order], 2 * sizes[order[0]], side="right"))
        yield order[:fit]
        order = order[fit:]


def _stack(groups: Sequence[Group]) -> tuple[NDArray, NDArray, NDArray, NDArray]:
    """Arrays (g, m, ...) of groups, shorter ones padded by zeros."""
    m = max(len(group.X) for group in groups)
    stacked = []
    for parts in zip(*groups):
        full = np.zeros((len(groups), m, *parts[0].shape[1:]))
        for i, part in enumerate(parts):
            full[i, : len(part)] = part
        stacked.append(full)
    return stacked[0], stacked[1], stacked[2], stacked[3]


def minimise(X: Reals, Y: Reals, scores: Reals, weights: Reals, penalty: Reals, V: Reals, tol: float) -> Reals:
    """Minimiser (g, p, C) of (1) for stacked groups X (g, m, p), from V; ``penalty`` (p,) holds r."""
    w, r = weights[:, :, None], penalty[:, None]
    Xt = X.transpose(0, 2, 1)
    first = softmax(scores)
    scale = _norms(Xt @ (w * (first - Y)))
    spread = weights * (first * (1.0 - first)).mean(axis=2)
    curvature = Xt @ (X * spread[:, :, None])
    curvature[:, np.arange(len(penalty)), np.arange(len(penalty))] += penalty + 1e-9 * (1.0 + penalty.max())
    inverse = np.linalg.inv(curvature)
    S = scores + X @ V
    value = _values(S, Y, weights, V, r)
    for _ in range(NEWTON_STEPS):
        P = softmax(S)
        gradient = Xt @ (w * (P - Y)) + r * V
        if (_norms(gradient) <= tol * scale).all():
            break
        step = _newton_step(X, Xt, P, w, r, gradient, inverse)
        slope = (step * gradient).sum(axis=(1, 2))
        moved, length = X @ step, np.ones(len(X))
        for _ in range(HALVINGS):
            t = length[:, None, None]
            new = _values(S - t * moved, Y, weights, V - t * step, r)
            good = new <= value - 1e-4 * length * slope
            if good.all():
                break
            length = np.where(good, length, length / 2.0)
        length = np.where(good, length, 0.0)  # no descent: the gradient is rounding
        V, S = V - length[:, None, None] * step, S - length[:, None, None] * moved
        value = np.where(good, new, value)
        if not length.any():
            break
    return V


def _newton_step(
    X: NDArray, Xt: NDArray, P: NDArray, w: NDArray, r: NDArray, gradient: NDArray, inverse: NDArray
) -> NDArray[np.float64]:
    """Solution of Hessian times step = gradient by preconditioned conjugate gradients, to a tenth."""
    step, rest = np.zeros_like(gradient), gradient.copy()
    ready = inverse @ rest
    way, energy = ready, (rest * ready).sum(axis=(1, 2))
    goal = 0.01 * energy
    for _ in range(CG_STEPS):
        Q = X @ way
        Q = P * (Q - (P * Q).sum(axis=2, keepdims=True))
        bent = Xt @ (w * Q) + r * way
        curved = (way * bent).sum(axis=(1, 2))
        length = np.divide(energy, curved, out=np.zeros_like(energy), where=curved > 0)[:, None, None]
        step, rest = step + length * way, rest - length * bent
        ready = inverse @ rest
        after = (rest * ready).sum(axis=(1, 2))
        if (after <= goal).all():
            break
        way = ready + np.divide(after, energy, out=np.zeros_like(energy), where=energy > 0)[:, None, None] * way
        energy = after
    return step


def softmax(S: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities exp(s_c) / sum exp(s) over the last axis."""
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    return np.asarray(E / E.sum(axis=-1, keepdims=True))


def _values(S: NDArray, Y: NDArray, weights: NDArray, V: NDArray, r: NDArray) -> NDArray[np.float64]:
    """(1) of every group."""
    top = S.max(axis=2)
    loss = np.log(np.exp(S - top[:, :, None]).sum(axis=2)) + top - (S * Y).sum(axis=2)
    return np.asarray((weights * loss).sum(axis=1) + 0.5 * (r * V * V).sum(axis=(1, 2)))


def _norms(G: NDArray) -> NDArray[np.float64]:
    return np.asarray(np.sqrt((G * G).sum(axis=(1, 2))))
