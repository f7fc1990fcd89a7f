"""Information loss, proved bound and seconds of microaggregation on the CASC reference tables.

``python -m benchmarks.microaggregation 300 census:3 eia:5`` gives each the time limit of 300 seconds and adds the
results to ``benchmarks/records/microaggregation.json``: what `Microaggregation(m, time_limit=300)` gives a user.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from partitope.base.deadline import Deadline
from partitope.solvers.exchange.reseeding import within_squares
from partitope.solvers.microaggregation import Microaggregation
from partitope.solvers.microaggregation.bound import lower_bound
from partitope.solvers.microaggregation.partitioner import standardised
from partitope.solvers.microaggregation.search import mdav

from .data.microdata import load_microdata

RECORDS = Path(__file__).parent / "records" / "microaggregation.json"


def measure(name: str, m: int, seconds: float) -> dict[str, float]:
    """Losses and bounds in per cent, and processor seconds; kernels are compiled before."""
    X = load_microdata(name).to_numpy(float)
    Z = standardised(X)
    total = float((Z**2).sum())
    Microaggregation(m, n_iter=1, bound_iter=0, random_state=0).fit(X[:100])
    start = time.process_time()
    model = Microaggregation(m, time_limit=seconds, random_state=0).fit(X)
    return {
        "mdav": 100 * within_squares(Z, mdav(Z, m)) / total,
        "information loss": model.information_loss_,
        "bound": model.bound_,
        "bound of nearest neighbours alone": 100 * lower_bound(Z, total, m, 0, Deadline(0.0)) / total,
        "search steps": model.n_iter_,
        "time limit": seconds,
        "cpu seconds": time.process_time() - start,
    }


def main() -> None:
    """Measure the named tables and sizes, and add them to the records."""
    found = json.loads(RECORDS.read_text(encoding="utf-8")) if RECORDS.exists() else {}
    for job in sys.argv[2:]:
        name, _, m = job.partition(":")
        found[f"{name}, m = {m}"] = measure(name, int(m), float(sys.argv[1]))
        print(job, found[f"{name}, m = {m}"], flush=True)
        RECORDS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
