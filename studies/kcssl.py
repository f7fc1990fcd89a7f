"""Table 3 of the paper on kernel conditional clustering: few labels, given covariates.

KCSSL runs beside label propagation, label spreading and self-training of scikit-learn on the tables of
`kcc`, over random splits that keep a tenth of the labels. Propagation and spreading run on the full Gaussian kernel
whose width is the median of the distances, as printed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from partitope.compare.method import hide_labels

from .base.rows import absent, as_row, split_interval
from .base.study import Job, Result, Row, Study, check_names, grouped
from .kcc import DRAW, QUICK_SETS, conditional_table
from .printed import find
from .printed.kcc import DATA, KCSSL, SEMI_METHODS

BLOCK = 10  # splits in one job


def kcssl_jobs(
    *,
    quick: bool = False,
    random_state: int = 0,
    splits: int = 100,
    sets: Sequence[str] = DATA,
    methods: Sequence[str] = SEMI_METHODS,
) -> list[dict[str, Any]]:
    """One job a set, method and `BLOCK` of splits.

    Parameters
    ----------
    quick : bool, default False
        Simu1, Simu3 and Face4, 2 splits.
    splits : int, default 100
        Random splits; drawn again where a class has no label.
    sets : sequence of str
        Which of simu1, simu2, simu3, face, face4, multi, dlbcl, webkb.
    methods : sequence of str
        Which of LP, SP, ST, KCSSL.

    Raises
    ------
    InvalidInputError
        When a method is not known.
    """
    check_names("method", methods, SEMI_METHODS)
    splits = min(splits, 2) if quick else splits
    return [
        {"study": "kcssl", "data": data, "method": method, "first": first, "last": min(first + BLOCK, splits),
         "random_state": random_state} | ({"of": 2} if method in ("LP", "SP") else {})
        for data in sets
        for method in methods
        for first in range(0, splits, BLOCK)
    ]  # fmt: skip


def kcssl_job(settings: Job) -> dict[str, Any]:
    """Accuracies of one method on the unlabelled rows of some splits of one set."""
    X, covariate, truth, real = conditional_table(settings["data"])
    k, method = len(np.unique(truth)), settings["method"]
    found = []
    for split in range(settings["first"], settings["last"]):
        given = hide_labels(truth, np.random.default_rng([settings["random_state"], split]))
        model = _labeller(method, k, settings, "real" if real else "categorical")
        model.fit(X, given, **({"covariates": covariate} if method == "KCSSL" else {}))
        hidden = given == -1
        found.append(float((model.transduction_[hidden] == truth[hidden]).mean()))
    return {"accuracies": found, "n_hidden": int(hidden.sum())}


def kcssl_rows(done: Sequence[tuple[Job, Result]]) -> list[Row]:
    """Accuracy on the unlabelled rows, then ``sd``, the standard deviation over the splits."""
    found = grouped(done, "data", "method").items()
    return [row for (data, method), results in found for row in _rows(data, method, results)]


def _labeller(method: str, k: int, settings: Job, kind: str) -> Any:
    from partitope.solvers import KCSSL as KernelConditional

    from .methods import SemiSupervised

    if method == "KCSSL":
        return KernelConditional(k, covariate_type=kind, random_state=settings["random_state"])
    names: Mapping[str, Any] = {"LP": "propagation", "SP": "spreading", "ST": "self-training"}
    return SemiSupervised(k, method=names[method], graph="gaussian", random_state=settings["random_state"])


def _rows(data: str, method: str, results: Sequence[Result]) -> list[Row]:
    figure = find(KCSSL, data, method, "ACC")
    missing = next((r["missing"] for r in results if "missing" in r), None)
    if missing is not None:
        return [] if figure is None else [absent(figure, "no data", missing)]
    values = np.concatenate([r["accuracies"] for r in results])
    note = DRAW if data.startswith("simu") else ""
    interval = split_interval(values, results[0]["n_hidden"])
    seconds = sum(r["seconds"] for r in results)
    spread = float(values.std(ddof=1)) if len(values) > 1 else np.nan
    paper_sd = np.nan if figure is None or figure.sd is None else figure.sd
    return [
        as_row("3", data, method, "ACC", figure, interval, seconds, note)
        | {"paper_sd": paper_sd, "sd": round(spread, 4)}
    ]


STUDY = Study(
    "He et al., Table 3: few labels given covariates, shares",
    kcssl_jobs, kcssl_job, kcssl_rows,
    sets=DATA, quick_sets=QUICK_SETS, own=("KCSSL",),
)  # fmt: skip
