"""Supervised cuts and groups against exhaustive search, their rules, and plain NumPy twins of the kernels."""

from __future__ import annotations

from itertools import combinations, pairwise
from math import comb, factorial, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from partitope.stats.modl import groups as groups_kernels
from partitope.stats.modl import interval_kernels as kernels
from partitope.stats.modl.cuts_and_groups import _distinct, cut_numbers, group_prior, group_values, interval_prior


def criterion(parts: list[list[int]], n_classes: int, prior: float) -> float:
    """Formula (1) with whole numbers, part by part."""
    value = prior
    for counts in parts:
        m = sum(counts)
        ways = factorial(m)
        for c in counts:
            ways //= factorial(c)
        value += log(comb(m + n_classes - 1, n_classes - 1)) + log(ways)
    return value


def prior_of_intervals(n: int, parts: int) -> float:
    return log(n) + log(comb(n + parts - 1, parts - 1))


def stirling(n: int, k: int) -> int:
    if n == k:
        return 1
    return 0 if k == 0 or k > n else k * stirling(n - 1, k) + stirling(n - 1, k - 1)


def prior_of_groups(n_values: int, parts: int) -> float:
    return log(n_values) + log(sum(stirling(n_values, k) for k in range(1, parts + 1)))


def cheapest_cuts(x: np.ndarray, y: np.ndarray, J: int) -> float:
    """All subsets of all cuts between distinct values."""
    absent, n = np.isnan(x), len(x)
    alone = [np.bincount(y[absent], minlength=J).tolist()] if absent.any() else []
    values = np.unique(x[~absent])
    tables = [np.bincount(y[x == v], minlength=J) for v in values]
    best = criterion([np.bincount(y, minlength=J).tolist()], J, prior_of_intervals(n, 1))
    for m in range(len(values)):
        for cuts in combinations(range(1, len(values)), m):
            bounds = [0, *cuts, len(values)]
            parts = [sum(tables[a:b]).tolist() for a, b in pairwise(bounds)] + alone
            best = min(best, criterion(parts, J, prior_of_intervals(n, len(parts))))
    return best


def set_partitions(items: list):
    if not items:
        yield []
        return
    for rest in set_partitions(items[1:]):
        yield [[items[0]], *rest]
        for i in range(len(rest)):
            yield [*rest[:i], [items[0], *rest[i]], *rest[i + 1 :]]


def cheapest_groups(table: np.ndarray) -> float:
    V, J = table.shape
    return min(
        criterion([table[group].sum(axis=0).tolist() for group in partition], J, prior_of_groups(V, len(partition)))
        for partition in set_partitions(list(range(V)))
    )


def random_column(rng: np.random.Generator, J: int) -> tuple[np.ndarray, np.ndarray]:
    """Few rows with ties, a class that often follows the value, sometimes missing entries."""
    n = int(rng.integers(4, 15))
    x = rng.integers(0, rng.integers(2, 15), n).astype(float)
    informed = (x * J / (x.max() + 1)).astype(int)
    y = np.where(rng.random(n) < rng.choice([0.5, 0.8, 1.0]), informed, rng.integers(0, J, n))
    if rng.random() < 0.25:
        x[rng.random(n) < 0.3] = np.nan
    return x, y


def both_searches(search, x, y, J, best):
    """The exact answer, which must have the value ``best``, and the greedy one, which must not have a lower one."""
    exact, greedy = search(x, y, J, "exact"), search(x, y, J, "greedy")
    assert exact.exact
    assert exact.value == pytest.approx(best, abs=1e-9)
    assert greedy.value >= best - 1e-9
    return exact, greedy


@pytest.mark.full
@pytest.mark.parametrize("J", [2, 3])
def test_cuts_equal_exhaustive_search(J):
    rng = np.random.default_rng(J)
    cut, equal = 0, 0
    for _ in range(250):
        x, y = random_column(rng, J)
        best = cheapest_cuts(x, y, J)
        exact, greedy = both_searches(cut_numbers, x, y, J, best)
        equal += greedy.value < best + 1e-9
        cut += exact.n_parts > 1
        for found in (exact, greedy):  # the value belongs to the parts that are returned
            codes = found.codes(x)
            counts = np.array([np.bincount(y[codes == i], minlength=J) for i in range(found.n_parts)])
            np.testing.assert_array_equal(counts, found.counts)
            expected = criterion(counts.tolist(), J, prior_of_intervals(len(x), found.n_parts))
            assert found.value == pytest.approx(expected, abs=1e-9)
    assert 40 < cut < 240  # both answers occur
    assert equal >= 245


@pytest.mark.full
@pytest.mark.parametrize("J", [2, 3])
@pytest.mark.parametrize("count", [40, pytest.param(150, marks=pytest.mark.slow)])
def test_groups_equal_exhaustive_search(J, count):
    rng = np.random.default_rng(10 + J)
    grouped, equal = 0, 0
    for _ in range(count):
        V = int(rng.integers(2, 9))
        profile = rng.dirichlet(np.full(J, 0.4), size=3)[rng.integers(0, 3, V)]
        table = np.array([rng.multinomial(rng.integers(1, 12), p) for p in profile])
        x = np.repeat([None if v == 0 else f"v{v}" for v in range(V)], table.sum(axis=1)).astype(object)
        y = np.concatenate([np.repeat(np.arange(J), row) for row in table])
        best = cheapest_groups(table)
        exact, greedy = both_searches(group_values, x, y, J, best)
        equal += greedy.value < best + 1e-9
        grouped += exact.n_parts > 1
        codes = greedy.codes(x)
        counts = np.array([np.bincount(y[codes == i], minlength=J) for i in range(greedy.n_parts)])
        np.testing.assert_array_equal(counts, greedy.counts)
        expected = criterion(counts.tolist(), J, prior_of_groups(V, greedy.n_parts))
        assert greedy.value == pytest.approx(expected, abs=1e-9)
    assert 0.13 * count < grouped < 0.97 * count
    assert equal >= 0.96 * count


def test_priors_in_whole_numbers():
    for n, most in ((1, 3), (7, 5), (40, 12)):
        expected = [prior_of_intervals(n, i) for i in range(1, most + 1)]
        np.testing.assert_allclose(interval_prior(n, most)[1:], expected, rtol=1e-12)
    for V in (1, 2, 5, 9):
        np.testing.assert_allclose(
            group_prior(V, V)[1:], [prior_of_groups(V, i) for i in range(1, V + 1)], rtol=1e-12, atol=1e-12
        )
    bell = groups_kernels.log_partition_counts(300, 300)  # far beyond whole numbers of any machine
    assert np.all(np.diff(bell[1:]) >= 0)
    assert bell[2] == pytest.approx(299 * log(2), rel=1e-12)  # 2^(V-1) ways to make at most two groups


def test_a_monotone_map_moves_no_row():
    rng = np.random.default_rng(6)
    x = rng.normal(size=300)
    y = (x > 0.3).astype(int) ^ (rng.random(300) < 0.1)
    plain, mapped = cut_numbers(x, y, 2), cut_numbers(np.exp(5 * x), y, 2)
    assert plain.n_parts > 1
    assert plain.value == pytest.approx(mapped.value, abs=1e-9)
    np.testing.assert_array_equal(plain.codes(x), mapped.codes(np.exp(5 * x)))


def test_extreme_numbers_stay_apart():
    x = np.array([-1.7e308] * 10 + [1.7e308] * 10 + [np.nextafter(1.7e308, np.inf)] * 10)
    y = np.repeat([0, 1, 0], 10)
    found = cut_numbers(x, y, 2)
    np.testing.assert_array_equal(found.codes(x), np.repeat([0, 1, 2], 10))
    assert np.isfinite(found.cuts).all()


def test_missing_and_unseen_entries():
    x = np.array([1.0] * 20 + [2.0] * 20 + [np.nan] * 20)
    y = np.repeat([0, 1, 0], 20)
    found = cut_numbers(x, y, 2)
    assert found.cuts.tolist() == [1.5]
    assert found.missing == 2
    assert found.codes(np.array([np.nan, -9.0, 9.0])).tolist() == [2, 0, 1]
    complete = cut_numbers(x[:40], y[:40], 2)
    assert complete.missing is None
    assert complete.codes(np.array([np.nan]))[0] == complete.neutral
    assert cut_numbers(np.full(9, np.nan), np.arange(9) % 2, 2).n_parts == 1

    texts = np.array(["a"] * 20 + ["b"] * 20 + [None] * 20, dtype=object)
    grouped = group_values(texts, y, 2)
    assert grouped.missing == grouped.codes(np.array(["a"], dtype=object))[0]
    assert grouped.codes(np.array(["zzz"], dtype=object))[0] == grouped.neutral
    assert group_values(np.full(9, None, dtype=object), np.arange(9) % 2, 2).n_parts == 1


@pytest.mark.parametrize("n_columns, kept", [(150, 2), pytest.param(1000, 10, marks=pytest.mark.slow)])
def test_noise_stays_one_part(n_columns, kept):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(1000, n_columns)), rng.integers(0, 2, 1000)
    assert sum(cut_numbers(column, y, 2).informative for column in X.T) <= kept


def _greedy_is_near(X: np.ndarray, y: np.ndarray) -> None:
    J = int(y.max()) + 1
    for column in X.T:
        exact, greedy = cut_numbers(column, y, J, "exact"), cut_numbers(column, y, J, "greedy")
        assert exact.value - 1e-9 <= greedy.value <= exact.value * 1.005


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_greedy_is_near_exact(load):
    _greedy_is_near(*load(return_X_y=True))


def test_iris_petal_cuts():
    X, y = load_iris(return_X_y=True)
    length, width = cut_numbers(X[:, 2], y, 3), cut_numbers(X[:, 3], y, 3)
    np.testing.assert_allclose(length.cuts, [2.45, 4.75], atol=1e-9)
    np.testing.assert_allclose(width.cuts, [0.8, 1.75], atol=1e-9)


@settings(max_examples=40)
@given(st.lists(st.text(max_size=4), max_size=60))
def test_distinct_texts_are_those_of_a_full_sort(texts):
    column = np.array([*texts, None], dtype=object)[:-1]
    values, where = _distinct(column)
    expected, places = np.unique(column.astype(str), return_inverse=True)
    assert values.dtype == expected.dtype
    np.testing.assert_array_equal(values, expected)
    np.testing.assert_array_equal(where, places)


def sums_by_parts(cost: np.ndarray) -> np.ndarray:
    """Least sum for every number of parts: the whole table of the dynamic program."""
    blocks = len(cost) - 1
    table = np.full((blocks + 1, blocks + 1), np.inf)
    table[0, 0] = 0.0
    for parts in range(1, blocks + 1):
        for b in range(parts, blocks + 1):
            table[parts, b] = (table[parts - 1, :b] + cost[b, :b]).min()
    return table[:, -1]


@pytest.mark.parametrize("seed", range(30))
def test_bounds_on_the_number_of_parts_skip_nothing(seed):
    rng = np.random.default_rng(seed)
    J, blocks = int(rng.integers(2, 6)), int(rng.integers(1, 60))
    counts = rng.integers(0, 6, size=(blocks, J)) * (rng.random((blocks, J)) < rng.uniform(0.2, 1))
    counts[counts.sum(axis=1) == 0, 0] = 1
    prefix = np.vstack([np.zeros((1, J), dtype=np.int64), counts.cumsum(axis=0)])
    n = int(prefix[-1].sum())
    lf = gammaln(np.arange(1, n + J + 1, dtype=np.float64))
    most = blocks if seed % 3 else max(1, blocks // 4)
    prior = interval_prior(n, most) if seed % 2 else group_prior(blocks, most)
    cost = np.array(
        [
            [kernels.part_cost(prefix, lf, a, b) if a < b else np.inf for a in range(blocks + 1)]
            for b in range(blocks + 1)
        ]
    )
    sums = sums_by_parts(cost)
    cuts, limited = kernels.exact_parts(prefix, lf, prior)
    values = prior[1:] + sums[1 : most + 1]
    assert prior[len(cuts)] + sums[len(cuts)] == pytest.approx(values.min(), abs=1e-9)
    found = sum(cost[b, a] for a, b in pairwise([0, *cuts]))
    assert found == pytest.approx(sums[len(cuts)], abs=1e-9)
    if not limited and most < blocks:  # no partition into more parts is cheaper, whatever a larger prior says
        assert (prior[most] + sums[most + 1 :]).min() >= values.min() - 1e-9
    room = np.empty(blocks + 1)
    for charge in (0.0, 1.5, float(prior[-1] - prior[max(1, most - 1)])):
        base = kernels.charged_sum(cost.T, charge, room)
        parts = np.arange(1, blocks + 1)
        assert base == pytest.approx((sums[1:] + charge * parts).min(), abs=1e-9)
    bound = np.full(most + 1, -np.inf)
    last = kernels.most_parts(cost.T, prior, bound, most, values[0], room)
    assert (bound[2 : most + 1] <= values[1:] + 1e-9).all()
    assert (values[last:] >= values[0] - 1e-9).all()


def test_groups_are_refined_by_kernels_that_are_not_compiled():
    counts = np.array([[5, 0, 1], [0, 6, 1], [4, 1, 0], [1, 5, 2], [0, 1, 7]])
    lf, prior = gammaln(np.arange(60) + 1.0), group_prior(5, 5)
    plain = groups_kernels.refine_groups.compiled.py_func(counts, np.arange(5), lf, prior)
    assert np.array_equal(plain, groups_kernels.refine_groups(counts, np.arange(5), lf, prior))
    assert len(np.unique(plain)) == 3
