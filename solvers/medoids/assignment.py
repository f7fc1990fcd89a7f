"""The two steps of the alternation: the best assignment at given sites, and the best site of every cluster."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...base.errors import InfeasibleBoundsError, NotOptimalError
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.assignment import AssignmentModel
from ...models.programs.medoid_location import MedoidLocationMIP
from ..assignment.solve import solve


class Assigned(NamedTuple):
    """The assignment at some sites."""

    served: NDArray[np.int64]  # (n,): Site of every point; for a divided point, that of its largest share.
    value: float  # Cost, with the shares of divided points.


def assign(model: MedoidLocationMIP, sites: NDArray[np.int64], deadline: Deadline) -> Assigned | None:
    """The best assignment at sites (p,), where points may be divided; None without any.

    Medoids, which stay with themselves, and points of no weight, which go to their nearest site, are not in the
    program.
    """
    p = sites.size
    labels = model.costs[:, sites].argmin(axis=1)
    held, movable = np.zeros(p), model.weights > 0
    if model.own is not None:
        own = model.own[sites]
        labels[own], held, movable[own] = np.arange(p), model.weights[own], False
    # the program is of the other points alone, within what the fixed ones leave of the bounds
    rest = np.flatnonzero(movable)
    value = float(model.costs[np.flatnonzero(~movable), sites[labels[~movable]]].sum() + model.opening[sites].sum())
    upper = np.minimum(model.upper[sites], model.weights.sum()) - held
    if (upper < 0).any():
        return None
    if not rest.size:
        return Assigned(sites[labels], value)
    weights = model.weights[rest]
    # equal weights are counts: a linear program whose vertices are whole
    even = bool((weights == weights[0]).all())
    unit = weights[0] if even else 1.0
    polytope = PartitionPolytope(
        rest.size, np.maximum(model.lower[sites] - held, 0.0) / unit, upper / unit, None if even else weights
    )
    costs = model.costs[np.ix_(rest, sites)] / (1.0 if even else weights[:, None])
    try:
        found = solve(AssignmentModel.of_costs(polytope, costs), time_limit=deadline.left)
        labels[rest] = found.require_labels()
    except (InfeasibleBoundsError, NotOptimalError):
        return None
    return Assigned(sites[labels], value - found.objective)


def one_per_point(model: MedoidLocationMIP, sites: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sites (p,) in their order, without those that are the point of an earlier one."""
    if model.own is None:
        return sites
    points, first, places = model.own[sites], np.empty(model.n_points, np.int64), np.arange(sites.size)
    first[points[::-1]] = places[::-1]
    return sites[first[points] == places]


def best_sites(model: MedoidLocationMIP, served: NDArray[np.int64]) -> NDArray[np.int64]:
    """The best site (p,) of every cluster of points (n,), cluster by cluster where two want the same; the sites that
    they have where one finds none that bears its load."""
    found: list[int] = []
    homes = None if model.own is None else served[model.own]
    demands, capacities, lower = model.parts
    alike = bool((capacities == capacities[0]).all() and (lower == lower[0]).all())
    for site in (opened := np.unique(served)):
        members = np.flatnonzero(served == site)
        candidates = np.arange(model.n_sites) if homes is None else np.flatnonzero(homes == site)
        worth = model.costs[np.ix_(members, candidates)].sum(axis=0) + model.opening[candidates]
        if not alike:
            # one load more or less than the site has now is borne, too: bounds may be those of divided points
            load = demands[members].sum(axis=0)
            worth[(np.minimum(load, capacities[site]) > capacities[candidates]).any(axis=1)] = np.inf
            worth[np.maximum(load[0], lower[site]) < lower[candidates]] = np.inf
        if homes is None:
            worth[found] = np.inf
        if not np.isfinite(worth).any():
            return opened
        found.append(int(candidates[worth.argmin()]))
    return np.array(found)


def seeds(model: MedoidLocationMIP, count: int, rng: np.random.RandomState) -> NDArray[np.int64]:
    """``count`` sites, each near a point drawn in proportion to its cost at the sites before (k-means++), as
    long as all of them together can bear the load."""
    found: list[int] = []
    nearest, bears, total = np.ones(model.n_points), model.upper.copy(), float(model.weights.sum())
    for left in range(count)[::-1]:
        share = np.maximum(nearest, 0.0)
        share = share / share.sum() if share.sum() > 0 else np.full(share.size, 1.0 / share.size)
        costs = model.costs[rng.choice(share.size, p=share)] + model.opening
        costs[found if model.own is None else np.isin(model.own, model.own[found])] = np.inf  # a medoid per point
        # largest demands of other points that fit together with a site, which may be one of them
        largest = np.append(np.sort(bears)[::-1], 0.0)
        most = model.upper[found].sum() + largest[:left].sum() + np.minimum(bears, largest[left])
        if (enough := np.isfinite(costs) & (most >= total * (1.0 - 1e-9))).any():
            costs[~enough] = np.inf
        found.append(int(costs.argmin()))
        bears[found[-1]] = 0.0
        nearest = np.minimum(nearest, model.costs[:, found[-1]]) if len(found) > 1 else model.costs[:, found[-1]]
    return np.array(found)


def alternate(model: MedoidLocationMIP, sites: NDArray[np.int64], deadline: Deadline) -> Assigned | None:
    """Alternate from some sites until the value falls no more; points may be divided."""
    best: Assigned | None = None
    while True:
        here = assign(model, sites, deadline)
        if here is None or (best is not None and here.value >= best.value - 1e-12 * abs(best.value)):
            return best
        best = here
        sites = best_sites(model, here.served)
        if not deadline.allows() or sites.size < np.unique(here.served).size:
            return best
