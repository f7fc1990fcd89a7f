"""The simulated level and power of the cluster value test against the exact ones."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest

from studies.simulations.value_test import simulate_value_test


@pytest.mark.parametrize(
    "n_test, limits, options, word",
    [([0], [0.5], {}, "n_test"), ([5], [1.0], {}, "limits"), ([5], [0.5], {"n_simulations": 0}, "n_simulations")],
)
def test_bad_study_is_refused(n_test, limits, options, word):
    with pytest.raises(ValueError, match=word):
        simulate_value_test(n_test, limits, **options)


@pytest.mark.parametrize("n_simulations", [2000, pytest.param(20_000, marks=pytest.mark.slow)])
def test_level_under_the_null(n_simulations):
    """The exact version keeps its level everywhere, the normal one fails by far at small n p (1 - p)."""
    study = simulate_value_test(n_simulations=n_simulations)
    table = study.table
    spread = np.sqrt(table["expected"] * (1 - table["expected"]) / n_simulations)
    assert (np.abs(table["rate"] - table["expected"]) <= 4.5 * spread + 1e-12).all()
    exact, normal = (table[table["method"] == method] for method in ("exact", "normal"))
    assert exact["expected"].max() <= study.alpha
    assert (exact["rate"] <= study.alpha + 4.5 * np.sqrt(0.05 * 0.95 / n_simulations)).all()
    assert normal["rate"].max() > 3 * study.alpha
    usable = normal["n_test"] * normal["limit"] * (1 - normal["limit"]) >= 9
    assert normal.loc[usable, "expected"].max() < 0.08
    assert normal.loc[~usable, "expected"].max() > 0.15


def test_power_study_and_pictures():
    study = simulate_value_test([20, 200], [0.1, 0.5], effect=0.1, n_simulations=3000)
    assert (study.table["p"] - study.table["limit"]).to_numpy() == pytest.approx(0.1)
    assert np.abs(study.table["rate"] - study.table["expected"]).max() < 0.04
    figure = study.plot()
    assert len(figure.axes) == 3
    assert sum(len(ax.texts) for ax in figure.axes) == len(study.table)
    matplotlib.pyplot.close(figure)
