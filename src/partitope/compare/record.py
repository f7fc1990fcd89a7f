"""A comparison as plain values, for JSON."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..models import Bound
from ..output.report import whole
from ..solvers import Partition
from .result import Comparison, Row
from .scoring import FoldScores


def plain_record(result: Comparison) -> dict[str, Any]:
    """The comparison as plain data; figures that do not exist are nan (null in JSON)."""
    data, settings = result.data, result.settings
    classes, counts = np.unique(data.y, return_counts=True)
    return {
        "data": {
            "name": data.name,
            "rows": len(data.y),
            "features": list(data.feature_names),
            "target": data.target_name,
            "classes": {str(label): int(count) for label, count in zip(classes, counts)},
            "notes": list(data.notes),
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
            "plain": settings.plain,
        },
        "rows": [_row_record(row) for row in result.rows],
        "references": [
            {"name": one.name, "seconds": one.seconds, **_fold_record(one.folds)} for one in result.references
        ],
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
        "local_models": None if row.local is None else _fold_record(row.local),
        "seconds": row.seconds,
        "cv_seconds": row.cv_seconds,
        "proof": row.proof,
        "claim": None if row.partition is None else row.partition.claim,
        "note": row.note,
        "partition": None if row.partition is None else _partition_record(row.partition),
    }


def _fold_record(folds: FoldScores) -> dict[str, Any]:
    """Means and standard deviations over the folds, and the accuracy of each."""
    return {
        "accuracy": folds.accuracy,
        "accuracy_sd": folds.accuracy_sd,
        "auc": folds.auc,
        "auc_sd": folds.auc_sd,
        "fold_accuracies": folds.accuracies,
    }


def _bound_record(bound: Bound) -> dict[str, Any]:
    """An interval around the optimum with its gap and its method."""
    return {"lower": bound.lower, "upper": bound.upper, "gap": bound.gap, "method": bound.proof}


def _partition_record(partition: Partition) -> dict[str, Any]:
    bound = partition.bound
    return {
        "objective": partition.objective,
        "sense": partition.sense,
        "sizes": whole(partition.sizes),
        "labels": partition.labels,
        "iterations": partition.n_iter,
        "status": str(partition.status),
        "history": partition.history.get("objective"),
        "bound": None if bound is None else _bound_record(bound),
    }
