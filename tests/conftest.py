"""Fixtures and options shared by all tests."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("untimed", deadline=None)  # how long an example takes depends on the machine
settings.load_profile("untimed")
os.environ.pop("COLUMNS", None)  # of pytest-xdist; lines would be folded at this width

TESTS = Path(__file__).parent
FULL_FOLDERS = (
    "notebooks",
    "studies",
    "examples",
    "benchmarks",
)  # pages, course, papers: none of it runs in `make test`
CHROMIUM = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="also run the full studies marked slow")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    home = os.environ.get("PARTITOPE_DATA")
    for item in items:
        within = item.path.relative_to(TESTS).parts[0] if item.path.is_relative_to(TESTS) else ""
        if within in ("", *FULL_FOLDERS):  # examples in docstrings stand outside
            item.add_marker(pytest.mark.full)
        if "slow" in item.keywords and not config.getoption("--slow"):
            item.add_marker(pytest.mark.skip(reason="full study: run with --slow"))
        if "data" in item.keywords and not (home and Path(home).is_dir()):
            item.add_marker(pytest.mark.skip(reason="raw data not found: set PARTITOPE_DATA"))


@pytest.fixture(scope="session")
def data_home() -> Path:
    """The folder of raw data files; tests that use it carry the mark ``data``."""
    home = os.environ.get("PARTITOPE_DATA")
    if not home or not Path(home).is_dir():
        pytest.skip("raw data not found: set PARTITOPE_DATA")
    return Path(home)


@pytest.fixture(scope="session")
def browser():
    """One Chromium for all tests of a process: Playwright does not start twice."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no Chromium on the path")
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()
