"""Starting prices from the smoothed dual over lists, by Newton's method: a start for the exact flow, never an answer.

    D(mu) = sum_x w_x eps log sum_{i in list of x} exp((gamma_ix - mu_i) / eps)
            + sum_i l_i mu_i + (u_i - l_i) eps log(1 + exp(mu_i / eps))

is convex and smooth, and tends to the dual of the assignment program as eps falls. With P the points' soft shares of
their listed clusters, its gradient is the required size of every cluster less its soft size, and eps times its Hessian

    diag(P'w) - P' diag(w) P + diag((u - l) s (1 - s)),   s_i = 1 / (1 + exp(-mu_i / eps)),

so a Newton step is solved by conjugate gradients in products with P, which has a few entries a point. Prices move no
further in a step than the lists reach. Where prices have to move much further than points' margins (lines, chains),
the steps do not converge, and prices of a sample take their place (`first_prices`). It ends: eps falls to a fixed one,
and each has a limit of steps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.special import expit

from ....base.arrays import Integers, Reals
from ....base.deadline import clock
from ..passes.candidate_lists import Lists, moved_to, nearest_clusters
from ..program import Program

EPS_RATIO = 4.0  # Every eps is the one before divided by this: larger steps fail, smaller ones take longer.
STEPS = 8  # Newton steps per value of eps at most; after them a sample takes over.
GAIN = 0.9  # Steps continue for an eps while each reduces the smallest excess to at most this fraction.
STEPS_PER_LISTS = 2  # After this many steps every step rebuilds the lists, since prices have changed too much.
PRODUCTS = 30  # Products of the conjugate gradients per Newton step at most.
ACCURACY = 0.1  # Conjugate gradients stop at this fraction of the first residual: less gives no better prices.
RIDGE = 0.02  # Fraction of n / k added to the Hessian's diagonal, which is singular without divided points.
SOFT_EXCESS = 0.02  # Prices of an eps are done where no larger share of the points is in excess.
LEAST_SHARE = 1e-3  # Smaller shares of a point do not count in the Hessian, which most points then leave.
STEP_TRIALS = 5  # Step lengths that are tried at most.
LONGEST_STEP = 0.5  # Longest step, as a fraction of the median margin over the clusters outside a list.


def entropic_prices(
    program: Program,
    prices: Reals,
    eps: float,
    lists: Lists,
    relist: bool,
    deadline: float = np.inf,
    steps: int = STEPS,
) -> tuple[Reals, float, Lists] | None:
    """Prices (k,) near the optimal ones, the last eps, and lists whose bounds hold there; None where steps fail. Begins
    at ``prices`` with ``eps``, at most the median margin, and ``lists`` whose bounds hold there, rebuilt after every
    step with ``relist``. Each eps has ``steps`` at most. `OutOfTime` when the deadline comes first."""
    (n, size), k = lists.values.shape, prices.size
    dual, taken_at = EntropicDual(lists, *program[1:4]), prices
    margin = dual.median_margin(prices)
    last = margin * k / n
    eps, done = min(eps or EPS_RATIO * last, margin), False
    while last > 0 and np.isfinite(eps):  # where most points are tied, no eps says anything
        here, least = dual.at(prices, eps), np.inf
        for step in range(steps):
            # 1. enough for this eps, or no more to be had
            done = here.excess <= SOFT_EXCESS * dual.total
            if done or here.excess >= GAIN * least or clock() > deadline:
                break
            # 2. a step of Newton's method, after which lists may no longer hold the best clusters
            least = min(least, here.excess)
            here = dual.better(here, eps)
            if size < k and (relist or step >= STEPS_PER_LISTS):
                if not relist and step == STEPS_PER_LISTS:
                    least = np.inf  # what lists that prices had left behind said cannot be compared
                dual.read(nearest_clusters(program.data, here.prices, size, deadline))
                taken_at = here.prices
                here = dual.at(here.prices, eps)
        # 3. the next eps starts from these prices: its optimum is near
        prices = here.prices
        if eps <= last or clock() > deadline:
            break
        eps = max(eps / EPS_RATIO, last)
    return (prices, eps, moved_to(dual.lists, taken_at, prices)) if done else None


def resumed_entropic_prices(
    program: Program,
    prices: Reals,
    lists: Lists,
    deadline: float = np.inf,
    steps: int = STEPS,
) -> tuple[Reals, float, Lists] | None:
    """`entropic_prices` from prices of a program that differs little: at small eps alone, where that converges; larger
    ones have other optima, and would move the prices away."""
    for eps in (0.0, np.inf):
        found = entropic_prices(program, prices, eps, lists, False, deadline, steps)
        if found is not None:
            break
    return found


class EntropicDual:
    """D over some lists."""

    def __init__(self, lists: Lists, lower: Reals, upper: Reals, weights: Reals | None) -> None:
        self.lower, self.weights = lower, np.ones(len(lists.values)) if weights is None else weights
        self.total = float(self.weights.sum())
        self.room = np.minimum(upper, self.total) - lower
        self.read(lists)

    def read(self, lists: Lists) -> None:
        """Take other lists; their entries are contiguous over all points, since NumPy's loops are then long."""
        self.lists = lists
        k, every = self.lower.size, lists.clusters.T
        self.values: Reals = np.ascontiguousarray(lists.values.T)
        self.clusters: Integers = np.arange(k)[:, None] if len(every) == k else np.ascontiguousarray(every)

    def median_margin(self, prices: Reals) -> float:
        """Median margin of a point's best cluster over the second best."""
        reduced = self.values - prices[self.clusters]
        best = reduced.max(axis=0)
        return float(np.median(best - reduced.max(axis=0, where=reduced < best, initial=-np.inf)))

    def at(self, prices: Reals, eps: float) -> At:
        """D at some prices, with what its derivatives need."""
        shares = self.values - prices[self.clusters]
        best = shares.max(axis=0)
        shares -= best
        shares *= 1.0 / eps
        np.exp(shares, out=shares)
        sums = shares.sum(axis=0)
        shares /= sums
        sizes = by_cluster(shares, self.clusters, self.weights, prices.size)
        s = expit(prices / eps)
        value = self.weights @ (best + eps * np.log(sums))
        value += self.lower @ prices + eps * (self.room @ np.logaddexp(0.0, prices / eps))
        return At(prices, float(value), self.lower + self.room * s - sizes, shares, self.room * s * (1.0 - s), best)

    def better(self, here: At, eps: float) -> At:
        """A Newton step that is no longer than the lists reach, shortened until D falls."""
        hessian = Hessian(here.shares, self.clusters, self.weights, here.free)
        step = hessian.solve(-eps * here.gradient)
        longest = LONGEST_STEP * float(np.median(here.best - self.lists.outside))
        step = np.clip(step, -longest, longest)
        for _ in range(STEP_TRIALS):
            there = self.at(here.prices + step, eps)
            if there.value <= here.value + 1e-4 * (here.gradient @ step):
                break
            step = 0.4 * step
        return there


def by_cluster(shares: Reals, clusters: Integers, weights: Reals, k: int) -> Reals:
    """Weighted sums (k,) of shares (size, m) by cluster."""
    if len(clusters) == k:
        return np.asarray(shares @ weights)
    return np.asarray(np.bincount(clusters.ravel(), (shares * weights).ravel(), minlength=k), dtype=np.float64)


class At(NamedTuple):
    """D at some prices."""

    prices: Reals  # (k,)
    value: float
    gradient: Reals  # (k,)
    shares: Reals  # (size, n): Soft shares of the listed clusters.
    free: Reals  # (k,): Second derivatives, times eps, of what the bounds leave open.
    best: Reals  # (n,): Largest reduced score.

    @property
    def excess(self) -> float:
        """By how much soft sizes miss the required ones."""
        return 0.5 * float(np.abs(self.gradient).sum())


class Hessian:
    """eps times the Hessian of D, of points that are divided among clusters."""

    def __init__(self, shares: Reals, clusters: Integers, weights: Reals, free: Reals) -> None:
        k = free.size
        open_ = np.flatnonzero(shares.max(axis=0) < 1.0 - LEAST_SHARE)
        parts, self.weights = shares[:, open_], weights[open_]
        places = clusters[:, open_] if len(clusters) < k else clusters
        mass, square = (by_cluster(part, places, self.weights, k) for part in (parts, parts**2))
        self.shares = parts.T
        if len(clusters) < k:
            starts = np.arange(len(open_) + 1) * len(parts)
            self.shares = csr_array((parts.T.ravel(), places.T.ravel(), starts), shape=(len(open_), k))
        self.diagonal = mass + free + RIDGE * weights.sum() / k
        self.scale = self.diagonal - square

    def solve(self, right: Reals) -> Reals:
        """The solution for a right hand side (k,), by conjugate gradients with the diagonal as preconditioner."""
        solution, rest = np.zeros_like(right), right
        direction = scaled = rest / self.scale
        size = first = float(rest @ scaled)
        for _ in range(PRODUCTS):
            if size <= ACCURACY**2 * first:
                break
            product = self.diagonal * direction - self.shares.T @ (self.weights * (self.shares @ direction))
            length = size / float(direction @ product)
            solution, rest = solution + length * direction, rest - length * product
            scaled = rest / self.scale
            size, before = float(rest @ scaled), size
            direction = scaled + (size / before) * direction
        return solution
