"""The search for groups that are alike: rows are dealt at random by kind, and exchanged until nothing helps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from ...base.deadline import Deadline
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.assignment import AssignmentModel
from ...models.scores.scores import DenseScores
from ..assignment.solve import solve
from ..exchange.neighbourhood import DISTANCES, SQUARES, Neighbourhood, block_means
from ..microaggregation.partitioner import standardised

PARTNERS, ALL = 25, 2000  # Partners drawn per row, and the number of rows up to which all are tried.
WORK = 2e8  # Exchanges tried by a search without a time limit.


def spread_columns(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Standardised columns and their standardised squares (n, 2 d): groups alike in these have like spreads, too."""
    columns = standardised(rows)
    return np.concatenate([columns, standardised(columns**2)], axis=1)


def distances(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distances (n, n): the rows themselves where these are symmetric with zeros on the diagonal, otherwise Euclidean,
    between standardised columns."""
    if rows.shape[0] == rows.shape[1] and not rows.diagonal().any() and np.array_equal(rows, rows.T):
        return rows
    columns = standardised(rows)
    return cdist(columns, columns)


def neighbourhood(table: NDArray[np.float64], polytope: PartitionPolytope, far: bool) -> Neighbourhood:
    """Blocks that stay together with their means in a table (n, d), or, with ``far``, distances between them."""
    inner = polytope.contracted
    if far:
        means = table
        if polytope.blocks is not None:
            joined = (polytope.blocks[:, None] == np.arange(inner.n_points)).astype(np.float64)
            means = joined.T @ table @ joined
        means = np.where(np.eye(len(means), dtype=bool), 0.0, means)  # what is inside a block is the same everywhere
    else:
        means = block_means(table, polytope)
    # exchanges within a kind change neither sizes nor shares
    kinds = np.unique(np.column_stack([inner.point_weights, inner.attributes]), axis=0, return_inverse=True)[1].ravel()
    few = 2 * (int(kinds.max()) + 1) <= inner.n_points
    return Neighbourhood.of(
        means, polytope, DISTANCES if far else SQUARES, -1.0 if far else 1.0, kinds=kinds if few else None,
        exchanges=True, partners=0 if far or inner.n_points <= ALL else PARTNERS,
    )  # fmt: skip


def dealt(
    area: Neighbourhood, polytope: PartitionPolytope, rng: np.random.Generator, deadline: Deadline
) -> NDArray[np.int64]:
    """Labels (b,) of blocks dealt at random, kind by kind; from a program with random scores where that breaks what
    the polytope states."""
    inner, k, b = polytope.contracted, polytope.n_clusters, len(area.masses)
    kinds = np.zeros(b) if area.kinds is None else area.kinds
    labels, turns = np.empty(b, dtype=np.int64), rng.permutation(k)
    labels[np.lexsort((rng.random(b), kinds))] = turns[np.arange(b) % k]
    if inner.contains(labels):
        return labels
    model = AssignmentModel(inner.whole(), DenseScores(rng.random((b, k))))
    return solve(model, gap=1.0, time_limit=deadline.left).require_labels()


def searched(
    table: NDArray[np.float64], polytope: PartitionPolytope, far: bool, deadline: Deadline, rng: np.random.Generator
) -> tuple[NDArray[np.int64], float]:
    """Labels (n,) of groups, and their value: the share of variance between them, or the sum of distances within."""
    area = neighbourhood(table, polytope, far)
    b, d = area.means.shape
    start = dealt(area, polytope, rng, deadline)
    trials = b * (area.partners or b) * (1 if far else d)
    rounds = np.inf if deadline.seconds is not None else int(min(WORK / max(trials, 1), 2000)) if b <= ALL else 0
    labels = area.wander(start, rounds, rng, deadline)
    labels = labels if polytope.blocks is None else labels[polytope.blocks]
    return labels, value_of(table, polytope, far, labels)


def value_of(table: NDArray[np.float64], polytope: PartitionPolytope, far: bool, labels: NDArray[np.int64]) -> float:
    """The share of the variance between groups, or the sum of the distances within them."""
    k, weights = polytope.n_clusters, polytope.point_weights
    if far:
        return float(sum(table[np.ix_(labels == i, labels == i)].sum() for i in range(k)) / 2)
    sums = np.column_stack([np.bincount(labels, weights * column, k) for column in table.T])
    sizes, total = np.bincount(labels, weights, k), float(weights @ (table**2).sum(axis=1))
    between = float(((sums**2).sum(axis=1) / np.where(sizes > 0, sizes, 1.0)).sum())
    return between / total if total > 0 else 0.0
