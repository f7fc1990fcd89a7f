"""The course: its page, slides from the notebooks, proofs with blanks, and the exam questions."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from pathlib import Path
from string import Template
from typing import Any

HERE = Path(__file__).resolve().parent
NOTEBOOKS = HERE.parent / "notebooks"
Made = list[tuple[str, str | bytes]]
EXTENSIONS = ["tables", "pymdownx.arithmatex", "pymdownx.superfences"]
INTRODUCTION = """# The course

Nine notebooks, each with goals, a question, a formula, exercises with checks, and solutions. The minutes are for a
student who works through one alone; [For teachers](teachers.md) has two lessons made of them. No notebook needs a
network or a file.

* **Checks.** In the notebooks for students a cell after every exercise says whether the answer is right.
* **Slides** show question, formula and pictures of a notebook, in one file each. Printing gives a handout.
* **[Paper proofs](proofs.md)** have blanks to fill in; what belongs there is folded at the end.
* **[Exam questions](exam.md)** come with solutions. `python notebooks/exam.py --seed 7` in a clone of the repository
  writes them with other numbers; each class can have its own.
* **In the browser**, without any installation: [the article](article.html) and [the page to play with](explore.html).

"""


def course(build: Any, mathematics: Callable[[str], str]) -> Made:
    """All pages of the course; ``build`` is the module that builds notebooks, ``mathematics`` makes formulas MathML."""
    import nbformat

    rows, made = ["| notebook | minutes | before it | files |", "|---|---|---|---|"], []
    for script in sorted(build.SCRIPTS.glob("*.py")):
        cells = [cell.source for cell in build.read_script(script).cells if cell.cell_type == "markdown"]
        name, title, first = script.stem, cells[0].splitlines()[0].removeprefix("# "), " ".join(cells[1].split())
        minutes, before = re.findall(
            r"\*\*Time\.\*\* (\d+) minutes\. \*\*Before it\.\*\* (.*?)\.? \*\*Question", first
        )[0]
        files = {"students": f"{name}_exercises.ipynb", "teachers": f"{name}.ipynb"}
        links = [f"[{who}](notebooks/{file})" for who, file in files.items()] + [f"[slides](slides/{name}.html)"]
        rows.append(f"| [{title}](notebooks/{name}.md) | {minutes} | {before} | {', '.join(links)} |")
        notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
        made.append((f"slides/{name}.html", slides(notebook, title, mathematics)))
    made.append(("course.md", INTRODUCTION + "\n".join(rows) + "\n"))
    return [*made, *proofs(), ("exam.md", exam())]


def proofs() -> Made:
    """The page of proofs with numbered blanks; what belongs into them is folded at its end."""
    source = (NOTEBOOKS / "proofs.md").read_text(encoding="utf-8")
    answers = [" ".join(answer.split()) for answer in re.findall(r"\[\[(.*?)\]\]", source, flags=re.S)]
    numbers = iter(range(1, 1000))
    blanks = re.sub(r"\[\[.*?\]\]", lambda _: f'<span class="blank">({next(numbers)})</span>', source, flags=re.S)
    listed = "\n".join(f"{number}. {answer}" for number, answer in enumerate(answers, 1))
    folded = f'<details markdown="1"><summary>What belongs into the blanks</summary>\n\n{listed}\n\n</details>'
    return [("proofs.md", f"{blanks}\n\n{folded}\n")]


def exam() -> str:
    """The page of exam questions with folded solutions."""
    import sys

    sys.path.insert(0, str(NOTEBOOKS))
    try:
        from exam import page, sheet  # type: ignore[import-not-found]
    finally:
        sys.path.remove(str(NOTEBOOKS))
    head = "# Exam questions\n\nEvery number is computed from a seed and checked by a test with the library.\n\n"
    return head + str(page(sheet(0)))


def slides(notebook: Any, title: str, mathematics: Callable[[str], str]) -> str:
    """One page of slides of a notebook: an idea each, as a heading, one line, and a formula or a picture."""
    from markdown import Markdown

    options = {"pymdownx.arithmatex": {"generic": True}}
    shown: list[list[str]] = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            text = re.sub(r"\s*<details>.*?</details>", "", cell.source, flags=re.S)
            for part in re.split(r"(?m)^(?=## )|(?=^\*\*Question)|(?=^\*\*Formula)|(?=^\*\*[1-9]\.\*\*)", text):
                if idea := _idea(part.strip()):
                    made = Markdown(extensions=EXTENSIONS, extension_configs=options).convert(idea)
                    shown.append([mathematics(made)])
            continue
        for output in cell.outputs:
            data = output.get("data", {})
            if "image/png" in data:
                source = f"data:image/png;base64,{data['image/png'].strip()}"
                if len(shown[-1]) > 1:  # it has its picture
                    shown.append(shown[-1][:1])
                shown[-1].append(f'<img src="{source}" alt="Picture of {html.escape(title)}">')
    body = "\n".join(
        f'<section aria-label="Slide {number} of {len(shown)}">{"".join(parts)}</section>'
        for number, parts in enumerate(shown, 1)
    )
    return Template((HERE / "slides.html").read_text(encoding="utf-8")).substitute(
        title=html.escape(title), slides=body
    )


def _idea(part: str) -> str:
    """What a slide says of a part of a notebook: its heading and one line; of a formula the formula alone."""
    if part.startswith("**Formula"):
        return "\n\n".join(re.findall(r"\$\$.*?\$\$", part, flags=re.S))
    heading, _, text = part.partition("\n") if part.startswith("#") else ("", "", part)
    paragraph = next(
        (block for block in text.strip().split("\n\n") if not block.startswith(("|", "```", "$$", "!"))), ""
    )
    sentences = re.split(r"(?<=[.?!])\s+(?=[A-Z*$`])", " ".join(paragraph.split()))
    if sentences[0].startswith("**") and len(sentences) > 1:  # "**Question.**" or the number of an exercise
        sentences[:2] = [" ".join(sentences[:2])]
    if part.startswith("**Goals") or not paragraph:
        return ""
    asked = [sentence for sentence in sentences if sentence.endswith("?")]
    return f"{heading}\n\n{(asked or sentences)[0]}".strip()
