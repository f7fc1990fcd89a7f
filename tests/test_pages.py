"""What the pages tell a reader to type is understood, and what they link to is there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import typer

from partitope.cli import app

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]


def lines(page: Path) -> list[str]:
    """Commands of a page: lines of a block, and what stands between back quotes."""
    text = page.read_text(encoding="utf-8")
    text = re.sub(r"\\\n\s*", "", text)  # lines that go on in the next one
    return re.findall(r"^\s*(partitope [a-z].*)$", text, re.M) + re.findall(r"`(partitope [a-z][^`\n|]*)`", text)


@pytest.mark.parametrize("page", [p for p in PAGES if lines(p)], ids=lambda p: p.name)
def test_commands_and_options_exist(page):
    for line in lines(page):
        name, *words = shlex.split(line, comments=True)[1:]
        assert name in COMMANDS, line
        known = {option for parameter in COMMANDS[name].params for option in parameter.opts} | {"-h", "--help"}
        for word in words:
            if word == "=":
                break
            if re.match(r"--?[a-z]", word):
                assert word.partition("=")[0] in known, f"{line}: {word}"


@pytest.mark.parametrize("page", sorted(ROOT.glob("*.md")), ids=lambda p: p.name)
def test_links_lead_somewhere(page):
    """Of the pages that are no part of the site; building that refuses links to nowhere."""
    for target in re.findall(r"\]\(([^)\s#]+)", page.read_text(encoding="utf-8")):
        assert re.match(r"[a-z]+:", target) or (ROOT / target).exists(), f"{page.name}: {target}"


def test_every_page_is_in_the_navigation():
    pages = {p.relative_to(ROOT / "docs").as_posix() for p in (ROOT / "docs").glob("*.md")}
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    out = {name for name in pages if f"\n  /{name}\n" in settings}  # for those who work on the repository
    assert out == {"architecture.md", "debts.md", "versioning.md"}
    assert pages - out <= set(re.findall(r"(\S+\.md)$", settings, re.M))
