"""Row passes over points that lie on another device, such as a graphics processor, by functions of the array API.

    (1)  net_ji = (x_j - c) . g_i + h_i - mu_i       label_j = the smallest i of largest net_ji
    (2)  key_ji = max_i net_ji - net_ji              j is a candidate of (label_j, i) when it is below the cutoff

Prices and cutoffs go to the device, and cluster sums and candidates come back. All arithmetic is float64 as in `rows`
and `candidates`, but added up in other orders: last digits may differ from theirs, and a tie may be broken otherwise.
The array API standard names what PyTorch, CuPy and others have in common; array-api-compat gives those that name it
otherwise the standard's names.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.extras import import_extra
from ...models.scores import AffineScores

TILE_NUMBERS = 1 << 22  # scores, or coordinates, that are looked at together

Sums = tuple[NDArray[np.float64], NDArray[np.float64], float]


def namespace_of(block: Any) -> Any:
    """The array API functions of the library of an array.

    Raises
    ------
    MissingDependencyError
        Without array-api-compat.
    """
    needs = f"X lies on {getattr(block, 'device', 'another device')}, which needs array-api-compat"
    return import_extra("array_api_compat", "device", needs).array_namespace(block)


def in_memory(block: Any) -> NDArray:
    """An array as one of NumPy; copied where it lies elsewhere."""
    if isinstance(block, np.ndarray):
        return block
    compat = import_extra("array_api_compat", "device", "X lies on another device, which needs array-api-compat")
    if compat.is_torch_array(block) or compat.is_cupy_array(block):
        return np.asarray(compat.to_device(block, "cpu"))
    return np.from_dlpack(block, device="cpu")


def rows_at(block: Any, places: NDArray[np.int64]) -> NDArray[np.floating]:
    """Some rows (m, d) of a block, in memory wherever the block is."""
    if isinstance(block, np.ndarray):
        return block[places]
    xp = namespace_of(block)
    return in_memory(xp.take(block, xp.asarray(places, device=block.device), axis=0))


def column_sums(block: Any) -> NDArray[np.float64]:
    """Sums (d,) of the rows of a block."""
    xp = namespace_of(block)
    return in_memory(xp.sum(xp.astype(block, xp.float64), axis=0))


def labels_on_device(
    block: Any, scores: AffineScores, prices: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Best clusters (m,) of the points of a block at prices (k,), and by how much they lead.

    Notes
    -----
    The same block and prices give the same labels, to the last digit, as `assign_on_device` counts.
    """
    xp, labels, leads = namespace_of(block), [], []
    for _, net, own, best in _tiles(xp, block, scores, prices):
        others = xp.where(_is_own(xp, net, own), xp.asarray(-np.inf, dtype=net.dtype, device=net.device), net)
        labels.append(in_memory(own))
        leads.append(in_memory(best - xp.max(others, axis=1)))
    return np.concatenate(labels).astype(np.int64), np.concatenate(leads)


def assign_on_device(
    block: Any,
    scores: AffineScores,
    prices: NDArray[np.float64],
    cutoff: NDArray[np.float64],
    sites: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], Sums]:
    """Candidates of the points of a block, and what its clusters add up to.

    Parameters
    ----------
    block : (m, d) array
        Points.
    scores : AffineScores
        gamma.
    prices : (k,) ndarray
        mu.
    cutoff : (k, k) ndarray
        Keys below it are collected; -inf on the diagonal.
    sites : (k, d) ndarray
        Measured from the origin of the scores.

    Returns
    -------
    points, pairs, keys : (c,) ndarray
        Point, i k + j, and key of every candidate, in the order of the points.
    statistics : tuple
        Cluster sums (k, d) about the origin, sizes (k,), and squared distance to the sites.
    """
    xp, k, device = namespace_of(block), prices.size, block.device
    limits, places = (xp.asarray(array, dtype=xp.float64, device=device) for array in (cutoff, sites))
    sums, sizes, squares = np.zeros(sites.shape), np.zeros(k), 0.0
    found, start = [], 0
    for y, net, own, best in _tiles(xp, block, scores, prices):
        keys = best[:, None] - net
        points, others = xp.nonzero(keys < xp.take(limits, own, axis=0))
        pairs = xp.take(own, points, axis=0) * k + others
        keys = xp.take(xp.reshape(keys, (-1,)), points * k + others, axis=0)
        found.append([in_memory(points) + start, in_memory(pairs), in_memory(keys)])
        member = xp.astype(_is_own(xp, net, own), xp.float64)
        sums += in_memory(xp.matrix_transpose(member) @ y)
        sizes += in_memory(xp.sum(member, axis=0))
        squares += float(xp.sum((y - xp.take(places, own, axis=0)) ** 2))
        start += net.shape[0]
    points, pairs, keys = (np.concatenate(column) for column in zip(*found))
    return points, pairs, keys, (sums, sizes, squares)


def _tiles(
    xp: Any, block: Any, scores: AffineScores, prices: NDArray[np.float64]
) -> Iterator[tuple[Any, Any, Any, Any]]:
    """x - c, net scores (1), best clusters and their net scores, of tile after tile of a block."""
    parts = (scores.origin, np.ascontiguousarray(scores.gradients.T), scores.offsets - prices)
    origin, columns, offsets = (xp.asarray(part, dtype=xp.float64, device=block.device) for part in parts)
    step = max(TILE_NUMBERS // max(scores.gradients.shape), 1)
    for start in range(0, block.shape[0], step):
        y = xp.astype(block[start : min(start + step, block.shape[0]), :], xp.float64) - origin
        net = y @ columns + offsets
        yield y, net, xp.argmax(net, axis=1), xp.max(net, axis=1)


def _is_own(xp: Any, net: Any, own: Any) -> Any:
    """Whether a cluster (m, k) is that of the point."""
    return own[:, None] == xp.arange(net.shape[1], dtype=own.dtype, device=net.device)[None, :]
