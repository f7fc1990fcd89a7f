"""A few cases on several commits: the trees are laid side by side, and every commit runs in turn, by the same worker.

Times of one run are compared with each other only, as CPU seconds in multiples of the first commit's; the objective
tells a faster answer from another one. A commit whose package cannot run a case says why, in place of a figure.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .case import Case, objective, points_and_sites, run_peer

KEPT = ("step_2000_10", "step_30162_30", "fit_30162_30")
"""The cases when none is named: a small and a middle assignment program, and a whole fit."""

Measure = Callable[[Path, Case, Path], "dict[str, Any] | str"]  # tree of a commit, case, instance


def lay_out(repository: Path, revision: str, place: Path) -> str:
    """Lay the tree of a revision into a folder; the short name of the commit comes back.

    Raises
    ------
    ValueError
        When the repository has no such revision.
    """
    found = _git(repository, "rev-parse", "--short", "--verify", "--quiet", f"{revision}^{{commit}}")
    if found.returncode:
        raise ValueError(f"--commits {revision} is no commit of this repository: pass a tag, a branch or a hash")
    archive = place.with_suffix(".tar")
    _git(repository, "archive", "--format=tar", f"--output={archive}", revision).check_returncode()
    with tarfile.open(archive) as held:
        held.extractall(place, filter="tar")
    return found.stdout.strip()


def _git(repository: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", "-C", str(repository), *words], capture_output=True, text=True, check=False)


def in_tree(tree: Path, case: Case, source: Path) -> dict[str, Any] | str:
    """Our own code of a case, as the package in that tree runs it."""
    variables = {**os.environ, "PYTHONPATH": str(tree / "src"), "NUMBA_CACHE_DIR": str(tree / "compiled")}
    return run_peer(sys.executable, case.peers[0], source, tree / "answer.npz", case.limit, variables)


def compare_commits(
    repository: Path,
    revisions: Sequence[str],
    cases: Sequence[Case],
    say: Callable[[str], None],
    measure: Measure = in_tree,
    repeats: int | None = None,
) -> str:
    """Run the cases on the commits in turn; a table in Markdown comes back.

    Parameters
    ----------
    repository : Path
        A checkout with its history.
    revisions : sequence of str
        The first is the one that the others are compared with.
    cases : sequence of Case
        Of each, its first peer runs.
    say : callable
        Takes one line of progress.
    measure : callable
        Runs a case in the tree of a commit.
    repeats : int, optional
        Repeats of every case, instead of its own number.

    Raises
    ------
    ValueError
        When a revision is not known.
    """
    with tempfile.TemporaryDirectory() as folder:
        trees = {}
        for place, revision in enumerate(revisions):
            tree = Path(folder) / str(place)
            trees[tree] = f"{revision} ({lay_out(repository, revision, tree)})"
        rows = []
        for case in cases:
            z = points_and_sites(case)
            source = Path(folder) / "instance.npz"
            np.savez(source, **z)
            runs: dict[Path, list[dict[str, float]]] = {tree: [] for tree in trees}
            failures: dict[Path, str] = {}
            for _ in range(repeats or case.repeats):
                for tree, title in trees.items():
                    if tree in failures:
                        continue
                    answer = measure(tree, case, source)
                    if isinstance(answer, str):
                        failures[tree] = answer
                    else:
                        cost = objective(case, z, answer["labels"])
                        runs[tree].append({"cpu": float(answer["cpu"]), "objective": cost})
                    say(f"{case.name}: {title}: {answer if isinstance(answer, str) else round(answer['cpu'], 4)}")
            rows.append(_row(case, list(trees), runs, failures))
        head = ["case", *trees.values()]
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _row(
    case: Case, trees: list[Path], runs: dict[Path, list[dict[str, float]]], failures: dict[Path, str]
) -> list[str]:
    """CPU seconds of the first commit that has an answer; ratios of the others, and where their objective differs."""
    base: dict[str, float] = {}
    cells = []
    for tree in trees:
        if tree in failures:
            cells.append(f"none: {failures[tree]}".replace("|", "/"))
            continue
        median = {name: float(np.median([run[name] for run in runs[tree]])) for name in ("cpu", "objective")}
        if not base:
            base = median
            cells.append(f"{median['cpu']:.3g} s CPU")
            continue
        change = median["objective"] / base["objective"] - 1
        other = f", objective {change:+.2g}" if abs(change) > 1e-9 else ""
        cells.append(f"{median['cpu'] / base['cpu']:.2f} x{other}")
    return [case.title, *cells]
