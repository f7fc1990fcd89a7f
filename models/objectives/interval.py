"""Values of the two global objectives for a clustering, enclosed between two floats.

    LSA   sum_i ( sum_{j in C_i} w_j |x_j|^2 - |s_i|^2 / m_i )     s_i the weighted sum, m_i the weight of cluster i
    CSA   sum_i | s_i - m_i s / m |                                s, m of all points; weights are one unless given

Every float is a whole number times a power of two, so that with one common power both are formulas in whole numbers:
the first is a fraction, the second a sum of square roots of whole numbers divided by n. They are computed without
rounding, the roots to 64 digits or more, and rounded outwards once, at the end. Neither far points nor an offset can
spoil a digit. Tables of more than EXACT numbers are summed in floating point instead, with the forward error

    |fl(sum of m terms) - sum| <= (m - 1) u (1 + O(m u)) sum of |terms|,    u = 2^-53      (Higham 2002, section 4.2)

on both sides; twice the unit roundoff covers the terms of higher order.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt, nextafter

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import finite_rows, instance_of
from ...base.errors import InvalidInputError
from ..polytope.magnitudes import LARGEST
from ..polytope.polytope import PartitionPolytope

EXACT = 100_000  # Tables with up to this many entries are handled in exact whole numbers: a tenth of a second.
ROUNDOFF = float(np.finfo(np.float64).eps)  # 2 u
TINY = float(np.finfo(np.float64).smallest_subnormal)


def checked_range(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """The points, when their squares can be held."""
    largest = float(np.abs(X).max(initial=0.0))
    if largest > LARGEST:
        raise InvalidInputError(
            f"X holds {largest:.3g}, whose square overflows: divide X by a power of ten, to at most {LARGEST:g}"
        )
    return X


def points_of(X: ArrayLike, polytope: PartitionPolytope, what: str) -> NDArray[np.float64]:
    """A copy of the points (n, d), whose squares can be held, of a polytope of bounds on sizes and open clusters."""
    instance_of(polytope, "polytope", PartitionPolytope)
    points = finite_rows(X, n_rows=polytope.n_points).copy()
    polytope.require_plain(what, closed=True)
    polytope.check()
    return checked_range(points)


def power_of_two(X: NDArray[np.float64]) -> float:
    """A power of two between the largest absolute entry and its double, 1 for zeros: dividing by it does not round."""
    largest = float(np.abs(X).max(initial=0.0))
    return float(2.0 ** np.clip(np.frexp(largest)[1], -1000, 1000)) if largest > 0 else 1.0


def pairwise_squares(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Squared distances (n, n) from differences of the coordinates: each with a relative error of (d + 2) u."""
    squares = np.zeros((len(X), len(X)))
    for column in X.T:
        difference = column[:, None] - column[None, :]
        squares += difference * difference
    return squares


def whole_numbers(X: NDArray[np.float64]) -> tuple[NDArray, int]:
    """Python integers N, an object array of the shape of X, and e with X = N 2^e exactly."""
    fraction, exponent = np.frexp(X)
    mantissa, power = (fraction * 2.0**53).astype(np.int64), exponent.astype(np.int64) - 53
    filled = mantissa != 0
    least = int(power[filled].min()) if filled.any() else 0
    shift = np.where(filled, power - least, 0)
    return np.left_shift(mantissa.astype(object), shift.astype(object)), least


def objective_interval(
    X: NDArray[np.float64], labels: NDArray[np.int64], objective: str, weights: NDArray[np.float64] | None = None
) -> tuple[float, float]:
    """Two floats between which a clustering's objective is, for the points exactly as given. Shapes: X (n, d),
    labels (n,), weights (n,)."""
    w = np.ones(len(X)) if weights is None else weights
    if X.size > EXACT:
        return (_csa_rounded if objective == "csa" else _lsa_rounded)(X, w, labels)
    lower, upper = (_csa_exact if objective == "csa" else _lsa_exact)(*whole_numbers(X), *whole_numbers(w), labels)
    return rounded_down(lower), -rounded_down(-upper)


def rounded_down(value: Fraction) -> float:
    """The largest float that is at most a fraction."""
    near = float(value)
    return near if Fraction(near) <= value else nextafter(near, -np.inf)


def _lsa_exact(
    N: NDArray, power: int, w: NDArray, weight_power: int, labels: NDArray[np.int64]
) -> tuple[Fraction, Fraction]:
    total = Fraction(0)
    for i in np.unique(labels):
        members, heavy = N[labels == i], w[labels == i]
        mass, sums = int(heavy.sum()), heavy @ members
        if mass:
            squares = int(heavy @ (members * members).sum(axis=1))
            total += Fraction(mass * squares - int((sums * sums).sum()), mass)
    value = total * Fraction(2) ** (2 * power + weight_power)
    return value, value


def _csa_exact(
    N: NDArray, power: int, w: NDArray, weight_power: int, labels: NDArray[np.int64]
) -> tuple[Fraction, Fraction]:
    mass, total = int(w.sum()), w @ N
    lower, upper, unit = Fraction(0), Fraction(0), Fraction(2) ** (power + weight_power) / mass
    for i in np.unique(labels):
        members, heavy = N[labels == i], w[labels == i]
        moved = mass * (heavy @ members) - int(heavy.sum()) * total
        square = int((moved * moved).sum())
        digits = max(0, 70 - square.bit_length() // 2)
        root = isqrt(square << 2 * digits)
        lower += Fraction(root, 1 << digits)
        upper += Fraction(root + (root * root != square << 2 * digits), 1 << digits)
    return lower * unit, upper * unit


def _lsa_rounded(X: NDArray[np.float64], w: NDArray[np.float64], labels: NDArray[np.int64]) -> tuple[float, float]:
    """Squares about a float near each mean are too large by m |mean - float|^2, which is bounded from the residuals."""
    lower = upper = 0.0
    for i in np.unique(labels):
        members, heavy = X[labels == i], w[labels == i]
        m, error = float(heavy.sum()), (members.size + 12) * ROUNDOFF
        if m <= 0:
            continue
        deviation = members - heavy @ members / m
        squares = float(heavy @ (deviation**2).sum(axis=1))
        residual = (np.abs(heavy @ deviation) + error * (heavy @ np.abs(deviation))) / m
        lower += squares * (1.0 - error) - m * float((residual**2).sum()) * (1.0 + error)
        upper += squares * (1.0 + error) + members.size * TINY * (1.0 + m)
    clusters = (len(np.unique(labels)) + 2) * ROUNDOFF
    return max(lower - clusters * upper, 0.0), upper * (1.0 + clusters)


def _csa_rounded(X: NDArray[np.float64], w: NDArray[np.float64], labels: NDArray[np.int64]) -> tuple[float, float]:
    Y, slack = centred(X, w)
    error = (X.size + 8) * ROUNDOFF
    value = sum(float(np.linalg.norm(Y[labels == i].sum(axis=0))) for i in np.unique(labels))
    slack += error * reach(Y)
    return max(value - slack, 0.0), value + slack


def reach(Y: NDArray[np.float64]) -> float:
    """An upper bound on the sum of the norms of the rows, and so on the sum of norms of the sums of any groups."""
    unit = power_of_two(Y)
    return unit * float(np.linalg.norm(Y / unit, axis=1).sum()) * (1.0 + (Y.size + 8) * ROUNDOFF)


def centred(X: NDArray[np.float64], weights: NDArray[np.float64] | None = None) -> tuple[NDArray[np.float64], float]:
    """Points Y (n, d) about their mean times their weights, and at most the sum of what its rows are off by."""
    w = np.ones(len(X)) if weights is None else weights
    if X.size <= EXACT:
        (N, power), (heavy, weight_power) = whole_numbers(X), whole_numbers(w)
        mass, power = int(heavy.sum()), power + weight_power
        over, under = (1 << power, mass) if power >= 0 else (1, mass << -power)
        moved = heavy[:, None] * (mass * N - heavy @ N)
        Y = (moved * over / under).astype(np.float64)
        return Y, ROUNDOFF * reach(Y) + np.count_nonzero(moved) * TINY
    Y = w[:, None] * (X - w @ X / w.sum())
    error = (X.size + 12) * ROUNDOFF
    off = float(np.linalg.norm(np.abs(Y.sum(axis=0)) + error * np.abs(Y).sum(axis=0)))
    return Y, 3.0 * ROUNDOFF * reach(Y) + off * (1.0 + error)
