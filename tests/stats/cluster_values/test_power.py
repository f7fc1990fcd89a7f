"""Planning and simulation of the cluster value test against brute force, and what its two versions keep."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from partitope.stats import power_analysis
from partitope.stats.cluster_values.power import critical_values, rejection_rate
from partitope.stats.cluster_values.test import cluster_value_test_counts


def rejecting(n, limits, alpha, method):
    """Counts 0..n that reject the lower and the upper hypothesis, by the test itself; (n + 1, 2)."""
    x = np.arange(n + 1)
    many = np.full(n + 1, 0.5)
    full = np.full(n + 1, n)
    result = cluster_value_test_counts(many, full, x, method=method, limits=limits)
    order = result.table["cluster"].to_numpy()
    rejects = np.empty((n + 1, 2), dtype=bool)
    rejects[order] = result.pvalue <= alpha
    return rejects


@pytest.mark.parametrize("method", ["normal", "exact"])
@pytest.mark.parametrize("n", [1, 4, 23, 150])
@pytest.mark.parametrize("limits", [(0.0, 0.3), (0.07, 0.5), (0.4, 0.99), (0.9, 1.0)])
@pytest.mark.parametrize("alpha", [0.003, 0.05, 0.4])
def test_critical_values_are_those_of_the_test(limits, n, method, alpha):
    rejects = rejecting(n, limits, alpha, method)
    c = int(critical_values(n, limits[0], alpha, method))
    d = int(critical_values(n, limits[1], alpha, method, "upper"))
    x = np.arange(n + 1)
    assert np.array_equal(rejects[:, 0], x >= c)
    assert np.array_equal(rejects[:, 1], x <= d)
    for side, chosen in (("lower", rejects[:, 0]), ("upper", rejects[:, 1]), ("both", rejects.all(axis=1))):
        mass = binom.pmf(x, n, 0.42)[chosen].sum()
        assert rejection_rate(side, n, *limits, 0.42, alpha, method) == pytest.approx(mass, abs=1e-12)


@pytest.mark.parametrize("method", ["normal", "exact"])
def test_points_needed_by_brute_force(method):
    result = power_analysis([0.55, 0.1, 0.9], method=method, power=0.85, alpha=0.02)
    assert result.table["cluster"].tolist() == [1, 0, 2]
    for row, needed in zip(result.table.itertuples(), result.n):
        n = np.arange(1, 4000)
        for side, value in zip(("lower", "upper", "both"), needed):
            rate = rejection_rate(side, n, row.lower_limit, row.upper_limit, row.p, 0.02, method)
            assert value == n[np.flatnonzero(rate < 0.85)[-1]] + 1


def test_what_cannot_be_confirmed_is_said():
    result = power_analysis([0.0, 0.5, 0.5], n_test=[10, 200, 0], p=[0.0, 0.5, 0.52])
    assert np.isinf(result.n[0, 0])
    assert np.isinf(result.n[1, 1])
    assert any("clusters 0" in note and "lower" in note for note in result.notes)
    assert result.table["power_lower"].tolist()[2] == 0.0  # no test points
    assert result.table["power_both"].le(result.table[["power_lower", "power_upper"]].min(axis=1)).all()
    late = power_analysis([0.5, 0.502], max_n=2000)
    assert any("more than max_n" in note for note in late.notes)


def test_the_exact_level_is_kept_for_every_size_and_limit():
    """Not simulated: the probability of a rejection at the limit, on a fine grid."""
    n = np.unique(np.geomspace(5, 5000, 150).astype(int))[:, None]
    limits = np.linspace(0.01, 0.99, 197)
    for alpha in (0.01, 0.05):
        for side in ("lower", "upper"):
            assert rejection_rate(side, n, limits, limits, limits, alpha, "exact").max() <= alpha * (1 + 1e-9)
