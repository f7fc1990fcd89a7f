"""HTML pages that hold everything they show: their templates, and the one style that they share."""

from __future__ import annotations

from importlib.resources import files
from string import Template

from .. import __version__


def fill_page(name: str, **fields: str) -> str:
    """The template ``templates/name`` with its fields, the shared style and the version filled in.

    Parameters
    ----------
    name : str
        File of the template.
    **fields : str
        Its other fields, as HTML.

    Returns
    -------
    str
        An HTML document.
    """
    folder = files("partitope.output").joinpath("templates")
    template = Template(folder.joinpath(name).read_text(encoding="utf-8"))
    style = f"<style>{folder.joinpath('style.css').read_text(encoding='utf-8')}</style>"
    return template.substitute(fields, style=style, version=__version__)
