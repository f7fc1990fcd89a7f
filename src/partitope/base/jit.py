"""The one way to compile a kernel: Numba's `njit`, which also works where no cache can be written.

Numba keeps compiled kernels beside their source, in the user's cache folder, or in ``NUMBA_CACHE_DIR``. Where none of
these can be written (a read-only container, an account without a home) it refuses to define the kernel at all.
Here the kernel is then compiled anew in every process, and one warning says so.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from time import perf_counter
from typing import Any

import numba
from numba.core import event

from .deadline import stop_clock


def njit(**options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Numba's `njit` with these options; ``cache=True`` is dropped where no cache folder can be written."""

    def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
        try:
            return numba.njit(**options)(function)
        except RuntimeError as error:  # raised before anything is compiled, while the folder is looked for
            if not options.get("cache") or "cannot cache" not in str(error):
                raise
            _warn_once()
            return numba.njit(**{**options, "cache": False})(function)

    return compiled


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep the kernels on the caller's thread, where starting others costs more than it saves."""
    before = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        yield
    finally:
        numba.set_num_threads(before)


class _Compilation(event.Listener):
    """Stops the clock of time limits while Numba compiles; kernels that a kernel calls are compiled within its time."""

    def __init__(self) -> None:
        self.depth, self.started = 0, 0.0

    def on_start(self, event: event.Event) -> None:
        """Remember when the outermost compilation began."""
        self.started = self.started if self.depth else perf_counter()
        self.depth += 1

    def on_end(self, event: event.Event) -> None:
        """Take the seconds of the outermost compilation out of all limits."""
        self.depth -= 1
        if self.depth == 0:
            stop_clock(perf_counter() - self.started)


event.register("numba:compile", _Compilation())


@cache
def _warn_once() -> None:
    warnings.warn(
        "no folder for compiled code can be written: partitope compiles its kernels anew in every process, which takes "
        "up to a minute; set NUMBA_CACHE_DIR to a folder that can be written",
        RuntimeWarning,
        stacklevel=2,
    )
