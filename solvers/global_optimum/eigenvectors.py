"""The largest eigenvalues of a symmetric matrix, without Python's lock.

`scipy.linalg.eigh` holds the lock while LAPACK works, so that nodes explored at the same time would wait for each
other. The same routine is called here by its address in SciPy, which any thread may do at any time.
"""

from __future__ import annotations

from ctypes import CFUNCTYPE, c_void_p
from functools import cache
from typing import Any

import numpy as np
from numba.extending import get_cython_function_address
from numpy.typing import NDArray

NAMES = {np.dtype(np.float32): "ssyevr", np.dtype(np.float64): "dsyevr"}


def largest_eigenvalues(matrix: NDArray[Any], count: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """The ``count`` largest eigenvalues, increasing, and their vectors (n, count), as `scipy.linalg.eigh` gives
    them. Shapes: matrix (n, n)."""
    if not np.isfinite(matrix).all():
        raise np.linalg.LinAlgError("the matrix has entries that are not finite")
    n, kind, routine = len(matrix), matrix.dtype, _routine(matrix.dtype)
    scratch, unused, info = np.array(matrix, order="F"), np.zeros(1, kind), np.zeros(1, np.intc)
    values, vectors, support = np.empty(n, kind), np.empty((n, count), kind, order="F"), np.empty(2 * count, np.intc)
    work, integers = np.empty(1, kind), np.empty(1, np.intc)
    for asks in (True, False):  # first for the sizes of the work space
        sizes = (-1, -1) if asks else (len(work), len(integers))
        arguments = [b"V", b"I", b"L", n, scratch, n, unused, unused, n - count + 1, n, unused, 0]
        arguments += [values, vectors, n, support, work, sizes[0], integers, sizes[1], info]
        kept = [_in_memory(argument) for argument in arguments]
        routine(*(array.ctypes.data for array in kept))
        if info[0] != 0:
            raise np.linalg.LinAlgError(f"{NAMES[kind]} ended with info = {info[0]}")
        if asks:
            work, integers = np.empty(int(work[0]), kind), np.empty(int(integers[0]), np.intc)
    return values[:count], vectors


def _in_memory(argument: Any) -> NDArray[Any]:
    """A number or a letter as LAPACK reads it, by its address; arrays as they are."""
    if isinstance(argument, np.ndarray):
        return argument
    return np.array([argument], dtype="S1" if isinstance(argument, bytes) else np.intc)


@cache
def _routine(kind: np.dtype[Any]) -> Any:
    address = get_cython_function_address("scipy.linalg.cython_lapack", NAMES[kind])
    return CFUNCTYPE(None, *[c_void_p] * 21)(address)  # arguments of the routine
