"""Tests of two classifiers against statsmodels and scikit-learn's worked example; areas against DeLong's own data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.datasets import make_moons
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.svm import SVC
from statsmodels.stats.contingency_tables import mcnemar

from partitope.stats import auc_interval, corrected_t_test, mcnemar_test

# albumin, total protein, K-G score, class: the complete rows of the ovarian cancer data of DeLong et al. (1988)
ROWS = """
3.0 5.8 10 0  3.2 6.3 5 1  3.9 6.8 3 1  2.8 4.8 6 0  3.2 5.8 3 1  0.9 4.0 5 0  2.5 5.7 8 0  1.6 5.6 5 1  3.8 5.7 5 1
3.7 6.7 6 1  3.2 5.4 4 1  3.8 6.6 6 1  4.1 6.6 5 1  3.6 5.7 5 1  4.3 7.0 4 1  3.6 6.7 4 0  2.3 4.4 6 1  4.2 7.6 4 0
4.0 6.6 6 0  3.5 5.8 6 1  3.8 6.8 7 1  3.0 4.7 8 0  4.5 7.4 5 1  3.7 7.4 5 1  3.1 6.6 6 1  4.1 8.2 6 1  4.3 7.0 5 1
4.3 6.5 4 1  3.2 5.1 5 1  2.6 4.7 6 1  3.3 6.8 6 0  1.7 4.0 7 0  3.7 6.1 5 1  3.3 6.3 7 1  4.2 7.7 6 1  3.5 6.2 5 1
2.9 5.7 9 0  2.1 4.8 7 1  2.8 6.2 8 0  4.0 7.0 7 1  3.3 5.7 6 1  3.7 6.9 5 1  3.6 6.6 5 1
"""
OVARIAN = np.array([float(value) for value in ROWS.split()]).reshape(-1, 4)
# published analysis of these rows: area and standard error
PUBLISHED = {0: (0.7366, 0.0927), 1: (0.6478, 0.1000)}


@pytest.mark.parametrize("column", PUBLISHED)
def test_delongs_worked_example(column):
    area, error = PUBLISHED[column]
    y, score, reference = OVARIAN[:, 3], OVARIAN[:, column], 10 - OVARIAN[:, 2]
    interval = auc_interval(y, score)
    assert interval.n == (31, 12)
    assert (interval.estimate, interval.standard_error) == pytest.approx((area, error), abs=5e-5)
    assert auc_interval(y, reference).standard_error == pytest.approx(0.1028, abs=5e-5)


def test_published_interval_of_an_area():
    low, high = auc_interval(OVARIAN[:, 3], OVARIAN[:, 0])
    assert (low, high) == pytest.approx((0.5549, 0.9182), abs=5e-5)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(2, 12))
def test_delong_equals_its_definition(seed, m, n):
    """Double loops over all pairs, ties included."""
    rng = np.random.default_rng(seed)
    y = np.r_[np.ones(m), np.zeros(n)]
    score = rng.integers(0, 6, m + n) + y * rng.integers(0, 2, m + n)
    psi = np.array([[(x > z) + 0.5 * (x == z) for z in score[m:]] for x in score[:m]])
    variance = psi.mean(axis=1).var(ddof=1) / m + psi.mean(axis=0).var(ddof=1) / n
    interval = auc_interval(y, score)
    assert interval.estimate == pytest.approx(roc_auc_score(y, score))
    assert interval.standard_error == pytest.approx(np.sqrt(variance), abs=1e-12)


def test_equal_scores_and_perfect_scores():
    y = np.repeat([0, 1], 10)
    assert auc_interval(y, np.arange(20)).standard_error == 0.0
    with pytest.raises(ValueError, match="at least two of each"):
        auc_interval([0, 0, 0, 1], [1, 2, 3, 4])
    with pytest.raises(ValueError, match="NaN"):
        auc_interval([0, 0, 1, 1], [1, 2, np.nan, 4])


@pytest.mark.parametrize("counts", [(30, 12, 5, 8), (101, 121, 59, 33), (4, 0, 0, 3), (9, 6, 6, 1)])
def test_mcnemar_equals_statsmodels(counts):
    both, first, second, none = counts
    y = np.ones(sum(counts), dtype=int)
    a = np.repeat([1, 1, 0, 0], counts)
    b = np.repeat([1, 0, 1, 0], counts)
    test = mcnemar_test(y, a, b)
    assert test.difference == pytest.approx((first - second) / sum(counts))
    if first + second == 0:
        assert test.pvalue == 1.0
        return
    expected = mcnemar([[both, first], [second, none]], exact=True)
    assert test.pvalue == pytest.approx(min(expected.pvalue, 1.0))
    assert test.statistic == pytest.approx(expected.statistic)
    assert test.pvalue == pytest.approx(binomtest(first, first + second).pvalue)


def test_mcnemar_takes_classes_of_any_name():
    y = np.array(["a", "b", "c", "a"])
    test = mcnemar_test(y, np.array(["a", "b", "c", "b"]), np.array(["b", "b", "a", "b"]))
    assert (test.difference, test.pvalue) == (0.5, 0.5)
    with pytest.raises(ValueError, match="lengths differ"):
        mcnemar_test([1, 0], [1], [0, 1])


@pytest.fixture(scope="module")
def moons():
    return make_moons(noise=0.352, random_state=1, n_samples=100)


def test_corrected_t_equals_scikit_learns_worked_example(moons):
    """Its user guide prints t = 0.750 and the one-sided p = 0.227 for an rbf against a linear machine."""
    machines = {"rbf": SVC(kernel="rbf", random_state=0), "linear": SVC(kernel="linear", random_state=0)}
    folds = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
    scores = {name: cross_val_score(machine, *moons, scoring="roc_auc", cv=folds) for name, machine in machines.items()}
    test = corrected_t_test(scores["rbf"], scores["linear"], 1 / 9, "greater")
    assert test.statistic == pytest.approx(0.750, abs=5e-4)
    assert test.pvalue == pytest.approx(0.227, abs=5e-4)


def test_corrected_t_by_hand():
    a, b = np.array([0.9, 0.7, 0.8]), np.array([0.6, 0.6, 0.6])  # differences .3, .1, .2: mean .2, variance .01
    test = corrected_t_test(a, b, 0.5)
    assert test.statistic == pytest.approx(0.2 / np.sqrt((1 / 3 + 0.5) * 0.01))
    assert (test.low + test.high) / 2 == pytest.approx(0.2)
    less, greater = (corrected_t_test(a, b, 0.5, side).pvalue for side in ("less", "greater"))
    assert less + greater == pytest.approx(1.0)
    same = corrected_t_test(a, a, 0.5)
    assert (same.statistic, same.pvalue) == (0.0, 1.0)
    with pytest.raises(ValueError, match="n_test / n_train"):
        corrected_t_test(a, b, 0.0)
    with pytest.raises(ValueError, match="at least 2"):
        corrected_t_test([0.5], [0.6], 0.1)
