"""Points that lie in blocks elsewhere: what a pass over them is, wherever they are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


class PointBlocks(ABC):
    """Rows (n, d) in blocks that stay where they are.

    Attributes
    ----------
    shape : (int, int)
        (n, d).
    dtype : dtype
        float32 or float64.
    sizes : tuple of int
        Rows of every block.
    """

    shape: tuple[int, int]
    dtype: np.dtype
    sizes: tuple[int, ...]

    def __len__(self) -> int:
        """Number of blocks."""
        return len(self.sizes)

    @abstractmethod
    def each(self, function: Callable[..., Any], *own: Sequence[Any], common: Sequence[Any] = ()) -> list[Any]:
        """One pass: ``function(block, *(one[b] for one in own), *common)`` for every block b, where it is."""

    @abstractmethod
    def held(self, things: Sequence[Any]) -> list[Any]:
        """One thing for every block, kept where the block is, to be passed to `each`."""

    @abstractmethod
    def labelled(
        self, function: Callable[..., Any], n_clusters: int, *own: Sequence[Any], common: Sequence[Any] = ()
    ) -> tuple[Any, list[Any]]:
        """A pass whose function returns labels of the block and something else: labels of all rows, and the others."""
