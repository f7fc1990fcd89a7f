"""The gallery: the scripts of the folder `gallery`, run once each, as pages with pictures, outputs and downloads.

A script is a docstring (a title, what it shows) and code that runs by itself. Its figures are those of pyplot and
those that it leaves in variables.
"""

from __future__ import annotations

import ast
import contextlib
import io
import tempfile
import textwrap
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from printed_pages import run

FOLDER = Path(__file__).resolve().parent / "gallery"
GROUPS = {
    "First steps": "bounded_cells balanced_k_means bounds_that_clash number_of_clusters",
    "Proofs and prices": "certificate dual_function price_of_balance lifted_surfaces polytope_and_walk exchange_cycle",
    "More than size bounds": "two_balanced_quantities price_of_fairness links anisotropic_cells depots_and_customers "
    "connected_territories counties_of_iowa microaggregation groups_alike",
    "Other solvers": "solvers_agree pyomo_model",
    "Classifiers and tests": "five_strategies local_models value_test",
}
"""Names of the scripts in the order of the page, by heading."""
INTRODUCTION = """# Gallery

Each example shows one thing and runs in a few seconds. You can download it as a script or as a notebook. Clusters
differ by colour *and* by marker, in colours that colour-blind readers can tell apart.
"""
Made = list[tuple[str, str | bytes]]


@dataclass(frozen=True)
class Example:
    """A script: its name, title, what it shows, and its code."""

    name: str
    title: str
    text: str
    code: str

    @classmethod
    def read(cls, name: str) -> Example:
        """The script of that name."""
        source = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
        said = ast.get_docstring(ast.parse(source)) or ""
        title, _, text = said.partition("\n")
        return cls(name, title.rstrip("."), text.strip(), source.split('"""', 2)[2].strip() + "\n")

    def run(self) -> tuple[str, list[Any]]:
        """What the script prints, and its figures; it runs in an empty folder, in the style of the pictures."""
        import matplotlib as mpl

        mpl.use("Agg")
        from matplotlib.figure import Figure

        variables: dict[str, Any] = {"__name__": "__main__"}
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), warnings.catch_warnings():
            warnings.filterwarnings("ignore", "FigureCanvasAgg is non-interactive")
            with mpl.rc_context(style()):
                printed, figures = run(self.code, f"{self.name}.py", variables)
        left = [thing for thing in variables.values() if isinstance(thing, Figure) and thing not in figures]
        return printed, [*figures, *left]

    def notebook(self) -> str:
        """The script as a notebook."""
        import nbformat

        words, code = f"# {self.title}\n\n{self.text}", self.code.rstrip()
        cells = [nbformat.v4.new_markdown_cell(words, id="words"), nbformat.v4.new_code_cell(code, id="code")]
        text: str = nbformat.writes(nbformat.v4.new_notebook(cells=cells))
        return text

    def files(self) -> Made:
        """The example's page, its picture in three formats, its thumbnail and its notebook."""
        import matplotlib as mpl
        from matplotlib.transforms import Bbox

        printed, (figure, *_) = self.run()
        made: Made = []
        with mpl.rc_context(style()):
            for suffix, options in [("png", {"dpi": 110}), ("svg", {}), ("pdf", {})]:
                content = io.BytesIO()
                dates = {"metadata": {"CreationDate" if suffix == "pdf" else "Date": None}} if suffix != "png" else {}
                figure.savefig(content, format=suffix, bbox_inches="tight", **options, **dates)
                made.append((f"images/gallery/{self.name}.{suffix}", content.getvalue()))
            content = io.BytesIO()
            side = max(figure.get_size_inches())
            square = Bbox.from_bounds(*(figure.get_size_inches() - side) / 2, side, side)
            figure.savefig(content, format="png", bbox_inches=square, dpi=280 / side)
            made.append((f"images/gallery/thumbnails/{self.name}.png", content.getvalue()))
        made.append((f"gallery/{self.name}.ipynb", self.notebook()))
        made.append((f"gallery/{self.name}.md", self.page(printed)))
        return made

    def page(self, printed: str) -> str:
        """The page: words, picture, what is printed, code, downloads."""
        pictures = "../images/gallery"
        downloads = [(f"{self.name}.{kind}", f".{kind}") for kind in ("py", "ipynb")]
        downloads += [(f"{pictures}/{self.name}.{kind}", f"picture .{kind}") for kind in ("svg", "pdf")]
        parts = [
            f"# {self.title}",
            self.text,
            f"![{self.title}]({pictures}/{self.name}.png)",
            f"```text\n{textwrap.dedent(printed)}\n```" if printed else "",
            f"```python\n{self.code}```",
            " ".join(f"[{name}]({address}){{ .md-button }}" for address, name in downloads),
            "[All examples](../gallery.md)",
        ]
        return "\n\n".join(part for part in parts if part) + "\n"


def style() -> dict[str, Any]:
    """The style of all pictures of the gallery: that of the reports, with formulas."""
    from cycler import cycler

    from partitope.output.style import COLOURS, STYLE

    return {**STYLE, "text.parse_math": True, "axes.prop_cycle": cycler(color=COLOURS)}


def gallery() -> Made:
    """The gallery's page and everything that belongs to its examples."""
    page, made = [INTRODUCTION], []
    for heading, names in GROUPS.items():
        page.append(f'## {heading}\n\n<ul class="gallery">')
        for name in names.split():
            example = Example.read(name)
            made += example.files()
            page.append(
                f'<li><a href="{name}/"><img src="../images/gallery/thumbnails/{name}.png" alt="" loading="lazy">'
                f"<span>{example.title}</span></a></li>"
            )
        page.append("</ul>\n")
    return [("gallery.md", "\n".join(page)), *made]
