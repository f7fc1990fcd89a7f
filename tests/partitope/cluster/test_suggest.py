"""A suggested number of clusters: known groups are found, bounds scale to halves of the rows, refusals are clear."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from partitope.base.errors import InfeasibleBoundsError
from partitope.cluster import suggest_clusters

QUICK = {"n_splits": 4, "n_init": 2}


def _three_groups():
    return make_blobs(90, centers=[[0, 0], [14, 0], [0, 14]], random_state=0)[0]


@pytest.mark.parametrize("bounds", [{}, {"lower": "10%"}, {"balance": 0.6}, {"lower": 12, "upper": 0.45}])
def test_the_number_of_groups_is_suggested_within_every_form_of_bounds(bounds):
    found = suggest_clusters(_three_groups(), range(2, 6), **bounds, **QUICK)
    assert found.suggested == 3
    assert "3 clusters" in found.sentence
    row = found.table.set_index("n_clusters").loc[3]
    assert row["prediction_strength"] == 1.0
    assert (np.diff(found.table["inertia"]) < 0).all() or "upper" in bounds or "balance" in bounds


def test_numbers_that_the_bounds_exclude_are_left_out_with_their_reason():
    found = suggest_clusters(_three_groups(), [2, 3, 4], lower=0.3, **QUICK)
    assert found.table["n_clusters"].tolist() == [2, 3]
    assert "sum(lower)" in found.left_out[4]
    with pytest.raises(InfeasibleBoundsError, match="allow none"):
        suggest_clusters(_three_groups(), [4, 5], lower=0.3, **QUICK)


def test_no_number_is_suggested_for_noise():
    X = np.random.default_rng(1).uniform(size=(80, 6))
    found = suggest_clusters(X, [3, 5], threshold=0.95, **QUICK)
    assert found.suggested is None
    assert "No number of clusters" in found.sentence
