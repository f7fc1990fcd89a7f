"""Scores less what no choice of clusters can change, so that a check of them keeps its digits.

    gamma_ij = P_ij + b_j + nu_i

b_j is a constant of the point: every assignment collects it once. nu_i is a constant of the cluster: it only shifts
the price of cluster i. What is left, P, is of the size of the differences among the points, however far from zero the
data or the scores lie, and the k numbers nu_i - mu_i - t (t common to all) are summed without rounding.

    scores of sites    P_ij = (g_i - g) . (x_j - r),  b_j = g . (x_j - r),  nu_i = g_i . (r - c) + h_i
    scores as given    P_ij = gamma_ij - b_j - nu_i,  b_j = max_i gamma_ij,  nu_i = median of gamma_ij - b_j

r is the median of at most `SAMPLE` points, g of the g_i of their clusters, each coordinate by itself; nu_i is a median
over the points of cluster i, and b_j a maximum over the clusters allowed to the point. So a pair without
a share is in none of these numbers, however large its score. With s_d the median of |x_jd - r_d|, the products that
make up P_ij sum to at most

    sum_d |g_id - g_d| |x_jd - r_d|  <=  f_i a_j,   f_i = max_d |g_id - g_d| s_d,   a_j = sum_d |x_jd - r_d| / s_d

which bounds the rounding error of every pair by numbers of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import fsum, inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.blas import one_blas_thread
from .differences import SquaredDifferences
from .scores import SAMPLE, LinearScores, Scores, is_sparse

UNIT = float(np.finfo(np.float64).eps) / 2.0  # Unit roundoff of float64.
TINY = float(np.finfo(np.float64).tiny)  # below this a product loses digits
ROUNDING_LIMIT = 1e-6  # With a larger rounding error, as a fraction of the possible loss, nothing is proved.
OUTLYING = 1e3  # A point is an outlier if its scores range over this many times the largest usual range.


class ShiftedBlock(NamedTuple):
    """P of a block of points and how far it can be trusted. Shapes: scores (k, m), constants (m,), away (m,)."""

    scores: NDArray[np.float64]
    constants: NDArray[np.float64]
    away: NDArray[np.float64]
    lost: float


class Offsets(NamedTuple):
    """What prices add to P: gamma_ij - mu_i = P_ij + values_i + b_j + middle. Shapes: prices (k,), values (k,)."""

    prices: NDArray[np.float64]
    values: NDArray[np.float64]
    middle: float


@dataclass(frozen=True, eq=False)
class ShiftedScores:
    """A frame (r, g, nu) for the scores of a model."""

    source: Scores  # The scores; ``dataclasses.replace`` puts the frame over other points.
    reference: NDArray[np.float64] | None  # (d,): Point r; None for scores given as a matrix.
    common: NDArray[np.float64] | None  # (d,): g
    gradients: NDArray[np.float64] | None  # (k, d): g_i - g
    terms: NDArray[np.float64]  # (k, t): Numbers whose exact sum is nu_i, row by row.
    cap: float = inf  # Ranges of P beyond it are outliers', and count as the cap in `Certificate`.
    units: NDArray[np.float64] | None = None  # (d,): s
    differences: SquaredDifferences | None = None  # Exact differences near boundaries, where scores are least squares.

    @classmethod
    def of(
        cls,
        source: Scores,
        weights: NDArray[np.float64] | None = None,
        labels: NDArray[np.int64] | None = None,
        allowed: NDArray[np.bool_] | None = None,
        sites: NDArray[np.float64] | None = None,
    ) -> ShiftedScores:
        """The frame of some scores, from at most `SAMPLE` points that carry weight; O(k d) compared with the sample.
        Sites (k, d) are those in space, where scores are least squares."""
        n = source.shape[0]
        chosen = np.arange(n) if weights is None else np.flatnonzero(weights > 0)
        most = SAMPLE
        if isinstance(source, LinearScores) and is_sparse(source.X):
            most = min(SAMPLE, max((1 << 22) // max(source.X.shape[1], 1), 1))  # they are made dense: 32 MiB
        chosen = chosen[np.linspace(0, chosen.size - 1, min(chosen.size, most)).astype(np.int64)]
        own = None if labels is None else labels[chosen]
        if isinstance(source, LinearScores):
            rows = source.coordinates(chosen)
            reference = np.median(rows, axis=0)
            common = np.median(
                source.gradients if own is None else source.gradients[own], axis=0, overwrite_input=own is not None
            )
            gradients = source.gradients - common
            rows -= reference
            with one_blas_thread():
                shifted = rows @ gradients.T
            mask = None if allowed is None else allowed[chosen]
            terms, units = _terms(source, reference), _usual(np.abs(rows))
            exact = SquaredDifferences.of(source, sites)
            return cls(source, reference, common, gradients, terms, _cap(shifted, mask), units, exact)
        gamma = source.dense()[chosen]
        if allowed is not None:
            gamma = np.where(allowed[chosen], gamma, -inf)
        gamma = gamma - gamma.max(axis=1, keepdims=True)
        constants = _medians(gamma, own)
        return cls(source, None, None, None, constants[:, None], _cap(gamma - constants, np.isfinite(gamma)))

    @cached_property
    def constants(self) -> NDArray[np.float64]:
        """nu (k,), each rounded once."""
        return np.array([fsum(terms) for terms in self.terms.tolist()])

    def less(self, prices: NDArray[np.float64]) -> Offsets:
        """nu_i - mu_i - t, with the t that centres them; NaN when a price is not a finite number."""
        if not np.isfinite(prices).all():
            return Offsets(prices, np.full(prices.size, np.nan), 0.0)
        middle = float(np.median(self.terms.sum(axis=1) - prices))
        rows = np.column_stack([self.terms, -prices, np.full(prices.size, -middle)])
        return Offsets(prices, np.array([fsum(row) for row in rows.tolist()]), middle)

    def values(self, start: int, labels: NDArray[np.int64]) -> NDArray[np.float64] | None:
        """gamma of the points from start on in their clusters, where the scores were given and nothing is lost."""
        if isinstance(self.source, LinearScores):
            return None
        return self.source.matrix[np.arange(start, start + labels.size), labels]

    def block(
        self,
        start: int,
        stop: int,
        allowed: NDArray[np.bool_] | None = None,
        weights: NDArray[np.float64] | None = None,
    ) -> ShiftedBlock:
        """P, b and bounds on their errors, of the points start..stop of weights (m,); ``allowed`` (n, k) is a mask."""
        barred = None if allowed is None else ~allowed[start:stop].T
        if self.reference is None or self.common is None or self.gradients is None or self.units is None:
            gamma = np.array(self.source.by_cluster(start, stop), order="C")
            if barred is not None:
                gamma[barred] = -inf
            constants = gamma.max(axis=0)
            gamma -= constants
            gamma -= self.constants[:, None]
            return ShiftedBlock(gamma, constants, np.zeros(constants.size), 0.0)
        source = self.source
        assert isinstance(source, LinearScores)
        X = source.coordinates(slice(start, stop))
        X -= self.reference
        scores, constants = self.gradients @ X.T, X @ self.common
        if barred is not None:
            scores[barred] = -inf
        np.abs(X, out=X)
        counted = X if weights is None else X[weights > 0]  # nothing is lost with points of no weight
        coordinates = np.count_nonzero((counted.max(axis=0, initial=0.0) > 0) & (self.gradients != 0).any(axis=0))
        return ShiftedBlock(scores, constants, X @ (1.0 / self.units), len(X) * TINY * int(coordinates))

    @cached_property
    def rates(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Errors of P_ij as two vectors (k,): what a unit of a_j adds, and what every point has."""
        if self.gradients is None or self.units is None or self.reference is None:
            return np.zeros(len(self.terms)), UNIT * np.abs(self.constants)
        steps, formed = self.gradients.shape[1] + 3.0, self.source.coordinate_roundings  # type: ignore[union-attr]
        largest = UNIT * (np.abs(self.gradients) * self.units).max(axis=1)  # two differences, a product, and the sums
        return (steps + formed) * largest, formed * largest * float((np.abs(self.reference) / self.units).sum())

    @cached_property
    def usual_rates(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The same for scores as they are usually computed, without taking constants off."""
        source = self.source
        if not isinstance(source, LinearScores) or self.reference is None or self.units is None:
            return self.rates
        largest = UNIT * self.roundings * (np.abs(source.gradients) * self.units).max(axis=1)
        origin = float((np.abs(self.reference - source.zero) / self.units).sum())
        return largest, largest * origin + UNIT * self.roundings * np.abs(source.offsets)

    @property
    def n_coordinates(self) -> int:
        """Coordinates d of a point; 0 for scores given as a matrix."""
        return 0 if self.gradients is None else self.gradients.shape[1]

    @property
    def roundings(self) -> float:
        """Roundings in one score as it is usually computed."""
        if self.gradients is None or not isinstance(self.source, LinearScores):
            return 1.0
        return self.gradients.shape[1] + 3.0 + self.source.coordinate_roundings


def _cap(shifted: NDArray[np.float64], allowed: NDArray[np.bool_] | None) -> float:
    """`OUTLYING` times the largest range of a sample (m, k) without its top hundredth."""
    high, low = (shifted, shifted) if allowed is None else (np.where(allowed, shifted, s) for s in (-inf, inf))
    ranges = np.sort(high.max(axis=1) - low.min(axis=1))
    usual = float(ranges[: max(ranges.size - 1 - ranges.size // 100, 1)][-1])
    return OUTLYING * usual if usual > 0 else inf


def _usual(distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """The median (d,) of distances (m, d), their mean where it is zero, one where that is too."""
    middle, mean = np.median(distances, axis=0), distances.mean(axis=0)
    found = np.where(middle > 0, middle, mean)
    return np.where(found > 0, found, 1.0)


def _medians(losses: NDArray[np.float64], labels: NDArray[np.int64] | None) -> NDArray[np.float64]:
    """The median (k,) of scores less the best (m, k), over the points of each cluster; the best where it has none."""
    if labels is None:
        found = np.median(losses, axis=0)
    else:
        found = losses.max(axis=0)
        for i in np.unique(labels):
            found[i] = np.median(losses[labels == i, i])
    return np.where(np.isfinite(found), found, 0.0)


def _terms(source: LinearScores, reference: NDArray[np.float64]) -> NDArray[np.float64]:
    """g_i . r, -g_i . c and h_i as rows (k, 4 d + 1) of floats whose sums are exact."""
    near, away = _products(source.gradients, reference), _products(source.gradients, -source.zero)
    return np.concatenate([*near, *away, source.offsets[:, None]], axis=1)


def _products(a: NDArray[np.float64], b: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Products a * b and their rounding errors (Dekker 1971): the two sum to the exact product."""
    product = a * b
    a_high, b_high = _high(a), _high(b)
    a_low, b_low = a - a_high, b - b_high
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def _high(a: NDArray[np.float64]) -> NDArray[np.float64]:
    """The leading 26 bits of every number."""
    fraction, exponent = np.frexp(a)
    return np.ldexp(np.round(np.ldexp(fraction, 26)), exponent - 26)
