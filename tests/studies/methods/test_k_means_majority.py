"""k-means with a majority vote: the encoding by hand, the contract of scikit-learn, where supervision beats it."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from partitope.classifiers import ClusteringClassifier
from partitope.solvers import PKM
from studies.methods import KMeansMajorityVote


@parametrize_with_checks([KMeansMajorityVote(n_init=3)])
def test_sklearn_contract(estimator, check):
    check(estimator)


def test_supervision_beats_the_baseline_on_misleading_scales():
    rng = np.random.default_rng(1)
    y = np.arange(300) % 3
    X = np.column_stack([y + 0.3 * rng.normal(size=300), *rng.integers(0, 2, (6, 300)).astype(float)])
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    vote = ClusteringClassifier(PKM(), encoder=None, n_starts=1)
    assert cross_val_score(vote, X, y, cv=folds).mean() > 0.8
    assert cross_val_score(KMeansMajorityVote(), X, y, cv=folds).mean() < 0.7


def test_baseline_by_hand():
    rng = np.random.default_rng(3)
    x, t = rng.normal(size=200), rng.choice(list("abcdefgh"), 200, p=np.arange(1, 9) / 36)
    y = (x > 0).astype(int)
    model = KMeansMajorityVote(3, n_bins=10, n_groups=4, random_state=0).fit(pd.DataFrame({"x": x, "t": t}), y)
    rank = np.ceil((np.argsort(np.argsort(x)) + 1) / 20) / 10
    group = model.columns_[1].groups
    sizes = np.bincount([group[v] for v in t])
    assert sizes.max() - sizes.min() <= np.unique(t, return_counts=True)[1].max()
    coded = np.column_stack([rank, np.eye(4)[[group[v] for v in t]]])
    reference = KMeans(3, n_init=25, random_state=0).fit(coded)
    np.testing.assert_array_equal(model.apply(pd.DataFrame({"x": x, "t": t})), reference.labels_)
    unseen = model.predict_proba(pd.DataFrame({"x": [np.nan], "t": ["zz"]}))
    np.testing.assert_allclose(unseen.sum(), 1.0)
