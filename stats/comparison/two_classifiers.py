"""Do two classifiers differ? Tests on one test set, and on paired scores of a cross-validation.

McNemar, from the points that only one of the two gets right, b of the first and c of the second:

    (1)  P = 2 P(Bin(b + c, 1/2) <= min(b, c)), at most 1

Corrected resampled t-test, from differences d_1..d_r of scores on r test sets drawn again and again from one sample:

    (2)  t = mean(d) / sqrt((1/r + n_test / n_train) var(d)) ~ t_(r-1)

The training sets overlap, so that the usual 1/r alone is far too small; n_test / n_train stands for their correlation.
For k folds repeated any number of times it is 1 / (k - 1).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...base.checks import as_array, as_number, finite_numbers, in_interval, one_of, refuse_absent, same_length
from ...base.errors import InvalidInputError
from ..cluster_values.difference import Alternative, DifferenceTest, tail_probability


def mcnemar_test(y: ArrayLike, first: ArrayLike, second: ArrayLike) -> DifferenceTest:
    """Compare the accuracies of two classifiers on the same test points.

    Parameters
    ----------
    y, first, second : (n,) array_like
        True classes, and those that the two classifiers predict.

    Returns
    -------
    DifferenceTest
        ``statistic`` is min(b, c), ``difference`` that of the accuracies, without an interval.

    Raises
    ------
    InvalidInputError
        When lengths differ, nothing is given, an entry is missing, or an argument is not a vector.

    Notes
    -----
    Exact. Assumes fixed classifiers and independent test points, as those of one held-out set.

    References
    ----------
    McNemar (1947), Note on the sampling error of the difference between correlated proportions.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.stats import mcnemar_test
    >>> y = np.ones(20, dtype=int)
    >>> result = mcnemar_test(y, np.arange(20) > 1, np.arange(20) > 9)
    >>> result.difference, round(result.pvalue, 4)
    (0.4, 0.0078)
    """
    from scipy.stats import binom

    given = {name: as_array(values, name) for name, values in (("y", y), ("first", first), ("second", second))}
    n = same_length(**given)
    for name, array in given.items():
        if n == 0 or array.ndim != 1:
            raise InvalidInputError(f"{name} has shape {array.shape}, expected (n,) with n >= 1")
        refuse_absent(array, name)
    truth, left, right = given.values()
    a, b = left == truth, right == truth
    only_first, only_second = int(np.sum(a & ~b)), int(np.sum(~a & b))
    fewer = min(only_first, only_second)
    return DifferenceTest(
        float(fewer),
        min(2.0 * float(binom.cdf(fewer, only_first + only_second, 0.5)), 1.0),
        float(a.mean() - b.mean()),
        float("nan"),
        float("nan"),
        n,
        "McNemar, exact",
        "both are right equally often",
        "one is right more often",
    )


def corrected_t_test(
    first: ArrayLike,
    second: ArrayLike,
    test_to_train: float | None = None,
    alternative: Alternative = "two-sided",
    *,
    confidence: float = 0.95,
) -> DifferenceTest:
    """Compare paired scores of repeated cross-validation or repeated random splits.

    Parameters
    ----------
    first, second : (r,) array_like
        Scores of the two classifiers on the same r test sets.
    test_to_train : float
        Test points for every training point of one split, n_test / n_train: 1 / (k - 1) for k folds, 1/4 (not 1/5) for
        a fifth held out.
    alternative : {"two-sided", "less", "greater"}
        Whether the first scores differ from, are less than or greater than the second.
    confidence : float
        Level of the two-sided interval of the mean difference.

    Returns
    -------
    DifferenceTest
        ``statistic`` is t of (2), ``difference`` that of the mean scores.

    Raises
    ------
    InvalidInputError
        When lengths differ, there are fewer than two scores, or ``test_to_train`` is missing or not positive.

    Notes
    -----
    Approximate: the correlation of overlapping training sets is set to n_test / (n_test + n_train), not estimated.
    When all differences are equal the p-value is 1 if they are 0, and 0 otherwise on their side.

    References
    ----------
    Nadeau and Bengio (2003), Inference for the generalization error. Bouckaert and Frank (2004), Evaluating the
    replicability of significance tests for comparing learning algorithms.

    Examples
    --------
    >>> from partitope.stats import corrected_t_test
    >>> result = corrected_t_test([0.82, 0.80, 0.85, 0.81], [0.80, 0.79, 0.80, 0.80], test_to_train=1 / 3)
    >>> round(result.statistic, 3), round(result.pvalue, 3)
    (1.556, 0.218)
    """
    from scipy.stats import t as student

    one_of(alternative, "alternative", ("two-sided", "less", "greater"))
    in_interval(confidence, "confidence", 0.0, 1.0)
    a, b = finite_numbers(first, "first"), finite_numbers(second, "second")
    r = same_length(first=a, second=b)
    if r < 2:
        raise InvalidInputError(f"there is {r} pair of scores, expected at least 2: use more folds or repetitions")
    if test_to_train is None or not 0 < as_number(test_to_train) < np.inf:
        raise InvalidInputError(
            f"test_to_train={test_to_train!r} is not usable: pass n_test / n_train, 1 / (k - 1) for k folds"
        )
    # scores of one fold belong together, and n_test / n_train stands for what folds share (2)
    d = a - b
    error = float(np.sqrt((1.0 / r + test_to_train) * d.var(ddof=1)))
    mean = float(d.mean())
    # equal differences have no spread to be compared with: the statistic is 0 or infinite
    if error <= 1e-15 * max(1.0, abs(mean)):
        statistic = 0.0 if mean == 0.0 else float(np.copysign(np.inf, mean))
    else:
        statistic = mean / error
    law = student(r - 1)
    half = float(law.ppf(0.5 + confidence / 2)) * error
    relation = {"two-sided": "differ", "less": "of the first are less", "greater": "of the first are greater"}
    return DifferenceTest(
        statistic,
        tail_probability(law, statistic, alternative),
        mean,
        mean - half,
        mean + half,
        r,
        "corrected resampled t-test",
        "expected scores are equal",
        f"expected scores {relation[alternative]}",
    )
