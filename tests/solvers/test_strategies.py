"""One suite that every strategy in the table passes by itself."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from partitope.models import InfeasibleBoundsError, PartitopeError, PowerDiagram
from partitope.solvers import STRATEGIES, Partition, Partitioner

STRATEGY = [pytest.param(name, marks=pytest.mark.strategy(name)) for name in STRATEGIES]


def _table(seed: int = 0, n: int = 60):
    """Two classes, three groups, one covariate that explains the first coordinate's halves."""
    rng = np.random.default_rng(seed)
    group = np.arange(n) % 3
    X = rng.normal(size=(n, 3)) * 0.4 + 3.0 * np.eye(3)[group]
    y = (X[:, 0] + 0.5 * rng.normal(size=n) > 1.0).astype(int)
    covariate = np.where(rng.random(n) > 0.5, "a", "b")
    return X, y, covariate


def _given(cls: type[Partitioner], y: np.ndarray, covariate: np.ndarray) -> dict:
    given: dict = {}
    if cls.needs.target != "ignored":
        given["y"] = np.where(np.arange(len(y)) % 5 > 0, -1, y) if cls.needs.target == "partial" else y
    if cls.needs.covariates == "required":
        given["covariates"] = covariate
    return given


def _make(cls: type[Partitioner], k: int, **bounds) -> Partitioner:
    return cls(n_clusters=k, random_state=0, **bounds)


def _k(cls: type[Partitioner]) -> int:
    return 2 if cls.needs.target == "partial" else 3  # semi-supervised strategies: one cluster a class


@pytest.mark.parametrize("name", STRATEGY)
def test_contract(name):
    cls = STRATEGIES[name]
    X, y, covariate = _table()
    k = _k(cls)
    before = X.copy()
    X.setflags(write=False)
    model = _make(cls, k)
    fitted = model.fit(X, **_given(cls, y, covariate))
    assert fitted is model
    assert np.array_equal(X, before)
    partition = model.partition_
    assert isinstance(partition, Partition)
    assert partition.labels.shape == (60,)
    assert partition.labels.min() >= 0
    assert partition.labels.max() < k
    assert np.array_equal(model.labels_, partition.labels)
    assert np.array_equal(partition.sizes, np.bincount(partition.labels, minlength=k))
    assert np.isfinite(partition.objective)
    assert len(partition.history["objective"]) >= 1
    assert partition.seconds > 0
    assert model.objective_sense in ("max", "min")


@pytest.mark.parametrize("name", STRATEGY)
def test_bounds_are_held(name):
    cls = STRATEGIES[name]
    X, y, covariate = _table(1)
    k = _k(cls)
    if not cls.needs.bounds:
        bounded = _make(cls, k, lower=60 // k, upper=60 // k)
        with pytest.raises(PartitopeError):
            bounded.fit(X, **_given(cls, y, covariate))
        return
    for lower, upper in ((60 // k, 60 // k), (60 // k - 3, 60 // k + 3)):
        sizes = _make(cls, k, lower=lower, upper=upper).fit(X, **_given(cls, y, covariate)).partition_.sizes
        assert sizes.min() >= lower
        assert sizes.max() <= upper
        assert sizes.sum() == 60


@pytest.mark.parametrize("name", STRATEGY)
def test_infeasible_bounds_are_refused_in_words(name):
    cls = STRATEGIES[name]
    X, y, covariate = _table()
    if not cls.needs.bounds:
        pytest.skip("the strategy declares that it takes no bounds")
    with pytest.raises(InfeasibleBoundsError, match=r"sum\(lower\)=90 exceeds n_points=60"):
        _make(cls, 3, lower=30).fit(X, **_given(cls, y, covariate))


@pytest.mark.parametrize("name", STRATEGY)
def test_the_seed_alone_decides(name):
    cls = STRATEGIES[name]
    X, y, covariate = _table(2)
    given = _given(cls, y, covariate)
    first = _make(cls, _k(cls)).fit(X, **given)
    second = clone(first).fit(X, **given)
    assert np.array_equal(first.labels_, second.labels_)
    assert first.partition_.objective == second.partition_.objective


@pytest.mark.parametrize("name", STRATEGY)
def test_predict_new_points(name):
    cls = STRATEGIES[name]
    X, y, covariate = _table(3)
    model = _make(cls, _k(cls)).fit(X, **_given(cls, y, covariate))
    new = model.predict(X[:7] + 0.01)
    assert new.shape == (7,)
    assert new.min() >= 0
    assert new.max() < _k(cls)
    with pytest.raises(ValueError, match="features"):
        model.predict(X[:, :2])
    diagram = model.partition_.power_diagram
    assert diagram is None or isinstance(diagram, PowerDiagram)


@pytest.mark.parametrize("name", STRATEGY)
def test_what_is_not_declared_is_refused(name):
    cls = STRATEGIES[name]
    X, y, covariate = _table()
    given = _given(cls, y, covariate)
    if cls.needs.covariates == "refused":
        with pytest.raises(PartitopeError, match="covariates"):
            _make(cls, _k(cls)).fit(X, **given, covariates=covariate)
    else:
        given.pop("covariates")
        with pytest.raises(PartitopeError, match="covariates"):
            _make(cls, _k(cls)).fit(X, **given)
    if not cls.needs.sample_weight:
        with pytest.raises(PartitopeError, match="sample_weight"):
            _make(cls, _k(cls)).fit(X, **_given(cls, y, covariate), sample_weight=np.arange(1.0, 61.0))
