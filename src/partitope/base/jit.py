"""The one way to compile a kernel: Numba's `njit`, where no cache can be written, too.

Numba compiles a kernel at its first call, and caches it next to its source, in the user's cache folder, or in
``NUMBA_CACHE_DIR``. Where none of these can be written (a read-only container, an account without a home) it refuses to
define the kernel at all. Here the kernel is then compiled anew in every process, and one warning says so. What Numba
keeps counts as long as no source file of this package has changed, since a kernel contains the kernels that it calls;
Numba itself looks at the kernel's own file only. Two processes that start at once both compile, and each replaces the
files of the other as a whole.

Compiling takes seconds per kernel, for a program that the same code may solve in milliseconds without. So a kernel that
is not in the cache runs uncompiled, with the same result, as long as arguments of all kernels were small and all that
ran so in this process has taken no more than PATIENCE: a debt, which goes when kernels compile in less.
"""

from __future__ import annotations

import functools
import gc
import logging
import os
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from pickle import UnpicklingError
from time import perf_counter, process_time
from typing import Any, ClassVar

import numba
import numpy as np
from numba.core import event
from numba.core.caching import IndexDataCacheFile
from numba.extending import is_jitted, overload

from .deadline import stop_clock
from .inner_kernels import Pipeline, with_inner_form

PACKAGE = Path(__file__).parent.parent
LONG = 1.0  # Seconds of compilation after which a line is written.
SMALL = 1 << 12  # Arrays with up to this many numbers may be handled uncompiled: some milliseconds per call.
PATIENCE = 4.0  # CPU seconds of uncompiled kernels per process: less than compiling the engine takes.


def njit(*, borrowing: bool = False, **options: object) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Numba's `njit` with these options; ``cache=True`` is dropped where no cache folder can be written.
    ``borrowing`` counts no references to arrays, which saves time in short kernels that make and return none."""
    # kernels are never called from C, whose wrapper takes long to compile; all release Python's lock, since what Numba
    # compiles for one kernel serves another only where all options agree
    options = {"no_cfunc_wrapper": True, "nogil": True, **({"_nrt": False} if borrowing else {}), **options}

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        try:
            kernel = numba.njit(pipeline_class=Pipeline, **options)(function)
        except RuntimeError as error:  # raised before anything is compiled, while the folder is looked for
            if not options.get("cache") or "cannot cache" not in str(error):
                raise
            _warn_once()
            kernel = numba.njit(pipeline_class=Pipeline, **{**options, "cache": False})(function)
        if not is_jitted(kernel):  # NUMBA_DISABLE_JIT=1
            return kernel
        if kernel.stats.cache_path is not None:
            kernel._cache._cache_file.__class__ = _Index
        return _Kernel(with_inner_form(kernel, function, options))

    return decorate


class _Kernel:
    """A kernel that runs uncompiled as long as that costs little."""

    spent: ClassVar[float] = 0.0  # CPU seconds spent by all kernels.
    inside: ClassVar[threading.local] = threading.local()  # Whether an uncompiled kernel is running.

    def __init__(self, compiled: Any) -> None:
        functools.update_wrapper(self, compiled.py_func)
        self.compiled, self.is_kept = compiled, False
        self._numba_type_ = compiled._numba_type_  # in other kernels it is the compiled one

    def __call__(self, *arguments: Any) -> Any:
        if self.is_kept or not self._may_wait(arguments):
            self.is_kept = True
            return self.compiled(*arguments)
        outermost, start = not hasattr(self.inside, "kernel"), process_time()
        self.inside.kernel = True
        try:
            with np.errstate(all="ignore"):
                return _plain(self.compiled.py_func(*arguments))
        finally:
            if outermost:
                del self.inside.kernel
                _Kernel.spent += process_time() - start

    def _may_wait(self, arguments: tuple[object, ...]) -> bool:
        """Whether the kernel is not compiled yet, and need not be for these arguments."""
        if hasattr(self.inside, "kernel"):
            return True
        if not all(map(_is_small, arguments)):
            _Kernel.spent = PATIENCE  # where one kernel has to be compiled, small ones of the same work pay as well
        return _Kernel.spent < PATIENCE and not self._is_on_disk()

    def _is_on_disk(self) -> bool:
        folder, name = self.compiled.stats.cache_path, f"*.{self.compiled.py_func.__qualname__}-*.nbi"
        return folder is not None and any(Path(folder).glob(name))


def _is_small(argument: object) -> bool:
    if isinstance(argument, tuple):
        return hasattr(argument, "is_room") or all(map(_is_small, argument))
    return not isinstance(argument, np.ndarray) or argument.size <= SMALL


def _plain(value: object) -> Any:
    """Python's numbers for NumPy's, as compiled kernels return them."""
    if type(value) is tuple:
        return tuple(map(_plain, value))
    return value.item() if isinstance(value, np.generic) else value


def by_type(place: int, kernels: dict[type, Any]) -> Callable[..., Any]:
    """What chooses among kernels by the named tuple at this place of the arguments; compiled ones choose for good."""

    def chosen(*arguments: object) -> Any:
        return kernels[type(arguments[place])](*arguments)

    @overload(chosen, strict=False, jit_options={"no_cfunc_wrapper": True, "nogil": True, "_nrt": False})
    def choose(*arguments: Any) -> Any:
        kernel = kernels[arguments[place].instance_class]
        return lambda *arguments: kernel(*arguments)

    return chosen


@cache
def _sources() -> tuple[int, int]:
    """The newest change of a source file of this package, in nanoseconds, and the size of all of them."""
    files = [Path(folder, name).stat() for folder, _, names in os.walk(PACKAGE, followlinks=True)
             for name in names if name.endswith(".py")]  # fmt: skip
    return max(file.st_mtime_ns for file in files), sum(file.st_size for file in files)


class _Index(IndexDataCacheFile):
    """Numba's index of compiled kernels; it is empty if another version of this package has written it."""

    @property
    def _source_stamp(self) -> Any:
        return self.__dict__["_source_stamp"], _sources()

    def _load_index(self) -> dict[Any, str]:
        try:
            return super()._load_index()
        except (AttributeError, ImportError, EOFError, UnpicklingError):  # it names what is no longer there
            return {}


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
        self.depth, self.started, self.spent, self.said = 0, 0.0, 0.0, False

    def on_start(self, event: event.Event) -> None:
        """Remember when the outermost compilation began, and say so once where compilation takes long."""
        now = perf_counter()
        if self.depth == 0:
            self.started, self.collecting = now, gc.isenabled()
            gc.disable()
        self.depth += 1
        ours = str(event.data["dispatcher"].py_func.__module__).startswith("partitope.")
        if ours and not self.said and self.spent + now - self.started > LONG:
            self.said = True
            logging.getLogger(__name__).warning("compiling kernels, once on this machine: this takes some seconds ...")

    def on_end(self, event: event.Event) -> None:
        """Take the seconds of the outermost compilation out of all limits."""
        self.depth -= 1
        if self.depth == 0:
            if self.collecting:
                gc.enable()
            self.spent += perf_counter() - self.started
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
