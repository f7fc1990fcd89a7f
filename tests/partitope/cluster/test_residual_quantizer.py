"""ResidualQuantizer: scikit-learn's contract, balanced codes, codes that stand for their vectors."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from partitope.base.errors import InvalidInputError
from partitope.cluster import ResidualQuantizer


@pytest.mark.full
@parametrize_with_checks([ResidualQuantizer(2, 3)])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def _vectors(dtype=np.float32, n=403):
    rng = np.random.default_rng(0)
    return (rng.normal(size=(n, 6)) + 3.0 * rng.normal(size=(5, 6))[rng.integers(0, 5, n)]).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_codes_are_balanced_and_stand_for_their_vectors(tmp_path, dtype):
    X = _vectors(dtype)
    np.save(tmp_path / "vectors.npy", X)
    stored = np.load(tmp_path / "vectors.npy", mmap_mode="r")
    model = ResidualQuantizer(3, 10, random_state=0).fit(stored)
    assert model.codes_.dtype == np.uint8
    for level, codes in enumerate(model.codes_.T):
        assert set(np.bincount(codes, minlength=10)) == {40, 41}
        error = ((X.astype(np.float64) - model.decode(model.codes_[:, : level + 1])) ** 2).sum(axis=1).mean()
        assert model.errors_[level] == pytest.approx(error, rel=100 * float(np.finfo(dtype).eps))
        assert model.levels_[level].partition_.certificate.verified
    assert (np.diff(model.errors_) < 0).all()
    assert (model.encode(stored) == model.codes_).mean() > 0.99  # residuals on walls may round to the other side
    assert model.codebooks_.dtype == model.decode(model.codes_).dtype == dtype
    assert model.reconstruction_error(X) == pytest.approx(model.errors_[-1], rel=1e-2)
    assert model.score(X) == -model.reconstruction_error(X)
    assert model.get_feature_names_out().tolist() == [f"residualquantizer{level}" for level in range(3)]


def test_without_balance_codes_follow_the_density():
    X = np.concatenate([_vectors(np.float64), 50.0 + np.zeros((2, 6))])
    free = ResidualQuantizer(1, 8, balanced=False, n_init=3, random_state=0).fit(X)
    assert np.bincount(free.codes_[:, 0]).min() < len(X) // 8
    assert free.errors_[0] < ResidualQuantizer(1, 8, n_init=3, random_state=0).fit(X).errors_[0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X: ResidualQuantizer(0, 2).fit(X), "levels"),
        (lambda X: ResidualQuantizer(2, 1000).fit(X), "k=1000 is more than n_samples=403"),
        (lambda X: ResidualQuantizer(1, 2).fit(X).decode([[2]]), "from 0 to 1"),
        (lambda X: ResidualQuantizer(1, 2).fit(X).decode([[0.5]]), "from 0 to 1"),
        (lambda X: ResidualQuantizer(1, 2).fit(X).decode([[0, 1]]), "at most 1"),
    ],
)
def test_bad_input_gets_one_clear_line(call, message):
    with pytest.raises(InvalidInputError, match=message):
        call(_vectors())
