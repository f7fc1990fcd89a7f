"""Row passes of the exact engine: scores, arg-max and dual values of blocks of points.

Every function takes the points as a tuple ``data = (rows, columns, offsets, origin)``:

    linear scores   rows (n, d), columns (d, k) = gradients.T    gamma_j = (rows_j - origin) @ columns + offsets
    quadratic       rows (n, d), columns (d + d (d + 1) / 2, k)  gamma_j = lift(rows_j - origin) @ columns + offsets
    dense scores    rows (n, k), columns (0, k)                  gamma_j = rows_j

lift(y) = (y, y_p y_q for p <= q, row by row), formed where it is read and never stored for all points.

``rows`` is float32 or float64; all arithmetic is float64. Rows are cut into blocks of a fixed length that the
threads share, and a result of one block never depends on another: the outcome is the same for any number of
threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from ....base.arrays import Integers, Reals
from ....base.blas import one_blas_thread
from ....base.deadline import clock
from ....base.jit import njit
from ....base.threads import share
from ....models.scores.quadratic import lift
from ....models.scores.scores import DenseScores, Scores
from .ties import largest_two
from .tiles import TILE, Room, score_tile

BLOCK = 4096  # Points that a thread takes at a time.
SERIAL_WORK = 1 << 23  # With fewer multiplications waking other threads costs more than they save.
FEW = 1 << 11  # Points that show how large scores, margins and coordinates are.
WORK_PER_LOOK = 1 << 24  # Multiplications between two looks at the clock.

Data = tuple[NDArray[np.floating], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]


def kernel_data(scores: Scores) -> Data:
    """Scores as the tuple that the kernels read; copies only rows that are not C-contiguous."""
    if isinstance(scores, DenseScores):
        return (kernel_rows(scores.matrix), np.empty((0, scores.shape[1])), np.zeros(scores.shape[1]), np.empty(0))
    columns = np.ascontiguousarray(scores.gradients.T, dtype=np.float64)
    return (
        kernel_rows(scores.X),
        columns.copy(),
        np.array(scores.offsets, dtype=np.float64),
        np.array(scores.origin, dtype=np.float64),
    )


def kernel_rows(rows: NDArray[np.floating]) -> NDArray[np.floating]:
    """Points as the kernels read them, copied only where they are not C-contiguous; read-only, and no subclass such as
    a memory map, so that Numba compiles one version for each dtype."""
    dtype = rows.dtype if rows.dtype in (np.float32, np.float64) else np.float64
    view = np.ascontiguousarray(np.asarray(rows), dtype=dtype).view(np.ndarray)
    view = view[:]
    view.setflags(write=False)
    return view


def subset(data: Data, index: NDArray[np.int64]) -> Data:
    """The same scores for the points ``index`` only."""
    return (kernel_rows(np.take(data[0], index, axis=0)), *data[1:])  # np.take is twice as fast as an index


def is_small(data: Data, k: int) -> bool:
    """Whether one thread ends a pass over all points before other threads are awake."""
    return data[0].shape[0] * k * max(data[1].shape[0], 4) < SERIAL_WORK


def is_linear(data: Data) -> bool:
    """Whether scores are linear in the coordinates of the points, not a matrix and not quadratic."""
    return data[1].size > 0 and len(data[1]) == data[3].size


class OutOfTime(Exception):
    """The deadline came before the end of a pass over the points."""


def parts_of_pass(data: Data, k: int, deadline: float, most: int = 1 << 62) -> Iterator[slice]:
    """All points in parts of whole blocks, of ``most`` points without a deadline; `OutOfTime` once it has come."""
    n = data[0].shape[0]
    step = max(min(n, most), 1)
    if deadline < np.inf:
        step = max(WORK_PER_LOOK // (BLOCK * k * max(data[1].shape[0], 4)), 1) * BLOCK
    for start in range(0, max(n, 1), step):
        if start and clock() > deadline:
            raise OutOfTime
        yield slice(start, min(start + step, n))


def scores_of(data: Data, index: slice) -> NDArray[np.float64]:
    """Scores (m, k) of some points; their last bits may differ from those of the kernels."""
    rows, columns, offsets, origin = data
    if holds_scores(data):
        return rows[index].astype(np.float64)
    y = rows[index] - origin
    with one_blas_thread(len(y) * columns.size):
        return (lift(y) if len(columns) > origin.size else y) @ columns + offsets


def largest_score(data: Data) -> float:
    """The largest absolute score of some points, evenly spaced."""
    return float(np.abs(scores_of(data, slice(None, None, max(8 * len(data[0]) // FEW, 1)))).max(initial=0.0))


def holds_scores(data):
    """Whether the scores are given as a matrix, and not as those of points without coordinates."""
    rows, columns, offsets, origin = data
    return columns.size == 0 and origin.size == 0 and rows.shape[1] == offsets.size


is_matrix = njit(cache=True, borrowing=True)(holds_scores)


@njit(cache=True, borrowing=True)
def score_row(data, j, out):
    """Write the scores (k,) of point ``j`` into ``out``."""
    rows, columns, offsets, origin = data
    k = out.size
    if columns.size == 0:
        if is_matrix(data):
            for i in range(k):
                out[i] = rows[j, i]
        else:  # linear scores of points without coordinates
            for i in range(k):
                out[i] = offsets[i]
        return
    for i in range(k):
        out[i] = offsets[i]
    f, d = 0, origin.size
    for p in range(-1, d if columns.shape[0] > d else 0):  # coordinates first, p = -1, then products of p and q
        y = 1.0 if p < 0 else np.float64(rows[j, p]) - origin[p]
        for q in range(max(p, 0), d):
            x = y * (np.float64(rows[j, q]) - origin[q])
            for i in range(k):
                out[i] += x * columns[f, i]
            f += 1


@njit(cache=True, borrowing=True)
def write_scores(data, starts, start, out, room):
    """`scores_by_cluster` for the positions from ``start`` on, whose points are given."""
    (points, scores, _, _, _, every), stop, i = room, start + len(data[0]), 0
    k = every.size
    for first in range(start, stop, TILE):
        last, here = min(first + TILE, stop), first
        score_tile(data, first - start, last - start, (points, scores), every)
        while here < last:  # those of one group after the other
            while starts[i + 1] <= here:
                i += 1
            end, members, place = min(starts[i + 1], last), starts[i + 1] - starts[i], starts[i] * (k - 1) + here
            for j in range(k):
                row, part = out[place + j * members : place + j * members + end - here], scores[j, here - first :]
                for r in range(end - here):
                    row[r] = part[r]
            here = end


def scores_by_cluster(data: Data, points: Integers, starts: Integers) -> Reals:
    """Scores of some points, bit for bit those of the passes: one matrix (k, m) after the other for groups of points,
    group i at the positions starts[i] to starts[i + 1] - 1."""
    k = data[2].size
    scores = np.empty(k * points.size)

    def write(start: int, stop: int) -> None:
        room = Room.of(data, k)
        for first in range(start, stop, BLOCK):
            some = subset(data, points[first : min(first + BLOCK, stop)])
            write_scores(some, starts, first, scores, room)

    write(0, points.size) if is_small(data, k) else share(write, points.size)
    return scores


@njit(cache=True, borrowing=True)
def linear_score(data, j, i):
    """Score of point ``j`` in cluster ``i``, where scores are linear in the coordinates; rounded as by `score_row`."""
    rows, columns, offsets, origin = data
    score = offsets[i]
    for f in range(origin.size):
        score += (np.float64(rows[j, f]) - origin[f]) * columns[f, i]
    return score


@njit(cache=True, borrowing=True)
def assign_some(data, prices, cutoff, start, stop, labels, margins, found, room):
    """`assign` for the points ``start`` to ``stop``, which collects candidates with keys below ``cutoff`` (k,) as well,
    in ``found``, arrays of points, pairs i k + j, and keys. Returns their number, which may be larger than the room in
    the arrays; the candidates beyond the room are counted but not written."""
    tile, scores, best, second, arg, every = room
    (points, pairs, keys), k, count = found, prices.size, 0
    for first in range(start, stop, TILE):
        last = min(first + TILE, stop)
        score_tile(data, first, last, (tile, scores), every)
        largest_two(scores, prices, best, second, arg)
        for j in range(first, last):
            r = j - first
            top, own = best[r], arg[r]
            labels[j], margins[j] = own, top - second[r]
            if margins[j] < cutoff[own]:
                for i in range(k):
                    key = top - (scores[i, r] - prices[i])
                    if key < cutoff[own] and i != own:
                        if count < keys.size:
                            points[count], pairs[count], keys[count] = j, own * k + i, key
                        count += 1
    return count


def assign_serial(
    data: Data, prices: NDArray[np.float64], labels: NDArray[np.int64], margins: NDArray[np.float64]
) -> None:
    """`assign` on one thread, for callers that are threads themselves."""
    _assign_between(data, prices, 0, labels.size, labels, margins)


def _assign_between(data: Data, prices: Reals, start: int, stop: int, labels: Integers, margins: Reals) -> None:
    none, k = np.empty(0, np.int64), prices.size
    room = Room.of(data, k)
    assign_some(data, prices, np.full(k, -np.inf), start, stop, labels, margins, (none, none, np.empty(0)), room)


def assign(data: Data, prices: NDArray[np.float64], labels: NDArray[np.int64], margins: NDArray[np.float64]) -> None:
    """Put every point into the cluster of its largest reduced score gamma_ij - mu_i, ties to the smallest i: writes
    ``labels`` (n,), and margins over the second best into ``margins`` (n,)."""
    if is_small(data, prices.size):
        assign_serial(data, prices, labels, margins)
    else:
        share_blocks(lambda start, stop: _assign_between(data, prices, start, stop, labels, margins), labels.size)


def share_blocks(work: Callable[[int, int], object], n: int) -> None:
    """Call ``work(start, stop)`` for ranges of whole blocks of the n points, shared among threads."""
    share(lambda first, last: work(first * BLOCK, min(last * BLOCK, n)), (n + BLOCK - 1) // BLOCK)


@njit(cache=True, borrowing=True)
def evaluate_some(data, prices, start, stop, labels, best, own, room):
    """`evaluate` for the points ``start`` to ``stop``."""
    points, scores, top, second, arg, every = room
    for first in range(start, stop, TILE):
        last = min(first + TILE, stop)
        score_tile(data, first, last, (points, scores), every)
        largest_two(scores, prices, top, second, arg)
        for j in range(first, last):
            best[j], own[j] = top[j - first], scores[labels[j], j - first]


def evaluate(data: Data, prices: Reals, labels: Integers, best: Reals, own: Reals) -> None:
    """Write max_i gamma_ij - mu_i into ``best`` (n,) and the score of the cluster ``labels`` into ``own`` (n,)."""

    def work(start: int, stop: int) -> None:
        evaluate_some(data, prices, start, stop, labels, best, own, Room.of(data, prices.size))

    work(0, labels.size) if is_small(data, prices.size) else share_blocks(work, labels.size)


def sort_by_cluster(labels: Integers, amounts: Reals, k: int) -> tuple[Integers, Integers]:
    """Points of positive amount sorted by label, stable, and where every cluster starts (k + 1,) in this order."""
    there = np.flatnonzero(amounts > 0)
    narrow = labels[there].astype(np.min_scalar_type(k))  # which NumPy sorts by radix
    starts = np.concatenate([[0], np.cumsum(np.bincount(narrow, minlength=k))])
    return there[np.argsort(narrow, kind="stable")], starts


@njit(cache=True, borrowing=True)
def lower_gaps(data, labels, amounts, start, stop, gaps, room):
    """Lower ``gaps[j, i]`` to what moving the pieces ``start`` to ``stop`` of cluster i to cluster j costs."""
    points, scores, own, _, _, every = room
    for first in range(start, stop, TILE):
        size = min(TILE, stop - first)
        score_tile(data, first, first + size, (points, scores), every)
        for r in range(size):
            own[r] = scores[labels[first + r], r] if amounts[first + r] > 0 else np.inf
        for j in range(every.size):
            row, lowest = scores[j], gaps[j]
            for r in range(size):
                i = labels[first + r]
                lowest[i] = min(lowest[i], own[r] - row[r])


def exchange_gaps(data: Data, labels: Integers, amounts: Reals, k: int) -> Reals:
    """w_ij (k, k) = min over pieces of cluster i, of positive amount, the rows of the data, of gamma_i - gamma_j; inf
    where there is none."""

    def gaps_of(start: int, stop: int) -> Reals:
        gaps = np.full((k, k), np.inf)
        lower_gaps(data, labels, amounts, start, stop, gaps, Room.of(data, k))
        return gaps.T.copy()

    if is_small(data, k):
        return gaps_of(0, labels.size)
    parts: list[Reals] = []  # in any order: a minimum is the same
    share(lambda start, stop: parts.append(gaps_of(start, stop)), labels.size)
    return np.minimum.reduce(parts)
