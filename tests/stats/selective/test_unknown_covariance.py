"""The selective test that is told no covariance: its circle of data, its truth set, its level, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate
from scipy.stats import f

from partitope.stats import selective_mean_test
from partitope.stats.selective.curves import circle
from partitope.stats.selective.truncated import log_mass_of_angles

from .test_mean_test import balanced_k_means


def nu_of(labels, clusters):
    a, b = (labels == c for c in clusters)
    return a / a.sum() - b / b.sum()


def at(curve, t):
    return sum(c * t**power for power, c in enumerate(curve.points)) / (1 + t * t)


@pytest.mark.parametrize("covariance", [None, "spherical"])
def test_the_circle_keeps_what_the_test_conditions_on(covariance):
    """Mean and scatter of the two clusters, the other rows; and T runs through the values that the parameter says."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 2)) @ np.array([[3.0, 1.0], [0.0, 0.4]]) + 1e3
    labels = np.repeat([0, 1, 2], [9, 6, 5])
    nu = nu_of(labels, (0, 1))
    curve = circle(X, nu, covariance)
    own, first = labels < 2, X[labels < 2]
    assert at(curve, curve.here) == pytest.approx(X, rel=1e-12)
    for t in np.linspace(0.05, 0.95, 7):
        Z = at(curve, t)
        assert Z[~own] == pytest.approx(X[~own], rel=1e-12)
        assert Z[own].mean(axis=0) == pytest.approx(first.mean(axis=0), rel=1e-12)
        scatter = np.cov(Z[own].T), np.cov(first.T)
        if covariance is None:
            assert scatter[0] == pytest.approx(scatter[1], rel=1e-7)
            within = sum(np.cov(Z[labels == i].T) * (sum(labels == i) - 1) for i in (0, 1)) / 13
        else:
            assert np.trace(scatter[0]) == pytest.approx(np.trace(scatter[1]), rel=1e-7)
            trace = sum(((Z[labels == i] - Z[labels == i].mean(axis=0)) ** 2).sum() for i in (0, 1))
            within = np.eye(2) * trace / 26
        D = Z.T @ nu
        value = float(curve.statistics(np.array([t]))[0])
        assert value == pytest.approx(np.sqrt(D @ np.linalg.solve(within, D)), rel=1e-7)


@pytest.mark.parametrize("covariance", [None, "spherical"])
@pytest.mark.parametrize("seed", range(3))
def test_truth_set_equals_rerunning_the_clustering(seed, covariance):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(18, 2)) * [3.0, 1.0]
    rows = rng.choice(18, 3, replace=False)
    path = balanced_k_means(X, X[rows], [6] * 3, [6] * 3)
    result = selective_mean_test(X, path, X[rows], (0, 2), site_rows=rows, covariance=covariance)
    curve = circle(X, nu_of(path[-1], (0, 2)), covariance)
    inside = 0
    for t in np.linspace(curve.ends[0], 1.0, 302)[1:-1]:
        T = float(curve.statistics(np.array([t]))[0])
        if np.abs(result.intervals - T).min() < 1e-6 * abs(T):
            continue
        Z = at(curve, t)
        again = balanced_k_means(Z, Z[rows], [6] * 3, [6] * 3)
        same = again.shape == path.shape and np.array_equal(again, path)
        assert same == bool(((result.intervals[:, 0] <= T) & (result.intervals[:, 1] >= T)).any()), t
        inside += same
    assert inside > 0
    assert ((result.intervals[:, 0] <= result.statistic * (1 + 1e-9)) & (
        result.statistic * (1 - 1e-9) <= result.intervals[:, 1])).any()  # fmt: skip


def test_without_covariance_units_do_not_matter():
    """Any linear map of data and sites that keeps the labels keeps the p-value; one step along, so labels are fixed."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(16, 2))
    rows = np.array([1, 5])
    path = balanced_k_means(X, X[rows], [8] * 2, [8] * 2)
    base = selective_mean_test(X, path, X[rows], site_rows=rows)
    Z = 1e-3 * X @ np.array([[0.6, 0.8], [-0.8, 0.6]]) - 7.0
    again = selective_mean_test(Z, path, Z[rows], site_rows=rows)
    assert again.pvalue == pytest.approx(base.pvalue, rel=1e-6)
    assert again.statistic == pytest.approx(base.statistic, rel=1e-9)
    scatter = sum(np.cov(X[path[-1] == i].T) * 7 for i in (0, 1)) / 14
    D = X[path[-1] == 0].mean(axis=0) - X[path[-1] == 1].mean(axis=0)
    assert base.statistic == pytest.approx(np.sqrt(D @ np.linalg.solve(scatter, D)), rel=1e-9)
    hotelling = 4 * base.statistic**2  # n_a n_b / (n_a + n_b) = 4
    assert base.naive_pvalue == pytest.approx(f.sf(hotelling * 13 / (14 * 2), 2, 13), rel=1e-9)


# kernels against plain twins


@pytest.mark.parametrize("p, q", [(1, 1), (1, 6), (3, 1), (2, 9), (5, 40)])
def test_log_mass_of_angles(p, q):
    intervals = np.array([[0.02, 0.3], [0.5, 1.2], [1.4, np.pi / 2]])
    expected = [integrate.quad(lambda s: np.sin(s) ** (p - 1) * np.cos(s) ** (q - 1), *part)[0] for part in intervals]
    assert log_mass_of_angles(intervals, p, q) == pytest.approx(np.log(sum(expected)), abs=1e-9)
    tail, whole = np.array([[1.56, np.pi / 2]]), np.array([[0.0, np.pi / 2]])
    far = np.exp(log_mass_of_angles(tail, p, q) - log_mass_of_angles(whole, p, q))
    assert far == pytest.approx(f.sf(np.tan(1.56) ** 2 * q / p, p, q), rel=1e-8)
