"""Balanced k-means beside scikit-learn's k-means without bounds: same first centres, as many steps, one line a case.

    python -m benchmarks.fits [--case N,D,K,POINTS,SLACK,STEPS ...] [--repeats 2] [--machine]

POINTS is overlap, apart, uneven, uniform or normal. Every fit has a process of its own with one thread, in turn;
seconds are processor seconds, kernels are compiled before the clock runs. --machine measures what bounds a pass.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

CASES = (
    "1000000,12,30,overlap,0.1,10", "30162,12,30,overlap,0.1,10", "30162,12,30,overlap,0.1,300",
    "30162,12,30,overlap,0,10", "30162,12,30,uneven,0.1,10", "30162,12,30,apart,0.1,10",
    "100000,16,100,overlap,0.1,10", "5000,4,8,overlap,0.1,300", "1000000,4,10,overlap,0.1,10",
    "50000,16,300,overlap,0.1,10", "100000,128,200,normal,0,10", "50000,64,500,normal,0,10",
    "100000,32,1000,overlap,0.1,10", "100000,32,1000,apart,0.1,10", "200000,128,1000,normal,0,10",
)  # fmt: skip
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}


def instance(n: int, d: int, k: int, points: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points (n, d) and first centres (k, d), which are some of them."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(k, d)) * {"apart": 4.0, "uneven": 2.0}.get(points, 1.0)
    shares = rng.dirichlet(np.full(k, 0.3)) if points == "uneven" else None
    X = rng.random((n, d)) if points == "uniform" else rng.normal(size=(n, d))
    if points not in ("uniform", "normal"):
        X += centres[rng.choice(k, n, p=shares)]
    return X, X[rng.choice(n, k, replace=False)]


def clocked(function: Callable[[], Any]) -> tuple[float, Any]:
    """Processor seconds and the result."""
    start = time.process_time()
    result = function()
    return time.process_time() - start, result


def fit(code: str, case: str) -> dict[str, Any]:
    """One fit: seconds, steps, and of ours the gap and whether it is verified."""
    size, dims, clusters, points, slack, steps = case.split(",")
    n, d, k, share, most = int(size), int(dims), int(clusters), float(slack), int(steps)
    X, first = instance(n, d, k, points)
    if code == "sklearn":
        from sklearn.cluster import KMeans

        KMeans(k, init=first, n_init=1, max_iter=3, tol=0.0).fit(X[:4_000])
        seconds, found = clocked(lambda: KMeans(k, init=first, n_init=1, max_iter=most, tol=0.0).fit(X))
        return {"seconds": seconds, "steps": found.n_iter_}
    from partitope.cluster import BalancedKMeans

    def ours(m: int, steps: int) -> BalancedKMeans:
        low, high = int(np.floor((1 - share) * m / k)), int(np.ceil((1 + share) * m / k))
        return BalancedKMeans(k, low, high, init=first, max_iter=steps).fit(X[:m])

    for m in (4_000, 40_000, 200_000):  # compiles what small and large tables take
        ours(min(m, n), 3)
    seconds, model = clocked(lambda: ours(n, most))
    proof = model.partition_.certificate
    return {"seconds": seconds, "steps": model.n_iter_, "gap": abs(proof.gap), "verified": bool(proof.verified)}


def machine() -> str:
    """Bytes read a second, and products of 30 x 13 by 13 x 128 and of large matrices, in floating-point operations."""
    X, rates = np.ones((1_000_000, 12)), []
    for dtype in (np.float32, np.float64):
        for m, inner, n in ((30, 13, 128), (1500, 1500, 1500)):
            times = (1 << 28) // (m * inner * n) + 1
            rates.append(2e-9 * m * inner * n * times / min(products(m, inner, n, times, dtype) for _ in range(3)))
    read = min(clocked(X.sum)[0] for _ in range(3))
    return f"reads {1e-9 * X.nbytes / read:.0f} GB/s; Gflop/s small and large, float32, then float64: {np.round(rates)}"


def products(m: int, inner: int, n: int, times: int, dtype: type) -> float:
    """Processor seconds of some products (m, inner) by (inner, n)."""
    left, right, out = np.ones((m, inner), dtype), np.ones((inner, n), dtype), np.empty((m, n), dtype)
    return clocked(lambda: [np.dot(left, right, out) for _ in range(times)])[0]


def main() -> None:
    """Run every code of every case in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", nargs="*", default=CASES)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--machine", action="store_true")
    parser.add_argument("--only", nargs=1, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only:
        print(json.dumps(fit(options.only[0], options.case[0])))
    elif options.machine:
        print(machine())
    for case in () if options.only or options.machine else options.case:
        runs: dict[str, list[dict[str, Any]]] = {"ours": [], "sklearn": []}
        for _ in range(options.repeats):
            for code, found in runs.items():
                command = [sys.executable, "-m", "benchmarks.fits", "--only", code, "--case", case]
                done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | ONE_THREAD)
                found.append(json.loads(done.stdout.splitlines()[-1]))
        ours, other = (min(found, key=lambda run: run["seconds"]) for found in runs.values())
        ratio = ours["seconds"] / ours["steps"] / (other["seconds"] / other["steps"])
        print(
            f"{case:34s} {ours['seconds']:.3f} s, {ours['steps']} steps, gap {ours['gap']:.0e}, verified "
            f"{ours['verified']}; scikit-learn {other['seconds']:.3f} s, {other['steps']} steps; a step {ratio:.2f} x"
        )


if __name__ == "__main__":
    main()
