"""The best of several starts: the one way in which methods that end in local optima are repeated."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from ..base.deadline import UNLIMITED, Deadline
from ..base.errors import NotOptimalError

Seed = TypeVar("Seed")
Run = TypeVar("Run")


def best_start(
    seeds: Iterable[Seed],
    run: Callable[[Seed], Run],
    better: Callable[[Run, Run], bool],
    deadline: Deadline = UNLIMITED,
) -> Run:
    """Run every seed in turn and keep the best run, the first on ties; once time is up, only the first is still run.

    NotOptimalError when the first run found nothing in time, or another one failed with time left.
    """
    first, *others = seeds
    best = run(first)
    for seed in others:
        if not deadline.allows():
            break
        try:
            found = run(seed)
        except NotOptimalError:
            if deadline.allows():
                raise
            break
        if better(found, best):
            best = found
    return best
