"""Whole solves are tested twice: small clusters keep costs of all their members, or heaps of candidates."""

from __future__ import annotations

import pytest

from partitope.solvers.transport.prices import first_prices


@pytest.fixture(scope="module", params=["members", "heaps"])
def costs_of_small_clusters(request):
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "heaps":
            _forbid_members(patch)
        yield request.param


@pytest.fixture
def heaps_of_candidates(monkeypatch):
    """Small clusters take heaps."""
    _forbid_members(monkeypatch)


def _forbid_members(patch):
    patch.setattr(first_prices, "MEMBERS", 0)
