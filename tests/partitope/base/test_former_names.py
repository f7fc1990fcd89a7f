"""Whatever was public in version 0.1 can still be imported and asked for, or stands in the changelog as removed.

``names_of_version_0_1.txt`` has one line a function or class: module and name, then its public members, then the
parameters of its call, as they were.
"""

from __future__ import annotations

import dataclasses
import inspect
import sys
import warnings
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from partitope.base.moved import MOVED, RENAMED
from partitope.models import PartitionPolytope
from partitope.solvers.backends.scipy_ import ScipyBackend

HERE = Path(__file__).resolve().parent
LINES = [line.split("|") for line in (HERE / "names_of_version_0_1.txt").read_text().splitlines()]
OLD = {tuple(head.split()): [part.split() for part in (*rest, "", "")[:2]] for head, *rest in LINES}
CHANGELOG = (HERE.parents[2] / "CHANGELOG.md").read_text(encoding="utf-8")
REMOVED = set(CHANGELOG.partition("### Removed\n")[2].partition("\n### ")[0].replace("`", " ").split())


@pytest.fixture(autouse=True)
def _forget_old_addresses():
    """Other tests are to be warned at their first import, too, and to find functions where a module had their name."""
    before = set(sys.modules)
    packages = {old.rpartition(".")[0] for old in MOVED}
    contents = {package: dict(vars(import_module(f"partitope.{package}".rstrip(".")))) for package in packages}
    yield
    for package, names in contents.items():
        vars(import_module(f"partitope.{package}".rstrip("."))).update(names)
    for old in MOVED:
        if f"partitope.{old}" not in before:
            sys.modules.pop(f"partitope.{old}", None)


def _objects():
    """Every name of then with what it leads to now; the removed ones left out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        for (module, name), (members, parameters) in OLD.items():
            if f"{module}.{name}" not in REMOVED:
                found = getattr(import_module(f"partitope.{module}"), name)
                yield f"{module}.{name}", found, members, parameters


def test_every_name_is_there():
    assert len(list(_objects())) > 600


def test_every_member_is_there():
    missing = []
    for path, found, members, _ in _objects():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            fields = {f.name for f in dataclasses.fields(found)} if dataclasses.is_dataclass(found) else set()
            there = [name for name in members if name in fields or hasattr(found, name)]
        missing += [f"{path}.{name}" for name in members if name not in there and f"{path}.{name}" not in REMOVED]
    assert missing == []


def test_every_parameter_is_taken():
    missing = []
    for path, found, _, parameters in _objects():
        if not callable(found) or not parameters:
            continue
        known = inspect.signature(found).parameters
        if not any(p.kind is p.VAR_KEYWORD for p in known.values()):
            missing += [f"{path}({name}=)" for name in parameters if name not in known]
    assert [name for name in missing if name not in REMOVED] == []


@pytest.mark.parametrize("old", sorted(RENAMED))
def test_a_former_name_warns_and_says_the_new_one(old):
    module, _, name = old.rpartition(".")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        there = import_module(f"partitope.{module}")
    with pytest.warns(DeprecationWarning, match=f"^{name} .*partitope.{RENAMED[old][0]}"):
        assert callable(getattr(there, name))


def test_what_was_replaced_answers_as_before():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        from partitope.bounds_text import default_bounds, describe_bounds, scale_bounds
        from partitope.models.exports import row_names
        from partitope.reproduce.verdict import as_report

        from partitope.classifiers.state import diagram_from_dict, diagram_to_dict
        from partitope.models import PowerDiagram
    lower, upper = default_bounds(100, 3)
    assert (lower.tolist(), upper.tolist()) == ([26.0] * 3, [40.0] * 3)
    assert describe_bounds(lower, upper) == "26 to 40" == PartitionPolytope(100, lower, upper).describe()
    low, high = scale_bounds([10.0, 20.0], None, 100, 33)
    assert low is not None
    assert low.tolist() == [3.0, 6.0]
    assert high is None
    diagram = PowerDiagram(np.array([[0.0, 1.0], [2.0, 0.0]]), np.array([0.5, 0.0]))
    assert diagram_to_dict(diagram_from_dict(diagram_to_dict(diagram))) == diagram_to_dict(diagram)
    assert row_names(1, 2) == ["point[0]", "size_lower[0]", "size_lower[1]", "size_upper[0]", "size_upper[1]"]
    pd.testing.assert_frame_equal(as_report([{"a": 1}, {"a": 2}]), pd.DataFrame({"a": [1, 2]}))


def test_a_table_of_before_is_printed(capsys):
    with pytest.warns(DeprecationWarning, match="show_frame"):
        from partitope.commands.terminal import show_frame
    show_frame(pd.DataFrame({"name": ["ours"], "value": [0.25]}), "Seconds")
    said = capsys.readouterr().out
    assert all(word in said for word in ("Seconds", "ours", "0.25"))


def test_members_of_before_warn():
    with pytest.warns(DeprecationWarning, match="Backend.unproved is called step_options"):
        assert ScipyBackend.unproved == ScipyBackend.step_options


def test_other_names_are_refused_as_ever():
    with pytest.raises(ImportError, match="no_such"):
        from partitope.models.power_diagram import no_such  # noqa: F401
