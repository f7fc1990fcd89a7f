"""Table 3 of the paper on kernel conditional clustering: few labels, given covariates.

KCSSL runs beside label propagation, label spreading and self-training of scikit-learn on the tables of
`partitope.reproduce.kcc`, over random splits that keep a tenth of the labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..compare_run import hide_labels
from ..models.errors import InvalidInputError
from .cells import Progress, run_cells
from .kcc import DRAW, chosen_sets, conditional_table
from .published_kcc import KCSSL, SEMI_METHODS
from .rows import absent, as_frame, as_row, find, split_interval

BLOCK = 10  # splits in one cell


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
        Which of simu1, simu2, simu3, face, face4, multi, dlbcl, webkb; None is all of them.
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
    chosen, splits = chosen_sets(sets, quick), min(splits, 2) if quick else splits
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
    return as_frame(rows)


def kcssl_cell(settings: Mapping[str, Any]) -> dict[str, Any]:
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
