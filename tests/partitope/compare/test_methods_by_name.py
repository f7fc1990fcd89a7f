"""Every strategy has a row when it is asked for by name, with its refusal where the table lacks something."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from partitope.compare.methods import choose_methods, known_methods
from partitope.compare.run import compare
from partitope.datasets.dataset import Dataset
from partitope.models import PartitionPolytope
from partitope.solvers import STRATEGIES

DEFAULT = ["geometric-csa", "geometric-lsa", "cac", "pkm", "kcc", "kcssl", "kmeans (no bounds)"]


def table(covariates: bool) -> Dataset:
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2  # enough rows for the columns to tell the classes apart in a fold
    X = pd.DataFrame(rng.normal(size=(80, 3)) + y[:, None], columns=["a", "b", "c"])
    known = pd.DataFrame({"colour": np.where(rng.random(80) < 0.5, "red", "blue")}) if covariates else None
    return Dataset(X, np.array(["no", "yes"])[y], "toy", "answer", covariates=known)


def test_rows_shown_unasked():
    assert list(known_methods()) == [method.name for method in choose_methods()] == DEFAULT
    every = known_methods(every=True).values()
    assert {method.partitioner for method in every} == set(STRATEGIES.loaded().values())
    built = [method.build(PartitionPolytope(9, n_clusters=3)).get_params() for method in every]
    assert {parameters.get("n_init", 1) for parameters in built} == {1}  # starts are counted once


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.full] * (name != "geometric")) for name in STRATEGIES.own]
)
def test_a_strategy_has_its_rows_when_named(name):
    needs = STRATEGIES[name].needs
    lacking = compare(table(False), 2, folds=2, starts=1, methods=[name]).rows
    given = (
        lacking if needs.covariates == "refused" else compare(table(True), 2, folds=2, starts=1, methods=[name]).rows
    )
    assert len(given) == len(STRATEGIES[name].variants or [name])
    for row in given:
        assert 0 <= row.folds.accuracy <= 1, row.note
        assert row.within_bounds or not needs.bounds
    if needs.covariates == "required":
        assert all(row.partition is None and "--covariates" in row.note for row in lacking)
