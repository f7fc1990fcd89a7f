"""Multinomial logistic models of many groups of rows at once, each with a quadratic penalty and given first scores.

For a group with rows x_j (p,), classes as indicators y_j (C,), weights w_j and first scores o_j (C,):

    (1)  minimise over V (p, C)   sum_j w_j ( log sum_c exp s_jc - y_j . s_j )  +  1/2 sum_f r_f |V_f|^2
                                  with scores s_j = o_j + V'x_j
    (2)  gradient   X'W(P - Y) + r V         Hessian   U -> X'W(diag(P) - P P')X U + r U
    (3)  preconditioner   X'W diag(h) X + diag(r) for every class,   h_j = mean over c of P_jc (1 - P_jc) at V = 0
    (4)  two classes:  V = (-u, u) / 2,  u (p,) minimises  sum_j w_j log-loss of s_j1 - s_j0  +  1/2 sum_f r_f / 2 u_f^2

Newton's method: the step solves (2) by conjugate gradients with (3), and is halved until (1) falls enough (Armijo). The
Hessian of one row, diag(P) - P P', is the Laplacian of a graph with degrees P_jc (1 - P_jc), hence at most twice their
diagonal: (3) has the right size, and a few steps suffice. The matrix of (3) without r is the same for all penalties.

All groups of similar size are stacked and padded by rows of zeros, so that every operation is one product of stacked
matrices. Where a group has fewer rows than columns, V is in the span of its rows, and (1) is solved there. Rows of
single precision are worked on in single precision; sums over rows are always in double precision.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import get_lapack_funcs
from scipy.special import expit

from ..base.arrays import Reals


class Group(NamedTuple):
    """Rows X (m, p), indicators Y (m, C), first scores (m, C) and weights (m,) of one group."""

    X: NDArray[np.floating]
    Y: NDArray[np.floating]
    scores: NDArray[np.floating]
    weights: NDArray[np.floating]


def fit_groups(groups: Sequence[Group], penalties: Sequence[float], tol: float = 1e-3) -> NDArray[np.float64]:
    """Deviations V (t, g, p, C) of (1) for every group and every penalty, r being the same for all columns."""
    return np.array(list(path(groups, penalties, tol)))


def path(groups: Sequence[Group], penalties: Sequence[float], tol: float) -> Iterator[NDArray[np.floating]]:
    """The V (g, p, C) of `fit_groups` for one penalty after the other, none before it is asked for."""
    p, C = groups[0].X.shape[1], groups[0].Y.shape[1]
    parts = []
    for members in _similar_sizes([len(group.X) for group in groups]):
        X, Y, scores, weights = _stack([_one_column(groups[i]) for i in members])
        rows = X if X.shape[1] < p else None
        parts.append((members, rows, Stack(X if rows is None else in_their_span(X), Y, scores, weights)))
    for penalty in penalties:
        found = np.zeros((len(groups), p, C), dtype=groups[0].X.dtype)
        for members, rows, stack in parts:
            V = stack.minimise(np.full(stack.X.shape[2], float(penalty)), tol)
            found[members] = V if rows is None else out_of_their_span(V, rows, stack.X)
        yield found


def in_their_span(X: NDArray) -> NDArray:
    """Coordinates L (g, m, m) of rows X (g, m, p), m < p, in the orthonormal basis X'L^-T (g, p, m) of their span."""
    products, places = X @ X.transpose(0, 2, 1), np.arange(X.shape[1])
    trace = products[:, places, places].sum(axis=1)
    products[:, places, places] += (16.0 * np.finfo(X.dtype).eps * np.where(trace > 0, trace, 1.0))[:, None]
    return np.asarray(np.linalg.cholesky(products))


def out_of_their_span(V: NDArray, X: NDArray, L: NDArray) -> NDArray:
    """X'L^-T V (g, p, C) for V (g, m, C) in the basis of `in_their_span`."""
    (solve,) = get_lapack_funcs(("trtrs",), dtype=L.dtype)
    return X.transpose(0, 2, 1) @ np.array([solve(half.T, v)[0] for half, v in zip(L, V)])


def path_of_all(
    whole: Group, free: NDArray[np.bool_], penalties: Sequence[float], tol: float
) -> Iterator[NDArray[np.floating]]:
    """Solutions (p, C) of (1) for one group, r being 0 for the columns that are ``free`` (p,)."""
    stack = Stack(*(part[None] for part in _one_column(whole)))
    for penalty in penalties:
        yield stack.minimise(np.where(free, 0.0, float(penalty)), tol)[0]


def _one_column(group: Group) -> Group:
    """Two classes as one column (4)."""
    if group.Y.shape[1] != 2:
        return group
    return group._replace(Y=group.Y[:, 1:], scores=group.scores[:, 1:] - group.scores[:, :1])


def _similar_sizes(sizes: Sequence[int]) -> Iterator[NDArray[np.int64]]:
    """Groups in parts whose largest has at most twice the rows of the smallest; empty groups are left out."""
    order = np.argsort(sizes, kind="stable")
    order = order[np.asarray(sizes)[order] > 0]
    while order.size:
        fit = int(np.searchsorted(np.asarray(sizes)[order], 2 * sizes[order[0]], side="right"))
        yield order[:fit]
        order = order[fit:]


def _stack(groups: Sequence[Group]) -> Iterator[NDArray]:
    """Arrays (g, m, ...) of groups, shorter ones padded by zeros."""
    m = max(len(group.X) for group in groups)
    for parts in zip(*groups):
        full = np.zeros((len(groups), m, *parts[0].shape[1:]), dtype=parts[0].dtype)
        for i, part in enumerate(parts):
            full[i, : len(part)] = part
        yield full


class Stack:
    """Stacked groups X (g, m, p), Y (g, m, c), scores (g, m, c), weights (g, m), and the last solution V (g, p, c)."""

    def __init__(self, X: NDArray, Y: NDArray, scores: NDArray, weights: NDArray) -> None:
        self.X, self.Xt, self.Y, self.w = X, X.transpose(0, 2, 1), Y, weights[:, :, None]
        self.V, self.S = np.zeros((len(X), X.shape[2], Y.shape[2]), dtype=X.dtype), scores
        self.P, self.loss = _losses(scores, Y, self.w)
        self.scale = _norms(self.Xt @ (self.w * (self.P - Y)))
        half = X * np.sqrt(self.w * (self.P * (1.0 - self.P)).mean(axis=2, keepdims=True))
        self.curvature = half.transpose(0, 2, 1) @ half

    def minimise(self, penalty: Reals, tol: float) -> Reals:
        """Minimiser (g, p, C) of (1) from the last one; ``penalty`` (p,) holds r."""
        single = self.Y.shape[2] == 1
        r = (penalty / 2.0 if single else penalty).astype(self.X.dtype)
        inverse, r = self._inverse(r), r[:, None]
        V, S, P, loss = self.V, self.S, self.P, self.loss
        for _ in range(50):  # steps of Newton
            gradient = self.Xt @ (self.w * (P - self.Y)) + r * V
            if (_norms(gradient) <= tol * self.scale).all():
                break
            # all groups step at once, each with a length of its own
            step = self._newton_step(P, r, gradient, inverse)
            slope, moved = _sums(step * gradient), self.X @ step
            value, length = loss + _sums(r * V * V) / 2.0, np.ones(len(V))
            for _ in range(30):  # halvings of the step
                t = length[:, None, None].astype(V.dtype)
                to, at = V - t * step, S - t * moved
                P_to, loss_to = _losses(at, self.Y, self.w)
                rounding = 4.0 * np.finfo(V.dtype).eps * np.abs(value)
                good = loss_to + _sums(r * to * to) / 2.0 <= value - 1e-4 * length * slope + rounding
                if good.all():
                    break
                length = np.where(good, length, length / 2.0)
            if not good.any():  # no descent: the gradient is rounding
                break
            # groups without descent stay where they are
            if good.all():
                V, S, P, loss = to, at, P_to, loss_to
            else:
                kept = good[:, None, None]
                V, S, P = np.where(kept, to, V), np.where(kept, at, S), np.where(kept, P_to, P)
                loss = np.where(good, loss_to, loss)
        self.V, self.S, self.P, self.loss = V, S, P, loss
        return np.concatenate([-V, V], axis=2) / 2.0 if single else V

    def _inverse(self, r: Reals) -> Reals:
        """The inverse of (3) for every group, by Cholesky factors."""
        found, places = self.curvature.copy(), np.arange(len(r))
        least = max(1e-9, 10.0 * float(np.finfo(r.dtype).eps))
        found[:, places, places] += r + least * (1.0 + r.max())
        factor, invert = get_lapack_funcs(("potrf", "potri"), dtype=found.dtype)
        for i, matrix in enumerate(found):
            half, failed = factor(matrix)
            if failed:  # rounding has made a matrix of little rank indefinite: its diagonal is positive
                found[i] = np.diag(1.0 / np.diagonal(matrix))
                continue
            half, _ = invert(half, overwrite_c=True)
            found[i] = half + half.T
            found[i, places, places] /= 2.0
        return found

    def _newton_step(self, P: Reals, r: Reals, gradient: Reals, inverse: Reals) -> Reals:
        """Solution of Hessian times step = gradient by preconditioned conjugate gradients, to a tenth."""
        step, rest = np.zeros_like(gradient), gradient
        ready = inverse @ rest
        way, energy = ready, _sums(rest * ready)
        goal = 0.01 * energy
        for _ in range(20):  # steps of conjugate gradients
            Q = self.X @ way
            Q = P * (1.0 - P) * Q if P.shape[2] == 1 else P * (Q - (P * Q).sum(axis=2, keepdims=True))
            bent = self.Xt @ (self.w * Q) + r * way
            curved = _sums(way * bent)
            length = np.divide(energy, curved, out=np.zeros_like(energy), where=curved > 0)
            t = length[:, None, None].astype(way.dtype)
            step, rest = step + t * way, rest - t * bent
            ready = inverse @ rest
            after = _sums(rest * ready)
            if (after <= goal).all():
                break
            turn = np.divide(after, energy, out=np.zeros_like(energy), where=energy > 0)
            way = ready + turn[:, None, None].astype(way.dtype) * way
            energy = after
        return step


def softmax(S: NDArray[np.floating]) -> NDArray[np.floating]:
    """Probabilities exp(s_c) / sum exp(s) over the last axis."""
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    return np.asarray(E / E.sum(axis=-1, keepdims=True))


def _losses(S: NDArray, Y: NDArray, w: NDArray) -> tuple[NDArray, NDArray[np.float64]]:
    """Probabilities (g, m, c) at scores S, and the sum of (1) without the penalty of every group."""
    if S.shape[2] == 1:
        loss = np.logaddexp(0.0, S).astype(S.dtype) - Y * S
        return expit(S), _sums(w * loss)
    top = S.max(axis=2, keepdims=True)
    E = np.exp(S - top)
    total = E.sum(axis=2, keepdims=True)
    loss = np.log(total) + top - (S * Y).sum(axis=2, keepdims=True)
    return E / total, _sums(w * loss)


def _sums(G: NDArray) -> NDArray[np.float64]:
    """Sum over the last two axes, in double precision."""
    return np.asarray(G.sum(axis=(1, 2), dtype=np.float64))


def _norms(G: NDArray) -> NDArray[np.float64]:
    return np.sqrt(_sums(G * G))
