"""HiGHS keeps the number of threads of its first program for the process: ours follow any other one."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import highspy
import numpy as np

from partitope.base.deadline import Deadline
from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers import solve
from partitope.solvers.assignment.sensitivity import sensitivity
from partitope.solvers.global_optimum.low_dimension.columns import column_bound

another = highspy.Highs()
another.setOptionValue("output_flag", False)
another.setOptionValue("threads", 2)
another.passModel(highspy.HighsLp())
x = another.addVariable(0, 1)
assert another.maximize(x) == highspy.HighsStatus.kOk

X = np.random.default_rng(0).normal(size=(24, 2))
polytope = PartitionPolytope(24, 7, 9, n_clusters=3)
model = AssignmentModel.lsa(X, X[:3], polytope)
values = [solve(model, name).objective for name in ("transport", "boxstep", "highs", "cvxpy", "pyomo")]
assert np.ptp(values) <= 1e-6 * abs(values[0]), values
sensitivity(solve(model))
assert column_bound(X, polytope, 1e3, deadline=Deadline(None)) > 0
print("solved")
"""


@pytest.mark.full
def test_programs_are_solved_whatever_number_of_threads_another_one_took():
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert run.stdout.splitlines()[-1:] == ["solved"], run.stderr
