"""Association of y with a partition, and differences of two clusters, against enumeration and other libraries."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import chi2_contingency, f_oneway, fisher_exact, kstest, ttest_ind
from statsmodels.stats.proportion import confint_proportions_2indep, proportions_ztest

from partitope.stats import value_difference_test
from partitope.stats.partitions.association import partition_association_test


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_pvalue_equals_the_one_of_all_permutations(kind):
    labels = np.array([0, 0, 0, 1, 1, 2, 2])
    y = np.array([0, 0, 1, 1, 1, 2, 2]) if kind == "classes" else np.array([0.1, 0.4, 1.2, 1.3, 0.9, 1.7, 0.2])
    result = partition_association_test(labels, y, n_permutations=40_000)
    statistic = _chi2 if kind == "classes" else _between
    found = statistic(labels, y)
    if kind == "classes":  # each distinct arrangement stands for equally many permutations
        orders = sorted(set(itertools.permutations(y.tolist())))
    else:
        orders = list(itertools.permutations(y.tolist()))
    every = np.array([statistic(labels, np.array(order)) for order in orders])
    exact = np.mean(every >= found - 1e-9)
    assert result.kind == kind
    assert result.statistic == pytest.approx(found)
    assert result.pvalue == pytest.approx(exact, abs=4 * np.sqrt(exact / 40_000) + 2e-5)


def _chi2(labels, y):
    table = np.array([[np.sum((labels == i) & (y == c)) for c in np.unique(y)] for i in np.unique(labels)])
    return chi2_contingency(table, correction=False).statistic


def _between(labels, y):
    return sum((labels == i).sum() * (y[labels == i].mean() - y.mean()) ** 2 for i in np.unique(labels))


def test_large_samples_agree_with_the_classical_tests():
    rng = np.random.default_rng(4)
    labels = rng.integers(0, 4, 800)
    y = (rng.random(800) < 0.4 + 0.04 * labels).astype(int)
    table = np.array([[np.sum((labels == i) & (y == c)) for c in (0, 1)] for i in range(4)])
    classical = chi2_contingency(table, correction=False)
    ours = partition_association_test(labels, y)
    assert ours.statistic == pytest.approx(classical.statistic)
    assert ours.pvalue == pytest.approx(classical.pvalue, abs=0.012)
    assert ours.effect == pytest.approx(np.sqrt(classical.statistic / 800))
    z = rng.normal(size=800) + 0.08 * labels
    ours = partition_association_test(labels, z, n_permutations=2999)
    assert ours.pvalue == pytest.approx(f_oneway(*(z[labels == i] for i in range(4))).pvalue, abs=0.03)


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_level_under_the_null(kind):
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], [10, 15, 20])
    found = []
    for seed in range(300):
        y = rng.integers(0, 6, 45) if kind == "classes" else rng.exponential(size=45)
        found.append(partition_association_test(labels, y, kind, n_permutations=199, random_state=seed).pvalue)
    assert np.mean(np.array(found) <= 0.05) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 300)
    assert kstest(found, "uniform").pvalue > 0.01


def test_text_classes_and_cluster_names():
    labels, y = [5, 5, 5, 9, 9, 9], np.array(["no", "no", "no", "yes", "yes", "yes"], dtype=object)
    result = partition_association_test(labels, y, n_permutations=4000)
    assert result.pvalue == pytest.approx(2 / 20, abs=0.02)
    assert result.effect == pytest.approx(1.0)
    assert result.n == 6


@pytest.mark.parametrize(
    "labels, y, options, word",
    [
        ([0, 0, 0], [0, 1, 1], {}, "two clusters"),
        ([0, 1, 1], [1, 1, 1], {}, "constant"),
        ([0, 1, 1], [0.5, 0.5, 0.5], {"kind": "numbers"}, "constant"),
        ([0, 1], [0, 1, 1], {}, "lengths differ"),
        ([0, 1, 1], [0, np.nan, 1], {}, "NaN|missing"),
        ([0, 1, 1], [0, 1, 1], {"n_permutations": 0}, "n_permutations=0"),
        ([0, 1, 1], [0, 1, 1], {"kind": "x"}, "kind='x'"),
    ],
)
def test_unusable_association(labels, y, options, word):
    with pytest.raises(ValueError, match=word):
        partition_association_test(labels, y, **options)


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
