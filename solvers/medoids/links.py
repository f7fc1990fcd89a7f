"""Points together and apart, as a program of medoids has them.

together   the points of a group are one point, of summed costs and demands; it may be several candidate sites
apart      points of which any two are apart are a further demand of 1 each, with a capacity of 1 at every site
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.errors import InfeasibleBoundsError
from ...base.messages import number, numbers
from ...models.polytope.broken_bounds import MOST_TOLD
from ...models.polytope.links import Links, pairs_in
from ...models.polytope.sized_polytope import SLACK
from ...models.polytope.whole_points import group_numbers


def apart_demands(stated: Sequence[ArrayLike], blocks: NDArray[np.int64], most: int) -> NDArray[np.float64]:
    """Demands (b, s) that keep blocks apart, of columns of groups and pairs of points (n,); InfeasibleBoundsError where
    two points of a block are apart, or more than this many blocks of each other."""
    n, first = blocks.size, np.unique(blocks, return_index=True)[1]
    if not stated:
        return np.empty((first.size, 0))
    conflicts = np.zeros((n, n), dtype=bool)
    for groups in stated:
        if (pairs := pairs_in(groups)) is None:
            group = group_numbers(groups, n)
            conflicts |= (group[:, None] == group) & (group >= 0)
        else:
            a, b = Links(n, cannot=pairs).cannot.T
            conflicts[a, b] = conflicts[b, a] = True
    np.fill_diagonal(conflicts, False)
    within = np.argwhere(conflicts & (blocks[:, None] == blocks))
    if within.size:
        raise InfeasibleBoundsError(
            f"points {within[0, 0]} and {within[0, 1]} have different clusters by apart, but the same by together: "
            f"change one of the two"
        )
    apart, demands = np.zeros((first.size, first.size), dtype=bool), list[NDArray[np.bool_]]()
    apart[tuple(blocks[np.argwhere(conflicts)].T)] = True
    left = np.triu(apart)
    while left.any():
        a, b = np.argwhere(left)[0]
        clique, common = [a, b], apart[a] & apart[b]
        while common.any():
            clique.append(int(common.argmax()))
            common &= apart[clique[-1]]
        left[np.ix_(clique, clique)] = False
        demands.append(np.isin(np.arange(first.size), clique))
        if len(clique) > most:
            listed = ", ".join(map(str, np.sort(first[clique])[:MOST_TOLD]))
            more = f" and {len(clique) - MOST_TOLD} more" if len(clique) > MOST_TOLD else ""
            raise InfeasibleBoundsError(
                f"points {listed}{more} need {len(clique)} clusters by apart, but there can be {most} at most: raise "
                f"n_clusters, or change apart"
            )
    return np.array(demands, dtype=np.float64).reshape(-1, first.size).T


def merged(rows: NDArray[np.float64], blocks: NDArray[np.int64]) -> NDArray[np.float64]:
    """Sums (b, c) of the rows (n, c) of each block."""
    found = np.zeros((int(blocks.max()) + 1, rows.shape[1]))
    np.add.at(found, blocks, rows)
    return found


def most_clusters(costs: NDArray[np.float64], own: NDArray[np.int64] | None) -> int:
    """Number of clusters at most of points and sites (b, m), each of which is a point of its own where there is one."""
    return min(costs.shape) if own is None else np.unique(own).size


def require_room(
    demands: NDArray[np.float64], capacities: NDArray[np.float64], names: list[str], allowed: NDArray[np.bool_],
    blocks: NDArray[np.int64], most: int,
) -> None:  # fmt: skip
    """Raise InfeasibleBoundsError where this many sites have too little room for some demands (b, r), or none that may
    serve a block (b, m) has enough."""
    total, best = demands.sum(axis=0), np.sort(capacities, axis=0)[::-1][:most].sum(axis=0)
    for r in np.flatnonzero(best < total * (1.0 - SLACK)):
        need, room, each = *numbers(total[r], best[r]), number(total[r] / most)
        raise InfeasibleBoundsError(
            f"{names[r]} sums to {need}, and the {most} largest capacities to {room}: raise n_clusters, or capacities "
            f"(a common one to at least {each})"
        )
    for name, demand, capacity in zip(names, demands.T, capacities.T):
        rooms = np.where(allowed, capacity, -1.0).max(axis=1)
        for lost in np.flatnonzero(demand > rooms * (1.0 + SLACK)):
            members, (need, room) = np.flatnonzero(blocks == lost), numbers(demand[lost], rooms[lost])
            which = f"points {', '.join(map(str, members[:MOST_TOLD]))} (in one cluster by together)"
            why = "may be served from no site: allow one, or change what binds it"
            if rooms[lost] >= 0.0:
                why = f"takes {need} of {name}, and sites that may serve it have at most {room}: raise a capacity"
            raise InfeasibleBoundsError(f"{which if members.size > 1 else f'point {members[0]}'} {why}")
