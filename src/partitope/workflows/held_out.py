"""Figures of a way to fit on rows that it has not seen: cross-validation around everything, choices included."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from ..base.checks import class_codes
from ..compare.scoring import FoldScores, score_folds
from ..datasets.dataset import Dataset
from .fit import rows_for


def held_out_scores(data: Dataset, fit: Callable[[Dataset], Any], folds: int, seed: int) -> FoldScores | None:
    """Scores of the rows of every fold by a model that ``fit`` has learnt from the others.

    Parameters
    ----------
    data : Dataset
        Table and classes.
    fit : callable
        Makes a fitted classifier of the training rows; whatever it chooses, it chooses there.
    folds : int
        Stratified folds, shuffled by ``seed``; at most as many as the rarest class has rows.

    Returns
    -------
    FoldScores or None
        None where a class has one row only, so that nothing can be held out.
    """
    _, codes = class_codes(data.y)
    count = min(folds, int(np.bincount(codes).min()))
    if count < 2:
        return None
    splits = list(StratifiedKFold(count, shuffle=True, random_state=seed).split(codes, codes))

    def scores(train: Any, test: Any) -> Any:
        rows = data.rows(test)
        given = {} if rows.covariates is None else {"covariates": rows.covariates}
        model = fit(data.rows(train))
        with warnings.catch_warnings():  # what is no number in a fold was said of the whole table
            warnings.simplefilter("ignore", UserWarning)
            return model.predict_proba(rows_for(model, rows), **given)

    return score_folds(codes, splits, scores)
