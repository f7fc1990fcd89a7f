"""Global optima of known instances, measured here and compared with the published values.

`PYTHONPATH=. python docs/global_records.py [GROUP[/NAME/K[/SECONDS]] ...]` solves the instances of a group anew, or one
of them, and writes global_records.json next to this file after each; `tables` shows it on the page of studies.
Ruspini, glass and the tables of the published bounds are read from the folder that PARTITOPE_DATA names, as
`mssc/ruspini.txt`, `glass/glass.data`, `segment/segment.arff` and `global/NAME.npz`.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from datetime import date
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from partitope.base import deadline

RECORDS = Path(__file__).with_suffix(".json")
IRIS = (152.347952, 78.851441, 57.228473, 46.446182, 39.039987, 34.298230, 29.988944, 27.786092, 25.834055)
RUSPINI = (89337.8321, 51063.4750, 12881.0512, 10126.7198, 8575.4069, 7126.1985, 6149.6390, 5181.6518, 4446.2821)
GLASS = 72.9647
NODES = 2  # explored at the same time; of the rows kept, breast cancer in three clusters is the first that was
SOURCES = {
    "plain": "du Merle, Hansen, Jaumard and Mladenovic, SIAM J. Sci. Comput. 21 (1999), for iris and Ruspini; "
    "Piccialli, Sudoso and Wiegele, INFORMS J. Comput. 34 (2022), for glass.",
    "iris within bounds": "The proofs are ours.",
    "sizes within a tenth": "We know of no published values with sizes within 10 % of n / k. In the plane, branching "
    "on boxes of centres closes the gap of the semidefinite relaxation.",
    "thousands of points": "Overlapping normal groups of equal size, eight features, with a seed; sizes are within "
    "10 % of n / k, and the requested gap is .1 %. The bound is that of parts of some hundred points, later up to a "
    "thousand; memory stays below 1 GB. With ten groups small parts leave a gap of 3 %; parts of a thousand points "
    "close it, in some minutes each.",
    "tables of published bounds": "Real tables without bounds on sizes, with standardised columns (digits: raw). "
    "Croella, Piccialli and Sudoso (arXiv 2502.08397, 2025) state gaps below 3 % for abalone, facebook and pulsar "
    "after about two hours with MATLAB, SDPNAL+ and Gurobi; published values are those of their clusterings. Runs end "
    "at the requested gap. In up to three dimensions column generation has a part of the time. The gaps of column "
    "generation and parts after 45 s on the clock, for 2600 normal points in two groups, are .28 and 2.34 % (d = 2, "
    "k = 5), 2.5 and 4.4 % (d = 3, k = 3), 35 and 7.5 % (d = 3, k = 8).",
    "tables of the study": "The fifteen tables of the study of size bounds, encoded as there: at most 5000 rows, "
    "columns as conditional means of the classes; as many clusters as classes, sizes free. The requested gap is .1 %.",
    "many points": "Two overlapping groups of normal points, with a seed; sizes are within 20 % of n / k. The "
    "requested gap is 1 %. A hundred thousand points or more are grouped into cells.",
    "norms": "Points are normal, with a seed; sizes are within 20 % of n / 3. The objective is the sum of norms.",
}


def instances() -> dict[str, list[dict[str, Any]]]:
    """Groups of instances: name, points, k, size bounds, gap, seconds, objective and published value."""
    from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
    from sklearn.preprocessing import scale

    from studies.beyond import sample
    from studies.data import load_table
    from studies.sizes import MOST_ROWS, SETS, classifier

    folder = Path(os.environ["PARTITOPE_DATA"])
    ruspini = np.loadtxt(folder / "mssc" / "ruspini.txt", skiprows=1)
    glass = np.loadtxt(folder / "glass" / "glass.data", delimiter=",")[:, 1:10]
    glass = 2.0 * (glass - glass.min(axis=0)) / np.ptp(glass, axis=0) - 1.0
    iris = load_iris().data

    def case(
        name: str, X: Any, k: int, lower: int, upper: int, gap: float, limit: float, **more: Any
    ) -> dict[str, Any]:
        return {"name": name, "X": X, "k": k, "lower": lower, "upper": upper, "gap": gap, "limit": limit, **more}

    def balanced(name: str, X: Any, k: int) -> dict[str, Any]:
        n = len(X)
        return case(name, X, k, int(np.ceil(0.9 * n / k)), int(1.1 * n / k), 1e-4, 120.0)

    def normal(n: int, d: int) -> dict[str, Any]:
        X = np.random.default_rng(n + d).normal(size=(n, d))
        return case(f"normal, d = {d}", X, 3, int(0.8 * n / 3), int(1.2 * n / 3), 1e-2, 120.0, objective="csa")

    def many(n: int, d: int, k: int, limit: float = 120.0) -> dict[str, Any]:
        X = np.random.default_rng(n + d).normal(size=(n, d))
        X[: n // 2, 0] += 2.0
        return case(f"two groups, d = {d}", X, k, int(np.ceil(0.8 * n / k)), int(1.2 * n / k), 1e-2, limit)

    def grouped(n: int, k: int, d: int = 8, limit: float = 300.0) -> dict[str, Any]:
        rng = np.random.default_rng(n + d)
        centres = rng.normal(size=(k, d)) * 4.5 / np.sqrt(d)
        X = centres[np.arange(n) % k] + rng.normal(size=(n, d))
        return case(f"{n} points in groups", X, k, int(np.ceil(0.9 * n / k)), int(1.1 * n / k), 1e-3, limit)

    def table(name: str, k: int, gap: float, limit: float, value: float | None = None) -> dict[str, Any]:
        X = scale(np.load(folder / "global" / f"{name}.npz")["X"]) if name == "pulsar" else None
        if name == "digits":
            X = load_digits().data
        elif name == "image segmentation":
            text = (folder / "segment" / "segment.arff").read_text(encoding="utf-8").lower().split("@data")[1]
            X = scale(np.array([line.split(",")[:-1] for line in text.split()], dtype=float))
        elif X is None:
            X = np.load(folder / "global" / f"{name}.npz")["X"]
        return case(name, X, k, 0, len(X), gap, limit, **({} if value is None else {"published": value}))

    def studied(name: str) -> dict[str, Any]:
        data = sample(load_table(name, 0), 0, MOST_ROWS)
        X = np.asarray(classifier(2, None, 1, 0, 1).fit(data.X, data.y).encode(data.X))
        return case(name, X, len(data.classes), 0, len(X), 1e-3, 60.0)

    tables = [("Ruspini", ruspini), ("wine, scaled", scale(load_wine().data))]
    tables.append(("breast cancer, scaled", scale(load_breast_cancer().data)))
    return {
        "plain": [
            *(case("Ruspini", ruspini, k, 0, 75, 1e-6, 60.0, published=v) for k, v in enumerate(RUSPINI, 2)),
            *(case("iris", iris, k, 0, 150, 1e-6, 60.0, published=v) for k, v in enumerate(IRIS, 2)),
            case("glass, columns scaled to [-1, 1]", glass, 6, 0, 214, 1e-6, 120.0, published=GLASS),
        ],
        "iris within bounds": [
            case("iris", iris, 3, lower, upper, 1e-8, 60.0) for lower, upper in ((50, 50), (40, 60), (10, 150))
        ],
        "sizes within a tenth": [
            *(balanced(name, X, k) for name, X in tables for k in range(2, 8)),
            balanced("iris", iris, 7),
        ],
        "thousands of points": [grouped(n, k) for n in (2000, 4000) for k in (5, 10)],
        "tables of published bounds": [
            table("abalone", 3, 5e-4, 20.0, 1005.0684),
            table("abalone", 5, 4e-3, 60.0),
            table("image segmentation", 4, 1e-2, 40.0),
            table("image segmentation", 7, 1.5e-2, 100.0),
            table("digits", 10, 1.6e-2, 60.0),
            table("facebook", 3, 2e-2, 250.0, 62468.837),
            table("pulsar", 2, 8e-3, 80.0, 92214.368),
        ],
        "tables of the study": [studied(name) for name in SETS],
        "many points": [many(100_000, d, k) for d, k in ((2, 3), (2, 5), (3, 3))] + [many(1_000_000, 3, 5, 240.0)],
        "norms": [normal(n, d) for n, d in ((100, 4), (200, 6), (300, 10))],
    }


def measured(case: dict[str, Any]) -> dict[str, Any]:
    """One row of the record."""
    from partitope.models import PartitionPolytope
    from partitope.solvers import solve_global

    X, k = case["X"], case["k"]
    polytope = PartitionPolytope(len(X), case["lower"], case["upper"], n_clusters=k)
    started = process_time()
    objective, gap, limit = case.get("objective", "lsa"), case["gap"], case["limit"]
    best = solve_global(X, polytope, objective, gap=gap, time_limit=limit, n_jobs=NODES)
    assert best.bound is not None
    row = {key: case[key] for key in ("name", "k", "lower", "upper", "gap", "limit", "published") if key in case}
    row |= {"n": len(X), "value": best.objective, "lower_bound": best.bound.lower, "upper_bound": best.bound.upper}
    row |= {"reached": best.bound.gap, "proof": best.bound.proof, "status": best.status.name}
    took = {"seconds": round(best.seconds, 2), "cpu_seconds": round(process_time() - started, 2)}
    return row | took | {"date": date.today().isoformat(), "processor": _processor()}


def tables() -> str:
    """A table for every group of instances, for the page of studies."""
    record = json.loads(RECORDS.read_text(encoding="utf-8"))
    lines: list[str] = []
    before = ""
    for title, group in record.items():
        lines += ["", f"### {title[0].upper()}{title[1:]}", "", SOURCES[title], ""]
        dates = sorted({row["date"] for row in group["rows"]})
        when = f"on {dates[0]}" if len(dates) == 1 else f"from {dates[0]} to {dates[-1]}"
        known = any("published" in row for row in group["rows"])
        processors = {row["processor"] for row in group["rows"]}
        several = len(processors) > 1
        one = [] if several else processors
        columns = [
            "instance",
            "n",
            "k",
            "sizes",
            *["published"] * known,
            "found",
            "gap proved",
            "proof",
            "CPU s",
            "limit s",
            *["processor"] * several,
        ]
        machine = ", ".join([*one, group["machine"]])
        lines += [f"Measured {when}{'' if machine == before else f': {machine}'}.", ""]
        before = machine
        lines += ["| " + " | ".join(columns) + " |"]
        lines += [
            "|"
            + "|".join("---" if name in ("instance", "sizes", "proof", "processor") else "--:" for name in columns)
            + "|"
        ]
        for row in group["rows"]:
            sizes = "free" if row["lower"] == 0 else f"{row['lower']} to {row['upper']}"
            published = [f"{row['published']:.10g}" if "published" in row else ""] * known
            cells = [row["name"], row["n"], row["k"], sizes, *published, f"{row['value']:.9g}"]
            cells += [
                f"{row['reached']:.1e}",
                row["proof"],
                f"{row['cpu_seconds']:.1f}",
                f"{row['limit']:.0f}",
                *[row["processor"]] * several,
            ]
            lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines) + "\n"


def _processor() -> str:
    """The processor's own name, where the system tells it."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def _machine() -> str:
    versions = f"Python {platform.python_version()}, NumPy {np.__version__}"
    return f"{os.cpu_count()} cores, shared with other work, {platform.machine()}, {versions}"


def main(wanted: list[str]) -> None:
    """Measure the groups or instances named, all when none is, and keep the record."""
    deadline.clock = process_time  # limits are processor seconds: other work on the machine does not matter
    groups = instances()
    for title, *chosen in (entry.split("/") for entry in wanted or groups):
        cases = groups[title]
        measured({**cases[0], "limit": 1.0})  # what is compiled once on a machine does not count
        if chosen:
            cases = [case for case in cases if [case["name"], str(case["k"])] == chosen[:2]]
            cases = [{**case, "limit": float(chosen[2]) if chosen[2:] else case["limit"]} for case in cases]
        for case in cases:
            row = measured(case)
            record = json.loads(RECORDS.read_text(encoding="utf-8")) if RECORDS.exists() else {}
            rows = {_key(row): row for row in record.get(title, {"rows": []})["rows"]} | {_key(case): row}
            kept = [rows[_key(other)] for other in groups[title] if _key(other) in rows]
            record[title] = {"machine": _machine(), "rows": kept}
            RECORDS.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def _key(case: dict[str, Any]) -> tuple[str, int, int, int]:
    return case["name"], case.get("n") or len(case["X"]), case["k"], case["upper"]


if __name__ == "__main__":
    main(sys.argv[1:])
