"""A cascade of bounds: methods in the order in which they are tried, and what is known so far.

A method that applies gets its share of the time left, unless the gap is closed. What it finds and proves goes to one
`Known` at once, and not at its end: so nothing is lost where the time or the user ends it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...base.messages import at_most
from ...models.objectives.bound import Bound
from .problem import GlobalProblem

LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class BoundMethod:
    """A way to bound a problem: what its proof is called, where it applies, what it does, and its share of the time.

    What is done returns whether nothing is left to be found."""

    name: str
    applies: Callable[[GlobalProblem], bool]
    run: Callable[[Known, Deadline], bool | None]
    share: float = 1.0


@dataclass(eq=False)
class Known:
    """The best clustering found and the bound on the optimum, how both came about, and what proved the bound."""

    problem: GlobalProblem
    labels: NDArray[np.int64]
    limit: float = field(init=False)
    method: BoundMethod | None = None  # Method that proved the limit.
    proof: str = field(init=False)  # Description of the proof in words.
    unbounded: float | None = None  # Best value without lower bounds on sizes, where the proof leaves them out.
    log: list[tuple[float, float, float]] = field(default_factory=list)  # Value, limit and seconds after every method.

    def __post_init__(self) -> None:
        self.limit, self.value = self.problem.trivial, self.problem.value(self.labels)
        self.proof = "the sign of squares" if self.problem.sign > 0 else "the triangle inequality"
        self._told = -np.inf

    @property
    def bound(self) -> Bound:
        """The interval between a clustering's value and what no clustering can be better than."""
        value, limit = self.value, float(self.limit)
        if self.problem.sign > 0:
            return Bound(min(value, limit), value, self.proof, self.unbounded)
        return Bound(value, max(value, limit), self.proof, self.unbounded)

    @property
    def closed(self) -> bool:
        """Whether the gap asked for is reached."""
        return self.bound.gap <= self.problem.gap

    @property
    def history(self) -> dict[str, NDArray[np.float64]]:
        """Value, bound and seconds over time."""
        return dict(zip(("objective", "bound", "seconds"), np.array(self.log).reshape(-1, 3).T))

    def offer(self, labels: NDArray[np.int64] | None) -> None:
        """Take labels that are better and allowed."""
        if labels is not None and self.problem.allows(labels):
            value = self.problem.value(labels)
            if self.problem.sign * (self.value - value) > 0:
                self.labels, self.value = labels, value

    def prove(self, limit: float, method: BoundMethod, proof: str = "", unbounded: float | None = None) -> None:
        """No clustering is better than the limit, as a method proves."""
        problem, sign = self.problem, self.problem.sign
        if self.method is None or sign * (limit - self.limit) > 0:
            self.limit, self.method, self.proof, self.unbounded = limit, method, proof or method.name, unbounded
        seconds = problem.deadline.elapsed
        self.log.append((self.value, self.limit, seconds))
        if seconds > self._told + 1.0:  # at most one line per second
            self._told = seconds
            LOGGER.info("%.0f s: at most %s %% better, by %s", seconds, at_most(100.0 * self.bound.gap), self.proof)
        if problem.progress is not None:
            problem.progress(float(self.limit), seconds)


def run(known: Known, methods: Sequence[BoundMethod]) -> None:
    """Try methods until the gap is closed; an interrupt from the keyboard ends the last one, what is known stays."""
    problem = known.problem
    plan = [method for method in methods if method.applies(problem)]
    words = (f"{m.name} (at most {m.share:.0%} of the time left)" if m.share < 1.0 else m.name for m in plan)
    LOGGER.info("bounds by %s", ", then ".join(words))
    try:
        for method in plan:
            left = problem.deadline if method.share == 1.0 else problem.deadline.share(method.share)
            if known.closed or method.run(known, left):
                break
    except KeyboardInterrupt:
        problem.deadline.interrupt()
