"""Bounds on the sizes of clusters, and what else a constraint may ask of the polytope that holds it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .separators import Separators

SLACK = 1e-9  # A size may miss a bound by this fraction of the total weight: the one tolerance of sizes.


@dataclass(frozen=True, eq=False, repr=False)
class SizedPolytope(ABC):
    """Points, bounds on sizes and weights; `StatedPolytope` checks them, and knows what the constraints mean."""

    n_points: int
    lower: Any = None  # Any bound that can be broadcast to (k,) comes in, an (k,) ndarray goes out.
    upper: Any = None
    weights: Any = None  # (n,): Or (n, m) comes in, an (n,) ndarray or None goes out.
    n_clusters: int = 0
    names: Any = ()  # Any sequence of m names, or one name, comes in, the name of the first dimension goes out.
    whole_points: bool = False
    constraints: tuple[Any, ...] = ()

    @cached_property
    def total(self) -> float:
        """Total weight of the points (n without weights)."""
        return float(self.n_points if self.weights is None else self.weights.sum())

    @cached_property
    def point_weights(self) -> NDArray[np.float64]:
        """Weights (n,) of the points, read-only; ones when none were given."""
        weights = np.ones(self.n_points) if self.weights is None else self.weights
        weights.setflags(write=False)
        return weights

    @property
    def slack(self) -> float:
        """By how much a size counts as within its bounds: nothing for whole points, SLACK of the total for weights."""
        return 0.0 if self.weights is None else SLACK * self.total

    def describe(self) -> str:
        """The bounds in words: ``"91 to 137"`` where equal for all clusters, else lists."""
        lower, upper = ([f"{value:g}" for value in side] for side in (self.lower, self.upper))
        if len(set(lower)) == 1 and len(set(upper)) == 1:
            return f"{lower[0]} to {upper[0]}"
        return f"lower ({', '.join(lower)}), upper ({', '.join(upper)})"

    @property
    @abstractmethod
    def allowed(self) -> NDArray[np.bool_] | None:
        """The pairs (n, k) that are allowed; None where all are."""

    @property
    @abstractmethod
    def may_close(self) -> bool:
        """Whether clusters may be closed: within their bounds, or empty."""

    @property
    @abstractmethod
    def open_numbers(self) -> tuple[int, int]:
        """How many clusters are open, at least and at most."""

    @abstractmethod
    def opened(self, labels: NDArray[np.int64]) -> NDArray[np.bool_] | None:
        """Clusters (k,) that are open in a clustering (n,), at the least cost; None where no number of them fits."""

    @property
    @abstractmethod
    def separators(self) -> Separators:
        """What cuts off clusters in pieces."""

    @property
    @abstractmethod
    def blocks(self) -> NDArray[np.int64] | None:
        """The block (n,) of every point, where points stay together."""

    @cached_property
    def block_numbers(self) -> NDArray[np.int64]:
        """The block (n,) of every point; every point is one where none stay together."""
        return np.arange(self.n_points) if self.blocks is None else self.blocks

    @cached_property
    def block_points(self) -> NDArray[np.int64]:
        """The first point (b,) of every block; every point where none stay together."""
        return np.arange(self.n_points) if self.blocks is None else np.unique(self.blocks, return_index=True)[1]

    def of_points(self, labels: NDArray[np.int64]) -> NDArray[np.int64]:
        """Labels (n,) of the points from those of the blocks (b,)."""
        return labels if self.blocks is None else labels[self.blocks]
