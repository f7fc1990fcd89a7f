"""The assignment program as the exact engine reads it."""

from __future__ import annotations

from typing import NamedTuple

from ...base.arrays import Reals
from .options import DEFAULT, Options
from .passes.rows import Data


class Program(NamedTuple):
    """Scores, bounds (k,) that a feasible assignment keeps, weights (n,) or None, and the ways of the engine."""

    data: Data
    lower: Reals
    upper: Reals
    weights: Reals | None = None
    options: Options = DEFAULT

    @property
    def shape(self) -> tuple[int, int]:
        """(n, k)."""
        return self.data[0].shape[0], self.lower.size
