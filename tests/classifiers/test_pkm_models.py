"""PKM as a classifier, and the unsupervised baseline it has to beat."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.model_selection import StratifiedKFold, cross_val_score

from partitope.base.errors import InvalidInputError
from partitope.classifiers import ClusteringClassifier, LocalModelClassifier, SelectiveNaiveBayes
from partitope.solvers import PKM


def mixed_table(seed: int = 0, n: int = 600) -> tuple[pd.DataFrame, np.ndarray]:
    """Two clusters told apart by one column; inside each, another column decides the class."""
    rng = np.random.default_rng(seed)
    left = rng.random(n) < 0.5
    decides = rng.normal(size=n)
    y = np.where((decides > 0) == left, "yes", "no")
    y = np.where(rng.random(n) < 0.1, "no", y)
    table = pd.DataFrame({"side": np.where(left, "l", "r"), "x": decides, "hint": rng.normal(size=n) + (y == "yes")})
    table.loc[::11, "x"] = np.nan
    table.loc[::13, "side"] = None
    return table, y


def vote(n_clusters=None):
    return ClusteringClassifier(PKM(n_clusters, random_state=0), encoder=None, n_starts=1)


def with_models(n_clusters=None):
    return LocalModelClassifier(PKM(n_clusters, random_state=0), SelectiveNaiveBayes())


def test_majority_vote_is_the_share_of_the_cell():
    X, y = load_wine(return_X_y=True)
    model = vote(5).fit(X, y)
    cells = PKM(5, random_state=0).fit(X, y).predict(X)
    for i in range(5):
        share = np.bincount(y[cells == i], minlength=3) / np.sum(cells == i)
        np.testing.assert_allclose(model.predict_proba(X)[cells == i], np.tile(share, (np.sum(cells == i), 1)))


def test_local_models_that_do_not_compress_vote():
    X, y = load_wine(return_X_y=True)
    model = with_models(4).fit(X, y)
    cells = model.apply(X)
    for i, local in enumerate(model.local_models_):
        inside = cells == i
        expected = np.tile(model.class_shares_[i], (inside.sum(), 1))
        if local is not None and local.gain_ > 0.0:
            expected[:] = 0.0
            alone = SelectiveNaiveBayes().fit(X[inside], y[inside])
            expected[:, alone.classes_] = alone.predict_proba(X[inside])
        np.testing.assert_allclose(model.predict_proba(X)[inside], expected, atol=1e-12)


def test_local_models_help_where_clusters_disagree():
    table, y = mixed_table()
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    scores = [cross_val_score(model, table, y, cv=folds).mean() for model in (vote(), with_models())]
    assert scores[1] > scores[0] + 0.02


def test_more_clusters_than_rows_reach_predict_the_shares_of_all():
    X, y = np.repeat([[0.0], [1.0]], 30, axis=0), np.repeat([0, 1], 30)
    model = with_models(5).fit(X, y)
    assert len(np.unique(model.apply(X))) == 2
    np.testing.assert_array_equal(model.predict(X), y)


def test_new_rows_of_mixed_tables():
    table, y = mixed_table(2)
    model = with_models(4).fit(table, y)
    new = pd.DataFrame({"side": ["unseen", None], "x": [np.nan, 0.0], "hint": [np.nan, 9.0]})
    scores = model.predict_proba(new)
    np.testing.assert_allclose(scores.sum(axis=1), 1.0)
    with pytest.raises(InvalidInputError, match="n_clusters=1 is smaller"):
        with_models(1).fit(table, y)
