"""What cannot be used is refused by name, where the examples of the documentation do not come by."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from partitope.base.errors import InvalidInputError
from partitope.models import AssignmentModel, LeastSquaresSDP, PartitionPolytope
from partitope.models.programs.price_programs import PriceProgram
from partitope.solvers import (
    KCC,
    GeometricPartitioner,
    bounds_path,
    is_separable,
    read_back,
    sensitivity,
    solution_from_labels,
    solve,
    solve_global,
)
from partitope.solvers.assignment.external import partition_of
from partitope.solvers.assignment.price_intervals import price_intervals
from partitope.solvers.geometric.recorded import recorded_k_means
from partitope.solvers.global_optimum.sdp import sdp_relaxation
from partitope.solvers.linear_program import solve_linear
from partitope.solvers.starts import fit_starts

X = np.array([[0.0], [1.0], [5.0], [6.0]])
POLYTOPE = PartitionPolytope(4, 1, 3, n_clusters=2)
MODEL = AssignmentModel.lsa(X, [[0.0], [6.0]], POLYTOPE)
SHARED = AssignmentModel.lsa(X, [[0.0], [6.0]], POLYTOPE.share([True, False, True, False], 0.2, 0.8, name="share"))
PROGRAM = PriceProgram(MODEL).linear_program
CUBE = np.zeros((2, 2, 2))

REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "solution of partition_of": (lambda: partition_of(3), "solution is 3, expected an AssignmentSolution"),
    "solution of price_intervals": (lambda: price_intervals(None), "solution is None"),
    "solution of sensitivity": (lambda: sensitivity(MODEL), "solution is an AssignmentModel"),
    "bounds": (lambda: sensitivity(solve(MODEL), bounds=["low"]), "bounds='low' is not known"),
    "names": (lambda: sensitivity(solve(MODEL), names="area"), "names hold 'area'"),
    "solved": (lambda: read_back(MODEL, 3), "solved is 3: pass a solved program"),
    "splits": (lambda: solution_from_labels(MODEL, [0, 0, 1, 1], splits=((9, 0, 0.5),)), "splits=.* is not usable"),
    "splits alone": (lambda: solution_from_labels(MODEL, [0, 0, 1, 1], splits=None), "splits is None"),
    "names of plain prices": (lambda: solve(MODEL, warm_start={}), "warm_start holds no numbers"),
    "prices by name": (lambda: solve(SHARED, warm_start={"share": [1.0]}), r"warm_start\['share'\] has shape \(1,\)"),
    "backend": (lambda: solve(MODEL, CUBE), "backend is an ndarray, expected a str"),
    "method of HiGHS": (lambda: solve(MODEL, "highs", method=CUBE), "method=.* is not known"),
    "threads": (lambda: solve(MODEL, "highs", threads="two"), "threads='two' is not usable"),
    "option": (lambda: solve_linear(PROGRAM, {"solver": CUBE}), "options.*is not usable"),
    "deadline": (lambda: solve_linear(PROGRAM, deadline=3.0), "deadline is 3.0, expected a Deadline"),
    "parameter": (lambda: bounds_path(MODEL, "lower")("x"), "parameter holds no numbers"),
    "slack": (lambda: bounds_path(MODEL, "size", [0.0, 1.0], exact=True)("x"), "slack holds no numbers"),
    "gap": (lambda: solve_global(X, POLYTOPE, gap="x"), "gap='x' is not usable"),
    "rounds": (lambda: sdp_relaxation(LeastSquaresSDP(X, POLYTOPE), max_rounds=1.5), "max_rounds=1.5 is not usable"),
    "progress": (lambda: sdp_relaxation(LeastSquaresSDP(X, POLYTOPE), progress=3), "progress=3 is not usable"),
    "seed": (lambda: solve_global(X, POLYTOPE, random_state=-1), "random_state=-1 is not usable"),
    "labels": (lambda: is_separable(X, [[0], [1, 2]]), "labels holds rows of different lengths"),
    "max_iter": (lambda: recorded_k_means(X, 2, max_iter=0), "max_iter=0 is not usable"),
    "processes": (lambda: GeometricPartitioner(2, n_jobs="all").fit(X), "n_jobs='all' is not usable"),
    "processes of starts": (lambda: fit_starts([], X, None, n_jobs=0), "n_jobs=0 is not usable"),
    "first sites": (lambda: GeometricPartitioner(2, init=[[1.0], [2.0, 3.0]]).fit(X), "init holds no numbers"),
    "tol": (lambda: KCC(2, tol=None).fit(X, covariates=[0, 1, 0, 1]), "tol=None is not usable"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_arguments_that_cannot_be_used_are_refused_by_name(case: str) -> None:
    call, message = REFUSED[case]
    with pytest.raises(InvalidInputError, match=message):
        call()


def test_prices_by_name_start_a_model_with_a_mask() -> None:
    allowed = np.array([[True, True], [True, True], [True, True], [False, True]])
    model = AssignmentModel.lsa(X, [[0.0], [6.0]], PartitionPolytope(4, 2, 2, allowed=allowed, n_clusters=2))
    cold = solve(model, "restricted")
    warm = solve(model, "restricted", warm_start=cold.named_prices)
    assert warm.labels.tolist() == cold.labels.tolist() == [0, 0, 1, 1]
    assert warm.verify().verified
