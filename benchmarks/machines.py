"""Balanced k-means on blocks of a Dask array: one fit on two processes, one line of JSON.

    python -m benchmarks.machines --rows 100000000 [--clusters 10] [--steps 4] [--block 500000] [--folder FOLDER]

Points are normal in four dimensions, sizes lie within 5 % of n / k, first centres are given. Blocks are made where they
are, in every pass anew, or written to a folder first and read in every pass. Bytes moved are those that passed the
loopback device, between client, scheduler and workers.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from pathlib import Path

import numpy as np

DIMENSIONS = 4
SLACK = 0.05


def loopback_bytes() -> int:
    """Bytes that the loopback device has received."""
    line = next(line for line in Path("/proc/net/dev").read_text().splitlines() if line.strip().startswith("lo:"))
    return int(line.split(":")[1].split()[0])


def peak_mib() -> float:
    """Largest memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Fit once and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, required=True)
    parser.add_argument("--clusters", type=int, default=10)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--block", type=int, default=500_000)
    parser.add_argument("--folder", help="where the rows are written, a file for every block")
    given = parser.parse_args()
    import dask.array as da
    import distributed

    from partitope.solvers import GeometricPartitioner

    n, k = given.rows, given.clusters
    first = np.random.default_rng(1).normal(size=(k, DIMENSIONS))
    bounds = {"lower": int((1 - SLACK) * n / k), "upper": int((1 + SLACK) * n / k)}
    model = GeometricPartitioner(k, **bounds, objective="lsa", init=first, max_iter=given.steps)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=0
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        small = da.random.default_rng(0).normal(size=(400_000, DIMENSIONS), chunks=(100_000, DIMENSIONS))
        GeometricPartitioner(k, objective="lsa", init=first, max_iter=2).fit(small)  # compiles
        X = da.random.default_rng(0).normal(size=(n, DIMENSIONS), chunks=(given.block, DIMENSIONS))
        if given.folder:
            da.to_npy_stack(given.folder, X)
            X = da.from_npy_stack(given.folder)
        before, moved, processor = peak_mib(), loopback_bytes(), time.process_time()
        workers = sum(client.run(time.process_time).values())
        start = time.perf_counter()
        model.fit(X)
        seconds = time.perf_counter() - start
        proof = model.partition_.certificate
        found = {
            "rows": n, "clusters": k, "steps": model.n_iter_, "block": given.block,
            "on_disk": bool(given.folder), "seconds": round(seconds, 1),
            "cpu_client": round(time.process_time() - processor, 1),
            "cpu_workers": round(sum(client.run(time.process_time).values()) - workers, 1),
            "moved_mb": round((loopback_bytes() - moved) / 1e6, 1),
            "client_peak_mib": round(peak_mib()), "client_before_mib": round(before),
            "worker_peak_mib": [round(peak) for peak in client.run(peak_mib).values()],
            "gap": float(proof.gap), "verified": bool(proof.verified), "objective": model.partition_.objective,
            "sizes": [int(min(model.partition_.sizes)), int(max(model.partition_.sizes))],
        }  # fmt: skip
    print(json.dumps(found))


if __name__ == "__main__":
    main()
