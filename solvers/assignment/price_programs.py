"""Prices from linear programs of their own: what `partitope.models.programs.price_programs` states, solved."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...base.checks import instance_of
from ...base.errors import InvalidInputError
from ...models.programs.price_programs import MarginProgram, PriceProgram
from ..linear_program import solve_linear


def optimal_prices(program: PriceProgram) -> tuple[NDArray[np.float64], float]:
    """Optimal prices mu (k,) of an assignment program and the dual value, by HiGHS on the explicit dual.

    Parameters
    ----------
    program : PriceProgram
        The dual program.

    Raises
    ------
    InvalidInputError
        When it is no such program.
    InfeasibleBoundsError
        When no assignment exists.
    NotOptimalError
        When HiGHS does not end with an optimum.

    Examples
    --------
    >>> from partitope.models import AssignmentModel, PartitionPolytope
    >>> from partitope.models.programs.price_programs import PriceProgram
    >>> from partitope.solvers.assignment.price_programs import optimal_prices
    >>> model = AssignmentModel(PartitionPolytope(3, [1, 1], [2, 2]), [[3, 0], [2, 0], [1, 0]])
    >>> round(optimal_prices(PriceProgram(model))[1], 9)
    5.0
    """
    instance_of(program, "program", PriceProgram)
    answer = solve_linear(program.linear_program)
    return program.prices(answer.require_optimum("the dual program")), answer.value


def largest_margin_prices(program: MarginProgram) -> tuple[NDArray[np.float64], float]:
    """Prices (m,) that sum to zero, and the distance from a wall that every point keeps in units of X, by HiGHS.

    Parameters
    ----------
    program : MarginProgram
        The program of largest margin.

    Raises
    ------
    InvalidInputError
        When it is no such program, or no prices exist: the clustering is not optimal for these sites.
    NotOptimalError
        When HiGHS does not end with an optimum, or the margin is unbounded, as with a single cluster.

    Examples
    --------
    >>> from partitope.models.programs.price_programs import MarginProgram
    >>> from partitope.solvers.assignment.price_programs import largest_margin_prices
    >>> program = MarginProgram.of([[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1], [[0.0], [6.0]], "lsa")
    >>> round(largest_margin_prices(program)[1], 9)
    2.0
    """
    instance_of(program, "program", MarginProgram)
    answer = solve_linear(program.linear_program)
    if answer.status == "kInfeasible":
        raise InvalidInputError(
            "the program of largest margin has no solution: the clustering is not optimal for these sites; "
            "ExchangeGraph names the exchange that improves it, is_separable looks for other sites"
        )
    return answer.require_optimum("the program of largest margin")[:-1], -answer.value
