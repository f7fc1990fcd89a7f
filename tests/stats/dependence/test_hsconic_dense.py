"""HSIC and HSCONIC against the formula as it is printed, on many small tables that are hard to compute with.

The formula is written once more in NumPy, from loops over rows to the inverse, and shares no code with the library.
Both sides may differ by what rounding can do: n u (1 + |Kz| / eps) |Kx| |Ky| / (n - 1)^2, see `stats.dependence`.
Columns are centred before they come in, as otherwise the printed formula itself loses all digits.
"""

from __future__ import annotations

import numpy as np
import pytest

from partitope.stats import hsic

U = np.finfo(float).eps / 2
KERNELS = ("rbf", "linear", "categorical")


def column(rng, n):
    """A column of one of many kinds, less its mean."""
    kind = rng.choice(["normal", "levels", "near-constant", "noise", "duplicates", "outlier"])
    if kind == "normal":
        x = rng.normal(size=(n, rng.integers(1, 4)))
    elif kind == "levels":
        x = rng.permutation(np.arange(n) % rng.integers(2, 5)).astype(float)[:, None]
    elif kind == "near-constant":
        x = np.zeros((n, 1))
        x[rng.choice(n, rng.integers(1, 3), replace=False)] = 10.0 ** rng.uniform(-9, 0)
    elif kind == "noise":
        x = 10.0 ** rng.uniform(-10, 6) * rng.normal(size=(n, 1))
    elif kind == "duplicates":
        x = rng.normal(size=(n, 2))[rng.integers(0, max(2, n // 3), n)]
        x[0] += 1.0
    else:
        x = 10.0 ** rng.uniform(-7, -4) * rng.normal(size=(n, 1))
        x[0] = 1.0
    return x - x.mean(axis=0)


def printed_gram(x, kernel):
    """H K H of the kernels as defined, pair by pair."""
    n = len(x)
    square = np.array([[((a - b) ** 2).sum() for b in x] for a in x])
    if kernel == "linear":
        K = np.array([[(a * b).sum() for b in x] for a in x])
    elif kernel == "categorical":
        K = np.exp(-0.5 * np.array([[(a != b).sum() for b in x] for a in x]))
    else:
        above = square[np.triu_indices(n, 1)]
        K = np.exp(-square / (2 * np.median(above[above > (4 * U) ** 2 * (x**2).sum(axis=1).max()])))
    H = np.eye(n) - 1 / n
    return H @ K @ H


def printed_formula(x, y, z, kernels, eps):
    """HSCONIC, HSIC, and what rounding can do to each."""
    n = len(x)
    X, Y, Z = (printed_gram(v, kernel) for v, kernel in zip((x, y, z), kernels, strict=True))
    condition = 1 + np.linalg.norm(Z, 2) / eps
    unit = n * U * np.linalg.norm(X) * np.linalg.norm(Y) / (n - 1) ** 2
    plain = np.trace(X @ Y) / (n - 1) ** 2
    if n * U * condition > 1e-2:  # the inverse would have no digit left
        return np.nan, plain, np.inf, unit
    A = Z @ np.linalg.inv(Z + eps * np.eye(n))
    R = np.eye(n) - A @ A.T
    return np.trace(R @ X @ R @ Y) / (n - 1) ** 2, plain, unit * condition, unit


@pytest.mark.parametrize("n_instances", [400, pytest.param(4000, marks=pytest.mark.slow)])
def test_the_printed_formula(n_instances):
    rng = np.random.default_rng(0)
    tight = 0
    for _ in range(n_instances):
        n, eps = int(rng.integers(5, 30)), 10.0 ** rng.uniform(-10, 0)
        x, y, z = (column(rng, n) for _ in range(3))
        kernels = rng.choice(KERNELS, 3)
        named = dict(zip(("kernel_x", "kernel_y"), kernels, strict=False))
        given, plain, rounding_given, rounding_plain = printed_formula(x, y, z, kernels, eps)
        largest = rounding_plain / (n * U)
        found = hsic(x, y, z, **named, kernel_z=kernels[2], eps=eps).statistic
        assert 0.0 <= found <= largest * (1 + n * U)
        if np.isfinite(given):
            assert abs(found - given) <= 8 * rounding_given, (kernels, n, eps)
        assert abs(hsic(x, y, **named).statistic - plain) <= 8 * rounding_plain, (kernels, n)
        tight += rounding_given < 1e-6 * abs(given)
    assert tight > 0.5 * n_instances  # in most cases the bound says that many digits agree


def test_an_offset_changes_nothing():
    """A near-constant column far from 0: the differences are what counts, whatever the kernel."""
    rng = np.random.default_rng(1)
    n = 20
    x, y, z = (np.round(rng.normal(size=n) * 2**20) / 2**20 for _ in range(3))  # exact after the offset below
    for kernel in KERNELS:
        kernels = {"kernel_x": kernel, "kernel_y": kernel, "kernel_z": kernel}
        near = hsic(x, y, z, eps=1e-2, **kernels).statistic
        far = hsic(x + 2.0**30, y - 2.0**31, z + 2.0**28, eps=1e-2, **kernels).statistic
        assert far == pytest.approx(near, rel=1e-10)
        assert hsic(x + 2.0**30, y, kernel_x=kernel).statistic == pytest.approx(
            hsic(x, y, kernel_x=kernel).statistic, rel=1e-11
        )


def test_what_is_explained_away_is_zero_and_never_significant():
    """x is a function of z: nothing is left of it, and what rounding leaves must not look like dependence."""
    z = np.repeat([0.0, 1.0, 2.0], 12)
    y = np.random.default_rng(0).normal(size=36)
    result = hsic(z**2, y, z, kernel_x="linear", kernel_z="categorical", n_permutations=99)
    assert 0.0 <= result.statistic < 1e-12
    assert result.pvalue > 0.2
