"""Data for the tests of conditional clustering: constructions and the published sets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment

CENTRES = np.array([[-1.6, 4.4], [-10.0, -3.9], [-7.1, -8.1]])


def two_views(n: int = 300, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """X (n, 4): columns 0-1 follow a categorical covariate, columns 2-3 the hidden clusters."""
    rng = np.random.default_rng(seed)
    group, hidden = rng.integers(0, 3, n), rng.integers(0, 3, n)
    X = np.hstack([1.2 * CENTRES[group], CENTRES[hidden]]) + rng.normal(size=(n, 4))
    return X, group, hidden


def real_view(q: int, n: int = 600, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """As `two_views` with a real covariate in q dimensions, of which columns 0-1 are linear functions plus noise."""
    rng = np.random.default_rng(seed)
    hidden = np.arange(n) % 3
    covariates = rng.uniform(size=(n, q))
    view = (covariates - 0.5) @ rng.normal(size=(q, 2))
    view *= np.array([4.4, 5.9]) / view.std(axis=0)
    return np.hstack([view, CENTRES[hidden]]) + rng.normal(size=(n, 4)), covariates, hidden


def published(home: Path, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """X, covariate, truth and number of clusters of one of the published sets."""
    with np.load(home / "kcc" / f"{name}.npz") as file:
        if "D" in file:
            X = file["D"].astype(float)
        else:
            rows = len(file["D_indptr"]) - 1
            X = sp.csr_array((file["D_data"], file["D_indices"], file["D_indptr"]), shape=(rows, file["D_shape"].min()))
            X = X.toarray()
        return X, file["C"], file["y"].astype(int), int(file["k"])


def accuracy(labels: np.ndarray, truth: np.ndarray) -> float:
    """Share of points that agree under the best matching of clusters."""
    a, b = (np.unique(v, return_inverse=True)[1] for v in (labels, truth))
    table = np.zeros((a.max() + 1, b.max() + 1))
    np.add.at(table, (a, b), 1)
    rows, columns = linear_sum_assignment(-table)
    return table[rows, columns].sum() / len(a)
