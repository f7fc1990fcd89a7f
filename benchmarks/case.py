"""What a case is, and the instances that cases are made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Case:
    """One row of the table.

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
    slack : float
        Bounds are (1 - slack) n / k and (1 + slack) n / k.
    spread : float
        Standard deviation of the group means in units of that within groups.
    peers : tuple of str
        Names in `worker.PEERS`; the first one is ours.
    repeats : int
        How often all of them are run, in turn.
    max_iter : int
        Iterations of a fit.
    limit : float
        Seconds after which a peer is stopped.
    full : bool
        Whether the case is left out of a quick run.
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
    series: str = field(default="")


def instance(case: Case, seed: int = 0) -> dict[str, NDArray]:
    """A Gaussian mixture of k groups, random data points as sites, and bounds around n / k."""
    rng = np.random.default_rng(seed)
    means = case.spread * rng.normal(size=(case.k, case.d))
    group = rng.integers(0, case.k, case.n)
    X = np.empty((case.n, case.d))
    for start in range(0, case.n, 1 << 18):
        stop = min(start + (1 << 18), case.n)
        X[start:stop] = means[group[start:stop]] + rng.normal(size=(stop - start, case.d))
    return {
        "X": X,
        "sites": X[rng.choice(case.n, case.k, replace=False)],
        "lower": np.int64(np.floor((1 - case.slack) * case.n / case.k)),
        "upper": np.int64(np.ceil((1 + case.slack) * case.n / case.k)),
        "max_iter": np.int64(case.max_iter),
    }
