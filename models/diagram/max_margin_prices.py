"""Shortest-path potentials: prices that satisfy differences, and those that do so with the largest margin.

    (1)  mu_i - mu_j <= w_ij                       has a solution exactly when no cycle of the arcs w is negative
    (2)  mu_i - mu_j + eps d_ij <= w_ij            largest eps = smallest ratio w(cycle) / d(cycle)

Bellman and Ford's method answers (1) on a complete graph, Dinkelbach's, which calls it a handful of times, (2). In
fractions (1) is answered by `exact`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...base.errors import InvalidInputError

SAME = 1e-12  # Vectors that differ by a smaller fraction than this are equal up to rounding.


def max_margin_prices(
    gaps: NDArray[np.float64], distance: NDArray[np.float64], scale: float = 0.0
) -> NDArray[np.float64]:
    """Prices (k,) that maximise eps in (2) for gaps w (k, k) and distances |g_i - g_j| (k, k)."""
    k, rounding = len(gaps), _rounding(gaps, scale)
    filled = np.flatnonzero(np.isfinite(gaps + np.where(np.eye(k), np.inf, 0.0)).any(axis=1))
    prices, eps = np.zeros(k), 0.0
    if filled.size > 1:
        inner = np.ix_(filled, filled)
        eps, prices[filled] = _widest_potentials(gaps[inner], distance[inner], rounding)
        if eps * distance[inner].max() <= rounding:
            prices[filled] += rounding * (distance[inner] == 0).argmax(axis=1)  # clusters of one site have one price
        prices[filled] -= prices[filled].mean()
    empty = np.setdiff1d(np.arange(k), filled) if filled.size else np.arange(0)
    for i in empty:  # an empty cluster's cell may come as near to the points as the margin, not nearer
        clear = (prices[filled] - gaps[filled, i] + eps * distance[filled, i]).max()
        prices[i] = clear + (0.0 if eps > 0 else 1e-6 * np.abs(gaps[filled, i]).max())  # nor touch them
    return prices


def pairwise_distance(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distances (k, k) between the rows of an array (k, d); 0 where two rows are equal up to `SAME`."""
    distance = np.array([np.linalg.norm(vectors - v, axis=1) for v in vectors])
    length = np.linalg.norm(vectors, axis=1)
    return np.where(distance <= SAME * (length[:, None] + length), 0.0, distance)


def _rounding(gaps: NDArray[np.float64], scale: float) -> float:
    """What rounding may make of a gap of zero, with room."""
    return 1e-12 * (max(float(np.abs(gaps[np.isfinite(gaps)]).max(initial=0.0)), scale) or 1.0)


def _widest_potentials(
    gaps: NDArray[np.float64], distance: NDArray[np.float64], rounding: float
) -> tuple[float, NDArray[np.float64]]:
    """Largest eps for which (2) has potentials, and such potentials: Dinkelbach's minimum-ratio cycle."""
    with np.errstate(divide="ignore", invalid="ignore"):
        pairs = (gaps + gaps.T) / (distance + distance.T)
    eps = float(np.min(pairs[np.isfinite(pairs)], initial=np.inf))
    eps = 0.0 if np.isinf(eps) else max(eps, 0.0)
    while True:
        potentials, cycle = shortest_potentials(gaps - eps * distance, slack=rounding / 10)
        if cycle is None:
            break
        ahead = np.roll(cycle, -1)
        length, turn = float(gaps[cycle, ahead].sum()), float(distance[cycle, ahead].sum())
        ratio = length / turn if turn > 0 else -np.inf
        if length < -rounding * len(cycle) or turn == 0:
            raise InvalidInputError(
                "labels is not optimal for these sites (a cyclic exchange of points improves it): solve the "
                "assignment program for the sites first, or use is_separable to look for other sites"
            )
        if ratio >= eps:  # the cycle is negative by rounding only
            potentials, _ = shortest_potentials(gaps - eps * distance, slack=rounding)
            break
        eps = max(ratio, 0.0)
    return eps, potentials


def shortest_potentials(
    length: NDArray[np.float64], slack: float = 0.0, *, cycles: bool = True
) -> tuple[NDArray[np.float64], NDArray[np.int64] | None]:
    """Bellman and Ford on a complete graph: potentials with mu_i <= mu_j + length_ij, or a negative cycle. Shapes:
    length (m, m) -> potentials (m,), cycle (c,)."""
    m = len(length)
    mu, successor = np.zeros(m), np.full(m, -1)
    for _ in range(m * m if cycles else m):
        through = mu[None, :] + length
        np.fill_diagonal(through, np.inf)
        best = through.argmin(axis=1)
        value = through[np.arange(m), best]
        shorter = value < mu - slack
        if not shorter.any():
            break
        mu, successor = np.where(shorter, value, mu), np.where(shorter, best, successor)
        cycle = _cycle_of(successor) if cycles else None
        if cycle is not None:
            return mu, cycle
    return mu, None


def _cycle_of(successor: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """A cycle of the functional graph i -> successor[i] (-1 ends a walk)."""
    seen = np.full(len(successor), -1)
    for start in range(len(successor)):
        node = start
        while node >= 0 and seen[node] < 0:
            seen[node] = start
            node = int(successor[node])
        if node >= 0 and seen[node] == start:
            cycle = [node]
            while int(successor[cycle[-1]]) != node:
                cycle.append(int(successor[cycle[-1]]))
            return np.array(cycle)
    return None
