"""Fixtures and options shared by all tests."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

_PASSED: Counter[tuple[str, str]] = Counter()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="also run the full studies marked slow")
    parser.addoption(
        "--require-tables", action="store_true", help="fail when a backend or strategy in the tables passed no test"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    home = os.environ.get("PARTITOPE_DATA")
    for item in items:
        if "slow" in item.keywords and not config.getoption("--slow"):
            item.add_marker(pytest.mark.skip(reason="full study: run with --slow"))
        if "data" in item.keywords and not (home and Path(home).is_dir()):
            item.add_marker(pytest.mark.skip(reason="raw data not found: set PARTITOPE_DATA"))
        for kind in ("backend", "strategy"):  # user properties travel from pytest-xdist's workers, marks do not
            item.user_properties.extend((kind, mark.args[0]) for mark in item.iter_markers(kind))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" and report.passed:
        _PASSED.update(pair for pair in report.user_properties if pair[0] in ("backend", "strategy"))


def _untested() -> list[str]:
    from partitope.solvers import BACKENDS, STRATEGIES

    tables = [("backend", BACKENDS), ("strategy", STRATEGIES)]
    return [f"{kind} {name!r}" for kind, table in tables for name in table if not _PASSED[kind, name]]


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    is_controller = not hasattr(session.config, "workerinput")
    if is_controller and session.config.getoption("--require-tables") and exitstatus == 0 and _untested():
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if _PASSED:
        counts = ", ".join(f"{kind} {name}: {count}" for (kind, name), count in sorted(_PASSED.items()))
        terminalreporter.write_line(f"conformance tests passed: {counts}")
    if config.getoption("--require-tables"):
        for line in _untested():
            terminalreporter.write_line(f"ERROR: {line} stands in its table but passed no test", red=True)


@pytest.fixture(scope="session")
def data_home() -> Path:
    """The folder of raw data files; tests that use it carry the mark ``data``."""
    home = os.environ.get("PARTITOPE_DATA")
    if not home or not Path(home).is_dir():
        pytest.skip("raw data not found: set PARTITOPE_DATA")
    return Path(home)
