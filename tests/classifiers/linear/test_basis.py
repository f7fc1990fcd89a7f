"""The columns of linear models: what numbers, words and gaps become."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import SplineTransformer

from partitope.classifiers import ConditionalMeanEncoder
from partitope.classifiers.linear.basis import LinearBasis


def table(n: int = 60, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "size": rng.gamma(2.0, 1.0, n),
            "few": rng.integers(0, 3, n),
            "colour": rng.choice(["red", "blue", "green"], n),
            "rest": rng.normal(size=n),
        }
    )
    frame.loc[[1, 5], "rest"] = np.nan
    frame.loc[[2, 7, 9, 11, 30], "colour"] = None
    return frame


def test_linear_columns_written_out():
    frame = table()
    found = LinearBasis().fit_transform(frame)
    rest = frame["rest"].fillna(frame["rest"].mean())
    raw = np.column_stack(
        [frame["size"], frame["few"], rest, frame["rest"].isna()]
        + [frame["colour"].fillna("") == word for word in ("", "blue", "green", "red")]
    ).astype(float)
    spread = raw.std(axis=0)
    spread[3:] = np.maximum(spread[3:], 0.1)
    np.testing.assert_allclose(found, (raw - raw.mean(axis=0)) / spread, atol=1e-12)


def test_splines_bend_numbers_of_many_values_only():
    linear, spline = LinearBasis().fit(table()), LinearBasis("spline").fit(table())
    assert spline.n_columns_ > linear.n_columns_
    np.testing.assert_allclose(spline.transform(table())[:, :4], linear.transform(table())[:, :4])
    extra = spline.n_columns_ - linear.n_columns_
    assert extra % 2 == 0  # of "size" and "rest", not of "few"
    assert LinearBasis("spline").fit(table()[["few", "colour"]]).n_columns_ == 1 + 4


@pytest.mark.parametrize("knots", [2, 3, 9])
def test_splines_are_scikit_learns_and_straight_beyond_the_training_rows(knots):
    X = np.random.default_rng(knots).normal(size=(300, 4))
    basis = LinearBasis("spline", knots=knots).fit(X[:200])
    theirs = SplineTransformer(knots, knots=basis.knots_, extrapolation="linear", include_bias=False).fit(X[:200])
    raw = basis.transform(X)[:, 4:] * basis.spreads_[4:] + basis.means_[4:]
    np.testing.assert_allclose(raw, theirs.transform(X), atol=1e-12)


def test_new_rows_may_hold_unseen_words_and_gaps():
    basis = LinearBasis("spline").fit(table())
    new = pd.DataFrame({"size": [np.nan], "few": [1], "colour": ["mauve"], "rest": ["abc"]})
    found = basis.transform(new) * basis.spreads_ + basis.means_
    assert found[0, 0] == pytest.approx(table()["size"].mean())
    assert not found[0, -4:].any()
    assert np.isfinite(found).all()


def test_products_written_out():
    """Of few columns all pairs, of many those of the leading components; both cut off."""
    rng = np.random.default_rng(0)
    few = LinearBasis("products").fit(table())
    z = np.clip(few.transform(table())[:, few.columns_of("linear")], -3.0, 3.0)
    raw = np.column_stack([z[:, a] * z[:, b] for a in range(z.shape[1]) for b in range(a, z.shape[1])])
    expected = (raw - raw.mean(axis=0)) / np.maximum(raw.std(axis=0), 0.1)
    np.testing.assert_allclose(few.transform(table())[:, few.columns_of("spline").size :], expected, atol=1e-12)
    np.testing.assert_array_equal(
        few.transform(table())[:, few.columns_of("linear")], LinearBasis().fit_transform(table())
    )
    X = rng.normal(size=(200, 30)) * np.linspace(1.0, 3.0, 30) + rng.normal(size=(200, 1))
    many = LinearBasis("products").fit(X)
    found = many.transform(X)
    assert found.shape[1] == many.columns_of("spline").size + 20 * 21 // 2
    components = found[:, :30] @ many.directions_
    np.testing.assert_allclose(components.T @ components / 200, np.eye(20), atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_log_odds_are_those_of_the_conditional_means_and_of_other_rows_in_training(n_classes):
    X, y = table(300), np.random.default_rng(2).integers(n_classes, size=300)
    y[(X["few"] == 1) | (X["colour"] == "red")] = 0
    basis, encoder = LinearBasis("products", log_odds=True), ConditionalMeanEncoder()
    inside, shares = basis.fit_transform(X, y), encoder.fit_transform(X, y)
    count = shares.shape[1]
    plain = LinearBasis("products").fit(X)
    np.testing.assert_array_equal(basis.columns_of("products"), np.arange(plain.n_columns_))
    expected = np.clip(np.log(shares) - np.log1p(-shares), -6.0, 6.0)
    middle, spread = expected.mean(axis=0), np.maximum(expected.std(axis=0), 0.1)
    np.testing.assert_allclose(inside[:, -count:], (expected - middle) / spread, atol=1e-9)
    shares = encoder.transform(table(40, seed=1))
    expected = np.clip(np.log(shares) - np.log1p(-shares), -6.0, 6.0)
    np.testing.assert_allclose(
        basis.transform(table(40, seed=1)),
        np.hstack([plain.transform(table(40, seed=1)), (expected - middle) / spread]),
        atol=1e-9,
    )
