"""Differences of two clusters, against other libraries."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import fisher_exact, ttest_ind
from statsmodels.stats.proportion import confint_proportions_2indep, proportions_ztest

from partitope.stats import value_difference_test


@pytest.mark.parametrize("alternative, name", [("two-sided", "two-sided"), ("less", "smaller"), ("greater", "larger")])
def test_difference_of_shares(alternative, name):
    labels, y = np.repeat([2, 7, 3], [60, 45, 9]), np.repeat([1, 0, 1, 0], [25, 35, 29, 25])
    x = y[labels == 2].sum(), y[labels == 7].sum()
    score = value_difference_test(labels, y, (2, 7), "score", alternative)
    z, p = proportions_ztest(x, (60, 45), alternative=name)
    assert (score.statistic, score.pvalue) == pytest.approx((z, p), abs=1e-12)
    low, high = confint_proportions_2indep(x[0], 60, x[1], 45, method="newcomb", compare="diff")
    assert (score.low, score.high) == pytest.approx((low, high), abs=1e-12)
    exact = value_difference_test(labels, y, (2, 7), "exact", alternative)
    assert exact.pvalue == pytest.approx(fisher_exact([[x[0], 60 - x[0]], [x[1], 45 - x[1]]], alternative).pvalue)
    assert score.low < score.difference < score.high
    assert score.n == (60, 45)


def test_newcombes_worked_example():
    """Example (a) of the paper: 56/70 against 48/80, score-based interval 0.0524 to 0.3339."""
    labels, y = np.repeat([0, 1], [70, 80]), np.repeat([1, 0, 1, 0], [56, 14, 48, 32])
    result = value_difference_test(labels, y)
    assert (round(result.low, 4), round(result.high, 4)) == (0.0524, 0.3339)


def test_difference_of_means():
    rng = np.random.default_rng(0)
    labels, y = np.repeat([0, 1], [20, 30]), rng.normal(size=50)
    result = value_difference_test(labels, y)
    other = ttest_ind(y[:20], y[20:], equal_var=False)
    assert (result.method, result.pvalue) == ("welch", pytest.approx(other.pvalue))
    assert (result.low, result.high) == pytest.approx(tuple(other.confidence_interval(0.95)))


def test_automatic_choice_and_extremes():
    assert value_difference_test([0, 0, 1, 1], [0, 0, 1, 1]).method == "exact"
    same = value_difference_test([0, 0, 1, 1], [1, 1, 1, 1], method="score")
    assert (same.statistic, same.pvalue) == (0.0, 1.0)
    for arguments, word in (
        (([0, 0, 1, 1], [0, 1, 0, 1], (0, 0)), "two different"),
        (([0, 0, 1, 1], [0, 1, 0, 1], (0, 2)), "hold points"),
        (([0, 0, 1, 1], [0, 1, 0, 3], (0, 1), "exact"), "welch"),
        (([0, 0, 1, 1], [5, 5, 3, 3]), "no error"),
    ):
        with pytest.raises(ValueError, match=word):
            value_difference_test(*arguments)
