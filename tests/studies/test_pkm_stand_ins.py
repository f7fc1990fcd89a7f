"""Trees with models in their leaves: where they cut, when they stop, what their leaves say."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from studies.pkm_stand_ins import ModelTree, stand_in


def chessboard(n, seed):
    """Two classes by the signs of two numbers: no line tells them apart, one cut and a line in each half do."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": rng.uniform(-1, 1, n), "b": rng.uniform(-1, 1, n), "kind": rng.choice(["u", "v"], n)})
    turned = np.where(frame["kind"] == "u", frame["b"], -frame["b"])
    return frame, np.where(turned > 0, "yes", "no")


def test_a_category_that_turns_the_classes_is_cut():
    X, y = chessboard(400, 0)
    y[X["kind"] == "u"] = np.where(X["b"] > -0.6, "yes", "no")[X["kind"] == "u"]  # a stump on the kind lowers entropy
    model = stand_in("LMT").fit(X, y)
    inner = [node for node in model.nodes_ if node[0] is not None]
    assert inner
    new, truth = chessboard(400, 1)
    truth[new["kind"] == "u"] = np.where(new["b"] > -0.6, "yes", "no")[new["kind"] == "u"]
    alone = ModelTree(stand_in("LMT").leaf)
    alone.leaf.fit(X, np.unique(y, return_inverse=True)[1])
    single = alone.leaf.predict(new) == np.unique(truth, return_inverse=True)[1]
    assert (model.predict(new) == truth).mean() > max(0.93, single.mean() + 0.05)


@pytest.mark.parametrize("method", ["LMT", "NBT"])
def test_one_model_where_no_cut_helps(method):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 300)
    X = pd.DataFrame(rng.normal(size=(600, 3)) + 0.5 * y[:, None], columns=list("abc"))
    model = stand_in(method).fit(X, y)
    assert len(model.nodes_) == 1
    stump, leaf, shares = model.nodes_[0]
    assert stump is None
    np.testing.assert_array_equal(shares, 0.5)
    np.testing.assert_allclose(model.predict_proba(X), leaf.predict_proba(X))


@pytest.mark.parametrize("method", ["LMT", "NBT"])
def test_leaves_that_lack_a_class_give_it_no_share(method):
    rng = np.random.default_rng(3)
    a = np.repeat([0.0, 10.0, 20.0], 60)
    X = pd.DataFrame({"a": a + rng.normal(size=180), "flag": np.where(a > 5, "x", "y"), "hole": np.nan})
    y = np.where(a == 0, "p", np.where(rng.random(180) < 0.5, "q", "r"))
    model = stand_in(method).fit(X, y)
    shares = model.predict_proba(X)
    assert shares.shape == (180, 3)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert (shares[a == 0].argmax(axis=1) == 0).all()
    X.loc[0, "flag"] = "never seen"
    assert np.isfinite(model.predict_proba(X)).all()
