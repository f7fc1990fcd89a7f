"""Which statements leave no assignment of whole points together: found by leaving them out one after the other.

A statement without which there is still no assignment is left out for good; those that are kept at the end form an
irreducible conflict: none of them can be missed (Chinneck 2008, Feasibility and Infeasibility in Optimization, chapter
6). Where links are among them, the same is done with the pairs of points that were linked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from typing import TypeVar

import numpy as np

from ...base.deadline import Deadline
from ...base.errors import InfeasibleBoundsError
from ...base.status import Status
from ...models.polytope.constraint import Constraint
from ...models.polytope.links import ContradictoryLinksError, Links, Together, as_given
from ...models.polytope.mask import Mask
from ...models.polytope.polytope import PartitionPolytope
from ...models.polytope.rows import Rows
from ...models.programs.assignment import AssignmentModel
from ...models.programs.program import TOLERANCES
from ...models.programs.whole_assignment import WholeAssignmentMIP
from ...models.scores.scores import DenseScores
from ..linear_program import solve_linear
from .cuts import Cuts

LINKS = "the links"
MOST_LINKS = 200  # With more links the conflicting ones are not singled out: each takes a search.

Link = tuple[str, tuple[int, int]]
Without = Callable[[PartitionPolytope], PartitionPolytope]
T = TypeVar("T")


def statements_in_conflict(stated: PartitionPolytope, deadline: Deadline) -> InfeasibleBoundsError:
    """The error that names statements of the polytope which cannot hold together for whole points; where links are
    among them, the one that names these."""
    statements = _statements(stated)

    def hold(some: Sequence[tuple[str, Without]]) -> bool:
        left_out = (without for name, without in statements if name not in dict(some))
        return _is_possible(reduce(lambda polytope, without: without(polytope), left_out, stated), deadline)

    kept = [name for name, _ in _irreducible(statements, hold, deadline)]
    if LINKS in kept:
        return _contradiction(stated, deadline)
    return InfeasibleBoundsError(
        f"no assignment of whole points to {stated.n_clusters} clusters keeps {' and '.join(kept)}: widen or drop one "
        f"of them"
    )


def _irreducible(items: list[T], hold: Callable[[Sequence[T]], bool], deadline: Deadline) -> list[T]:
    """A minimal conflicting subset of items that cannot hold together, if time allows."""
    kept = items
    for item in items:
        fewer = [other for other in kept if other is not item]
        if deadline.allows() and not hold(fewer):
            kept = fewer
    return kept


def _is_possible(polytope: PartitionPolytope, deadline: Deadline) -> bool:
    """Whether there is an assignment of whole points; True where time runs out."""
    cuts, scores = Cuts(polytope), DenseScores(np.zeros((polytope.n_points, polytope.n_clusters)))
    while True:
        try:
            mip = WholeAssignmentMIP(AssignmentModel(cuts.polytope, scores))
            answer = solve_linear(mip.program, TOLERANCES, deadline)
        except InfeasibleBoundsError:
            return False
        if answer.outcome is Status.INFEASIBLE or answer.columns is None:
            return answer.outcome is not Status.INFEASIBLE
        labels = answer.columns[: mip.losses.size].reshape(mip.losses.shape).argmax(axis=1)
        if cuts.of(polytope.of_points(labels)) == 0:
            return True


def _statements(polytope: PartitionPolytope) -> list[tuple[str, Without]]:
    """Every statement by name, and how the polytope is written without it."""
    k, found = polytope.n_clusters, []
    if polytope.linked is not None:
        found.append((LINKS, lambda p: p.without_links))
    if polytope.without_links.blocks is not None:
        found.append(("the groups that stay together", _without_groups))
    if polytope.allowed is not None:
        found.append(("the pairs that are not allowed", lambda p: p.without(Mask.name)))
    for constraint in polytope.without_links.constraints:
        if isinstance(constraint, Rows):
            found.append((f"the {constraint}", _without_constraint(constraint)))
    for constraint in polytope.statements:
        if not isinstance(constraint, Together):
            found.append((str(constraint), _without_constraint(constraint)))
    bounds = f"the bounds on {polytope.names[0]}"
    found.append((bounds, lambda p: replace(p, lower=np.zeros(k), upper=np.full(k, p.total))))
    return found


def _without_groups(polytope: PartitionPolytope) -> PartitionPolytope:
    """A polytope without groups that stay together; links stay."""
    if polytope.linked is None:
        return polytope.without(Together.name)
    return polytope.with_constraint(replace(polytope.linked, groups=None))


def _without_constraint(constraint: Constraint) -> Without:
    """How a polytope is written without a constraint."""

    def without(polytope: PartitionPolytope) -> PartitionPolytope:
        weaker = constraint.weakest(polytope)
        return polytope.without(constraint.name) if weaker is None else polytope.with_constraint(weaker)

    return without


def _contradiction(stated: PartitionPolytope, deadline: Deadline) -> ContradictoryLinksError:
    """An error that names links of a polytope that clash, where there are assignments without them."""
    assert stated.linked is not None
    links, names, polytope = stated.linked.links, stated.linked.names, stated.without_links
    name = names[0] if names else ""  # free without these links

    def hold(some: Sequence[Link]) -> bool:
        must, cannot = ([pair for kind, pair in some if kind == wanted] for wanted in ("must", "cannot"))
        try:
            return _is_possible(polytope.with_links(Links(links.n_points, must, cannot), name), deadline)
        except ContradictoryLinksError:
            return False

    pairs: list[Link] = [(kind, tuple(pair)) for kind in ("must", "cannot") for pair in getattr(links, kind).tolist()]
    bounds = (
        "size bounds"
        if polytope.is_plain
        else f"bounds ({', '.join([polytope.names[0], *map(str, polytope.constraints)])})"
    )
    seen = _seen(links, polytope)
    # what shows without a search is shortest chains of links, and few
    few = [] if seen is None else [pair for pair in pairs if as_given(links, *pair) in seen.pairs]
    pairs = few if few and not hold(few) else pairs
    if len(pairs) > MOST_LINKS:
        return seen or ContradictoryLinksError(
            f"must ({len(links.must)} links) and cannot ({len(links.cannot)} links) admit no clustering within the "
            f"{bounds}: remove links or widen the bounds"
        )
    kept = _irreducible(pairs, hold, deadline)
    named = tuple(as_given(links, kind, pair) for kind, pair in kept)
    if seen is not None and set(named) == set(seen.pairs):
        return seen  # it says why these cannot hold
    text = ", ".join(f"{kind} {pair}" for (kind, _), pair in zip(kept, named))
    return ContradictoryLinksError(
        f"{text} cannot hold together for {polytope.n_clusters} clusters with these {bounds}: remove one of them or "
        f"widen the bounds",
        named,
    )


def _seen(links: Links, polytope: PartitionPolytope) -> ContradictoryLinksError | None:
    """A contradiction that shows without a search."""
    try:
        polytope.check()
        links.check(polytope)
    except ContradictoryLinksError as error:
        return error
    return None
