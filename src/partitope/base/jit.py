"""The one way to compile a kernel: Numba's `njit`, which compiles where that pays, and where no cache can be written.

Numba compiles a kernel at its first call. On a machine where nothing is compiled yet that takes from tenths of a second
to several seconds a kernel, for a program that NumPy may solve in milliseconds. A kernel that says how long it takes to
compile and about how long one call takes without (`seconds_to_compile`, `seconds_uncompiled`) is therefore run
uncompiled until its calls would have taken as long as compiling it: what is spent is at most twice the smaller of the
two. The seconds are counted over processes, in a file beside the cache. Kernels that are compiled already, in this
process or in the cache on disk, always run compiled. The estimates are functions of the arguments' sizes, no clock is
read, and both ways give the same numbers bit for bit.

Numba keeps compiled kernels beside their source, in the user's cache folder, or in ``NUMBA_CACHE_DIR``. Where none of
these can be written (a read-only container, an account without a home) it refuses to define the kernel at all.
Here the kernel is then compiled anew in every process, and one warning says so. What Numba keeps counts as long as no
source file of this package has changed, since a kernel contains the kernels that it calls; Numba itself looks at the
kernel's own file only.
"""

from __future__ import annotations

import atexit
import functools
import gc
import logging
import os
import types
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from pickle import UnpicklingError
from time import perf_counter
from typing import Any, ClassVar

import numba
import numpy as np
from numba.core import event
from numba.core.caching import IndexDataCacheFile
from numba.core.compiler_lock import global_compiler_lock
from numba.extending import is_jitted

from .deadline import stop_clock
from .inner_kernels import Pipeline, with_inner_form

PACKAGE = Path(__file__).parent.parent
LONG = 1.0  # seconds of compilation after which a line is written
_in_numpy: dict[Callable[..., Any], Callable[..., Any]] = {}  # what stands for a kernel as long as it is not compiled


def njit(
    *,
    in_numpy: Callable[..., Any] | None = None,
    seconds_to_compile: float | None = None,
    seconds_uncompiled: Callable[..., float] | None = None,
    borrowing: bool = False,
    **options: Any,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Numba's `njit` with these options; ``cache=True`` is dropped where no cache folder can be written."""

    options = {
        "no_cfunc_wrapper": True,
        **({"_nrt": False} if borrowing else {}),
        **options,
    }  # nobody calls kernels from C, and the wrapper takes long to compile

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        kernel = _compiled(function, options)
        if not is_jitted(kernel):  # NUMBA_DISABLE_JIT=1
            return kernel
        if "inline" not in options:
            kernel = with_inner_form(kernel, function, options)
        if in_numpy is not None:
            _in_numpy[kernel] = in_numpy
        if seconds_uncompiled is None or seconds_to_compile is None:
            return kernel
        return _Kernel(kernel, seconds_to_compile, seconds_uncompiled)

    return decorate


@cache
def _sources() -> tuple[int, int]:
    """The newest change of a source file of this package, in nanoseconds, and the size of all of them."""
    files = [Path(folder, name).stat() for folder, _, names in os.walk(PACKAGE, followlinks=True)
             for name in names if name.endswith(".py")]  # fmt: skip
    return max(file.st_mtime_ns for file in files), sum(file.st_size for file in files)


class _Index(IndexDataCacheFile):
    """Numba's list of what is kept of a kernel, which is empty where another version of this package has written it."""

    @property
    def _source_stamp(self) -> Any:
        return self.__dict__["_source_stamp"], _sources()

    def _load_index(self) -> dict[Any, str]:
        try:
            return super()._load_index()
        except (AttributeError, ImportError, EOFError, UnpicklingError):  # it names what is no longer there
            return {}


def _compiled(function: Callable[..., Any], options: dict[str, Any]) -> Callable[..., Any]:
    try:
        kernel = numba.njit(pipeline_class=Pipeline, **options)(function)
        if options.get("cache") and is_jitted(kernel):
            kernel._cache._cache_file.__class__ = _Index
        return kernel
    except RuntimeError as error:  # raised before anything is compiled, while the folder is looked for
        if not options.get("cache") or "cannot cache" not in str(error):
            raise
        _warn_once()
        return numba.njit(pipeline_class=Pipeline, **{**options, "cache": False})(function)


@cache
def uncompiled(kernel: Any) -> Callable[..., Any]:
    """What a kernel does without compilation: its NumPy form, or its Python function with all kernels in it
    uncompiled."""
    kernel = getattr(kernel, "compiled", kernel)
    if not is_jitted(kernel):
        return kernel
    function = _in_numpy.get(kernel, kernel.py_func)
    inner = {
        name: uncompiled(value)
        for name in function.__code__.co_names
        if is_jitted(value := function.__globals__.get(name)) or isinstance(value, _Kernel)
    }
    names = {**function.__globals__, **inner}
    return types.FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)


def compile_at_once() -> None:
    """From now on compile every kernel at its first call, as measurements want it that are to last."""
    _Kernel.waits = False


class _Kernel:
    """A kernel that runs uncompiled until its calls would have taken as long as compiling it."""

    waits: ClassVar[bool] = True

    def __init__(self, compiled: Any, to_compile: float, seconds: Callable[..., float]) -> None:
        functools.update_wrapper(self, compiled.py_func)
        self.compiled = compiled
        self.left, self.seconds = to_compile, seconds
        self.looked_up = False
        self._numba_type_ = compiled._numba_type_  # in other kernels it is the compiled one

    def __call__(self, *arguments: Any) -> Any:
        if self.compiled.overloads or self._pays(arguments):
            return self.compiled(*arguments)
        with np.errstate(all="ignore"):
            return _plain(uncompiled(self)(*arguments))

    def _pays(self, arguments: tuple[Any, ...]) -> bool:
        """Whether the kernel is in the cache on disk, or has run uncompiled for long enough."""
        with global_compiler_lock:  # threads may ask for the same kernel, and Numba's tables take one of them at a time
            if not self.looked_up:
                self.looked_up = True
                self._load(arguments)
                self._read_left()
            if self.compiled.overloads:
                return True
        if not self.waits:
            return True
        self.left -= self.seconds(*arguments)
        return self.left < 0.0

    def _read_left(self) -> None:
        """Go on where processes before this one have stopped, and leave word for the next."""
        folder = self.compiled._cache.cache_path
        if folder is None or self.compiled.overloads:
            return
        file = Path(folder, f"{self.__module__}.{self.compiled.py_func.__qualname__}.seconds")
        with suppress(OSError, ValueError):
            self.left = min(self.left, float(file.read_text()))
        atexit.register(self._write_left, file)

    def _write_left(self, file: Path) -> None:
        with suppress(OSError):
            file.write_text(repr(self.left))

    def _load(self, arguments: tuple[Any, ...]) -> None:
        """Load what the cache on disk holds for such arguments, as `Dispatcher.compile` of Numba does."""
        kernel = self.compiled
        signature = tuple(map(kernel.typeof_pyval, arguments))
        found = kernel._cache.load_overload(signature, kernel.targetctx)
        if found is not None:
            kernel.targetctx.insert_user_function(found.entry_point, found.fndesc, [found.library])
            kernel.add_overload(found)


def _plain(value: Any) -> Any:
    """Python's numbers for NumPy's, as compiled kernels return them."""
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    return value.item() if isinstance(value, np.generic) else value


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
