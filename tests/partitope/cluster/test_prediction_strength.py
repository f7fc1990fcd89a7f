"""Prediction strength against its definition, and on data whose number of groups is known."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.cluster import KMeans

from partitope.cluster.suggest import kept_pairs, split_strengths


def _by_definition(own, others):
    worst = []
    for name in np.unique(own):
        pairs = list(itertools.combinations(np.flatnonzero(own == name), 2))
        if pairs:
            worst.append(np.mean([others[a] == others[b] for a, b in pairs]))
    return min(worst, default=0.0)


def test_one_split_is_the_smallest_share_of_pairs_kept():
    rng = np.random.default_rng(0)
    for _ in range(50):
        n = int(rng.integers(2, 30))
        own, others = rng.integers(0, 4, n), rng.choice(["a", "b", "c"], n)
        assert kept_pairs(own, others) == pytest.approx(_by_definition(own, others))
    assert kept_pairs(np.arange(4), np.zeros(4)) == 0.0


def test_three_groups_are_found_again_and_five_clusters_are_not():
    X = np.random.default_rng(0).normal(size=(90, 2)) + np.repeat([[0, 0], [12, 0], [0, 12]], 30, axis=0)
    three, five = (split_strengths(X, KMeans(k, n_init=3), 5, 0) for k in (3, 5))
    assert three.tolist() == [1.0] * 5
    assert five.mean() < 0.6
    assert (split_strengths(X, KMeans(5, n_init=3), 5, 0) == five).all()
