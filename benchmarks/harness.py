"""Runs cases: every peer in its own process, all peers of a repeat in turn, all measured alike."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .case import Case, instance

WORKER = Path(__file__).with_name("worker.py")
OURS = ("transport", "geometric")


def run_case(case: Case, peer_python: str, say: Callable[[str], None]) -> dict[str, Any]:
    """All repeats of one case; medians over the repeats.

    Parameters
    ----------
    case : Case
        What to run.
    peer_python : str
        Interpreter whose environment has the peers.
    say : callable
        Takes one line of progress.

    Returns
    -------
    dict
        Plain values, ready for JSON.
    """
    z = instance(case)
    runs: dict[str, list[dict[str, float]]] = {peer: [] for peer in case.peers}
    failures: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "instance.npz"
        np.savez(source, **z)  # type: ignore[arg-type]
        for _ in range(case.repeats):
            for peer in case.peers:
                if peer in failures:
                    continue
                python = sys.executable if peer in OURS else peer_python
                answer = _run_peer(python, peer, source, Path(folder) / "answer.npz", case.limit)
                if isinstance(answer, str):
                    failures[peer] = answer
                else:
                    answer["objective"] = _objective(case, z, answer.pop("labels"))
                    runs[peer].append(answer)
                say(f"{case.name}: {peer}: {answer if isinstance(answer, str) else round(answer['seconds'], 4)}")
    peers = {peer: _median(of_peer) for peer, of_peer in runs.items() if of_peer}
    return {"case": case.__dict__ | {"peers": list(case.peers)}, "peers": peers, "failures": failures}


def _run_peer(python: str, peer: str, source: Path, target: Path, limit: float) -> dict[str, Any] | str:
    """One process; a line of text says why there is no answer."""
    target.unlink(missing_ok=True)
    environment = dict(os.environ)
    try:
        done = subprocess.run(
            [python, str(WORKER), peer, str(source), str(target)],
            capture_output=True, text=True, timeout=limit, env=environment, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"> {limit:g} s"
    if done.returncode != 0 or not target.exists():
        lines = done.stderr.strip().splitlines()
        return lines[-1] if lines else f"exit status {done.returncode}"
    with np.load(target) as archive:
        answer = {name: archive[name] for name in archive.files}
    labels = answer.pop("labels")
    return {name: float(value) for name, value in answer.items()} | {"labels": labels}


def _objective(case: Case, z: dict[str, NDArray], labels: NDArray[np.int64]) -> float:
    """Sum of squared distances to the sites of a step, or to the means of a fit, from the labels alone."""
    X, total = z["X"], 0.0
    centres = z["sites"]
    if case.kind == "fit":
        counts = np.maximum(np.bincount(labels, minlength=case.k), 1)
        centres = np.column_stack([np.bincount(labels, column, case.k) for column in X.T]) / counts[:, None]
    for start in range(0, len(X), 1 << 18):
        part = slice(start, start + (1 << 18))
        total += float(((X[part] - centres[labels[part]]) ** 2).sum())
    return total


def _median(runs: list[dict[str, float]]) -> dict[str, float]:
    names = set.intersection(*(set(run) for run in runs))
    return {name: float(np.median([run[name] for run in runs])) for name in sorted(names)}
