"""Tables 7.1 to 7.4: the clustering-based test of hypotheses on Census Income, with 5 and 10 clusters.

Two things are compared. First, the printed clusters: from the printed sizes and shares our test computes the limits and
the p-values again; they agree as far as the printed shares, of two digits, allow. Second, clusters of our own: weighted
columns as in chapter 6, no size bounds, 50 starts from the unit sphere of which the best one counts, lambda .75. They
are computed for three variants of the preprocessing (`readings`): the one that the text suggests at first reading, the
best one that the text allows, and the departure that comes nearest to the printed clusters. Clusters are compared with
the printed ones in the order of their values: sizes and shares on the training rows, sizes, shares and p-values on the
test rows, accuracy, sensitivity and specificity, and the number of p-values below 5 and 1 percent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from partitope.stats import accuracy_interval, cluster_value_test
from partitope.stats.cluster_values.test import cluster_value_test_counts

from .base.rows import JUDGED, as_row, interval, measure
from .base.study import Job, Result, Row, Study
from .census_tables import census_classifier
from .printed.tests import CLUSTERS, QUALITY, VALUES
from .readings import BEST_OF_TEXT, TEXT, Reading, closest, parts_of
from .starts import start_measures, start_rows

LAM = 0.75
LEVELS = (0.05, 0.01)
COLUMNS = ("n_train", "f_train", "n_test", "f_test", "lower_limit", "upper_limit", "p_lower", "p_upper")


def hypotheses_jobs(*, quick: bool = False, random_state: int = 0, n_starts: int = 50) -> list[dict[str, Any]]:
    """One job a reading and number of clusters.

    Parameters
    ----------
    quick : bool, default False
        2 starts.
    n_starts : int, default 50
        Starts; the one with the best objective is tested.
    """
    n_starts = min(n_starts, 2) if quick else n_starts
    asked = {"printed": TEXT} if quick else {"printed": TEXT, "text": BEST_OF_TEXT, "closest": closest()}
    return [
        {"study": "tests", "k": k, "preprocessing": name, "reading": reading.settings(), "n_starts": n_starts,
         "random_state": random_state}
        for name, reading in asked.items()
        for k in CLUSTERS
    ]  # fmt: skip


def hypotheses_job(job: Job, n_jobs: int | None = None) -> dict[str, Any]:
    """Our clusters: their quality as a classifier, and the table of the test, as plain values."""
    parts = parts_of(Reading.of(job["reading"]))
    model = census_classifier(job, lower=None, weighted=True, n_jobs=n_jobs).fit(*parts["train"])
    quality = {part: measure(y == ">50K", model.predict_proba(X, "max")[:, 1]) for part, (X, y) in parts.items()}
    (cells, high), (test_cells, test_high) = (
        (model.apply(X)[:, model.best_], y == ">50K") for X, y in (parts["train"], parts["test"])
    )
    result = cluster_value_test(cells, high, test_cells, test_high, lam=LAM, n_clusters=job["k"])
    starts = start_measures(model, {part: (X, y == ">50K") for part, (X, y) in parts.items()})
    return {
        "quality": quality,
        "starts": starts,
        "values": result.table[list(COLUMNS)].to_numpy(dtype=np.float64).tolist(),
    }


def hypotheses_rows(done: Sequence[tuple[Job, Result]]) -> list[Row]:
    """The printed clusters, then our own, which need the data."""
    rows: list[Row] = []
    for k in CLUSTERS:
        rows += _printed_clusters(k)
        for job, result in done:
            if job["k"] == k and "missing" not in result:
                found = _quality_rows(k, result) + _value_rows(k, result) + _start_rows(k, result)
                rows += [row | {"preprocessing": job["preprocessing"]} for row in found]
    return rows


def _printed_clusters(k: int) -> list[Row]:
    """Limits and p-values computed again from the printed shares, which have two digits: the ends of the shares."""
    table = np.array(VALUES[k])
    n_train, n_test = table[:, 0].astype(int), table[:, 2].astype(int)

    def tested(shift_train: float, shift_test: float) -> np.ndarray:
        values = np.clip(table[:, 1] + shift_train, 0.0, 100.0) / 100.0
        ones = np.rint(n_test * np.clip(table[:, 3] + shift_test, 0.0, 100.0) / 100.0).astype(int)
        result = cluster_value_test_counts(values, n_test, ones, n_train, LAM)
        return 100.0 * result.table[["lower_limit", "upper_limit", "p_lower", "p_upper"]].to_numpy(dtype=np.float64)

    ours = tested(0.0, 0.0)
    ends = np.array([tested(a, b) for a in (-0.005, 0.0, 0.005) for b in (-0.005, 0.0, 0.005)])
    low, high = ends.min(axis=0) - 0.005, ends.max(axis=0) + 0.005
    name = "7.2" if k == 5 else "7.4"
    rows = []
    for column, metric in enumerate(("lower limit", "upper limit", "p lower", "p upper")):
        for cluster in range(k):
            span = (ours[cluster, column], max(0.0, low[cluster, column]), high[cluster, column])
            paper = float(table[cluster, 4 + column])
            note = "the interval is what the rounding of the printed shares allows"
            row = as_row(name, f"printed cluster {cluster + 1}", f"k={k}", metric, paper, span, note=note)
            rows.append(row | {"verdict": "checked" if row["verdict"] == "met" else "differs"})
    return rows


def _quality_rows(k: int, result: Result) -> list[dict[str, Any]]:
    rows = []
    for part, printed in QUALITY[k].items():
        found = result["quality"][part]
        for metric, paper in printed.items():
            low, high = interval(metric, found[metric], found["positives"], found["negatives"])
            span = (100 * found[metric], 100 * low, 100 * high)
            rows.append(as_row("7.1" if k == 5 else "7.3", part, f"k={k}", metric, paper, span, result["seconds"]))
    return rows


def _value_rows(k: int, result: Result) -> list[dict[str, Any]]:
    """Our clusters beside the printed ones of the same rank, and how many p-values are small."""
    table, printed = np.array(result["values"], dtype=np.float64), np.array(VALUES[k])
    name, seconds = "7.2" if k == 5 else "7.4", result["seconds"]
    rows = []
    for number, (ours, paper) in enumerate(zip(table, printed), start=1):
        n_train, f_train, n_test, f_test, *_, p_lower, p_upper = ours
        where, of = f"cluster {number}", f"k={k}"
        for part, size, share, at in (("training", n_train, f_train, 0), ("test", n_test, f_test, 2)):
            total, printed_total = table[:, at].sum(), printed[:, at].sum()
            for metric, n, ones, figure in (
                (f"share of {part} rows", total, size, 100 * paper[at] / printed_total),
                (f"{part} value", size, share * size, paper[at + 1]),
            ):
                if n:
                    span = (ones / n, *accuracy_interval(round(ones), round(n), method="wilson"))
                    row = as_row(name, where, of, metric, figure, [100 * end for end in span], seconds)
                    rows.append(row | {"verdict": "met" if row["verdict"] == "met" else "differs"})
        for metric, p, at in (("p lower", p_lower, 6), ("p upper", p_upper, 7)):
            row = as_row(name, where, of, metric, paper[at], (100 * p, np.nan, np.nan), seconds)
            rows.append(row | {"verdict": "met" if abs(row["difference"]) <= 1.0 else "differs"})
    for level in LEVELS:
        ours = int((table[:, 6:8] < level).sum())
        paper = int((printed[:, 6:8] < 100 * level).sum())
        row = as_row(name, "all clusters", f"k={k}", f"p-values below {100 * level:g} %", paper, (ours,) * 3, seconds)
        row |= {"low": np.nan, "high": np.nan, "note": f"of {2 * k}"}
        rows.append(row | {"verdict": "met" if ours == paper else "differs"})
    return rows


def _start_rows(k: int, result: Result) -> list[dict[str, Any]]:
    """The claims on starts, in this study's columns."""
    rows = start_rows([result["starts"]], "weighted", k)
    kept = ("table", *JUDGED)
    return [{"data": row["part"], "method": f"k={k}"} | {name: row[name] for name in kept} for row in rows]


STUDY = Study(
    "Öllinger, Tables 7.1 to 7.4: tests of cluster values, percent",
    hypotheses_jobs, hypotheses_job, hypotheses_rows,
    unit=100.0, same_rows=True,
)  # fmt: skip
