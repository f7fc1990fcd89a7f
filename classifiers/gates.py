"""Soft gates: how much each cell of a power diagram counts at a row.

    (1)  g_i(x) proportional to exp( -pow_i(x) / (2 s^2) )     pow_i the power distance of x to cell i

For equal prices these are the weights of a mixture of k equal round normal distributions of variance s^2.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.errors import CapabilityError
from ..models.diagram.power_diagram import PowerDiagram
from ..solvers.embedding import Cells


def soft_gates(cells: Cells, X: Any, variance: float) -> NDArray[np.float64]:
    """Gates (1) as (n, k) of rows X (n, d); of the nearest cells alone when the variance is 0."""
    diagram = cells.diagram
    power = diagram.decision_function(cells.images(X)) * (2.0 if diagram.kind == "csa" else 1.0)
    power -= power.max(axis=1, keepdims=True)
    width = 2.0 * variance
    gates = np.exp(power / width) if width > 0 else (power == 0).astype(np.float64)
    return gates / gates.sum(axis=1, keepdims=True)


def variance_within(points: NDArray[np.float64], labels: NDArray[np.int64]) -> float:
    """Mean squared distance of a point (n, p) to the mean of its cluster, per column."""
    found, places = np.unique(labels, return_inverse=True)
    middles = np.array([points[labels == i].mean(axis=0) for i in found])
    return float(((points - middles[places]) ** 2).mean())


def cells_of(strategy: Any) -> Cells:
    """Cells of a fitted strategy, or of a clusterer of scikit-learn with centres."""
    partition = getattr(strategy, "partition_", None)
    if partition is None and hasattr(strategy, "cluster_centers_"):
        centres = np.asarray(strategy.cluster_centers_, dtype=np.float64)
        return Cells(None, PowerDiagram(centres, np.zeros(len(centres)), "lsa", centres.mean(axis=0)))
    if partition is None or partition.cells is None:
        raise CapabilityError(f"{type(strategy).__name__} has no cells: use assignment='nearest'")
    return partition.cells
