"""Programs with many clusters on points of many shapes, beside OR-tools' minimum-cost flow, one line an instance.

    python -m benchmarks.geometry [--family spiral ...] [--seeds 3] [--python INTERPRETER]

The seed draws n, k, d, the bounds (floor and ceil of n/k, or a tenth around it) and the sites: random points, their
means, or points that all lie at one end. Every code has a process of its own; seconds are processor seconds of one
solve, without building; OR-tools rounds costs to six digits. --python names the interpreter that has OR-tools.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .case import run_peer

Points = NDArray[np.float64]
MOST_SCORES = 6_000_000  # n k
LIMIT = 600.0  # seconds of one process


def groups(rng: np.random.Generator, n: int, d: int, count: int, apart: float) -> Points:
    """Normal points around ``count`` centres, whose coordinates have the scale ``apart``."""
    return apart * rng.normal(size=(count, d))[rng.integers(count, size=n)] + rng.normal(size=(n, d))


def hierarchy(rng: np.random.Generator, n: int, d: int, k: int) -> Points:
    """Groups of groups, each level ten to a thousand times smaller than the one above."""
    scale, X = 10.0 ** rng.uniform(1, 3), np.zeros((n, d))
    for level in range(4):
        count = 6 ** (level + 1)
        X += rng.normal(size=(count, d))[np.arange(n) * count // n] * scale**-level
    return X + scale**-4.0 * rng.normal(size=(n, d))


def filaments(rng: np.random.Generator, n: int, d: int, k: int) -> Points:
    """Points along segments between 40 nodes."""
    nodes, start, along = 10.0 * rng.normal(size=(40, d)), rng.integers(40, size=n), rng.random((n, 1))
    ends = (start + rng.integers(1, 4, size=n)) % 40
    return nodes[start] * (1 - along) + nodes[ends] * along + 0.05 * rng.normal(size=(n, d))


def planar(radius: Points, angle: Points) -> Points:
    """Points in the plane."""
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def grid(rng: np.random.Generator, n: int, d: int, k: int) -> Points:
    """Integer points of a square or a cube."""
    d = int(rng.integers(2, 4))
    sides = [np.arange(float(round(n ** (1 / d))))] * d
    return np.stack(np.meshgrid(*sides), axis=-1).reshape(-1, d)


FAMILIES: dict[str, Callable[[np.random.Generator, int, int, int], Points]] = {
    "uniform": lambda rng, n, d, k: rng.random((n, d)),
    "grid": grid,
    "groups far apart": lambda rng, n, d, k: groups(rng, n, d, int(rng.integers(2, 60)), 10.0 ** rng.uniform(1, 6)),
    "k groups apart": lambda rng, n, d, k: groups(rng, n, d, k, 10.0 ** rng.uniform(0.5, 6)),
    "hierarchy": hierarchy,
    "filaments": filaments,
    "heavy tails": lambda rng, n, d, k: rng.standard_t(rng.choice([0.7, 1.2, 2.0]), size=(n, d)),
    "lognormal": lambda rng, n, d, k: rng.lognormal(0.0, rng.integers(1, 4), (n, d)),
    "exponential scales": lambda rng, n, d, k: np.exp(rng.random((n, 2)) * 20.0) * np.sign(rng.normal(size=(n, 2))),
    "outliers": lambda rng, n, d, k: rng.normal(size=(n, d)) * np.where(rng.random((n, 1)) < 0.05, 1e3, 1.0),
    "one heavy direction": lambda rng, n, d, k: rng.standard_cauchy(size=(n, 1)) * rng.normal(size=(n, 18)),
    "sphere": lambda rng, n, d, k: (X := rng.normal(size=(n, d))) / np.linalg.norm(X, axis=1, keepdims=True),
    "spiral": lambda rng, n, d, k: planar(t := rng.uniform(10, 100) * np.sqrt(rng.random(n)), t),
    "rings": lambda rng, n, d, k: planar(2.0 ** rng.integers(0, 12, n), 2 * np.pi * rng.random(n)),
    "random walk": lambda rng, n, d, k: np.cumsum(rng.normal(size=(n, d)), axis=0),
    "nearly equal": lambda rng, n, d, k: (
        rng.normal(size=(500, d))[rng.integers(500, size=n)] + 1e-9 * rng.normal(size=(n, d))
    ),
}


def instance(family: str, seed: int) -> dict[str, Any]:
    """Points, sites and bounds."""
    rng = np.random.default_rng([list(FAMILIES).index(family), seed])
    k = int(np.exp(rng.uniform(np.log(170), np.log(1200))))
    n = max(min(20_000, MOST_SCORES // k), 8 * k)
    X = FAMILIES[family](rng, n, int(rng.integers(2, 12)), k)
    n, slack, where = len(X), rng.choice([0.0, 0.0, 0.1]), rng.choice(["random", "means", "end"])
    sites = X[rng.choice(n, k, replace=False)]
    if where == "means":
        nearest = (X @ sites.T - 0.5 * (sites**2).sum(axis=1)).argmax(axis=1)
        sites = np.array([X[nearest == i].mean(axis=0) if (nearest == i).any() else s for i, s in enumerate(sites)])
    if where == "end":
        sites = X[np.linalg.norm(X - X[0], axis=1).argsort(kind="stable")[: 3 * k : 3]]
    sites = np.unique(sites, axis=0)
    share = n / len(sites)
    return {"X": X, "sites": sites, "lower": int((1 - slack) * share), "upper": int(np.ceil((1 + slack) * share))}


def main() -> None:
    """Run the instances."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--family", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--python", default=sys.executable)
    options = parser.parse_args()
    ratios: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "instance.npz", Path(folder) / "answer.npz"
        for family, seed in product(options.family, range(options.seeds)):
            case = instance(family, seed)
            np.savez(source, **case)
            ours = run_peer(sys.executable, "transport", source, target, LIMIT)
            other = run_peer(options.python, "ortools", source, target, LIMIT)
            line = f"{family:20s} {seed:2d} {len(case['X']):6d} x {len(case['sites']):4d}"
            if isinstance(ours, str):
                print(f"{line}  partitope: {ours}", flush=True)
                continue
            line += f"  {ours['cpu']:7.2f} {'verified' if ours['verified'] else 'NOT VERIFIED'}"
            if isinstance(other, str):
                print(f"{line}  OR-tools: {other}", flush=True)
                continue
            ratios.append(ours["cpu"] / other["cpu"])
            print(f"{line}  OR-tools {other['cpu']:7.2f}  ratio {ratios[-1]:.2f}", flush=True)
    if ratios:
        print(f"{len(ratios)} instances: ratio {np.median(ratios):.2f} in the median, {max(ratios):.2f} at most")


if __name__ == "__main__":
    main()
