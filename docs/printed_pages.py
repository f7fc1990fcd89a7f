"""Pages whose blocks of Python run in order when the site is built: their output and pictures follow them."""

from __future__ import annotations

import contextlib
import io
import re
import tempfile
import warnings
from pathlib import Path
from typing import Any

PAGES = ("tutorial.md", "state-your-problem.md")


def run(code: str, name: str, variables: dict[str, Any]) -> tuple[str, list[Any]]:
    """What a piece of code prints, and the figures of pyplot that it leaves open; its names go to ``variables``."""
    from matplotlib import pyplot as plt

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, name, "exec"), variables)
    figures = [plt.figure(number) for number in plt.get_fignums()]
    plt.close("all")
    return printed.getvalue().rstrip(), figures


def with_outputs(path: Path) -> tuple[str, list[tuple[str, bytes]]]:
    """The text of a page with its outputs, and its pictures."""
    import matplotlib as mpl

    from partitope.output.style import STYLE

    mpl.use("Agg")
    variables: dict[str, Any] = {}
    parts: list[str] = []
    pictures: list[tuple[str, bytes]] = []
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), mpl.rc_context(STYLE):
        for part in re.split(r"(?ms)(^```python\n.*?^```$)", path.read_text(encoding="utf-8")):
            parts.append(part)
            if not part.startswith("```python"):
                continue
            with warnings.catch_warnings(action="ignore"):
                printed, figures = run(part.strip("`").removeprefix("python"), path.name, variables)
            if printed.strip():
                parts.append(f"\n\n```text\n{printed}\n```")
            for figure in figures:
                content, name = io.BytesIO(), f"images/pages/{path.stem}_{len(pictures)}.png"
                figure.savefig(content, format="png", dpi=110, bbox_inches="tight")
                pictures.append((name, content.getvalue()))
                parts.append(f"\n\n![What the code above draws]({name})")
    return "".join(parts), pictures
