"""Search for cuts by whole numbers: rows (7) of the relaxation in `partitope.models.programs.least_squares_sdp`.

Violated numbers v in {-1, 0, 1} are looked for by changing one or two of them again and again, from a few ones. With
sizes that are nearly given they close much of what triangles leave open: of wine in five clusters, with sizes within a
tenth, .65 % is open without them and .40 % with them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...base.jit import njit
from ...base.threads import share
from ...models.programs.least_squares_sdp import LeastSquaresSDP

STARTS, WORK = 60, 30_000  # Starts for every t at most; the second number is divided by the number of blocks.
LARGEST = 2  # Largest t that is tried.
MOST = 150  # New cuts per round.
LEAST = 1e-3  # Smallest violation over |v|^2, as a fraction of the mean entry on the diagonal.


@njit(cache=True)
def _descend(Z: NDArray, slope: float, v: NDArray) -> float:
    """Least v'Zv - slope sum_b v_b Z_bb met by changes of one or two numbers v_b by one, v in place, all |v_b| <= 1."""
    n = len(v)
    g = Z @ v
    for _ in range(4 * n):
        least, one, two, up, other = -1e-12, -1, -1, 0.0, 0.0
        for b in range(n):
            for s in (-1.0, 1.0):
                change = s * (2.0 * g[b] - slope * Z[b, b]) + Z[b, b]
                if change < least and abs(v[b] + s) <= 1.0:
                    least, one, up = change, b, s
        if one < 0:
            for b in range(n):
                for s in (-1.0, 1.0):
                    first = s * (2.0 * g[b] - slope * Z[b, b]) + Z[b, b]
                    if abs(v[b] + s) > 1.0 or first > Z[b, b]:
                        continue
                    for c in range(n):
                        r = -s if v[c] * s > 0.0 else s
                        change = first + r * (2.0 * g[c] - slope * Z[c, c]) + Z[c, c] + 2.0 * s * r * Z[b, c]
                        if c != b and change < least and abs(v[c] + r) <= 1.0:
                            least, one, up, two, other = change, b, s, c, r
            if one < 0:
                break
        v[one] += up
        g += up * Z[one]
        if two >= 0:
            v[two] += other
            g += other * Z[two]
    return v @ (Z @ v) - slope * (np.diag(Z) @ v)


def violated_integers(
    model: LeastSquaresSDP, Z: NDArray[np.float64], seed: int, deadline: Deadline
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Whole numbers (m, b), slopes 2 t + 1 (m,) and limits t (t + 1) H (m,) of cuts that Z (b, b) violates."""
    rng, n, most, H = np.random.default_rng(seed), len(Z), model.n_filled[1], model.reciprocals
    Z, each = 0.5 * (Z + Z.T), max(5, min(STARTS, WORK // n))
    numbers, violation = np.zeros(((LARGEST + 1) * each, n)), np.full((LARGEST + 1) * each, -np.inf)
    for i, v in enumerate(numbers):
        v[rng.choice(n, min(n, int(rng.integers(1, (i // each + 1) * most + 2))), replace=False)] = 1.0

    def descend(start: int, stop: int) -> None:
        for i in range(start, stop):
            if not deadline.allows():
                break
            v, t = numbers[i], i // each
            violation[i] = (-_descend(Z, 2.0 * t + 1.0, v) - t * (t + 1) * H) / (v @ v)

    share(descend, len(numbers))
    found = [
        (violation[i], i // each, v / np.sqrt(v @ v))
        for i, v in enumerate(numbers)
        if violation[i] > LEAST * float(np.diag(Z).mean())
    ]
    kept: list[tuple[int, NDArray[np.float64]]] = []
    for _, t, v in sorted(found, key=lambda cut: -cut[0]):
        if len(kept) < MOST and all(v @ other < 0.95 for _, other in kept):
            kept.append((t, v))
    ts = np.array([t for t, _ in kept], dtype=np.float64)
    return np.sign([v for _, v in kept]).reshape(-1, n), 2.0 * ts + 1.0, ts * (ts + 1.0) * H
