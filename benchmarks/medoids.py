"""Capacitated medoids beside published values: `python -m benchmarks.medoids SECONDS NAME ...` adds to the record."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import perf_counter, process_time

from partitope.base import deadline
from partitope.solvers import MedoidPartitioner
from studies.base.machine import cores, processor

from .data.medoids import load_medoids

RECORD = Path(__file__).parent / "records" / "medoids.json"


def measured(name: str, seconds: float) -> dict[str, object]:
    """Value, bound and seconds of one instance within a time limit."""
    instance = load_medoids(name)
    means = name.startswith("centred/")
    model = MedoidPartitioner(
        instance.n_clusters, upper=instance.capacity, metric="euclidean" if means else "precomputed",
        objective="means" if means else "medoids", time_limit=seconds, random_state=0,
    )  # fmt: skip
    started, worked = perf_counter(), process_time()
    X = instance.X if means else instance.distances
    partition = model.fit(X, sample_weight=instance.demand).partition_
    bound = partition.bound
    return {
        "value": round(partition.objective, 4),
        "target": instance.target,
        "of target": round(partition.objective / instance.target, 6),
        "bound": None if bound is None else round(bound.lower, 4),
        "gap": None if bound is None else round(bound.gap, 6),
        "proof": str(partition.proof),
        "limit": seconds,
        "seconds": round(perf_counter() - started, 1),
        "processor seconds": round(process_time() - worked, 1),
        "machine": f"{processor()}, {cores()}, shared with other work",
    }


def main() -> None:
    """Measure the instances that are named, and write each when it is done."""
    deadline.clock = process_time  # limits are processor seconds: other work on the machine does not matter
    measured("centred/SJC1" if "centred/" in sys.argv[2] else "SJC1", 10.0)  # kernels are compiled once
    for name in sys.argv[2:]:
        rows = json.loads(RECORD.read_text()) if RECORD.exists() else {}
        rows[name] = measured(name, float(sys.argv[1]))
        RECORD.write_text(json.dumps(rows, indent=1) + "\n")
        print(name, rows[name], flush=True)


if __name__ == "__main__":
    main()
