"""Least-squares weighting against scikit-learn's regression."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LinearRegression

from partitope.classifiers import LeastSquaresWeighting


def test_weights_are_regression_coefficients():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5)) + 40.0
    y = (X @ [1, -2, 0, 0.5, 3] + rng.normal(size=300) > 100).astype(int)
    weighting = LeastSquaresWeighting().fit(X, y)
    reference = LinearRegression().fit(X, y).coef_
    np.testing.assert_allclose(weighting.coefficients_, reference, rtol=1e-9)
    np.testing.assert_allclose(weighting.transform(X), X * reference, rtol=1e-9)


def test_collinear_and_constant_columns():
    rng = np.random.default_rng(1)
    base = rng.normal(size=(100, 1))
    y = (base[:, 0] + 0.1 * rng.normal(size=100) > 0).astype(int)
    alone = LeastSquaresWeighting().fit(base, y).coefficients_[0]
    doubled = LeastSquaresWeighting().fit(np.hstack([base, base, np.full((100, 1), 0.1)]), y).coefficients_
    np.testing.assert_allclose(doubled, [alone / 2, alone / 2, 0.0], atol=1e-12)


def test_nonnegative_weights_solve_the_constrained_problem():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(200, 4)) + 3.0
    y = (X @ [1.0, -1.0, 0.5, 0.0] + rng.normal(size=200) > 1.5).astype(int)
    b = LeastSquaresWeighting(nonnegative=True).fit(X, y).coefficients_
    assert (b >= 0).all()
    assert b[1] == 0
    reference = LinearRegression(positive=True).fit(X, y).coef_
    np.testing.assert_allclose(b, reference, atol=1e-9)


def test_more_classes_take_the_root_mean_square():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(120, 3)), rng.integers(0, 3, 120)
    slopes = [LinearRegression().fit(X, y == c).coef_ for c in range(3)]
    np.testing.assert_allclose(
        LeastSquaresWeighting().fit(X, y).coefficients_, np.sqrt(np.mean(np.square(slopes), axis=0)), rtol=1e-9
    )
