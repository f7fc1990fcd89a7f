"""The kinds of statements that a polytope can make beyond one bound on the size of every cluster."""

from __future__ import annotations

KINDS = {
    "weights": "points with weights, whose sums are bounded",
    "masks": "pairs of point and cluster that are not allowed, and fixed points (`allow`, `fix`)",
    "side constraints": "several size dimensions, shares of groups, points apart, custom rows (`share`, `apart`, "
    "`add_rows`)",
    "undivided points": "no point is divided, where weights or side constraints would divide some (`whole`)",
    "groups": "points that stay together (`together`, must-links)",
    "open clusters": "clusters that may stay closed (`optional`)",
    "connected clusters": "clusters that are connected in a graph (`connected`)",
    "constraints": "custom constraints (`subject_to`)",
}
"""Every kind, in the order in which it is refused, and what states it."""
CONNECTED = frozenset(KINDS) - {"open clusters"}
"""Kinds of territories."""
LINEAR = frozenset({"weights", "masks", "side constraints", "undivided points"})
"""Kinds that the linear relaxation keeps, and rounding of the few points that it divides."""
NETWORK = frozenset({"masks"})
"""Kinds that a minimum-cost flow problem can hold."""
