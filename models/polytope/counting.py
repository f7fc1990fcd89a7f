"""How many clusterings respect size bounds, exactly and for thousands of points.

Let W_c(m) be the number of ways to put m labelled points into c_t labelled clusters of each type t, where all
clusters of a type have the same bounds 1 <= l_t <= size <= u_t. Following the last point into its cluster,

    W_c(m + 1) = sum_t c_t [ W_c(m) + C(m, l_t - 1) W_{c - e_t}(m - l_t + 1) - C(m, u_t) W_{c - e_t}(m - u_t) ]   (1)

because a cluster that the point joins is either in bounds without it too (W_c), or had l_t - 1 points, and is not
allowed to have had u_t already. (1) is the derivative of the exponential generating function
prod_t (sum_{s=l_t}^{u_t} z^s/s!)^{c_t}, read off coefficient by coefficient. Clusters that may be empty are the sum
over how many of them are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import reduce
from itertools import product
from math import comb, factorial, prod

MOST_STATES = 256  # States c of one recurrence; types beyond are joined by convolution.

Bounds = tuple[int, int]


def count_clusterings(n: int, bounds: Sequence[Bounds], labelled: bool = True) -> int:
    """Number of clusterings of n points whose cluster i has between ``bounds[i][0]`` and ``bounds[i][1]`` points."""
    if any(low > up for low, up in bounds):
        return 0
    batches: list[list[tuple[Bounds, int]]] = [[]]
    for kind, number in Counter(bounds).items():
        if batches[-1] and prod(c + 1 for _, c in batches[-1]) * (number + 1) > MOST_STATES:
            batches.append([])
        batches[-1].append((kind, number))
    return reduce(_shuffled, (_batch_ways(n, batch, labelled) for batch in batches))[n]


def _batch_ways(n: int, batch: list[tuple[Bounds, int]], labelled: bool) -> list[int]:
    """Ways (n + 1 of them) for 0..n points, by (1) and the sum over empty clusters."""
    kinds = [(max(low, 1), up) for (low, up), _ in batch]
    table = _table(n, kinds, [number for _, number in batch])
    ways = [0] * (n + 1)
    for state in product(*(range(0 if low == 0 else number, number + 1) for (low, _), number in batch)):
        if labelled:
            many, divisor = prod(comb(number, c) for (_, number), c in zip(batch, state)), 1
        else:
            many, divisor = 1, prod(factorial(c) for c in state)
        ways = [a + many * b // divisor for a, b in zip(ways, table[state])]
    return ways


def _table(n: int, kinds: list[Bounds], numbers: list[int]) -> dict[tuple[int, ...], list[int]]:
    """W_c(m) for every state c up to ``numbers`` and m = 0..n."""
    binomials = {r: _binomials(n, r) for low, up in kinds for r in (low - 1, up)}
    table: dict[tuple[int, ...], list[int]] = {}
    for state in product(*(range(number + 1) for number in numbers)):
        terms = [
            (
                c,
                table[(*state[:t], c - 1, *state[t + 1 :])],
                kinds[t],
                binomials[kinds[t][0] - 1],
                binomials[kinds[t][1]],
            )
            for t, c in enumerate(state)
            if c
        ]
        free = sum(state)
        ways = [0 if free else 1] + [0] * n
        least = sum(c * low for c, (low, _) in zip(state, kinds))
        most = sum(c * up for c, (_, up) in zip(state, kinds))
        for m in range(max(least - 1, 0), min(n, most)):
            number = free * ways[m]
            for c, fewer, (low, up), into, out_of in terms:
                if m >= low - 1:
                    number += c * into[m] * fewer[m - low + 1]
                if m >= up:
                    number -= c * out_of[m] * fewer[m - up]
            ways[m + 1] = number
        table[state] = ways
    return table


def _binomials(n: int, r: int) -> list[int]:
    """C(m, r) for m = 0..n."""
    row = [0] * (n + 1)
    if r <= n:
        row[r] = 1
    for m in range(r, n):
        row[m + 1] = row[m] * (m + 1) // (m + 1 - r)
    return row


def _shuffled(first: list[int], second: list[int]) -> list[int]:
    """Ways for two groups of clusters together: sum over how many of the points go to the first."""
    ways = []
    for m in range(len(first)):
        number, choose = 0, 1
        for s in range(m + 1):
            number += choose * first[s] * second[m - s]
            choose = choose * (m - s) // (s + 1)
        ways.append(number)
    return ways
