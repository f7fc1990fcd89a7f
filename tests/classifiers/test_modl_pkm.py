"""PKM as a classifier, and the unsupervised baseline it has to beat."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.model_selection import StratifiedKFold, cross_val_score

from partitope.base.errors import InvalidInputError
from partitope.classifiers import PKMClassifier, SelectiveNaiveBayes


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


def test_majority_vote_is_the_share_of_the_cell():
    X, y = load_wine(return_X_y=True)
    model = PKMClassifier(5, local="majority").fit(X, y)
    cells = model.apply(X)
    for i in range(5):
        share = np.bincount(y[cells == i], minlength=3) / np.sum(cells == i)
        np.testing.assert_allclose(model.predict_proba(X)[cells == i], np.tile(share, (np.sum(cells == i), 1)))
    assert model.local_models_ == [None] * 5
    assert model.class_counts_.sum() == len(y)


def test_local_models_stand_only_where_they_compress():
    X, y = load_wine(return_X_y=True)
    model = PKMClassifier(4).fit(X, y)
    cells = model.apply(X)
    for i, local in enumerate(model.local_models_):
        inside = cells == i
        if len(np.unique(y[inside])) < 2:
            assert local is None
            continue
        alone = SelectiveNaiveBayes().fit(X[inside], y[inside])
        assert (local is None) == (alone.gain_ == 0.0)
        if local is not None:
            expected = np.zeros((inside.sum(), 3))
            expected[:, alone.classes_] = alone.predict_proba(X[inside])
            np.testing.assert_allclose(model.predict_proba(X)[inside], expected)


def test_local_models_help_where_clusters_disagree():
    table, y = mixed_table()
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    vote = cross_val_score(PKMClassifier(local="majority"), table, y, cv=folds)
    local = cross_val_score(PKMClassifier(), table, y, cv=folds)
    assert local.mean() > vote.mean() + 0.02


def test_more_clusters_than_rows_reach_predict_the_shares_of_all():
    X, y = np.repeat([[0.0], [1.0]], 30, axis=0), np.repeat([0, 1], 30)
    model = PKMClassifier(5).fit(X, y)
    empty = np.flatnonzero(~model.class_counts_.any(axis=1))
    assert empty.size == 3
    np.testing.assert_array_equal(model.predict(X), y)


def test_new_rows_of_mixed_tables():
    table, y = mixed_table(2)
    model = PKMClassifier(4).fit(table, y)
    new = pd.DataFrame({"side": ["unseen", None], "x": [np.nan, 0.0], "hint": [np.nan, 9.0]})
    scores = model.predict_proba(new)
    np.testing.assert_allclose(scores.sum(axis=1), 1.0)
    with pytest.raises(InvalidInputError, match="local='tree'"):
        PKMClassifier(local="tree").fit(table, y)
    with pytest.raises(InvalidInputError, match="n_clusters=1 is smaller"):
        PKMClassifier(1).fit(table, y)
