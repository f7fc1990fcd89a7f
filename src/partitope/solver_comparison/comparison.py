"""Any solvers on any instances: each pair runs in a process of its own, and all answers pass the same check.

Performance profiles say on which share of the instances a solver is within a factor tau of the fastest:

    r_ps = t_ps / min_s t_ps   (infinite when s does not solve p),     rho_s(tau) = share of p with r_ps <= tau

Reference: Dolan and More, Benchmarking optimization software with performance profiles, Math. Prog. 91 (2002).
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ..base.checks import in_interval
from ..base.errors import InvalidInputError
from ..base.record import Record
from ..output.style import COLOURS, GRID, LINES, axes_of
from ..solvers import BACKENDS
from .check import Verdict, check_answer
from .instances import Instance
from .job import load_plugin

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FAMILIES = ("pyomo", "cvxpy")  # of solvers that are named family:solver
ACCURACY = 1e-6  # An answer is verified if violation and relative gap stay below this.


@dataclass(frozen=True, eq=False)
class SolverComparison:
    """What solvers made of instances.

    Attributes
    ----------
    table : pandas.DataFrame
        A row per instance and solver: ``value`` (recomputed), ``gap`` (relative distance from the tightest bound that
        duals of any solver prove, or else from the best feasible value, as ``gap to`` says), ``verified`` (conditions
        and gap are within 1e-6), ``violation``, seconds of ``build s`` and ``solve s``, together ``clock s`` and
        ``cpu s``, ``memory MB`` (peak of the process), ``iterations``, ``status``, ``version``, ``note``.
    """

    table: pd.DataFrame

    def profile(self, of: str = "clock s") -> pd.DataFrame:
        """Performance profiles of a column of seconds: a row per factor at which one steps, a column per solver;
        verified answers count."""
        times = self.table.assign(t=np.where(self.table["verified"], self.table[of], np.inf))
        grid = times.pivot(index="instance", columns="solver", values="t")[list(dict.fromkeys(times["solver"]))]
        tau, rho = performance_profile(np.maximum(grid, 1e-9))
        return pd.DataFrame(rho, index=pd.Index(tau, name="tau"), columns=grid.columns)

    def plot(self, of: str = "clock s", ax: Axes | None = None) -> Axes:
        """Draw the performance profiles of a column of seconds into the axes, the current ones when None."""
        axes, profile = axes_of(ax), self.profile(of)
        end = max(10.0, 1.3 * float(profile.index[-1]))
        for s, name in enumerate(profile):
            across, up = np.append(profile.index, end), np.append(profile[name], profile[name].iloc[-1])
            style: Record = {"color": COLOURS[s % 6], "linestyle": LINES[s % len(LINES)], "linewidth": 1.7}
            axes.step(across, up, where="post", label=name, clip_on=False, **style)
        axes.set(xscale="log", xlim=(1.0, end), ylim=(0.0, 1.02), xlabel="factor of the fastest")
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.set(title=of.replace(" s", " seconds"), ylabel="share of instances solved")
        axes.grid(axis="y", **GRID)
        return axes


def performance_profile(times: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Factors (m,) at which profiles step, ascending from 1, and the shares (m, s) there, of seconds (p, s).

    Infinite or nan stands for a failure.
    """
    t = np.array(times, dtype=np.float64)
    t[np.isnan(t)] = np.inf
    best = t.min(axis=1, keepdims=True)
    ratio = np.where(np.isfinite(t), t / np.where(np.isfinite(best), best, 1.0), np.inf)
    tau = np.unique(np.concatenate([[1.0], ratio[np.isfinite(ratio)]]))
    return tau, (ratio[:, None, :] <= tau[None, :, None]).mean(axis=0)


def compare_solvers(
    instances: Sequence[str],
    backends: Sequence[str] | None = None,
    *,
    plugin: str | None = None,
    time_limit: float = 60.0,
    progress: Callable[[int, int, str], None] | None = None,
) -> SolverComparison:
    """Run solvers on instances, each pair in a process of its own, and check every answer.

    ``instances`` are files ``.json`` and ``.mps`` or names, see `instances`; ``backends`` names of
    `partitope.solvers.BACKENDS`, or "highs", "pyomo:NAME" and "cvxpy:NAME" for all programs; all installed ones when
    None; ``plugin`` a backend of your own, ``module:Class``. A solver gets ``time_limit`` seconds and half a minute to
    stop. InvalidInputError, before anything is run, where a name is not known.
    """
    in_interval(time_limit, "time_limit", 0.0, np.inf)
    if isinstance(instances, str) or not instances:
        raise InvalidInputError(f"instances={instances!r} is not usable: pass a list of at least one name")
    own = [] if plugin is None else [load_plugin(plugin)]
    chosen = list(dict.fromkeys([*(BACKENDS if backends is None else backends), *own]))
    for name in chosen:
        if name.partition(":")[0] not in FAMILIES or not name.partition(":")[2]:
            _ = BACKENDS[name]
    rows: list[dict[str, object]] = []
    for name in dict.fromkeys(instances):
        program, reports = Instance.of(name).program, []
        for solver in chosen:
            words = {"instance": name, "solver": solver, "plugin": plugin if solver in own else None}
            reports.append(_measured(program, {**words, "time_limit": float(time_limit)}))
            if progress is not None:
                progress(len(rows) + len(reports), len(chosen) * len(dict.fromkeys(instances)), f"{solver} on {name}")
        rows += _judged(program, name, chosen, reports)
    return SolverComparison(pd.DataFrame(rows))


def _measured(program: Any, words: Record) -> tuple[Record, Verdict]:
    """What a process says of its times, and the verdict on its answer."""
    with TemporaryDirectory() as folder:
        target = Path(folder) / "answer.npz"
        command = [sys.executable, "-m", "partitope.solver_comparison.job"]
        try:
            done = subprocess.run(
                command, input=json.dumps({**words, "target": str(target)}), capture_output=True, text=True,
                timeout=words["time_limit"] + 30.0, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return {"status": "STOPPED", "note": "it did not keep its time limit"}, Verdict(np.nan, np.inf, np.nan)
        if done.returncode or not target.exists():
            last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
            return {"status": "FAILED", "note": last[:200]}, Verdict(np.nan, np.inf, np.nan)
        with np.load(target) as file:
            said, arrays = json.loads(str(file["said"])), {name: file[name] for name in file.files}
    return said, check_answer(program, arrays.get("columns"), arrays.get("duals"))


def _judged(
    program: Any, name: str, solvers: list[str], reports: list[tuple[dict[str, object], Verdict]]
) -> list[dict[str, object]]:
    """Rows of the table for one instance."""
    sign = 1.0 if program.maximise else -1.0
    feasible = [sign * verdict.value for _, verdict in reports if verdict.violation <= ACCURACY]
    bounds = [sign * verdict.bound for _, verdict in reports if np.isfinite(verdict.bound)]
    # a bound is tighter than any other where it is smallest, in the sense of a maximum
    reference = sign * (min(bounds) if bounds else max(feasible, default=np.nan))
    rows = []
    for solver, (said, verdict) in zip(solvers, reports):
        gap = abs(reference - verdict.value) / max(abs(reference), 1e-12)
        rows.append({
            "instance": name, "solver": solver, "value": verdict.value, "gap": gap,
            "gap to": "bound" if bounds else "best",
            "verified": bool(verdict.violation <= ACCURACY and gap <= ACCURACY), "violation": verdict.violation,
            **{key: said.get(key, np.nan) for key in ("build s", "solve s", "clock s", "cpu s", "memory MB")},
            "iterations": said.get("iterations"), "status": said["status"], "version": said.get("version", ""),
            "note": said.get("note", ""),
        })  # fmt: skip
    return rows
