"""Pages whose blocks of Python run in order when the site is built: what they print and draw stands below them."""

from __future__ import annotations

import contextlib
import io
import re
import tempfile
import warnings
from pathlib import Path
from typing import Any

PAGES = ("tutorial.md", "territories.md", "open-model.md")


def with_outputs(path: Path) -> tuple[str, list[tuple[str, bytes]]]:
    """The text of a page with its outputs, and its pictures."""
    import matplotlib as mpl
    from matplotlib import pyplot as plt

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
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed), warnings.catch_warnings(action="ignore"):
                exec(compile(part.strip("`").removeprefix("python"), path.name, "exec"), variables)
            if printed.getvalue().strip():
                parts.append(f"\n\n```text\n{printed.getvalue().rstrip()}\n```")
            for number in plt.get_fignums():
                content, name = io.BytesIO(), f"images/pages/{path.stem}_{len(pictures)}.png"
                plt.figure(number).savefig(content, format="png", dpi=110, bbox_inches="tight")
                pictures.append((name, content.getvalue()))
                parts.append(f"\n\n![What the code above draws]({name})")
            plt.close("all")
    return "".join(parts), pictures
