"""Moves and exchanges of whole blocks between clusters: one neighbourhood for every sum over the clusters.

Blocks b (points that stay together) have mass w_b and mean p_b. With mass m_i and sum s_i = sum_b w_b p_b of cluster i,

    minimise  sign * sum_i f(s_i, m_i)      f = |s|^2 / m (``SQUARES``),  |s| (``NORMS``),  |s|^2 (``TOTALS``)
    minimise  sign * sum of the distances within the clusters (``DISTANCES``; those of the blocks stand for their means)
    (1)  l_i <= m_i <= u_i                  sizes
    (2)  b only in clusters that a mask allows it
    (3)  c <= sum_ib a_ib xi_ib <= C        any side constraints: groups apart, shares, further sizes

where sign is -1 for compact clusters (least squares, largest norms) and 1 for clusters that are alike. A block moves to
the cluster where that gains most (Hartigan and Wong 1979), or changes places with a block of another cluster: of its
own kind, where blocks have kinds, and one of a few that are drawn, where there are many. `wander` exchanges a few
blocks at random when nothing helps, and goes on from there where that costs little (record-to-record travel, Dueck
1993).

Heuristic; what satisfies (1) to (3) goes on to do so. A pass over b blocks takes O(b k d), and O(b q d) with q partners
for each of them.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ...base.deadline import UNLIMITED, Deadline
from ...base.jit import njit
from ...models.polytope.polytope import PartitionPolytope
from ...models.polytope.rows import Rows

SQUARES, NORMS, TOTALS, DISTANCES = range(4)
WORSE, CHAINS = 1e-4, 4  # Fraction of the objective that a round of `wander` may lose, and the number of its starts.
ENOUGH = 1e-12  # A gain above this fraction of the objective of single blocks is more than rounding.


class Pairs(NamedTuple):
    """Rows (3) by pair of block and cluster: pair b k + i has the entries from ``starts`` on; none without rows."""

    starts: NDArray[np.int64]
    rows: NDArray[np.int64]
    values: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]

    @classmethod
    def of(cls, further: Sequence[Rows], k: int) -> Pairs:
        """Some rows of a polytope of k clusters, with half of the slack that they have there."""
        if not further:
            return cls(*[np.zeros(0, kind) for kind in (np.int64, np.int64, float, float, float)])
        matrix = sp.csc_array(sp.vstack([rows.matrix(k) for rows in further]))
        lower, upper, slack = (
            np.concatenate(sides)
            for sides in zip(*[(rows.lower, rows.upper, 5e-10 * rows.extent()) for rows in further])
        )
        starts, rows = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)
        return cls(starts, rows, matrix.data, lower - slack, upper + slack)

    def activity(self, labels: NDArray[np.int64], k: int) -> NDArray[np.float64]:
        """Left-hand sides of the rows for labels (b,) of k clusters."""
        if not self.lower.size:
            return np.zeros(0)
        matrix = sp.csc_array((self.values, self.rows, self.starts), shape=(self.lower.size, labels.size * k))
        return np.asarray(matrix @ (labels[:, None] == np.arange(k)).ravel().astype(np.float64))


class Kinds(NamedTuple):
    """Kind (b,) of every block, and blocks by kind: those of kind c from ``starts`` on."""

    of_block: NDArray[np.int64]
    starts: NDArray[np.int64]
    blocks: NDArray[np.int64]

    @classmethod
    def of(cls, kinds: NDArray[np.int64]) -> Kinds:
        """Kinds 0, 1, ... of the blocks (b,)."""
        starts = np.append(0, np.cumsum(np.bincount(kinds)))
        return cls(kinds.astype(np.int64), starts.astype(np.int64), np.argsort(kinds, kind="stable").astype(np.int64))


Problem = namedtuple("Problem", "P w lower upper form sign allowed pairs kinds exchanges")  # fmt: skip
"""A `Neighbourhood`, as kernels take it: means P (b, d) and masses w (b,) of the blocks, and what binds them."""


class State(NamedTuple):
    """A clustering: labels (b,), masses (k,), sums (k, d), their squared norms (k,), left-hand sides of the rows; with
    `DISTANCES`, sums (b, k) of the distances of every block to every cluster."""

    labels: NDArray[np.int64]
    masses: NDArray[np.float64]
    sums: NDArray[np.float64]
    norms: NDArray[np.float64]
    activity: NDArray[np.float64]

    def copied(self) -> State:
        """The same clustering in arrays of its own."""
        return State(
            self.labels.copy(), self.masses.copy(), self.sums.copy(), self.norms.copy(), self.activity.copy()
        )  # fmt: skip


def block_means(table: NDArray[np.float64], polytope: PartitionPolytope) -> NDArray[np.float64]:
    """Means (b, d) of the rows (n, d) of every block that stays together, by weight."""
    masses = polytope.contracted.point_weights
    blocks = np.arange(len(table)) if polytope.blocks is None else polytope.blocks
    columns = [np.bincount(blocks, polytope.point_weights * column, len(masses)) for column in table.T]
    means: NDArray[np.float64] = np.column_stack(columns) / np.where(masses > 0, masses, 1.0)[:, None]
    return means


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """Moves and exchanges of blocks with means (b, d) and masses (b,) within bounds (k,), as the module's head says.

    ``allowed`` is (b, k) or, without a mask, (0, 0); ``shift`` (d,) is added to every cluster sum. Exchanges are tried
    where a move is forbidden or, with ``exchanges``, always; ``partners`` above 0 draws this many of a kind.
    """

    means: NDArray[np.float64]
    masses: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    form: int = SQUARES
    sign: float = -1.0
    allowed: NDArray[np.bool_] = field(default_factory=lambda: np.zeros((0, 0), dtype=bool))
    pairs: Pairs = field(default_factory=lambda: Pairs.of((), 0))
    kinds: NDArray[np.int64] | None = None
    shift: float | NDArray[np.float64] = 0.0
    exchanges: bool = False
    partners: int = 0

    @classmethod
    def of(
        cls, means: NDArray[np.float64], polytope: PartitionPolytope, form: int, sign: float = -1.0, **options: Any
    ) -> Neighbourhood:
        """The blocks of a polytope with means (b, d), within all that it states in rows."""
        inner, slack = polytope.contracted, 0.5 * polytope.slack
        return cls(
            np.ascontiguousarray(means), inner.point_weights.copy(), polytope.lower - slack, polytope.upper + slack,
            form, sign, np.zeros((0, 0), dtype=bool) if inner.allowed is None else inner.allowed,
            Pairs.of(inner.further, polytope.n_clusters), **options,
        )  # fmt: skip

    def state(self, labels: NDArray[np.int64]) -> State:
        """The clustering with these labels (b,)."""
        k = len(self.lower)
        if self.form == DISTANCES:
            sums: NDArray[np.float64] = self.means @ (labels[:, None] == np.arange(k)).astype(np.float64)
        else:
            columns = [np.bincount(labels, self.masses * column, k) for column in self.means.T]
            sums = np.column_stack(columns).astype(np.float64) + self.shift
        masses, activity = np.bincount(labels, self.masses, k).astype(np.float64), self.pairs.activity(labels, k)
        return State(labels.astype(np.int64), masses, sums, (sums**2).sum(axis=1), activity)

    def value(self, labels: NDArray[np.int64] | State) -> float:
        """The objective of labels (b,), or of a clustering."""
        state = labels if isinstance(labels, State) else self.state(labels)
        if self.form == DISTANCES:
            return 0.5 * self.sign * float(state.sums[np.arange(len(state.labels)), state.labels].sum())
        if self.form == SQUARES:
            return self.sign * float((state.norms / np.where(state.masses > 0, state.masses, 1.0)).sum())
        return self.sign * float((np.sqrt(state.norms) if self.form == NORMS else state.norms).sum())

    @property
    def gain(self) -> float:
        """The least gain that is more than rounding."""
        norms = (self.means**2).sum(axis=1)
        if self.form == DISTANCES:
            return ENOUGH * max(float(self.means.sum()), 1e-300)
        return ENOUGH * max(float(self.masses @ (np.sqrt(norms) if self.form == NORMS else norms)), 1e-300)

    def descend(
        self, labels: NDArray[np.int64], seed: int = 0, deadline: Deadline = UNLIMITED, gain: float | None = None
    ) -> NDArray[np.int64]:
        """Labels (b,) from which nothing that was tried gains more than ``gain``, or those when the time is up."""
        state = self.state(labels)
        self._descend(state, np.random.default_rng(seed), deadline, self.gain if gain is None else gain)
        return state.labels

    def _descend(self, state: State, rng: np.random.Generator, deadline: Deadline, least: float) -> None:
        n, d = self.means.shape
        order = rng.permutation(n)
        # blocks between two readings of the clock: 1e7 coordinates
        idle, at, some = 0, 0, min(n, max(1, int(1e7 / ((self.partners or n) * d))))
        while idle < n and deadline.allows():
            blocks = np.roll(order, -at)[:some]
            idle = _sweep(self._problem, blocks, rng.random((len(blocks), self.partners)), least, idle, state)
            at = (at + some) % n

    @cached_property
    def _problem(self) -> Problem:
        kinds = Kinds.of(np.zeros(len(self.masses), np.int64) if self.kinds is None else self.kinds)
        return Problem(self.means, self.masses, self.lower, self.upper, self.form, self.sign, self.allowed, self.pairs,
                       kinds, self.exchanges)  # fmt: skip

    def wander(
        self, labels: NDArray[np.int64], rounds: float, rng: np.random.Generator, deadline: Deadline = UNLIMITED
    ) -> NDArray[np.int64]:
        """The best labels (b,) of some rounds, each of which exchanges a few blocks at random and descends."""
        state, gain, done, chain = self.state(labels), self.gain, 0, 0
        self._descend(state, rng, deadline, gain)
        value = least = self.value(state)
        best, size = state.labels.copy(), len(labels) / len(self.lower)
        while done < rounds and deadline.allows():
            spent = CHAINS * max(done / rounds, deadline.elapsed / deadline.seconds if deadline.seconds else 0.0)
            trial, exchanged = state.copied(), max(2, int(size * (1.2 - 1.1 * (spent % 1.0))))
            if int(spent) > chain:  # a chain starts anywhere, and the last one from the best
                chain, value = int(spent), np.inf
                if chain == CHAINS - 1:
                    trial, exchanged = self.state(best), 0
                else:
                    exchanged = len(labels)
            elif chain == CHAINS - 1:
                exchanged = max(2, int(0.3 * size * (1.0 - spent % 1.0)))
            _shake(self._problem, rng.random((exchanged, 2)), trial)
            self._descend(trial, rng, deadline, gain)
            done, reached = done + 1, self.value(trial)
            if reached < value + WORSE * abs(reached):
                state, value = trial, reached
            if reached < least - gain:
                best, least = trial.labels.copy(), reached
        return best

    def placed(self, scores: NDArray[np.float64], order: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """Labels (b,) of blocks put one after the other where that costs (b, k) least; None when that fails."""
        state = State(np.full(len(self.masses), -1), np.zeros(len(self.lower)), np.zeros((0, 0)), np.zeros(0),
                      np.zeros(len(self.pairs.lower)))  # fmt: skip
        done = _place(self._problem, scores, order, state)
        return state.labels if done else None


@njit(cache=True)
def _change(form, norm, mass, turn, after):
    """By how much f changes where the mass becomes ``after`` and the squared norm of the sum grows by ``turn``."""
    if form == NORMS:
        return np.sqrt(max(norm + turn, 0.0)) - np.sqrt(norm)
    if form == TOTALS:
        return turn
    if after <= 0:
        return -norm / mass if mass > 0 else 0.0
    if mass <= 0:
        return turn / after
    return norm * (1.0 / after - 1.0 / mass) + turn / after


@njit(cache=True, borrowing=True)
def _add(pairs, activity, pair, sign):
    """Put a pair of block and cluster into the clustering, or take it out."""
    for e in range(pairs.starts[pair], pairs.starts[pair + 1]):
        activity[pairs.rows[e]] += sign * pairs.values[e]


@njit(cache=True, borrowing=True)
def _inside(pairs, activity, pair):
    """Whether the rows of a pair hold."""
    for e in range(pairs.starts[pair], pairs.starts[pair + 1]):
        row = pairs.rows[e]
        if activity[row] < pairs.lower[row] or activity[row] > pairs.upper[row]:
            return False
    return True


@njit(cache=True, borrowing=True)
def may(allowed, pairs, activity, k, b, i, j, q):
    """Whether mask and rows allow block b to go from cluster i to j, and block q back (-1: none)."""
    if allowed.shape[0] and not (allowed[b, j] and (q < 0 or allowed[q, i])):
        return False
    if pairs.starts.size == 0:
        return True
    exchanged(pairs, activity, k, b, i, j, q)
    held = _inside(pairs, activity, b * k + i) and _inside(pairs, activity, b * k + j)
    if q >= 0:
        held = held and _inside(pairs, activity, q * k + i) and _inside(pairs, activity, q * k + j)
    exchanged(pairs, activity, k, b, j, i, q)
    return held


@njit(cache=True, borrowing=True)
def exchanged(pairs, activity, k, b, i, j, q):
    """Bring the left-hand sides up to block b having gone from cluster i to j, and block q back (-1: none)."""
    if pairs.starts.size == 0:
        return
    _add(pairs, activity, b * k + i, -1.0)
    _add(pairs, activity, b * k + j, 1.0)
    if q >= 0:
        _add(pairs, activity, q * k + j, -1.0)
        _add(pairs, activity, q * k + i, 1.0)


@njit(cache=True)
def _sweep(problem, some, draws, least, idle, state):
    """Moves and exchanges of some blocks that gain more than ``least``; the state in place. Returns how many blocks in
    a row were tried without a gain."""
    P, w, lower, upper, form, sign, allowed, pairs, kinds, exchanges = problem
    labels, masses, sums, norms, activity = state
    (n, d), k = P.shape, lower.size
    shut = np.zeros(k, np.bool_)
    for t in range(some.size):
        b = some[t]
        idle += 1
        i, best, to, other = labels[b], -least, -1, -1
        own, square, without = 0.0, 0.0, 0.0
        if form != DISTANCES:
            for c in range(d):
                own += sums[i, c] * P[b, c]
                square += P[b, c] * P[b, c]
            square *= w[b] * w[b]
            # what leaving costs is the same for every target
            without = _change(form, norms[i], masses[i], square - 2.0 * w[b] * own, masses[i] - w[b])
        leaves, blocked = masses[i] - w[b] >= lower[i], exchanges
        for j in range(k):
            shut[j] = j != i and not (leaves and masses[j] + w[b] <= upper[j])
            if j != i and not shut[j]:
                if form == DISTANCES:
                    change = sums[b, j] - sums[b, i]
                else:
                    there = 0.0
                    for c in range(d):
                        there += sums[j, c] * P[b, c]
                    change = without + _change(form, norms[j], masses[j], square + 2.0 * w[b] * there, masses[j] + w[b])
                if sign * change < best:
                    if may(allowed, pairs, activity, k, b, i, j, -1):
                        best, to = sign * change, j
                    else:
                        shut[j] = True
            blocked = blocked or shut[j]
        if blocked and (exchanges or to < 0):  # without ``exchanges``, for moves that something forbids
            first, last = kinds.starts[kinds.of_block[b]], kinds.starts[kinds.of_block[b] + 1]
            drawn = draws.shape[1]
            for u in range(drawn if drawn else last - first):
                q = kinds.blocks[first + (int(draws[t, u] * (last - first)) if drawn else u)]
                j = labels[q]
                if j == i or not (exchanges or shut[j]):
                    continue
                lighter = w[q] - w[b]
                if not (lower[i] <= masses[i] + lighter <= upper[i] and lower[j] <= masses[j] - lighter <= upper[j]):
                    continue
                if form == DISTANCES:
                    change = sums[b, j] - sums[b, i] + sums[q, i] - sums[q, j] - 2.0 * P[b, q]
                else:
                    here, there, square = 0.0, 0.0, 0.0
                    for c in range(d):
                        x = w[q] * P[q, c] - w[b] * P[b, c]
                        here += sums[i, c] * x
                        there += sums[j, c] * x
                        square += x * x
                    change = _change(form, norms[i], masses[i], square + 2.0 * here, masses[i] + lighter)
                    change += _change(form, norms[j], masses[j], square - 2.0 * there, masses[j] - lighter)
                if sign * change < best and may(allowed, pairs, activity, k, b, i, j, q):
                    best, to, other = sign * change, j, q
        # a gain starts the count of idle blocks anew: the sweep ends when all were idle
        if to >= 0:
            exchanged(pairs, activity, k, b, i, to, other)
            _transfer(P, w, form, b, i, to, state)
            if other >= 0:
                _transfer(P, w, form, other, to, i, state)
            idle = 0
        if idle >= n:
            break
    return idle


@njit(cache=True)
def _transfer(P, w, form, b, i, j, state):
    """Block b goes from cluster i to cluster j."""
    labels, masses, sums, norms, _ = state
    labels[b] = j
    masses[i] -= w[b]
    masses[j] += w[b]
    if form == DISTANCES:
        for c in range(P.shape[1]):
            sums[c, i] -= P[b, c]
            sums[c, j] += P[b, c]
        return
    norms[i] = norms[j] = 0.0
    for c in range(P.shape[1]):
        sums[i, c] -= w[b] * P[b, c]
        sums[j, c] += w[b] * P[b, c]
        norms[i] += sums[i, c] * sums[i, c]
        norms[j] += sums[j, c] * sums[j, c]


@njit(cache=True)
def _shake(problem, draws, state):
    """Exchanges of blocks of one kind that are drawn, one per row of random numbers (s, 2); the state in place."""
    P, w, lower, upper, form, _, allowed, pairs, kinds, _ = problem
    labels, masses, activity = state.labels, state.masses, state.activity
    for t in range(len(draws)):
        b = int(draws[t, 0] * len(labels))
        first, last = kinds.starts[kinds.of_block[b]], kinds.starts[kinds.of_block[b] + 1]
        q = kinds.blocks[first + int(draws[t, 1] * (last - first))]
        i, j, lighter = labels[b], labels[q], w[q] - w[b]
        inside = lower[i] <= masses[i] + lighter <= upper[i] and lower[j] <= masses[j] - lighter <= upper[j]
        if i != j and inside and may(allowed, pairs, activity, len(lower), b, i, j, q):
            exchanged(pairs, activity, len(lower), b, i, j, q)
            _transfer(P, w, form, b, i, j, state)
            _transfer(P, w, form, q, j, i, state)


@njit(cache=True)
def _place(problem, scores, order, state):
    """Blocks one after the other into the cheapest cluster with room, then the cheapest moves into clusters that miss
    some; whether sizes, mask and upper sides of rows hold. The state in place."""
    (labels, masses, _, _, activity), (n, k) = state, scores.shape
    w, lower, upper, allowed, pairs = problem.w, problem.lower, problem.upper, problem.allowed, problem.pairs
    # the order is the caller's: heavy blocks first, or drawn
    for b in order:
        to = -1
        for i in range(k):
            better = (to < 0 or scores[b, i] < scores[b, to]) and masses[i] + w[b] <= upper[i]
            if better and _takes(allowed, pairs, activity, k, b, i):
                to = i
        if to < 0:
            return False
        labels[b] = to
        masses[to] += w[b]
        if pairs.starts.size:
            _add(pairs, activity, b * k + to, 1.0)
    # greed fills the cheapest clusters: those short of their lower bound get what costs least to give up
    for i in range(k):
        while masses[i] < lower[i]:
            chosen, least = -1, np.inf
            for b in range(n):
                j = labels[b]
                gives = j != i and w[b] > 0 and masses[j] - w[b] >= lower[j] and masses[i] + w[b] <= upper[i]
                if gives and scores[b, i] - scores[b, j] < least and _takes(allowed, pairs, activity, k, b, i):
                    chosen, least = b, scores[b, i] - scores[b, j]
            if chosen < 0:
                return False
            exchanged(pairs, activity, k, chosen, labels[chosen], i, -1)
            masses[labels[chosen]] -= w[chosen]
            masses[i] += w[chosen]
            labels[chosen] = i
    return True


@njit(cache=True)
def _takes(allowed, pairs, activity, k, b, i):
    """Whether the mask allows block b in cluster i, and rows would not exceed their upper sides."""
    if allowed.shape[0] and not allowed[b, i]:
        return False
    if pairs.starts.size:
        for e in range(pairs.starts[b * k + i], pairs.starts[b * k + i + 1]):
            if activity[pairs.rows[e]] + pairs.values[e] > pairs.upper[pairs.rows[e]]:
                return False
    return True
