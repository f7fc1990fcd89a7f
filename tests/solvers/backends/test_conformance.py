"""Every backend of the table passes the shipped suite; what else is true of ours alone."""

from __future__ import annotations

import importlib.metadata
import re
import sys
from dataclasses import replace

import pytest

from partitope.base.errors import InvalidInputError, NotOptimalError
from partitope.base.status import Status
from partitope.solvers import BACKENDS, solve
from partitope.testing import backend_suite, random_model, unnamed

NAMES = tuple(BACKENDS)
TestBackends = backend_suite(*NAMES)


def test_an_unknown_backend_is_named():
    with pytest.raises(InvalidInputError, match="backend='gurobi' is not known: choose one of transport, highs"):
        solve(random_model(0, 5, 2), "gurobi")


@pytest.mark.parametrize("name", NAMES)
def test_a_native_status_that_is_not_known_is_kept_word_for_word(name, monkeypatch):
    module = sys.modules[BACKENDS[name].__module__]
    model = random_model(3, 20, 3)
    if not hasattr(module, "STATUSES"):
        return  # ours, and routines without statuses: they return or raise
    known = solve(model, name)
    monkeypatch.setattr(module, "STATUSES", {})
    strange = solve(model, name)
    assert strange.status is Status.UNKNOWN
    assert unnamed(strange) == []
    assert (strange.raw_status, strange.solver_version) == (known.raw_status, known.solver_version)
    package, number = strange.solver_version.split(", ")[-1].split(" ")
    assert number == importlib.metadata.version(package)
    if not strange.has_point:
        with pytest.raises(NotOptimalError, match=re.escape(strange.raw_status)):
            strange.require_labels()


def test_the_checker_finds_answers_without_their_origin():
    solution = solve(random_model(0, 10, 2))
    assert unnamed(solution) == []
    assert unnamed(replace(solution, raw_status=" ")) == ["raw_status"]
    assert unnamed(replace(solution, raw_status="", solver_version="")) == ["raw_status", "solver_version"]
