"""The search under programs in whole numbers: some pairs at a time, until reduced costs prove that these are enough.

    min  sum_p c_p x_p      over x in {0, 1}^P within rows; p are pairs such as (point, cluster) or (point, site)

1. A relaxation gives a bound L and reduced costs r_p >= 0: no answer that uses the pair p costs less than L + r_p.
2. The pairs of least reduced cost are free, the others are left out or stay as they are, and branch and bound (HiGHS)
   solves this restricted program. While it is infeasible more pairs become free.
3. An answer of value V proves that no better one uses a pair with r_p > V - L (reduced-cost fixing). When all other
   pairs are free, the restricted program is the program, and its tree bounds the optimum. Otherwise more pairs become
   free, and V falls.
4. An answer that breaks what the rows do not say (connected clusters, a user's constraint) is cut off by new rows,
   and the program is solved again.

It ends: the set of free pairs grows until it holds all that (3) leaves, and there are finitely many cuts.

References
----------
Crowder, Johnson and Padberg (1983), Solving large-scale zero-one linear programming problems, Operations Research 31,
for reduced-cost fixing; Wolsey (2020), Integer Programming, 2nd ed., chapters 7 and 12.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.deadline import Deadline
from ..base.status import Status
from ..models.programs.program import TOLERANCE, TOLERANCES, Program
from .linear_program import LinearAnswer, solve_linear

WIDER = 4  # Factor by which the number of free pairs grows from program to program.


class Reading(Enum):
    """What became of a point that HiGHS found."""

    BETTER = "it is the best answer now"
    NOTHING = "it is not an answer, or not a better one"
    CUT_OFF = "it breaks the cuts found so far"


class Restricted(NamedTuple):
    """A program over some of the pairs."""

    program: Program
    start: NDArray[np.float64] | None  # (c,): Columns of the best answer.
    scale: float  # Scale to which HiGHS's tolerances are relative.
    near: float | None = None  # A value near the optimum, if the scale is such a value.
    gap: float | None = None  # Gap at which the tree may stop.


class RestrictedSearch(ABC):
    """The loop of the module's head; a subclass says what pairs, programs and answers are."""

    open = np.inf  # by how much an answer better than the best one could be better
    patience = 0  # rounds of cuts, where nodes are limited; by default 1 where an answer is known, else one per node

    def __init__(self, deadline: Deadline, nodes: int | None = None) -> None:
        self.deadline, self.nodes = deadline, nodes  # nodes of every search tree: of a step that has to be quick
        self.status, self.word, self.explored = Status.TIME_LIMIT, "", 0

    @property
    @abstractmethod
    def has_answer(self) -> bool:
        """Whether an answer is known."""

    @property
    @abstractmethod
    def is_proved(self) -> bool:
        """Whether the best answer is proved to be the best, to within the gap asked for."""

    @abstractmethod
    def needed(self) -> int:
        """How many pairs a better answer could use (3)."""

    @abstractmethod
    def restricted(self, count: int) -> Restricted:
        """The program over this many pairs of least reduced cost."""

    @abstractmethod
    def read(self, columns: NDArray[np.float64]) -> Reading:
        """Take what HiGHS found for the last restricted program, where it is an answer, and better."""

    @abstractmethod
    def close(self, bound: float, part: Restricted) -> None:
        """Use a bound on all answers, in the costs of the last restricted program, if it improves the current one."""

    @abstractmethod
    def infeasible(self) -> Exception:
        """Reason why there is no answer."""

    def run(self, first: int, largest: float = np.inf) -> None:
        """Search from this many free pairs on; not where more than the ``largest`` number of pairs is needed."""
        count, rounds = first, 0
        while not self.is_proved:
            needed = self.needed()
            if needed > largest:
                return
            count = min(count, needed)
            part, is_last = self.restricted(count), count == needed
            answer = self.solved(part, is_last)
            if answer.outcome is Status.INFEASIBLE and not self.has_answer:
                raise self.infeasible()  # of the whole program, with a reason
            if answer.outcome is Status.NUMERICAL and answer.columns is None and not self.has_answer and not is_last:
                if self.nodes is not None and count >= WIDER**3 * first:
                    return  # a fit goes on with divided points, rather than search for long
                count *= WIDER
                continue
            reading = Reading.NOTHING if answer.columns is None else self.read(answer.columns)
            if is_last and np.isfinite(answer.bound):  # also of a program without some cuts
                self.close(answer.bound, part)
            if reading is Reading.CUT_OFF:
                rounds += 1
                most = np.inf if self.nodes is None else self.patience or (1 if self.has_answer else self.nodes)
                if not self.deadline.allows() or rounds >= most:
                    return
                continue
            if is_last:
                self.status = answer.outcome
                # a better answer leaves fewer pairs and smaller numbers: once more where that says something new
                ended = answer.outcome is not Status.OPTIMAL or reading is Reading.NOTHING or self.is_proved
                if ended or self.restricted(self.needed()).scale > 0.5 * part.scale:
                    small = (part.gap or 0.0) + 2.0 * TOLERANCE * part.scale * part.program.cost.size
                    if answer.outcome is Status.OPTIMAL and not self.open <= small:
                        self.status = Status.NUMERICAL
                    break
            elif not self.deadline.allows():
                return
            elif self.nodes is not None and self.has_answer and count >= WIDER * first:
                return  # two programs: more take minutes where clusters are small, and improve a fit by 1e-5
            count *= WIDER
        if self.is_proved:
            self.status = Status.OPTIMAL

    def solved(self, part: Restricted, is_last: bool) -> LinearAnswer:
        """HiGHS's answer to a restricted program; that nothing is feasible has a reason where it is the whole one."""
        deadline = self.deadline if is_last else self.deadline.share(0.5)
        options = TOLERANCES if self.nodes is None else TOLERANCES | {"mip_max_nodes": self.nodes}
        answer = solve_linear(part.program, options, deadline, part.start, part.near, part.gap, is_last)
        self.word, self.explored = answer.status, self.explored + answer.steps["mip"]
        return answer
