"""Points of a Dask array, whose blocks are on the workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...base.checks import refuse_masked
from ...base.errors import InvalidInputError
from ...base.extras import import_extra


def is_dask_array(X: object) -> bool:
    """Whether X is a Dask collection; imports nothing."""
    return type(X).__module__.partition(".")[0] == "dask"


def checked_dask_array(estimator: Any, X: Any, *, reset: bool) -> Any:
    """A two-dimensional Dask array of float32 or float64 with known chunks, cut along rows only. Its number of columns
    is noted in ``n_features_in_`` with ``reset``, otherwise compared with it."""
    array = import_extra("dask.array", "dask", "X is a Dask collection, which dask.array reads")
    if not isinstance(X, array.Array):
        raise InvalidInputError(f"X is a {type(X).__name__}, expected a Dask array: pass X.to_dask_array(lengths=True)")
    if X.ndim != 2 or 0 in X.shape:
        raise InvalidInputError(f"X has shape {X.shape}, expected (n_points, n_features), neither of them 0")
    if np.isnan(X.shape[0]):
        raise InvalidInputError("X has chunks of unknown size: call X.compute_chunk_sizes() first")
    if X.dtype not in (np.float32, np.float64):
        X = X.astype(np.float64)
    if reset:
        estimator.n_features_in_ = X.shape[1]
    elif X.shape[1] != estimator.n_features_in_:
        raise InvalidInputError(f"X has {X.shape[1]} features, expected {estimator.n_features_in_}, as in fit")
    return X.rechunk({1: -1})


def refuse_other_block(block: Any, shape: tuple[int, int]) -> None:
    """Refuse a block that is not an array of the shape that X declares, or has masked entries."""
    if not isinstance(block, np.ndarray) or block.shape != shape:
        found = f"shape {block.shape}" if isinstance(block, np.ndarray) else f"type {type(block).__name__}"
        raise InvalidInputError(f"X has a block of {found}, its chunks say an array {shape}: make X with true chunks")
    refuse_masked(block, "X")


class DaskBlocks:
    """The blocks of a Dask array as `checked_dask_array` returns it, with ``shape`` (n, d), ``dtype`` (float32 or
    float64) and ``sizes``, the rows of every block; labels stay on the workers, too."""

    def __init__(self, X: Any) -> None:
        self.shape, self.dtype, self.sizes = X.shape, X.dtype, X.chunks[0]
        self._blocks = [block for row in X.to_delayed() for block in row]

    def __len__(self) -> int:
        """Number of blocks."""
        return len(self.sizes)

    def each(self, function: Callable[..., Any], *own: Sequence[Any], common: Sequence[Any] = ()) -> list[Any]:
        """One pass: ``function(block, *(one[b] for one in own), *common)`` for every block b, where it is."""
        import dask

        return list(dask.compute(*self._tasks(function, own, common)))

    def _tasks(self, function: Callable[..., Any], own: Sequence[Sequence[Any]], common: Sequence[Any]) -> list[Any]:
        import dask

        task = dask.delayed(function, pure=False)
        return [task(*block, *common) for block in zip(self._blocks, *own)]

    def held(self, things: Sequence[Any]) -> list[Any]:
        """One thing for every block, sent to the workers once."""
        import dask

        return list(dask.persist(*(dask.delayed(thing, pure=False) for thing in things)))

    def labelled(
        self, function: Callable[..., Any], n_clusters: int, *own: Sequence[Any], common: Sequence[Any] = ()
    ) -> tuple[Any, list[Any]]:
        """Labels as a Dask array of int64, whose blocks are of the smallest type that holds them, and the others."""
        import dask
        import dask.array as da

        held, kind = dask.persist(*self._tasks(function, own, common)), np.min_scalar_type(n_clusters - 1)
        others = dask.compute(*(task[1] for task in held))
        labels = da.concatenate([da.from_delayed(task[0], (size,), kind) for task, size in zip(held, self.sizes)])
        return labels.astype(np.int64), list(others)
