"""The selective test: its truth set against brute force and the LP, its p-values against uniformity."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate
from scipy.optimize import linear_sum_assignment, linprog
from scipy.stats import kstest, norm

from partitope.solvers.geometric.recorded import recorded_k_means
from partitope.stats import selective_mean_test
from partitope.stats.selective.truncated import log_mass


def assign(X, sites, lower, upper):
    """Best least-squares assignment with size bounds: rectangular assignment to ``upper`` places a cluster.

    Points left over once the ``lower`` places are filled may choose among the others: the lower places are made
    cheap for everyone by the same constant, which no assignment that can fill them forgoes.
    """
    k = len(sites)
    cost = ((X[:, None] - sites[None]) ** 2).sum(axis=2)
    places = np.concatenate([np.repeat(np.arange(k), lower), np.repeat(np.arange(k), np.subtract(upper, lower))])
    table = cost[:, places]
    table[:, : int(np.sum(lower))] -= 1e4
    return places[linear_sum_assignment(table)[1]]


def balanced_k_means(X, sites, lower, upper, steps=60):
    """Labels of every step, the repeated ones last."""
    path = [assign(X, sites, lower, upper)]
    for _ in range(steps):
        means = np.array([X[path[-1] == i].mean(axis=0) for i in range(len(sites))])
        path.append(assign(X, means, lower, upper))
        if np.array_equal(path[-1], path[-2]):
            break
    return np.array(path)


def moved(X, labels, clusters, phi, S):
    """X(phi) of the module's formula (3), written down anew."""
    a, b = (labels == c for c in clusters)
    nu = a / a.sum() - b / b.sum()
    D = X.T @ nu
    T = np.sqrt(D @ np.linalg.inv(S) @ D)
    return X + (phi - T) * np.outer(nu, D / T) / (nu @ nu)


def is_inside(intervals, phi):
    return bool(((intervals[:, 0] <= phi) & (phi <= intervals[:, 1])).any())


@pytest.mark.parametrize("sizes", ["fixed", "free"])
@pytest.mark.parametrize("seed", range(6))
def test_truth_set_equals_rerunning_the_clustering(seed, sizes):
    """On a grid of the line, phi is in the set if and only if the whole path of labels comes out again."""
    rng = np.random.default_rng(seed)
    n, k = 15, 3
    lower, upper = ((5,) * k, (5,) * k) if sizes == "fixed" else ((3,) * k, (8,) * k)
    X = rng.normal(size=(n, 2))
    rows = rng.choice(n, k, replace=False)
    path = balanced_k_means(X, X[rows], lower, upper)
    S = np.array([[1.0, 0.3], [0.3, 0.5]])
    result = selective_mean_test(X, path, X[rows], (0, 2), lower=lower, upper=upper, covariance=S, site_rows=rows)
    inside = 0
    for phi in np.linspace(0.0, 3.0 * result.statistic, 400):
        if np.abs(result.intervals - phi).min() < 1e-6:
            continue
        Z = moved(X, path[-1], (0, 2), phi, S)
        again = balanced_k_means(Z, Z[rows], lower, upper)
        same = again.shape == path.shape and np.array_equal(again, path)
        assert same == is_inside(result.intervals, phi), phi
        inside += same
    assert inside > 0
    assert is_inside(result.intervals, result.statistic)


@pytest.mark.parametrize("objective", ["lsa", "csa"])
@pytest.mark.parametrize("bounds", [(5, 5), (2, 9)])
@pytest.mark.parametrize("seed", range(3))
def test_one_step_interval_is_the_projection_of_the_polyhedron(seed, bounds, objective):
    """Fixed sites: least and largest phi with prices, mu_i - mu_j <= w_ij(phi), by linear programming."""
    rng = np.random.default_rng(seed)
    n, k, d = 15, 3, 2
    X, sites = rng.normal(size=(n, d)), rng.normal(size=(k, d))
    gradient = sites if objective == "csa" else 2 * sites
    offset = np.zeros(k) if objective == "csa" else -(sites**2).sum(axis=1)
    scores = X @ gradient.T + offset
    lower, upper = [bounds[0]] * k, [bounds[1]] * k
    places = np.concatenate([np.repeat(range(k), lower), np.repeat(range(k), np.subtract(upper, lower))])
    table = scores[:, places]
    table[:, : sum(lower)] += 1e4
    labels = places[linear_sum_assignment(table, maximize=True)[1]]
    result = selective_mean_test(X, labels, sites, lower=lower, upper=upper, covariance=1.0, objective=objective)
    shift = moved(X, labels, (0, 1), 1.0, np.eye(d)) - moved(X, labels, (0, 1), 0.0, np.eye(d))
    base = (X - result.statistic * shift) @ gradient.T + offset
    slope = shift @ gradient.T
    A, b = [], []
    for x in range(n):  # variables: mu_0 .. mu_(k-1), phi
        for j in range(k):
            if j != labels[x]:
                row = np.zeros(k + 1)
                row[labels[x]], row[j], row[k] = 1.0, -1.0, -(slope[x, labels[x]] - slope[x, j])
                A.append(row)
                b.append(base[x, labels[x]] - base[x, j])
    sizes = np.bincount(labels, minlength=k)
    prices = [(0 if sizes[i] > lower[i] else None, 0 if sizes[i] < upper[i] else None) for i in range(k)]
    top = result.statistic + 40 * result.scale
    ends = [linprog(s * np.eye(k + 1)[k], A, b, bounds=[*prices, (0, top)]).x[k] for s in (1, -1)]
    assert result.intervals.shape == (1, 2)
    assert result.intervals[0] == pytest.approx(ends, rel=1e-6, abs=1e-6)


def pvalues_under_the_null(n_simulations, seed=0):
    """Selective and naive p-values of balanced k-means and of one step, on rows without any clusters."""
    rng = np.random.default_rng(seed)
    sizes, sites = (8, 8, 8), np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]])
    found = {"iterated": [], "one step": [], "naive": []}
    for _ in range(n_simulations):
        X = rng.normal(size=(24, 2))
        rows = rng.choice(24, 3, replace=False)
        path = balanced_k_means(X, X[rows], sizes, sizes)
        iterated = selective_mean_test(X, path, X[rows], covariance=1.0, site_rows=rows)
        one = assign(X, sites, sizes, sizes)
        found["iterated"].append(iterated.pvalue)
        found["naive"].append(iterated.naive_pvalue)
        found["one step"].append(selective_mean_test(X, one, sites, covariance=1.0).pvalue)
    return {name: np.array(values) for name, values in found.items()}


@pytest.mark.parametrize("n_simulations", [200, pytest.param(2000, marks=pytest.mark.slow)])
def test_pvalues_are_uniform_under_the_null_and_the_naive_ones_are_not(n_simulations):
    found = pvalues_under_the_null(n_simulations)
    for name in ("iterated", "one step"):
        assert kstest(found[name], "uniform").pvalue > 0.01, name
    assert np.mean(found["naive"] <= 0.05) > 0.9
    assert kstest(found["naive"], "uniform").pvalue < 1e-10


def test_labels_that_are_not_optimal_within_the_bounds_are_refused():
    x, sites = np.array([[-2.0], [-1.1], [-0.3], [0.4], [0.9], [1.8]]), [[-1.0], [1.0]]
    with pytest.raises(ValueError, match="not optimal"):
        selective_mean_test(x, [0, 1, 0, 1, 0, 1], sites)
    with pytest.raises(ValueError, match="leave the bounds"):
        selective_mean_test(x, [0, 0, 0, 1, 1, 1], sites, lower=4, upper=5)


def test_the_result_does_not_depend_on_place_scale_or_order():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(18, 2))
    rows = np.array([3, 7])
    path = balanced_k_means(X, X[rows], (9, 9), (9, 9))
    base = selective_mean_test(X, path, X[rows], covariance=1.0, site_rows=rows).pvalue
    Z = 1e3 * (X + 50.0)
    assert selective_mean_test(Z, path, Z[rows], covariance=1e6, site_rows=rows).pvalue == pytest.approx(base, rel=1e-5)
    order = rng.permutation(18)
    place = np.argsort(order)
    again = selective_mean_test(X[order], path[:, order], X[rows], covariance=1.0, site_rows=place[rows]).pvalue
    assert again == pytest.approx(base, rel=1e-8)


# kernels against plain twins


@pytest.mark.parametrize("covariance", ["spherical", 1.0])
def test_equal_points_in_several_clusters_tie_on_every_interval(covariance):
    rng = np.random.default_rng(5)
    X = np.repeat(rng.normal(size=(20, 3)), 4, axis=0) + rng.choice([0.0, 0.3], size=(80, 1))
    for seed in range(3):  # sizes that are prescribed share equal points out among clusters
        path = recorded_k_means(X, 6, lower=13, upper=14, random_state=seed)
        assert len({tuple(X[j]) for j in range(80)}) < 50
        assert 0.0 <= path.test((0, 1), covariance=covariance).pvalue <= 1.0


@pytest.mark.parametrize("covariance", [1.0, "spherical", None])
def test_ties_of_rounded_rows_are_no_evidence(covariance):
    tied = 0
    for seed in range(40):
        X = np.random.default_rng(seed).normal(size=(30, 2)).round(1)
        X[:10] = X[10:20]
        test = recorded_k_means(X, 2, lower=13, upper=17, random_state=seed).test(covariance=covariance)
        if any("tie" in note for note in test.notes):
            tied += 1
            assert test.pvalue == 1.0
        assert test.pvalue > 1e-9, seed  # no clusters: p-values of 0 come from ties alone
    assert tied > 0


@pytest.mark.parametrize("degrees", [1, 2, 7])
def test_log_mass(degrees):
    def density(t):
        return t ** (degrees - 1) * np.exp(-t * t / 2)

    intervals = np.array([[0.1, 0.4], [1.0, 3.0], [5.0, 40.0]])
    expected = sum(integrate.quad(density, a, b, epsabs=0, epsrel=1e-12)[0] for a, b in np.clip(intervals, 0, 30))
    assert log_mass(intervals, degrees) == pytest.approx(np.log(expected), abs=1e-9)
    assert log_mass(np.array([[60.0, 90.0]]), 1) == pytest.approx(norm.logsf(60) + np.log(2 * np.pi) / 2, rel=1e-10)
