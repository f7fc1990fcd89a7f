"""Stability of partitions in known cases."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans

from partitope.base.errors import InvalidInputError
from partitope.stats import partition_stability
from partitope.stats.stability import cluster_jaccard


def test_jaccard_of_clusters():
    found = cluster_jaccard([0, 0, 0, 1, 1], [7, 7, 9, 9, 9])
    assert found == pytest.approx(np.array([[2 / 3, 1 / 5], [0.0, 2 / 3]]))


def k_means(k):
    return lambda rows, seed: KMeans(k, n_init=3, random_state=seed).fit(rows).predict


def test_stability_tells_the_right_number_of_clusters():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2)) + 7.0 * np.repeat([[0, 0], [1, 0], [0, 1]], 30, axis=0)
    right, wrong = (partition_stability(k_means(k), X, 25) for k in (3, 5))
    assert right.mean_agreement > 0.97
    assert right.mean_recovery.min() > 0.95
    assert wrong.mean_agreement < right.mean_agreement - 0.1
    assert wrong.mean_recovery.min() < 0.75
    again = partition_stability(k_means(3), X, 25)
    assert np.array_equal(again.agreement, right.agreement)
    assert right.cluster_recovery.shape == (25, 3)
    assert partition_stability(k_means(3), pd.DataFrame(X), 5).mean_agreement > 0.95
    given = iter([np.zeros(90), np.full(90, np.nan)])
    with pytest.raises(InvalidInputError, match="labels has no entry at 90 of 90"):
        partition_stability(lambda rows, seed: lambda table: next(given), X, 1)
