"""The shipped suites: the templates pass them, faulty classes fail them, a package of others runs them."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from partitope.solvers import BACKENDS, STRATEGIES
from partitope.solvers.backend import Capabilities
from partitope.solvers.partitioner import Needs
from partitope.testing import backend_suite
from partitope.testing.backends import BackendSuite
from partitope.testing.strategies import StrategySuite
from partitope.testing.templates.backend import MilpBackend
from partitope.testing.templates.strategy import FarthestFirst


@pytest.fixture(autouse=True)
def _tables():
    """The tables as they were, after each test."""
    before = [(table, dict(table.entries), dict(table._registered)) for table in (BACKENDS, STRATEGIES)]
    yield
    for table, entries, registered in before:
        table.entries, table._registered = entries, registered


def failures(suite, subject):
    """Names of the tests without further parameters that a subject fails."""
    found = set()
    for name in dir(suite):
        method = getattr(suite(), name)
        if name.startswith("test_") and not hasattr(method, "pytestmark"):
            try:
                method(subject)
            except (AssertionError, pytest.fail.Exception, TypeError, ValueError):
                found.add(name.removeprefix("test_"))
    return found


class Unbounded(FarthestFirst):
    """Ignores the bounds."""

    def _partition(self, X, y, covariates, polytope, random_state):
        free = replace(
            polytope, lower=np.zeros(polytope.n_clusters), upper=np.full(polytope.n_clusters, polytope.total)
        )
        return super()._partition(X, y, covariates, free, random_state)


class Unseeded(FarthestFirst):
    """Draws from the global random state."""

    def _partition(self, X, y, covariates, polytope, random_state):
        found = super()._partition(X, y, covariates, polytope, random_state)
        return replace(found, objective=found.objective + np.random.rand())  # noqa: NPY002 - the fault


class Careless(FarthestFirst):
    """Declares covariates and weights, and reads neither."""

    needs = Needs(covariates="required", known_clustering=True, sample_weight=True)

    def _partition(self, X, y, covariates, polytope, random_state):
        found = super()._partition(X, y, covariates, polytope, random_state)
        return replace(found, sizes=np.bincount(found.labels, minlength=polytope.n_clusters))


class Cellless(FarthestFirst):
    """Declares that it predicts, and has no cells."""

    def _partition(self, X, y, covariates, polytope, random_state):
        return replace(super()._partition(X, y, covariates, polytope, random_state), power_diagram=None)


class Honest(Cellless):
    """Has no cells either, and says so."""

    needs = Needs(sample_weight=True, predicts=False)


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        (FarthestFirst, set()),
        (Honest, set()),
        (Unbounded, {"bounds_are_held"}),
        (Unseeded, {"the_seed_alone_decides"}),
        (Careless, {"what_is_not_declared_is_refused", "weights_count_or_are_refused"}),
        (Cellless, {"predict_new_points"}),
    ],
)
def test_the_suite_of_strategies_finds_the_fault(strategy, expected):
    assert failures(StrategySuite, strategy()) == expected


class Suboptimal(MilpBackend):
    """Swaps two points of different clusters."""

    def solve(self, model, *, warm_start=None, time_limit=None):
        found = super().solve(model)
        labels = found.labels.copy()
        other = int((labels != labels[0]).argmax())
        labels[[0, other]] = labels[[other, 0]]
        return replace(found, labels=labels)


class WrongSign(MilpBackend):
    """Gives prices in the other convention."""

    def solve(self, model, *, warm_start=None, time_limit=None):
        found = super().solve(model)
        return replace(found, prices=-found.prices)


class Boastful(MilpBackend):
    """Declares options and weights that it ignores."""

    capabilities = Capabilities(weights=True, warm_start=True, time_limit=True)


class Nameless(MilpBackend):
    """Does not say which solver answered."""

    def solve(self, model, *, warm_start=None, time_limit=None):
        return replace(super().solve(model), raw_status="")


@pytest.mark.full
@pytest.mark.parametrize(
    ("backend", "expected"),
    [
        (MilpBackend, set()),
        (Suboptimal, {"all_exact_backends_have_one_optimum", "unit_bounds_are_the_square_assignment"}),
        (WrongSign, {"duals_have_the_documented_sign"}),
        (Boastful, {"weights"}),
        (Nameless, {"degenerate"}),
    ],
)
def test_the_suite_of_backends_finds_the_fault(backend, expected, monkeypatch):
    monkeypatch.setattr(backend, "name", backend.__name__)
    backend_suite(backend)
    found = failures(BackendSuite, backend.__name__)
    assert expected <= found
    assert bool(expected) == bool(found)


PACKAGE = {
    "theirs.py": """
from partitope.testing.templates.backend import MilpBackend
from partitope.testing.templates.strategy import FarthestFirst
class Theirs(MilpBackend):
    name = "theirs"
class Far(FarthestFirst):
    pass
""",
    "theirs-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n",
    "theirs-1.0.dist-info/entry_points.txt": """
[partitope.backends]
theirs = theirs:Theirs
[partitope.strategies]
far = theirs:Far
cac = theirs:Far
""",
    "test_theirs.py": """
from partitope.testing import backend_suite, strategy_suite
TestBackend, TestStrategy = backend_suite("theirs", "highs"), strategy_suite("far", "kcc")
def test_other(): pass
""",
}


def run(folder: Path, *command: str) -> str:
    """What a command prints where the package of the others is installed."""
    path = os.pathsep.join([str(folder), *sys.path])
    options = {"cwd": folder, "env": {**os.environ, "PYTHONPATH": path}, "capture_output": True, "text": True}
    done = subprocess.run([sys.executable, *command], check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.full
def test_a_package_of_others_is_found_and_runs_the_suites(tmp_path):
    for name, text in PACKAGE.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert sum(len(text.split("\n")) for text in PACKAGE.values()) <= 30
    said = run(tmp_path, "-m", "pytest", "-q", "-k", "(TestBackend and not highs) or (TestStrategy and far)")
    assert "37 passed, 38 deselected" in said  # 30 of highs, 7 of kcc, 1 other
    said = run(tmp_path, "-c", "from partitope.solvers import *; print(list(STRATEGIES)[-1], STRATEGIES['cac'] is CAC)")
    assert "far True" in said
    assert "strategy 'cac' of theirs:Far is left out: the name is taken by partitope" in said
