"""The search over alpha and k against the same scores computed one by one."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.utils.estimator_checks import parametrize_with_checks

from partitope.base.errors import InvalidInputError
from partitope.classifiers import LocalModelClassifier
from partitope.models import InfeasibleBoundsError
from partitope.solvers import CAC
from studies.cac_search import CACSearchCV


@pytest.mark.full
@parametrize_with_checks([CACSearchCV(n_clusters=(1, 2), alphas=(0.0, 0.1), cv=2, n_init=1)])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def _data(n=160):
    return make_moons(n, noise=0.2, random_state=3)


def test_cold_starts_are_scikit_learns_grid_search():
    X, y = _data()
    search = CACSearchCV(n_clusters=(2,), alphas=(0.3, 0.0, 0.05), cv=3, warm_start=False, n_init=2, random_state=7)
    search.fit(X, y)
    seed = int(np.random.RandomState(7).randint(np.iinfo(np.int32).max))
    grid = GridSearchCV(
        LocalModelClassifier(CAC(2, n_init=2, random_state=seed)), {"partitioner__alpha": [0.0, 0.05, 0.3]}, cv=3
    ).fit(X, y)
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], grid.cv_results_["mean_test_score"])
    np.testing.assert_allclose(search.cv_results_["std_test_score"], grid.cv_results_["std_test_score"])
    assert search.best_params_ == {"n_clusters": 2, "alpha": grid.best_params_["partitioner__alpha"]}
    assert np.array_equal(search.predict(X), grid.predict(X))


def test_warm_path_starts_where_the_last_alpha_ended():
    X, y = _data()
    alphas = [0.05, 0.2, 0.6]
    search = CACSearchCV(n_clusters=(3,), alphas=alphas, cv=StratifiedKFold(4), n_init=1, scoring="f1").fit(X, y)
    seed = int(np.random.RandomState(0).randint(np.iinfo(np.int32).max))
    scores, rounds = np.zeros((4, 3)), np.zeros((4, 3))
    for fold, (train, test) in enumerate(StratifiedKFold(4).split(X, y)):
        init = "k-means"
        for t, alpha in enumerate(alphas):
            strategy = CAC(3, alpha=alpha, init=init, n_init=1, random_state=seed)
            model = LocalModelClassifier(strategy).fit(X[train], y[train])
            found = model.predict(X[test])
            scores[fold, t] = 2 * np.sum(found * y[test]) / (found.sum() + y[test].sum())
            init, rounds[fold, t] = model.labels_, model.partition_.n_iter
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], scores.mean(axis=0))
    np.testing.assert_allclose(search.cv_results_["mean_rounds"], rounds.mean(axis=0))
    assert search.best_score_ == scores.mean(axis=0).max()


def test_separation_grows_along_the_path():
    X, y = _data()
    search = CACSearchCV(n_clusters=(2, 3), alphas=(0.0, 0.1, 0.5, 2.0), cv=3, n_init=1).fit(X, y)
    for k in (2, 3):
        S = search.cv_results_["mean_S"][search.cv_results_["param_n_clusters"] == k]
        assert np.all(np.diff(S) > 0)
    assert sorted(search.cv_results_["rank_test_score"]) == list(range(1, 9))
    assert search.best_estimator_.partitioner_.n_clusters == search.best_params_["n_clusters"]


def test_workers_change_nothing():
    X, y = _data(100)
    one, two = (CACSearchCV(alphas=(0.0, 0.2), cv=2, n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    for name, column in one.cv_results_.items():
        np.testing.assert_array_equal(column, two.cv_results_[name])
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


def test_bounds_are_scaled_to_the_folds():
    X, y = _data(100)
    search = CACSearchCV(RidgeClassifier(), n_clusters=(2,), alphas=(0.1,), lower=50, upper=50, cv=2).fit(X, y)
    assert search.best_estimator_.partition_.sizes.tolist() == [50, 50]
    assert not hasattr(search, "predict_proba")
    assert set(np.unique(search.apply(X))) == {0, 1}
    with pytest.raises(InfeasibleBoundsError):
        CACSearchCV(n_clusters=(3,), lower=50, cv=2).fit(X, y)


@pytest.mark.parametrize("options", [{"alphas": ()}, {"n_clusters": ()}, {"alphas": (-0.1,)}, {"n_clusters": (0, 2)}])
def test_wrong_candidates_are_refused(options):
    with pytest.raises(InvalidInputError, match="at least"):
        CACSearchCV(**options).fit(*_data(40))


def test_folds_of_cac_may_be_masks_or_row_numbers():
    X, y = _data(40)
    even = np.arange(40) % 2 == 0
    search = CACSearchCV(n_clusters=2, alphas=0.1, cv=[(even, ~even), (list(range(30)), list(range(30, 40)))])
    assert search.fit(X, y).best_params_ == {"n_clusters": 2, "alpha": 0.1}
