"""Every notebook runs once, in a kernel of its own, with its solutions and with the claims of its prose."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "notebooks"
CLAIMS = Path(__file__).with_name("claims.py")
ASK = """
import json, runpy
print(json.dumps(runpy.run_path({path!r})["computed"]({number!r}, dict(globals()))))
"""


@pytest.fixture(scope="session")
def run_notebook(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], dict[str, str]]:
    """Runs a notebook, at most once, and returns its claims as its data say them."""
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    pytest.importorskip("nbclient", reason="nbclient is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    sys.path.insert(0, str(FOLDER))
    try:
        from build import execute, read_script, solutions  # type: ignore[import-not-found]
    finally:
        sys.path.remove(str(FOLDER))

    @functools.cache
    def run(name: str) -> dict[str, str]:
        notebook = read_script(FOLDER / "scripts" / f"{name}.py")
        ask = ASK.format(path=str(CLAIMS), number=name[:2])
        for code in [*solutions(notebook), ask]:
            notebook.cells.append(nbformat.v4.new_code_cell(code))
        execute(notebook, tmp_path_factory.mktemp("notebook"))
        said = "".join(output.get("text", "") for output in notebook.cells[-1].outputs if output.name == "stdout")
        return json.loads(said)

    return run
