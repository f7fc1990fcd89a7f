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
    """Run every seed in turn and keep the best run, the first on ties.

    Parameters
    ----------
    seeds : iterable
        What the runs start from, at least one.
    run : callable
        ``run(seed)`` is one run.
    better : callable
        Whether a run, the first argument, is better than another.
    deadline : Deadline
        Once it has passed, only the first seed is still run.

    Returns
    -------
    Run

    Raises
    ------
    NotOptimalError
        When the first run found nothing in time, or a later one failed with time left.
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
