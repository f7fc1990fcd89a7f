"""What errors say when they are shown."""

from __future__ import annotations

import numpy as np
import pytest

from partitope.base.checks import whole_number
from partitope.base.errors import LONGEST, InvalidInputError
from partitope.cluster import BalancedKMeans


def test_a_message_is_one_line_whatever_it_quotes():
    with pytest.raises(InvalidInputError) as caught:
        whole_number(np.zeros((2, 2, 2)), "n_init")
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith("is not usable: pass an integer of at least 1")


def test_long_arguments_are_quoted_in_part():
    sizes = [-1, *range(100_000)]
    with pytest.raises(InvalidInputError) as caught:
        BalancedKMeans(3, lower=sizes).fit(np.random.default_rng(0).normal(size=(30, 2)))
    message = str(caught.value)
    assert len(message) <= LONGEST + 5
    assert message.startswith("lower=[-1, 0, 1,")
    assert message.endswith("has 100001 numbers, expected 1 or 3 (one a cluster)")
