"""Sections 5.1 and 6.2: the numbers of clusters and bounds that cross-validation chooses, beside the printed ones.

    census    three folds of the training rows, 5 to 30 clusters, lower bounds 1: printed is 29, weighted and unweighted
    german    in every training part of the ten folds of `german`, three folds, 10, 20 or 30 clusters, lower bounds of
              1, 10 or 20 (of 900 rows; in proportion in a fold): printed are 30 and 20. Candidates for the bounds and
              the number of inner folds are not printed

The accuracy of the mean over a few starts from the unit sphere decides, ties go to fewer clusters. How far the best
number is ahead of the printed one stands beside it, in percent of accuracy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.model_selection import KFold

from partitope.datasets import load_dataset

from .base.rows import as_row
from .base.study import Job, Result, Row, Study
from .census_tables import census_classifier
from .german import N_FOLDS, text_classifier
from .readings import Reading, closest, parts_of

CENSUS_K, GERMAN_K, GERMAN_LOWER = tuple(range(5, 31)), (10, 20, 30), (1, 10, 20)
INNER = 3
nan = float("nan")


def choices_jobs(*, quick: bool = False, random_state: int = 0, starts: int = 5) -> list[dict[str, Any]]:
    """One job a fold of German Credit, and a scenario and number of clusters of Census Income.

    Parameters
    ----------
    quick : bool, default False
        The first fold of German Credit, the printed numbers alone, 2 starts.
    starts : int, default 5
        Starts of every classifier.
    """
    seeded = {"study": "choices", "n_starts": min(starts, 2) if quick else starts, "random_state": random_state}
    tried = {"k": [30], "lower": [20]} if quick else {"k": list(GERMAN_K), "lower": list(GERMAN_LOWER)}
    folds = range(1 if quick else N_FOLDS)
    jobs: list[dict[str, Any]] = [seeded | {"data": "german", "fold": fold, **tried} for fold in folds]
    if not quick:
        reading = closest().settings()
        jobs += [
            seeded | {"data": "census", "weighting": weighting, "k": k, "reading": reading}
            for weighting in ("unweighted", "weighted")
            for k in CENSUS_K
        ]
    return jobs


def choices_job(job: Job) -> dict[str, Any]:
    """Accuracies over the inner folds, by number of clusters and, for German Credit, bound."""
    seed = job["random_state"]
    if job["data"] == "census":
        X, y = parts_of(Reading.of(job["reading"]))["train"]
        weighted = job["weighting"] == "weighted"
        model = census_classifier(job, lower=1, weighted=weighted, n_jobs=None)
        return {"accuracies": [[job["k"], 1, _accuracy(lambda n: model, X, y, seed)]]}
    data = load_dataset("german")
    train = list(KFold(N_FOLDS, shuffle=True, random_state=seed).split(data.X))[job["fold"]][0]
    X, y = data.X.iloc[train], data.y[train]
    found = []
    for k in job["k"]:
        for lower in job["lower"]:

            def make(n: int, k: int = k, lower: int = lower) -> Any:
                return text_classifier(k, max(1, lower * n // len(y)), job["n_starts"], seed)

            found.append([k, lower, _accuracy(make, X, y, seed)])
    return {"accuracies": found}


def _accuracy(make: Any, X: Any, y: Any, seed: int) -> float:
    """Share of the rows that a classifier, made for so many training rows, hits when they are held out."""
    hits = 0
    for train, test in KFold(INNER, shuffle=True, random_state=seed).split(X):
        model = make(len(train)).fit(X.iloc[train], y[train])
        hits += int((model.predict(X.iloc[test]) == y[test]).sum())
    return hits / len(y)


def choices_rows(done: Sequence[tuple[Job, Result]]) -> list[Row]:
    """The chosen numbers and what they gain over the printed ones."""
    rows = []
    for weighting in ("unweighted", "weighted"):
        tried = {
            job["k"]: found["accuracies"][0][2]
            for job, found in done
            if (job["data"], job.get("weighting")) == ("census", weighting)
        }
        if tried:
            best = max(tried, key=lambda k: (tried[k], -k))
            rows += _rows("6.2", "census", weighting, "k", 29, best, 100 * (tried[best] - tried[29]))
    folds = [found["accuracies"] for job, found in done if job["data"] == "german"]
    chosen = [max(found, key=lambda one: (one[2], -one[0])) for found in folds]
    printed = [next(one for one in found if one[:2] == [30, 20]) for found in folds]
    gain = 100 * float(np.mean([a[2] - b[2] for a, b in zip(chosen, printed)]))
    for place, metric, paper in ((0, "k, most frequent", 30), (1, "lower bound, most frequent", 20)):
        counts = Counter(one[place] for one in chosen)
        word = ", ".join(f"{value} in {count} folds" for value, count in counts.most_common())
        rows += _rows("5.1", "german", "unweighted", metric, paper, counts.most_common()[0][0], gain, word)
    return rows


def _rows(
    table: str, data: str, method: str, metric: str, paper: int, ours: int, gain: float, note: str = ""
) -> list[Row]:
    row = as_row(table, data, method, metric, paper, (ours, nan, nan), note=note)
    ahead = as_row(table, data, method, f"{metric}: accuracy ahead of the printed", None, (gain, nan, nan))
    return [row | {"verdict": "met" if ours == paper else "differs"}, ahead]


STUDY = Study(
    "Öllinger, sections 5.1 and 6.2: clusters and bounds chosen by cross-validation",
    choices_jobs, choices_job, choices_rows,
    partial=False, unit=100.0,
)  # fmt: skip
