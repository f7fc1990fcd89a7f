"""Check students' notebooks: `python notebooks/grade.py FOLDER > marks.csv` says for every exercise whether it is right.

A notebook is known by its cells, whatever its file is called. It is not run as it came: the cells of the course run as
they were handed out, then the student's own cells exercise by exercise, and after each the check of the course. So an
edited cell or check changes no mark; that there was one is said in the last column. Every notebook has a kernel and an
empty folder of its own. Students' code runs with the rights of whoever starts this: use an account without any.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from build import SCRIPTS, execute, for_students, read_checks, read_script
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat.v4 import new_code_cell, new_notebook

EXERCISE = re.compile(r"(?m)^\*\*(\d)\.\*\*")


@dataclass
class Handout:
    """A notebook of the course as students get it.

    Attributes
    ----------
    name : str
        Name of its script.
    given, checks : list of str
        Code of its cells, and of the checks of its exercises.
    known : dict
        Identifier of a cell to its code.
    """

    name: str
    given: list[str]
    checks: list[str]
    known: dict[str, str]

    @classmethod
    def of(cls, script: Path) -> Handout:
        """The handout of a script."""
        notebook, checks = read_script(script), read_checks(script)
        student = [cell for cell in for_students(notebook, checks).cells if cell.cell_type == "code"]
        given = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
        return cls(script.stem, given, checks, {cell.id: cell.source for cell in student})

    def shared(self, notebook: nbformat.NotebookNode) -> int:
        """How many cells of code it has in common with a notebook."""
        return len({cell.source for cell in notebook.cells} & set(self.given + self.checks))


@dataclass
class Marks:
    """What came of one file: the notebook it is, a sentence for each exercise, remarks."""

    file: str
    notebook: str = ""
    said: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def row(self) -> list[str]:
        """The line of the table; no entry is taken for a formula by a spreadsheet."""
        right = [self.notebook, str(sum(said == "right." for said in self.said))] if self.notebook else ["", ""]
        entries = [self.file, *right, *(self.said + [""] * 3)[:3], "; ".join(self.remarks)]
        return [f"'{entry}" if entry[:1] in set("=+-@\t\r") else entry for entry in entries]


def own_cells(notebook: nbformat.NotebookNode, handout: Handout) -> tuple[dict[int, list[str]], int]:
    """A student's own code by exercise, 0 before the first, and how many cells of the course were edited."""
    own: dict[int, list[str]] = {number: [] for number in range(len(handout.checks) + 1)}
    at, edited, ours = 0, 0, {code.strip() for code in (*handout.given, *handout.checks)}
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            at = max([at, *(int(number) for number in EXERCISE.findall(cell.source) if int(number) in own)])
        elif cell.cell_type == "code" and cell.source.strip() not in ours:
            if handout.known.get(cell.get("id", ""), "").strip() in ours:
                edited += 1
            else:
                own[at].append(cell.source)
    return own, edited


def mark(path: Path, name: str, handouts: list[Handout], seconds: int) -> Marks:
    """Run a student's answers and read what the checks say."""
    marks = Marks(name)
    try:
        notebook = nbformat.read(path, as_version=4)
    except Exception as error:  # whatever students hand in
        marks.remarks.append(f"no notebook: {' '.join(str(error).split())[:200]}")
        return marks
    handout = max(handouts, key=lambda one: one.shared(notebook))
    if not handout.shared(notebook):
        marks.remarks.append("no notebook of the course: it has none of their cells")
        return marks
    own, edited = own_cells(notebook, handout)
    if edited:
        marks.remarks.append(f"cells of the course edited: {edited}, run as handed out")
    codes = [*handout.given, *own[0]]
    places = []
    for number, check in enumerate(handout.checks, 1):
        codes += [*own[number], check]
        places.append(len(codes) - 1)
    graded = new_notebook(cells=[new_code_cell(code) for code in codes])
    with TemporaryDirectory() as folder:
        try:
            execute(graded, Path(folder), seconds, allow_errors=True)
        except (CellTimeoutError, DeadKernelError) as error:
            why = f"a cell cannot be halted after {seconds} seconds" if isinstance(error, CellTimeoutError) else "its kernel died"
            marks.remarks.append(f"{why}; what stands after it was not run")
    marks.notebook, marks.said = handout.name, [sentence(graded.cells[at]) for at in places]
    failed = sum(any(out.output_type == "error" for out in cell.outputs) for cell in graded.cells)
    if failed:
        marks.remarks.append(f"cells that end in an error: {failed}")
    return marks


def sentence(cell: nbformat.NotebookNode) -> str:
    """What a check said about its exercise."""
    text = "".join(output.text for output in cell.outputs if output.get("name") == "stdout").strip()
    return text.rpartition("\n")[2].partition(": ")[2] or "not run."


def found(folder: Path) -> Iterator[Path]:
    """The notebooks in a folder and below, without Jupyter's own copies."""
    return (path for path in sorted(folder.rglob("*.ipynb")) if ".ipynb_checkpoints" not in path.parts)


def main() -> None:
    """Write a table of all notebooks in a folder to stdout."""
    parser = argparse.ArgumentParser(description="Check the exercises in all notebooks of a folder; a table goes to stdout.")
    parser.add_argument("folder", type=Path, help="students' notebooks, in folders of any depth")
    parser.add_argument("--seconds", type=int, default=120, help="a cell is halted after so many (120)")
    options = parser.parse_args()
    paths = list(found(options.folder))
    if not paths:
        parser.error(f"{options.folder} has no notebooks (.ipynb): pass the folder in which the students' files are")
    handouts = [Handout.of(script) for script in sorted(SCRIPTS.glob("*.py"))]
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["file", "notebook", "right", "exercise 1", "exercise 2", "exercise 3", "remarks"])
    for number, path in enumerate(paths, 1):
        name = path.relative_to(options.folder).as_posix()
        sys.stderr.write(f"{number} of {len(paths)}: {name}\n")
        table.writerow(mark(path, name, handouts, options.seconds).row())
        sys.stdout.flush()


if __name__ == "__main__":
    main()
