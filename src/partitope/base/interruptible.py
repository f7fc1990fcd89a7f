"""Calls of compiled code that return late, made so that Ctrl-C ends them.

Python hears a signal in its main thread alone, and only between two of its instructions. So a call from there is made
by a thread that waits for calls; one thread serves all of them, since HiGHS sets up its own anew for every caller.
Calls from other threads are made as they are: signals never reach these.
"""

from __future__ import annotations

import os
from _thread import allocate_lock
from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread, current_thread, main_thread
from typing import TypeVar, cast

T = TypeVar("T")
LOOK = 0.1  # Seconds between two looks at signals, which may not reach a waiting thread.
Call = tuple[Callable[[], object], list[object], list[BaseException], Callable[[], object]]
_calls: SimpleQueue[Call] | None = None


def interruptible(call: Callable[[], T], cancel: Callable[[], object] = lambda: None) -> T:
    """What the call returns or raises. On KeyboardInterrupt ``cancel`` asks the call to end; one that has not done so
    within a second goes on alone."""
    global _calls
    if current_thread() is not main_thread():
        return call()
    if _calls is None:
        _calls = SimpleQueue()
        Thread(target=_serve, args=(_calls,), daemon=True, name="partitope-calls").start()
    returned: list[object] = []
    raised: list[BaseException] = []
    done = allocate_lock()  # the lightest signal there is: small programs are solved thousands of times
    done.acquire()
    try:
        _calls.put((call, returned, raised, done.release))
        while not done.acquire(timeout=LOOK):
            pass
    except BaseException:
        cancel()
        if not done.acquire(timeout=10 * LOOK):
            _calls = None  # the next call has a thread of its own
        raise
    if raised:
        raise raised[0]
    return cast(T, returned[0])


def _serve(calls: SimpleQueue[Call]) -> None:
    """Make one call after the other."""
    while True:
        call, returned, raised, done = calls.get()
        try:
            returned.append(call())
        except BaseException as error:
            raised.append(error)
        del call, returned, raised  # the thread waits without keeping a solver alive
        done()


def _forget() -> None:
    """A forked process has none of its parent's threads."""
    global _calls
    _calls = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
