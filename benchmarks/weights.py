"""Weighted programs against the unweighted program of the same points and against HiGHS, one line a case.

    python -m benchmarks.weights [--n 1000 3000 ...] [--k 5 10 ...] [--weights uniform ...] [--slack 0.05 ...]
                                 [--seeds 3] [--highs SCORES] [--fit]

Seconds are processor seconds of one solve, objective and duals included (with --fit of one whole fit); kernels are
compiled before the clock runs. HiGHS solves programs of at most SCORES numbers n k.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partitope.models import AssignmentModel, PartitionPolytope
from partitope.models.certificates.certificate import Certificate
from partitope.solvers import GeometricPartitioner, solve

from .fits import clocked

Weights = NDArray[np.float64]
WEIGHTS: dict[str, Callable[[np.random.Generator, int], Weights]] = {
    "uniform": lambda rng, n: rng.random(n),
    "lognormal 1": lambda rng, n: rng.lognormal(0.0, 1.0, n),
    "lognormal 3": lambda rng, n: rng.lognormal(0.0, 3.0, n),
    "Pareto 0.5": lambda rng, n: 1.0 + rng.pareto(0.5, n),
    "to 3": lambda rng, n: rng.integers(1, 4, n).astype(float),
    "to 1e6": lambda rng, n: rng.integers(1, 10**6, n).astype(float),
    "to 1e9": lambda rng, n: rng.integers(1, 10**9, n).astype(float),
    "1 or 1e6": lambda rng, n: np.where(rng.random(n) < 0.5, 1.0, 1e6),
    "with zeros": lambda rng, n: rng.random(n) * (rng.random(n) < 0.6),
}
SLACKS = (0.01, 0.05, 0.2)
D = 3


def polytope(n: int, k: int, slack: float, weights: Weights | None) -> PartitionPolytope:
    """Bounds (1 - slack) and (1 + slack) times the even share."""
    share = (n if weights is None else float(weights.sum())) / k
    lower, upper = (1 - slack) * share, (1 + slack) * share
    if weights is None:
        lower, upper = np.floor(lower), np.ceil(upper)
    return PartitionPolytope(n, lower, upper, weights, n_clusters=k)


def compared(weighted: float, unweighted: float, proof: Certificate) -> str:
    """Both times, their ratio, whether the weighted answer is certified, and its gap."""
    return f"{weighted:8.4f} {unweighted:8.4f} {weighted / unweighted:6.2f} {proof.verified!s:5} {proof.gap:8.1e}"


def step(n: int, k: int, slack: float, name: str, seed: int, highs: int) -> str:
    """One assignment program."""
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(n, D)), WEIGHTS[name](rng, n)
    plain = AssignmentModel.lsa(X, X[:k], polytope(n, k, slack, None))
    model = AssignmentModel.lsa(X, X[:k], polytope(n, k, slack, w))
    repeats = 3 if n <= 20_000 else 1
    unweighted = min(clocked(lambda: solve(plain))[0] for _ in range(repeats))
    runs = [clocked(lambda: solve(model)) for _ in range(repeats)]
    weighted, solution = min(run[0] for run in runs), runs[0][1]
    proof = solution.verify()
    line = compared(weighted, unweighted, proof)
    line += " met" if weighted <= 3 * unweighted + 0.05 else " MISSED"
    if n * k > highs:
        return line
    seconds, other = clocked(lambda: solve(model, backend="highs"))
    difference = abs(solution.objective - other.objective) / proof.magnitude
    verified = other.has_point and other.verify().verified
    return f"{line} HiGHS {seconds:8.3f} x {seconds / weighted:6.1f} difference {difference:7.1e} {verified}"


def fit(n: int, k: int, slack: float, name: str, seed: int, highs: int) -> str:
    """A whole balanced k-means."""
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(n, D)), WEIGHTS[name](rng, n)

    def fitted(weights: Weights | None) -> Any:
        bounds = polytope(n, k, slack, weights)
        options = {"objective": "lsa", "random_state": 0, "max_iter": 10}
        return GeometricPartitioner(k, lower=bounds.lower, upper=bounds.upper, **options).fit(X, sample_weight=weights)

    unweighted, plain = clocked(lambda: fitted(None))
    weighted, model = clocked(lambda: fitted(w))
    return f"{compared(weighted, unweighted, model.partition_.certificate)} iterations {model.n_iter_} {plain.n_iter_}"


def main() -> None:
    """Run the cases."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, nargs="+", default=[1_000, 3_000, 20_000, 100_000])
    parser.add_argument("--k", type=int, nargs="+", default=[5, 10, 30, 50])
    parser.add_argument("--slack", type=float, nargs="+", default=SLACKS)
    parser.add_argument("--weights", nargs="+", choices=WEIGHTS, default=list(WEIGHTS))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--highs", type=int, default=600_000)
    parser.add_argument("--fit", action="store_true")
    options = parser.parse_args()
    run = fit if options.fit else step
    for n in (500, 20_000):  # compiles what small and large tables take
        for name in ("uniform", "with zeros"):
            run(n, 5, 0.05, name, 0, 0)
    print("      n  k slack weights     seed weighted unweighted ratio verified gap")
    for case in product(options.n, options.k, options.slack, options.weights, range(options.seeds)):
        n, k, slack, name, seed = case
        print(f"{n:7d} {k:2d} {slack:5.2f} {name:11s} {seed:4d} {run(*case, options.highs)}", flush=True)


if __name__ == "__main__":
    main()
