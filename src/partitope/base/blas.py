"""Threads of the linear algebra library: small products use one, since waking others takes longer."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

UNSHARED_PRODUCTS = 1 << 17  # Up to this many multiplications the libraries use one thread for a product by themselves.
SERIAL_PRODUCTS = 1 << 23  # With fewer multiplications, waking other threads costs more than it saves.


def one_blas_thread(work: float = 0.0) -> AbstractContextManager[object]:
    """Keep matrix products on the thread of the caller: they are small, or several of them run at a time."""
    if 0 < work <= UNSHARED_PRODUCTS or work >= SERIAL_PRODUCTS:
        return nullcontext()
    libraries = _linear_algebra(*_brought())
    if all(library.num_threads == 1 for library in libraries.lib_controllers):
        return nullcontext()
    return libraries.limit(limits=1)


def one_library_thread() -> AbstractContextManager[object]:
    """Keep matrix products and the loops of compiled libraries on the thread of the caller: sums in one order."""
    return _libraries(*_brought()).limit(limits=1)


def _brought() -> tuple[bool, ...]:
    """Which packages that bring thread pools of their own are loaded."""
    return tuple(name in sys.modules for name in ("scipy.linalg.cython_blas", "sklearn.utils._openmp_helpers"))


@cache
def _libraries(*brought: bool) -> ThreadpoolController:  # looked up again once a package has brought its own
    from threadpoolctl import ThreadpoolController  # on demand: what only reads has no products

    return ThreadpoolController()


@cache
def _linear_algebra(*brought: bool) -> ThreadpoolController:
    return _libraries(*brought).select(user_api="blas")
