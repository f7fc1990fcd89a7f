"""How much better the best clustering can be than one that a fit ended with, and a better one where there is one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...models.objectives.bound import Bound
from ...models.objectives.interval import objective_interval
from ...models.polytope.links import Links
from ...models.polytope.polytope import PartitionPolytope
from .problem import GlobalProblem
from .search import known_of


class Proved(NamedTuple):
    """A lower bound on the least sum of squares in a polytope, and better labels (n,) in it, if any."""

    lower: float
    proof: str
    unbounded: float | None
    seconds: float
    labels: NDArray[np.int64] | None

    def bound(self, value: float) -> Bound:
        """The interval below the value of a clustering."""
        return Bound(min(self.lower, value), value, self.proof, self.unbounded, self.seconds)


def proved(
    X: NDArray[np.float64], polytope: PartitionPolytope, labels: NDArray[np.int64], *, time_limit: float, seed: int
) -> Proved:
    """`solve_global` for what it handles: bounds on sizes, weights and links, not masks or side constraints.
    Interrupted from the keyboard, what is proved by then."""
    plain = polytope.relaxed
    # that no cluster is empty costs nothing: any point may be one
    lower = np.where((plain.lower <= 1.0) & (plain.weights is None), 0.0, plain.lower)
    sizes = PartitionPolytope(plain.n_points, lower, plain.upper, plain.weights)
    problem = GlobalProblem(X, sizes, "lsa", 1e-4, _links(polytope), Deadline(time_limit), 1, None)
    known = known_of(problem, labels, 10, seed)
    bound = known.bound
    unbounded = bound.unbounded
    if polytope.contains(known.labels):
        before = objective_interval(X, labels, "lsa", plain.weights)[1]
        better = known.labels if bound.upper < before * (1.0 - 1e-12) else None
    else:
        better, unbounded = None, bound.upper if unbounded is None else unbounded
    return Proved(bound.lower, bound.proof, unbounded, problem.deadline.elapsed, better)


def _links(polytope: PartitionPolytope) -> Links | None:
    """The groups and pairs that have to be together, and the pairs that have to be apart; None for weights of zero."""
    if polytope.weights is not None and not polytope.weights.min() > 0:
        return None
    must = np.empty((0, 2), dtype=np.int64)
    if polytope.blocks is not None:
        order = np.argsort(polytope.blocks, kind="stable")
        pairs = np.column_stack([order[:-1], order[1:]])
        must = pairs[polytope.blocks[pairs[:, 0]] == polytope.blocks[pairs[:, 1]]]
    cannot = polytope.pairs_apart
    return Links(polytope.n_points, must, cannot) if len(must) or len(cannot) else None
