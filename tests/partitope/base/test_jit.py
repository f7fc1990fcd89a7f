"""Kernels compile where no cache folder can be written, and all of them take the one way that allows it."""

from __future__ import annotations

import ast
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

import partitope

PACKAGE = Path(partitope.__file__).parent
CODE = """
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import partitope
    from partitope.solvers.transport.flow.binary_heaps import heapify
    {more}
    import numpy as np
    keys, items = np.arange(5000.0)[::-1].copy(), np.arange(5000)  # too large to run uncompiled
    heapify(keys, items, 5000)
print(partitope.__file__, keys[0], sum("NUMBA_CACHE_DIR" in str(w.message) for w in caught))
"""


EVERY_KERNEL = "from partitope import solvers, classifiers; [solvers.STRATEGIES[name] for name in solvers.STRATEGIES]"


def _run(folder: Path, more: str = "", **variables: str) -> list[str]:
    around = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    environment = {**around, "PYTHONPATH": str(folder), **variables}
    code = CODE.format(more=more)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, cwd=folder)
    assert run.returncode == 0, run.stderr
    return run.stdout.split()


@pytest.fixture
def sealed(tmp_path):
    """A copy of the package in which a file stands where every cache folder would be: nobody can write there."""
    folder = tmp_path / "a path with spaces"
    shutil.copytree(PACKAGE, folder / "partitope", ignore=shutil.ignore_patterns("__pycache__"))
    for place in [p for p in (folder / "partitope").rglob("*") if p.is_dir()] + [folder / "partitope"]:
        (place / "__pycache__").touch()
    return folder


@pytest.mark.full
def test_no_cache_folder_gives_one_warning_and_the_same_result(sealed):
    nowhere = str(sealed / "partitope" / "__pycache__" / "no folder")
    homeless = {"HOME": nowhere, "XDG_CACHE_HOME": nowhere, "LOCALAPPDATA": nowhere, "PYTHONDONTWRITEBYTECODE": "1"}
    for variables in (homeless, {**homeless, "NUMBA_CACHE_DIR": nowhere}):
        path, smallest, warnings = _run(sealed, EVERY_KERNEL, **variables)[-3:]
        assert path.endswith("partitope/__init__.py".replace("/", os.sep))
        assert (float(smallest), int(warnings)) == (0.0, 1)


@pytest.mark.full
def test_what_another_version_of_the_package_has_kept_is_not_used(sealed, tmp_path):
    cache = tmp_path / "cache"
    _run(sealed, NUMBA_CACHE_DIR=str(cache))
    (index,) = cache.rglob("binary_heaps.heapify-*.nbi")
    written = index.stat().st_mtime_ns
    _run(sealed, NUMBA_CACHE_DIR=str(cache))
    assert index.stat().st_mtime_ns == written
    with (sealed / "partitope" / "solvers" / "transport" / "flow" / "pieces.py").open(
        "a"
    ) as file:  # not the kernel's own file
        file.write("\n# changed\n")
    _run(sealed, NUMBA_CACHE_DIR=str(cache))
    assert index.stat().st_mtime_ns > written
    index.write_bytes(
        pickle.dumps(numba.__version__) + b"cpartitope.solvers.transport.flow.binary_heaps\nNoLongerThere\n."
    )
    assert _run(sealed, NUMBA_CACHE_DIR=str(cache))[-1] == "0"


def test_every_kernel_takes_the_one_way():
    for path in PACKAGE.rglob("*.py"):
        if path.name != "jit.py":
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = {alias.name for alias in node.names} if isinstance(node, ast.ImportFrom) else set()
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("numba"):
                    assert not names & {"njit", "jit", "vectorize", "guvectorize"}, (
                        f"{path}: write `from ..base.jit import`"
                    )
