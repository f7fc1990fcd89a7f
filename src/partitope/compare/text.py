"""A comparison as a table for the terminal and as a record for machines."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import __version__
from ..models import Bound, Proof
from ..solvers import Partition
from .result import Comparison, Row

COLUMNS = ("method", "objective", "sum of squares", "sizes", "accuracy", "AUC", "seconds", "proof")


def cells(row: Row) -> list[str]:
    """One text for each of `COLUMNS`; a dash where there is no figure."""
    if row.partition is None:
        return [row.method.name, *["–"] * (len(COLUMNS) - 1)]
    sizes = row.partition.sizes
    arrow = "↑" if row.sense == "max" else "↓"
    return [
        row.method.name,
        f"{arrow} {figure(row.partition.objective)}",
        figure(row.sum_of_squares),
        f"{sizes.min():g}..{sizes.max():g}{'' if row.within_bounds else ' !'}",
        spread(row.accuracy, row.accuracy_sd, percent=True),
        spread(row.auc, row.auc_sd),
        f"{row.seconds:.2f}",
        proof_cell(row.partition),
    ]


def proof_cell(partition: Partition) -> str:
    """The word of a proof; a global one with its gap."""
    proof, bound = partition.proof, partition.bound
    return f"{proof}, gap {bound.gap:.1g}" if proof is Proof.GLOBAL and bound is not None else str(proof)


def figure(value: float) -> str:
    """Six significant digits, in plain notation where that is short."""
    return f"{value:.6g}" if math.isfinite(value) else "–"


def spread(mean: float, deviation: float, *, percent: bool = False) -> str:
    """Mean and standard deviation over the folds."""
    if not math.isfinite(mean):
        return "–"
    if percent:
        return f"{100 * mean:.1f} ± {100 * deviation:.1f} %"
    return f"{mean:.3f} ± {deviation:.3f}"


def footnotes(result: Comparison) -> list[str]:
    """What a reader of the table must know, one sentence each."""
    settings, n = result.settings, len(result.data.y)
    rule = " (n/k give or take a fifth)" if settings.default_bounds else ""
    lines = [
        f"Sizes must be {settings.polytope.describe()}{rule}; '!' marks sizes outside. "
        f"A fold that trains on n' of the {n} rows scales the bounds by n'/{n}, lower rounded down, upper up.",
        f"Objective, sizes and seconds: best of {settings.starts} starts on the whole table (seconds: all starts). "
        f"Accuracy and AUC: mean ± sd over {settings.folds} stratified folds, encoder fitted inside each fold.",
        "Objectives of different methods are different quantities; the sum of squares is measured alike for all.",
        f"Proof: {'; '.join(f'{word}: {text}' for word, text in proofs(result).items())}.",
    ]
    return lines + [f"{row.method.name}: {row.note}" for row in result.rows if row.note]


def proofs(result: Comparison) -> dict[str, str]:
    """The words of the column "proof" and what they mean; of "none", what the strategies themselves end in."""
    found = {str(proof): proof.description for proof in Proof}
    ends: dict[str, list[str]] = {}
    for row in result.rows:
        if row.partition is not None and row.proof is Proof.NONE and row.partition.local_optimum:
            ends.setdefault(row.partition.local_optimum, []).append(row.method.name)
    for changes, names in ends.items():
        found[str(Proof.NONE)] += f" ({', '.join(names)}: local optimum of {changes})"
    return found


def headline(result: Comparison) -> str:
    """The data and the clusters in one line."""
    data, settings = result.data, result.settings
    classes = ", ".join(map(str, data.classes[:6])) + (", ..." if len(data.classes) > 6 else "")
    return (
        f"{data.name}: {len(data.y)} rows, {data.X.shape[1]} features, target {data.target_name} ({classes}); "
        f"k = {settings.n_clusters}"
    )


def show(result: Comparison) -> None:
    """Print the table to stdout."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    if not console.is_terminal:  # a pipe or a file has no width to fit
        console.width = 140
    table = Table(title=Text(headline(result)), title_justify="left", title_style="bold", expand=False)
    for column in COLUMNS:
        left = column in ("method", "proof")
        table.add_column(column, justify="left" if left else "right", no_wrap=left)
    for row in result.rows:
        table.add_row(*map(Text, cells(row)))
    console.print(table)
    for line in footnotes(result):
        console.print(Text(line, style="dim"))


def as_record(result: Comparison) -> dict[str, Any]:
    """The comparison as plain data; figures that do not exist are nan (null in JSON)."""
    data, settings = result.data, result.settings
    classes, counts = np.unique(data.y, return_counts=True)
    return {
        "format": "partitope.comparison",
        "version": 1,
        "partitope": __version__,
        "data": {
            "name": data.name,
            "rows": len(data.y),
            "features": list(data.feature_names),
            "target": data.target_name,
            "classes": {str(label): int(count) for label, count in zip(classes, counts)},
        },
        "settings": {
            "n_clusters": settings.n_clusters,
            "lower": settings.lower,
            "upper": settings.upper,
            "fold_bounds": "floor(lower * n_train / n), ceil(upper * n_train / n)",
            "folds": settings.folds,
            "starts": settings.starts,
            "seed": settings.seed,
            "aggregate": settings.aggregate,
            "weighting": settings.weighting,
        },
        "rows": [_row_record(row) for row in result.rows],
        "seconds": result.seconds,
    }


def _row_record(row: Row) -> dict[str, Any]:
    return {
        "method": row.method.name,
        "strategy": row.method.strategy,
        "sum_of_squares": row.sum_of_squares,
        "within_bounds": row.within_bounds,
        "accuracy": row.accuracy,
        "accuracy_sd": row.accuracy_sd,
        "auc": row.auc,
        "auc_sd": row.auc_sd,
        "seconds": row.seconds,
        "cv_seconds": row.cv_seconds,
        "proof": row.proof,
        "claim": None if row.partition is None else row.partition.claim,
        "note": row.note,
        "partition": None if row.partition is None else _partition_record(row.partition, row.sense),
    }


def _bound_record(bound: Bound) -> dict[str, Any]:
    """An interval around the optimum with its gap and its method."""
    return {"lower": bound.lower, "upper": bound.upper, "gap": bound.gap, "method": bound.proof}


def _partition_record(partition: Partition, sense: str) -> dict[str, Any]:
    bound = partition.bound
    return {
        "objective": partition.objective,
        "sense": sense,
        "sizes": partition.sizes,
        "labels": partition.labels,
        "iterations": partition.n_iter,
        "status": str(partition.status),
        "history": partition.history.get("objective"),
        "bound": None if bound is None else _bound_record(bound),
    }
