"""Tables 2 and 3 of the paper on kernel conditional clustering, and the sweep of its Figure 4.

KCC, KCSSL and their relatives run on the tables of Simu1 to 3, Face, Face4 and WebKB. The simulated tables are drawn
from the same distributions, not the paper's own draw. Multi and DLBCL are not publicly available in the processed
form, and their rows say so. The true clusters are read for measuring alone: KDAC's row in Table 2 uses this package's
default penalty, and the sweep over its penalty stands in rows of its own, where the best of them is not a choice that
a user without the truth could make.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..datasets import load_dataset
from ..models.errors import InvalidInputError
from .cells import Progress, run_cells
from .published_kcc import DATA, KCC, KCSSL, METHODS, SEMI_METHODS
from .rows import absent, agreement_measures, as_frame, as_row, find, split_interval

UNAVAILABLE = ("multi", "dlbcl")
REAL = ("simu3",)  # the covariate is a number; elsewhere a category, whatever the file's type
NO_DATA = "the processed gene expressions are not publicly available"
SWEEP = (0.01, 0.1, 1.0, 10.0, 100.0)
DRAW = "simulated again, not the paper's draw"
OUR_PENALTY = "with this package's default penalty; the paper's choice differs by table"
BLOCK = 10  # splits in one cell


def reproduce_kcc(
    *,
    quick: bool = False,
    n_init: int = 100,
    sets: Sequence[str] | None = None,
    random_state: int = 0,
    cache: str | Path | None = "default",
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Printed and own figures of Table 2: accuracy, agreement with the truth and with the covariate.

    Parameters
    ----------
    quick : bool, default False
        Simu1, Simu3 and Face4, at most 5 starts, no sweep.
    n_init : int, default 100
        Starts of every k-means.
    sets : sequence of str, optional
        Which of simu1, simu2, simu3, face, face4, webkb; None is all of them.
    random_state : int
        Seed.
    cache : str, Path or None, default "default"
        Folder of finished cells; "default" is one in the user's cache, None keeps nothing.
    progress : callable, optional
        ``progress(done, total, text)`` after each cell.

    Returns
    -------
    DataFrame
        Columns of `partitope.reproduce.rows`.

    Raises
    ------
    InvalidInputError
        When a set is not known.

    Notes
    -----
    Full size: 60 cells, some seconds each, WebKB a minute.
    """
    chosen = _chosen(sets, quick)
    n_init = min(n_init, 5) if quick else n_init
    penalties = () if quick else SWEEP
    methods = [(method, None) for method in METHODS] + [("KDAC", penalty) for penalty in penalties]
    cells = [
        {"study": "kcc", "data": data, "method": method, "n_init": n_init, "lam": lam, "random_state": random_state}
        for data in chosen
        for method, lam in methods
    ]
    rows: list[dict[str, Any]] = []
    for settings, result in zip(cells, run_cells(cells, kcc_cell, cache, progress)):
        rows += _clustering_rows(settings, result)
    rows += [absent(figure, "no data", NO_DATA) for figure in KCC if figure.data in UNAVAILABLE]
    return as_frame(rows)


def kcc_cell(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Agreement of one method's clusters on one set with the truth and the covariate."""
    X, covariate, truth, real = _table(settings["data"])
    k = len(np.unique(truth))
    model = _partitioner(settings["method"], k, settings, "real" if real else "categorical")
    known = {} if settings["method"] in ("KM", "KKM") else {"covariates": covariate}
    labels = model.fit(X, **known).labels_
    return {"measures": agreement_measures(labels, truth, None if real else covariate)}


def _partitioner(method: str, k: int, settings: Mapping[str, Any], kind: str) -> Any:
    from sklearn.cluster import KMeans

    from ..solvers import KCC as KernelConditional
    from ..solvers import KDAC, KernelKMeans, OrthogonalProjection

    common: dict[str, Any] = {"n_init": settings["n_init"], "random_state": settings["random_state"]}
    if method == "KM":
        return KMeans(k, **common)
    if method == "KKM":
        return KernelKMeans(k, **common)
    if method == "OC":
        return OrthogonalProjection(k, covariate_type=kind, **common)
    if method == "KDAC":
        penalty = {} if settings["lam"] is None else {"lam": settings["lam"]}
        return KDAC(k, covariate_type=kind, **penalty, **common)
    return KernelConditional(k, covariate_type=kind, **common)


def _clustering_rows(settings: Mapping[str, Any], result: Mapping[str, Any]) -> list[dict[str, Any]]:
    data, method, lam = settings["data"], settings["method"], settings["lam"]
    printed = [] if lam is not None else [f for f in KCC if (f.data, f.method) == (data, method)]
    if "missing" in result:
        return [absent(figure, "no data", result["missing"]) for figure in printed]
    note = DRAW if data.startswith("simu") else ""
    if method == "KDAC":
        note = "; ".join(filter(None, [note, OUR_PENALTY if lam is None else ""]))
    name = method if lam is None else f"KDAC lam={lam:g}"
    table = "2" if lam is None else "Figure 4"
    rows = []
    for metric, interval in result["measures"].items():
        figure = find(printed, data, method, metric)
        paper = None if figure is None else figure.value
        rows.append(as_row(table, data, name, metric, paper, tuple(interval), result["seconds"], note))
    return rows


def reproduce_kcssl(
    *,
    quick: bool = False,
    splits: int = 100,
    sets: Sequence[str] | None = None,
    random_state: int = 0,
    cache: str | Path | None = "default",
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Printed and own figures of Table 3: accuracy on the unlabelled rows, a tenth of the labels given.

    Parameters
    ----------
    quick : bool, default False
        Simu1, Simu3 and Face4, 2 splits.
    splits : int, default 100
        Random splits; drawn again where a class has no label.
    sets : sequence of str, optional
        Which of simu1, simu2, simu3, face, face4, webkb; None is all of them.
    random_state : int
        Seed.
    cache : str, Path or None, default "default"
        Folder of finished cells; "default" is one in the user's cache, None keeps nothing.
    progress : callable, optional
        ``progress(done, total, text)`` after each cell.

    Returns
    -------
    DataFrame
        Columns of `partitope.reproduce.rows`, then ``sd``, the standard deviation over the splits.

    Raises
    ------
    InvalidInputError
        When a set is not known or there are no splits.
    """
    if splits < 1:
        raise InvalidInputError(f"splits={splits} is not usable: pass at least 1")
    chosen, splits = _chosen(sets, quick), min(splits, 2) if quick else splits
    cells = [
        {"study": "kcssl", "data": data, "method": method, "first": first, "last": min(first + BLOCK, splits),
         "random_state": random_state}
        for data in chosen
        for method in SEMI_METHODS
        for first in range(0, splits, BLOCK)
    ]  # fmt: skip
    results = run_cells(cells, kcssl_cell, cache, progress)
    rows: list[dict[str, Any]] = []
    for data in chosen:
        for method in SEMI_METHODS:
            mine = [r for c, r in zip(cells, results) if (c["data"], c["method"]) == (data, method)]
            rows += _semi_rows(data, method, mine)
    rows += [absent(figure, "no data", NO_DATA) for figure in KCSSL if figure.data in UNAVAILABLE]
    return as_frame(rows)


def kcssl_cell(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Accuracies of one method on the unlabelled rows of some splits of one set."""
    X, covariate, truth, real = _table(settings["data"])
    k, method = len(np.unique(truth)), settings["method"]
    found = []
    for split in range(settings["first"], settings["last"]):
        given = some_labels(truth, np.random.default_rng([settings["random_state"], split]))
        model = _labeller(method, k, settings, "real" if real else "categorical")
        model.fit(X, given, **({"covariates": covariate} if method == "KCSSL" else {}))
        hidden = given == -1
        found.append(float((model.transduction_[hidden] == truth[hidden]).mean()))
    return {"accuracies": found, "n_hidden": int(hidden.sum())}


def some_labels(truth: np.ndarray, rng: np.random.Generator, share: float = 0.1) -> np.ndarray:
    """Labels (n,) with all but a random share replaced by -1; every class keeps at least one."""
    n = len(truth)
    while True:
        kept = rng.permutation(n)[: max(round(share * n), 1)]
        if len(np.unique(truth[kept])) == len(np.unique(truth)):
            given = np.full(n, -1, dtype=np.int64)
            given[kept] = truth[kept]
            return given


def _labeller(method: str, k: int, settings: Mapping[str, Any], kind: str) -> Any:
    from ..solvers import KCSSL as KernelConditional
    from ..solvers import SemiSupervised

    if method == "KCSSL":
        return KernelConditional(k, covariate_type=kind, random_state=settings["random_state"])
    names: Mapping[str, Any] = {"LP": "propagation", "SP": "spreading", "ST": "self-training"}
    return SemiSupervised(k, method=names[method], random_state=settings["random_state"])


def _semi_rows(data: str, method: str, results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    figure = find(KCSSL, data, method, "ACC")
    missing = next((r["missing"] for r in results if "missing" in r), None)
    if missing is not None:
        return [] if figure is None else [absent(figure, "no data", missing)]
    values = np.concatenate([r["accuracies"] for r in results])
    note = DRAW if data.startswith("simu") else ""
    interval = split_interval(values, results[0]["n_hidden"])
    seconds = sum(r["seconds"] for r in results)
    paper = None if figure is None else figure.value
    spread = float(values.std(ddof=1)) if len(values) > 1 else np.nan
    return [as_row("3", data, method, "ACC", paper, interval, seconds, note) | {"sd": round(spread, 4)}]


def _chosen(sets: Sequence[str] | None, quick: bool) -> list[str]:
    known = [name for name in DATA if name not in UNAVAILABLE]
    for name in sets or ():
        if name not in known:
            raise InvalidInputError(f"set {name!r} is not known: choose among {', '.join(known)}")
    if sets is not None:
        return list(sets)
    return ["simu1", "simu3", "face4"] if quick else known


def _table(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, bool]:
    """Points (n, p), covariate (n,), true classes (n,) and whether the covariate is a number."""
    data = load_dataset(f"kcc_{name}")
    assert data.covariates is not None
    covariate = data.covariates.iloc[:, 0].to_numpy()
    codes = np.unique(data.y, return_inverse=True)[1].astype(np.int64)
    return data.X.to_numpy(), covariate, codes, name in REAL
