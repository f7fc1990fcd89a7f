"""A plugin of pytest: which backends and strategies the suites run for, and which of them passed.

A project loads it by ``pytest_plugins = ["partitope.testing.plugin"]`` in its conftest.py, or ``pytest -p
partitope.testing.plugin``. Tests of the suites then carry the marks ``backend(name)`` and ``strategy(name)``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

KINDS = ("backend", "strategy")
_PASSED: Counter[tuple[str, str]] = Counter()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("partitope")
    for kind in KINDS:
        group.addoption(
            f"--{kind}", metavar="A,B", default="", help=f"run the conformance tests of these only, by {kind} name"
        )
    group.addoption(
        "--require-tables", action="store_true", help="fail when a backend or strategy in the tables passed no test"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marks."""
    for kind in KINDS:
        config.addinivalue_line("markers", f"{kind}(name): conformance test of the named {kind}")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests of the suites, and leave out those that were not asked for."""
    for item in items:
        for kind, name in _subject(item):
            item.add_marker(getattr(pytest.mark, kind)(name))
        for kind in KINDS:  # user properties travel from pytest-xdist's workers, marks do not
            item.user_properties.extend((kind, mark.args[0]) for mark in item.iter_markers(kind))
    asked = _asked(config)
    if asked:
        _refuse_unknown(asked, items)
        kept = [item for item in items if asked & set(item.user_properties)]
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = kept


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Count what passed."""
    if report.when == "call" and report.passed:
        _PASSED.update((str(kind), str(name)) for kind, name in report.user_properties if kind in KINDS)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Fail where the tables were required and one of their entries passed no test."""
    is_controller = not hasattr(session.config, "workerinput")
    if is_controller and session.config.getoption("--require-tables") and exitstatus == 0 and _untested():
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say how many tests each backend and strategy passed."""
    if _PASSED:
        counts = ", ".join(f"{kind} {name}: {count}" for (kind, name), count in sorted(_PASSED.items()))
        terminalreporter.write_line(f"conformance tests passed: {counts}")
    if config.getoption("--require-tables"):
        for line in _untested():
            terminalreporter.write_line(f"ERROR: {line} stands in its table but passed no test", red=True)


def _subject(item: pytest.Item) -> Iterator[tuple[str, str]]:
    """What a test of one of the suites is about; nothing for any other test."""
    kind = getattr(getattr(item, "cls", None), "kind", None)
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    if kind in KINDS and kind in parameters:
        from ..solvers import STRATEGIES

        subject = parameters[kind]
        yield kind, subject if isinstance(subject, str) else STRATEGIES.name_of(type(subject))


def _asked(config: pytest.Config) -> set[tuple[str, str]]:
    """Pairs of kind and name from the command line."""
    return {(kind, name) for kind in KINDS for name in config.getoption(f"--{kind}").split(",") if name}


def _refuse_unknown(asked: set[tuple[str, str]], items: list[pytest.Item]) -> None:
    """A usage error for a name that neither a table nor a collected test knows."""
    from ..solvers import BACKENDS, STRATEGIES

    for kind, table in (("backend", BACKENDS), ("strategy", STRATEGIES)):
        known = {*table, *(name for item in items for found, name in item.user_properties if found == kind)}
        for name in sorted(name for wanted, name in asked if wanted == kind and name not in known):
            raise pytest.UsageError(
                f"--{kind} {name!r} is not known: choose among {', '.join(map(str, sorted(known)))}"
            )


def _untested() -> list[str]:
    from ..solvers import BACKENDS, STRATEGIES

    tables = [("backend", BACKENDS), ("strategy", STRATEGIES)]
    return [f"{kind} {name!r}" for kind, table in tables for name in table if not _PASSED[kind, name]]
