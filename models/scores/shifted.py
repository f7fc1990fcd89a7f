"""Scores less what no choice of clusters can change, so that a check of them keeps its digits.

    gamma_ij = P_ij + b_j + nu_i

b_j is a constant of the point: every assignment collects it once. nu_i is a constant of the cluster: it only shifts
the price of cluster i. What is left, P, is of the size of the differences among the points, however far from zero the
data or the scores lie, and the k numbers nu_i - mu_i - t (t common to all) are summed without rounding.

    scores of sites    P_ij = (g_i - g) . (x_j - r),  b_j = g . (x_j - r),  nu_i = g_i . (r - c) + h_i
    scores as given    P_ij = gamma_ij - b_j - nu_i,  b_j = max_i gamma_ij,  nu_i = median of gamma_ij - b_j

g is the median of the g_i, r the median of the points, each coordinate by itself, over at most `SAMPLE` points.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import fsum, inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.blas import one_blas_thread
from .scores import LinearScores, Scores, is_sparse

UNIT = 2.0**-53  # unit roundoff of float64
TINY = 2.0**-1022  # below this a product loses digits
SAMPLE = 1001
SPARSE_NUMBERS = 1 << 22  # coordinates in a sample of sparse points, which is made dense
OUTLYING = 1e3  # a range of scores beyond this multiple of the largest usual one is an outlier's


class ShiftedBlock(NamedTuple):
    """P of a block of points and how far it can be trusted.

    Parameters
    ----------
    scores : (k, m) ndarray
        P, one row a cluster; the caller's to change.
    constants : (m,) ndarray
        b_j.
    noise : float
        Bound on sum_j w_j max_i |error of P_ij|, rounding of the two sums with nu aside.
    size : float
        sum_j w_j times the largest sum of absolute products that make up a score of the point.
    lost : float
        What underflow of the products may have lost beside, in all, where that is more than the noise; it counts as
        spread, which is then not known.
    """

    scores: NDArray[np.float64]
    constants: NDArray[np.float64]
    noise: float
    size: float
    lost: float


class Offsets(NamedTuple):
    """What prices add to P: gamma_ij - mu_i = P_ij + values_i + b_j + middle.

    Parameters
    ----------
    prices : (k,) ndarray
        mu.
    values : (k,) ndarray
        nu_i - mu_i - t, each rounded once.
    middle : float
        t.
    """

    prices: NDArray[np.float64]
    values: NDArray[np.float64]
    middle: float


@dataclass(frozen=True, eq=False)
class ShiftedScores:
    """A frame (r, g, nu) for the scores of a model.

    Attributes
    ----------
    source : LinearScores or DenseScores
        The scores; ``dataclasses.replace`` puts the frame over other points.
    reference : (d,) ndarray or None
        r; None for scores given as a matrix.
    common : (d,) ndarray or None
        g.
    gradients : (k, d) ndarray or None
        g_i - g.
    terms : (k, t) ndarray
        Numbers whose exact sum is nu_i, row by row.
    cap : float
        Ranges of P beyond it are outliers', and count as the cap in `Certificate`.
    """

    source: Scores
    reference: NDArray[np.float64] | None
    common: NDArray[np.float64] | None
    gradients: NDArray[np.float64] | None
    terms: NDArray[np.float64]
    cap: float = inf

    @classmethod
    def of(cls, source: Scores, weights: NDArray[np.float64] | None = None) -> ShiftedScores:
        """The frame of some scores, from at most `SAMPLE` points that carry weight; O(k d) beside the sample."""
        n = source.shape[0]
        chosen = np.arange(n) if weights is None else np.flatnonzero(weights > 0)
        most = SAMPLE
        if isinstance(source, LinearScores) and is_sparse(source.X):
            most = min(SAMPLE, max(SPARSE_NUMBERS // max(source.X.shape[1], 1), 1))
        chosen = chosen[np.linspace(0, chosen.size - 1, min(chosen.size, most)).astype(np.int64)]
        if isinstance(source, LinearScores):
            rows = source.coordinates(chosen)
            reference, common = np.median(rows, axis=0), np.median(source.gradients, axis=0)
            gradients = source.gradients - common
            with one_blas_thread():
                shifted = (rows - reference) @ gradients.T
            return cls(source, reference, common, gradients, _terms(source, reference), _cap(shifted))
        gamma = source.dense()[chosen]
        gamma = gamma - gamma.max(axis=1, keepdims=True)
        constants = np.median(gamma, axis=0)
        return cls(source, None, None, None, constants[:, None], _cap(gamma - constants))

    @cached_property
    def constants(self) -> NDArray[np.float64]:
        """nu (k,), each rounded once."""
        return np.array([fsum(terms) for terms in self.terms.tolist()])

    def less(self, prices: NDArray[np.float64]) -> Offsets:
        """nu_i - mu_i - t, with the t that centres them; NaN when a price is no finite number."""
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

    def block(self, start: int, stop: int, weights: NDArray[np.float64] | None) -> ShiftedBlock:
        """P, b and error bounds of the points start..stop, whose weights are ``weights``, None for ones."""
        if self.reference is None or self.common is None or self.gradients is None:
            gamma = np.array(self.source.by_cluster(start, stop), order="C")
            constants = gamma.max(axis=0)
            gamma -= constants
            gamma -= self.constants[:, None]
            return ShiftedBlock(gamma, constants, 0.0, 0.0, 0.0)
        source = self.source
        assert isinstance(source, LinearScores)
        X = source.coordinates(slice(start, stop))
        steepest = np.abs(self.gradients).max(axis=0)
        ones = np.ones(len(X)) if weights is None else weights  # a product adds narrow rows faster than a sum does
        total = float(ones.sum())
        formed = source.coordinate_roundings * UNIT  # relative error of a coordinate
        if formed:
            formed = formed * float(ones @ np.abs(X) @ steepest) + total * TINY * float(steepest.sum())
        X -= self.reference
        scores, constants = self.gradients @ X.T, X @ self.common
        np.abs(X, out=X)
        away = ones @ X
        size = float(away @ steepest)
        lost = total * TINY * int(np.count_nonzero((away > 0) & (steepest > 0)))
        steps = X.shape[1] + 3.0  # roundings in a score: two differences, a product, and the sums
        far = float((away + total * np.abs(self.reference - source.zero)) @ np.abs(source.gradients).max(axis=0))
        noise = steps * UNIT * size + formed
        lost = lost if lost > noise else 0.0
        return ShiftedBlock(scores, constants, noise, far + total * float(np.abs(source.offsets).max()), lost)

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


def _cap(shifted: NDArray[np.float64]) -> float:
    """`OUTLYING` times the largest range of a sample (m, k) without its top hundredth."""
    ranges = np.sort(shifted.max(axis=1) - shifted.min(axis=1))
    usual = float(ranges[: max(ranges.size - 1 - ranges.size // 100, 1)][-1])
    return OUTLYING * usual if usual > 0 else inf


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
