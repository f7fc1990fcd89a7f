"""What another solver, or a person, answered to an assignment program: read, checked, certified, made a Partition.

Nothing of the answer is believed but the assignment itself: the bounds are checked, the objective is recomputed,
and prices come from the exchange graph (see `certificates/exchange.py`), where they exist exactly when the
assignment is optimal. With several size dimensions, shares or rows of one's own they come from an optimum of ours:
prices that prove one optimal assignment prove them all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import as_path, checked_labels, instance_of
from ...base.errors import InvalidInputError
from ...base.status import Status
from ...models.certificates.certificate import Split, check_assignment
from ...models.certificates.priced_out_rows import activities
from ...models.diagram.power_diagram import PowerDiagram
from ...models.polytope.shares import Shares
from ...models.programs.assignment import AssignmentModel
from ...models.scores.scores import LinearScores
from ..backends.explicit import as_labels, exchange_prices
from ..partition import Partition
from ..solution import AssignmentSolution
from .solve import solve

FEASIBLE = 1e-7  # of what a row can reach
_NAME = re.compile(r"assign[\[(_](\d+)[,_]\s*(\d+)[\])]?")
_WRAPPED = re.compile(r"(?m)^(\s*\d+ assign_\d+_\d+)\n\s+")  # GLPK's report: the values of long names follow below
_NUMBERED = re.compile(r"(?m)^j (\d+)(?: [a-z])? (\S+).*$")  # GLPK's raw file: columns by number, from 1
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def solution_from_labels(
    model: AssignmentModel, labels: ArrayLike, *, splits: tuple[Split, ...] = (), backend: str = "imported"
) -> AssignmentSolution:
    """A checked solution of a model from a clustering that came from elsewhere.

    Parameters
    ----------
    model : AssignmentModel
        The linear program.
    labels : (n,) array_like of int
        Cluster of every point.
    splits : tuple of (point, cluster, share)
        Shares of split points, weighted models only.
    backend : str
        Name under which the solution goes.

    Returns
    -------
    AssignmentSolution
        ``status`` is OPTIMAL exactly when the assignment is optimal. Otherwise it is UNKNOWN, ``better`` says by how
        much an optimum is better, the prices are those of the optimum, and ``verify()`` says so too.

    Raises
    ------
    InvalidInputError
        When the labels or splits do not fit the model or violate its size bounds, its further rows or its mask.
    """
    instance_of(model, "model", AssignmentModel)
    started, polytope = perf_counter(), model.polytope
    y = checked_labels(labels, polytope.n_points, polytope.n_clusters)
    instance_of(splits, "splits", Sequence, "pass a (point, cluster, share) for each")
    if not np.isfinite(Shares.of(y, splits, polytope.n_clusters).violation):
        raise InvalidInputError(f"splits={splits!r} is not usable: pass a (point, cluster, share) for each")
    barred = None if polytope.allowed is None else np.flatnonzero(~polytope.allowed[np.arange(y.size), y])
    if barred is not None and barred.size:
        j = int(barred[0])
        raise InvalidInputError(f"labels puts point {j} into cluster {y[j]}, where the mask does not allow it")
    if polytope.further:
        _refuse_broken_rows(model, y, splits)
    if not splits and not polytope.contains(y):
        sizes = polytope.sizes(y)
        i = int(np.argmax(np.maximum(polytope.lower - sizes, sizes - polytope.upper)))
        raise InvalidInputError(
            f"labels gives cluster {i} a size of {sizes[i]:g}, expected {polytope.lower[i]:g} to "
            f"{polytope.upper[i]:g}: this is no solution of the model"
        )
    prices = None if polytope.further else exchange_prices(model, y, None, splits)
    timing = started, started
    if prices is not None:
        found = AssignmentSolution.of(model, y, splits, prices, Status.OPTIMAL, backend, timing)
        if found.verify().verified:
            return found
    return _beside_an_optimum(AssignmentSolution.of(model, y, splits, None, Status.UNKNOWN, backend, timing))


def _beside_an_optimum(solution: AssignmentSolution) -> AssignmentSolution:
    """A solution without prices with those of an optimum of ours, which prove it or say how much better that is."""
    model, labels, splits = solution.model, solution.require_labels(), solution.splits
    best = solve(model)
    certificate = check_assignment(
        model, labels, np.asarray(best.prices), splits=splits, further_prices=best.further_prices
    )
    found = replace(
        solution, prices=best.prices, further_prices=best.further_prices, dual_objective=certificate.dual_objective
    )
    if certificate.verified:
        return replace(found, status=Status.OPTIMAL)
    return replace(found, better=certificate.gap * certificate.magnitude)


def _refuse_broken_rows(model: AssignmentModel, labels: NDArray[np.int64], splits: tuple[Split, ...]) -> None:
    """Name a further row that an assignment breaks by more than solvers do."""
    polytope = model.polytope
    reached = activities(polytope, Shares.of(labels, splits, polytope.n_clusters))
    for rows in polytope.further:
        value, room = reached[rows.name], FEASIBLE * np.maximum(rows.extent(), 1e-300)
        broken = np.flatnonzero((value < rows.lower - room) | (value > rows.upper + room))
        if broken.size:
            q = int(broken[0])
            raise InvalidInputError(
                f"labels gives {rows.name}[{rows.index[q]}] a value of {value[q]:g}, expected {rows.lower[q]:g} to "
                f"{rows.upper[q]:g}: this is no solution of the model"
            )


def read_solution(model: AssignmentModel, path: str | Path) -> AssignmentSolution:
    """A checked solution of a model from a file.

    Parameters
    ----------
    model : AssignmentModel
        What was exported.
    path : str or Path
        Labels, one a line, as CSV with a column ``label`` or ``cluster``, or as JSON; or the solution file of a
        solver that names the variables ``assign_J_I`` of `AssignmentModel.write`, or ``assign[j,i]`` of `to_pyomo`,
        and their values (HiGHS, CBC, GLPK, Gurobi, SCIP, CPLEX's XML), or that GLPK writes with ``-w``. Variables
        that are not named are zero.

    Returns
    -------
    AssignmentSolution
        As `solution_from_labels` says. Shares that are not whole are rounded to a vertex of the polytope; with further
        rows they are taken as they stand, and six digits (reports of GLPK, HiGHS's style 1) are too few to prove them.

    Raises
    ------
    InvalidInputError
        When the file cannot be read or holds no solution of the model.
    """
    instance_of(model, "model", AssignmentModel)
    file = as_path(path)
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise InvalidInputError(f"{file} cannot be read ({error}): pass a solution file") from error
    text = _named(text, model.polytope.n_clusters)
    if _NAME.search(text) is None:
        return solution_from_labels(model, _labels(text, file), backend=file.name)
    shares = _shares(text, model.score_source.shape, file)
    missing = np.abs(shares.sum(axis=1) - 1.0)
    if missing.max(initial=0.0) > 1e-3:
        j = int(missing.argmax())
        raise InvalidInputError(
            f"{file} gives point {j} a total share of {shares[j].sum():g}, expected 1: it solves another model"
        )
    labels, splits = as_labels(model, shares)
    return solution_from_labels(model, labels, splits=splits, backend=file.name)


def partition_of(solution: AssignmentSolution) -> Partition:
    """The Partition of a solution: sizes, certificate, and cells where the model has sites.

    Parameters
    ----------
    solution : AssignmentSolution
        With an assignment.

    Returns
    -------
    Partition
        ``objective`` is the least-squares cost for models made by `AssignmentModel.lsa`, the total score otherwise.

    Raises
    ------
    InvalidInputError
        When it is no solution.
    NotOptimalError
        When there is no assignment.
    """
    instance_of(solution, "solution", AssignmentSolution)
    model, labels = solution.model, solution.require_labels()
    diagram = None
    plain = model.polytope.is_plain  # otherwise cells are those of points and attributes
    proved = solution.prices is not None and not solution.better
    if plain and proved and model.kind is not None and model.sites is not None:
        source = model.score_source
        origin = source.origin if isinstance(source, LinearScores) else None
        diagram = PowerDiagram(model.sites, solution.prices, model.kind, origin)  # type: ignore[arg-type]
    return Partition(
        labels=labels,
        sizes=model.polytope.sizes(labels),
        objective=model.cost(labels) if model.kind == "lsa" else solution.objective,
        certificate=None if solution.prices is None else solution.verify(),
        power_diagram=diagram,
        prices=solution.named_prices if proved else {},
        n_iter=1,
        seconds=solution.seconds,
        status=solution.status,
        splits=solution.splits,
        sense="min" if model.kind == "lsa" else "max",
    )


def _labels(text: str, file: Path) -> NDArray:
    """Labels from JSON (a list, or an object with "labels"), or from lines whose last field is the label."""
    try:
        value = json.loads(text)
        return np.asarray(value.get("labels") if isinstance(value, dict) else np.atleast_1d(value))
    except ValueError:
        pass
    rows = [[field.strip() for field in line.split(",")] for line in text.splitlines() if line.strip()]
    column = -1
    if rows and not _NUMBER.fullmatch(rows[0][-1]):
        names = [name.strip('"').lower() for name in rows[0]]
        column = next((names.index(name) for name in ("label", "labels", "cluster") if name in names), -1)
        rows = rows[1:]
    try:
        return np.array([float(row[column]) for row in rows])
    except (ValueError, IndexError) as error:
        raise InvalidInputError(f"{file} holds neither labels nor values of assign_J_I ({error})") from error


def _named(text: str, k: int) -> str:
    """GLPK's files with the name of every variable beside its value."""
    if re.search(r"(?m)^s (bas|ipt|mip) \d", text) is None:
        return _WRAPPED.sub(r"\1 ", text)

    def line(found: re.Match[str]) -> str:
        j, i = divmod(int(found[1]) - 1, k)
        return f"assign_{j}_{i} {found[2]}"

    return _NUMBERED.sub(line, text)


def _shares(text: str, shape: tuple[int, int], file: Path) -> NDArray[np.float64]:
    """xi (n, k) from lines that name a variable and its value; the first value named counts, duals come later."""
    shares, seen = np.zeros(shape), np.zeros(shape, dtype=bool)
    with_duals = re.search(r"Primal\s+Dual", text) is not None
    for line in text.splitlines():
        name = _NAME.search(line)
        if name is None:
            continue
        j, i = int(name[1]), int(name[2])
        if j >= shape[0] or i >= shape[1]:
            raise InvalidInputError(
                f"{file} names {name[0]}, the model has {shape[0]} points and {shape[1]} clusters: "
                f"it solves another model"
            )
        value = _value(line[: name.start()], line[name.end() :], with_duals)
        if value is not None and not seen[j, i]:
            shares[j, i], seen[j, i] = min(max(value, 0.0), 1.0), True
    return shares


def _value(before: str, after: str, with_duals: bool) -> float | None:
    """The value on a variable's line: an XML attribute, the first number after the name, or in a column before it."""
    marked = re.search(r'value="([^"]*)"', after)
    found = _NUMBER.search(marked[1] if marked else after)
    if found is not None:
        return float(found[0])
    columns = _NUMBER.findall(before)  # HiGHS's pretty file: ..., primal, dual, name
    place = 2 if with_duals else 1
    return float(columns[-place]) if len(columns) >= place else None
