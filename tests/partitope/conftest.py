"""What tests of commands share."""

from __future__ import annotations

import pytest


@pytest.fixture
def folder(request, tmp_path, monkeypatch):
    """The folder that the test runs in, with the ``frame()`` of the test's module as table.csv."""
    request.module.frame().to_csv(tmp_path / "table.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path
