"""Information loss, proved bound and seconds of microaggregation on the CASC reference tables.

``python -m benchmarks.microaggregation 60 census:3 eia:5`` gives each 60 seconds and adds the results to
``benchmarks/records/microaggregation.json``.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from partitope.cluster.microaggregation import Microaggregation, standardised
from partitope.cluster.microaggregation_search import mdav, within_squares

from .data.microdata import load_microdata

RECORDS = Path(__file__).parent / "records" / "microaggregation.json"


def measure(name: str, m: int, seconds: float) -> dict[str, float]:
    """Losses in per cent and processor seconds; steps in proportion to the time, for a machine of one quiet core."""
    X = load_microdata(name).to_numpy(float)
    Z = standardised(X)
    start = time.process_time()
    steps = int(30_000 * seconds)
    model = Microaggregation(m, time_limit=seconds, n_iter=steps, bound_iter=10_000, random_state=0).fit(X)
    return {
        "mdav": 100 * within_squares(Z, mdav(Z, m)) / float((Z**2).sum()),
        "information loss": model.information_loss_,
        "bound": model.bound_,
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
