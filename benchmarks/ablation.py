"""Mechanisms of the exact engine switched off, one by one and together: what each is worth, on one table of instances.

    python -m benchmarks.ablation [--rows TEXT] [--repeats 2] [--label NAME]

Every row is one exact step, or one whole fit; set OMP_NUM_THREADS, OPENBLAS_NUM_THREADS and NUMBA_NUM_THREADS to 1.
Seconds are processor seconds, the least of the repeats, which take all switches in turn. An objective that differs by
more than 1e-9 is marked. Peak memory is that of the process after the row, in MiB. A switch replaces names of the
engine; those that name what the engine no longer has are left out, so that the script measures any commit that it is
run against. Results are added to ``benchmarks/records/ablation.json`` under the label.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.geometry import FAMILIES, Points, groups
from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers import GeometricPartitioner, solve

RECORD = Path(__file__).parent / "records" / "ablation.json"
ENGINE = "partitope.solvers.transport."


def never(*_: Any, **__: Any) -> bool:
    """Stands for a question whether a mechanism pays."""
    return False


def nothing(*_: Any, **__: Any) -> None:
    """Stands for a mechanism that may say that it has no answer."""


Replacements = list[tuple[str, str, Any]]
INEXACT: Replacements = [("prices.inexact", "PointSample.say_enough", staticmethod(never))]
BOUNDS: Replacements = [("prices.reoptimisation", "Reoptimisation.pays", staticmethod(never))]
DENSE: Replacements = [("prices.first_prices", "_has_dense_costs", never)]
LISTS: Replacements = [("prices.first_prices", "_listed_prices", nothing)]
STEPS: dict[str, Replacements] = {
    "all": [],
    "no candidate lists (samples alone)": LISTS,
    "no dense exchange costs (heaps)": DENSE,
    "neither": LISTS + DENSE,
    "no samples (zero prices)": [("prices.first_prices", "sample_size", lambda n, k: 0)],
    "no line scan": [("prices.first_prices", "line_of", nothing)],
    "no equal points": [("prices.equal_points", "EqualPoints.among", staticmethod(nothing))],
}
FITS: dict[str, Replacements] = {
    "all": [],
    "no inexact steps": INEXACT,
    "no bounds carried": BOUNDS,
    "neither": INEXACT + BOUNDS,
    "no sample before the first exact step": [("prices.reoptimisation", "worthwhile_sample", nothing)],
}

# family, n, k, d
ROWS: list[tuple[str, int, int, int]] = [
    ("overlap", 150, 3, 4), ("overlap", 2_000, 10, 8), ("overlap", 20_000, 200, 12), ("overlap", 100_000, 300, 12),
    ("overlap", 30_000, 500, 12), ("overlap", 20_000, 1000, 12), ("overlap", 100_000, 1000, 32),
    ("near", 100_000, 200, 12), ("near", 100_000, 50, 12), ("uniform", 20_000, 600, 2),
    ("heavy tails", 8_000, 500, 6), ("hierarchy", 12_000, 800, 6), ("groups far apart", 20_000, 1000, 6),
    ("line", 10_000, 500, 1), ("chain", 5_000, 300, 2), ("grid", 20_000, 400, 2), ("duplicates", 20_000, 300, 6),
    ("image", 250_000, 300, 2), ("image shuffled", 250_000, 300, 2), ("weights U(0, 1)", 20_000, 30, 3),
    ("weights lognormal", 100_000, 50, 3), ("overlap", 1_000_000, 10, 4), ("overlap", 20_000, 2500, 6),
]  # fmt: skip
# n, k, d, iterations, spread of the centres
FIT_ROWS: list[tuple[int, int, int, int, float]] = [
    (30_162, 30, 12, 10, 1.0), (30_162, 30, 12, 300, 1.0), (1_000_000, 10, 4, 10, 1.5), (100_000, 100, 16, 10, 1.0),
    (50_000, 300, 16, 10, 1.0), (50_000, 500, 32, 10, 1.0), (30_162, 30, 12, 10, 30.0), (1_000_000, 30, 12, 10, 1.0),
]  # fmt: skip


def points_of(family: str, rng: np.random.Generator, n: int, k: int, d: int) -> Points:
    """The points of a row."""
    if family in ("overlap", "near") or family.startswith("weights"):
        return groups(rng, n, d, k if family == "near" else max(k // 2, 2), 3.0 if family == "near" else 1.0)
    if family == "line":
        return rng.normal(size=(n, 1))
    if family == "chain":
        return np.column_stack([np.arange(n) + 0.3 * rng.normal(size=n), 0.3 * rng.normal(size=n)])
    if family == "duplicates":
        return rng.integers(3, size=(n, d)).astype(float)
    if family.startswith("image"):
        side = np.arange(round(n**0.5), dtype=float)
        X = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
        return rng.permutation(X) if "shuffled" in family else X
    return FAMILIES[family](rng, n, d, k)


def step_of(family: str, n: int, k: int, d: int) -> AssignmentModel:
    """The assignment program of a row: sites drawn from the points, sizes within a tenth of n / k."""
    rng = np.random.default_rng(0)
    X = points_of(family, rng, n, k, d)
    n = len(X)
    sites = X[rng.choice(n, k, replace=False)]
    if family.startswith("image"):
        sites = rng.random((k, 2)) * n**0.5
    if family == "near":
        from sklearn.cluster import KMeans

        sites = KMeans(k, n_init=1, max_iter=5, random_state=0).fit(X[: 20 * k]).cluster_centers_
    if family.startswith("weights"):
        w = rng.random(n) if "U" in family else rng.lognormal(0.0, 3.0, n)
        polytope = PartitionPolytope(n, 0.9 * w.sum() / k, 1.1 * w.sum() / k, w, n_clusters=k)
    else:
        polytope = PartitionPolytope(n, np.floor(0.9 * n / k), np.ceil(1.1 * n / k), n_clusters=k)
    return AssignmentModel.lsa(X, sites, polytope)


def fit_of(n: int, k: int, d: int, iterations: int, apart: float) -> tuple[GeometricPartitioner, Points]:
    """A fit of a row."""
    rng = np.random.default_rng(0)
    X = groups(rng, n, d, k, apart)
    low, up = int(np.floor(0.9 * n / k)), int(np.ceil(1.1 * n / k))
    init = X[rng.choice(n, k, replace=False)]
    model = GeometricPartitioner(
        k, lower=low, upper=up, objective="lsa", init=init, max_iter=iterations, random_state=0
    )
    return model, X


def replaced(stack: ExitStack, replacements: Replacements) -> bool:
    """Replace names of the engine; False where one is not there."""
    for module, name, value in replacements:
        try:
            owner: Any = import_module(ENGINE + module)
            *path, last = name.split(".")
            for part in path:
                owner = getattr(owner, part)
            stack.enter_context(patch.object(owner, last, value))
        except (ImportError, AttributeError):
            return False
    return True


def measured(run: Any, switches: dict[str, Replacements], repeats: int) -> dict[str, Any]:
    """Processor seconds and objective of every switch that there is."""
    run()
    found: dict[str, Any] = {}
    for _ in range(repeats):
        for name, replacements in switches.items():
            with ExitStack() as stack:
                if not replaced(stack, replacements) or found.get(name, {}).get("seconds", 0.0) > 10.0:
                    continue
                start = time.process_time()
                value = run()
                seconds = time.process_time() - start
            entry = found.setdefault(name, {"seconds": seconds, "objective": value})
            entry["seconds"] = round(min(entry["seconds"], seconds), 4)
    base = found["all"]["objective"]
    for entry in found.values():
        entry["same"] = bool(abs(entry["objective"] - base) <= 1e-9 * abs(base))
    return found


def main() -> None:
    """Measure all rows whose name contains a text."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default="", help="texts, with | between them")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--label", default="engine")
    options = parser.parse_args()
    runs: list[tuple[str, Any, dict[str, Replacements]]] = []
    for row in ROWS:
        runs.append((f"step {row[0]} {row[1]} x {row[2]}, d = {row[3]}", row, STEPS))
    for fit in FIT_ROWS:
        runs.append((f"fit {fit[0]} x {fit[1]}, d = {fit[2]}, {fit[3]} steps, spread {fit[4]:g}", fit, FITS))
    for name, arguments, switches in runs:
        if not any(text in name for text in options.rows.split("|")):
            continue
        if switches is STEPS:
            program = step_of(*arguments)
            found = measured(lambda program=program: solve(program, "transport").objective, switches, options.repeats)
        else:
            model, X = fit_of(*arguments)
            found = measured(lambda model=model, X=X: model.fit(X).partition_.objective, switches, options.repeats)
        record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
        memory = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        record.setdefault(options.label, {})[name] = {"peak_mib": memory, "switches": found}
        RECORD.write_text(json.dumps(record, indent=1) + "\n")
        short = ", ".join(
            f"{key}: {value['seconds']:.3f}{'' if value['same'] else ' OTHER'}" for key, value in found.items()
        )
        print(f"{name} | {short}", flush=True)


if __name__ == "__main__":
    main()
