"""Cluster profiles against direct counting, their words, their picture."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from partitope.classifiers import LogLikelihoodEncoder, cluster_profiles
from partitope.solvers import PKM


def table(n=400, seed=0):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.4, "yes", "no")
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=n) + 3.0 * (y == "yes"),
            "noise": rng.normal(size=n),
            "kind": np.where(rng.random(n) < 0.8, np.where(y == "yes", "u", "v"), "w"),
        }
    )
    frame.loc[::9, "x"] = np.nan
    frame.loc[::10, "kind"] = None
    return frame, y


def test_counts_are_those_of_the_transformers():
    X, y = table()
    labels = np.random.default_rng(1).integers(3, size=len(y))
    profiles = cluster_profiles(X, y, labels, n_clusters=4)
    assert profiles.names == ("x", "kind")
    parts = LogLikelihoodEncoder(output="parts").fit(X, y).transform(X)
    for name, counts in zip(profiles.names, profiles.counts):
        direct = pd.crosstab(labels, parts[name]).to_numpy()
        np.testing.assert_array_equal(counts[:3], direct)
        assert not counts[3].any()
    np.testing.assert_array_equal(profiles.class_counts[:3], pd.crosstab(labels, y).to_numpy())


def test_divergence_and_mutual_information_by_their_definitions():
    X, y = table()
    labels = (X["x"].fillna(9.0) > 1.5).to_numpy().astype(int)
    profiles = cluster_profiles(X, y, labels)
    joint = profiles.counts[0] / len(y)
    outer = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
    information = np.sum(joint[joint > 0] * np.log2(joint[joint > 0] / outer[joint > 0]))
    assert profiles.information[0] == pytest.approx(information)
    share = profiles.counts[0][1] / profiles.counts[0][1].sum()
    whole = profiles.counts[0].sum(axis=0) / len(y)
    mine = sum(s * np.log2(s / w) for s, w in zip(share, whole) if s > 0)
    assert profiles.divergence[1, 0] == pytest.approx(mine)
    assert np.all(profiles.divergence >= -1e-12)


def test_table_holds_shares_that_sum_to_one():
    X, y = table()
    frame = cluster_profiles(X, y, PKM(3).fit_predict(X, y)).table()
    np.testing.assert_allclose(frame.groupby(level="column").sum().to_numpy(), 1.0)
    assert list(frame.columns) == ["all rows", "cluster 0", "cluster 1", "cluster 2"]
    assert ("x", "missing") in frame.index


def test_picture_shows_the_shares():
    X, y = table()
    profiles = cluster_profiles(X, y, PKM(3).fit_predict(X, y))
    figure = profiles.plot(most=2)
    assert len(figure.axes) == 6
    order = np.argsort(-profiles.information, kind="stable")
    heights = [bar.get_height() for bar in figure.axes[0].patches]
    counts = profiles.counts[order[0]]
    np.testing.assert_allclose(heights, counts[0] / counts[0].sum())
    figure.canvas.draw()
    assert len(profiles.plot(clusters=[2]).axes) == 2
