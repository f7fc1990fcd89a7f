"""The end of the time that a computation was given.

The clock stops while kernels are compiled: that happens once on a machine, takes many seconds, and is not part of
what a time limit is meant to bound.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np

from .errors import InvalidInputError

_stopped = 0.0  # seconds for which the clock stood still so far


def clock() -> float:
    """Seconds of a clock that never runs backwards, without those in which kernels were compiled."""
    return perf_counter() - _stopped


def stop_clock(seconds: float) -> None:
    """Take these last seconds out of all time limits that are running."""
    global _stopped
    _stopped += seconds


class Deadline:
    """A time limit that starts to run when it is made, and remembers whether it stopped anything."""

    def __init__(self, seconds: float | None) -> None:
        self._started = clock()
        number = isinstance(seconds, (int, float, np.integer, np.floating)) and not isinstance(seconds, bool)
        if seconds is not None and not (number and seconds >= 0):
            raise InvalidInputError(f"time_limit={seconds!r} is not usable: pass seconds, at least 0, or None")
        self.seconds = None if seconds is None else float(seconds)
        self.missed = self.interrupted = False

    @property
    def elapsed(self) -> float:
        """Seconds since the start, on `clock`."""
        return clock() - self._started

    @property
    def left(self) -> float | None:
        """Seconds that are left, at least 0; None without a limit."""
        return None if self.seconds is None else max(0.0, self.seconds - self.elapsed)

    def share(self, part: float) -> Deadline:
        """A deadline of its own for a part of what is left; without an end where this one has none."""
        return Deadline(None if self.left is None else part * self.left)

    def allows(self, seconds: float = 0.0) -> bool:
        """Whether a step that takes about ``seconds`` still fits; a single step of 0 fits until time is up."""
        if self.seconds is None or self.elapsed + seconds < self.seconds:
            return True
        self.missed = True
        return False

    def interrupt(self) -> None:
        """End the time now, since the user wants what there is."""
        self.seconds, self.missed, self.interrupted = 0.0, True, True


UNLIMITED = Deadline(None)  # a deadline without an end
