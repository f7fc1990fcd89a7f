"""Pages of the site that are made, not written: gallery, course, studies, reference, outputs, play.

Each is built from what it shows, so that it cannot fall behind: the gallery by running its scripts,
notebook pages from the executed notebooks, studies from the records in the repository, reference
pages from the public names of each package. Formulas become MathML here, so that the site needs no script from
elsewhere and reads without a network.
"""

from __future__ import annotations

import base64
import html
import os
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

HERE = Path(__file__).resolve().parent


def on_files(files: Files, config: Any) -> Files:
    """Add the generated files."""
    for name, content in [
        *_beside("gallery_pages").gallery(),
        *notebooks(),
        *_beside("course_pages").course(_beside("build", HERE.parent / "notebooks"), as_mathml),
        *_beside("reference_pages").reference(),
        ("reference/cli.md", command_line()),
        ("what-solves-what.md", what_solves_what()),
        ("data/iowa.geojson", (HERE.parent / "src/partitope/datasets/iowa.geojson").read_text(encoding="utf-8")),
    ]:
        files.append(File.generated(config, name, content=content))
    printed = _beside("printed_pages")
    for name in printed.PAGES:
        text, pictures = printed.with_outputs(HERE / name)
        files.remove(files.get_file_from_path(name))
        for made, content in [(name, text), *pictures]:
            files.append(File.generated(config, made, content=content))
    files.remove(files.get_file_from_path("study.md"))
    for name, content in study():
        files.append(File.generated(config, name, content=content))
    for name, content in play_pages():
        files.append(File.generated(config, name, content=content))
    files.append(File.generated(config, "images/selective_levels.png", content=_beside("selective_levels").picture()))
    return files


def on_page_content(content: str, **_: Any) -> str:
    """Turn formulas into MathML, and empty headings of tables into cells; pictures of the gallery may be moved sideways
    on a phone, where their letters would be too small."""
    content = re.sub(r"<p>(<img [^>]*images/gallery/[^>]*>)</p>", r'<div class="scroll">\1</div>', content)
    return as_mathml(re.sub(r"<th([^>]*)></th>", r"<td\1></td>", content))


def as_mathml(content: str) -> str:
    """HTML with the formulas of arithmatex as MathML."""
    from latex2mathml.converter import convert

    def formula(match: re.Match[str]) -> str:
        tex = html.unescape(match["tex"]).strip()[2:-2]
        made = convert(tex, display="block" if match["tag"] == "div" else "inline")
        # bars are not relations: without this, browsers set space around them
        close = '<mo stretchy="false" lspace="0" rspace="0">'
        made = re.sub(r"<mo(?![^>]*form)[^>]*>(?=&#x0007C;|&#x02016;)", close, made)
        if "\\" in made:
            raise ValueError(f"the formula {tex!r} contains an unknown command: use other commands")
        return f'<{match["tag"]} class="formula">{made}</{match["tag"]}>'

    return re.sub(r'<(?P<tag>span|div) class="arithmatex">(?P<tex>.*?)</(?P=tag)>', formula, content, flags=re.S)


def on_post_template(output_content: str, **_: Any) -> str:
    """The same for the page of addresses that are not found."""
    return on_post_page(output_content)


def on_post_page(output: str, **_: Any) -> str:
    """Name the dialogue of the search, which the theme leaves without a name."""
    return output.replace(
        'data-md-component="search" role="dialog"', 'data-md-component="search" role="dialog" aria-label="Search"'
    )


def play_pages() -> list[tuple[str, str]]:
    """The page to play with and the article, inside the site; each points to the other."""
    from partitope.commands.explore.page import build_article, build_page

    return [
        ("explore.html", build_page(article="article.html")),
        ("article.html", build_article(laboratory="explore.html")),
    ]


def _beside(name: str, folder: Path = HERE) -> Any:
    """The module of that name in a folder of the repository, this one unless another is given."""
    sys.path.insert(0, str(folder))
    try:
        return import_module(name)
    finally:
        sys.path.remove(str(folder))


def study() -> list[tuple[str, str]]:
    """The page of studies with proved optima, its pictures, and the papers' tables."""
    record, page = _beside("studies.base.record", HERE.parent), _beside("studies.report.page", HERE.parent)
    made = page.documentation(record.read_record())
    text = (HERE / "study.md").read_text(encoding="utf-8")
    return [("study.md", text.replace("<!-- optima -->", _beside("global_records").tables())), *made.items()]


def notebooks() -> list[tuple[str, str | bytes]]:
    """Executed notebooks as pages with their pictures."""
    import nbformat

    build = _beside("build", HERE.parent / "notebooks")
    made: list[tuple[str, str | bytes]] = []
    for path in sorted((HERE.parent / "notebooks").glob("*.ipynb")):
        parts, count = [], 0
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "markdown":
                parts.append(cell.source.replace("<details>", '<details markdown="1">'))
                continue
            if not cell.metadata.get("jupyter", {}).get("source_hidden"):  # what only draws is in the notebook's file
                parts.append(f"```python\n{cell.source}\n```")
            for output in cell.outputs:
                data = output.get("data", {})
                if "image/png" in data:
                    made.append((f"notebooks/{path.stem}_{count}.png", base64.b64decode(data["image/png"])))
                    at = 1 if count == 0 else len(parts)  # a page begins with its picture
                    picture = f"![Picture {count + 1} of this notebook]({path.stem}_{count}.png)"
                    parts.insert(at, f'<div class="scroll" markdown="1">\n\n{picture}\n\n</div>')
                    count += 1
                elif "text/html" in data:
                    parts.append(f'<div class="scroll">{_table(data["text/html"])}</div>')
                else:
                    text = output.get("text") or data.get("text/plain", "")
                    parts.append(f"```text\n{text.rstrip()}\n```")
        student = f"{path.stem}_exercises.ipynb"
        files = f"[Notebook]({path.name}){{ .md-button }} [Without solutions]({student}){{ .md-button }}"
        parts.insert(2, f"{files}\n\nThe notebook has the functions that draw.")
        made.append((f"notebooks/{path.name}", path.read_bytes()))
        checks = build.read_checks(build.SCRIPTS / f"{path.stem}.py")
        for_students = build.for_students(nbformat.read(path, as_version=4), checks)
        made.append((f"notebooks/{student}", nbformat.writes(for_students)))
        made.append((f"notebooks/{path.stem}.md", "\n\n".join(parts) + "\n"))
    return made


def _table(text: str) -> str:
    """The table of a data frame in the site's style, without empty lines, which would end the HTML in Markdown."""
    text = re.sub(r"<style.*?</style>", "", text, flags=re.S)
    text = re.sub(r"<table[^>]*>", "<table>", text)
    return "".join(line.strip() for line in text.splitlines())


def what_solves_what() -> str:
    """The table of objectives, solvers and statements."""
    from partitope.solvers.backends import BACKENDS
    from partitope.solvers.supports import page

    return page({name: backend.capabilities for name, backend in BACKENDS.loaded().items()})


def command_line() -> str:
    """The help of every command."""
    from typer.testing import CliRunner

    os.environ |= {"COLUMNS": "100", "TERMINAL_WIDTH": "100", "NO_COLOR": "1", "TERM": "dumb"}
    from partitope.cli import app
    from partitope.commands import COMMANDS

    runner = CliRunner()
    page = ["# Command line", "Every command prints results to stdout and everything else to stderr; bad input ends "
            "with one line and exit code 2, and nothing is written."]  # fmt: skip
    for name in COMMANDS:
        text = runner.invoke(app, [name, "--help"]).stdout.strip("\n")
        page.append(f"## partitope {name}\n\n```text\n{text}\n```")
    return "\n\n".join(page) + "\n"
