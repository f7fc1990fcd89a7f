"""Conditional means by empirical Bayes and cross-fitting: what is noise changes nothing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from partitope.classifiers import (
    ConditionalMeanEncoder,
)
from partitope.model_files.state import from_state, state_of

N = 300
"""Percent points of held-out accuracy that a column without information may change."""


def table(seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=N)
    letters = np.array(list("rgbk"))[np.where(rng.random(N) < 0.6, y, rng.integers(4, size=N))]
    return pd.DataFrame({"a": rng.normal(size=N) + 1.2 * y, "b": rng.normal(size=N) - 0.8 * y, "c": letters}), y


def junk(kind: str, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if kind == "dates":
        return (np.datetime64("2020-01-01") + rng.integers(1500, size=N)).astype(str).astype(object)
    levels = {"300 categories": 300, "60 levels": 60}
    return np.array([f"v{v}" for v in rng.integers(levels[kind], size=N)], dtype=object)


def by_definition(codes: np.ndarray, y: np.ndarray) -> float:
    """m of one-way random effects, group by group."""
    groups = [y[codes == v] for v in np.unique(codes)]
    n, grand = len(y), y.mean()
    between = sum(len(g) * (g.mean() - grand) ** 2 for g in groups)
    within = sum(((g - g.mean()) ** 2).sum() for g in groups) / (n - len(groups))
    spread = (between - (len(groups) - 1) * within) / (n - sum(len(g) ** 2 for g in groups) / n)
    return within / spread


def test_shrinkage_is_that_of_random_effects():
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 8, N)
    y = (rng.random(N) < np.linspace(0.2, 0.8, 8)[codes]).astype(int)
    encoder = ConditionalMeanEncoder().fit(pd.DataFrame({"v": codes.astype(str)}), y)
    m = by_definition(codes, y)
    expected = [(y[codes == v].sum() + m * y.mean()) / ((codes == v).sum() + m) for v in range(8)]
    np.testing.assert_allclose(encoder.tables_[0].means[:, 0], expected, atol=1e-12)


def test_training_rows_are_encoded_from_other_rows():
    rng = np.random.default_rng(4)
    codes, y = rng.integers(0, 6, N), rng.integers(0, 2, N)
    frame = pd.DataFrame({"v": codes.astype(str)})
    encoder = ConditionalMeanEncoder(smoothing=2.0, random_state=7)
    encoded = encoder.fit_transform(frame, y)[:, 0]
    folds = encoder._folds(y, 5)
    assert np.ptp(np.bincount(folds)) <= 1
    assert np.ptp([y[folds == f].sum() for f in range(5)]) <= 1
    for f in range(5):
        for v in range(6):
            others = (folds != f) & (codes == v)
            mean = (y[others].sum() + 2.0 * y.mean()) / (others.sum() + 2.0)
            np.testing.assert_allclose(encoded[(folds == f) & (codes == v)], mean, atol=1e-12)
    for j in range(0, N, 40):  # a row's own label is no part of its encoding, but for the overall mean
        turned = y.copy()
        turned[j] = 1 - y[j]
        moved = encoder.set_params(smoothing=0.0).fit_transform(frame, y)[j, 0]
        rest = folds != folds[j]
        assert moved == pytest.approx(y[rest & (codes == codes[j])].mean())
        assert turned[rest & (codes == codes[j])].mean() == pytest.approx(moved)


def test_noise_has_no_place_in_the_encoding():
    X, y = table()
    encoder = ConditionalMeanEncoder()
    encoded = encoder.fit_transform(X.assign(many=junk("300 categories"), few=junk("60 levels")), y)
    assert encoder.uninformative_ == ["many", "few"]
    np.testing.assert_array_equal(encoded, ConditionalMeanEncoder().fit_transform(X, y))
    assert encoder.get_feature_names_out().tolist() == ["a", "b", "c"]
    alone = ConditionalMeanEncoder().fit_transform(X[[]].assign(many=junk("300 categories")), y)
    assert alone.shape == (N, 1)
    assert np.ptp(alone) == 0


@pytest.mark.parametrize("n", [40, 99])
def test_few_rows_get_a_line(n):
    """The slope of least squares with a penalty of the ratio of variances, on the rows of the other folds."""
    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    y = (x + rng.normal(size=n) > 0).astype(int)
    frame = pd.DataFrame({"x": np.exp(x)})
    encoder = ConditionalMeanEncoder()
    trained, new = encoder.fit_transform(frame, y)[:, 0], encoder.transform(frame)[:, 0]
    ends = np.quantile(frame["x"], (0.05, 0.95), method="inverted_cdf")
    cut = np.clip(frame["x"].to_numpy(), *ends)
    u, aim = cut - cut.mean(), y - y.mean()
    explained = (u @ aim) ** 2 / (u @ u)
    noise = (aim @ aim - explained) / (n - 2)
    m = noise / ((explained - noise) / (u @ u))

    def line(rows: np.ndarray) -> np.ndarray:
        b = (u[rows] @ aim[rows]) / (u[rows] @ u[rows] + m)
        return np.interp(cut, ends, np.clip(y.mean() + b * (ends - cut.mean()), 0, 1))

    np.testing.assert_allclose(new, line(np.full(n, True)), atol=1e-12)
    folds = encoder._folds(y, 5)
    for f in range(5):
        np.testing.assert_allclose(trained[folds == f], line(folds != f)[folds == f], atol=1e-12)
    stored = from_state(state_of(encoder))
    gaps = pd.DataFrame({"x": [np.nan, -1.0, 1e9]})
    np.testing.assert_array_equal(stored.transform(gaps), encoder.transform(gaps))
    assert encoder.transform(gaps)[:, 0].tolist() == [y.mean(), new.min(), new.max()]


def test_few_labels_do_not_see_noise():
    """Over thirty draws of twenty rows: a date and a number without information pass no more often than the level."""
    rng, passed, missed = np.random.default_rng(8), 0, 0
    for _ in range(30):
        y = np.arange(24) % 2
        columns = {"a": rng.normal(size=24) + 2.0 * y, **{f"n{j}": rng.normal(size=24) for j in range(5)}}
        left = ConditionalMeanEncoder().fit(pd.DataFrame(columns), y).uninformative_
        passed += 5 - len([name for name in left if name != "a"])
        missed += "a" in left
    assert passed <= 8  # 150 noise columns at level .01: a Poisson count of 1.5 exceeds 8 once in ten thousand
    assert missed <= 3


def test_the_columns_of_one_date_share_the_level_of_one_test():
    y = np.r_[np.repeat([0, 1], [40, 60]), np.repeat([0, 1], [60, 40])]  # p-value .0046 of the halves
    halves, other = np.repeat([0.0, 1.0], 100), np.arange(200) % 2 + 0.0
    surely = np.where(np.arange(200) % 10, y, 1 - y) + 0.0
    names = ("a", "b", "c", "sure"), ("d: year", "d: month", "d: elapsed days", "sure")
    kept = [
        ConditionalMeanEncoder().fit(pd.DataFrame(dict(zip(some, (halves, other, 1 - other, surely)))), y).informative_
        for some in names
    ]
    assert [places.tolist() for places in kept] == [[0, 3], [3]]
