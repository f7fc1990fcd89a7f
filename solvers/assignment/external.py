"""What another solver, or a person, answered to an assignment program: read, checked, certified, made a Partition.

We use only the assignment and what the user added to the program; the rest is computed again: bounds are checked,
the objective is recomputed, and prices count where they prove the assignment. Where they do not they come from an
optimum of ours: prices that prove one optimal assignment prove them all.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.checks import as_array, as_floats, as_path, checked_labels, instance_of
from ...base.deadline import Deadline
from ...base.errors import InfeasibleBoundsError, InvalidInputError
from ...base.status import Status
from ...models.certificates.certificate import ROUNDING_LIMIT, Certificate, Split, check_assignment
from ...models.diagram.power_diagram import PowerDiagram
from ...models.objectives.bound import Bound
from ...models.polytope.rows import activities
from ...models.polytope.shares import Shares
from ...models.programs.assignment import AssignmentModel
from ...models.scores.scores import LinearScores
from ..backends.explicit import UNDECIDED, as_labels
from ..partition import Partition
from ..solution import AssignmentSolution
from .answers import Answer, read_answer
from .open_cells import lifted_cells, with_largest_margins
from .solution_files import read_file
from .solve import solve

FEASIBLE = 1e-7  # A row may be violated by this fraction of the largest value it can take.


def read_back(model: AssignmentModel, solved: Any, *, time_limit: float | None = None) -> AssignmentSolution:
    """A checked solution of a model from what became of it elsewhere.

    Parameters
    ----------
    model : AssignmentModel
        What was exported.
    solved : object, path or array_like
        The solved program of `AssignmentModel.to_pyomo`, `to_cvxpy` or `to_highs`, with rows of your own or without;
        labels (n,) or shares (n, k); or a file: labels, one per line, as CSV with a column ``label`` or ``cluster``, or
        as JSON, or the solution file of a solver that names the variables ``assign_J_I`` of `AssignmentModel.write`, or
        ``assign[j,i]`` of `to_pyomo`, and their values (HiGHS, CBC, GLPK, Gurobi, SCIP, CPLEX's XML), or that GLPK
        writes with ``-w``. Variables that a file does not name are zero.
    time_limit : float, optional
        Seconds for the search for a better assignment, where points have to be whole.

    Returns
    -------
    AssignmentSolution
        ``status`` is OPTIMAL exactly when the assignment is proved optimal. Otherwise it is UNKNOWN, ``better`` says by
        how much another assignment is better, the prices are those of an optimum, and ``verify()`` says so too. Where
        points have to be whole, ``bound`` says what is proved, and the prices are those of the relaxation. The model
        has your rows and bounds that are linear in the shares: its ``named_prices`` have them by the name of the
        constraint (Pyomo), its label (cvxpy), or the row's (HiGHS).
        Duals that came along are the prices where they prove the assignment, in our sign; declare Pyomo's suffix
        ``dual`` for that. Where something else was added there are no prices, ``raw_status`` says what, and ``bound``
        is what the linear rows alone prove. Shares of an inexact method are moved to a vertex of equal value.

    Raises
    ------
    InvalidInputError
        When nothing can be read, or it is not a solution of the model.

    Warns
    -----
    UserWarning
        When something was added that is not linear in the shares.

    Notes
    -----
    Exact. O(n k) and a certificate; one solve more where no duals came along that prove the answer.

    Examples
    --------
    >>> from partitope.models import AssignmentModel, PartitionPolytope
    >>> from partitope.solvers import read_back
    >>> model = AssignmentModel(PartitionPolytope(3, [1, 1], [2, 2]), [[3, 0], [2, 0], [1, 0]])
    >>> solution = read_back(model, [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> solution.labels.tolist(), solution.verify().verified
    ([0, 0, 1], True)
    """
    instance_of(model, "model", AssignmentModel)
    answer, shape, deadline = read_answer(model, solved), model.score_source.shape, Deadline(time_limit)
    if answer is None:
        is_file = isinstance(solved, (str, Path))
        tool = as_path(solved).name if is_file else "imported"
        found = read_file(as_path(solved), shape) if is_file else as_array(solved, "solved")
        if found.ndim == 0:
            raise InvalidInputError(
                f"solved is {solved!r}: pass a solved program, a file, labels (n,) or shares (n, k)"
            )
        # what has not the shape of shares is meant as labels, whose own check says what is wrong with them
        if found.shape != shape:
            return _checked(model, checked_labels(found, *shape), (), None, (tool, ""), deadline)
        shares = as_floats(found, "solved")
        # a share that is missing tells another model from one that was solved inexactly
        missing = np.abs(shares.sum(axis=1) - 1.0)
        if not missing.max(initial=0.0) <= 1e-3 or shares.min() < -1e-3:
            j = int(missing.argmax())
            raise InvalidInputError(
                f"{tool} gives point {j} a total share of {shares[j].sum():g}, expected 1: it solves another model"
            )
        answer = Answer(model, np.clip(shares, 0.0, 1.0), tool)
    # whole points have no shares; elsewhere inexact ones are moved to a vertex, which can be proved
    labels: NDArray[np.int64] = answer.shares.argmax(axis=1)
    splits: tuple[Split, ...] = ()
    if not answer.model.polytope.is_discrete:
        labels, splits = as_labels(answer.model, answer.shares)
    given = answer.model, labels, splits
    if not answer.open:
        return _checked(*given, answer.prices, (answer.tool, answer.said), deadline, answer.shares)
    # no price of ours charges for rows that are not linear: only the others bound the value
    said = f"{answer.said}; not linear in the shares, so that nothing is proved: {', '.join(answer.open)}"
    warnings.warn(said, stacklevel=2)
    checked = _checked(*given, None, (answer.tool, said), deadline, answer.shares)
    upper = max(checked.dual_objective, checked.objective)
    return replace(checked, prices=None, further_prices={}, point_duals=None, status=Status.UNKNOWN, better=0.0,
                   bound=Bound(checked.objective, upper, "dual of the linear rows"))  # fmt: skip


def _checked(
    model: AssignmentModel,
    labels: NDArray[np.int64],
    splits: tuple[Split, ...],
    prices: Mapping[str, NDArray[np.float64]] | None,
    native: tuple[str, str],
    deadline: Deadline,
    shares: NDArray[np.float64] | None = None,
) -> AssignmentSolution:
    """The solution with these labels and splits, refused where it breaks the model; prices in either sign are tried."""
    started = perf_counter()
    _refuse_broken(model, labels, splits)

    def stated(status: Status, mu: Any = None, nu: Any = None) -> AssignmentSolution:
        return AssignmentSolution.of(model, labels, splits, mu, status, native[0], (started, started),
                                     native=(native[1], ""), further_prices=nu)  # fmt: skip

    if model.polytope.is_discrete:
        return _beside_whole(stated(Status.UNKNOWN), deadline)
    for sign in (1.0, -1.0):
        signed = {name: sign * price for name, price in (prices or {}).items()}
        if not signed:
            break
        found = stated(Status.OPTIMAL, signed.pop(""), signed)
        if found.verify(tolerance=1e-12).verified:  # prices of an inexact method are replaced
            return found
    best = solve(model)
    found, certificate = _beside(stated(Status.UNKNOWN), best)
    if found.status is not Status.OPTIMAL and shares is not None and certificate.gap <= ROUNDING_LIMIT:
        vertex = _vertex(model, shares)
        if vertex is not None:
            labels, splits = vertex.require_labels(), vertex.splits
            moved, _ = _beside(stated(Status.UNKNOWN), best)
            return moved if moved.status is Status.OPTIMAL else found
    return found


def _beside(solution: AssignmentSolution, best: AssignmentSolution) -> tuple[AssignmentSolution, Certificate]:
    """A solution without prices with those of an optimum of ours, which prove it or say how much better that is."""
    certificate = check_assignment(
        solution.model,
        solution.require_labels(),
        np.asarray(best.prices),
        splits=solution.splits,
        further_prices=best.further_prices,
    )
    found = replace(
        solution, prices=best.prices, further_prices=best.further_prices, dual_objective=certificate.dual_objective
    )
    if certificate.verified:
        return replace(found, status=Status.OPTIMAL), certificate
    return replace(found, better=certificate.gap * certificate.magnitude), certificate


def _beside_whole(solution: AssignmentSolution, deadline: Deadline) -> AssignmentSolution:
    """The same for whole points: the search for a better assignment starts from this one."""
    model, labels = solution.model, solution.require_labels()
    best = solve(model, time_limit=deadline.left, start=labels)
    value, bound = model.value(labels), best.bound
    found, certificate = _beside(replace(solution, objective=value), best)
    assert bound is not None
    better = best.objective - value
    if better <= (certificate.tolerance * certificate.conceded + certificate.allowance) * certificate.magnitude:
        better = 0.0
    status = Status.UNKNOWN if better else best.status
    interval = Bound(max(value, bound.lower), max(value, bound.upper), bound.proof)
    return replace(found, better=better, status=status, bound=interval)


def _vertex(model: AssignmentModel, shares: NDArray[np.float64]) -> AssignmentSolution | None:
    """The best assignment among the pairs that shares (n, k) of an inexact method use, if there is one."""
    used = shares > UNDECIDED
    used[np.arange(len(used)), shares.argmax(axis=1)] = True
    try:
        return solve(replace(model, polytope=model.polytope.allow(used)))
    except InfeasibleBoundsError:
        return None


def _refuse_broken(model: AssignmentModel, labels: NDArray[np.int64], splits: tuple[Split, ...]) -> None:
    """Name what an assignment breaks by more than solvers do: a pair that is barred, a size, a row, a statement."""
    polytope = model.polytope
    barred = None if polytope.allowed is None else np.flatnonzero(~polytope.allowed[np.arange(labels.size), labels])
    if barred is not None and barred.size:
        j = int(barred[0])
        raise InvalidInputError(f"labels puts point {j} into cluster {labels[j]}, where the mask does not allow it")
    stated, shares = polytope.relaxed, Shares.of(labels, splits, polytope.n_clusters)  # closed clusters are empty
    sizes, room = shares.sizes(polytope.weights, polytope.n_clusters), FEASIBLE * polytope.total * bool(splits)
    reached = activities(stated.further, shares, stated.n_clusters)
    for rows in stated.all_rows:
        further = rows.name in reached
        value, slack = (reached[rows.name], FEASIBLE * rows.extent()) if further else (sizes, max(polytope.slack, room))
        broken = np.flatnonzero((value < rows.lower - slack) | (value > rows.upper + slack))
        if broken.size:
            q = int(broken[0])
            what = f"{rows.name}[{rows.index[q]}] a value" if further else f"cluster {q} a size"
            raise InvalidInputError(
                f"labels gives {what} of {value[q]:g}, expected {rows.lower[q]:g} to {rows.upper[q]:g}: this is not a "
                f"solution of the model"
            )
    if (splits and polytope.is_discrete) or (not splits and not polytope.contains(labels)):
        said = [] if splits else [constraint.violation(labels, polytope) for constraint in polytope.statements]
        what = next(filter(None, said), "whole points, groups together or the number and sizes of open clusters")
        raise InvalidInputError(f"labels keeps the bounds, but not {what}: this is not a solution of the model")


def partition_of(solution: AssignmentSolution) -> Partition:
    """The Partition of a solution: sizes, certificate, and cells where the model has sites; those of points with their
    attributes where there are side constraints, and the relaxation's for whole points."""
    instance_of(solution, "solution", AssignmentSolution)
    model, labels, sign = solution.model, solution.require_labels(), -1.0 if solution.model.minimised else 1.0
    polytope, source, prices, diagram, lifted = model.polytope, model.score_source, solution.prices, None, None
    proved = prices is not None and not solution.better
    if prices is not None and proved and isinstance(source, LinearScores) and model.kind and model.sites is not None:
        if polytope.relaxed.is_plain:
            diagram = PowerDiagram(model.sites, prices, model.kind, source.origin)
        else:  # of points and attributes
            lifted = lifted_cells(polytope, source, model.sites, model.kind, prices, solution.further_prices)
            if not polytope.is_discrete:
                lifted = with_largest_margins(lifted, solution)
            if lifted.embedding is None:
                diagram, lifted = lifted.diagram, None
    return Partition(
        labels=labels,
        sizes=model.polytope.sizes(labels),
        objective=model.cost(labels) if model.kind == "lsa" else sign * solution.objective,
        certificate=None if solution.prices is None else solution.verify(),
        power_diagram=diagram,
        embedded_cells=lifted,
        prices=solution.named_prices if proved else {},
        n_iter=1,
        seconds=solution.seconds,
        status=solution.status,
        splits=solution.splits,
        sense="min" if model.has_cost else "max",
    )
