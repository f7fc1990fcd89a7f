"""The pages as self-contained texts, with nothing to fetch: the laboratory, and the article that explains it.

Each is markup with a style, scripts and settings put in. Settings are plain data: what is shown first, the address
under which the page is public, and where the other page is. All numbers are computed in the page by a port of the
library's exact method, which the tests compare with the library number by number.
"""

from __future__ import annotations

import json
import re
from importlib.resources import files

from ...base.errors import InvalidInputError
from ...base.record import Record


def build_page(state: Record | None = None, *, address: str | None = None, article: str | None = None) -> str:
    """The whole page as HTML, which begins with a state of `points.start_state`, or with an example."""
    return _joined("page.html", {"state": state, "address": _checked(address), "article": _checked(article)})


def build_article(*, laboratory: str | None = None) -> str:
    """The article as HTML: eight scenes and three laboratories, which compute everything themselves."""
    return _joined("article.html", {"laboratory": _checked(laboratory)})


def _joined(name: str, settings: Record) -> str:
    """A page of the static folder; in it ``/*{{file}}*/`` stands for a file, ``{{settings}}`` for the settings."""
    static = files("partitope.commands.explore") / "static"
    page = (static / name).read_text(encoding="utf-8")
    mark = r"/\*\{\{([a-z_]+\.(?:css|js))\}\}\*/"
    page = re.sub(mark, lambda file: (static / file[1]).read_text(encoding="utf-8"), page)
    return page.replace("{{settings}}", json.dumps(settings, allow_nan=False).replace("<", "\\u003c"))


def _checked(address: str | None) -> str | None:
    """An address that links may begin with: of the web, or a file next to the page."""
    if address is None or re.fullmatch(r"(https?://[^\s\"'<>#]+|[\w./-]+)", address):
        return address
    raise InvalidInputError(f"address={address!r} is not usable: pass one such as https://example.org/explore.html")
