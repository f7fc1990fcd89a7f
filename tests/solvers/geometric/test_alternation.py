"""The alternation, the best of several starts, and bounded k-means: what they keep, refuse, and when they stop."""

from __future__ import annotations

import numpy as np
import pytest

from partitope.base.deadline import Deadline
from partitope.base.errors import InfeasibleBoundsError, NotOptimalError
from partitope.base.status import Status
from partitope.models import PartitionPolytope
from partitope.solvers.assignment.rounding import assign_with_given
from partitope.solvers.best_start import best_start
from partitope.solvers.geometric.alternation import alternate


class Reoptimisation:
    """Assignments are numbers read from a list; every one is its own value, and sites count the steps."""

    def __init__(self, values, monotone=True):
        self.values, self.monotone = values, monotone

    def assign(self, sites, before):
        if self.values[sites] is None:
            raise NotOptimalError("no time for an assignment")
        return self.values[sites]

    def update(self, step, sites):
        return step, sites + 1

    def better(self, new, old):
        return new > old


def out_of_time():
    return Deadline(0.0)


@pytest.mark.parametrize(("monotone", "step", "sites"), [(True, 5, 3), (False, 7, 2)])
def test_the_last_step_is_kept_only_where_no_step_can_lose(monotone, step, sites):
    run = alternate(Reoptimisation([1, 4, 7, 5, 9], monotone), 0, 10)
    assert (run.history, run.value, run.status) == ([1, 4, 7], 7, Status.CONVERGED)
    assert (run.step, run.sites) == (step, sites)


def test_an_alternation_stops_at_its_limits():
    run = alternate(Reoptimisation([1, 2, 3, 4]), 0, 2)
    assert (run.step, run.sites, run.status) == (2, 1, Status.ITERATION_LIMIT)
    run = alternate(Reoptimisation([1, 2, 3, 4]), 0, 4, out_of_time())
    assert (run.step, run.history, run.status) == (1, [1], Status.TIME_LIMIT)


def test_a_step_that_fails_ends_a_run_only_for_want_of_time():
    class Slow(Reoptimisation):
        """Time is up while the second assignment is computed."""

        def assign(self, sites, before):
            if sites == 1:
                deadline.seconds = 0.0
            return super().assign(sites, before)

    deadline = Deadline(1e9)
    run = alternate(Slow([1, None]), 0, 5, deadline)
    assert (run.history, run.step, run.status) == ([1], 1, Status.TIME_LIMIT)
    with pytest.raises(NotOptimalError):
        alternate(Reoptimisation([1, None]), 0, 5)
    with pytest.raises(NotOptimalError):
        alternate(Reoptimisation([None]), 0, 5, out_of_time())


def test_the_best_start_is_the_first_of_equal_ones():
    runs = []

    def run(seed):
        runs.append(seed)
        return seed // 10, seed

    def better(new, old):
        return new[0] > old[0]

    assert best_start([11, 25, 21, 13], run, better) == (2, 25)
    assert runs == [11, 25, 21, 13]
    assert best_start([11, 25], run, better, out_of_time()) == (1, 11)


def test_a_start_that_fails_is_an_error_while_there_is_time():
    def run(seed):
        if seed == 2:
            deadline.seconds = limit
            raise NotOptimalError("nothing found")
        return seed

    deadline, limit = Deadline(1e9), 0.0
    assert best_start([1, 2, 3], run, int.__gt__, deadline) == 1
    deadline, limit = Deadline(1e9), 1e9
    with pytest.raises(NotOptimalError):
        best_start([1, 2, 3], run, int.__gt__, deadline)
    with pytest.raises(NotOptimalError):
        best_start([2], run, int.__gt__)


def test_given_labels_stay_and_the_others_do_their_best():
    scores = np.array([[3.0, 0.0], [2.0, 0.0], [1.0, 0.0], [0.0, 5.0]])
    given = np.array([-1, -1, -1, 0])
    labels, certificate = assign_with_given(scores, given, PartitionPolytope(4, 0, 2, n_clusters=2))
    assert labels.tolist() == [0, 1, 1, 0]
    assert certificate.verified
    labels, certificate = assign_with_given(scores, given, PartitionPolytope(4, n_clusters=2))
    assert labels.tolist() == [0, 0, 0, 0]
    assert certificate is None
    with pytest.raises(InfeasibleBoundsError, match="2 rows carry the label of cluster 0, whose bounds are"):
        assign_with_given(scores, np.array([0, 0, -1, -1]), PartitionPolytope(4, 0, [1, 4]))


def test_bounds_of_a_part_are_exact_products():
    whole = PartitionPolytope(30, [3, 10, 0], [10, 20, 30])
    third = whole.scaled_to(10)
    assert (third.lower.tolist(), third.upper.tolist()) == ([1, 3, 0], [4, 7, 10])
    assert (whole.scaled_to(30).lower == whole.lower).all()
    assert PartitionPolytope.within(10, 4).describe() == "2 to 3"
    weighted = PartitionPolytope(2, [1.0, 0.0], np.inf, weights=[3.0, 5.0])
    assert weighted.scaled_to(16).lower.tolist() == [2.0, 0.0]
    assert weighted.scaled_to(16).upper.tolist() == [16.0, 16.0]
