"""The places of the papers that `papers.toml` lists."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_FILE = tomllib.loads(Path(__file__).with_name("papers.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Item:
    """One place of a paper; what its parts mean is said at the head of `papers.toml`."""

    paper: str
    where: str
    what: str
    studies: tuple[str, ...] = ()
    rows: Mapping[str, Any] = field(default_factory=dict)
    said: str = ""
    verdict: str = "not run"
    always: bool = False

    def holds(self, row: Mapping[str, Any]) -> bool:
        """Whether a row of one of the studies belongs here."""
        return all(_fits(row.get(column), asked) for column, asked in self.rows.items())


def _fits(value: Any, asked: Any) -> bool:
    if isinstance(asked, list):
        return any(_fits(value, one) for one in asked)
    if isinstance(asked, str) and asked.endswith("*"):
        return str(value).startswith(asked[:-1])
    return bool(value == asked)


PAPERS: dict[str, str] = _FILE["papers"]
ITEMS = tuple(Item(**one) for one in _FILE["item"])
