"""The alternation of geometric methods: assign the points to sites, move the sites, until nothing improves."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from ...base.deadline import UNLIMITED, Deadline
from ...base.errors import NotOptimalError
from ...base.status import Status

LOGGER = logging.getLogger(__name__)
Sites = TypeVar("Sites")
Step = TypeVar("Step")
Value = TypeVar("Value")


class AlternatingProblem(Protocol[Sites, Step, Value]):
    """What is alternated."""

    @property
    def monotone(self) -> bool:
        """Whether no step makes the value worse, so that of two steps of one value the later is kept."""

    def assign(self, sites: Sites, before: Step | None) -> Step:
        """Step (1): the points assigned to fixed sites; the step before may serve as a start."""

    def update(self, step: Step, sites: Sites) -> tuple[Value, Sites]:
        """Step (2): what the assignment to the ``sites`` is worth, and the sites that follow from it."""

    def better(self, new: Value, old: Value) -> bool:
        """Whether a value is better than another by more than rounding."""


@dataclass(frozen=True, eq=False)
class Alternation(Generic[Sites, Step, Value]):
    """One run: the last assignment, and the sites that it was made for."""

    step: Step
    sites: Sites
    history: list[Value]  # Values of the exact steps that improved the best one.
    status: Status  # Why it stopped.
    approach: int = 0  # Inexact steps before the first exact one.

    @property
    def value(self) -> Value:
        """The value that was reached."""
        return self.history[-1]


def alternate(
    problem: AlternatingProblem[Sites, Step, Value],
    sites: Sites,
    max_iter: int,
    deadline: Deadline = UNLIMITED,
    settled: Callable[[Sites, Sites], bool] | None = None,
    before: Step | None = None,
) -> Alternation[Sites, Step, Value]:
    """Alternate (1) and (2), with 1 to ``max_iter`` assignments, until the value stops improving, time is up, or
    ``settled`` finds that sites hardly move. The first assignment starts from the step ``before`` it, if any.
    NotOptimalError if the first assignment fails, or another one with time left."""
    history: list[Value] = []
    kept: tuple[Step, Sites] | None = None
    status = Status.ITERATION_LIMIT
    for _ in range(max_iter):
        try:
            step = problem.assign(sites, before if kept is None else kept[0])
        except NotOptimalError:
            if kept is None or deadline.allows():
                raise
            status = Status.TIME_LIMIT
            break
        value, following = problem.update(step, sites)
        improved = not history or problem.better(value, history[-1])
        if improved:
            history.append(value)
            LOGGER.debug("step %d: objective %s", len(history), value)
        if improved or problem.monotone:
            kept = step, sites
        close = settled is not None and settled(sites, following)
        if not improved or close or not deadline.allows():
            status = Status.CONVERGED if deadline.allows() else Status.TIME_LIMIT
            break
        sites = following
    assert kept is not None
    return Alternation(*kept, history, status)
