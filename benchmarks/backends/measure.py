"""One job of a solver comparison: a backend or a strategy on an instance, timed, and its answer measured again.

What a solver says about its answer is not used. A backend's assignment and prices are judged by the checker of
`partitope.testing`, written from the definition of optimality; a strategy's labels by their sizes and their sum of
squares. Times are wall times after a warm-up that is not counted; building and solving are told apart.
"""

from __future__ import annotations

import warnings
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from partitope.base.errors import InvalidInputError, PartitopeError, one_line
from partitope.base.status import Status
from partitope.compare.methods import Method, choose_methods
from partitope.models import PartitionPolytope, sum_of_squares
from partitope.models.objectives.proof import Proof
from partitope.solvers import BACKENDS, solve, solve_global
from partitope.solvers.best_start import seeds_of_starts
from partitope.solvers.solution import AssignmentSolution
from partitope.testing import judge, random_model
from partitope.testing.checker import shares_of

from .instances import Instance

GLOBAL = "global"
"""The strategy that bounds the optimum as well: `partitope.solvers.solve_global`."""

NO_LIMIT_SIZE = 20_000
"""Variables up to which a backend without a time limit is run at all."""


def measure_backend(case: Instance, name: str, *, repeats: int = 3, time_limit: float = 60.0) -> dict[str, Any]:
    """Times and violations of a backend on an instance, as plain values.

    Parameters
    ----------
    case : Instance
        What to solve.
    name : str
        In the table of backends.
    repeats : int
        Runs of which the median counts; one when the first takes longer than a second.
    time_limit : float
        Seconds a run, for backends that take a limit; others are run on small instances only.
    """
    backend, limit = BACKENDS[name], None
    n, k = case.model.score_source.shape
    if backend.capabilities.time_limit:
        limit = time_limit
    elif n * k > NO_LIMIT_SIZE:
        return _left_out(f"{n * k} variables, and {name} takes no time limit")
    try:
        solve(random_model(0, 12, 2), name)  # compiles and imports
        runs = [solve(case.model, name, time_limit=limit)]
        while len(runs) < repeats and runs[0].seconds < 1.0:
            runs.append(solve(case.model, name, time_limit=limit))
    except PartitopeError as error:
        return _left_out(one_line(error))
    solution = runs[-1]
    build = float(np.median([run.build_seconds for run in runs]))
    total = float(np.median([run.seconds for run in runs]))
    return {
        "note": _said(solution),
        "status": solution.status.name,
        "raw_status": solution.raw_status,
        "solver_version": solution.solver_version,
        "build_seconds": build,
        "solve_seconds": max(total - build, 1e-9),
        "seconds": total,
        "iterations": solution.iterations,
        **_judged(solution),
    }


def _said(solution: AssignmentSolution) -> str:
    """The status of an answer, with the solver's own name for it; "" where it is optimal."""
    if solution.status is Status.OPTIMAL:
        return ""
    return f"{solution.status} ({solution.solver_version}: {solution.raw_status})"


def _left_out(why: str) -> dict[str, Any]:
    nothing = dict.fromkeys(("build_seconds", "solve_seconds", "seconds", "objective", "dual", "violation", "scale"))
    return {"note": why, "status": "LEFT_OUT", "raw_status": "", "solver_version": "", "iterations": 0, **nothing}


def _judged(solution: AssignmentSolution) -> dict[str, Any]:
    """Objective, dual value and worst violation, from the definition."""
    if solution.labels is None:
        return {"objective": None, "dual": None, "violation": None, "scale": None}
    model = solution.model
    gamma, w = model.score_source.dense(), model.point_weights
    xi, _ = shares_of(solution, *gamma.shape)
    gain = w[:, None] * gamma * xi
    spread = float((w * np.ptp(gamma, axis=1)).sum())
    sizes = w @ xi
    excess = float(np.maximum(sizes - model.polytope.upper, model.polytope.lower - sizes).max())
    found: dict[str, Any] = {
        "objective": float(gain.sum()),
        "dual": None,
        "violation": max(excess / float(w.sum()), 0.0),
        "scale": max(spread, 1e-6 * float(np.abs(gain).sum()), 1e-300),
    }
    if solution.prices is not None:
        verdict, mu = judge(solution), np.asarray(solution.prices, dtype=np.float64)
        bounds = np.where(mu > 0, np.minimum(model.polytope.upper, model.polytope.total), model.polytope.lower)
        found["dual"] = float(((gamma - mu).max(axis=1) * w).sum() + mu @ bounds)
        found["violation"] = max(found["violation"], verdict.feasible, verdict.dual_feasible)
    return found


def measure_strategy(
    case: Instance, name: str, *, starts: int = 20, seed: int = 0, time_limit: float = 60.0
) -> dict[str, Any]:
    """Best sum of squares over time of a strategy on an instance, as plain values.

    Parameters
    ----------
    case : Instance
        With points.
    name : str
        A row of `partitope compare` that needs neither target nor covariates, or "global".
    starts, seed : int
        Starts, each of which is one entry of the trace, and the seed of all.
    time_limit : float
        Seconds after which no further start is made.

    Returns
    -------
    dict
        ``trace`` holds (seconds, best sum of squares so far), ``bounds`` (seconds, proved lower bound so far),
        ``proof`` and ``claim`` what is proved of the best partition.
    """
    if case.points is None:
        return _no_strategy("no points, or weights")
    try:
        if name == GLOBAL:
            return _global(case.points, case.polytope, starts, seed, time_limit)
        return _starts(case.points, case.polytope, strategy_of(name), starts, seed, time_limit)
    except (PartitopeError, ValueError) as error:
        return _no_strategy(one_line(error))


def _no_strategy(why: str) -> dict[str, Any]:
    return {"note": why, "trace": [], "bounds": [], "objective": None, "proof": str(Proof.NONE), "claim": ""}


def strategy_of(name: str) -> Method:
    """The one row of a strategy's name.

    Raises
    ------
    InvalidInputError
        When the name is not known, stands for several rows, or needs a target or covariates.
    """
    chosen = choose_methods([name])
    if len(chosen) > 1:
        raise InvalidInputError(f"strategy {name!r} has variants: choose {' or '.join(m.name for m in chosen)}")
    needs = chosen[0].needs
    if "required" in (needs.target, needs.covariates):
        raise InvalidInputError(f"strategy {name!r} needs a target or covariates, which no instance has: leave it out")
    return chosen[0]


def _starts(
    X: NDArray[np.float64], polytope: PartitionPolytope, method: Method, starts: int, seed: int, time_limit: float
) -> dict[str, Any]:
    base = method.build(polytope)
    small = np.random.RandomState(0).rand(12, 2)
    best, trace, done, kept = np.inf, [], 0, None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        method.build(PartitionPolytope(12, 4, 8, n_clusters=2)).set_params(random_state=0).fit(small)  # compiles
        started = perf_counter()
        for one in seeds_of_starts(seed, starts):
            done += 1
            partition = clone(base).set_params(random_state=one).fit(X).partition_
            if polytope.contains(partition.labels):
                value = sum_of_squares(X, partition.labels)
                if value < best:
                    best, kept = value, partition
                trace.append([perf_counter() - started, best])
            if perf_counter() - started > time_limit:
                break
    outside = done - len(trace)
    note = f"{outside} of {done} starts end outside the bounds" if outside else ""
    proof = {"proof": str(Proof.NONE if kept is None else kept.proof), "claim": "" if kept is None else kept.claim}
    return {"note": note, "trace": trace, "bounds": [], "objective": best if trace else None, "starts": done} | proof


def _global(
    X: NDArray[np.float64], polytope: PartitionPolytope, starts: int, seed: int, time_limit: float
) -> dict[str, Any]:
    solve_global(np.random.RandomState(0).rand(12, 2), PartitionPolytope(12, 4, 8, n_clusters=2))  # compiles
    started = perf_counter()
    bounds: list[list[float]] = []

    def note(bound: float, _: float) -> None:
        bounds.append([perf_counter() - started, max(bound, bounds[-1][1] if bounds else 0.0)])

    partition = solve_global(X, polytope, time_limit=time_limit, n_init=starts, random_state=seed, progress=note)
    seconds, value = perf_counter() - started, sum_of_squares(X, partition.labels)
    proof = ""
    if partition.bound is not None:
        bounds.append([seconds, min(partition.bound.lower, value)])
        proof = f"gap {100 * (value - bounds[-1][1]) / max(value, 1e-300):.2g} % by {partition.bound.proof}"
    inside = polytope.contains(partition.labels)
    return {"note": proof, "trace": [[seconds, value]] if inside else [], "bounds": bounds,
            "objective": value if inside else None, "starts": starts, "proof": str(partition.proof),
            "claim": partition.claim}  # fmt: skip
