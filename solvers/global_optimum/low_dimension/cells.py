"""The cheapest cluster at given prices of very many points, from below: points gathered into cells.

`pricing` needs f(c), the least sum over S of r_j = |x_j - c|^2 - lambda_j, only from below, and lambda may be chosen.
On a cell Q of points with mean x_Q, let lambda_j = |x_j|^2 + g_Q + a_Q . (x_j - x_Q). Then

    r_j = |c|^2 - 2 c . x_Q - g_Q - b . (x_j - x_Q),    b = 2 c + a_Q

is linear on the cell. For any mu, by weak duality for the bounds l..u of the mass,

    f(c)  >=  sum_Q sum_{j in Q} w_j min(0, r_j - mu)  +  (l mu if mu > 0, else u mu)

and with rho the mean of r_j - mu in Q, w its mass, and s^2 = b' C_Q b their variance, C_Q the covariance of the cell,

    sum_{j in Q} w_j min(0, r_j - mu)  =   w min(0, rho)                       if |rho| >= E
                                       >=  w min(0, rho) - w excess(|rho|)     else,

E the largest |b . (x_j - x_Q)|, where the mean of (e - t)+ over numbers e <= E of mean 0 and variance s^2 is at most

    excess(t)  =  (sqrt(t^2 + s^2) - t) / 2  if t + sqrt(t^2 + s^2) <= E,    else  (E - t) s^2 / (s^2 + E^2)

Only cells on the boundary of a cluster lose anything, of second order in their width: some tenths of a per cent of the
bound for normal points in space and 16 384 cells, judging by random prices and centres. With a_Q the gradient of
the prices, b is small in a cluster's own cells. A look at a centre takes .4 ms, and 25 ms at a million points.

Reference: Scarf (1958), A min-max solution of an inventory problem, for the excess. Where the second case is meant and
rounding takes the first, or the other way round, the two differ by roundings, as the function is continuous.
"""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....base.jit import njit
from ..bound_by_parts import boxes

ROUNDS = 12  # Iterations of the search for the best mu.
NEAR = 2e-3  # Relative distance of the mass from its bound at which mu is good enough.
SAFE = 1e-9  # Relative margin on top of the rounding of covariances and of largest distances.


Priced = namedtuple("Priced", "P w prices lower upper unit")  # fmt: skip
"""Points P (n, d), or means of cells, of masses w (n,) at prices (n,), bounds on the mass of a cluster, and whether all
masses are 1."""


Shape = namedtuple("Shape", "slopes reach spread")  # fmt: skip
"""Of cells: gradients a_Q of the prices (m, d), largest distances from the mean (m, d), and covariances (m, d, d)."""


# Shape of points that are not gathered in cells.
NONE = Shape(np.zeros((0, 1)), np.zeros((0, 1)), np.zeros((0, 1, 1)))


@dataclass(frozen=True, eq=False)
class Cells:
    """Means (m, d) and masses (m,) of cells, largest distances from the mean (m, d), and covariances (m, d, d)."""

    means: NDArray[np.float64]
    masses: NDArray[np.float64]
    reach: NDArray[np.float64]
    spread: NDArray[np.float64]

    @classmethod
    def of(cls, P: NDArray[np.float64], w: NDArray[np.float64], count: int) -> Cells:
        """About ``count`` cells of equally many points."""
        members = boxes(P, np.arange(len(P)), max(1, len(P) // count))
        means, reach, spread, masses = [], [], [], []
        for rows in members:
            x, weight = P[rows], w[rows]
            mass = weight.sum()
            mean = weight @ x / mass
            off = x - mean
            means.append(mean)
            masses.append(mass)
            reach.append(np.abs(off).max(axis=0))
            spread.append((weight[:, None] * off).T @ off / mass)
        return cls(np.array(means), np.array(masses), np.array(reach), np.array(spread))


@njit(cache=True)
def _sums(rho: NDArray, w: NDArray, variance: NDArray, reach: NDArray, mu: float) -> tuple[float, float]:
    """The sum over cells at one mu, and the mass taken."""
    value, mass = 0.0, 0.0
    for q in range(len(rho)):
        t, far, s = rho[q] - mu, reach[q], variance[q]
        near = abs(t)
        if t < 0.0:
            value += w[q] * t
            mass += w[q]
        if near < far:
            root = np.sqrt(near * near + s)
            if near + root <= far:
                excess, slope = 0.5 * (root - near), 0.5 * (1.0 - near / max(root, 1e-300))
            else:
                slope = s / (s + far * far)
                excess = (far - near) * slope
            value -= w[q] * excess
            mass += w[q] * slope if t >= 0.0 else -w[q] * slope
    return value, mass


@njit(cache=True)
def cheapest_of_cells(priced: Priced, cells: Shape, centre: NDArray, work: NDArray) -> float:
    """A lower bound on f at a centre, for prices |x_Q|^2 + g_Q of the means; with room for work (3, m)."""
    P, w, prices, lower, upper, _ = priced
    (slopes, reach, spread), (n, d) = cells, P.shape
    r, variance, farthest = work[0], work[1], work[2]
    # the mean, the range and the variance of r in every cell: all that its part of the sum needs
    b = np.empty(d)
    least, most = np.inf, -np.inf
    for q in range(n):
        rho, far, s, size, trace = -prices[q], 0.0, 0.0, 0.0, 0.0
        for c in range(d):
            off = P[q, c] - centre[c]
            rho += off * off
            b[c] = 2.0 * centre[c] + slopes[q, c]
            far += abs(b[c]) * reach[q, c]
            size += b[c] * b[c]
            trace += spread[q, c, c]
        for c in range(d):
            for e in range(d):
                s += b[c] * b[e] * spread[q, c, e]
        r[q], variance[q], farthest[q] = rho, max(s, 0.0) + SAFE * size * trace, far * (1.0 + SAFE)
        least, most = min(least, rho - farthest[q]), max(most, rho + farthest[q])
    # mu = 0 is best where the mass that it takes is within the bounds; otherwise regula falsi looks for the bound
    best, mass = _sums(r, w, variance, farthest, 0.0)
    if lower <= mass <= upper:
        return best
    target = lower if mass < lower else upper
    # the wanted mu is between the least r of any point and the largest
    if mass > upper:
        low, below, high, above, best = least, 0.0, 0.0, mass, best
    else:
        low, below, high, above = 0.0, mass, most, w.sum()
    for _ in range(ROUNDS):
        # never too near an end, where the function is nearly flat and steps would be tiny
        share = (target - below) / max(above - below, 1e-300)
        mu = low + min(max(share, 0.02), 0.98) * (high - low)
        value, mass = _sums(r, w, variance, farthest, mu)
        best = max(best, value + (lower if mu > 0.0 else upper) * mu)
        if abs(mass - target) <= NEAR * target:
            break
        if mass < target:
            low, below = mu, mass
        else:
            high, above = mu, mass
    return best
