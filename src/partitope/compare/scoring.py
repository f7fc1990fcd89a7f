"""Scores on held-out rows, fold by fold, and when one classifier may be called better than another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..stats.binary import mean_roc_area
from ..stats.cluster_values.steps import holm
from ..stats.comparison.two_classifiers import corrected_t_test

Splits = Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]]  # Rows to learn from, and rows held out, of every split.


@dataclass(frozen=True, eq=False)
class FoldScores:
    """What a classifier reaches in every fold."""

    accuracies: NDArray[np.float64]  # (f,): Accuracy of the held-out rows of every fold.
    areas: NDArray[np.float64]  # (f,): Area under the ROC curve per fold; with many classes, of one against the rest.

    @property
    def accuracy(self) -> float:
        """Mean accuracy."""
        return float(self.accuracies.mean())

    @property
    def accuracy_sd(self) -> float:
        """Standard deviation over the folds."""
        return float(self.accuracies.std(ddof=1))

    @property
    def auc(self) -> float:
        """Mean area."""
        return float(self.areas.mean())

    @property
    def auc_sd(self) -> float:
        """Standard deviation over the folds."""
        return float(self.areas.std(ddof=1))


def score_folds(
    codes: NDArray[np.int64],
    splits: Splits,
    scores_of: Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.float64]],
) -> FoldScores:
    """Score (n_test, C) by ``scores_of(train, test)`` in every split."""
    scores = np.zeros((len(codes), int(codes.max()) + 1))
    for train, test in splits:
        scores[test] = scores_of(train, test)
    return measured(codes, splits, scores)


def measured(codes: NDArray[np.int64], splits: Splits, scores: NDArray[np.float64]) -> FoldScores:
    """Accuracies and areas of scores (n, C) in the held-out parts of the splits."""
    tests = [test for _, test in splits]
    accuracies = [float((decide(scores[test]) == codes[test]).mean()) for test in tests]
    areas = [mean_roc_area(codes[test], scores[test]) for test in tests]
    return FoldScores(np.array(accuracies), np.array(areas))


def listed(names: Sequence[str], most: int = 3) -> str:
    """The first names, and how many more."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def decide(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Predicted class: the second of two from a score of 1/2, the largest of more."""
    return (scores[:, 1] >= 0.5).astype(np.int64) if scores.shape[1] == 2 else scores.argmax(axis=1)


@dataclass(frozen=True)
class Leader:
    """The method with the largest mean, and those that the test does not separate from it."""

    name: str  # Name of the largest mean, the first on ties.
    mean: float  # The largest mean.
    rivals: tuple[str, ...]


def leader(figures: Mapping[str, NDArray[np.float64]], level: float = 0.05) -> Leader | None:
    """Who leads by figures (f,) of the same f folds, and whether a test says so; None without finite figures."""
    finite = {name: values for name, values in figures.items() if np.isfinite(values).all()}
    if not finite:
        return None
    order = sorted(finite, key=lambda name: -float(finite[name].mean()))
    first = finite[order[0]]
    ratio = 1.0 / (len(first) - 1)
    ps = [corrected_t_test(first, finite[other], ratio).pvalue for other in order[1:]]
    rivals = tuple(other for other, p in zip(order[1:], holm(np.array(ps))) if p >= level)
    return Leader(order[0], float(first.mean()), rivals)
