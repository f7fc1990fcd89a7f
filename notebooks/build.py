"""Build the notebooks from their scripts: `python notebooks/build.py [NAME ...]` executes them and keeps the outputs.

A script is a list of cells. `# %%` starts a code cell, `# %% [markdown]` a cell whose body is one triple-quoted
string. The scripts are what is edited and reviewed; the .ipynb files are what is read, and a test keeps both alike.
"""

from __future__ import annotations

import ast
import re
import sys
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
        if head.strip() == "[markdown]":
            cells.append(new_markdown_cell(ast.literal_eval(body.strip()).strip(), id=number))
        else:
            cells.append(new_code_cell(body.strip(), id=number))
    return new_notebook(cells=cells, metadata={"kernelspec": KERNEL, "language_info": {"name": "python"}})


def solutions(notebook: nbformat.NotebookNode) -> list[str]:
    """Code of the folded solutions, in order."""
    found = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            for folded in re.findall(r"<details>.*?</details>", cell.source, flags=re.S):
                found += re.findall(r"```python\n(.*?)```", folded, flags=re.S)
    return found


def for_students(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The notebook without outputs and without folded solutions: an empty cell stands where each of them was."""
    cells = []
    for cell in notebook.cells:
        if cell.cell_type != "markdown":
            cells.append(new_code_cell(cell.source))
            continue
        first, *rest = re.split(r"\s*<details>.*?</details>\s*", cell.source, flags=re.S)
        cells.append(new_markdown_cell(first))
        for text in rest:
            cells.append(new_code_cell("# your solution"))
            if text:
                cells.append(new_markdown_cell(text))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    return new_notebook(cells=cells, metadata=notebook.metadata)


def execute(notebook: nbformat.NotebookNode, folder: Path, seconds: int = 300) -> None:
    """Run all cells in a new kernel that starts in ``folder``."""
    from nbclient import NotebookClient

    NotebookClient(
        notebook, timeout=seconds, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    ).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # times of this run


def main(names: list[str]) -> None:
    """Build the named notebooks, or all."""
    for script in sorted(SCRIPTS.glob("*.py")):
        if names and not any(script.stem.startswith(name) for name in names):
            continue
        notebook = read_script(script)
        execute(notebook, HERE)
        nbformat.write(notebook, HERE / f"{script.stem}.ipynb")
        sys.stderr.write(f"{script.stem}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
