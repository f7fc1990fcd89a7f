"""A fit that fails, for whatever reason, changes nothing: for every registered estimator."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError

from partitope import classifiers, cluster
from partitope.base.atomic_fit import AtomicFit
from partitope.base.errors import InfeasibleBoundsError
from partitope.solvers import STRATEGIES
from partitope.solvers.partitioner import Needs

SMALL = {
    "n_clusters": 2, "n_init": 1, "n_starts": 1, "cv": 2, "alphas": (0.0, 0.1), "k": 2, "max_iter": 5,
    "random_state": 0, "epochs": 2, "pretrain_epochs": 1,
}  # fmt: skip
NEEDS_TORCH = ("DeepCAC",)


def estimators():
    rooms = [vars(room)[name] for room in (classifiers, cluster) for name in room.__all__]
    found = {kind.__name__: kind for kind in rooms if isinstance(kind, type) and issubclass(kind, BaseEstimator)}
    for name, kind in (found | {name: STRATEGIES[name] for name in STRATEGIES.own}).items():
        model = kind()
        model.set_params(**{key: value for key, value in SMALL.items() if key in model.get_params()})
        missing = name in NEEDS_TORCH and find_spec("torch") is None
        yield pytest.param(model, id=name, marks=[pytest.mark.skip(reason="needs torch")] if missing else [])


def table(names):
    """Forty rows in two groups that differ in "a", and their classes."""
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1], 20)
    columns = {"a": 3.0 * group + rng.random(40), "b": rng.random(40)}
    return pd.DataFrame({name: columns[name] for name in names}), np.where(group, "yes", "no")


def beside(model, y):
    """What ``fit`` of the model takes beside the rows."""
    needs = getattr(model, "needs", None)
    if needs is None:
        return {"y": y}
    target = {} if needs.target == "ignored" else {"y": (y == "yes").astype(int)}
    return target | ({"covariates": np.tile(["u", "v"], 20)} if needs.covariates == "required" else {})


def setter(set_names, last):
    """A ``__setattr__`` that keeps the names that are set, and is interrupted where they are as many as ``last``."""

    def set_or_stop(self, name, value):
        set_names.append(name)
        if len(set_names) == last:
            raise KeyboardInterrupt
        object.__setattr__(self, name, value)

    return set_or_stop


def refused(model, error, X, given):
    """A fit that ends in the error, and leaves the attributes of the model as they are, in their order."""
    before = dict(vars(model))
    with pytest.raises(error):
        model.fit(X, **given)
    assert list(vars(model)) == list(before)
    assert all(vars(model)[name] is value for name, value in before.items())


@pytest.mark.parametrize("model", list(estimators()))
def test_a_fit_that_fails_changes_nothing(model, monkeypatch):
    (X, y), (other, _), kind = table("ab"), table("ba"), type(model)
    endless, one_class = other + np.inf, np.full(40, "yes")
    bounds = {"lower"} & set(model.get_params()) if getattr(model, "needs", Needs()).bounds else set()
    fitted, fresh, names = clone(model), clone(model), []
    with monkeypatch.context() as patched:
        patched.setattr(kind, "__setattr__", setter(names, 0), raising=False)
        names.clear()
        assert fitted.fit(X, **beside(model, y)) is fitted
    for estimator in (fitted, fresh):
        refused(estimator, ValueError, endless, beside(model, one_class))
        for bound in bounds:
            estimator.set_params(**{bound: 30})
            refused(estimator, InfeasibleBoundsError, other, beside(model, y))
            estimator.set_params(**{bound: None})
        for last in {1, len(names)}:
            with monkeypatch.context() as patched:
                patched.setattr(kind, "__setattr__", setter([], last), raising=False)
                refused(estimator, KeyboardInterrupt, other, beside(model, y))
    for method in {"predict", "transform"} & set(dir(kind)):
        with pytest.raises(NotFittedError):
            getattr(fresh, method)(X)


class First(AtomicFit, BaseEstimator):
    def __init__(self, lambda_=1):
        self.lambda_ = lambda_

    def fit(self, X, y=None):
        self.seen_ = self.lambda_
        return self


class Second(First):
    def fit(self, X, y=None):
        if y is not None:
            self.classes_ = y
        return super().fit(X)


def test_a_fit_may_call_another_and_leaves_nothing_of_the_one_before():
    model = Second(2).fit([], "ab")
    model.added_by_hand = 1
    assert model.fit([]) is model
    assert vars(model) == {"lambda_": 2, "added_by_hand": 1, "seen_": 2}
