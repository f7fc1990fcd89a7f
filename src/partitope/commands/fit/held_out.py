"""Figures of a way to fit on rows that it has not seen: cross-validation around everything, choices included."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.model_selection import StratifiedKFold

from ...base.checks import class_codes
from ...compare.scoring import FoldScores, score_folds
from ...datasets.dataset import Dataset
from .run import rows_for


def folds_of(data: Dataset, folds: int, n_clusters: int = 1) -> tuple[int, str]:
    """How many stratified folds can be held out, at most ``folds``; 0 with the reason where none can."""
    classes, codes = class_codes(data.y)
    counts = np.bincount(codes)
    count = min(folds, int(counts.min()))
    if count < 2:
        return 0, f"class '{classes[counts.argmin()]}' has one row" if folds else ""
    left = len(codes) - int(np.ceil(counts / count).sum())
    if left < n_clusters:
        return 0, f"a fold would leave {left} rows to {n_clusters} clusters"
    return count, ""


def held_out_scores(data: Dataset, fit: Callable[[Dataset], BaseEstimator], folds: int, seed: int) -> FoldScores:
    """Scores of the rows of every fold by a model that ``fit`` has learnt from the others."""
    _, codes = class_codes(data.y)
    splits = list(StratifiedKFold(folds, shuffle=True, random_state=seed).split(codes, codes))

    def scores(train: Any, test: Any) -> Any:
        rows = data.rows(test)
        given = {} if rows.covariates is None else {"covariates": rows.covariates}
        model = fit(data.rows(train))
        with warnings.catch_warnings():  # entries that are not numbers were reported for the whole table
            warnings.simplefilter("ignore", UserWarning)
            return model.predict_proba(rows_for(model, rows), **given)

    return score_folds(codes, splits, scores)
