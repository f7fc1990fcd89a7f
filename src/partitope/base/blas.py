"""Threads of the linear algebra library: none are woken where a product is over before they are awake."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

SERIAL_PRODUCTS = 1 << 23  # multiplications below which waking other threads costs more than they save


def one_blas_thread(work: float = 0.0) -> AbstractContextManager[Any]:
    """Keep matrix products on the thread of the caller: they are small, or several of them run at a time.

    With ``work`` multiplications that are too many for one thread, nothing is changed.
    """
    if work >= SERIAL_PRODUCTS:
        return nullcontext()
    return _libraries("scipy.linalg.cython_blas" in sys.modules).limit(limits=1, user_api="blas")


@cache
def _libraries(with_scipy: bool) -> Any:  # looked up again once scipy has brought its own library
    from threadpoolctl import ThreadpoolController  # on demand: what only reads has no products

    return ThreadpoolController()
