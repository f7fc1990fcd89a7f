"""Small programs stay on the thread of the caller: other threads would be awake only once the work is done."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="counts the seconds of threads in /proc")

SCRIPT = """
import os, threading, time
import numpy as np
from partitope.cluster import BalancedKMeans
from partitope.models import AssignmentModel, PartitionPolytope
from partitope.models.scores.scores import AffineScores
from partitope.solvers import solve
X = np.random.default_rng(0).normal(size=(3000, 8))

def others():
    threads = [t for t in os.listdir("/proc/self/task") if int(t) != threading.get_native_id()]
    return sum(int(open(f"/proc/self/task/{t}/schedstat").read().split()[0]) for t in threads)

def step():
    model = AssignmentModel.lsa(X, X[:10], PartitionPolytope(3000, 270, 330, n_clusters=10))
    assert solve(model).verify().verified

def fit():
    BalancedKMeans(10, n_init=1, max_iter=5, random_state=0).fit(X)

def predict():
    fitted.predict(X)

def score():
    for m, d, k in (1, 128, 1000), (2, 64, 1000), (256, 16, 32), (1000, 128, 1):  # as many products as are left alone
        AffineScores.lsa(np.ones((k, d)), np.zeros(d))(np.ones((m, d)))

fitted = BalancedKMeans(10, n_init=1, max_iter=2, random_state=0).fit(X)
X @ X.T  # so that there are other threads, if this library has any
for work in (step, fit, predict, score):
    work()
    before = -1
    while before != others():  # until none works any more
        before = others()
        time.sleep(0.2)
    work()
    print(work.__name__, others() - before)
"""


def test_other_threads_are_not_woken():
    """Building, solving and proving a program, a fit, labels and scores of points: no other thread takes any time."""
    many = {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}
    run = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, env=os.environ | many)
    assert run.returncode == 0, run.stderr
    seconds = dict(line.split() for line in run.stdout.splitlines())
    assert seconds == {"step": "0", "fit": "0", "predict": "0", "score": "0"}
