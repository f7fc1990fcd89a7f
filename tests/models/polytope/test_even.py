"""`PartitionPolytope.even`: sums and shares within a part of even."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from partitope.base.errors import InvalidInputError
from partitope.models import PartitionPolytope

RATING, POINTS = np.array([3.0, 5.0, 4.0, 6.0, 2.0, 4.0]), np.arange(6)
GROUP = np.array(["g", "b", "g", "b", "b", "g"])


def test_numbers_of_points_are_rounded_outwards():
    for within in (0.1, "10%"):
        even = PartitionPolytope.even(10, 3, within)
        assert (even.lower.tolist(), even.upper.tolist(), even.weights) == ([3] * 3, [4] * 3, None)
    assert PartitionPolytope.even(10, 3, 2.0).lower.tolist() == [0] * 3


def test_columns_and_shares_are_within_their_part_of_even():
    even = PartitionPolytope.even(6, 2, 0.2, rating=RATING, share=GROUP)
    assert even.row_names == ("size", "rating", "share[b]", "share[g]")
    assert even.weights is None  # distances are not weighted
    inside = 0
    for labels in map(np.array, product(range(2), repeat=6)):
        parts = [labels == i for i in range(2)]
        sums = all(9.6 - 1e-9 <= RATING[part].sum() <= 14.4 + 1e-9 for part in parts)
        girls = all(part.any() and abs((GROUP[part] == "g").mean() - 0.5) <= 0.2 + 1e-9 for part in parts)
        assert even.contains(labels) == (sums and girls)
        inside += sums and girls
    assert 0 < inside < 64


def test_booleans_are_one_share_beside_numbers_of_points():
    even = PartitionPolytope.even(6, 2, 0.0, share=GROUP == "g")
    assert even.row_names == ("size", "share")
    assert not any(even.contains(labels) for labels in product(range(2), repeat=6))  # 1.5 of 3 points
    assert PartitionPolytope.even(6, 3, 0.0, share=GROUP == "g").contains([0, 0, 1, 1, 2, 2])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"within": -0.1}, "within"),
        ({"rating": RATING[:5]}, "rating has shape"),
        ({"rating": np.where(POINTS == 2, np.nan, RATING)}, "rating is NaN or infinite at position 2"),
        ({"size": RATING}, "size"),
        ({"share": [*GROUP[:5], None]}, "share has no entry at 1 of 6 points, the first is 5"),
    ],
)
def test_what_is_no_column_or_group_is_refused_by_its_name(given, said):
    with pytest.raises(InvalidInputError, match=said):
        PartitionPolytope.even(6, 2, **given)
