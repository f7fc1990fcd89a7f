"""Where an assignment is between its bounds: sizes and left-hand sides, which add up over blocks of points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..polytope.rows import activities
from ..polytope.shares import Shares

if TYPE_CHECKING:
    from ..polytope.polytope import PartitionPolytope


@dataclass(frozen=True, eq=False)
class Activities:
    """What an assignment of some points contributes to the rows of a polytope."""

    sizes: NDArray[np.float64]  # (k,): Sums of weights.
    errors: NDArray[np.float64]  # (k,): Bounds on their rounding errors.
    reached: Mapping[str, NDArray[np.float64]]  # Left-hand sides of the side constraints, by name.
    barred: float = 0.0  # Largest share of a point in a cluster that it may not go to.
    violation: float = 0.0  # Largest violation of the rules of shares and of open clusters.
    opened: NDArray[np.bool_] | None = None  # (k,): Clusters that are open, where some may be closed.

    @classmethod
    def of(cls, polytope: PartitionPolytope, shares: Shares) -> Activities:
        """Count an assignment of the points of a polytope; bounds do not matter."""
        sizes, barred = shares.sizes(polytope.weights, polytope.n_clusters), 0.0
        errors = shares.size_errors(polytope.weights, polytope.n_clusters)
        if polytope.allowed is not None:
            whole = np.ones(polytope.n_points, dtype=bool)
            whole[shares.points] = False
            barred = float(not polytope.allowed[np.flatnonzero(whole), shares.labels[whole]].all())
            outside = ~polytope.allowed[shares.points, shares.clusters]
            barred = max(barred, float(shares.share[outside].max(initial=0.0)))
        reached, none = activities(polytope.further, shares, polytope.n_clusters), np.zeros(sizes.size, dtype=bool)
        if not polytope.may_close:
            return cls(sizes, errors, reached, barred, shares.violation)
        opened = polytope.opened(shares.labels)
        violation = shares.violation if opened is not None else np.inf
        return cls(sizes, errors, reached, barred, violation, none if opened is None else opened)

    def __add__(self, other: Activities) -> Activities:
        """The activities of both sets of points."""
        reached = {name: value + other.reached[name] for name, value in self.reached.items()}
        barred, violation = max(self.barred, other.barred), max(self.violation, other.violation)
        return Activities(self.sizes + other.sizes, self.errors + other.errors, reached, barred, violation, self.opened)
