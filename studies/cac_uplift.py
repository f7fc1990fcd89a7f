"""Wins and average uplifts of Tables 1, 4 and 5 of the second paper, computed again.

Of every set: for how many classifiers X each of X, KM+X and CAC+X has the best F1 (the last on ties), and by how many
percent the mean F1 of CAC+X over them is above that of X and of KM+X. The networks FNN, DMNN and DeepCAC are one of
nine such triples. The papers do not print how their averages are taken: the printed F1 give them by this ratio of
means, to within rounding on most sets, and not by the mean of ratios. The same is done with our F1 of the study "cac".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .base.rows import as_row
from .cac_learners import CLASSIFIERS, DEEP
from .printed.cac import DATA, FIVE_TIMES, FOLDS, HELD_OUT, UPLIFT, WINS

DESIGNS = {"Polarize 1": HELD_OUT, "Polarize 4": FOLDS, "Polarize 5": FIVE_TIMES}
TRIPLES = (*((name, f"KM+{name}", f"CAC+{name}") for name in CLASSIFIERS), DEEP)
nan = float("nan")


def uplift_rows() -> list[dict[str, Any]]:
    """One row a table, set, number and source."""
    from .base.record import read_record  # which imports all studies

    recorded = read_record()["studies"]["cac"]["rows"]
    rows = []
    for table, figures in DESIGNS.items():
        sources = {
            "printed F1": {(f.data, f.method): f.value for f in figures},
            "our F1": {
                (r["data"], r["method"]): r["ours"]
                for r in recorded
                if r["table"] == table and r["metric"] == "F1" and r.get("ours") is not None
            },
        }
        for source, F1 in sources.items():
            for data in DATA:
                if all((data, method) in F1 for triple in TRIPLES for method in triple):
                    rows += _rows(table, data, source, {key: value for key, value in F1.items() if key[0] == data})
    return rows


def _rows(table: str, data: str, source: str, F1: dict[tuple[str, str], float]) -> list[dict[str, Any]]:
    """The uplifts, beside the printed ones, and the wins of one set."""
    scores = np.array([[F1[data, method] for method in triple] for triple in TRIPLES])
    X, KM, CAC = scores.mean(axis=0)
    word = "checked" if source == "printed F1" else "met"  # printed figures follow from each other
    rows = []
    for way, mean, paper in zip(("X", "KM+X"), (X, KM), UPLIFT[table][data]):
        value = 100.0 * float(CAC / mean - 1.0)
        row = as_row(table, data, source, f"average uplift over {way}, percent", paper, (value, nan, nan))
        rows.append(row | {"verdict": word if abs(value - paper) <= max(0.5, 0.1 * paper) else "differs"})
    counts = np.bincount(2 - scores[:, ::-1].argmax(axis=1), minlength=3)
    for way, count, paper in zip(("X", "KM+X", "CAC+X"), counts, WINS[table][data]):
        row = as_row(table, data, source, f"wins of {way}, of 9", paper, (float(count), nan, nan))
        rows.append(row | {"verdict": word if abs(count - paper) <= 1 else "differs"})
    return rows
