"""What a certificate needs to know of the points: sums over blocks of them, which add up to those of all."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from ...base.blas import one_blas_thread
from ..polytope.shares import Shares
from ..scores.shifted import ROUNDING_LIMIT, UNIT, Offsets, ShiftedScores
from .priced_out_rows import PricedOutRows


@dataclass(frozen=True)
class CertificateSums:
    """Sums over some of the points; those of all points are the sum of these."""

    primal: float = 0.0  # Sum of w_j gamma over the assignment.
    dual: float = 0.0  # Sum of the eta_j.
    loss: float = 0.0  # Part of (5) that belongs to the points.
    worst_loss: float = 0.0  # Largest entry of `loss`.
    spread: float = 0.0  # Sum over j of w_j (max_i P_ij - min_i P_ij).
    usual_spread: float = 0.0  # Value of `spread` with outliers counted as the cap of `models.scores.shifted`.
    conceded: float = 0.0  # Sum over i, j of w_j xi_ij (max_l gamma_lj - gamma_ij).
    conceded_shifted: float = 0.0  # Value of `conceded` for P, compared with the best cluster that is not empty.
    noise: float = 0.0  # Bound on the rounding error of ``loss``.
    forgiven: float = 0.0  # Bound on what rounding in a solver costs points near a boundary.
    representation: float = 0.0  # Bound on the rounding error of ``primal`` and ``dual``.
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
        charges: PricedOutRows | None = None,
    ) -> CertificateSums:
        """Sums over the points start..stop of an assignment; weights and point duals are those of all points (n,)."""
        prices = offsets.prices
        w = None if weights is None else weights[start:stop]
        allowed = None if charges is None else charges.polytope.allowed
        reduced, constants, away, lost = scores.block(start, stop, allowed, w)
        # what the choice of clusters can change, before prices: the gap is measured against it
        highest, labels = reduced.max(axis=0), shares.labels[start:stop]
        spread = highest - _lowest(reduced, allowed is not None)
        usual, extent = _total(np.minimum(spread, scores.cap), w), _total(spread, w)
        given = scores.values(start, labels)
        by_share = shares.block(start, stop)
        # without a constant of the clusters two measures of the same: the smaller one is the sharper
        there = highest if shares.used.size == len(reduced) else reduced[shares.used].max(axis=0)
        shifted = _total(_conceded(reduced, labels, by_share, there), w)
        moved = reduced + scores.constants[:, None]
        conceded = _total(_conceded(moved, labels, by_share, moved.max(axis=0)), w)
        reduced += offsets.values[:, None]  # clusters by points: extrema over clusters become vector instructions
        every = prices[:, None]  # what each point pays in each cluster
        added: NDArray[np.float64] | None = None  # errors of charges
        # side constraints charge amounts and not per unit of weight: all numbers of a point are then times its weight
        if charges is not None:
            charge, errors = charges.block(start, stop)
            added = 2.0 * errors
            every = prices[:, None] * (1.0 if w is None else w) + charge
            if w is not None:
                reduced, constants, given = reduced * w, constants * w, None if given is None else given * w
            reduced -= charge
            if allowed is not None:  # also for points of no weight
                reduced[~allowed[start:stop].T] = -np.inf
        # what the point loses in its cluster at these prices, which is zero at an optimum
        everyone = labels * labels.size + np.arange(labels.size)
        best = reduced.max(axis=0)
        loss = _conceded(reduced, labels, by_share, best)
        price = prices[labels] if charges is None else every.ravel()[everyone]
        flat = UNIT * 3.0 * np.abs(offsets.values)
        unit = None if charges is None else w
        points, clusters, share = by_share
        if points.size:  # a split point's numbers are the means over its shares
            held, each = np.unique(points, return_inverse=True)
            paid = every[clusters, 0] if charges is None else every[clusters, points]
            price[held] = np.bincount(each, share * paid)
        # every number comes with what its rounding can amount to: no verdict may rest on less
        error = _times_unit(np.column_stack([scores.rates[0], scores.rates[1] + flat]), away, unit, added)
        noise, margin = _noise(error, reduced, best, everyone, by_share)
        rounding = 3.0 * UNIT * (2.0 * np.abs(best) + loss)
        noise += rounding
        coarse, stated = _total(noise, w), loss
        # a point that is in its best cluster by more than rounding loses nothing, a split one excepted
        sure = margin > rounding
        sure[points] = False
        noise[sure] = 0.0
        rounded = 2.0 * (scores.usual_rates[0][labels] * away + scores.usual_rates[1][labels])
        if unit is not None:
            rounded *= unit
        near = np.flatnonzero(~sure & (loss <= (noise + rounded) / ROUNDING_LIMIT))
        error = _times_unit(np.column_stack(scores.usual_rates), away[near], _at(unit, near), _at(added, near))
        rows = by_share if points.size == 0 else _shares_at(near, by_share)
        forgiven, _ = _noise(error, reduced[:, near], best[near], labels[near] * near.size + np.arange(near.size), rows)
        if scores.differences is not None and near.size:
            pay, barred = every if charges is None else every[:, near], None
            if allowed is not None:
                barred = ~allowed[start + near].T
            nearby = _nearby(scores, start + near, labels[near], pay, _at(unit, near), _at(added, near), barred)
            loss = loss.copy()
            loss[near], noise[near], scale = _losses(*nearby, labels[near], rows)
            # no solver decides what it rounds by more than this part of what the point can lose
            forgiven = np.where(forgiven <= ROUNDING_LIMIT * scale, forgiven, 0.0)
        rounded[near] += forgiven
        middle = offsets.middle if charges is None or w is None else offsets.middle * w
        if charges is not None:
            w = None
        top = best + (constants + middle)  # max_i (gamma_ij - mu_i)
        value = top - stated + price if given is None or points.size else given
        # given point duals are compared with those of the prices, not trusted
        off = np.zeros(1) if duals is None else _times(w, top) - duals[start:stop]
        amounts = 2.0 * _total(np.abs(value), w) + _total(np.abs(top), w)
        # digits that the shift lost count only where rounding does not explain them
        lost = lost if lost > coarse else 0.0
        return cls(
            primal=_total(value, w),
            dual=_total(top, w) if duals is None else float(duals[start:stop].sum()),
            loss=_total(loss, w),
            worst_loss=float((loss if w is None else w * loss).max(initial=0.0)),
            spread=extent + lost,
            usual_spread=usual + lost,
            conceded=conceded,
            conceded_shifted=shifted,
            noise=_total(noise, w) + 2.0 * lost,
            forgiven=2.0 * _total(forgiven, _at(w, near)),
            representation=2.0 * (_total(rounded, w) + UNIT * amounts),
            dual_error=float(np.abs(off).sum()),
            dual_shortfall=float(off.max(initial=0.0)),
        )


def _conceded(
    scores: NDArray[np.float64],
    labels: NDArray[np.int64],
    shares: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]],
    best: NDArray[np.float64],
) -> NDArray[np.float64]:
    """What every point loses (m,) against the best score (m,) it could have, by scores (k, m)."""
    lost = best - scores[labels, np.arange(labels.size)]
    points, clusters, share = shares
    if points.size:
        held, each = np.unique(points, return_inverse=True)
        lost[held] = np.bincount(each, share * (best[points] - scores[clusters, points]))
    return np.asarray(lost)


def _times_unit(
    rates: NDArray[np.float64],
    away: NDArray[np.float64],
    unit: NDArray[np.float64] | None,
    more: NDArray[np.float64] | None,
) -> NDArray[np.float64]:
    """Errors (k, m) of net scores from rates (k, 2)."""
    # a product of matrices, which is faster than an outer product and a sum
    error = rates @ np.stack([away, np.ones_like(away)])
    if unit is not None:
        error *= unit
    return error if more is None else error + more


def _at(values: NDArray[np.float64] | None, points: NDArray[np.int64]) -> NDArray[np.float64] | None:
    """Values (m,) or (k, m) at some of the points."""
    return None if values is None else values[..., points]


Parts = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]


def _shares_at(some: NDArray[np.int64], shares: Parts) -> Parts:
    """The shares of some points (p,), counted among these."""
    here = np.isin(shares[0], some)
    return np.searchsorted(some, shares[0][here]), shares[1][here], shares[2][here]


def _noise(
    error: NDArray[np.float64],
    reduced: NDArray[np.float64],
    best: NDArray[np.float64],
    own: NDArray[np.int64],
    shares: Parts,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What errors (k, m) of net scores can change the loss (m,) of every point by, and by how much at least (m,) its
    cluster is better than every other. The errors are overwritten."""
    noise, there = error.ravel()[own], reduced.ravel()[own]
    points, clusters, _ = shares
    np.maximum.at(noise, points, error[clusters, points])
    error += reduced
    error.ravel()[own] = -np.inf
    rival = error.max(axis=0, initial=-np.inf)
    return noise + (np.maximum(rival, there + noise) - best), there - noise - rival


def _nearby(
    scores: ShiftedScores,
    points: NDArray[np.int64],
    labels: NDArray[np.int64],
    pay: NDArray[np.float64],
    unit: NDArray[np.float64] | None,
    added: NDArray[np.float64] | None,
    barred: NDArray[np.bool_] | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Net scores (k, m) of some points less those in their clusters, from differences, their errors, and what can be
    lost there."""
    net, sizes = scores.differences.of_points(scores.source, points, labels)  # type: ignore[union-attr,arg-type]
    own = pay[labels, np.arange(labels.size)] if pay.shape[1] > 1 else pay[labels, 0]
    more = pay - own
    if unit is not None:
        net, sizes = net * unit, sizes * unit
    error = (scores.n_coordinates + 8.0) * UNIT * (sizes + np.abs(more))
    if added is not None:
        error += added + 2.0 * UNIT * (np.abs(pay) + np.abs(own))
    net -= more
    if barred is not None:
        net[barred] = -np.inf
    return net, error, sizes


def _losses(
    net: NDArray[np.float64],
    error: NDArray[np.float64],
    sizes: NDArray[np.float64],
    labels: NDArray[np.int64],
    shares: Parts,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """What points (m,) lose by such net scores, its error, and what they could lose in the next best cluster."""
    everyone, best = np.arange(labels.size), net.max(axis=0)
    loss, upper = _conceded(net, labels, shares, best), net + error
    noise = upper.max(axis=0) - best + error[labels, everyone]
    np.add.at(noise, shares[0], error[shares[1], shares[0]])
    upper[labels, everyone] = -np.inf
    return loss, noise, sizes[upper.argmax(axis=0), everyone]


def sums_over_points(
    scores: ShiftedScores,
    shares: Shares,
    prices: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    duals: NDArray[np.float64] | None = None,
    charges: PricedOutRows | None = None,
) -> CertificateSums:
    """`CertificateSums` of all points, block by block, which threads share and which are added in order."""
    n, k = scores.source.shape
    wide = max(k, scores.n_coordinates)
    # a block of 1 MiB stays in the second-level cache; where that is few points, a larger one saves small products
    rows = max((1 << 17) // wide, min((1 << 19) // wide, 1 << 10), 1)
    offsets, found = scores.less(prices), [CertificateSums()] * -(-n // rows)

    def look(first: int, last: int) -> None:
        with np.errstate(over="ignore", invalid="ignore"):  # forged numbers overflow; they are then not verified
            for block in range(first, last):
                start = block * rows
                found[block] = CertificateSums.block(
                    scores, start, min(start + rows, n), shares, offsets, weights, duals, charges
                )

    with one_blas_thread():
        if len(found) < 8:  # waking other threads costs more than it saves
            look(0, len(found))
        else:
            from ...base.threads import share  # on demand: it brings the compiler

            share(look, len(found))
    return sum(found, CertificateSums())


def _lowest(scores: NDArray[np.float64], masked: bool) -> NDArray[np.float64]:
    """The least (m,) of every point's scores (k, m), which are minus infinity where it is not allowed."""
    return np.asarray((np.where(np.isneginf(scores), np.inf, scores) if masked else scores).min(axis=0))


def _times(weights: NDArray[np.float64] | None, values: NDArray[np.float64]) -> NDArray[np.float64]:
    return values if weights is None else weights * values


def _total(values: NDArray[np.float64], weights: NDArray[np.float64] | None) -> float:
    return float(_times(weights, values).sum())
