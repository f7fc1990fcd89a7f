"""A pairing heap of points, linked by child and sibling, where -1 stands for none: the least level at the root.

Joining takes O(1), removing the root O(log n) on average over a sequence.

References
----------
Fredman, Sedgewick, Sleator and Tarjan (1986), "The pairing heap: a new form of self-adjusting heap", *Algorithmica* 1.
"""

from __future__ import annotations

from ...base.jit import njit


@njit(cache=True, borrowing=True)
def merge(a, b, level, child, sibling):
    """Join two pairing heaps."""
    if a < 0:
        return b
    if b < 0:
        return a
    if level[b] < level[a]:
        a, b = b, a
    sibling[b] = child[a]
    child[a] = b
    return a


@njit(cache=True, borrowing=True)
def pop(root, level, child, sibling):
    """The heap without its root."""
    here, joined = child[root], -1
    child[root] = -1
    while here >= 0:  # join neighbours in pairs, then all pairs from the last to the first
        other = sibling[here]
        after = -1
        sibling[here] = -1
        if other >= 0:
            after = sibling[other]
            sibling[other] = -1
        pair = merge(here, other, level, child, sibling)
        sibling[pair] = joined
        joined = pair
        here = after
    out = -1
    while joined >= 0:
        after = sibling[joined]
        sibling[joined] = -1
        out = merge(out, joined, level, child, sibling)
        joined = after
    return out
