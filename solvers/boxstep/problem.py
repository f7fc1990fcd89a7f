"""The program with all its rows on clusters in one list, and the pass that prices out every pair.

    max  sum_j w_j sum_i gamma_ij xi_ij
    (1)  sum_i xi_ij = 1                              for every point j
    (2)  b_q <= sum_j (A_j . c_q) xi_{i(q) j} <= B_q  rows of one cluster: its sizes, and shares of groups in it
    (3)  b_q <= sum_ij a_qij xi_ij <= B_q             custom rows
    (4)  xi_ij = 0                                    for pairs that are not allowed

The first attribute is the weight of the points. Every row is divided by its largest coefficient, so that its price is
measured in the scores of a point.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...models.certificates.priced_out_rows import net_of
from ...models.programs.assignment import AssignmentModel
from ...models.scores.scores import DenseScores, Scores

if TYPE_CHECKING:
    import scipy.sparse as sp

BLOCK_NUMBERS = 1 << 20  # Scores per block of rows.


@dataclass(frozen=True, eq=False)
class OpenProblem:
    """Data of the program; prices are one vector (q,), rows (2) first."""

    scores: Scores  # gamma
    weights: NDArray[np.float64] | None  # (n,): Weights w; None for ones.
    attributes: NDArray[np.float64]  # (n, r): A
    clusters: NDArray[np.int64]  # (q2,): Cluster i(q) of the rows (2).
    coefficients: NDArray[np.float64]  # (q2, r): Coefficients c_q, divided by the scale of the row.
    sparse: Any  # (q3, n k): A of the rows (3), divided likewise.
    lower: NDArray[np.float64]  # (q,): Bounds b, divided likewise.
    upper: NDArray[np.float64]  # (q,): B, divided likewise.
    scales: NDArray[np.float64]  # (q,): Divisors of the rows.
    relative: NDArray[np.bool_]  # (q2,): Rows whose bounds do not grow with the number of points.
    allowed: NDArray[np.bool_] | None  # (n, k): Pairs that are allowed.
    names: tuple[tuple[str, int], ...] = ()  # Names of the rows, in order, and the number of rows of each.

    @classmethod
    def of(cls, model: AssignmentModel) -> OpenProblem:
        """The problem of a model."""
        import scipy.sparse as sp

        polytope, k, table = model.polytope, model.polytope.n_clusters, model.polytope.row_table
        # every row by its largest coefficient: prices are then of the size of scores
        divide, q2 = np.where(table.largest == 0, 1.0, table.largest), len(table.clusters)
        # an upper bound on sizes beyond all weight is cut off there: prices then have a bound to point to
        upper = np.append(np.minimum(polytope.upper, polytope.total), table.upper[k:])
        relative = [np.full(len(rows), rows.relative) for rows in polytope.all_rows]
        has_pairs = table.pairs.shape[0] > 0
        return cls(
            model.score_source,
            polytope.weights,
            table.attributes,
            table.clusters,
            table.coefficients / divide[:q2, None],
            sp.csr_array(sp.diags_array(1.0 / divide[q2:]) @ table.pairs) if has_pairs else None,
            table.lower / divide,
            upper / divide,
            divide,
            np.concatenate(relative)[:q2],
            polytope.allowed,
            tuple((rows.name, len(rows)) for rows in polytope.all_rows),
        )

    @property
    def shape(self) -> tuple[int, int]:
        """(n, k)."""
        return self.scores.shape

    def proper(self, prices: NDArray[np.float64]) -> NDArray[np.float64]:
        """Prices that point to a bound where there is one, others set to zero."""
        priced = np.where(prices > 0, np.isfinite(self.upper), np.isfinite(self.lower))
        return np.where(priced & np.isfinite(prices), prices, 0.0)

    def at(self, prices: NDArray[np.float64]) -> Callable[[int, int], NDArray[np.float64]]:
        """Net scores at prices, as a function of a range start..stop of points."""
        import scipy.sparse as sp

        k, q2 = self.shape[1], len(self.clusters)
        charges = np.zeros((k, self.attributes.shape[1]))
        np.add.at(charges, self.clusters, prices[:q2, None] * self.coefficients)
        singly = None if self.sparse is None else sp.csr_array(np.reshape(prices[q2:] @ self.sparse, self.shape))

        def block(start: int, stop: int) -> NDArray[np.float64]:
            return net_of(self.scores, self, self.attributes, charges.T, singly, start, stop)

        return block

    def blocks(self) -> list[tuple[int, int]]:
        """Ranges of points that are priced together."""
        n, k = self.shape
        step = max(BLOCK_NUMBERS // k, 1)
        return [(start, min(start + step, n)) for start in range(0, n, step)]

    def columns(self, points: NDArray[np.int64], clusters: NDArray[np.int64]) -> sp.csc_array:
        """Coefficients (q, p) of the pairs (p,) in the rows (2) and (3)."""
        import scipy.sparse as sp

        order = np.argsort(self.clusters, kind="stable")
        starts = np.searchsorted(self.clusters[order], np.arange(self.shape[1] + 1))
        counts = np.diff(starts)[clusters]
        where = np.repeat(starts[:-1][clusters], counts) + _counted(counts)
        rows, pair = order[where], np.repeat(np.arange(points.size), counts)
        values = np.einsum("er,er->e", self.coefficients[rows], self.attributes[points[pair]])
        matrix = sp.csc_array((values, (rows, pair)), shape=(len(self.clusters), points.size))
        if self.sparse is None:
            return matrix
        return sp.csc_array(sp.vstack([matrix, self._by_pair[:, points * self.shape[1] + clusters]]))

    @cached_property
    def _by_pair(self) -> sp.csc_array:
        return self.sparse.tocsc()

    def activity(self, labels: NDArray[np.int64]) -> NDArray[np.float64]:
        """Left-hand sides (q,) of the rows for whole points."""
        n, k = self.shape
        sums = np.column_stack([np.bincount(labels, column, k) for column in self.attributes.T])
        found = (sums[self.clusters] * self.coefficients).sum(axis=1)
        if self.sparse is None:
            return found
        xi = np.zeros(n * k)
        xi[np.arange(n) * k + labels] = 1.0
        return np.concatenate([found, self.sparse @ xi])

    def without_scores(self) -> OpenProblem:
        """The same rows with all scores zero: what is left is whether they can hold together."""
        return replace(self, scores=DenseScores(np.broadcast_to(0.0, self.shape)))

    @cached_property
    def usual(self) -> NDArray[np.float64]:
        """Mean absolute coefficient (q,) of a point: what a unit of a price usually charges."""
        mean = np.abs(self.attributes).mean(axis=0)
        found = np.abs(self.coefficients) @ mean
        if self.sparse is not None:
            held = np.maximum(np.diff(self.sparse.indptr), 1)
            found = np.concatenate([found, np.asarray(abs(self.sparse).sum(axis=1)).ravel() / held])
        return np.where(found > 0, found, 1.0)

    @cached_property
    def reactions(self) -> NDArray[np.float64]:
        """By how much prices move the net scores of every point (n,), relative to a point of mean attributes."""
        mean = np.abs(self.attributes).mean(axis=0)
        found = (np.abs(self.attributes) / np.where(mean > 0, mean, 1.0)).sum(axis=1)
        if self.sparse is not None:
            by_pair = (1.0 / self.usual[len(self.clusters) :]) @ abs(self.sparse)
            found += by_pair.reshape(self.shape).max(axis=1)
        return np.maximum(found, 1e-12 * found.max(initial=1.0))

    @cached_property
    def extent(self) -> NDArray[np.float64]:
        """Largest absolute value (q,) that the left-hand sides can take."""
        found = np.abs(self.coefficients) @ np.abs(self.attributes).sum(axis=0)
        if self.sparse is None:
            return found
        return np.concatenate([found, np.asarray(abs(self.sparse).sum(axis=1)).ravel()])

    def flat(self, prices: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64]:
        """Prices by name, in the units of the rows, as one vector in the units of this problem; others are zero."""
        listed = [np.asarray(prices.get(name, np.zeros(size)), dtype=np.float64) for name, size in self.names]
        return self.proper(np.concatenate(listed) * self.scales)

    def named(self, prices: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """Inverse of `flat`."""
        ends = np.cumsum([size for _, size in self.names])
        parts = np.split(prices / self.scales, ends[:-1])
        return dict(zip((name for name, _ in self.names), parts))


def _counted(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """0, 1, ... counts_0 - 1, 0, 1, ... counts_1 - 1, and so on."""
    ends = np.cumsum(counts)
    return np.arange(ends[-1] if ends.size else 0) - np.repeat(ends - counts, counts)
