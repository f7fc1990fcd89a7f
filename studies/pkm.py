"""Tables 2 and 3 of the paper on predictive k-means: stratified ten-fold cross-validation, drawn ten times.

    KM_MV     k-means on ranks and groups, majority vote           K = J, the number of classes
    PKM_MV    predictive k-means, majority vote                    K = J
    PKM_SNB   predictive k-means, local selective naive Bayes      K = J
    PKM_SNB+  the same with K chosen among J, 2 J, 3 J by three folds inside the training rows; not in the paper
    SNB       selective naive Bayes on all rows
    LMT, NBT  are not offered by maintained Python libraries. In their place stand trees of our own with logistic
              regressions and with naive Bayes models in their leaves (`studies.pkm_stand_ins`), as the
              rows say: they are other methods, and their verdicts only place the printed figures.

Glass is read with its Id, as in the paper, although the rows are sorted by class and the Id gives the class away, and
once more without it. Waveform is drawn anew from its published generator.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from partitope.datasets.dataset import Dataset

from .base.study import Job, Result, Row, Study, grouped
from .data import load_table
from .pkm_rows import FOLDS, WITHOUT_ID, part_rows, score_rows
from .pkm_stand_ins import STAND_INS, stand_in
from .printed.pkm import METHODS

SETS = ("glass", WITHOUT_ID, "pima", "vehicle", "segment", "waveform", "mushroom", "pendigits", "adult")
CHOSEN = "PKM_SNB+"


def pkm_jobs(
    *, quick: bool = False, random_state: int = 0, repetitions: int = 10, sets: Sequence[str] = SETS
) -> list[dict[str, Any]]:
    """One job a set, method and drawing of the folds.

    Parameters
    ----------
    quick : bool, default False
        Glass with and without Id, one drawing of the folds, without the stand-ins and the choice of K.
    repetitions : int, default 10
        How often the ten folds are drawn; once for PKM_SNB+, which is not in the paper.
    sets : sequence of str
        Some of `SETS`.
    """
    return [
        job_settings(data, method, repetition, random_state)
        for data in sets
        for method in (*METHODS, CHOSEN)
        if not (quick and (method in STAND_INS or method == CHOSEN))
        for repetition in range(1 if quick or method == CHOSEN else repetitions)
    ]


def job_settings(data: str, method: str, repetition: int, random_state: int) -> dict[str, Any]:
    """What names a job."""
    settings = {"study": "pkm", "data": data, "method": method, "repetition": repetition, "random_state": random_state}
    return settings | ({"of": 2} if method in STAND_INS else {})  # the second kind of stand-ins


def pkm_job(settings: Job) -> dict[str, Any]:
    """Scores of one method on the ten folds of one drawing, as plain values."""
    data = _table(settings["data"], settings["random_state"])
    seed = settings["random_state"] + settings["repetition"]
    found: dict[str, list[float]] = {}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")  # Glass: 9 rows, 10 folds
        splits = list(StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(data.y, data.y))
    for train, test in splits:
        model = _classifier(settings["method"], data.rows(train))
        model.fit(data.X.iloc[train], data.y[train])
        for part, rows in (("train", train), ("test", test)):
            if part == "train" and settings["method"] != "PKM_SNB":
                continue
            shares = model.predict_proba(data.X.iloc[rows])
            said = model.classes_[shares.argmax(axis=1)]  # what predict says, from the same answer
            found.setdefault(f"{part} ACC", []).append(float((said == data.y[rows]).mean()))
            found.setdefault(f"{part} AUC", []).append(weighted_auc(data.y[rows], shares, model.classes_))
        if settings["method"] == "PKM_SNB":
            for name, share in zip(("pure", "local", "plain"), _kinds(model)):
                found.setdefault(name, []).append(share)
    return {"scores": found, "ratio": 1.0 / (FOLDS - 1)}


def pkm_rows(done: Sequence[tuple[Job, Result]]) -> list[Row]:
    """Percent, but for the robustness, a ratio; then ``paper_sd`` and ``sd``, both over the folds."""
    rows: list[Row] = []
    for (data, method), results in grouped(done, "data", "method").items():
        rows += score_rows(data, method, results)
        rows += part_rows(data, results) if method == "PKM_SNB" else []
    return rows


def weighted_auc(y: np.ndarray, shares: np.ndarray, classes: np.ndarray) -> float:
    """AUC of each class against the rest, weighted by its share of the rows (n,); a class without rows counts not."""
    total = 0.0
    for number, name in enumerate(classes):
        is_class = y == name
        if 0 < is_class.sum() < len(y):
            total += is_class.mean() * roc_auc_score(is_class, shares[:, number])
    weight = sum(float((y == name).mean()) for name in classes if 0 < (y == name).sum() < len(y))
    return float(total / weight) if weight else float("nan")


def _kinds(model: Any) -> tuple[float, float, float]:
    """Shares of the clusters: of one class, with a local model, without one though of several classes."""
    pure = (model.class_shares_ > 0).sum(axis=1) <= 1
    local = np.array([part is not None and part.gain_ > 0 for part in model.local_models_])
    return float(pure.mean()), float(local.mean()), float((~pure & ~local).mean())


def _classifier(method: str, train: Dataset) -> Any:
    from partitope.classifiers import LocalModelClassifier, SelectiveNaiveBayes
    from partitope.solvers import PKM

    from .methods import KMeansMajorityVote

    n_classes = len(np.unique(train.y))
    local = LocalModelClassifier(PKM(random_state=0), SelectiveNaiveBayes(), train_on="cells")
    if method == CHOSEN:
        candidates = {"partitioner__n_clusters": [n_classes * factor for factor in (1, 2, 3)]}
        inner = StratifiedKFold(3, shuffle=True, random_state=0)
        return GridSearchCV(local, candidates, cv=inner)
    if method == "SNB":
        return SelectiveNaiveBayes()
    if method == "KM_MV":
        return KMeansMajorityVote()
    if method == "PKM_MV":
        return LocalModelClassifier(PKM(random_state=0), DummyClassifier(strategy="prior"), train_on="cells")
    if method == "PKM_SNB":
        return local
    return stand_in(method)


def _table(name: str, seed: int) -> Dataset:
    """A set as the paper reads it; Adult is both published parts."""
    data = load_table({WITHOUT_ID: "glass", "adult": "census"}.get(name, name), seed)
    if name != "glass":
        return data
    numbered = data.X.copy()
    numbered.insert(0, "Id", np.arange(1, len(numbered) + 1))  # the published Id is the number of the row
    return replace(data, X=numbered)


STUDY = Study(
    "Lemaire et al., Tables 2 and 3: predictive k-means, percent",
    pkm_jobs, pkm_job, pkm_rows,
    sets=SETS, quick_sets=SETS[:2], unit=100.0, own=("PKM",),
)  # fmt: skip
