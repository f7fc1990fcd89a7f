"""Rows of Tables 2 and 3 of the paper on predictive k-means, out of the jobs of `pkm`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .base.rows import absent, as_row, fold_interval
from .base.study import Result, Row
from .pkm_stand_ins import STAND_INS
from .printed import Printed, find
from .printed.pkm import PKM, PKM_PARTS

FOLDS = 10
WITHOUT_ID = "glass without Id"
ROUNDED = 0.005
DRAWN = "drawn anew from the published generator"


def score_rows(data: str, method: str, results: Sequence[Result]) -> list[Row]:
    """Table 2: accuracy and AUC of one method on one set, from its jobs (one a drawing of the folds)."""
    rows = []
    printed = PKM if data != WITHOUT_ID else ()
    for metric in ("ACC", "AUC"):
        figure = find(printed, data, method, metric)
        if "missing" in results[0]:
            rows += [] if figure is None else [absent(figure, "no data", results[0]["missing"])]
            continue
        values = 100.0 * np.concatenate([r["scores"][f"test {metric}"] for r in results])
        values = values[np.isfinite(values)]
        note = "; ".join(filter(None, [STAND_INS.get(method), _drawn(data), f"{len(results)} x {FOLDS} folds"]))
        rows.append(_row(figure, "2", data, method, metric, values, results, note))
    return rows


def part_rows(data: str, results: Sequence[Result]) -> list[Row]:
    """Table 3: test over training score, which the paper prints with two digits, and what the clusters hold."""
    printed = PKM_PARTS if data != WITHOUT_ID else ()
    if "missing" in results[0]:
        return [absent(f, "no data", results[0]["missing"]) for f in printed if f.data == data]
    scores = {name: np.concatenate([r["scores"][name] for r in results]) for name in results[0]["scores"]}
    found = {
        "robustness ACC": scores["test ACC"] / scores["train ACC"],
        "robustness AUC": scores["test AUC"] / scores["train AUC"],
        "pure clusters": 100.0 * scores["pure"],
        "local models": 100.0 * scores["local"],
        "no local model": 100.0 * scores["plain"],
    }
    rows = []
    for part, values in found.items():
        figure = find(printed, data, "PKM_SNB", part)
        row = _row(figure, "3", data, "PKM_SNB", part, values, results, _drawn(data))
        if not part.startswith("robustness"):
            row["verdict"] = {"beaten": "differs", "missed": "differs"}.get(row["verdict"], row["verdict"])
        elif figure is not None and row["low"] <= figure.value + ROUNDED and row["high"] >= figure.value - ROUNDED:
            row["verdict"] = "met"
        rows.append(row)
    return rows


def _row(
    figure: Printed | None,
    table: str,
    data: str,
    method: str,
    metric: str,
    values: np.ndarray,
    results: Sequence[Result],
    note: str,
) -> Row:
    value, low, high = fold_interval(values, results[0]["ratio"])
    interval = value, max(low, 0.0), high if metric.startswith("robustness") else min(high, 100.0)
    row = as_row(table, data, method, metric, figure, interval, sum(r["seconds"] for r in results), note)
    spread = round(float(values.std(ddof=1)), 4) if len(values) > 1 else np.nan
    return row | {"paper_sd": np.nan if figure is None or figure.sd is None else figure.sd, "sd": spread}


def _drawn(data: str) -> str:
    return DRAWN if data == "waveform" else ""
