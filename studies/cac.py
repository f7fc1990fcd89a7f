"""Tables of the two papers on clustering aware classification: {classifier} x {alone, KM+, CAC+}, networks, EC3.

The sets are described in `cac_tables`, the methods in `cac_learners` and `ec3`. k is the papers' (2, credit 3).

    folds           five stratified folds: F1 at 0.5, and the AUC of methods with probabilities
    parts           titanic's published parts: the first paper's figures of titanic are of these, as logistic regression
                    shows, which agrees to three digits, and the second's of all 1309 rows together
    held out        a quarter of the rows held out once, drawn here: "Polarize 1, another quarter"
    their quarter   the quarter that the code of the papers holds out, with five seeds of the methods: Table 5; the
                    first seed alone: Table 1. Its rows are standardised by themselves, as there: single classifiers
                    then come out to three digits. Labels play no part in that, but each row is told of the others

In all other designs test rows are standardised by the training rows.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold, train_test_split

from .base.rows import absent, as_row, fold_interval
from .base.rows import interval as auc_interval
from .base.study import Job, Result, Row, Study, check_names, grouped
from .cac_intervals import f1_interval, starts_interval
from .cac_learners import CLASSIFIERS, DEEP, PRINTED_ALPHA, deep_models, fitted, shallow
from .cac_tables import BESIDE, N_CLUSTERS, SETS, SIZES, encoding, load_rows, take
from .ec3 import EC3, decide
from .printed import Printed
from .printed.cac import ALPHAS, CIC, DATA, FIRST, FIVE_TIMES, FOLDS, HELD_OUT, MAGIC, SEPSIS
from .printed.cac import EC3 as EC3_PRINTED

DESIGNS = ("folds", "parts", "held out", "their quarter")
ENSEMBLE, LARGEST = "EC3", "EC3, largest share"
N_SEEDS, N_SEEDS_QUICK = 5, 2
QUARTER = 108
TRUE_ROWS = 891
NO_TORCH = "needs the extra deep (PyTorch), and up to an hour on this set: pass deep="
READING = "written from the published objective; no maintained library"
NOT_HERE = {
    CIC: "CIC (PhysioNet 2012, features of the authors) is not among the sets of this package",
    SEPSIS: "Sepsis (PhysioNet 2019, features of the authors) is not among the sets of this package",
}


def cac_jobs(
    *,
    quick: bool = False,
    random_state: int = 0,
    sets: Sequence[str] = SETS,
    classifiers: Sequence[str] | None = None,
    deep: Sequence[str] | None = None,
) -> list[dict[str, Any]]:
    """One job a set, classifier and design; on the papers' quarter one a seed, this one and the next four.

    Parameters
    ----------
    quick : bool, default False
        Titanic with logistic regression, and EC3.
    sets : sequence of str
        Which of `cac_tables.SETS`: titanic, credit, adult, diabetes, "titanic true labels", and the raw ones "titanic
        raw", "titanic2201", "credit raw", "magic", "adult raw", "diabetes raw".
    classifiers : sequence of str, optional
        Which of `CLASSIFIERS` and "EC3"; None is all of them.
    deep : sequence of str, optional
        Sets for FNN, DMNN and DeepCAC in all designs; they need the extra ``deep`` and take, one core, a minute on
        titanic, five on magic and 15 to 60 on each of the others. None is these five. Rows that are not computed say
        so.

    Raises
    ------
    InvalidInputError
        When a classifier or a set for the networks is not known.
    """
    known = (*CLASSIFIERS, ENSEMBLE)
    check_names("classifier", classifiers or (), known)
    check_names("set", deep or (), (*DATA, MAGIC))
    names = classifiers or (("LR", ENSEMBLE) if quick else known)
    with_deep = [] if quick or find_spec("torch") is None else (*DATA, MAGIC) if deep is None else deep
    n_seeds = N_SEEDS_QUICK if quick else N_SEEDS
    return [
        job_settings(data, name, design, seed)
        for design in DESIGNS
        for data in sets
        for name in (*names, "deep")
        for seed in range(random_state, random_state + (n_seeds if design == "their quarter" else 1))
        if _belongs(data, name, design, with_deep)
    ]


def job_settings(data: str, classifier: str, design: str, random_state: int) -> dict[str, Any]:
    """What names a job; logistic regression has had its weights, SGD its loss, EC3 its answer, since revision 2."""
    newer = {"of": 2} if classifier in ("LR", "SGD", ENSEMBLE) else {}
    return {
        "study": "cac", "data": data, "classifier": classifier, "design": design, "random_state": random_state, **newer
    }  # fmt: skip


def cac_job(settings: Job) -> dict[str, Any]:
    """F1 and AUC of the methods of a classifier (alone, after k-means, after CAC), as plain values."""
    seed, design = settings["random_state"], settings["design"]
    scores: dict[str, list[dict[str, Any]]] = {}
    moves = design != "their quarter"  # with the seed
    for part in _encoded_splits(settings["data"], design, seed if moves else 0):
        for name, model in _models(settings).items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # lines that do not converge are part of the tables
                found = _score(name, model, *part, seed)
            for method, score in found.items():
                scores.setdefault(method, []).append(score)
    return {"scores": scores}


@lru_cache(maxsize=1)
def _encoded_splits(data: str, design: str, seed: int) -> list[tuple[NDArray, NDArray, NDArray, NDArray]]:
    """Training rows and their classes, test rows and theirs, of every split; the same for all classifiers."""
    X, y = load_rows(data)
    found = []
    for train, test in _splits(design, y, seed):
        rows, others = take(X, train), take(X, test)
        learnt = encoding(rows)
        B = encoding(others)(others) if design == "their quarter" else learnt(others)
        found.append((learnt(rows), y[train], B, y[test]))
    return found


def cac_rows(done: Sequence[tuple[Job, Result]], quick: bool = False) -> list[Row]:
    """Rows of every job, those of several seeds together; then ``paper_sd`` and ``sd``, over folds or seeds."""
    quarter = [(job, result) for job, result in done if job["design"] == "their quarter"]
    rows = [row for job, result in done if job["design"] != "their quarter" for row in _rows(job, result)]
    for (data, name), found in grouped(quarter, "data", "classifier").items():
        rows += _rows_of_seeds(data, name, found)
    return rows if quick else rows + _not_run(done)


def _belongs(data: str, name: str, design: str, with_deep: Sequence[str]) -> bool:
    """Whether a design is run for a method on a set."""
    if (design == "parts" and data != "titanic") or (design == "their quarter" and data not in DATA):
        return False
    if data == MAGIC and (design != "folds" or name not in ("LR", ENSEMBLE, "deep")):
        return False  # of the first paper alone, which has no other classifier
    if name == ENSEMBLE:  # where the first paper has it
        return data in (*DATA, MAGIC) and design == ("parts" if data == "titanic" else "folds")
    return name != "deep" or data in with_deep


def _splits(design: str, y: NDArray[np.int64], seed: int) -> list[tuple[NDArray, NDArray]]:
    everyone = np.arange(len(y))
    if design == "parts":
        return [(everyone[:TRUE_ROWS], everyone[TRUE_ROWS:])]
    if design == "folds":
        return list(StratifiedKFold(5, shuffle=True, random_state=seed).split(everyone, y))
    seed = QUARTER if design == "their quarter" else seed
    train, test = train_test_split(everyone, test_size=0.25, random_state=seed, stratify=y)
    return [(train, test)]


def _models(settings: Job) -> dict[str, Any]:
    name, data, seed = settings["classifier"], settings["data"], settings["random_state"]
    if name == ENSEMBLE:
        return {ENSEMBLE: EC3(seed)}
    if name == "deep":
        return deep_models(N_CLUSTERS[data], seed)
    alpha = ALPHAS[name][data] if settings["design"] == "their quarter" else None
    return shallow(name, N_CLUSTERS[data], seed, alpha)


def _score(
    name: str, model: Any, X: NDArray, y: NDArray, X_test: NDArray, y_test: NDArray, seed: int
) -> dict[str, dict[str, Any]]:
    """Measures of a method on test rows; EC3 gives two answers."""
    if name == ENSEMBLE:
        F = model.fit(X, y).answer(X_test)
        return {ENSEMBLE: _measured(y_test, decide(F), F[:, 1]), LARGEST: _measured(y_test, F.argmax(axis=1), F[:, 1])}
    model, alpha = fitted(name, model, X, y, seed)
    if not hasattr(model, "predict_proba"):
        return {name: _measured(y_test, model.predict(X_test), None, alpha)}
    chances = model.predict_proba(X_test)  # what predict says is the class of the larger one
    return {name: _measured(y_test, model.classes_[chances.argmax(axis=1)], chances[:, 1], alpha)}


def _measured(y: NDArray, said: NDArray, chance: NDArray | None, alpha: float | None = None) -> dict[str, Any]:
    found = {
        "F1": float(f1_score(y, said)),
        "hits": int(((said == 1) & (y == 1)).sum()),
        "either": int(((said == 1) | (y == 1)).sum()),
        "alpha": alpha,
        "positives": int((y == 1).sum()),
        "negatives": int((y == 0).sum()),
    }
    return found if chance is None else found | {"AUC": float(roc_auc_score(y, chance))}


def _rows(settings: Job, result: Result) -> list[Row]:
    """Rows of a job of folds, parts or a quarter drawn here."""
    data, design = settings["data"], settings["design"]
    folds = design == "folds"
    printed = _printed(data, design, settings["classifier"])
    if "missing" in result:
        methods = _methods(settings["classifier"])
        return [absent(f, "no data", result["missing"]) | {"data": data} for f in printed if f.method in methods]
    rows: list[Row] = []
    for method, scores in result["scores"].items():
        for metric in ("F1", "AUC"):
            figures = [f for f in printed if (f.method, f.metric) == (method, metric)]
            if metric not in scores[0] or not (figures or metric == "F1"):
                continue
            values = [score[metric] for score in scores]
            spread = round(float(np.std(values, ddof=1)), 4) if folds else np.nan
            interval = fold_interval(values, 0.25) if folds else _single(metric, scores[0])
            for figure in figures if figures else (None,):
                table = f"{figure.table}{', another quarter' * (design == 'held out')}" if figure else design
                rows.append(_row(table, data, method, metric, figure, interval, result["seconds"], scores, spread))
    return rows


def _rows_of_seeds(data: str, name: str, results: Sequence[Result]) -> list[Row]:
    """Rows of Table 5 (all seeds) and Table 1 (the first) on the quarter of the papers."""
    methods = _methods(name)
    if any("missing" in result for result in results):
        reason = next(result["missing"] for result in results if "missing" in result)
        figures = [f for f in (*HELD_OUT, *FIVE_TIMES) if f.data == data and f.method in methods]
        return [absent(figure, "no data", reason) for figure in figures]
    rows = []
    for method in results[0]["scores"]:
        scores = [result["scores"][method][0] for result in results]
        like = method.removesuffix(PRINTED_ALPHA)
        spread = round(float(np.std([score["F1"] for score in scores], ddof=1)), 4)
        for printed, used in ((HELD_OUT, scores[:1]), (FIVE_TIMES, scores)):
            figure = next((f for f in printed if (f.data, f.method) == (data, like)), None)
            if printed is HELD_OUT and figure is None:
                continue
            interval = _single("F1", scores[0])
            if len(scores) > 1:
                value, other = float(np.mean([s["F1"] for s in used])), figure.sd if figure else None
                interval = starts_interval(value, spread, other, len(used), len(scores))
            seconds = sum(result["seconds"] for result in results[: len(used)])
            table = figure.table if figure else "their quarter"
            sd = spread if used is scores else np.nan
            rows.append(_row(table, data, method, "F1", figure, interval, seconds, used, sd))
    return rows


def _row(
    table: str, data: str, method: str, metric: str, figure: Printed | None, interval: tuple[float, float, float],
    seconds: float, scores: Sequence[Mapping[str, Any]], spread: float,
) -> dict[str, Any]:  # fmt: skip
    alphas = sorted({score["alpha"] for score in scores} - {None})
    chosen = f"alpha {', '.join(f'{a:g}' for a in alphas)}" if alphas else ""
    note = "; ".join(filter(None, [READING if method in (ENSEMBLE, LARGEST) else "", SIZES[data], chosen]))
    row = as_row(table, data, method, metric, figure, interval, seconds, note)
    sd = np.nan if figure is None or figure.sd is None else figure.sd
    return row | {"paper_sd": sd, "sd": spread}


def _printed(data: str, design: str, classifier: str) -> list[Printed]:
    """What stands beside a design; the first paper's figures for titanic are those of its published parts."""
    beside = BESIDE.get(data, data)
    if classifier == ENSEMBLE:
        return [f for f in EC3_PRINTED if f.data == beside]
    tables = {"folds": FOLDS if beside == "titanic" else (*FOLDS, *FIRST), "parts": FIRST, "held out": HELD_OUT}
    return [f for f in tables[design] if f.data == beside]


def _not_run(done: Sequence[tuple[Job, Result]]) -> list[Row]:
    """Printed figures without a figure of ours: networks, and the sets that are not here."""
    left = (*FOLDS, *HELD_OUT, *FIRST, *FIVE_TIMES)
    sets = {job["data"] for job, _ in done}
    with_deep = {job["data"] for job, _ in done if job["classifier"] == "deep"}
    rows = [absent(f, "not run", NO_TORCH) for f in left if f.method in DEEP and f.data in sets - with_deep]
    if sets == {*SETS}:
        rows += [absent(f, "not run", NOT_HERE[f.data]) for f in (*left, *EC3_PRINTED) if f.data in NOT_HERE]
    return rows


def _single(metric: str, score: Mapping[str, Any]) -> tuple[float, float, float]:
    """A measure of one test set and its interval."""
    if metric == "F1":
        return f1_interval(score["hits"], score["either"])
    return score["AUC"], *auc_interval("AUC", score["AUC"], score["positives"], score["negatives"])


def _methods(name: str) -> tuple[str, ...]:
    """Printed methods of a classifier."""
    return DEEP if name == "deep" else (name, f"KM+{name}", f"CAC+{name}")


STUDY = Study(
    "Srivastava et al., two papers: F1 and AUC of CAC+X, KM+X and X, shares",
    cac_jobs, cac_job, cac_rows,
    sets=SETS, quick_sets=DATA[:1], own=("CAC", "DeepCAC"),
)  # fmt: skip
