"""Mass of intervals under a chi law or that of an angle, on the log scale and far into the tails.

All densities are log-concave. On an interval the density is integrated where it is above exp(-60) of its largest
value there, by Gauss-Legendre quadrature; what is left out is below double precision.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

DROP = 60.0  # Natural logarithm by which the density falls before the tail is ignored.
NODES, WEIGHTS = np.polynomial.legendre.leggauss(120)  # Gauss-Legendre rule on [-1, 1].


def log_mass(intervals: NDArray[np.float64], degrees: int) -> float:
    """Log of the unnormalised mass of disjoint intervals (m, 2)."""
    power = degrees - 1

    def density(phi):
        with np.errstate(divide="ignore"):
            return (power * np.log(phi) if power else 0.0) - 0.5 * phi * phi

    return _integrated(intervals, density, np.sqrt(power))


def log_mass_of_angles(intervals: NDArray[np.float64], p: int, q: int) -> float:
    """Log of the unnormalised mass of disjoint intervals (m, 2) of angles theta with tan(theta)^2 q / p ~ F(p, q)."""

    def density(theta):
        with np.errstate(divide="ignore"):
            rising = (p - 1) * np.log(np.sin(theta)) if p > 1 else np.zeros_like(theta)
            return rising + ((q - 1) * np.log(np.cos(theta)) if q > 1 else 0.0)

    return _integrated(intervals, density, float(np.arctan2(np.sqrt(p - 1), np.sqrt(q - 1))) if p > 1 else 0.0)


def _integrated(intervals, density, best):
    """Log of the sum over intervals of the integral of exp(density), which is greatest at ``best``."""
    a, b = intervals[:, 0], intervals[:, 1]
    mode = np.clip(best, a, b)
    top = density(mode)
    low, high = _level(density, mode, a, top), _level(density, mode, b, top)
    phi = low[:, None] + 0.5 * (high - low)[:, None] * (NODES + 1)
    integral = (np.exp(density(phi) - top[:, None]) * WEIGHTS).sum(axis=1) * 0.5 * (high - low)
    with np.errstate(divide="ignore"):
        logs = np.log(integral) + top
    best = logs.max(initial=-np.inf)
    return float(best + np.log(np.exp(logs - best).sum())) if np.isfinite(best) else -np.inf


def _level(density, mode, end, top):
    """Where between the mode and an end the density has fallen by exp(-DROP), or the end."""
    near, far = mode.copy(), end.copy()
    whole = density(end) >= top - DROP
    for _ in range(80):
        middle = 0.5 * (near + far)
        inside = density(middle) >= top - DROP
        near, far = np.where(inside, middle, near), np.where(inside, far, middle)
    return np.where(whole, end, far)
