"""One solver on one instance, in a process of its own: ``python -m partitope.solver_comparison.job``, words in JSON.

Nothing is judged here: values of the columns, and of the rows' duals where there are any, go back with the times.
"""

from __future__ import annotations

import json
import os
import sys
import time
from importlib import import_module
from importlib.metadata import version
from typing import Any

import numpy as np

from ..base.deadline import Deadline
from ..base.errors import CapabilityError, InvalidInputError, MissingDependencyError, PartitopeError, one_line
from ..models.programs.program import Program
from ..solvers import BACKENDS, solve
from ..solvers.linear_program import solve_linear
from ..solvers.solution import AssignmentSolution
from ..testing import random_model
from ..testing.checker import shares_of
from .instances import Instance

Answer = dict[str, Any]


def load_plugin(plugin: str) -> str:
    """Register the backend ``module:Class``, and say its name."""
    module, _, called = plugin.partition(":")
    try:
        sys.path.insert(0, os.getcwd())
        cls = getattr(import_module(module), called)
    except (ImportError, AttributeError, ValueError) as error:
        raise InvalidInputError(f"plugin {plugin!r} cannot be loaded ({error}): write module:Class") from error
    finally:
        sys.path.pop(0)
    name = str(getattr(cls, "name", called))
    BACKENDS.register(name, cls)
    return name


def run(instance: str, solver: str, plugin: str | None, time_limit: float) -> Answer:
    """Times, status and arrays of one solver."""
    case = Instance.of(instance)
    if plugin is not None:
        load_plugin(plugin)
    family, _, name = solver.partition(":")
    if name:
        return (_pyomo if family == "pyomo" else _cvxpy)(case.program, name, time_limit)
    if case.model is None:
        if solver != "highs":
            raise CapabilityError(f"{solver} takes assignment programs alone: use highs, pyomo:NAME or cvxpy:NAME")
        return _highs(case.program, time_limit)
    solve(random_model(0, 12, 2), solver)  # what is compiled or imported once is not measured
    limit = time_limit if BACKENDS[solver].capabilities.time_limit else None
    clocks = _clocks()
    solution = solve(case.model, solver, time_limit=limit)
    said = {"status": solution.status.name, "version": solution.solver_version, "iterations": solution.iterations}
    return {**_times(clocks, clocks[0] + solution.build_seconds), **said, **_arrays_of(solution)}


def _arrays_of(solution: AssignmentSolution) -> Answer:
    """Columns of the program of an assignment, and the duals of its rows where these are of points and sizes alone."""
    model, polytope = solution.model, solution.model.polytope
    if solution.labels is None:
        return {}
    table = shares_of(solution, polytope.n_points, polytope.n_clusters)[0]
    columns = np.append(table, table.any(axis=0)) if polytope.may_close else table.ravel()
    if solution.prices is None or not polytope.is_plain:
        return {"columns": columns}
    mu = np.asarray(solution.prices, dtype=np.float64)
    points = model.point_weights * (model.score_source.dense() - mu).max(axis=1)
    duals = np.concatenate([points, np.minimum(mu, 0.0), np.maximum(mu, 0.0)])
    return {"columns": columns, "duals": -duals if model.minimised else duals}


def _highs(program: Program, time_limit: float) -> Answer:
    clocks = _clocks()
    answer = solve_linear(program, deadline=Deadline(time_limit))
    arrays = {"columns": answer.columns, "duals": answer.row_duals}
    return {
        **_times(clocks, answer.began), "status": answer.outcome.name, "version": f"highspy {version('highspy')}",
        "iterations": sum(answer.steps.values()), **{key: array for key, array in arrays.items() if array is not None},
    }  # fmt: skip


def _pyomo(program: Program, name: str, time_limit: float) -> Answer:
    import pyomo.environ as pyo

    solver = pyo.SolverFactory(name)
    if not solver.available(exception_flag=False):
        raise MissingDependencyError(f"Pyomo finds no solver {name!r} here: install it, or leave pyomo:{name} out")
    clocks = _clocks()
    model = program.to_pyomo()
    built = time.perf_counter()
    limits = {"cbc": "seconds", "glpk": "tmlim", "scip": "limits/time", "gurobi": "TimeLimit"}
    if name.startswith("appsi_"):
        solver.config.time_limit = time_limit
    elif name in limits:
        solver.options[limits[name]] = max(int(time_limit), 1)
    result = solver.solve(model)
    values = [variable.value for block in program.columns for variable in getattr(model, block.name).values()]
    status = str(result.solver.termination_condition).upper()
    columns = {} if None in values else {"columns": np.array(values, dtype=np.float64)}
    return {**_times(clocks, built), "status": status, "version": f"pyomo {version('pyomo')} {name}", **columns}


def _cvxpy(program: Program, name: str, time_limit: float) -> Answer:
    import cvxpy as cp

    if name.upper() not in cp.installed_solvers():
        raise MissingDependencyError(f"cvxpy finds no solver {name!r} here: it has {', '.join(cp.installed_solvers())}")
    clocks = _clocks()
    problem = program.to_cvxpy()
    built = time.perf_counter()
    limits = {"CLARABEL": "time_limit", "SCS": "time_limit_secs"}
    problem.solve(solver=name.upper(), **{option: time_limit for key, option in limits.items() if key == name.upper()})
    values = {variable.name(): variable.value for variable in problem.variables()}
    parts = [values[block.name] for block in program.columns]
    missing = any(part is None for part in parts)
    columns = {} if missing else {"columns": np.concatenate([np.ravel(part) for part in parts])}
    return {
        **_times(clocks, built), "status": str(problem.status).upper(), "version": f"cvxpy {cp.__version__} {name}",
        "iterations": int(problem.solver_stats.num_iters or 0), **columns,
    }  # fmt: skip


def _clocks() -> tuple[float, float]:
    """Seconds of the clock, and of the processor for this process and the programs that it called."""
    called = os.times()
    return time.perf_counter(), time.process_time() + called.children_user + called.children_system


def _times(began: tuple[float, float], built: float) -> Answer:
    now = _clocks()
    build = max(built - began[0], 0.0)
    clock, cpu = now[0] - began[0], now[1] - began[1]
    return {"build s": build, "solve s": clock - build, "clock s": clock, "cpu s": cpu, "memory MB": _memory()}


def _memory() -> float | None:
    """Largest memory of this process so far in MB, that of Python and its packages included; None where unknown."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


def main() -> None:
    """Read the words of `run` and where the answer goes; a refusal is an answer, too."""
    words = json.loads(sys.stdin.read())
    target = words.pop("target")
    try:
        answer: Answer = run(**words)
    except PartitopeError as error:
        answer = {"status": "REFUSED", "note": one_line(error)}
    arrays = {name: answer.pop(name) for name in ("columns", "duals") if name in answer}
    np.savez(target, said=np.array(json.dumps(answer)), **arrays)


if __name__ == "__main__":
    main()
