"""Table 7.2 as a fingerprint: which reading of the preprocessing gives the printed clusters of Census Income.

Every reading of `readings` is encoded, weighted and clustered as the dissertation says: 5 clusters, no bounds, the best
of four starts drawn from the unit sphere. Its distance is the number of training rows that would have to change, either
their cluster or their class, before its clusters, in the order of their values, had the printed sizes and shares:

    distance = 1/2 sum over clusters i and classes y of | n_iy - printed n_iy |

The printed n_i1 is n_i f_i, known to within half a hundredth of a percent of n_i. Only training rows are compared, so
that the test rows stay out of the choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from partitope.classifiers import ConditionalMeanEncoder
from partitope.models.polytope.polytope import PartitionPolytope
from partitope.solvers.geometric.best_alternation import best_alternation
from partitope.solvers.geometric.problem import GeometricProblem

from .base.rows import as_row
from .base.study import Job, Result, Row, Study
from .printed.tests import VALUES
from .readings import Reading, parts_of, readings

K = 5


def fingerprint_jobs(*, quick: bool = False, random_state: int = 0, starts: int = 4) -> list[dict[str, Any]]:
    """One job a reading.

    Parameters
    ----------
    quick : bool, default False
        2 starts, two readings.
    starts : int, default 4
        Starts; the one with the best objective counts.
    """
    every = readings()
    starts, asked = (min(starts, 2), every[:2]) if quick else (starts, every)
    return [
        {
            "study": "readings",
            "reading": one.settings(),
            "n_starts": starts,
            "random_state": random_state,
        }
        for one in asked
    ]


def fingerprint_job(job: Job) -> dict[str, Any]:
    """Sizes and numbers of the class ">50K" of the training rows' clusters, in the order of their shares."""
    reading = Reading.of(job["reading"])
    frame, y = parts_of(reading)["train"]
    Z = encoded(reading, frame, y)
    problem = GeometricProblem(
        Z, Z.mean(axis=0) * reading.centred, PartitionPolytope.asked_for(len(Z), K, None, None), "csa", "transport"
    )
    run = best_alternation(
        problem, check_random_state(job["random_state"]), init="sphere", n_init=job["n_starts"]
    )  # fmt: skip
    labels = problem.finish(run.step, run.sites)[0]
    sizes, ones = np.bincount(labels, minlength=K), np.bincount(labels, y == ">50K", minlength=K)
    order = np.argsort(ones / np.maximum(sizes, 1), kind="stable")
    return {"sizes": sizes[order].tolist(), "ones": ones[order].astype(int).tolist(), "objective": float(run.value)}


def encoded(reading: Reading, frame: Any, y: NDArray[Any]) -> NDArray[np.float64]:
    """Conditional means (n, d) times least-squares coefficients."""
    Z = np.asarray(ConditionalMeanEncoder(bins=None, smoothing=0.0, cross_fit=0).fit_transform(frame, y))
    aim = (y == ">50K").astype(np.float64)
    shift = 1.0 if reading.intercept else 0.0
    weights = np.linalg.lstsq(Z - shift * Z.mean(axis=0), aim - shift * aim.mean(), rcond=None)[0]
    return np.ascontiguousarray(Z * weights)


def distance(sizes: Sequence[int], ones: Sequence[int]) -> float:
    """The distance that heads this module."""
    n, f = np.array([row[:2] for row in VALUES[K]]).T
    printed = n * f / 100.0
    return float(0.5 * (np.abs(ones - printed) + np.abs(np.subtract(sizes, ones) - (n - printed))).sum())


def fingerprint_rows(done: Sequence[tuple[Job, Result]]) -> list[Row]:
    """One row a reading, the closest first."""
    rows = []
    for job, found in done:
        reading = Reading.of(job["reading"])
        apart = distance(found["sizes"], found["ones"])
        shares = 100.0 * np.array(found["ones"]) / np.maximum(found["sizes"], 1)
        note = f"sizes {' '.join(map(str, found['sizes']))}; values {' '.join(f'{s:.2f}' for s in shares)}"
        row = as_row("7.2", "training rows", reading.name, "rows that differ", None, (apart,) + (np.nan,) * 2,
                     found["seconds"], note)  # fmt: skip
        rows.append(
            row | {"objective": round(found["objective"], 4), **job["reading"], "columns": ", ".join(reading.columns)}
        )
    return sorted(rows, key=lambda row: row["ours"])


STUDY = Study(
    "Öllinger, Table 7.2: readings of the preprocessing by their distance from the printed clusters",
    fingerprint_jobs, fingerprint_job, fingerprint_rows, partial=False,
)  # fmt: skip
