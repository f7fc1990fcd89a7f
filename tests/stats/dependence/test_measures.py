"""HSIC and HSCONIC against double loops, closed forms and known dependences."""

from __future__ import annotations

import numpy as np

from partitope.stats import hsic


def test_dependence_is_found_and_independence_is_not():
    rng = np.random.default_rng(3)
    x = rng.uniform(-1, 1, 80)
    assert hsic(x, np.cos(4 * x), n_permutations=199).pvalue == 1 / 200
    assert hsic(x, rng.normal(size=80), n_permutations=199).pvalue > 0.05
    assert np.isnan(hsic(x, x).pvalue)


def test_a_common_cause_is_explained_away():
    rng = np.random.default_rng(4)
    for kernel_z, z in (("categorical", np.repeat([0, 1, 2], 30)), ("rbf", rng.uniform(-3, 3, 90))):
        x, y = z + 0.3 * rng.normal(size=90), z + 0.3 * rng.normal(size=90)
        assert hsic(x, y, n_permutations=99).pvalue == 0.01
        assert hsic(x, y, z, kernel_z=kernel_z, eps=1e-3, n_permutations=99).pvalue > 0.05
        both = rng.normal(size=90)
        linked = hsic(x + both, y + both, z, kernel_z=kernel_z, eps=1e-3, n_permutations=99)
        assert linked.pvalue <= 0.02
        assert linked.permuted.shape == (99,)


def test_p_values_are_uniform_enough_under_independence():
    rng = np.random.default_rng(5)
    p = [hsic(rng.normal(size=25), rng.normal(size=25), n_permutations=39).pvalue for _ in range(200)]
    assert 0.02 <= np.mean(np.array(p) <= 0.1) <= 0.2
    z = np.repeat([0, 1], 15)
    p = [
        hsic(z + rng.normal(size=30), z + rng.normal(size=30), z, kernel_z="categorical", n_permutations=39).pvalue
        for _ in range(150)
    ]
    assert 0.02 <= np.mean(np.array(p) <= 0.1) <= 0.2
