"""Pairs of point and cluster that are allowed: xi_ij = 0 for all others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...base.errors import InfeasibleBoundsError, InvalidInputError
from ...base.record import Record
from .constraint import Constraint
from .sized_polytope import SizedPolytope
from .whole_points import common_pairs, unplaced


@dataclass(frozen=True, eq=False)
class Mask(Constraint):
    """The pairs that are allowed."""

    name = "pairs not allowed"
    kind: ClassVar[str] = "masks"
    has_rows_of_its_own: ClassVar[bool] = True
    is_linear: ClassVar[bool] = True
    allowed: NDArray[np.bool_]  # (n, k): Allowed pairs; every point has at least one cluster.

    def __post_init__(self) -> None:
        self.allowed.setflags(write=False)

    def __str__(self) -> str:
        return self.name

    def check_fits(self, n: int, k: int) -> None:
        """Refuse pairs of other points or clusters."""
        if self.allowed.shape != (n, k):
            raise InvalidInputError(f"mask has shape {self.allowed.shape}, expected ({n}, {k}): state it anew")

    def violation(self, labels: NDArray[np.int64], polytope: SizedPolytope) -> str:
        """The points that are in a cluster that is not allowed to them."""
        barred = np.flatnonzero(~self.allowed[np.arange(len(labels)), labels]).tolist()
        more = f" (and {len(barred) - 1} more)" if len(barred) > 1 else ""
        return f"point {barred[0]} is not allowed in cluster {labels[barred[0]]}{more}" if barred else ""

    def contracted(self, polytope: SizedPolytope) -> Mask:
        """What is allowed to all points of a block; InfeasibleBoundsError where that is nothing."""
        blocks = polytope.block_numbers
        allowed = common_pairs(blocks, self.allowed)
        if not allowed.any(axis=1).all() and (found := unplaced(polytope, blocks)) is not None:
            raise InfeasibleBoundsError(f"points {found[0][:8].tolist()} have to be together, {found[1]}")
        return Mask(allowed)

    def record(self) -> Record:
        """The mask as 0 and 1."""
        return {"allowed": self.allowed.astype(int).tolist()}
