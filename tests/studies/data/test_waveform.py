"""The waveform generator: shares, means, the best rate, bad input."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from studies.data import make_waveform
from studies.data.waveform import PAIRS, triangle_waves


def best_classes(X):
    """Class of the greatest density; the integral over the share of the mixture has a closed form."""
    waves, scores = triangle_waves(), []
    for a, b in PAIRS:
        way = waves[a] - waves[b]
        length = np.linalg.norm(way)
        along = (X - waves[b]) @ way / length
        across = ((X - waves[b]) ** 2).sum(axis=1) - along**2
        scores.append(-across / 2 + np.log(norm.cdf(length - along) - norm.cdf(-along) + 1e-300))
    return np.argmax(scores, axis=0)


def test_waves_are_triangles_of_height_six():
    waves = triangle_waves()
    assert waves.shape == (3, 21)
    np.testing.assert_array_equal(waves.argmax(axis=1) + 1, [11, 15, 7])
    np.testing.assert_array_equal(waves.max(axis=1), 6.0)
    np.testing.assert_array_equal(waves.sum(axis=1), 36.0)
    np.testing.assert_array_equal(waves[1], waves[2][::-1])


def test_the_best_rule_is_right_for_86_percent():
    data = make_waveform(20_000, noise=False, random_state=1)
    assert data.X.shape == (20_000, 21)
    assert np.mean(best_classes(data.X.to_numpy()) == data.y) == pytest.approx(0.86, abs=0.01)
