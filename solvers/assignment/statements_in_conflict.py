"""Which statements leave no assignment of whole points together: found by leaving them out one after the other.

A statement without which there is still no assignment is left out for good; those that are kept at the end form a
conflict of which none can be missed (Chinneck 2008, Feasibility and Infeasibility in Optimization, chapter 6).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ...base.deadline import Deadline
from ...base.errors import InfeasibleBoundsError
from ...models.polytope.polytope import PartitionPolytope
from ...models.polytope.whole_points import Openings
from .clash import contradiction, is_possible

LINKS = "the links"
Without = Callable[[PartitionPolytope], PartitionPolytope]


def statements_in_conflict(stated: PartitionPolytope, deadline: Deadline) -> InfeasibleBoundsError:
    """The error that names statements of the polytope which cannot hold together for whole points; where links are
    among them, the one that names these."""
    polytope, kept = stated, []
    for name, without in _statements(polytope):
        less = without(polytope)
        if deadline.allows() and not is_possible(less, deadline):
            polytope = less
        else:
            kept.append(name)
    if LINKS in kept:
        return contradiction(stated, deadline)
    return InfeasibleBoundsError(
        f"no assignment of whole points to {polytope.n_clusters} clusters keeps {' and '.join(kept)}: widen or drop "
        f"one of them"
    )


def _statements(polytope: PartitionPolytope) -> list[tuple[str, Without]]:
    """Every statement by name, and how the polytope is written without it."""
    k, found = polytope.n_clusters, []
    if polytope.linked is not None:
        found.append((LINKS, lambda p: p.without_links))
    if polytope.without_links.blocks is not None:
        found.append(("the groups that stay together", _without_groups))
    if polytope.openings is not None:
        free = Openings(1, k, np.zeros(k))
        found.append(("the number of open clusters", lambda p: replace(p, openings=free)))
    if polytope.allowed is not None:
        found.append(("the pairs that are not allowed", lambda p: replace(p, allowed=None)))
    for rows in polytope.without_links.further:
        found.append((f"the rows {rows.name!r}", _without_rows(rows.name)))
    bounds = f"the bounds on {polytope.names[0]}"
    found.append((bounds, lambda p: replace(p, lower=np.zeros(k), upper=np.full(k, p.total))))
    return found


def _without_groups(polytope: PartitionPolytope) -> PartitionPolytope:
    """A polytope without groups that stay together; links stay."""
    linked = None if polytope.linked is None else replace(polytope.linked, groups=None)
    return replace(polytope, blocks=None if linked is None else linked.blocks, linked=linked)


def _without_rows(name: str) -> Without:
    """How a polytope is written without the rows of a name."""
    return lambda polytope: replace(polytope, further=tuple(row for row in polytope.further if row.name != name))
