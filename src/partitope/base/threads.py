"""Work on consecutive ranges, shared among threads.

Kernels release Python's lock and so run side by side on threads of Python. So one compiled kernel serves
small work on one thread and large work on several; Numba's own parallel loops would be compiled a second time.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from numba import config, get_num_threads

_within = threading.local()


def share(work: Callable[[int, int], object], size: int) -> None:
    """Call ``work(start, stop)`` for ranges that make up ``range(size)``, one on every thread Numba may use."""
    if getattr(_within, "share", False):  # all threads have a part of the outer work, and would wait for each other
        work(0, size)
        return
    threads = min(get_num_threads(), size)
    ends = [size * part // threads for part in range(threads + 1)] if threads else []
    others = [_pool().submit(_inner, work, *ends[part : part + 2]) for part in range(1, threads)]
    if threads:
        _inner(work, 0, ends[1])
    for other in others:
        other.result()


def _inner(work: Callable[[int, int], object], start: int, stop: int) -> None:
    """The work on one range, within which further work is not shared."""
    _within.share = True
    try:
        work(start, stop)
    finally:
        _within.share = False


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max(config.NUMBA_NUM_THREADS - 1, 1), thread_name_prefix="partitope")


if hasattr(os, "register_at_fork"):  # threads do not survive a fork
    os.register_at_fork(after_in_child=_pool.cache_clear)
