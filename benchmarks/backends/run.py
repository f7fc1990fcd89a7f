"""The solver comparison as a whole: jobs that are kept as they finish, and what follows from them."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd

from partitope.base.checks import in_interval, whole_number
from partitope.base.errors import InvalidInputError
from partitope.solvers import BACKENDS
from studies.base.jobs import Progress, finished_job
from studies.base.machine import cores, versions

from .instances import SUITE, instance
from .measure import GLOBAL, measure_backend, measure_strategy, strategy_of

REVISION = 2  # raised when a job measures something else
STRATEGIES = ("geometric-lsa", GLOBAL)
PACKAGES = ("numpy", "scipy", "highspy", "pyomo", "cvxpy", "clarabel", "scs", "networkx", "numba")


@dataclass(frozen=True, eq=False)
class Bench:
    """A finished comparison.

    Attributes
    ----------
    instances, backends, strategies : tuple of str
        What was run.
    entries : dict
        (solver, instance) -> what `measure_backend` or `measure_strategy` found.
    sizes : dict
        Instance -> (n, k).
    settings : dict
        Everything else that a reader must know: limits, machine, versions.
    accuracy : float
        A backend solves an instance when its assignment keeps the bounds and its objective is at most this far,
        relative to the spread of the scores, below the smallest dual value that any backend's prices prove.
    """

    instances: tuple[str, ...]
    backends: tuple[str, ...]
    strategies: tuple[str, ...]
    entries: dict[tuple[str, str], dict[str, Any]]
    sizes: dict[str, tuple[int, int]]
    settings: dict[str, Any] = field(default_factory=dict)
    accuracy: float = 1e-6

    def best_bound(self, name: str) -> float:
        """Smallest dual value on an instance: an upper bound on every assignment's score."""
        duals = [self.entries[b, name]["dual"] for b in self.backends]
        return min((d for d in duals if d is not None), default=np.nan)

    def shortfall(self, backend: str, name: str) -> float:
        """Distance of a backend's objective from the best bound, relative to the spread; nan without an answer."""
        entry = self.entries[backend, name]
        if entry["objective"] is None:
            return float("nan")
        return max(self.best_bound(name) - entry["objective"], 0.0) / entry["scale"]

    def solved(self, backend: str, name: str) -> bool:
        """Whether the measured answer is feasible and optimal to `accuracy`."""
        violation = self.entries[backend, name]["violation"]
        return violation is not None and violation <= 1e-9 and self.shortfall(backend, name) <= self.accuracy

    def times(self, part: str = "seconds") -> np.ndarray:
        """Seconds (instances, backends) for a performance profile, infinite where not solved."""
        return np.array(
            [
                [self.entries[b, i][part] if self.solved(b, i) else np.inf for b in self.backends]
                for i in self.instances
            ],
            dtype=np.float64,
        )

    def table(self) -> pd.DataFrame:
        """One row a backend and instance."""
        rows = []
        for name in self.instances:
            n, k = self.sizes[name]
            for backend in self.backends:
                entry = self.entries[backend, name]
                rows.append({
                    "instance": name, "n": n, "k": k, "solver": backend,
                    "build s": entry["build_seconds"], "solve s": entry["solve_seconds"], "total s": entry["seconds"],
                    "objective": entry["objective"], "shortfall": self.shortfall(backend, name),
                    "solved": "yes" if self.solved(backend, name) else "no", "note": entry["note"],
                })  # fmt: skip
        return pd.DataFrame(rows)

    def strategy_table(self) -> pd.DataFrame:
        """One row a strategy and instance."""
        rows = []
        for name in self.instances:
            values = [self.entries[s, name]["objective"] for s in self.strategies]
            best = min((v for v in values if v is not None), default=np.nan)
            for strategy in self.strategies:
                entry = self.entries[strategy, name]
                value = np.nan if entry["objective"] is None else entry["objective"]
                rows.append({
                    "instance": name, "solver": strategy, "sum of squares": value,
                    "above best %": 100.0 * (value / best - 1.0) if best > 0 else (0.0 if value == best else np.nan),
                    "seconds": entry["trace"][-1][0] if entry["trace"] else np.nan, "proof": entry["proof"],
                    "note": entry["note"],
                })  # fmt: skip
        return pd.DataFrame(rows)


def run_bench(
    instances: Sequence[str] | None = None,
    backends: Sequence[str] | None = None,
    strategies: Sequence[str] | None = None,
    *,
    repeats: int = 3,
    starts: int = 20,
    seed: int = 0,
    time_limit: float = 20.0,
    accuracy: float = 1e-6,
    folder: str | Path | None = None,
    progress: Progress | None = None,
) -> Bench:
    """Run chosen solvers over chosen instances; finished jobs are read from ``folder`` instead of run again.

    Parameters
    ----------
    instances : sequence of str, optional
        As `instance` reads them; `SUITE` when None.
    backends : sequence of str, optional
        Names in the table of backends; all installed ones when None.
    strategies : sequence of str, optional
        Rows of `partitope compare` without target and covariates, and "global"; `STRATEGIES` when None.
    repeats : int
        Runs of a backend of which the median counts.
    starts, seed : int
        For strategies.
    time_limit : float
        Seconds a job.
    accuracy : float
        See `Bench`.
    folder : str or Path, optional
        Where finished jobs are kept; None keeps nothing.
    progress : callable, optional
        Called with (done, total, text) after every job.

    Returns
    -------
    Bench

    Raises
    ------
    InvalidInputError
        When a name or a number is not usable; nothing has been run then.
    """
    names = tuple(dict.fromkeys(instances if instances is not None else SUITE))
    chosen = tuple(dict.fromkeys(backends if backends is not None else BACKENDS))
    tried = tuple(dict.fromkeys(strategies if strategies is not None else STRATEGIES))
    for value, called, least in ((repeats, "repeats", 1), (starts, "starts", 1), (seed, "seed", 0)):
        whole_number(value, called, least)
    in_interval(time_limit, "time_limit", 0.0, np.inf)
    in_interval(accuracy, "accuracy", 0.0, 1.0)
    _check(names, chosen, tried)
    cases = {name: instance(name) for name in names}
    for case in cases.values():
        case.polytope.check()
    entries: dict[tuple[str, str], dict[str, Any]] = {}
    total, began = len(names) * (len(chosen) + len(tried)), perf_counter()
    for name, case in cases.items():
        content = _content(name)
        for solver in (*chosen, *tried):
            settings = {"bench": REVISION, "solver": solver, "instance": name, "content": content, "limit": time_limit}
            compute: Callable[[], dict[str, Any]]
            if solver in chosen:
                settings |= {"repeats": repeats}
                compute = partial(measure_backend, case, solver, repeats=repeats, time_limit=time_limit)
            else:
                settings |= {"starts": starts, "seed": seed}
                compute = partial(measure_strategy, case, solver, starts=starts, seed=seed, time_limit=time_limit)
            entries[solver, name] = finished_job(settings, compute, folder)
            if progress is not None:
                progress(len(entries), total, f"{solver} on {name}")
    made = {"repeats": repeats, "starts": starts, "seed": seed, "time limit": f"{time_limit:g} s a job"}
    sizes = {name: case.model.score_source.shape for name, case in cases.items()}
    return Bench(names, chosen, tried, entries, sizes, made | surroundings(perf_counter() - began), accuracy)


def _check(names: Sequence[str], backends: Sequence[str], strategies: Sequence[str]) -> None:
    for name in backends:
        BACKENDS[name]
    for name in strategies:
        if name != GLOBAL:
            strategy_of(name)
    if not names or not (backends or strategies):
        raise InvalidInputError("nothing to run: name at least one instance, and one backend or strategy")


def _content(name: str) -> str:
    """What an instance file holds, as a digest: a changed file makes new jobs."""
    import hashlib

    return hashlib.sha256(Path(name).read_bytes()).hexdigest() if name.endswith(".json") else ""


def surroundings(seconds: float) -> dict[str, Any]:
    """Machine, versions and date."""
    return {
        "machine": f"{platform.machine()}, {cores()}, {platform.system()}",
        "threads": os.environ.get("OMP_NUM_THREADS", "default"),
        "python": platform.python_version(),
        "versions": ", ".join(f"{name} {number}" for name, number in versions(PACKAGES).items()),
        "date": datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z"),
        "seconds of this run": round(seconds, 1),
    }
