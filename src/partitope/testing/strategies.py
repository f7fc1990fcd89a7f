"""Tests for every strategy, built in or custom; the requirements are read from its declaration `Needs`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from ..base.errors import CapabilityError, InfeasibleBoundsError, PartitopeError
from ..base.record import Record
from ..models import PowerDiagram
from ..solvers import STRATEGIES, Partition, Partitioner

N = 60  # Number of points in each test.
FEW = {"n_init": 2, "n_starts": 2}  # parameters of that name count starts; the contract holds for any number


def strategy_suite(*strategies: str | type[Partitioner] | Partitioner) -> type[StrategySuite]:
    """A class of tests for strategies; bind it to a name that starts with ``Test`` in a test file."""
    cases = []
    for strategy in strategies:
        made = STRATEGIES[strategy] if isinstance(strategy, str) else strategy
        model = made() if isinstance(made, type) else made
        cases.append(pytest.param(model, id=STRATEGIES.name_of(type(model))))
    suite = type("StrategySuite", (StrategySuite,), {"__doc__": StrategySuite.__doc__})
    return pytest.mark.parametrize("strategy", cases)(suite)


class StrategySuite:
    """Contract, bounds, seed, prediction, and refusal of what is not declared."""

    kind = "strategy"

    def test_contract(self, strategy: Partitioner) -> None:
        """A fit returns its estimator, leaves the input alone, and describes a partition of all rows."""
        X, given = _table(strategy, 0)
        before, k = X.copy(), _k(strategy)
        X.setflags(write=False)
        model = _make(strategy)
        assert model.fit(X, **given) is model
        assert np.array_equal(X, before)
        partition = model.partition_
        assert isinstance(partition, Partition)
        assert partition.labels.shape == (N,)
        assert partition.labels.min() >= 0
        assert partition.labels.max() < k
        assert np.array_equal(model.labels_, partition.labels)
        assert np.array_equal(partition.sizes, np.bincount(partition.labels, minlength=k))
        assert np.isfinite(partition.objective)
        assert len(partition.history["objective"]) >= 1
        assert partition.seconds > 0
        assert partition.sense == model.objective_sense in ("max", "min")

    def test_bounds_are_held(self, strategy: Partitioner) -> None:
        """Size bounds hold, or are refused by a strategy that declares none."""
        X, given = _table(strategy, 1)
        even = N // _k(strategy)
        if not strategy.needs.bounds:
            with pytest.raises(CapabilityError, match="does not support bounds"):
                _make(strategy, lower=even, upper=even).fit(X, **given)
            return
        for lower, upper in ((even, even), (even - 3, even + 3)):
            sizes = _make(strategy, lower=lower, upper=upper).fit(X, **given).partition_.sizes
            assert sizes.min() >= lower
            assert sizes.max() <= upper
            assert sizes.sum() == N

    def test_infeasible_bounds_are_refused_in_words(self, strategy: Partitioner) -> None:
        """Bounds that no clustering satisfies are refused with the numbers that say why; or as all bounds are."""
        X, given = _table(strategy, 0)
        expected: tuple[type[PartitopeError], str] = (InfeasibleBoundsError, r"sum\(lower\)=90 exceeds n_points=60")
        if not strategy.needs.bounds:
            expected = CapabilityError, "does not support bounds"
        with pytest.raises(expected[0], match=expected[1]):
            _make(strategy, n_clusters=3, lower=30).fit(X, **given)

    def test_the_seed_alone_decides(self, strategy: Partitioner) -> None:
        """A clone with the same seed gives the same partition, whatever the global random state is."""
        X, given = _table(strategy, 2)
        first = _make(strategy).fit(X, **given)
        np.random.seed(1)  # noqa: NPY002 - a strategy that reads the global state would notice
        second = clone(first).fit(X, **given)
        assert np.array_equal(first.labels_, second.labels_)
        assert first.partition_.objective == second.partition_.objective

    def test_predict_new_points(self, strategy: Partitioner) -> None:
        """New points get clusters, or a `CapabilityError` where none are declared."""
        X, given = _table(strategy, 3)
        model = _make(strategy).fit(X, **given)
        if not strategy.needs.predicts:
            with pytest.raises(CapabilityError, match="predict"):
                model.predict(X[:7])
            return
        new = model.predict(X[:7] + 0.01)
        assert new.shape == (7,)
        assert new.min() >= 0
        assert new.max() < _k(strategy)
        with pytest.raises(ValueError, match="features"):
            model.predict(X[:, :2])
        diagram = model.partition_.power_diagram
        assert diagram is None or isinstance(diagram, PowerDiagram)

    def test_what_is_not_declared_is_refused(self, strategy: Partitioner) -> None:
        """Covariates are refused by name unless declared, and so is what breaks a declaration."""
        X, given = _table(strategy, 0)
        needs, rest = strategy.needs, {key: value for key, value in given.items() if key != "covariates"}
        if needs.covariates == "refused":
            with pytest.raises(PartitopeError, match="covariates"):
                _make(strategy).fit(X, **rest, covariates=_covariate(0))
        else:
            with pytest.raises(PartitopeError, match="covariates"):
                _make(strategy).fit(X, **rest)
        if needs.known_clustering:
            with pytest.raises(PartitopeError, match="known clustering"):
                _make(strategy).fit(X, **rest, covariates=X[:, 0])
        if needs.target != "ignored":
            with pytest.raises(ValueError, match="y"):
                _make(strategy).fit(X, **{key: value for key, value in given.items() if key != "y"})
        if needs.cluster_per_class:
            with pytest.raises(PartitopeError, match="class"):
                _make(strategy, n_clusters=3).fit(X, **given)

    def test_weights_count_or_are_refused(self, strategy: Partitioner) -> None:
        """Weights of one change nothing, and sizes are sums of weights; undeclared weights are refused by name."""
        X, given = _table(strategy, 4)
        if not strategy.needs.sample_weight:
            with pytest.raises(CapabilityError, match="sample_weight"):
                _make(strategy).fit(X, **given, sample_weight=np.arange(1.0, N + 1))
            return
        plain = _make(strategy).fit(X, **given).partition_
        ones = _make(strategy).fit(X, **given, sample_weight=np.ones(N)).partition_
        assert np.array_equal(plain.labels, ones.labels)
        weights = 1.0 + np.arange(N) % 3
        sizes = _make(strategy).fit(X, **given, sample_weight=weights).partition_.sizes
        assert sizes.sum() == pytest.approx(weights.sum())


def _table(strategy: Partitioner, seed: int) -> tuple[np.ndarray, Record]:
    """Points (60, 3) in groups of 20, 30 and 10, so that bounds matter, and what must be given in addition."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, 3)) * 0.4 + 3.0 * np.eye(3)[np.repeat(np.arange(3), [20, 30, 10])]
    y = (X[:, 0] + 0.5 * rng.normal(size=N) > 1.0).astype(int)
    given: Record = {}
    if strategy.needs.target != "ignored":
        given["y"] = np.where(np.arange(N) % 5 > 0, -1, y) if strategy.needs.target == "partial" else y
    if strategy.needs.covariates == "required":
        given["covariates"] = _covariate(seed)
    return X, given


def _covariate(seed: int) -> np.ndarray:
    """A covariate (60,) of two levels."""
    return np.where(np.random.default_rng(seed + 1000).random(N) > 0.5, "a", "b")


def _k(strategy: Partitioner) -> int:
    """Number of clusters: three groups, or the two classes."""
    return 2 if strategy.needs.cluster_per_class else 3


def _make(strategy: Partitioner, **parameters: Any) -> Partitioner:
    """An unfitted copy with a fixed seed, few starts and these parameters."""
    few = {name: starts for name, starts in FEW.items() if name in strategy.get_params()}
    model: Partitioner = clone(strategy)
    return model.set_params(**{"n_clusters": _k(strategy), "random_state": 0} | few | parameters)
