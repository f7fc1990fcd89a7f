"""The selective test where there are no clusters: its p-values are uniform, whatever the covariance."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest
from scipy.stats import binomtest

from studies.simulations.selective_test import simulate_selective_test

ANISOTROPIC = {
    "correlated": np.array([[4.0, 1.2], [1.2, 0.5]]),
    "long": np.diag([25.0, 1.0]),
    "needle": np.diag([100.0, 1.0, 1.0]),
    "five columns": np.full((5, 5), 0.95) + 0.05 * np.eye(5),
}


@pytest.mark.parametrize("n_simulations", [60, pytest.param(4000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("shape", ANISOTROPIC)
def test_the_level_holds_whatever_the_covariance(shape, n_simulations):
    S = ANISOTROPIC[shape]
    d = len(S)
    study = simulate_selective_test(
        n_simulations,
        n_points=24 if d < 5 else 30,
        n_features=d,
        true_covariance=S,
        covariance=None,
    )
    assert study.uniformity > 1e-3
    assert binomtest(int((study.pvalue <= 0.05).sum()), n_simulations, 0.05, "greater").pvalue > 1e-3


def test_a_wrong_covariance_is_seen_by_the_study():
    """The check above can fail: told that the columns are alike, the test rejects far more than 5 %."""
    study = simulate_selective_test(
        150, n_points=24, true_covariance=np.diag([100.0, 1.0]), covariance="spherical", random_state=1
    )
    assert study.level().low > 0.05
    right = simulate_selective_test(100, n_points=24, covariance="spherical")
    assert right.uniformity > 1e-3
    low, high = right.level()
    assert low < np.mean(right.pvalue <= 0.05) < high


def test_picture():
    ax = simulate_selective_test(20).plot()
    assert len(ax.get_legend().get_texts()) == 3
    matplotlib.pyplot.close(ax.figure)
