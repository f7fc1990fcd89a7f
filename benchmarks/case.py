"""Cases of the benchmark against other codes: every code in its own process, in turn, all measured alike.

The cases of this project are the records of ``benchmarks/cases``; ``python -m benchmarks`` runs them.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from partitope.models.polytope.polytope import PartitionPolytope

from .backends.instances import BLOCK, clouds

WORKER = Path(__file__).with_name("other_codes.py")
OURS = ("transport", "geometric")


@dataclass(frozen=True)
class Case:
    """One case: an instance and the codes that run it.

    Attributes
    ----------
    name : str
        Short and unique.
    title : str
        What the table says.
    kind : {"step", "fit"}
        One assignment program, or a whole balanced k-means.
    n, k, d : int
        Points, clusters, coordinates.
    peers : tuple of str
        Names in `other_codes.PEERS`; the first one is ours.
    slack : float
        Bounds are (1 - slack) n / k and (1 + slack) n / k.
    spread : float
        Standard deviation of the group means in units of that within groups.
    repeats : int
        How often all of them are run, in turn.
    max_iter : int
        Iterations of a fit.
    limit : float
        Seconds after which a code is stopped.
    full : bool
        Whether the case is left out of a quick run.
    series : {"", "n", "k"}
        The curve of which the case is a point.
    """

    name: str
    title: str
    kind: Literal["step", "fit"]
    n: int
    k: int
    d: int
    peers: tuple[str, ...]
    slack: float = 0.2
    spread: float = 4.0
    repeats: int = 3
    max_iter: int = 300
    limit: float = 600.0
    full: bool = False
    series: Literal["", "n", "k"] = ""


def points_and_sites(case: Case) -> dict[str, Any]:
    """A mixture of k normal groups, random data points as sites, and bounds around n / k."""
    rng = np.random.default_rng(0)
    X = clouds(case.n, case.k, case.d, rng, case.spread)
    around = PartitionPolytope.within(case.n, case.k, 1 - case.slack, 1 + case.slack)
    return {
        "X": X,
        "sites": X[rng.choice(case.n, case.k, replace=False)],
        "lower": np.int64(around.lower[0]),
        "upper": np.int64(around.upper[0]),
        "max_iter": np.int64(case.max_iter),
    }


def run_case(case: Case, peer_python: str, say: Callable[[str], None]) -> dict[str, Any]:
    """All repeats of one case; medians over the repeats.

    Parameters
    ----------
    case : Case
        What to run.
    peer_python : str
        Interpreter whose environment has the other codes.
    say : callable
        Takes one line of progress.

    Returns
    -------
    dict
        Plain values, ready for JSON.
    """
    z = points_and_sites(case)
    runs: dict[str, list[dict[str, float]]] = {peer: [] for peer in case.peers}
    failures: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "instance.npz"
        np.savez(source, **z)
        for _ in range(case.repeats):
            for peer in case.peers:
                if peer in failures:
                    continue
                python = sys.executable if peer in OURS else peer_python
                answer = run_peer(python, peer, source, Path(folder) / "answer.npz", case.limit)
                if isinstance(answer, str):
                    failures[peer] = answer
                else:
                    answer["objective"] = objective(case, z, answer.pop("labels"))
                    runs[peer].append(answer)
                say(f"{case.name}: {peer}: {answer if isinstance(answer, str) else round(answer['seconds'], 4)}")
    peers = {peer: _median(of_peer) for peer, of_peer in runs.items() if of_peer}
    return {"case": asdict(case), "peers": peers, "failures": failures}


def run_peer(
    python: str, peer: str, source: Path, target: Path, limit: float, variables: dict[str, str] | None = None
) -> dict[str, Any] | str:
    """What one code answers in a process of its own; a line of text says why there is no answer.

    Parameters
    ----------
    python : str
        The interpreter.
    peer : str
        Name in `other_codes.PEERS`.
    source, target : Path
        The instance, and where the answer is written to.
    limit : float
        Seconds after which the process is stopped.
    variables : dict, optional
        The process's environment, when it is not this one's.
    """
    target.unlink(missing_ok=True)
    command = [python, "-P", str(WORKER), peer, str(source), str(target)]  # -P: nothing of this folder is imported
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False, env=variables)
    except subprocess.TimeoutExpired:
        return f"> {limit:g} s"
    if done.returncode != 0 or not target.exists():
        lines = done.stderr.strip().splitlines()
        return lines[-1] if lines else f"exit status {done.returncode}"
    with np.load(target) as archive:
        return {name: archive[name] if name == "labels" else float(archive[name]) for name in archive.files}


def objective(case: Case, z: dict[str, NDArray], labels: NDArray[np.int64]) -> float:
    """Sum of squared distances to the sites of a step, or to the means of a fit, from the labels alone."""
    X, total = z["X"], 0.0
    centres = z["sites"]
    if case.kind == "fit":
        counts = np.maximum(np.bincount(labels, minlength=case.k), 1)
        centres = np.column_stack([np.bincount(labels, column, case.k) for column in X.T]) / counts[:, None]
    for start in range(0, len(X), BLOCK):
        part = slice(start, start + BLOCK)
        total += float(((X[part] - centres[labels[part]]) ** 2).sum())
    return total


def _median(runs: list[dict[str, float]]) -> dict[str, float]:
    names = set.intersection(*(set(run) for run in runs))
    return {name: float(np.median([run[name] for run in runs])) for name in sorted(names)}
