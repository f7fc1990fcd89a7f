"""The page draws in the colours of the reports."""

from __future__ import annotations

import json
import re
from importlib.resources import files

from partitope.output.style import COLOURS


def test_the_script_holds_the_same_colours():
    script = (files("partitope.commands.explore") / "static" / "pictures.js").read_text(encoding="utf-8")
    found = re.search(r"COLOURS = (\[.*?\])", script)
    assert found
    assert tuple(json.loads(found[1])) == COLOURS
