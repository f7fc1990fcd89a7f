import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from partitope.base.errors import InvalidInputError
from partitope.solvers import ClusterwiseRegression


def board(n, seed):
    """The colours of a board of 2 x 2 fields in two of six columns, one in twenty repainted."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, size=(n, 6))
    return X, ((X[:, 0] > 0) ^ (X[:, 1] > 0)) ^ (rng.random(n) < 0.05)


def regimes(n, seed):
    """Four linear regimes by the signs of two of six columns, with classes of a logistic law in each."""
    rng = np.random.default_rng(seed)
    slopes = np.random.default_rng(7).normal(size=(4, 6))
    X = rng.normal(size=(n, 6))
    chances = 1.0 / (1.0 + np.exp(-2.0 * (X * slopes[2 * (X[:, 0] > 0) + (X[:, 1] > 0)]).sum(axis=1)))
    return X, rng.random(n) < chances


@pytest.mark.parametrize(("make", "least"), [(board, 0.88), (regimes, 0.78)])
def test_regimes_are_found_where_one_linear_model_fails(make, least):
    X, y = make(400, 0)
    new, truth = make(3000, 1)
    model = ClusterwiseRegression(4, lower=40, upper=200, random_state=0).fit(X, y)
    assert (model.classes_[model.predict_target(new).argmax(axis=1)] == truth).mean() > least
    assert LogisticRegression().fit(X, y).score(new, truth) < least - 0.05


@pytest.mark.parametrize("classes", [2, 3, 0])
@pytest.mark.parametrize("seed", range(4))
def test_the_objective_never_falls_and_cells_keep_the_bounds(classes, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(90, 3)) * [1.0, 1e3, 1e-3] + [0.0, 1e6, 0.0]
    y = rng.integers(0, classes, 90) if classes else np.abs(X[:, 0]) + 0.1 * rng.normal(size=90)
    model = ClusterwiseRegression(3, lower=20, upper=40, n_init=2, random_state=seed).fit(X, y)
    partition = model.partition_
    rising = np.diff(partition.history["objective"])
    assert (rising >= 0.0).all()
    assert partition.sizes.min() >= 20
    assert partition.sizes.max() <= 40
    assert partition.certificate.verified
    # labels are the cells of new rows, up to the points through which a boundary runs
    assert (model.predict(X) == model.labels_).mean() > 0.95


def test_two_lines_are_told_apart_and_predicted_in_their_own_units():
    x = np.linspace(-1.0, 1.0, 100)[:, None]
    y = 1e4 + 1e3 * np.abs(x[:, 0] - 0.2)
    model = ClusterwiseRegression(2, lower=30, random_state=0).fit(x, y)
    assert np.abs(model.predict_target(x) - y).max() < 60.0
    assert sorted(np.sign(model.coefficients_[:, 0, 0])) == [-1.0, 1.0]
    assert model.classes_ is None


@pytest.mark.parametrize("classes", [True, False])
def test_a_weight_of_three_is_three_rows(classes):
    rng = np.random.default_rng(2)
    X, w = rng.normal(size=(120, 2)), rng.integers(1, 4, 120)
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0) if classes else np.abs(X[:, 0]) + 0.1 * rng.normal(size=120)
    options = {"n_init": 1, "lower": 60, "random_state": 0}
    weighted = ClusterwiseRegression(2, **options).fit(X, y, sample_weight=w)
    repeated = ClusterwiseRegression(2, **options).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert weighted.partition_.sizes.sum() == w.sum()
    assert weighted.partition_.sizes.min() >= 60
    assert (np.diff(weighted.partition_.history["objective"]) >= 0.0).all()
    assert weighted.partition_.objective == pytest.approx(repeated.partition_.objective, rel=0.02)
    assert (weighted.predict(X) == repeated.predict(X)).mean() > 0.95


def test_one_cell_is_a_plain_regression():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = X @ [1.0, -2.0, 0.5] + 3.0
    model = ClusterwiseRegression(1, random_state=0, penalty=1e-6).fit(X, y)
    assert np.allclose(model.coefficients_[0, :, 0], [1.0, -2.0, 0.5, 3.0], atol=1e-4)


@pytest.mark.parametrize(
    ("y", "options", "text"),
    [
        (np.zeros(20, dtype=int), {}, "one class"),
        (np.r_[np.nan, np.linspace(0.0, 1.0, 19)], {}, "NaN"),
        (np.arange(20) % 2, {"penalty": 0.0}, "penalty"),
        (np.arange(20) % 2, {"n_init": 0}, "n_init"),
    ],
)
def test_bad_input_is_one_clear_line(y, options, text):
    with pytest.raises((InvalidInputError, ValueError), match=text):
        ClusterwiseRegression(2, **options).fit(np.random.default_rng(0).normal(size=(20, 2)), y)
