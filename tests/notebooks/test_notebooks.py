"""Notebooks run from a clean kernel, solutions included; they are what their scripts say, with their pictures."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
pytest.importorskip("nbclient", reason="nbclient is not installed")
pytest.importorskip("ipykernel", reason="ipykernel is not installed")

FOLDER = Path(__file__).resolve().parents[2] / "notebooks"
NAMES = sorted(script.stem for script in (FOLDER / "scripts").glob("*.py"))

sys.path.insert(0, str(FOLDER))
from build import for_students, read_checks, read_script, solutions  # type: ignore[import-not-found]  # noqa: E402

sys.path.remove(str(FOLDER))


def notebook_of(name: str):
    return nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)


def test_all_are_there_and_numbered():
    assert len(NAMES) == 9
    assert [name[:2] for name in NAMES] == [f"{i:02d}" for i in range(1, len(NAMES) + 1)]


@pytest.mark.parametrize("name", NAMES)
def test_notebook_is_its_script_executed_and_begins_with_a_picture(name):
    notebook, script = notebook_of(name), read_script(FOLDER / "scripts" / f"{name}.py")
    assert [(c.cell_type, c.source) for c in notebook.cells] == [(c.cell_type, c.source) for c in script.cells]
    nbformat.validate(notebook)
    outputs = [o for cell in notebook.cells for o in cell.get("outputs", [])]
    assert "image/png" in outputs[0].get("data", {})
    assert not any(o.output_type == "error" or o.get("name") == "stderr" for o in outputs)


@pytest.mark.parametrize("name", NAMES)
def test_notebook_has_question_formula_and_three_solved_exercises(name):
    text = "\n".join(c.source for c in notebook_of(name).cells if c.cell_type == "markdown")
    assert "**Question.**" in text
    assert "**Formula.**" in text
    assert "$$" in text
    assert re.findall(r"^\*\*(\d)\.\*\*", text, flags=re.M) == ["1", "2", "3"]
    assert text.count("<details>") == text.count("</details>") == 3
    assert len(solutions(notebook_of(name))) == 3


@pytest.mark.parametrize("name", NAMES)
def test_students_get_exercises_without_solutions(name):
    notebook = notebook_of(name)
    student = for_students(notebook)
    nbformat.validate(student)
    text = "\n".join(cell.source for cell in student.cells)
    assert "<details>" not in text
    assert not any(code.strip() in text for code in solutions(notebook))
    assert [cell.source for cell in student.cells].count("# your solution") == 3
    assert re.findall(r"^\*\*(\d)\.\*\*", text, flags=re.M) == ["1", "2", "3"]
    assert not any(cell.get("outputs") for cell in student.cells)


@pytest.mark.parametrize("name", NAMES)
def test_notebook_uses_the_public_interface_only(name):
    notebook = notebook_of(name)
    for code in [c.source for c in notebook.cells if c.cell_type == "code"] + solutions(notebook):
        for node in ast.walk(ast.parse(code)):
            words = []
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("partitope"):
                words = [*node.module.split("."), *(alias.name for alias in node.names)]
            elif isinstance(node, ast.Attribute):
                words = [node.attr]
            assert not any(re.match("_(?!_)", word) for word in words), words


@pytest.mark.parametrize("name", NAMES)
def test_students_get_goals_minutes_and_a_check_for_every_exercise(name):
    script = FOLDER / "scripts" / f"{name}.py"
    checks = read_checks(script)
    student = for_students(read_script(script), checks)
    nbformat.validate(student)
    text = [cell.source for cell in student.cells if cell.cell_type == "markdown"][1]
    assert re.search(r"\*\*Goals\.\*\* .+\*\*Time\.\*\* \d+ minutes\. \*\*Before it\.\*\* .+", text.replace("\n", " "))
    sources = [cell.source for cell in student.cells]
    assert [sources[at + 1] for at, code in enumerate(sources) if code == "# your solution"] == checks
    assert len(checks) == 3
