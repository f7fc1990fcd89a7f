"""Which links cannot hold together: a smallest set of those that were given.

A set of links clashes when no clustering within the bounds satisfies it. Links are dropped one after the other while
the others clash, which leaves an irreducible set. A smallest one is found by hitting sets: every set of links without
which the others can hold is hit by every clash. So a smallest set that hits all sets known so far either clashes, and
then no clash is smaller, or is extended to links that can hold together, and those left out are one more set to hit.

References
----------
Ignatiev, Previti, Liffiton and Marques-Silva (2015), Smallest MUS extraction with minimal hitting set dualization,
CP 2015; Chinneck (2008), Feasibility and Infeasibility in Optimization, chapter 6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from ...base.deadline import Deadline
from ...base.errors import InfeasibleBoundsError
from ...base.status import Status
from ...models.polytope.links import ContradictoryLinksError, Links, as_given
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.assignment import AssignmentModel
from ...models.programs.linear_program import TOLERANCES, LinearProgram
from ...models.programs.whole_assignment import WholeAssignmentMIP
from ...models.scores.scores import DenseScores
from ..linear_program import solve_linear

Link = tuple[str, tuple[int, int]]
MOST_ASKED = 200  # links beyond which those that clash are not singled out, and sets that are tried for a smallest one


def contradiction(polytope: PartitionPolytope, deadline: Deadline) -> ContradictoryLinksError:
    """An error that names links of a polytope that clash, where there are assignments without them."""
    assert polytope.linked is not None
    (links, names), polytope = (polytope.linked.links, polytope.linked.names), polytope.without_links
    name = names[0] if names else ""  # free without these links

    def holds(some: Iterable[Link]) -> bool:
        chosen = list(some)
        must, cannot = ([pair for kind, pair in chosen if kind == wanted] for wanted in ("must", "cannot"))
        try:
            return is_possible(polytope.with_links(Links(links.n_points, must, cannot), name), deadline)
        except ContradictoryLinksError:
            return False

    pairs: list[Link] = [(kind, tuple(pair)) for kind in ("must", "cannot") for pair in getattr(links, kind).tolist()]
    bounds = "size bounds" if polytope.is_plain else f"bounds ({', '.join(polytope.row_names)})"
    seen = _seen(links, polytope)
    if len(pairs) > MOST_ASKED:
        return seen or ContradictoryLinksError(
            f"must ({len(links.must)} links) and cannot ({len(links.cannot)} links) admit no clustering within the "
            f"{bounds}: remove links or widen the bounds"
        )
    kept = _smallest(pairs, holds, _irreducible(pairs, holds, deadline), deadline)
    named = tuple(as_given(links, kind, pair) for kind, pair in kept)
    if seen is not None and set(named) == set(seen.pairs):
        return seen
    text = ", ".join(f"{kind} {pair}" for (kind, _), pair in zip(kept, named))
    return ContradictoryLinksError(
        f"{text} cannot hold together for {polytope.n_clusters} clusters with these {bounds}: remove one of them or "
        f"widen the bounds",
        named,
    )


def _irreducible(pairs: list[Link], holds: Callable[[Iterable[Link]], bool], deadline: Deadline) -> list[Link]:
    """Links that clash, none of which could be dropped in time."""
    kept = list(pairs)
    for pair in pairs:
        fewer = [other for other in kept if other != pair]
        if deadline.allows() and not holds(fewer):
            kept = fewer
    return kept


def _smallest(
    pairs: list[Link], holds: Callable[[Iterable[Link]], bool], known: list[Link], deadline: Deadline
) -> list[Link]:
    """A smallest set of links that clash, or the known one where that is not settled in `MOST_ASKED` questions."""
    to_hit: list[np.ndarray] = []
    for _ in range(MOST_ASKED // max(len(pairs), 1)):
        tried = _hitting(to_hit, len(pairs))
        if tried.sum() >= len(known) or not deadline.allows():
            return known
        if not holds(pairs[p] for p in np.flatnonzero(tried)):
            return [pairs[p] for p in np.flatnonzero(tried)]
        for p in np.flatnonzero(~tried):
            tried[p] = True
            tried[p] = holds(pairs[q] for q in np.flatnonzero(tried))
        to_hit.append(~tried)
    return known


def _hitting(sets: list[np.ndarray], n: int) -> np.ndarray:
    """A smallest set (n,), as booleans, that meets all of these."""
    import scipy.sparse as sp

    if not sets:
        return np.zeros(n, dtype=bool)
    ones = np.ones(n)
    program = LinearProgram(
        ones, sp.csc_array(np.array(sets, dtype=np.float64)), np.ones(len(sets)), np.full(len(sets), np.inf),
        np.zeros(n), ones, np.ones(n, dtype=bool),
    )  # fmt: skip
    return np.asarray(solve_linear(program).require_optimum("a hitting set") > 0.5)


def _seen(links: Links, polytope: PartitionPolytope) -> ContradictoryLinksError | None:
    """A contradiction that shows without a search."""
    try:
        links.check(polytope)
    except ContradictoryLinksError as error:
        return error
    return None


def is_possible(polytope: PartitionPolytope, deadline: Deadline) -> bool:
    """Whether there is an assignment of whole points; True where time runs out."""
    model = AssignmentModel(polytope, DenseScores(np.zeros((polytope.n_points, polytope.n_clusters))))
    try:
        program = WholeAssignmentMIP(model).linear_program
    except InfeasibleBoundsError:
        return False
    return solve_linear(program, TOLERANCES, deadline).outcome is not Status.INFEASIBLE
