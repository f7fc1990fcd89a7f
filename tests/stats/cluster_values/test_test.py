"""The clustering-based test against the two published tables, closed forms and its edge cases."""

from __future__ import annotations

import itertools
import math

import matplotlib

matplotlib.use("Agg")
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, norm
from statsmodels.stats.multitest import multipletests

from partitope.stats import cluster_value_test
from partitope.stats.cluster_values.limits import comparing_distance_limits
from partitope.stats.cluster_values.steps import DoubleDippingWarning
from partitope.stats.cluster_values.test import cluster_value_test_counts

# Printed tables of the dissertation; values and p-values in per cent.
# n_train, f_train, n_test, f_test, lower limit, upper limit, t lower, t upper, p lower, p upper
TABLE_7_2 = np.array(
    [
        (12147, 2.17, 6039, 2.04, 1.62, 5.12, 2.539, -10.867, 0.5563, 0.0000),
        (3484, 13.98, 1774, 12.68, 11.02, 17.43, 2.230, -5.271, 1.2873, 0.0000),
        (8925, 27.79, 4462, 28.04, 24.33, 37.92, 5.763, -13.611, 0.0000, 0.0000),
        (3947, 68.33, 1968, 67.53, 58.19, 75.07, 8.397, -7.734, 0.0000, 0.0000),
        (1659, 95.30, 808, 95.42, 88.56, 96.47, 6.129, -1.623, 0.0000, 5.2314),
    ]
)
# n_train of row 9 is illegible in the scan: 776 is what the 30162 training rows leave
TABLE_7_4 = np.array(
    [
        (746, 0.13, 376, 0.27, 0.10, 0.34, 1.0121, -0.2453, 15.5735, 40.3130),
        (8996, 0.96, 4429, 0.88, 0.75, 2.44, 1.0029, -6.7199, 15.7950, 0.0000),
        (3080, 6.88, 1566, 5.94, 5.40, 8.80, 0.9407, -3.9909, 17.3418, 0.0033),
        (3090, 14.53, 1574, 13.60, 12.62, 16.58, 1.1674, -3.1877, 12.1524, 0.0717),
        (6498, 22.75, 3250, 23.14, 20.69, 29.02, 3.4432, -7.3833, 0.0287, 0.0000),
        (2095, 47.83, 1051, 47.29, 41.56, 52.13, 3.7699, -3.1400, 0.0082, 0.0845),
        (3102, 65.02, 1565, 63.96, 60.72, 67.80, 2.6227, -3.2463, 0.4362, 0.0585),
        (896, 76.12, 432, 76.62, 73.34, 79.90, 1.5407, -1.6989, 6.1694, 4.4665),
        (776, 91.24, 375, 91.47, 87.46, 93.14, 2.3444, -1.2860, 0.9528, 9.9229),
        (883, 98.87, 433, 98.85, 96.96, 99.15, 2.2851, -0.6924, 1.1154, 24.4344),
    ]
)
TABLES = {"7.2": (TABLE_7_2, 1e-3), "7.4": (TABLE_7_4, 1e-4)}


def counts_that_print(share: float, n: int) -> list[int]:
    """Counts of n whose share prints as ``share`` per cent with two digits."""
    near = range(max(0, math.floor((share - 0.011) * n / 100)), min(n, math.ceil((share + 0.011) * n / 100)) + 1)
    return [c for c in near if abs(100 * c / n - share) <= 0.005 + 1e-9]


def training_counts(table) -> list[np.ndarray]:
    """All vectors of training counts that print every training value and every limit of a table."""
    n_train = table[:, 0].astype(int)
    found = []
    for choice in itertools.product(*(counts_that_print(f, n) for f, n in zip(table[:, 1], n_train))):
        limits = np.column_stack(comparing_distance_limits(np.array(choice) / n_train, 0.75))
        if np.abs(100 * limits - table[:, 4:6]).max() <= 0.005 + 1e-9:
            found.append(np.array(choice))
    return found


def as_rows(counts, sizes):
    """Labels and classes with ``counts[i]`` ones among ``sizes[i]`` rows of cluster i."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    y = np.concatenate([np.arange(n) < c for c, n in zip(counts, sizes)]).astype(int)
    return labels, y


@pytest.mark.parametrize("name", TABLES)
def test_published_tables(name):
    """One vector of counts prints all values and limits; from it t and p-values come out to every printed digit."""
    table, t_digit = TABLES[name]
    n_train, n_test = table[:, 0].astype(int), table[:, 2].astype(int)
    assert n_train.sum() == 30162
    vectors = training_counts(table)
    ones_test = [counts_that_print(f, n) for f, n in zip(table[:, 3], n_test)]
    assert len(vectors) == 1
    assert all(len(c) == 1 for c in ones_test)  # the rounding leaves no choice
    train, test = as_rows(vectors[0], n_train), as_rows([c[0] for c in ones_test], n_test)
    shuffle = np.random.default_rng(0).permutation(len(table))  # clusters may be numbered in any order
    result = cluster_value_test(shuffle[train[0]], train[1], shuffle[test[0]], test[1], lam=0.75)
    assert result.table["cluster"].tolist() == shuffle.tolist()
    printed_digits = {"lower_limit": 0.01, "upper_limit": 0.01, "p_lower": 1e-4, "p_upper": 1e-4}
    for column, printed in zip(["f_train", "n_test", "f_test", *printed_digits], table[:, [1, 2, 3, 4, 5, 8, 9]].T):
        ours = result.table[column] * (1 if column == "n_test" else 100)
        assert np.abs(ours - printed).max() <= printed_digits.get(column, 0.01) / 2 + 1e-9, column
    assert np.abs(result.statistic - table[:, 6:8]).max() <= t_digit / 2 + 1e-9


def test_table_has_exactly_the_promised_columns():
    result = cluster_value_test([0, 0, 1, 1], [0, 1, 1, 1], [0, 1], [0, 1])
    assert result.table.columns.tolist() == [
        *("cluster", "n_train", "f_train", "n_test", "f_test", "lower_limit", "upper_limit"),
        *("t_lower", "t_upper", "p_lower", "p_upper"),
    ]
    assert np.array_equal(result.table[["p_lower", "p_upper"]], result.pvalue)


counts = st.lists(st.tuples(st.integers(1, 80), st.integers(0, 80), st.integers(0, 60), st.integers(0, 60)), min_size=2)


@pytest.mark.filterwarnings("ignore:double dipping")
@given(counts.filter(lambda c: len(c) <= 6), st.floats(0, 1))
def test_pvalues_are_the_binomial_and_normal_tails(rows, lam):
    n_train, ones_train, n_test, ones_test = np.array(rows).T
    ones_train, ones_test = np.minimum(ones_train, n_train), np.minimum(ones_test, n_test)
    train, test = as_rows(ones_train, n_train), as_rows(ones_test, n_test)
    exact = cluster_value_test(*train, *test, lam=lam, method="exact", n_clusters=len(rows))
    normal = cluster_value_test(*train, *test, lam=lam, n_clusters=len(rows))
    for row, p, q in zip(exact.table.itertuples(), exact.pvalue, normal.pvalue):
        limits = (row.lower_limit, row.upper_limit)
        assert 0 <= row.lower_limit <= row.f_train + 1e-15
        assert row.f_train <= row.upper_limit + 1e-15
        if row.n_test == 0:
            assert np.isnan(p).all()
            assert np.isnan(q).all()
            continue
        ones = round(row.f_test * row.n_test)
        for limit, value, approx, side in zip(limits, p, q, ("greater", "less")):
            assert value == pytest.approx(binomtest(ones, row.n_test, min(limit, 1), side).pvalue, abs=1e-12)
            if 1e-6 < limit < 1 - 1e-6:
                t = (row.f_test - limit) / math.sqrt(limit * (1 - limit) / row.n_test)
                assert approx == pytest.approx(norm.sf(t) if side == "greater" else norm.cdf(t), abs=1e-9)


@pytest.mark.parametrize("adjust, name", [("holm", "holm"), ("bh", "fdr_bh")])
def test_adjustment_is_over_all_tested_hypotheses(adjust, name):
    values, n, ones = [0.1, 0.4, 0.6, 0.9], [200, 0, 300, 250], [25, 0, 170, 230]
    result = cluster_value_test_counts(values, n, ones, adjust=adjust)
    tested = [0, 2, 3]
    expected = multipletests(result.raw_pvalue[tested].ravel(), method=name)[1]
    assert result.pvalue[tested].ravel() == pytest.approx(expected)
    assert np.isnan(result.pvalue[1]).all()
    assert any("clusters 1 have no test points" in note for note in result.notes)
    assert (result.pvalue[tested] >= result.raw_pvalue[tested]).all()


def test_values_and_limits_of_0_and_1():
    result = cluster_value_test_counts([0.0, 1.0], [20, 20], [0, 19], lam=1.0)
    assert result.pvalue.tolist() == [[1.0, 1.0], [1.0, 0.0]]
    assert result.statistic.tolist() == [[0.0, 0.0], [-np.inf, -np.inf]]
    assert any("limit of 0 or 1" in note for note in result.notes)
    hit = cluster_value_test_counts([0.0, 1.0], [20, 20], [1, 20], lam=1.0)
    assert hit.pvalue[0].tolist() == [0.0, 1.0]


def test_tied_values():
    limits = comparing_distance_limits([0.4, 0.2, 0.4], 0.5)
    assert limits[0] == pytest.approx([0.3, 0.1, 0.4])
    assert limits[1] == pytest.approx([0.4, 0.3, 0.7])
    assert any("share values" in note for note in cluster_value_test_counts([0.4, 0.4], [9, 9], [3, 3]).notes)


def test_empty_training_cluster_comes_last_and_is_said():
    result = cluster_value_test([2, 2, 0, 0], [0, 1, 1, 1], [1, 2, 0], [1, 0, 1])
    assert result.table["cluster"].tolist() == [2, 0, 1]
    assert result.table.iloc[2][["f_train", "lower_limit", "p_upper"]].isna().all()
    assert any("no training points" in note for note in result.notes)


def test_lambda_per_cluster_and_custom_limits():
    result = cluster_value_test_counts([0.6, 0.2], [50, 50], [30, 11], lam=[1.0, 0.5])
    assert result.table["lower_limit"].tolist() == pytest.approx([0.1, 0.6])
    assert result.table["upper_limit"].tolist() == pytest.approx([0.4, 0.6])
    own = cluster_value_test_counts([0.6, 0.2], [50, 50], [30, 11], limits=([0.5, 0.1], 0.7))
    assert own.table["lower_limit"].tolist() == [0.1, 0.5]
    assert own.table["upper_limit"].tolist() == [0.7, 0.7]


def test_double_dipping_is_warned_of():
    labels, y = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])
    with pytest.warns(DoubleDippingWarning, match="identical"):
        result = cluster_value_test(labels, y, labels, y)
    assert any("double dipping" in note for note in result.notes)
    with pytest.warns(DoubleDippingWarning, match="1 of 2 test rows"):
        cluster_value_test(labels, y, [0, 1], [0, 1], train_index=[1, 2, 3, 4], test_index=[4, 5])


def test_picture_shows_every_cluster_and_star():
    table = TABLE_7_4
    n_test = table[:, 2].astype(int)
    ones = np.round(table[:, 3] * n_test / 100).astype(int)
    result = cluster_value_test_counts(table[:, 1] / 100, n_test, ones)
    ax = result.plot()
    assert len(ax.get_xticks()) == 10
    texts = [t.get_text() for t in ax.texts]
    assert sum(bool(t) for t in texts) == int(result.significant(0.05).sum())
    matplotlib.pyplot.close(ax.figure)
    one_empty = cluster_value_test_counts([0.2, np.nan, 0.7], [0, 5, 9], [0, 2, 5])
    matplotlib.pyplot.close(one_empty.plot().figure)


def test_limits_and_clusters_may_come_as_any_sequence():
    values, n, ones = [0.1, 0.5], [50, 50], [6, 24]
    pairs = ([0.05, 0.4], 0.7), [[0.05, 0.4], 0.7], np.array([[0.05, 0.4], [0.7, 0.7]])
    tests = [cluster_value_test_counts(values, n, ones, limits=limits, notes=["seen"]) for limits in pairs]
    assert all(np.array_equal(test.pvalue, tests[0].pvalue) and test.notes[0] == "seen" for test in tests)
