"""Kernels compile where that pays, long compilation is said once, and threads share work in ranges."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from partitope.base import jit
from partitope.base.threads import share
from partitope.solvers.transport.passes import rows


def test_long_compilation_is_said_once(monkeypatch, caplog):
    monkeypatch.setattr(jit, "LONG", 0.0)
    listener = jit._Compilation()
    event = type("Event", (), {"data": {"dispatcher": rows.score_row.compiled}})()
    with caplog.at_level("WARNING", logger="partitope"):
        for _ in range(3):
            listener.on_start(event)
        for _ in range(3):
            listener.on_end(event)
    assert [record.getMessage() for record in caplog.records] == [
        "compiling kernels, once on this machine: this takes some seconds ..."
    ]


@pytest.mark.parametrize("size", [0, 1, 2, 7, 100])
def test_ranges_make_up_the_whole(size):
    done = np.zeros(size, int)

    def work(start, stop):
        done[start:stop] += 1

    share(work, size)
    assert (done == 1).all()


def test_errors_on_threads_reach_the_caller():
    def work(start, stop):
        if stop == 4:
            raise ValueError("in the last range")

    with pytest.raises(ValueError, match="last range"):
        share(work, 4)


def test_kernels_wait_for_large_arguments_or_until_they_took_long(monkeypatch):
    """Uncompiled, a kernel gives Python's numbers, as a compiled one does."""
    monkeypatch.setattr(jit._Kernel, "spent", 0.0)
    kernel = jit.njit()(lambda x: 2.0 * x[0])
    assert kernel(np.ones(3)) == 2.0
    assert type(kernel(np.ones(3))) is float
    assert not kernel.compiled.overloads
    assert kernel(np.ones(jit.SMALL + 1)) == 2.0
    assert len(kernel.compiled.overloads) == 1
    later = jit.njit()(lambda x: 3.0 * x[0])
    monkeypatch.setattr(jit._Kernel, "spent", jit.PATIENCE)
    assert later(np.ones(3)) == 3.0
    assert later.compiled.overloads


TWO = """
from partitope.solvers import GeometricPartitioner
import numpy as np
X = np.random.default_rng(0).normal(size=(30, 2))
print(GeometricPartitioner(3, lower=10, upper=10, objective="lsa", random_state=0).fit(X).partition_.objective)
from partitope.solvers.transport.flow.binary_heaps import heapify
from partitope.base import jit
heapify(np.ones(jit.SMALL + 1), np.arange(jit.SMALL + 1), 3)
"""


@pytest.mark.full
def test_two_processes_that_start_at_once_on_an_empty_cache_both_end_well(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    runs = [subprocess.Popen([sys.executable, "-c", TWO], env=environment, stdout=subprocess.PIPE) for _ in range(2)]
    answers = [run.communicate()[0] for run in runs]
    assert [run.returncode for run in runs] == [0, 0]
    assert answers[0] == answers[1] != b""
    assert list(tmp_path.rglob("*.nbi"))
