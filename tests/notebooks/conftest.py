"""Every notebook runs once, in a kernel of its own, with its solutions, their checks, and the claims of its prose."""

from __future__ import annotations

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


Outcome = tuple[dict[str, str], list[str], list[str]]


@pytest.fixture
def executed(tmp_path: Path) -> Callable[[str], Outcome]:
    """Runs a notebook: its claims as its data say them, and what checks say before and after solutions."""
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    pytest.importorskip("nbclient", reason="nbclient is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    sys.path.insert(0, str(FOLDER))
    try:
        from build import execute, read_checks, read_script, solutions  # type: ignore[import-not-found]
    finally:
        sys.path.remove(str(FOLDER))

    def run(name: str) -> Outcome:
        script = FOLDER / "scripts" / f"{name}.py"
        notebook, checks = read_script(script), read_checks(script)
        solved = [code for pair in zip(solutions(notebook), checks, strict=True) for code in pair]
        ask = ASK.format(path=str(CLAIMS), number=name[:2])
        for code in [*checks, *solved, ask]:
            notebook.cells.append(nbformat.v4.new_code_cell(code))
        execute(notebook, tmp_path)
        said = [
            "".join(output.get("text", "") for output in cell.outputs if output.get("name") == "stdout")
            for cell in notebook.cells[-len([*checks, *solved, ask]) :]
        ]
        return json.loads(said[-1]), said[: len(checks)], said[len(checks) + 1 : -1 : 2]

    return run
