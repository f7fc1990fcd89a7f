"""The assignment program under must-links and cannot-links, as an explicit mixed-integer program.

Must-links are an equivalence relation: its classes c ("blocks") move as one, with size s_c and score
G_ci = sum_{j in c} w_j gamma_ij. With z_ci = 1 when block c lies in cluster i,

    max  sum_c sum_i G_ci z_ci
    (1)  sum_i z_ci = 1                          for every block c
    (2)  l_i <= sum_c s_c z_ci <= u_i            for every cluster i
    (3)  z_ai + z_bi <= 1                        for every cannot-link between blocks a, b and every cluster i
    (4)  z_ci in {0, 1}                          for blocks of several points and blocks in (3)

Further rows (`polytope/rows.py`) join (2) with what they charge the points of a block in all, R_qci, and a block
may go where all of its points may. Single points without cannot-links need no integrality where points have no weights
and there are no further rows: once the others are placed, what is left is an assignment program with whole bounds.
Otherwise (4) holds for all.

With duals mu of (2), further rows among them, and lam >= 0 of (3), of any linear relaxation and however accurate, the
optimum V has the bound

    (5)  V <= sum_c max_i ( G_ci - sum_q mu_q R_qci - sum_{(a,b): c in (a,b)} lam_abi )
              + sum_q (mu_q^+ u_q - mu_q^- l_q) + sum_abi lam_abi

which `dual_bound` evaluates, with the forward error of its sums added.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...base.checks import finite_rows, finite_vector, instance_of
from ..objectives.interval import ROUNDOFF
from ..polytope.links import Links
from ..polytope.magnitudes import powers_of_two
from ..scores.scores import LinearScores
from .assignment import AssignmentModel
from .linear_program import HasLinearProgram, LinearProgram
from .reduction import losses_of

if TYPE_CHECKING:
    import scipy.sparse as sp


@dataclass(frozen=True, eq=False)
class LinkedAssignmentMIP(HasLinearProgram):
    """The assignment program under links as numbers for a MIP code.

    Parameters
    ----------
    model : AssignmentModel
        Scores and bounds.
    links : Links
        Links between the same points.

    Raises
    ------
    InvalidInputError, InfeasibleBoundsError, ContradictoryLinksError
        As `Links.check`.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.models import AssignmentModel, LinkedAssignmentMIP, Links, PartitionPolytope
    >>> polytope = PartitionPolytope(4, 2, 2, n_clusters=2)
    >>> model = AssignmentModel.lsa(np.arange(4.0)[:, None], [[0.0], [3.0]], polytope)
    >>> program = LinkedAssignmentMIP(model, Links(4, must=[(0, 1)], cannot=[(1, 2)]))
    >>> program.gains.shape  # blocks and clusters
    (3, 2)
    >>> bool(program.dual_bound(np.zeros(2), np.zeros((1, 2))) >= model.value([0, 0, 1, 1]))
    True
    """

    model: AssignmentModel
    links: Links

    def __post_init__(self) -> None:
        instance_of(self.model, "model", AssignmentModel)
        instance_of(self.links, "links", Links)
        self.links.check(self.model.polytope)

    @cached_property
    def sizes(self) -> NDArray[np.float64]:
        """s_c (b,): total weight of every block."""
        return np.bincount(self.links.blocks, self.model.point_weights).astype(np.float64)

    @cached_property
    def gains(self) -> NDArray[np.float64]:
        """G (b, k): total score of every block in every cluster."""
        scores = self.model.score_source.dense() * self.model.point_weights[:, None]
        return np.column_stack([np.bincount(self.links.blocks, column) for column in scores.T])

    @cached_property
    def rows(self) -> tuple[sp.csr_array, NDArray[np.float64], NDArray[np.float64]]:
        """Rows (2) as a matrix (q, b k) and their sides: bounds on sizes, then further rows in their order.

        Each is divided by its entry of `scales`.
        """
        matrix, lower, upper = self._rows
        return matrix / self.scales[:, None], lower / self.scales, upper / self.scales

    @cached_property
    def scales(self) -> NDArray[np.float64]:
        """Powers of two (q,) that make the largest coefficients of rows (2) about one; 1 where all are whole."""
        matrix = self._rows[0]
        if not self.model.polytope.further and self.model.polytope.weights is None:
            return np.ones(matrix.shape[0])
        return powers_of_two(abs(matrix).max(axis=1).toarray().ravel())

    def named(self, mu: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """Prices of rows (2) by the names of the polytope, in their own units; InvalidInputError when not one a row."""
        mu = finite_vector(mu, "mu", len(self.scales), "row")
        polytope = self.model.polytope
        ends = np.cumsum([polytope.n_clusters, *(len(rows) for rows in polytope.further)])
        return dict(zip(polytope.row_names, np.split(mu / self.scales, ends[:-1])))

    @cached_property
    def _rows(self) -> tuple[sp.csr_array, NDArray[np.float64], NDArray[np.float64]]:
        """Rows (2) in their own units."""
        import scipy.sparse as sp

        polytope, k = self.model.polytope, self.model.polytope.n_clusters
        lower, upper = [polytope.lower], [np.minimum(polytope.upper, polytope.total)]
        parts = [sp.kron(self.sizes[None, :], sp.eye_array(k))]
        for rows in polytope.further:
            single = rows.matrix(k).tocoo()
            points, clusters = np.divmod(single.col.astype(np.int64), k)
            there = self.links.blocks[points] * k + clusters
            parts.append(sp.coo_array((single.data, (single.row, there)), shape=(len(rows), len(self.sizes) * k)))
            lower.append(rows.lower)
            upper.append(rows.upper)
        return sp.csr_array(sp.vstack(parts)), np.concatenate(lower), np.concatenate(upper)

    @cached_property
    def allowed(self) -> NDArray[np.bool_] | None:
        """Where every block may go (b, k); None where there is no mask."""
        return None if self.model.polytope.allowed is None else self.links.allowed_blocks(self.model.polytope.allowed)

    @cached_property
    def integral(self) -> NDArray[np.bool_]:
        """Blocks (b,) of (4)."""
        if self.model.polytope.weights is not None or self.model.polytope.further:
            return np.ones(len(self.sizes), dtype=bool)
        linked = np.bincount(self.links.blocks) > 1
        linked[self.links.conflicts.ravel()] = True
        return linked

    def constraints(self) -> tuple[sp.csr_array, NDArray[np.float64], NDArray[np.float64]]:
        """Rows (1), (2), (3) as matrix, lower and upper sides; column c k + i is z_ci.

        Returns
        -------
        A : (b + q + m k, b k) scipy.sparse.csr_array
            b blocks, q rows (2), m pairs of blocks that exclude each other.
        row_lower, row_upper : (b + q + m k,) ndarray
            Sides.
        """
        import scipy.sparse as sp

        b, k = self.gains.shape
        pairs = self.links.conflicts
        once = sp.kron(sp.eye_array(b), np.ones((1, k)))
        m = len(pairs)
        rows = np.repeat(np.arange(m), 2)
        apart = sp.coo_array((np.ones(2 * m), (rows, pairs.ravel())), shape=(m, b))
        matrix, lower, upper = self.rows
        A = sp.csr_array(sp.vstack([once, matrix, sp.kron(apart, sp.eye_array(k))]))
        low = np.concatenate([np.ones(b), lower, np.full(m * k, -np.inf)])
        return A, low, np.concatenate([np.ones(b), upper, np.ones(m * k)])

    @property
    def linear_program(self) -> LinearProgram:
        """(1)-(4) as arrays; column c k + i is z_ci."""
        A, low, up = self.constraints()
        whole = np.repeat(self.integral, self.gains.shape[1])
        size = self.gains.size
        most = np.ones(size) if self.allowed is None else self.allowed.ravel().astype(np.float64)
        return LinearProgram(self.gains.ravel(), A.tocsc(), low, up, np.zeros(size), most, whole, maximise=True)

    @cached_property
    def rounding(self) -> float:
        """What the total score of any clustering can be off by: forward errors of the scores and of their sum."""
        return rounding_within(self, self.model.polytope.allowed)

    @cached_property
    def _terms(self) -> tuple[NDArray[np.float64], int]:
        """Sums (n, k) of the absolute terms that make up the scores, and of how many products."""
        source = self.model.score_source
        if not isinstance(source, LinearScores):
            return np.abs(source.dense()), 0
        moved = np.abs(source.coordinates(slice(None)) - source.zero)
        return moved @ np.abs(source.gradients).T + np.abs(source.offsets), source.gradients.shape[1]

    @property
    def trivial_bound(self) -> float:
        """The total score with every block in its best cluster, rounded up."""
        return float(self.permitted(self.gains).max(axis=1).sum()) + self.rounding

    @cached_property
    def losses(self) -> NDArray[np.float64]:
        """What every block loses (b, k) to its best cluster, infinite where it may not go."""
        return losses_of(self.gains, self.allowed)

    def permitted(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The values (b, k), minus infinity where a block may not go; InvalidInputError when they are no such array."""
        values = finite_rows(values, "values", *self.gains.shape)
        return values if self.allowed is None else np.where(self.allowed, values, -np.inf)

    def dual_bound(self, mu: NDArray[np.float64], lam: NDArray[np.float64]) -> float:
        """The right-hand side of (5) for mu (q,) and lam (m, k), rounded up; any mu and any lam >= 0 give a bound.

        Raises
        ------
        InvalidInputError
            When their shapes are others, or a number is not finite.
        """
        mu = finite_vector(mu, "mu", len(self.scales), "row")
        lam = finite_rows(lam, "lam", len(self.links.conflicts), self.gains.shape[1])
        lam, (matrix, lower, upper) = np.maximum(lam, 0.0), self.rows
        side = np.where(mu > 0, upper, lower)
        mu, side = np.where(np.isfinite(side), mu, 0.0), np.where(np.isfinite(side), side, 0.0)
        net = self.gains - np.reshape(mu @ matrix, self.gains.shape)
        for pair in (0, 1):
            np.subtract.at(net, self.links.conflicts[:, pair], lam)
        used = mu * side
        size = np.abs(net) if self.allowed is None else np.where(self.allowed, np.abs(net), 0.0)
        terms = float(size.max(axis=1).sum() + np.abs(used).sum() + 4.0 * lam.sum())
        terms += float(np.reshape(np.abs(mu) @ abs(matrix), net.shape).max(axis=1).sum())
        error = self.rounding + (len(net) + len(mu) + lam.size + 8) * ROUNDOFF * terms
        return float(self.permitted(net).max(axis=1).sum() + used.sum() + lam.sum()) + error


def rounding_within(program: LinkedAssignmentMIP, allowed: NDArray[np.bool_] | None) -> float:
    """What the total score of a clustering that uses the pairs of a mask (n, k) alone can be off by."""
    sizes = program._terms[0]
    return _rounded(program, (sizes if allowed is None else np.where(allowed, sizes, 0.0)).max(axis=1))


def rounding_of(program: LinkedAssignmentMIP, labels: NDArray[np.int64]) -> float:
    """What the total score of the clustering with these labels (n,) can be off by."""
    return _rounded(program, program._terms[0][np.arange(labels.size), labels])


def _rounded(program: LinkedAssignmentMIP, size: NDArray[np.float64]) -> float:
    n, d = program.model.score_source.shape[0], program._terms[1]
    return (n + 2 * d + 12) * ROUNDOFF * float((program.model.point_weights * size).sum())
