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
