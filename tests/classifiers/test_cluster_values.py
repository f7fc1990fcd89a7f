"""Cluster values: the two estimators, their agreement, empty clusters, more than two classes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta as beta_law

from partitope.classifiers.cluster_values import ClusterValues

pairs = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 1)), min_size=1, max_size=60)


@settings(max_examples=60, deadline=None)
@given(pairs)
def test_bernoulli_values_are_shares(rows):
    labels, y = np.array(rows).T
    values = ClusterValues.fit(labels, y, 5).values
    for i in range(5):
        members = y[labels == i]
        assert values[i, 1] == pytest.approx(members.mean() if members.size else y.mean())
    np.testing.assert_allclose(values.sum(axis=1), 1.0)
    np.testing.assert_array_equal(values, ClusterValues.fit(labels, y, 5, prior=(1, 1)).values)


@settings(max_examples=40, deadline=None)
@given(pairs, st.floats(1.05, 9.0), st.floats(1.05, 9.0))
def test_beta_values_maximise_the_posterior(rows, alpha, beta):
    labels, y = np.array(rows).T
    fitted = ClusterValues.fit(labels, y, 5, prior=(alpha, beta))
    for i in range(5):
        posterior = beta_law(alpha + fitted.counts[i, 1], beta + fitted.counts[i, 0])
        peak = fitted.values[i, 1]
        for other in (peak - 1e-3, peak + 1e-3):
            assert posterior.logpdf(peak) >= posterior.logpdf(np.clip(other, 1e-12, 1 - 1e-12))


def test_small_prior_ends_at_the_border():
    values = ClusterValues.fit([0, 0, 1], [0, 0, 1], 3, prior=(0.5, 0.5)).values[:, 1]
    assert values[0] == 0.0  # the posterior Beta(0.5, 2.5) is largest at 0
    assert values[2] == pytest.approx(1 / 3)  # nothing known: the share among all points


def test_more_classes():
    values = ClusterValues.fit([0, 0, 0, 1], [0, 1, 2, 2], 2, n_classes=3).values
    np.testing.assert_allclose(values, [[1 / 3, 1 / 3, 1 / 3], [0, 0, 1]])
