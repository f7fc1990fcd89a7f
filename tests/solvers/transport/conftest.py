"""Whole solves are tested twice: small clusters keep costs of all their members, or heaps of candidates."""

from __future__ import annotations

from dataclasses import replace

import pytest

from partitope.solvers import solve
from partitope.solvers.transport.options import Options

HEAPS = Options(members=0)


@pytest.fixture(scope="module", params=["members", "heaps"])
def costs_of_small_clusters(request):
    """The module's ``solve``, by one or the other."""

    def solve_so(model, backend="transport", options=HEAPS, **others):
        mine = {"options": replace(options, members=0)} if backend == "transport" else {}
        return solve(model, backend, **mine, **others)

    with pytest.MonkeyPatch.context() as patch:
        if request.param == "heaps":
            patch.setattr(request.module, "solve", solve_so)
        yield request.param
