"""Measures of a binary classification.

With tp, fp, fn, tn the four counts, n their sum, and label 1 where score >= threshold:

    accuracy = (tp + tn) / n        sensitivity = tp / (tp + fn)      specificity = tn / (tn + fp)
    precision = tp / (tp + fp)      npv = tn / (tn + fn)              f1 = 2 tp / (2 tp + fp + fn)
    auc = P(score of a 1 > score of a 0) + P(equal) / 2               brier = mean((score - y)^2)

A ratio with denominator 0 is undefined: it is nan, and `BinaryReport.undefined` has the reason.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.checks import finite_numbers, same_length, single_number, zero_one
from ..base.one_line import OneLine


@dataclass(frozen=True, repr=False)
class BinaryReport(OneLine):
    """Counts and measures of a binary classification.

    Attributes
    ----------
    accuracy, sensitivity, specificity, precision, npv, f1, auc, brier : float
        In [0, 1]; nan where undefined.
    tp, fp, fn, tn : int
        The confusion matrix.
    threshold : float
        Label 1 where score >= threshold.
    undefined : dict of str to str
        Measure to the reason why it is nan.
    """

    accuracy: float
    sensitivity: float
    specificity: float
    precision: float
    npv: float
    f1: float
    auc: float
    brier: float
    tp: int
    fp: int
    fn: int
    tn: int
    threshold: float = 0.5
    undefined: dict[str, str] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Number of points."""
        return self.tp + self.fp + self.fn + self.tn

    @property
    def counts(self) -> dict[str, int]:
        """The confusion matrix as a dictionary tp, fp, fn, tn."""
        return {"tp": self.tp, "fp": self.fp, "fn": self.fn, "tn": self.tn}


def binary_report(y_true: ArrayLike, y_score: ArrayLike, threshold: float = 0.5) -> BinaryReport:
    """Counts and measures of a scored binary classification.

    Parameters
    ----------
    y_true : (n,) array_like of {0, 1}
        Observed classes.
    y_score : (n,) array_like of float
        Scores; a larger one speaks for class 1. Labels 0 and 1 are scores too.
    threshold : float
        Label 1 where score >= threshold.

    Returns
    -------
    BinaryReport

    Raises
    ------
    InvalidInputError
        When lengths differ, a class is not 0 or 1, a score is NaN or infinite, or the threshold is not finite.

    Notes
    -----
    Exact; O(n log n) for the ranks of the AUC. The Brier score is undefined unless all scores are in [0, 1].

    References
    ----------
    Hanley and McNeil (1982), The meaning and use of the area under a ROC curve.

    Examples
    --------
    >>> from partitope.stats import binary_report
    >>> report = binary_report([0, 0, 1, 1], [0.1, 0.6, 0.5, 0.9])
    >>> report.accuracy, report.sensitivity, report.auc
    (0.75, 1.0, 0.75)
    """
    y, score = zero_one(y_true, "y_true"), finite_numbers(y_score, "y_score")
    same_length(y_true=y, y_score=score)
    single_number(threshold, "threshold")
    # one pass over the pairs (label, class) gives all four counts
    label = (score >= threshold).astype(np.int64)
    tn, fn, fp, tp = (int(c) for c in np.bincount(2 * label + y, minlength=4))
    undefined: dict[str, str] = {}

    # an empty denominator is not an error of the caller: the report has the reason
    def ratio(name: str, part: int, whole: int, reason: str) -> float:
        if whole == 0:
            undefined[name] = reason
            return float("nan")
        return part / whole

    if y.min() == y.max():
        undefined["auc"] = f"only class {int(y[0])} occurs"
    # a score outside [0, 1] is not a probability, so its square is not a Brier score
    in_range = bool(score.min() >= 0.0 and score.max() <= 1.0)
    if not in_range:
        undefined["brier"] = "scores leave [0, 1]"
    return BinaryReport(
        accuracy=(tp + tn) / y.size,
        sensitivity=ratio("sensitivity", tp, tp + fn, "no point of class 1"),
        specificity=ratio("specificity", tn, tn + fp, "no point of class 0"),
        precision=ratio("precision", tp, tp + fp, "no point is labelled 1"),
        npv=ratio("npv", tn, tn + fn, "no point is labelled 0"),
        f1=ratio("f1", 2 * tp, 2 * tp + fp + fn, "no point is of class 1 or labelled 1"),
        auc=roc_area(y == 1, score),
        brier=float(np.mean((score - y) ** 2)) if in_range else float("nan"),
        tp=tp,
        fp=fp,
        fn=fn,
        tn=tn,
        threshold=float(threshold),
        undefined=undefined,
    )


def roc_area(positive: NDArray[np.generic], score: NDArray[np.float64]) -> float:
    """Area under the ROC curve of scores (n,): Mann and Whitney's statistic from mid-ranks, O(n log n)."""
    from scipy.stats import rankdata

    ones = int(np.count_nonzero(positive))
    zeros = len(positive) - ones
    if ones == 0 or zeros == 0:
        return float("nan")
    rank_sum = float(rankdata(score)[np.asarray(positive, dtype=bool)].sum())
    return (rank_sum - ones * (ones + 1) / 2) / (ones * zeros)


def mean_roc_area(codes: NDArray[np.int64], scores: NDArray[np.float64]) -> float:
    """`roc_area` of class scores (n, C); for C > 2 the mean of one class against the rest; nan when one is absent."""
    if scores.shape[1] == 2:
        return roc_area(codes == 1, scores[:, 1])
    return float(np.mean([roc_area(codes == c, scores[:, c]) for c in range(scores.shape[1])]))
