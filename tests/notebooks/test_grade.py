"""The table for teachers: what students hand in is marked by the checks of the course, whatever they did to it."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
pytest.importorskip("nbclient", reason="nbclient is not installed")
pytest.importorskip("ipykernel", reason="ipykernel is not installed")

FOLDER = Path(__file__).resolve().parents[2] / "notebooks"
sys.path.insert(0, str(FOLDER))
import grade  # type: ignore[import-not-found]  # noqa: E402
from build import for_students, read_checks, read_script, solutions  # type: ignore[import-not-found]  # noqa: E402

sys.path.remove(str(FOLDER))
SCRIPT = FOLDER / "scripts" / "01_partition_polytope.py"


def handed_in(answers: list[str]):
    """The first notebook with these answers in place of its empty cells."""
    student = for_students(read_script(SCRIPT), read_checks(SCRIPT))
    empty = [cell for cell in student.cells if cell.source == "# your solution"]
    for cell, answer in zip(empty, answers, strict=True):
        cell.source = answer
    return student


def test_own_code_is_kept_by_exercise_and_edited_cells_of_the_course_are_not():
    student, handout = handed_in(["bounded = 1", "solution = 2", "inside = 3"]), grade.Handout.of(SCRIPT)
    student.cells[1].source = "polytope = None"
    for cell in student.cells:
        if "with exercise" in cell.source:
            cell.source = 'print("Exercise 1: right.")'
    student.cells.insert(2, nbformat.v4.new_code_cell("mine = 4"))
    own, edited = grade.own_cells(student, handout)
    assert own == {0: ["mine = 4"], 1: ["bounded = 1"], 2: ["solution = 2"], 3: ["inside = 3"]}
    assert edited == 4


def test_a_folder_becomes_a_table(tmp_path, monkeypatch, capsys):
    first = solutions(read_script(SCRIPT))[0]
    (tmp_path / "=class" / ".ipynb_checkpoints").mkdir(parents=True)
    student = handed_in([first, 'print("Exercise 2: right."); 1 / 0', "import os; os._exit(1)"])
    nbformat.write(student, tmp_path / "=class" / "any name.ipynb")
    nbformat.write(student, tmp_path / "=class" / ".ipynb_checkpoints" / "any name.ipynb")
    (tmp_path / "broken.ipynb").write_text("[[[")
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1")]), tmp_path / "other.ipynb")
    monkeypatch.setattr(sys, "argv", ["grade.py", str(tmp_path)])
    grade.main()
    rows = list(csv.reader(capsys.readouterr().out.splitlines()))[1:]
    assert [row[0] for row in rows] == ["'=class/any name.ipynb", "broken.ipynb", "other.ipynb"]
    name, right, *said, remarks = rows[0][1:]
    assert (name, right) == (SCRIPT.stem, "1")
    assert said == ["right.", "there is no `solution` yet.", "not run."]
    assert "kernel died" in remarks
    assert "end in an error: 1" in remarks
    assert "no notebook" in rows[1][-1]
    assert "none of their cells" in rows[2][-1]
