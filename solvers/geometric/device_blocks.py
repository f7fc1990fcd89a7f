"""Points of an array on another device, such as a graphics processor: what a pass computes is computed there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.errors import InvalidInputError
from ...models.magnitudes import refuse_large_products
from ..transport.device_rows import in_memory, namespace_of
from .point_blocks import PointBlocks

NUMBERS = 1 << 25  # of a block: so many come to memory at a time for the proof


def lies_elsewhere(X: object) -> bool:
    """Whether X is an array that exchanges data and is not in the memory of this machine; imports nothing."""
    device = getattr(X, "device", None)
    return device is not None and hasattr(X, "__dlpack__") and "cpu" not in str(device).lower()


class DeviceBlocks(PointBlocks):
    """The rows of an array on one device, in blocks.

    Parameters
    ----------
    X : (n, d) array
        Finite numbers: a tensor of PyTorch, an array of CuPy, or any other of the array API standard. It is copied only
        where it is neither float32 nor float64.

    Raises
    ------
    MissingDependencyError
        Without array-api-compat.
    InvalidInputError
        When X has another shape, is not finite or too large, or lies on a device without float64.
    """

    def __init__(self, X: Any) -> None:
        xp = namespace_of(X)
        if X.ndim != 2 or 0 in X.shape:
            raise InvalidInputError(f"X has shape {tuple(X.shape)}, expected (n_points, n_features), neither of them 0")
        if xp.isdtype(X.dtype, "complex floating"):
            raise InvalidInputError(f"X has {X.dtype}, expected real numbers")
        try:
            has_float64 = xp.zeros(1, dtype=xp.float64, device=X.device).dtype == xp.float64
        except Exception:  # every library has an error of its own
            has_float64 = False
        if not has_float64:
            raise InvalidInputError(f"X lies on {X.device}, which has no float64: bring it to memory first")
        if X.dtype not in (xp.float32, xp.float64):
            X = xp.astype(X, xp.float64)
        self._X = X.detach() if hasattr(X, "detach") else X  # of PyTorch: no gradients
        self.shape = (int(X.shape[0]), int(X.shape[1]))
        self.dtype = np.dtype(np.float32 if X.dtype == xp.float32 else np.float64)
        rows = max(NUMBERS // self.shape[1], 1)
        self._starts = range(0, self.shape[0], rows)
        self.sizes = tuple(min(rows, self.shape[0] - start) for start in self._starts)
        largest = max(float(xp.max(xp.abs(block))) for block in self._blocks())
        if not np.isfinite(largest):
            raise InvalidInputError("X contains NaN or infinite values: fill or drop them first")
        refuse_large_products(np.full((1, self.shape[1]), largest))

    def _blocks(self) -> list[Any]:
        return [self._X[start : start + size, :] for start, size in zip(self._starts, self.sizes)]

    def in_memory(self) -> NDArray[np.floating]:
        """All rows in memory."""
        return in_memory(self._X)

    def each(self, function: Callable[..., Any], *own: Sequence[Any], common: Sequence[Any] = ()) -> list[Any]:
        """One pass, block after block."""
        return [function(*block, *common) for block in zip(self._blocks(), *own)]

    def held(self, things: Sequence[Any]) -> list[Any]:
        """The things themselves, in memory."""
        return list(things)

    def labelled(
        self, function: Callable[..., Any], n_clusters: int, *own: Sequence[Any], common: Sequence[Any] = ()
    ) -> tuple[NDArray[np.int64], list[Any]]:
        """Labels in memory, and the others."""
        labels, others = zip(*self.each(function, *own, common=common))
        return np.concatenate(labels).astype(np.int64), list(others)
