"""Kernels against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist, pdist

from partitope.stats.dependence.kernels import (
    categorical_kernel,
    centre,
    gram,
    linear_kernel,
    median_width,
    rbf_kernel,
    squared_distances,
)


@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_distances_and_rbf(shift):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(30, 3)) + shift, rng.normal(size=(20, 3)) + shift
    assert np.allclose(squared_distances(X, Y), cdist(X, Y, "sqeuclidean"), rtol=1e-9, atol=1e-9)
    assert np.array_equal(np.diag(squared_distances(X)), np.zeros(30))
    assert np.allclose(rbf_kernel(X, Y, width=1.5), np.exp(-cdist(X, Y, "sqeuclidean") / (2 * 1.5**2)), atol=1e-9)


def test_median_width_ignores_zero_distances():
    x = np.array([0.0, 0.0, 0.0, 1.0, 3.0])
    nonzero = pdist(x[:, None]) ** 2
    assert median_width(x) == pytest.approx(np.sqrt(np.median(nonzero[nonzero > 0])))
    X = np.repeat(np.random.default_rng(1).normal(size=(4, 5)) + 7.0, 6, axis=0)
    square = pdist(X, "sqeuclidean")
    assert median_width(X) == pytest.approx(np.sqrt(np.median(square[square > 1e-9])))
    assert np.isfinite(median_width(np.arange(10_000.0)))


def test_categorical_kernel_is_the_rbf_kernel_of_indicators():
    levels = np.array(["a", "b", "c", "a", "c"])
    one_hot = (levels[:, None] == np.array(["a", "b", "c"])).astype(float)
    assert median_width(one_hot) == pytest.approx(np.sqrt(2))
    assert np.allclose(categorical_kernel(levels), rbf_kernel(one_hot), atol=1e-15)
    two = np.array([["a", 1], ["a", 2], ["b", 2]], dtype=object)
    assert np.allclose(categorical_kernel(two)[0], np.exp([0, -0.5, -1.0]))


def test_centre_and_linear():
    X = np.random.default_rng(2).normal(size=(12, 3))
    K = linear_kernel(X)
    H = np.eye(12) - 1 / 12
    assert np.allclose(centre(K), H @ K @ H, atol=1e-12)
    assert np.allclose(gram(X, lambda a, b: a @ b.T), K)
    assert np.allclose(gram(K, "precomputed"), K)
