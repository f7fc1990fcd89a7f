"""What the wheel holds is what is on disk; importing the front door stays light."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LINKED = ("models", "solvers", "classifiers", "stats")


def test_every_folder_with_code_is_a_package():
    """The installation counts packages by their ``__init__.py``."""
    for folder in (*LINKED, "src/partitope"):
        with_code = {path.parent for path in (ROOT / folder).rglob("*.py")}
        assert [part for part in sorted(with_code) if not (part / "__init__.py").is_file()] == []


def test_links_point_to_the_root_folders():
    for name in LINKED:
        link = ROOT / "src" / "partitope" / name
        assert link.is_symlink()
        assert link.resolve() == ROOT / name


def test_import_loads_nothing_heavy():
    heavy = [
        "numpy",
        "scipy",
        "pandas",
        "sklearn",
        "numba",
        "highspy",
        "pyomo",
        "cvxpy",
        "networkx",
        "matplotlib",
        "typer",
        "rich",
    ]
    code = f"import sys, partitope; print([m for m in {heavy} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_names_at_the_top_are_those_of_the_rooms():
    """In a fresh process: a room that is loaded already would hide a name that is not found."""
    code = """
import partitope
names = sorted(partitope.__all__)
before = [name for name in names if name in vars(partitope)]
assert set(names) <= set(dir(partitope))
rooms = (partitope.cluster, partitope.solvers, partitope.models)
print(names, before, [sum(getattr(partitope, n) is vars(r).get(n, getattr(r, n, 0)) for r in rooms) for n in names])
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names = ["AssignmentModel", "BalancedKMeans", "GeometricPartitioner", "Microaggregation", "PartitionPolytope"]
    assert run.stdout.strip() == f"{[*names, 'solve', 'solve_global']} [] {[1] * 7}"


def test_dir_is_what_is_public_and_misspelt_names_meet_their_neighbours():
    import partitope

    assert {name for name in dir(partitope) if name not in partitope._ROOMS} == {*partitope.__all__, "__version__"}
    with pytest.raises(AttributeError, match="did you mean solve_global"):
        _ = partitope.solve_globl
    with pytest.raises(AttributeError, match="did you mean bounds_path"):
        _ = partitope.solvers.bound_path


def test_models_import_no_solver():
    heavy = ["highspy", "pyomo", "cvxpy", "networkx", "numba", "sklearn"]
    code = f"import sys, partitope.models; print([m for m in {heavy} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
