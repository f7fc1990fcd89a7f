"""Good clusterings by moves and exchanges under size bounds and links: where a proof starts from.

    LSA   minimise  - sum_i |s_i|^2 / m_i          CSA   minimise  - sum_i |s_i|     (points about their mean)

by the moves and exchanges of `neighbourhood`. When none helps, one cluster is given up and opened again at a point
drawn with the squared distance to its centre, the blocks go to the nearest centres with room, and passes start again;
the better of both clusterings is kept (Gribel and Vidal 2019 use such steps in a population).

Heuristic; a result never breaks a bound or a link.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import UNLIMITED, Deadline
from ...models.polytope.links import Links
from ...models.polytope.polytope import PartitionPolytope
from .neighbourhood import NORMS, SQUARES, Neighbourhood, block_means


class Blocks(NamedTuple):
    """What is moved, the block (n,) of every point, and the origin and unit that means are measured in."""

    moved: Neighbourhood
    of_point: NDArray[np.int64]
    origin: NDArray[np.float64]
    unit: float

    @classmethod
    def of(cls, X: NDArray[np.float64], polytope: PartitionPolytope, links: Links | None, objective: str) -> Blocks:
        """Blocks of the points X (n, d), measured from their mean."""
        weights, stated = polytope.point_weights, polytope if links is None else polytope.with_links(links)
        origin = weights @ X / weights.sum()
        unit = float(np.abs(X - origin).max(initial=0.0)) or 1.0
        moved = Neighbourhood.of(
            block_means((X - origin) / unit, stated), stated, NORMS if objective == "csa" else SQUARES
        )
        return cls(moved, np.arange(len(X)) if stated.blocks is None else stated.blocks, origin, unit)


def local_search(
    X: NDArray[np.float64],
    polytope: PartitionPolytope,
    labels: NDArray[np.int64],
    objective: str = "lsa",
    *,
    links: Links | None = None,
    rounds: int = 1000,
    seed: int = 0,
    deadline: Deadline = UNLIMITED,
) -> NDArray[np.int64]:
    """Labels (n,) that are at least as good as those given, which must satisfy bounds and links. Shapes: X (n, d),
    labels (n,)."""
    blocks = Blocks.of(X, polytope, links, objective)
    first = np.zeros(len(blocks.moved.masses), dtype=np.int64)
    first[blocks.of_point] = labels
    moved = blocks.moved
    best = moved.descend(first, 0, deadline)
    rng, since, value = np.random.default_rng(seed), 0, moved.value(best)
    for _ in range(rounds if polytope.n_clusters > 1 else 0):
        if since >= 300 or not deadline.allows():  # rounds without a gain
            break
        since += 1
        start = moved.placed(_perturbed_scores(moved, best, rng), rng.permutation(len(best)))
        if start is None:
            continue
        start = moved.descend(start, int(rng.integers(2**31)), deadline)
        reached = moved.value(start)
        if reached < value - moved.gain:
            best, value, since = start, reached, 0
    return best[blocks.of_point]


def placed(
    X: NDArray[np.float64],
    polytope: PartitionPolytope,
    sites: NDArray[np.float64],
    objective: str = "lsa",
    links: Links | None = None,
    seed: int = 0,
) -> NDArray[np.int64] | None:
    """Labels (n,) of points put one after the other to the nearest site (k, d) with room; None when that fails."""
    blocks = Blocks.of(X, polytope, links, objective)
    scores = ((blocks.moved.means[:, None, :] - (sites - blocks.origin) / blocks.unit) ** 2).sum(axis=2)
    order = np.random.default_rng(seed).permutation(len(scores))
    # heavy blocks first: they are hardest to place
    labels = blocks.moved.placed(scores, order[np.argsort(-blocks.moved.masses[order], kind="stable")])
    return None if labels is None else labels[blocks.of_point]


def _perturbed_scores(moved: Neighbourhood, labels: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.float64]:
    """What it costs to put each block (b,) into each cluster (k,) when one cluster is opened again elsewhere."""
    state = moved.state(labels)
    k, P, sums = len(moved.lower), moved.means, state.sums
    if moved.form == NORMS:
        norms = np.sqrt(state.norms)
        sites = sums / np.where(norms > 0, norms, 1.0)[:, None]
        point = P[rng.integers(len(P))] + 0.3 * rng.normal(size=P.shape[1])
        sites[rng.integers(k)] = point / (np.linalg.norm(point) or 1.0)
        return -P @ sites.T
    sites = sums / np.where(state.masses > 0, state.masses, 1.0)[:, None]
    costs = moved.masses * ((P - sites[labels]) ** 2).sum(axis=1)
    total = float(costs.sum())
    chance = 0.5 * costs / total + 0.5 / len(P) if total > 0 else None
    sites[rng.integers(k)] = P[rng.choice(len(P), p=chance)]
    return ((P[:, None, :] - sites) ** 2).sum(axis=2)
