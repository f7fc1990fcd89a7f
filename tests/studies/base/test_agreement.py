"""Agreement of partitions against scikit-learn, double loops and known cases."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, mutual_info_score
from sklearn.metrics.cluster import pair_confusion_matrix

from studies.base.agreement import partition_agreement

labels = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=2, max_size=25)


@settings(max_examples=60, deadline=None)
@given(labels)
def test_measures_equal_their_definitions(pairs):
    a, b = np.array(pairs).T
    result = partition_agreement(a, b)
    together = sum((a[i] == a[j]) and (b[i] == b[j]) for i, j in itertools.combinations(range(len(a)), 2))
    either = sum((a[i] == a[j]) or (b[i] == b[j]) for i, j in itertools.combinations(range(len(a)), 2))
    assert result.jaccard == pytest.approx(together / either if either else 1.0)
    with_self = partition_agreement(a, b, self_pairs=True).jaccard
    assert with_self == pytest.approx((2 * together + len(a)) / (2 * either + len(a)))
    assert pair_confusion_matrix(a, b)[1, 1] == 2 * together
    assert result.adjusted_rand == pytest.approx(adjusted_rand_score(a, b))
    best = max(
        sum(np.sum((a == i) & (b == m)) for i, m in enumerate(matching))
        for matching in itertools.permutations(range(5))
    )
    assert result.accuracy == pytest.approx(best / len(a))
    swapped = partition_agreement(b, a)
    assert (swapped.adjusted_rand, swapped.jaccard, swapped.accuracy) == pytest.approx(
        (result.adjusted_rand, result.jaccard, result.accuracy)
    )


@pytest.mark.parametrize("average, mean", [("max", max), ("min", min), ("geometric", lambda p: np.sqrt(p[0] * p[1]))])
def test_mutual_information_and_its_means(average, mean):
    a, b = np.array([0, 0, 0, 1, 1, 2, 2, 2]), np.array([0, 0, 1, 1, 1, 1, 0, 0])

    def entropy(values):
        return mutual_info_score(values, values)

    expected = mutual_info_score(a, b) / mean((entropy(a), entropy(b)))
    assert partition_agreement(a, b, average=average).mutual_information == pytest.approx(expected)


def test_equal_partitions_of_other_names():
    result = partition_agreement(["x", "y", "y", "z"], [3, 1, 1, 2])
    assert (result.adjusted_rand, result.mutual_information, result.jaccard, result.accuracy) == pytest.approx((1,) * 4)
    assert set(result.matching) == {("x", 3), ("y", 1), ("z", 2)}
    with pytest.raises(ValueError, match="lengths differ"):
        partition_agreement([0, 1], [0])
    with pytest.raises(ValueError, match="empty"):
        partition_agreement([], [])
