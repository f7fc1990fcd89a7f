"""Figures 2 and 3 of the first paper on clustering aware classification: which properties of the data matter.

K natural clusters stand on vertices of a hypercube with sides 2 OCS, the outer separation; each holds two normal
classes, ICS apart in a random direction, one positive to ten negative. The papers change scikit-learn's generator in a
way they do not print, so that the tables here are of the same kind, not the same. CAC+LR with k clusters and the alpha
of best F1 on a part of the training rows; F1 and AUC on test rows, averaged over everything that a row of the table
does not name; the map of k and K has a row a cell. The figures print curves, no numbers: what is compared are their
statements (CLAIMS), each as a difference of two averages over the same draws, with a t interval over the draws.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.model_selection import train_test_split

from .base.rows import as_row, fold_interval
from .base.study import Job, Result, Row, Study

ICS = (0.0, 0.2, 0.5, 1.0, 1.5, 2.0)
OCS = (1.0, 1.5, 2.0)
NATURAL = (2, 3, 5, 10, 15, 20, 30)
ASKED = (2, 3, 4, 5)
ALPHAS = (0.01, 0.1, 1.0)
N_POINTS, DIMENSION, POSITIVE = 1500, 6, 1 / 11
METHODS = ("LR", "KM+LR", "CAC+LR")
METRICS = ("F1", "AUC")
CLAIMS = {
    "rises with the inner separation: ICS 2 less ICS 0": +1,
    "does not depend on the outer separation: OCS 2 less OCS 1": 0,
    "falls with the natural clusters: K 30 less K 2": -1,
    "is better for k >= K than for k < K": +1,
}
SMALL = 0.02
"""A difference that counts as none."""


def synthetic_jobs(*, quick: bool = False, random_state: int = 0, draws: int = 5) -> list[dict[str, Any]]:
    """One job a draw and inner separation.

    Parameters
    ----------
    quick : bool, default False
        Two draws; ICS 0 and 2, OCS 1 and 2, K 2 and 30, k 5.
    draws : int, default 5
        How often everything is drawn.
    """
    grid = ((0.0, 2.0), (1.0, 2.0), (2, 30), (5,)) if quick else (ICS, OCS, NATURAL, ASKED)
    return [
        {
            "study": "cac-synthetic",
            "ics": ics,
            "draw": draw,
            "random_state": random_state,
            "rest": list(grid[1:]),
            "of": 2,
        }
        for draw in range(min(draws, 2) if quick else draws)
        for ics in grid[0]
    ]  # fmt: skip


def synthetic_job(settings: Job) -> dict[str, Any]:
    """F1 and AUC of the three methods for one ICS and every OCS, K and k."""
    found = []
    for ocs, natural in product(*settings["rest"][:2]):
        key = [settings["random_state"], settings["draw"], round(10 * settings["ics"]), round(10 * ocs), natural]
        rng = np.random.default_rng(key)
        X, y = clusters_of_two_classes(settings["ics"], ocs, natural, rng)
        for asked in settings["rest"][2]:
            scores = _scores(X, y, asked, int(rng.integers(2**31)))
            found.append({"OCS": ocs, "K": natural, "k": asked, **scores})
    return {"cells": found}


def synthetic_rows(done: Sequence[tuple[Job, Result]]) -> list[Row]:
    """Averages over the sweeps of ICS, OCS, K and k, the map of k and K, and the papers' statements; met: the interval
    says the same."""
    records = [{**cell, "draw": job["draw"], "ICS": job["ics"]} for job, found in done for cell in found["cells"]]
    frame = pd.DataFrame(records)
    seconds = sum(found["seconds"] for _, found in done)
    rows = []
    for figure, name in (("Figure 2a", "ICS"), ("Figure 2b", "OCS"), ("Figure 3a", "K"), ("Figure 3b", "k")):
        for value, part in frame.groupby(name):
            for method, metric in product(METHODS, METRICS):
                span = fold_interval(part.groupby("draw")[f"{metric} {method}"].mean().to_numpy(), 0.0)
                rows.append(as_row(figure, f"{name}={value:g}", method, metric, None, span, seconds))
    for (k, natural), part in frame.groupby(["k", "K"]):
        for metric in METRICS:
            span = fold_interval(part.groupby("draw")[f"{metric} CAC+LR"].mean().to_numpy(), 0.0)
            rows.append(as_row("Figure 3b", f"k={k} with K={natural}", "CAC+LR", metric, None, span, seconds))
    return rows + [row for metric in METRICS for row in _claims(frame, metric, seconds)]


def clusters_of_two_classes(ics: float, ocs: float, natural: int, rng: np.random.Generator) -> tuple[NDArray, NDArray]:
    """Points (N_POINTS, DIMENSION) and classes 0/1 of the mixture that heads this module."""
    corners = rng.permutation(2**DIMENSION)[:natural]
    centres = ocs * (2.0 * ((corners[:, None] >> np.arange(DIMENSION)) & 1) - 1.0)
    ways = rng.normal(size=(natural, DIMENSION))
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    cluster = rng.integers(natural, size=N_POINTS)
    y = (rng.random(N_POINTS) < POSITIVE).astype(np.int64)
    shift = (y - 0.5)[:, None] * ics * ways[cluster]
    return centres[cluster] + shift + 0.5 * rng.normal(size=(N_POINTS, DIMENSION)), y


def _scores(X: NDArray, y: NDArray, k: int, seed: int) -> dict[str, float]:
    """Each measure of each method, by "F1 LR" and the like."""
    from sklearn.cluster import KMeans
    from sklearn.linear_model import LogisticRegression

    from partitope.classifiers import LocalModelClassifier
    from partitope.solvers import CAC

    rows = train_test_split(np.arange(len(y)), test_size=0.4, random_state=seed, stratify=y)
    train, test = rows
    fit, held = train_test_split(train, test_size=0.3, random_state=seed, stratify=y[train])

    def local(partitioner: Any) -> Any:
        return LocalModelClassifier(partitioner, LogisticRegression(max_iter=300))

    def score(model: Any, learnt: NDArray, read: NDArray) -> tuple[float, float]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            chance = model.fit(X[learnt], y[learnt]).predict_proba(X[read])[:, 1]
        F1 = float(f1_score(y[read], chance > 0.5, zero_division=0.0))
        return F1, float(roc_auc_score(y[read], chance))

    def cac(alpha: float) -> Any:
        return local(CAC(k, alpha=alpha, n_init=3, random_state=0))

    best = max(ALPHAS, key=lambda alpha: score(cac(alpha), fit, held)[0])
    models = {
        "LR": LogisticRegression(max_iter=300),
        "KM+LR": local(KMeans(k, n_init=3, random_state=0)),
        "CAC+LR": cac(best),
    }
    found = {method: score(models[method], train, test) for method in METHODS}
    return {f"{metric} {method}": value for method in METHODS for metric, value in zip(METRICS, found[method])}


def _claims(frame: pd.DataFrame, metric: str, seconds: float) -> list[Row]:
    ours = frame[["draw", "ICS", "OCS", "K", "k"]].assign(value=frame[f"{metric} CAC+LR"])

    def mean(rows: pd.Series) -> NDArray:
        return ours[rows].groupby("draw")["value"].mean().to_numpy()

    pairs = [
        (ours["ICS"] == 2, ours["ICS"] == 0),
        (ours["OCS"] == 2, ours["OCS"] == 1),
        (ours["K"] == 30, ours["K"] == 2),
        (ours["k"] >= ours["K"], ours["k"] < ours["K"]),
    ]
    rows = []
    for figure, (claim, sign), (first, second) in zip(("2a", "2b", "3a", "3b"), CLAIMS.items(), pairs, strict=True):
        interval = fold_interval(mean(first) - mean(second), 0.0)
        row = as_row(f"Figure {figure}", claim, "CAC+LR", f"difference of {metric}", None, interval, seconds)
        rows.append(row | {"verdict": _judge(sign, interval)})
    return rows


def _judge(sign: int, interval: tuple[float, float, float]) -> str:
    _, low, high = interval
    if sign == 0:
        return "met" if low > -SMALL and high < SMALL else "missed"
    return "met" if (low > 0 if sign > 0 else high < 0) else "missed"


STUDY = Study(
    "Srivastava et al., Figures 2 and 3: F1 over properties of the data", synthetic_jobs, synthetic_job, synthetic_rows
)
