"""Pieces of points: a piece is a (point, cluster) pair and the weight of the point in this cluster.

A whole point is one piece, its home. A point that is split has one more entry, a part, for every further cluster:
a part counts as an arc between the cluster of the home and its own. What arrives at a cluster where the point has
a piece already is merged with it, and a cycle of parts is cancelled as soon as it closes, so that the parts are a
forest on the k clusters: there are at most k - 1 of them between two pushes, n + k - 1 pieces in all.

Cancelling shifts weight around the cycle until a piece on it vanishes. All pieces on it tie with each other (both
directions of every one are residual), so neither the objective nor the sizes change, and no new residual arc arises.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....base.jit import njit
from ....models.polytope.shares import Split

HOME, NONE = -1, -2  # Part numbers that stand for the home of a point and for no piece.


class Pieces(NamedTuple):
    """All pieces. Without weights ``first_part`` is empty, and no point is ever split."""

    labels: NDArray[np.int64]  # (n,): Cluster of the home of every point.
    amounts: NDArray[np.float64]  # (n,): Weight of the home.
    first_part: NDArray[np.int64]  # (n,): A part of the point, or NONE.
    part_points: NDArray[np.int64]  # (room,): Point of every part.
    part_labels: NDArray[np.int64]  # (room,): Cluster of every part.
    part_amounts: NDArray[np.float64]  # (room,): Weight of every part.
    part_next: NDArray[np.int64]  # (room,): Next part of the same point, or NONE.
    has_moved: NDArray[np.bool_]  # (n,)
    moved: NDArray[np.int64]  # (n,): Points that have moved.
    first_home: NDArray[np.int64]  # (k,): For every cluster, a point that has moved and has its home there, or NONE.
    next_home: NDArray[np.int64]  # (n,): For such a point, the next one with the same home, or NONE.
    last_home: NDArray[np.int64]  # (n,): For such a point, the one before, or NONE.
    order: NDArray[np.int64]  # Points by first cluster; cluster i has positions starts[i] to starts[i + 1].
    starts: NDArray[np.int64]
    counts: NDArray[np.int64]  # Numbers of parts, of entries of `moved`, and of parts ever created.


def whole_points(labels: NDArray[np.int64], weights: NDArray[np.float64] | None) -> Pieces:
    """Every point whole; labels and weights (n,), weights of one when None."""
    none = np.empty(0, dtype=np.int64)
    amounts = np.ones(labels.size) if weights is None else weights.copy()
    return Pieces(labels, amounts, none, none, none, np.empty(0), none,
                  none.astype(bool), none, none, none, none, none, none, np.zeros(3, dtype=np.int64))  # fmt: skip


def movable(pieces: Pieces, k: int, split: bool) -> Pieces:
    """The same pieces with the arrays that are needed to move them, and to split points where ``split`` says so. A path
    of k arcs adds up to k parts to a forest of k - 1 before cycles are cancelled."""
    n = pieces.labels.size
    pieces = pieces._replace(
        has_moved=np.zeros(n, dtype=bool),
        moved=np.empty(n, dtype=np.int64),
        first_home=np.full(k, NONE),
        next_home=np.empty(n, dtype=np.int64),
        last_home=np.empty(n, dtype=np.int64),
    )
    if not split:
        return pieces
    room = 2 * k + 2
    return pieces._replace(
        first_part=np.full(n, NONE),
        part_points=np.empty(room, dtype=np.int64),
        part_labels=np.empty(room, dtype=np.int64),
        part_amounts=np.empty(room),
        part_next=np.empty(room, dtype=np.int64),
    )


def listed(pieces: Pieces) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Points, clusters and weights of all pieces, the homes first."""
    parts = slice(0, int(pieces.counts[0]))
    points = np.concatenate([np.arange(pieces.labels.size), pieces.part_points[parts]])
    labels = np.concatenate([pieces.labels, pieces.part_labels[parts]])
    return points, labels, np.concatenate([pieces.amounts, pieces.part_amounts[parts]])


def split_points(pieces: Pieces, labels: NDArray[np.int64]) -> tuple[NDArray[np.int64], tuple[Split, ...]]:
    """Labels (n,), of a split point that of its largest share, and the positive shares (point, cluster, share), sorted,
    of the at most k - 1 points in more than one cluster; they sum to one."""
    points, clusters, amounts = listed(pieces)
    split = np.unique(pieces.part_points[: pieces.counts[0]])
    if split.size == 0:
        return labels, ()
    keep = np.concatenate([split, np.arange(labels.size, points.size)])
    keep = keep[np.lexsort([clusters[keep], points[keep]])]
    points, clusters, amounts = points[keep], clusters[keep], amounts[keep]
    starts = np.searchsorted(points, split)
    total = np.repeat(np.add.reduceat(amounts, starts), np.diff(np.append(starts, points.size)))
    shares = amounts / total
    labels = labels.copy()
    ascending = np.lexsort([-clusters, shares])
    labels[points[ascending]] = clusters[ascending]  # the last one written stays: the largest share
    return labels, tuple(zip(points.tolist(), clusters.tolist(), shares.tolist()))


@njit(cache=True, borrowing=True)
def find(pieces, point, i):
    """The piece of a point in cluster i: HOME, the number of a part, or NONE."""
    if pieces.labels[point] == i:
        return HOME
    if pieces.first_part.size == 0:
        return NONE
    part = pieces.first_part[point]
    while part != NONE and pieces.part_labels[part] != i:
        part = pieces.part_next[part]
    return part


@njit(cache=True, borrowing=True)
def write_home(pieces, point, i):
    """Make cluster i the home of a point, and keep the lists of points that have moved."""
    first, after, before = pieces.first_home, pieces.next_home, pieces.last_home
    if pieces.has_moved[point]:
        if before[point] == NONE:
            first[pieces.labels[point]] = after[point]
        else:
            after[before[point]] = after[point]
        if after[point] != NONE:
            before[after[point]] = before[point]
    else:
        pieces.has_moved[point] = True
        pieces.moved[pieces.counts[1]] = point
        pieces.counts[1] += 1
    pieces.labels[point], after[point], before[point] = i, first[i], NONE
    if first[i] != NONE:
        before[first[i]] = point
    first[i] = point


@njit(cache=True, borrowing=True)
def relink(pieces, point, old, new):
    """Replace the part ``old`` by ``new`` in the linked list of the parts of a point."""
    part = pieces.first_part[point]
    if part == old:
        pieces.first_part[point] = new
        return
    while pieces.part_next[part] != old:
        part = pieces.part_next[part]
    pieces.part_next[part] = new


@njit(cache=True, borrowing=True)
def drop(pieces, part):
    """Delete a part; the part with the largest number takes its number."""
    relink(pieces, pieces.part_points[part], part, pieces.part_next[part])
    last = pieces.counts[0] - 1
    pieces.counts[0] = last
    if part != last:
        relink(pieces, pieces.part_points[last], last, part)
        pieces.part_points[part], pieces.part_labels[part] = pieces.part_points[last], pieces.part_labels[last]
        pieces.part_amounts[part], pieces.part_next[part] = pieces.part_amounts[last], pieces.part_next[last]


@njit(cache=True, borrowing=True)
def shift(pieces, point, i, j, amount, tolerance):
    """Shift ``amount`` of a point from cluster i to cluster j, all of it where no more than ``tolerance`` would stay;
    whether the piece in i is gone, and whether the piece in j is new."""
    source = find(pieces, point, i)
    here = pieces.amounts[point] if source == HOME else pieces.part_amounts[source]
    gone = here - amount <= tolerance
    if gone and pieces.first_part[point] == NONE:  # a whole point moves as a whole
        write_home(pieces, point, j)
        return True, True
    if not pieces.has_moved[point]:  # from now on it is in the list of its home
        write_home(pieces, point, i)
    if gone:
        amount = here
    target = find(pieces, point, j)  # what arrives where the point has a piece is merged with it
    if target == HOME:
        pieces.amounts[point] += amount
    elif target != NONE:
        pieces.part_amounts[target] += amount
    else:
        part = pieces.counts[0]
        pieces.counts[0], pieces.counts[2] = part + 1, pieces.counts[2] + 1
        pieces.part_points[part], pieces.part_labels[part], pieces.part_amounts[part] = point, j, amount
        pieces.part_next[part], pieces.first_part[point] = pieces.first_part[point], part
    if source == HOME:
        pieces.amounts[point] -= amount
        if gone:  # a part becomes the new home
            source = pieces.first_part[point]
            write_home(pieces, point, pieces.part_labels[source])
            pieces.amounts[point] = pieces.part_amounts[source]
    else:
        pieces.part_amounts[source] -= amount
    if gone:
        drop(pieces, source)
    return gone, target == NONE


@njit(cache=True, borrowing=True)
def closing_part(pieces, root):
    """The first part that closes a cycle with those before it, or NONE when the parts are a forest."""
    for i in range(root.size):
        root[i] = i
    for part in range(pieces.counts[0]):
        a, b = pieces.labels[pieces.part_points[part]], pieces.part_labels[part]
        while root[a] != a:
            a = root[a]
        while root[b] != b:
            b = root[b]
        if a == b:
            return part
        root[a] = b
    return NONE


@njit(cache=True, borrowing=True)
def _enters(cycle, count, point):
    """Whether the cycle brings weight to the home of the point as well."""
    for position in range(count):  # noqa: SIM110 - a loop compiles faster than a generator
        if cycle[position, 0] == point:
            return True
    return False


@njit(cache=True, borrowing=True)
def cancel_cycle(pieces, root, cycle, tolerance):
    """Cancel one cycle of parts, if there is one; write (point, cluster left, cluster entered) of every shift into
    ``cycle``, and return their number. Weight that leaves parts for their homes comes first."""
    closing = closing_part(pieces, root)
    if closing == NONE:
        return 0
    via = root  # in a forest one path joins the cluster of the part with that of its home; sweeps find it
    for i in range(via.size):
        via[i] = NONE
    start, end = pieces.part_labels[closing], pieces.labels[pieces.part_points[closing]]
    via[start] = closing
    while via[end] == NONE:
        for part in range(closing):
            a, b = pieces.labels[pieces.part_points[part]], pieces.part_labels[part]
            if via[a] != NONE and via[b] == NONE:
                via[b] = part
            elif via[b] != NONE and via[a] == NONE:
                via[a] = part
    # which points the cycle shifts, and the largest amount that all of them have: one part is empty afterwards
    count, amount = 0, np.inf
    for to_home in (True, False):
        here, part = end, NONE
        while part != closing:  # backwards from the home of the closing part to its own cluster, and over it
            part = via[here]
            point = pieces.part_points[part]
            home, away = pieces.labels[point], pieces.part_labels[part]
            before = home if here == away else away
            if (here == home) == to_home:
                if to_home:
                    amount = min(amount, pieces.part_amounts[part])
                else:
                    amount = min(amount, np.inf if _enters(cycle, count, point) else pieces.amounts[point])
                cycle[count, 0], cycle[count, 1], cycle[count, 2] = point, before, here
                count += 1
            here = before
    for position in range(count):
        shift(pieces, cycle[position, 0], cycle[position, 1], cycle[position, 2], amount, tolerance)
    return count
