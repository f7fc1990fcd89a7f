"""Build the notebooks from their scripts: `python notebooks/build.py [NAME ...]` executes them and keeps the outputs.

A script is a list of cells. `# %%` starts a code cell, `# %% [plots]` one that draws and is shown folded, `# %%
[markdown]` a cell whose body is one triple-quoted string, `# %% [check]` the check of an exercise, which only the
notebook for students has. The scripts are what is edited and reviewed; the .ipynb files are what is read, and a test keeps both alike.
"""

from __future__ import annotations

import ast
import itertools
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

HERE = Path(__file__).resolve().parent
SCRIPTS = HERE / "scripts"
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def read_script(path: Path) -> nbformat.NotebookNode:
    """The notebook of a script, without outputs."""
    cells = []
    for part in re.split(r"(?m)^# %%", path.read_text(encoding="utf-8"))[1:]:
        head, _, body = part.partition("\n")
        number = f"cell-{len(cells)}"
        if head.strip() == "[check]":
            continue
        if head.strip() == "[markdown]":
            cells.append(new_markdown_cell(ast.literal_eval(body.strip()).strip(), id=number))
        else:
            folded = {"jupyter": {"source_hidden": True}} if head.strip() == "[plots]" else {}
            cells.append(new_code_cell(body.strip(), id=number, metadata=folded))
    return new_notebook(cells=cells, metadata={"kernelspec": KERNEL, "language_info": {"name": "python"}})


def read_checks(path: Path) -> list[str]:
    """Code of the checks of a script's exercises, in order."""
    parts = re.split(r"(?m)^# %%", path.read_text(encoding="utf-8"))[1:]
    bodies = [part.partition("\n")[2] for part in parts if part.startswith(" [check]")]
    return [f"from partitope.testing.exercises import exercise\n\n{body.strip()}" for body in bodies]


def solutions(notebook: nbformat.NotebookNode) -> list[str]:
    """Code of the folded solutions, in order."""
    found = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            for folded in re.findall(r"<details>.*?</details>", cell.source, flags=re.S):
                found += re.findall(r"```python\n(.*?)```", folded, flags=re.S)
    return found


def for_students(notebook: nbformat.NotebookNode, checks: Sequence[str] = ()) -> nbformat.NotebookNode:
    """The notebook without outputs and without folded solutions: an empty cell and a check stand in place of each."""
    cells, left = [], iter(checks)
    for cell in notebook.cells:
        if cell.cell_type != "markdown":
            cells.append(new_code_cell(cell.source, metadata=cell.metadata))
            continue
        first, *rest = re.split(r"\s*<details>.*?</details>\s*", cell.source, flags=re.S)
        cells.append(new_markdown_cell(first))
        for text in rest:
            cells.append(new_code_cell("# your solution"))
            cells += [new_code_cell(check) for check in itertools.islice(left, 1)]
            if text:
                cells.append(new_markdown_cell(text))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    return new_notebook(cells=cells, metadata=notebook.metadata)


def execute(notebook: nbformat.NotebookNode, folder: Path, seconds: int = 300, allow_errors: bool = False) -> None:
    """Run all cells in a new kernel that starts in ``folder``; with ``allow_errors`` also those after an error or halt."""
    from nbclient import NotebookClient

    options = {"allow_errors": allow_errors, "interrupt_on_timeout": allow_errors, "kernel_name": "python3"}
    NotebookClient(notebook, timeout=seconds, resources={"metadata": {"path": str(folder)}}, **options).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # times of this run


def earlier(path: Path) -> nbformat.NotebookNode:
    """The notebook as it was built before; empty where there is none."""
    return nbformat.read(path, as_version=4) if path.exists() else new_notebook()


def main(names: list[str]) -> None:
    """Build the named notebooks, or all; where only words have changed, outputs stay as they are."""
    for script in sorted(SCRIPTS.glob("*.py")):
        if names and not any(script.stem.startswith(name) for name in names):
            continue
        notebook, target = read_script(script), HERE / f"{script.stem}.ipynb"
        code, kept = ([cell for cell in one.cells if cell.cell_type == "code"] for one in (notebook, earlier(target)))
        if [cell.source for cell in code] == [cell.source for cell in kept]:
            for cell, before in zip(code, kept, strict=True):
                cell.outputs, cell.execution_count = before.outputs, before.execution_count
        else:
            execute(notebook, HERE)
        nbformat.write(notebook, target)
        sys.stderr.write(f"{script.stem}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
