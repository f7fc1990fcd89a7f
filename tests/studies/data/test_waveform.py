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


def test_shares_and_means_of_the_classes():
    data = make_waveform(30_000, random_state=0)
    assert data.X.shape == (30_000, 40)
    assert data.feature_names[:2] == ("x1", "x2")
    points = data.X.to_numpy()
    for number, pair in enumerate(PAIRS):
        rows = points[data.y == number]
        assert len(rows) == pytest.approx(10_000, abs=4 * np.sqrt(30_000 * 2 / 9))
        expected = np.concatenate([triangle_waves()[pair].mean(axis=0), np.zeros(19)])
        np.testing.assert_allclose(rows.mean(axis=0), expected, atol=0.1)
        np.testing.assert_allclose(rows[:, 21:].std(axis=0), 1.0, atol=0.04)


def test_the_best_rule_is_right_for_86_percent():
    data = make_waveform(20_000, noise=False, random_state=1)
    assert data.X.shape == (20_000, 21)
    assert np.mean(best_classes(data.X.to_numpy()) == data.y) == pytest.approx(0.86, abs=0.01)


def test_a_seed_gives_the_same_rows():
    first, again, other = (make_waveform(50, random_state=seed) for seed in (3, 3, 4))
    assert first.X.equals(again.X)
    np.testing.assert_array_equal(first.y, again.y)
    assert not first.X.equals(other.X)
    assert make_waveform(1).X.shape == (1, 40)
