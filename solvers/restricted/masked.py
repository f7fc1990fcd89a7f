"""Masks with bounds on sizes in one dimension: the engine's flow, with prohibitive costs for pairs outside the mask."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Record
from ...models.programs.assignment import AssignmentModel
from ..solution import AssignmentSolution
from ..transport.backend import TransportBackend


def solve_masked(
    model: AssignmentModel, prices: NDArray[np.float64] | None, time_limit: float | None
) -> tuple[AssignmentSolution, bool]:
    """The solution, and whether it uses pairs that are not allowed: then every assignment does."""
    found = TransportBackend().solve(model.without_mask(), warm_start=prices, time_limit=time_limit)
    own: Record = {"model": model, "backend": "restricted"}
    if found.labels is None:
        assert found.prices is not None
        of = AssignmentSolution.of(model, None, (), found.prices, found.status, "restricted", (0.0, 0.0))
        return replace(found, **own, dual_objective=of.dual_objective, point_duals=of.point_duals), False
    split = np.array([(point, cluster) for point, cluster, _ in found.splits], dtype=np.int64).reshape(-1, 2)
    whole = np.ones(found.labels.size, dtype=bool)
    whole[split[:, 0]] = False
    allowed = model.polytope.allowed
    assert allowed is not None
    used = allowed[np.flatnonzero(whole), found.labels[whole]].all() and allowed[split[:, 0], split[:, 1]].all()
    return replace(found, **own), not used
