"""Census Income and German Credit once more: local linear models in convex cells, chosen inside the training rows.

The dissertation's best figures, 85.98 % on the published test rows of the one and 75.48 % over ten random folds of the
other, beside those of logistic regressions in cells, each shrunk towards that of all rows.

    census     linear in splines, log-odds of conditional means and those of pairs of columns (`census_pairs`); every
               one of `SHAPES`, CAC with local models, with every one of `LOCAL_PENALTIES`, is scored by its log-loss in
               three folds of the training rows, and so are the means of the best 2, 3, ... `MOST_TOGETHER` of them;
               the best of these is learnt from all training rows, its members sharing the starts, and the test rows
               are classified once
    german     `LocalModelSearch` as it stands, in each of the ten training parts of ten drawings of the folds

The cells of every start are those of a power diagram. That the training rows lie in them is certified: for the sizes
that the cells have, no other clustering has a larger sum of the cells' scores.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import make_union

from partitope.classifiers import ConditionalMeanEncoder, LocalModelClassifier, LocalModelSearch
from partitope.classifiers.linear.pooled import PooledLogisticRegression
from partitope.classifiers.search.out_of_fold import BASES, Candidate, Fold, cell_answers, score_all_rows
from partitope.datasets import load_dataset
from partitope.models.certificates.certificate import check_assignment
from partitope.models.polytope.polytope import PartitionPolytope
from partitope.models.programs.assignment import AssignmentModel
from partitope.solvers.cac.partitioner import CAC

from .base.rows import as_row, interval, measure
from .base.study import Job, Result, Row, Study
from .census_pairs import PairLogOdds
from .german import N_FOLDS
from .readings import BY_VALUE, parts_of

PRINTED = {"census": 85.98, "german": 75.48}
FOLDS = 3
BASIS, SPACE = "log-odds", "conditional means"
LOCAL_PENALTIES = (1000.0, 500.0, 300.0, 150.0)
TOLERANCE = 1e-3  # of the fits that are compared
CHOOSING_STARTS = 10
MOST_TOGETHER = 5
MEASURES = ("ACC", "SENS", "SPEC", "AUC")


SHAPES = tuple((k, bounds) for k in (8, 12, 20, 32) for bounds in ((0.2, 3.0), (0.02, float(k))))
"""Clusters, and their bounds in units of n / k."""


def local_jobs(
    *, quick: bool = False, random_state: int = 0, n_starts: int = 50, repetitions: int = 10
) -> list[dict[str, Any]]:
    """One job for Census Income, and one for each drawing of the folds of German Credit.

    Parameters
    ----------
    quick : bool, default False
        One shape, two starts and one drawing.
    n_starts : int, default 50
        Starts of the classifier of Census Income, at least 2.
    repetitions : int, default 10
        How often the ten folds of German Credit are drawn.

    Notes
    -----
    About ten minutes on one core.
    """
    if quick:
        n_starts, repetitions = 2, 1
    census = {
        "study": "local",
        "data": "census",
        "n_starts": n_starts,
        "shapes": 1 if quick else len(SHAPES),
    }
    german = [{"study": "local", "data": "german", "repetition": repetition} for repetition in range(repetitions)]
    census["of"] = 4
    return [{"of": 3} | job | {"random_state": random_state} for job in (census, *german)]


def local_job(job: Job) -> dict[str, Any]:
    """Measures on rows held out and what was chosen, as plain values."""
    started = perf_counter()
    found = census_result(job) if job["data"] == "census" else german_result(job)
    return found | {"seconds": perf_counter() - started}


def census_result(job: Job) -> dict[str, Any]:
    """The best of the job's candidates, or the mean of several, on the published test rows."""
    parts, seed = parts_of(BY_VALUE), job["random_state"]
    X, classes = parts["train"]
    y = np.asarray(classes) == ">50K"
    starts = min(job["n_starts"], CHOOSING_STARTS)
    chosen, losses = best_together(held_out_chances(SHAPES[: job["shapes"]], X, y, starts, seed), y)
    each = max(2, job["n_starts"] // len(chosen))
    models = [local_classifier(candidate, len(X), each, seed).fit(X, y) for candidate in chosen]
    members = [(start, model.encoder_.transform(X)) for model in models for start in model.starts_]
    certified = sum(cells_are_certified(start, points) for start, points in members)
    measures = {
        part: measure(
            np.asarray(said) == ">50K", np.mean([model.predict_proba(rows)[:, 1] for model in models], axis=0)
        )
        for part, (rows, said) in parts.items()
    }
    names = "; ".join(
        f"k={c.n_clusters}, sizes {c.bounds[0]:g} to {c.bounds[1]:g} n/k, penalties {c.penalty:g}, {c.local_penalty:g}"
        for c in chosen
    )
    return {
        "measures": measures,
        "losses": losses,
        "note": f"{names}; cells of {certified} of {len(members)} starts certified",
    }


def best_together(
    chances: Mapping[Candidate, NDArray[np.float64]], y: NDArray[np.bool_]
) -> tuple[list[Candidate], list[float]]:
    """The candidates whose mean has the least log-loss on the classes y (n,), and the losses of the best 1, 2, ...

    Only means of the best ones, each counting the same, are compared; ``chances`` are of rows held out.
    """
    order = sorted(chances, key=lambda candidate: log_loss(y, chances[candidate]))
    together = [np.mean([chances[c] for c in order[:m]], axis=0) for m in range(1, min(MOST_TOGETHER, len(order)) + 1)]
    losses = [float(log_loss(y, mean)) for mean in together]
    return order[: int(np.argmin(losses)) + 1], losses


def held_out_chances(
    shapes: Sequence[tuple[int, tuple[float, float]]], X: pd.DataFrame, y: NDArray[np.bool_], n_starts: int, seed: int
) -> dict[Candidate, NDArray[np.float64]]:
    """Chance (n,) of the positive class for each of the rows X (n, d), learnt from the folds without it.

    Of every shape with every local penalty; the penalty of the model of all rows is the best in the same folds.
    """
    parts = {BASIS: make_union(PairLogOdds(), BASES[BASIS]), SPACE: ConditionalMeanEncoder()}
    splits = StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(X, y)
    folds = [Fold(X, y.astype(np.int64), 2, train, test, parts) for train, test in splits]
    alone = min(score_all_rows(folds, BASIS, tol=TOLERANCE), key=lambda one: one.loss).candidate
    chances: dict[Candidate, NDArray[np.float64]] = {}
    for k, bounds in shapes:
        common = alone._replace(n_clusters=k, bounds=bounds, strategy="CAC", space=SPACE)
        every = [common._replace(local_penalty=penalty) for penalty in LOCAL_PENALTIES]
        chances |= {candidate: np.zeros(len(y)) for candidate in every}
        for fold, start in product(folds, range(n_starts)):
            answers = cell_answers(fold, common, bounded_cac, seed + start, LOCAL_PENALTIES, TOLERANCE)
            for candidate, answer in zip(every, answers):
                chances[candidate][fold.test] += answer[:, 1] / n_starts
    return chances


def bounded_cac(k: int, polytope: PartitionPolytope, seed: int) -> CAC:
    """The strategy of all candidates."""
    bounds = {"lower": polytope.lower, "upper": polytope.upper}
    return CAC(k, alpha=0.3, n_init=1, max_iter=5, **bounds, random_state=seed)


def local_classifier(candidate: Candidate, n_rows: int, n_starts: int, seed: int) -> LocalModelClassifier:
    """A candidate, to be learnt from ``n_rows`` rows."""
    polytope = PartitionPolytope.within(n_rows, candidate.n_clusters, *candidate.bounds)
    return LocalModelClassifier(
        bounded_cac(candidate.n_clusters, polytope, seed),
        PooledLogisticRegression(candidate.penalty, local_penalty=candidate.local_penalty),
        train_on="cells",
        encoder=ConditionalMeanEncoder(),
        basis=make_union(PairLogOdds(), clone(BASES[BASIS])),
        n_starts=n_starts,
        random_state=seed,
    )


def cells_are_certified(start: LocalModelClassifier, points: NDArray[np.float64]) -> bool:
    """Whether the points (n, d) in the cells of a start are an optimal assignment by the scores of its cells."""
    diagram = start.partition_.require_cells().diagram
    labels = diagram.predict(points)
    sizes = np.bincount(labels, minlength=diagram.n_clusters)
    model = AssignmentModel(PartitionPolytope(len(points), lower=sizes, upper=sizes), diagram.scores.on(points))
    return bool(check_assignment(model, labels, np.zeros(diagram.n_clusters)).verified)


def german_result(job: Job) -> dict[str, Any]:
    """The search in each of ten folds; means of the measures over them."""
    data = load_dataset("german")
    y = np.asarray(data.y)
    seed = job["random_state"] + 1000 * job["repetition"]
    folds, chosen = [], Counter[str]()
    for train, test in KFold(N_FOLDS, shuffle=True, random_state=seed).split(data.X):
        search = LocalModelSearch(random_state=seed).fit(data.X.iloc[train], y[train])
        positive = int(np.flatnonzero(search.classes_ == "good")[0])
        folds.append(measure(y[test] == "good", search.predict_proba(data.X.iloc[test])[:, positive]))
        chosen[f"k={search.best_candidate_.n_clusters}"] += 1
    return {"measures": {"test": pd.DataFrame(folds).mean().to_dict()}, "chosen": dict(chosen)}


def local_rows(done: Sequence[tuple[Job, Result]]) -> list[Row]:
    """Measures beside the dissertation's best accuracy on the same set; intervals of one test of all rows."""
    census = [result for job, result in done if job["data"] == "census"]
    german = [result for job, result in done if job["data"] == "german"]
    rows = []
    for result in census:
        found = result["measures"]["test"]
        counts = int(found["positives"]), int(found["negatives"])
        rows += _rows("census", "6.8", found, counts, result["seconds"], result["note"])
    if german:
        means = {m: float(np.mean([result["measures"]["test"][m] for result in german])) for m in MEASURES}
        chosen = sum((Counter(result["chosen"]) for result in german), Counter[str]())
        often = ", ".join(f"{k} {count} times" for k, count in chosen.most_common())
        seconds = sum(result["seconds"] for result in german)
        rows += _rows("german", "5.5", means, (700, 300), seconds, f"{len(german)} x {N_FOLDS} folds; chosen: {often}")
    return rows


def _rows(
    data: str, table: str, measures: Mapping[str, float], counts: tuple[int, int], seconds: float, note: str
) -> list[Row]:
    rows = []
    for metric in MEASURES:
        span = (measures[metric], *interval(metric, measures[metric], *counts))
        percent = [100.0 * value for value in span]
        printed = PRINTED[data] if metric == "ACC" else None
        rows.append(as_row(table, data, "local models", metric, printed, percent, seconds, note))
    return rows


STUDY = Study(
    "Census Income and German Credit by local models, beside the dissertation's best accuracy, percent",
    local_jobs, local_job, local_rows, partial=False, unit=100.0,
)  # fmt: skip
