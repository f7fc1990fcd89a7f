"""BalancedKMeans: scikit-learn's contract, size bounds in every form, exact assignments, weights, sparse points."""

from __future__ import annotations

import math
import tracemalloc
import warnings

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, make_blobs
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from partitope.base.errors import InfeasibleBoundsError, InvalidInputError
from partitope.cluster import BalancedKMeans
from partitope.models import PartitionPolytope
from partitope.models.objectives.proof import Proof
from partitope.solvers import GeometricPartitioner


def _points(seed=0, n=120, d=3, centers=4):
    return make_blobs(n, d, centers=centers, random_state=seed)[0]


def _inertia(X, labels, weights=None):
    weights = np.ones(len(X)) if weights is None else weights
    total = 0.0
    for i in np.unique(labels):
        own = labels == i
        centre = np.average(X[own], axis=0, weights=weights[own])
        total += float((weights[own] * ((X[own] - centre) ** 2).sum(axis=1)).sum())
    return total


@pytest.mark.parametrize(
    ("bounds", "least", "most"),
    [
        ({"lower": 25, "upper": 35}, 25, 35),
        ({"lower": 0.2, "upper": "30%"}, 24, 36),
        ({"balance": 0}, 30, 30),
        ({"balance": 0.1}, 27, 33),
        ({"upper": 31}, 1, 31),
    ],
)
def test_bounds_in_every_form_hold_and_the_end_is_certified(bounds, least, most):
    X = _points(3)
    model = BalancedKMeans(4, random_state=0, **bounds).fit(X)
    sizes = np.bincount(model.labels_, minlength=4)
    assert sizes.min() >= least
    assert sizes.max() <= most
    assert model.partition_.proof is Proof.STEP
    means = np.array([X[model.labels_ == i].mean(axis=0) for i in range(4)])
    np.testing.assert_allclose(model.cluster_centers_, means, rtol=1e-12, atol=1e-12)
    assert model.inertia_ == pytest.approx(_inertia(X, model.labels_), rel=1e-12)
    assert model.score(X) == pytest.approx(-model.inertia_, rel=1e-12)
    assert (model.predict(X) == model.labels_).all()


def test_the_best_of_all_clusterings_of_a_few_points():
    for seed in range(4):
        X = np.random.default_rng(seed).normal(size=(8, 2))
        model = BalancedKMeans(3, lower=2, upper=4, init="random", n_init=100, random_state=seed).fit(X)
        best = min(_inertia(X, labels) for labels in PartitionPolytope(8, 2, 4, n_clusters=3).enumerate())
        assert model.inertia_ == pytest.approx(best, rel=1e-12)


def test_bounds_for_every_cluster_follow_given_centres():
    X, centres = _points(5), _points(5)[:3]
    model = BalancedKMeans(3, lower=[10, 40, 50], upper=[20, 60, 60], init=centres).fit(X)
    sizes = np.bincount(model.labels_)
    assert (sizes >= [10, 40, 50]).all()
    assert (sizes <= [20, 60, 60]).all()


def test_weights_bound_sums_of_weights_and_points_stay_whole():
    X, rng = _points(7), np.random.default_rng(0)
    weights = rng.uniform(0.5, 1.5, len(X))
    model = BalancedKMeans(4, balance=0.05, random_state=0).fit(X, sample_weight=weights)
    sums = np.bincount(model.labels_, weights)
    # at most k - 1 points are divided, and each is put into one cluster
    assert np.abs(sums - weights.sum() / 4).max() <= 0.05 * weights.sum() / 4 + 3 * weights.max()
    assert model.inertia_ == pytest.approx(_inertia(X, model.labels_, weights), rel=1e-11)
    assert not model.partition_.splits
    # as of scikit-learn's KMeans: weights come third, or by name
    assert (clone(model).fit_predict(X, sample_weight=weights) == model.labels_).all()
    assert (clone(model).fit_transform(X, sample_weight=weights) == model.transform(X)).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", [sp.csr_array, sp.coo_array])
def test_sparse_points_are_clustered_as_dense_ones(kind, dtype):
    rng = np.random.default_rng(1)
    X = np.where(rng.random((90, 40)) < 0.2, rng.normal(size=(90, 40)), 0.0).astype(dtype)
    start = X[:3].astype(np.float64) + 0.01 * rng.normal(size=(3, 40))  # no ties
    dense = BalancedKMeans(3, balance=0.1, init=start).fit(X)
    sparse = BalancedKMeans(3, balance=0.1, init=kind(start)).fit(kind(X))
    assert (dense.labels_ == sparse.labels_).all()
    assert sparse.partition_.proof is Proof.STEP
    close = float(64 * 40 * np.finfo(dtype).eps)
    np.testing.assert_allclose(sparse.cluster_centers_, dense.cluster_centers_, atol=close)
    np.testing.assert_allclose(sparse.transform(kind(X)), dense.transform(X), atol=100 * np.sqrt(close))
    assert sparse.inertia_ == pytest.approx(dense.inertia_, rel=close)
    assert (sparse.predict(kind(X)) == dense.predict(X)).all()
    assert sparse.cluster_centers_.dtype == dense.cluster_centers_.dtype == dtype
    assert sparse.transform(kind(X)).dtype == dtype


def test_sparse_points_are_never_made_dense():
    """Dense, the points would take 240 MB; their scores are 2400 numbers."""
    n, d = 600, 50_000
    X = sp.random(n, d, density=1e-4, format="csr", random_state=np.random.RandomState(0))
    model = GeometricPartitioner(4, objective="lsa", balance=0.1, max_iter=2, random_state=0).fit(X)
    tracemalloc.start()
    try:
        sizes = model.fit(X).partition_.sizes
        largest = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert sizes.min() >= 135
    assert largest < n * d * 8 / 2


def test_starts_at_the_same_time_give_the_same_result():
    X = _points(2)
    one = BalancedKMeans(5, balance=0.2, n_init=2, random_state=1).fit(X)
    with joblib.parallel_config("threading"):  # new processes would compile, or read, all kernels again
        two = BalancedKMeans(5, balance=0.2, n_init=2, random_state=1, n_jobs=2).fit(X)
    assert (one.labels_ == two.labels_).all()
    assert one.inertia_ == two.inertia_


def test_a_wide_tolerance_ends_earlier_and_the_end_is_still_certified():
    X = np.random.default_rng(0).normal(size=(400, 2))
    exact = BalancedKMeans(8, balance=0.1, n_init=1, random_state=0).fit(X)
    loose = BalancedKMeans(8, balance=0.1, n_init=1, random_state=0, tol=0.5).fit(X)
    assert loose.n_iter_ < exact.n_iter_
    assert loose.partition_.proof is Proof.STEP


def test_grid_search_over_the_number_of_clusters_scales_bounds_to_the_folds():
    X = _points(4, n=101)
    grid = {"balancedkmeans__n_clusters": [2, 3, 4], "balancedkmeans__lower": [0.2, "10%"]}
    search = GridSearchCV(make_pipeline(StandardScaler(), BalancedKMeans(random_state=0, n_init=2)), grid, cv=3)
    search.fit(X)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_params_["balancedkmeans__n_clusters"] == 4


def test_prediction_within_bounds_is_the_best_assignment_to_the_centres():
    X, new = _points(1), _points(1, n=7)
    model = BalancedKMeans(3, balance=0.3, random_state=0).fit(X)
    labels = model.predict(new, lower=2, upper=3)
    cost = ((new[:, None] - model.cluster_centers_) ** 2).sum(axis=2)
    feasible = PartitionPolytope(7, 2, 3, n_clusters=3).enumerate()
    best = min(float(cost[np.arange(7), each].sum()) for each in feasible)
    assert float(cost[np.arange(7), labels].sum()) == pytest.approx(best, rel=1e-12)
    assert (model.predict(X, "init", "init") == model.predict(X, 1, None)).mean() > 0.5
    with pytest.raises(InfeasibleBoundsError, match=r"sum\(lower\)"):
        model.predict(new, lower=3)


def test_the_bounds_of_the_fit_in_a_prediction_are_those_of_its_balance_too():
    X = _points(1)
    model = BalancedKMeans(3, balance=0.1, random_state=0).fit(X)
    far = X[model.labels_ == 0]  # alone, all of one cell
    sizes = np.bincount(model.predict(far, "init", "init"), minlength=3)
    assert sizes.min() >= math.floor(0.9 * len(far) / 3)
    assert sizes.max() <= math.ceil(1.1 * len(far) / 3)
    assert BalancedKMeans(1, balance=0).fit(X[:1]).predict(X[:1], "init", "init").tolist() == [0]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"lower": 31}, r"sum\(lower\)=124 exceeds"),
        ({"upper": 3}, r"sum\(upper\)=12 is less"),
        ({"lower": 5, "upper": 4}, r"lower\[0\]=5 exceeds upper\[0\]=4"),
        ({"lower": 1.0}, "lower=1.0 could be one point"),
        ({"balance": 0.1, "upper": 40}, "balance=0.1 sets both bounds: leave it out, or lower= and upper="),
        ({"n_clusters": 121}, "n_clusters=121 exceeds n_samples=120"),
    ],
)
def test_what_cannot_be_is_refused_in_the_words_of_this_class(parameters, message):
    with pytest.raises((InvalidInputError, InfeasibleBoundsError), match=message):
        BalancedKMeans(**({"n_clusters": 4} | parameters)).fit(_points())


def test_without_bounds_no_cluster_is_empty_and_the_inertia_is_that_of_k_means():
    X = load_iris().data
    ours = BalancedKMeans(3, random_state=0).fit(X)
    theirs = KMeans(3, n_init=10, random_state=0, tol=0).fit(X)
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=1e-9)
    far = np.array([[0.0, 0.0], [50.0, 50.0], [-50.0, -50.0]])
    assert len(np.unique(BalancedKMeans(3, init=far).fit(X[:9, :2]).labels_)) == 3


def test_verbose_prints_every_step_and_start_while_they_run(capsys):
    model = BalancedKMeans(3, random_state=0, n_init=1, verbose=True).fit(_points())
    *steps, last = capsys.readouterr().out.splitlines()
    assert [line.split()[-1] for line in steps] == list(map(str, model.partition_.history["objective"]))
    assert last.startswith("start of ")
    assert last.endswith(f"{model.inertia_:.6g}")


def test_the_words_of_k_means_constrained_are_those_of_the_class_and_one_of_them_is_enough():
    X = _points(2)
    ours = BalancedKMeans(3, 30, 50, random_state=0).fit(X)
    theirs = BalancedKMeans(3, size_min=30, size_max=50, random_state=0)
    assert (theirs.fit(X).labels_ == ours.labels_).all()
    assert (theirs.predict(X, "init", "init") == ours.predict(X, "init", "init")).all()
    assert (theirs.predict(X[:9], size_min=2) == ours.predict(X[:9], 2)).all()
    assert (theirs.fit_predict(X, None, np.ones(len(X))) == ours.labels_).all()
    for refused in (lambda: theirs.predict(X, size_min=-1), lambda: BalancedKMeans(3, size_min=-1).fit(X)):
        with pytest.raises(InvalidInputError, match=r"^size_min=-1 is not a size"):
            refused()
    with pytest.raises(InfeasibleBoundsError, match=r"sum\(size_min\)=123"):
        theirs.set_params(size_min=41).fit(X)
    with pytest.raises(InvalidInputError, match="lower and size_min were both given"):
        theirs.set_params(lower=41).fit(X)
    with pytest.raises(InvalidInputError, match="upper and size_max were both given"):
        ours.predict(X, 1, 9, size_max=9)


def test_new_rows_of_a_program_with_shares_are_scored_with_their_attributes():
    X, groups = _points(3), np.arange(120) % 3 == 0
    polytope = PartitionPolytope(120, 20, 50, n_clusters=3).share(groups, 0.2, 0.5, name="group")
    model = BalancedKMeans(3, n_init=2, random_state=0).fit(X, polytope=polytope)
    new, attributes = _points(4, n=15), (np.arange(15) % 2)[:, None]
    labels = model.predict(new, covariates=attributes)
    own = model.transform(new)[np.arange(15), labels]
    assert model.score(new, covariates=attributes) == pytest.approx(-float((own**2).sum()), rel=1e-12)
    with pytest.raises(InvalidInputError, match="pass covariates"):
        model.score(new)


def test_without_a_number_there_are_as_few_clusters_as_the_upper_size_allows():
    X = np.arange(23.0)[:, None]
    for given, weights, expected in [({"upper": 5}, None, 5), ({"size_max": "25%"}, None, 4), ({"upper": 12}, 2.0, 4)]:
        weights = None if weights is None else np.full(23, weights)
        model = BalancedKMeans(None, n_init=1, random_state=0, **given).fit(X, sample_weight=weights)
        assert len(model.cluster_centers_) == expected
    with pytest.raises(InvalidInputError, match="n_clusters=None is the least number that upper= allows"):
        BalancedKMeans(None, lower=3).fit(X)


def test_equal_rows_in_several_clusters_are_said_as_predict_gives_them_one():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(4, 3))[rng.integers(4, size=90)], rng.normal(size=(30, 3))])
    groups = np.unique(X, axis=0, return_inverse=True)[1].ravel()
    model = BalancedKMeans(8, balance=0, random_state=0)
    with pytest.warns(UserWarning, match=r"rows have equal rows in other clusters") as caught:
        model.fit(X)
    several = [group for group in range(groups.max() + 1) if len(set(model.labels_[groups == group])) > 1]
    assert str(caught[0].message).startswith(f"{np.isin(groups, several).sum()} of 120 rows")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        BalancedKMeans(8, random_state=0).fit(X)
        together = PartitionPolytope(120, 1, 60, n_clusters=8).together(groups)
        apart = BalancedKMeans(8, n_init=1, random_state=0).fit(X, polytope=together)
    assert (apart.predict(X) == apart.labels_).all()
