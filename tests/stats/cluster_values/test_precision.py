"""Suggested bounds are the smallest that keep the promise, by trying every size."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from partitope.stats import suggest_bounds
from partitope.stats.cluster_values.precision import value_half_width


@pytest.mark.parametrize("precision", [0.02, 0.05, 0.1, 0.3])
def test_smallest_size_with_that_half_width(precision):
    found = suggest_bounds(10_000, 4, precision)

    def width(size):  # the interval of a cluster with half of its points in the class
        low, high = proportion_confint(size / 2, size, 0.05, "wilson")
        return (high - low) / 2

    assert width(found.lower) <= precision + 1e-12
    assert width(found.lower - 1) > precision
    assert found.half_width == pytest.approx(width(found.lower), abs=1e-12)
    assert found.upper == 10_000 - 3 * found.lower
    assert found.most_clusters == 10_000 // found.lower
    assert found.feasible


def test_share_of_the_labels():
    y = np.r_[np.zeros(90), np.ones(10)]
    assert suggest_bounds(y, 2, 0.1, share="overall").lower < suggest_bounds(y, 2, 0.1).lower
    assert suggest_bounds(y, 2, 0.1, share="overall").share == pytest.approx(0.1)
    assert not suggest_bounds(y, 20, 0.1).feasible


def test_half_widths_of_clusters():
    widths = value_half_width([10, 0, 1000], [0.5, 0.5, 0.1])
    low, high = proportion_confint(5, 10, 0.05, "wilson")
    assert widths[0] == pytest.approx((high - low) / 2)
    assert np.isnan(widths[1])
    assert widths[2] < widths[0]
