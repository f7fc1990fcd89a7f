"""The curves, claims and theorems of the papers on clustering aware classification, beside their tables.

On the papers' own quarter of every set, standardised by the training rows, with logistic regressions in the clusters:

    rounds    CAC from k-means, one round after the other: S, D and phi after every round, the log-loss on training
              rows, each by the model of its own cluster, and on test rows, each by that of the nearest (Figures 2 to 4)
    ICS       sum over the clusters of |mu+ - mu-|, of k-means and of CAC with the printed alpha (Figure 5)
    bounds    Theorem 1 for all rows together and for the clusters (`cluster_risk`), and Theorem 4 (`log_loss_bounds`)

The figures print curves, not numbers: what is compared are their statements. Wins and average uplifts are computed
again from the printed tables, and from the rows of the study "cac" in the record that comes with the studies.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import log_loss

from partitope.classifiers import LocalModelClassifier
from partitope.models.polytope.polytope import PartitionPolytope
from partitope.solvers import CAC
from partitope.solvers.geometric.best_alternation import bounded_k_means

from .base.rows import as_row
from .base.study import Job, Result, Row, Study
from .cac_bounds import cluster_risk, log_loss_bounds
from .cac_learners import classifier
from .cac_tables import N_CLUSTERS
from .cac_uplift import uplift_rows
from .printed.cac import ALPHAS as PRINTED_ALPHAS
from .printed.cac import DATA

ALPHAS = (0.0, 0.02, 0.05, 0.2, 0.8, 2.5)
ROUNDS = 8
DELTA = 0.05
nan = float("nan")


def curves_jobs(*, quick: bool = False, random_state: int = 0, sets: Sequence[str] = DATA) -> list[dict[str, Any]]:
    """One job a set and alpha.

    Parameters
    ----------
    quick : bool, default False
        Titanic alone.
    sets : sequence of str
        Some of titanic, credit, adult, diabetes.
    """
    return [
        {"study": "cac-curves", "data": data, "alpha": alpha, "random_state": random_state}
        for data in sets
        for alpha in sorted({*ALPHAS, PRINTED_ALPHAS["LR"][data]})
    ]


def curves_job(job: Job) -> dict[str, Any]:
    """S, D, phi and log-losses after every round, separations and the bounds of both theorems, as plain values."""
    from .cac import _encoded_splits

    X, y, X_test, y_test = _encoded_splits(job["data"], "held out", 108)[0]
    k, alpha = N_CLUSTERS[job["data"]], job["alpha"]
    free = PartitionPolytope.asked_for(len(X), k, None, None)
    labels = bounded_k_means(X - X.mean(axis=0), free, 10, np.random.RandomState(job["random_state"])).labels
    found: dict[str, Any] = {name: [] for name in ("S", "D", "train", "test")}
    found["ICS"] = [separation(X, y, labels, k)]
    for _ in range(ROUNDS):
        strategy = CAC(k, alpha=alpha, init=labels, max_iter=1, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # one round is no convergence
            model = LocalModelClassifier(strategy, classifier("LR", 0)).fit(X, y)
        history = model.partition_.history
        found["S"] += [float(v) for v in history["S"][0 if not found["S"] else 1 :]]
        found["D"] += [float(v) for v in history["D"][0 if not found["D"] else 1 :]]
        found["train"].append(cluster_risk(X, y, model.labels_, DELTA)["training loss"])
        found["test"].append(float(log_loss(y_test, model.predict_proba(X_test)[:, 1], labels=[0, 1])))
        if (model.labels_ == labels).all():
            break
        labels = model.labels_
    found["ICS"].append(separation(X, y, labels, k))
    whole = classifier("LR", 0).fit(X, y)
    everyone = np.zeros(len(X), dtype=np.int64)
    found["risk"] = [cluster_risk(X, y, part, DELTA) for part in (everyone, labels)]
    found["log-loss"] = log_loss_bounds(whole, X, y)
    return found


def separation(X: NDArray, y: NDArray, labels: NDArray, k: int) -> float:
    """Sum over the clusters of the distance between the means of their two classes; 0 for a cluster of one class."""
    total = 0.0
    for p in range(k):
        two = [X[(labels == p) & (y == c)] for c in (0, 1)]
        if all(len(rows) for rows in two):
            total += float(np.linalg.norm(two[0].mean(axis=0) - two[1].mean(axis=0)))
    return total


def curves_rows(done: Sequence[tuple[Job, Result]]) -> list[Row]:
    """Statements of the figures and theorems, set by set, with the curves behind them, then the uplifts."""
    rows: list[Row] = []
    for data in dict.fromkeys(job["data"] for job, _ in done):
        part = {job["alpha"]: found for job, found in done if job["data"] == data and "missing" not in found}
        if part:
            rows += _set_rows(data, part, PRINTED_ALPHAS["LR"][data])
    return rows + uplift_rows()


def _set_rows(data: str, part: dict[float, Result], printed: float) -> list[Row]:
    """Rows of one set from its runs by alpha."""
    rows = []

    def say(table: str, claim: str, value: float, holds: bool, note: str = "") -> None:
        row = as_row(table, data, "CAC+LR", claim, None, (value, nan, nan), note=note)
        rows.append(row | {"verdict": "met" if holds else "missed"})

    for alpha, found in part.items():
        for name in ("S", "D", "train", "test"):
            table = {"S": "Polarize Figure 3a", "D": "Polarize Figure 3", "train": "CAC Figure 4"}.get(
                name, "Polarize Figure 2"
            )
            for number, value in enumerate(found[name]):
                kind = {"train": "training log-loss", "test": "test log-loss"}.get(name, name)
                rows.append(as_row(table, data, f"alpha {alpha:g}", f"{kind}, round {number}", None, (value, nan, nan)))
    steps = [np.diff(found["S"]) >= -1e-9 * abs(found["S"][0]) for alpha, found in part.items() if alpha > 0]
    say("Polarize Figure 3a", "share of rounds in which S does not fall", float(np.mean(np.concatenate(steps))),
        all(step.all() for step in steps))  # fmt: skip
    phis = [np.diff(np.array(found["D"]) - alpha * np.array(found["S"])) for alpha, found in part.items()]
    say("Polarize Figure 3b", "share of rounds in which phi does not rise",
        float(np.mean(np.concatenate(phis) <= 1e-9 * max(abs(f["D"][0]) for f in part.values()))),
        all((p <= 1e-9 * part[0.0]["D"][0]).all() for p in phis))  # fmt: skip
    ends = [(f["D"][-1] - f["D"][0], f["S"][-1] - f["S"][0]) for alpha, f in part.items() if alpha > 0]
    say("Polarize Remark 2", "share of alphas with D and S above those of k-means",
        float(np.mean([d >= 0 and s >= 0 for d, s in ends])), all(d >= 0 and s >= 0 for d, s in ends))  # fmt: skip
    falls = [f["train"][-1] - f["train"][0] for alpha, f in part.items() if alpha > 0]
    say("CAC Figure 4", "training log-loss, last round less first, mean over alpha", float(np.mean(falls)),
        float(np.mean(falls)) < 0)  # fmt: skip
    losses = {alpha: found["test"][-1] for alpha, found in part.items()}
    best = min(losses, key=lambda alpha: losses[alpha])
    if data == "credit":
        row = as_row("Polarize Figure 2", data, "CAC+LR", "alpha of least test log-loss", 0.02, (best, nan, nan))
        rows.append(row | {"verdict": "met" if best == 0.02 else "missed"})
    before, after = part[printed]["ICS"]
    rows.append(as_row("Polarize Figure 5", data, "k-means", "ICS", None, (before, nan, nan)))
    rows.append(as_row("Polarize Figure 5", data, f"CAC, alpha {printed:g}", "ICS", None, (after, nan, nan)))
    say("Polarize Figure 5", "ICS of CAC over that of k-means", after / before, after > before)
    one, clusters = part[printed]["risk"]
    for name, terms in (("all rows", one), ("clusters", clusters)):
        for term, value in terms.items():
            rows.append(as_row("Polarize Theorem 1", data, name, term, None, (value, nan, nan)))
    note = "the theorem says that clusters may lower the bound, not that they do"
    row = as_row("Polarize Theorem 1", data, "CAC+LR", "bound of the clusters less that of all rows", None,
                 (clusters["bound"] - one["bound"], nan, nan), note=note)  # fmt: skip
    rows.append(row | {"verdict": "met" if clusters["bound"] < one["bound"] else "differs"})
    low, value, high = part[printed]["log-loss"]
    say("Polarize Theorem 4", "log-loss a row between the bounds", value, low <= value <= high,
        f"{low:.4g} to {high:.4g}")  # fmt: skip
    return rows


STUDY = Study(
    "Srivastava et al., Figures 2 to 5, Theorems 1 and 4, wins and uplifts",
    curves_jobs, curves_job, curves_rows,
    sets=DATA, quick_sets=DATA[:1],
)  # fmt: skip
