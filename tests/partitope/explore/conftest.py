"""A browser, and the pages opened in it; a page that logs an error fails its test."""

from __future__ import annotations

import pytest

from partitope.cli import run


@pytest.fixture(scope="session")
def settle():
    """Waits until the page has an answer and nothing is under way."""
    return lambda page: page.wait_for_function("window.partitope && partitope.answer && partitope.idle")


@pytest.fixture
def open_page(browser, tmp_path, settle):
    """Opens the exported file, or another, with the network off; fails the test on any error of the page."""
    problems: list[str] = []
    contexts = []

    def opened(address: str | None = None, width: int = 1280, height: int = 900, ready: str = "", **options):
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        context.set_offline(True)
        if address is None:
            file = tmp_path / "page.html"
            assert run(["explore", "--lower", "45", "--upper", "55", "--export", str(file)]) == 0
            address = file.as_uri()
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        page.goto(address)
        if ready:
            page.wait_for_function(ready)
        else:
            settle(page)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert problems == []
