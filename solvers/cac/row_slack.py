"""What masks, further size dimensions, shares and custom rows leave to a move of CAC."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...models.polytope.polytope import PartitionPolytope
from ..exchange.neighbourhood import Pairs


class RowSlack(NamedTuple):
    """A mask (n, k), of no rows where all pairs are allowed; rows by pair of point and cluster; and the left-hand sides
    of these rows for the clustering at hand, which the kernels update."""

    allowed: NDArray[np.bool_]
    pairs: Pairs
    activity: NDArray[np.float64]

    @classmethod
    def of(cls, polytope: PartitionPolytope) -> RowSlack | None:
        """The slack before any clustering; None where only sizes in one dimension are bounded."""
        if polytope.is_plain:
            return None
        pairs, allowed = Pairs.of(polytope.further, polytope.n_clusters), polytope.allowed
        none = np.zeros((0, polytope.n_clusters), dtype=bool)
        return cls(none if allowed is None else np.array(allowed), pairs, np.zeros(pairs.lower.size))
