"""What a certificate needs to know of the points: sums over blocks of them, which add up to those of all."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from ...base.blas import one_blas_thread
from ..polytope.shares import Shares
from ..scores.shifted import UNIT, Offsets, ShiftedScores
from .charges import Charges

FEWEST_SHARED = 8  # blocks; with fewer, waking other threads costs more than it saves
BLOCK_NUMBERS = 1 << 17  # of scores or coordinates: 1 MiB, which the second-level cache holds
LARGE_NUMBERS = 1 << 19  # of them in blocks of fewer than `FEWEST_ROWS` points: half-way to many small products
FEWEST_ROWS = 1 << 10


@dataclass(frozen=True)
class CertificateSums:
    """Sums over some of the points; those of all points are the sum of these.

    Attributes
    ----------
    primal, dual : float
        sum_j w_j gamma of the assignment, and sum_j eta_j.
    loss, worst_loss : float
        The points' part of (5) and its largest entry.
    spread : float
        sum_j w_j (max_i P_ij - min_i P_ij).
    usual_spread : float
        The same with outliers counted as the cap of `shifted_scores`.
    noise : float
        Bound on the rounding error of ``loss``.
    representation : float
        Bound on what the same assignment can lose because scores and prices are rounded where they are computed
        without taking constants off first: solvers do so, and prices are floats.
    dual_error, dual_shortfall : float
        sum_j |eta_j - w_j max_i (gamma_ij - mu_i)| for point duals handed in, and the most by which one is too small.
    """

    primal: float = 0.0
    dual: float = 0.0
    loss: float = 0.0
    worst_loss: float = 0.0
    spread: float = 0.0
    usual_spread: float = 0.0
    noise: float = 0.0
    representation: float = 0.0
    dual_error: float = 0.0
    dual_shortfall: float = 0.0

    def __add__(self, other: CertificateSums) -> CertificateSums:
        """The sums over both sets of points."""
        added = {entry.name: getattr(self, entry.name) + getattr(other, entry.name) for entry in fields(self)}
        for name in ("worst_loss", "dual_shortfall"):  # NaN stays
            added[name] = float(np.maximum(getattr(self, name), getattr(other, name)))
        return CertificateSums(**added)

    @classmethod
    def block(
        cls,
        scores: ShiftedScores,
        start: int,
        stop: int,
        shares: Shares,
        offsets: Offsets,
        weights: NDArray[np.float64] | None = None,
        duals: NDArray[np.float64] | None = None,
        charges: Charges | None = None,
    ) -> CertificateSums:
        """Sums over the points start..stop of an assignment; weights and point duals are those of all points (n,).

        ``charges`` are those of further rows and masks, where there are any: points are then no longer charged in
        proportion to their weight, so that from there on everything is counted a point and not a unit of weight.
        """
        prices = offsets.prices
        w = None if weights is None else weights[start:stop]
        reduced, constants, noise, size, lost = scores.block(start, stop, w)
        spread, labels = _spread(reduced, charges, start, stop), shares.labels[start:stop]
        total = float(stop - start if w is None else w.sum())
        usual = _total(np.minimum(spread, scores.cap), w) + lost
        extent = _total(spread, w) + lost
        given = scores.values(start, labels)
        reduced += offsets.values[:, None]  # clusters by points: extrema over clusters become vector instructions
        every = prices[:, None]  # what each point pays in each cluster
        if charges is not None:
            charge, error = charges.block(start, stop)
            every = prices[:, None] * (1.0 if w is None else w) + charge
            if w is not None:
                reduced, constants, given = reduced * w, constants * w, None if given is None else given * w
            reduced -= charge
            if charges.polytope.allowed is not None:
                reduced[~charges.polytope.allowed[start:stop].T] = -np.inf
            noise += 2.0 * error
        everyone = labels * labels.size + np.arange(labels.size)
        own, best = reduced.ravel()[everyone], reduced.max(axis=0)
        loss, price = best - own, prices[labels] if charges is None else every.ravel()[everyone]
        points, clusters, share = shares.block(start, stop)
        if points.size:  # a split point's numbers are the means over its shares
            held, each = np.unique(points, return_inverse=True)
            parts = best[points] - reduced[clusters, points]
            loss[held] = np.bincount(each, share * parts)
            price[held] = np.bincount(
                each, share * (every[clusters, 0] if charges is None else every[clusters, points])
            )
        middle = offsets.middle if charges is None or w is None else offsets.middle * w
        if charges is not None:
            w = None
        top = best + (constants + middle)  # max_i (gamma_ij - mu_i)
        value = top - loss + price if given is None or points.size else given
        off = np.zeros(1) if duals is None else _times(w, top) - duals[start:stop]
        distance = 2.0 * _total(np.abs(best), w) + _total(loss, w)
        amounts = 2.0 * _total(np.abs(value), w) + _total(np.abs(top), w)
        edge = 0.0
        if scores.gradients is None:  # gamma_ij - b_j is rounded, and as large as the constants taken off it
            edge = 2.0 * total * float(np.abs(offsets.values).max() + np.abs(scores.constants).max())
        return cls(
            primal=_total(value, w),
            dual=_total(top, w) if duals is None else float(duals[start:stop].sum()),
            loss=_total(loss, w),
            worst_loss=float((loss if w is None else w * loss).max(initial=0.0)),
            spread=extent,
            usual_spread=usual,
            noise=2.0 * (noise + lost + UNIT * (distance + edge)),
            representation=2.0 * UNIT * (scores.roundings * size + amounts) + (0.0 if charges is None else 2.0 * error),
            dual_error=float(np.abs(off).sum()),
            dual_shortfall=float(off.max(initial=0.0)),
        )


def sums_over_points(
    scores: ShiftedScores,
    shares: Shares,
    prices: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    duals: NDArray[np.float64] | None = None,
    charges: Charges | None = None,
) -> CertificateSums:
    """`CertificateSums` of all points, block by block, which threads share and which are added in order."""
    n, k = scores.source.shape
    wide = max(k, scores.n_coordinates)
    rows = max(BLOCK_NUMBERS // wide, min(LARGE_NUMBERS // wide, FEWEST_ROWS), 1)
    offsets, found = scores.less(prices), [CertificateSums()] * -(-n // rows)

    def look(first: int, last: int) -> None:
        with np.errstate(over="ignore", invalid="ignore"):  # forged numbers overflow; they are then not verified
            for block in range(first, last):
                start = block * rows
                found[block] = CertificateSums.block(
                    scores, start, min(start + rows, n), shares, offsets, weights, duals, charges
                )

    with one_blas_thread():
        if len(found) < FEWEST_SHARED:
            look(0, len(found))
        else:
            from ...base.threads import share  # on demand: it brings the compiler

            share(look, len(found))
    return sum(found, CertificateSums())


def _spread(scores: NDArray[np.float64], charges: Charges | None, start: int, stop: int) -> NDArray[np.float64]:
    """Range (m,) of every point's scores (k, m) over the clusters that are allowed to it."""
    allowed = None if charges is None else charges.polytope.allowed
    if allowed is None:
        return np.asarray(scores.max(axis=0) - scores.min(axis=0))
    mask = allowed[start:stop].T
    return np.where(mask, scores, -np.inf).max(axis=0) - np.where(mask, scores, np.inf).min(axis=0)


def _times(weights: NDArray[np.float64] | None, values: NDArray[np.float64]) -> NDArray[np.float64]:
    return values if weights is None else weights * values


def _total(values: NDArray[np.float64], weights: NDArray[np.float64] | None) -> float:
    return float(_times(weights, values).sum())
