"""The assignment program in whole points, with groups together or apart and clusters that may stay closed, as a MIP.

Points of a block c stay together: they are one point with the weights w_cr, the row coefficients a_qci and the score
G_ci = sum_{j in c} w_j gamma_ij of all of them.

    max  sum_c sum_i G_ci xi_ci - sum_i cost_i z_i
    (1)  sum_i xi_ci = 1                               for every block c
    (2)  l_ir z_i <= sum_c w_cr xi_ci <= u_ir z_i      for every cluster i and size dimension r
    (3)  b_q <= sum_ci a_qci xi_ci <= B_q              further rows, those of groups apart among them
    (4)  xi_ci <= z_i                                  for blocks of no weight; the others follow from (2)
    (5)  least <= sum_i z_i <= most
    (6)  xi_ci, z_i in {0, 1}
    (7)  c_q <= sum a_q (xi, y) <= C_q                 constraints with columns y of their own

Without clusters that may be closed z_i = 1 and (4), (5) are absent. Some blocks may be fixed: they move to the sides.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.checks import instance_of
from ..objectives.interval import ROUNDOFF
from ..polytope.rows import AttributeRows
from ..scores.scores import DenseScores, LinearScores
from .assignment import AssignmentModel
from .program import Program
from .reduction import losses


def contracted_model(model: AssignmentModel) -> AssignmentModel:
    """The model in which every block of points that stay together is one point; O(n k)."""
    blocks = model.polytope.blocks
    if blocks is None:
        return model
    polytope, weights = model.polytope.contracted, model.point_weights
    total = np.column_stack([
        np.bincount(blocks, column * weights) for column in model.score_source.dense().T
    ])  # fmt: skip
    scores = total / np.where(polytope.weights > 0, polytope.weights, 1.0)[:, None]
    return AssignmentModel(polytope, DenseScores(scores))


@dataclass(frozen=True, eq=False)
class WholeAssignmentMIP:
    """The program as numbers for a MIP code, whole or over some pairs of block and cluster.

    Parameters
    ----------
    model : AssignmentModel
        Its polytope may ask for whole points, groups together and apart, and clusters that may stay closed.

    Raises
    ------
    InvalidInputError, InfeasibleBoundsError
        When it is no model, or sums exclude every assignment.
    CapabilityError
        When a constraint has no rows.

    Examples
    --------
    >>> from partitope.models import AssignmentModel, PartitionPolytope, WholeAssignmentMIP
    >>> polytope = PartitionPolytope(3, [2, 2], [4, 4], [1, 2, 3]).together(["a", "a", None])
    >>> WholeAssignmentMIP(AssignmentModel(polytope, [[1, 0], [0, 1], [0, 1]])).program.cost.size
    4
    """

    model: AssignmentModel

    def __post_init__(self) -> None:
        instance_of(self.model, "model", AssignmentModel)
        self.model.polytope.check()

    @cached_property
    def contracted(self) -> AssignmentModel:
        """The model of blocks."""
        return contracted_model(self.model)

    @cached_property
    def losses(self) -> NDArray[np.float64]:
        """What every block loses (b, k) to its best cluster, infinite where it may not go."""
        return losses(self.contracted)

    @property
    def program(self) -> Program:
        """(1)-(6) as a minimum of losses and costs; columns are the pairs of block and cluster, then the clusters."""
        b, k = self.losses.shape
        return self.over_pairs(*np.divmod(np.arange(b * k), k), np.zeros(b, dtype=np.int64))

    def over_pairs(self, points: NDArray[np.int64], clusters: NDArray[np.int64], labels: NDArray[np.int64]) -> Program:
        """The program over the pairs (p,) alone; blocks that are in none of them stay in their label (b,).

        Columns are the pairs in their order, then z_i where clusters may be closed.
        """
        import scipy.sparse as sp

        polytope, lost = self.contracted.polytope, self.losses
        k, openings = polytope.n_clusters, polytope.openings
        # blocks without a free pair stay where they are: they have no column, and their part moves to the sides
        free = np.zeros(len(lost), dtype=bool)
        free[points] = True
        fixed = np.flatnonzero(~free)
        place = np.cumsum(free) - 1
        p, pairs = points.size, np.arange(points.size)
        # every free block is in one cluster
        once = sp.csr_array((np.ones(p), (place[points], pairs)), shape=(int(free.sum()), p))
        parts: list[tuple[Any, Any, Any]] = [(once, *np.ones((2, once.shape[0])))]
        weights = polytope.point_weights
        sizes = sp.csr_array((weights[points], (clusters, pairs)), shape=(k, p))
        bound = [(sizes, np.bincount(labels[fixed], weights[fixed], k), polytope.lower, polytope.upper, True)]
        for rows in polytope.further:
            # activity of the fixed blocks moves to the sides
            if isinstance(rows, AttributeRows):
                columns: Any = sp.csr_array(rows.columns(points, clusters, k))
                held = rows.columns(fixed, labels[fixed], k).sum(axis=1)
            else:
                columns = sp.csr_array(rows.coefficients[:, points * k + clusters])
                held = np.asarray(rows.coefficients[:, fixed * k + labels[fixed]].sum(axis=1)).ravel()
            size = rows.is_size
            bound.append((columns, held, rows.lower, rows.upper, size))
        # a pair that is not allowed keeps its column, fixed at zero, so that columns are pairs
        cost, upper = lost[points, clusters], np.isfinite(lost[points, clusters]).astype(np.float64)
        cost = np.where(upper > 0, cost, 0.0)
        if openings is None:
            parts += [(columns, low - held, up - held) for columns, held, low, up, _ in bound]
            width = p
        else:
            # a column more a cluster says whether it is open: its bounds on sizes are times that column
            width = p + k
            parts = [(_widened(matrix, k), low, up) for matrix, low, up in parts]
            for columns, held, low, up, size in bound:
                if not size:
                    parts.append((_widened(columns, k), low - held, up - held))
                    continue
                most = np.minimum(up, float(weights.sum()) if columns is sizes else np.inf)
                most = np.where(np.isfinite(most), most, float(columns.sum() + held.sum()))
                parts.append((sp.hstack([columns, sp.diags_array(-low)]), -held, np.full(k, np.inf)))
                parts.append((sp.hstack([columns, sp.diags_array(-most)]), np.full(k, -np.inf), -held))
            # points without weight open no cluster by its size: they are tied to the column themselves
            light = np.flatnonzero(weights[points] <= 0)
            tied = sp.csr_array((np.ones(light.size), (np.arange(light.size), light)), shape=(light.size, p))
            held_by = sp.csr_array((-np.ones(light.size), (np.arange(light.size), clusters[light])),
                                   shape=(light.size, k))  # fmt: skip
            parts.append((sp.hstack([tied, held_by]), np.full(light.size, -np.inf), np.zeros(light.size)))
            count = sp.hstack([sp.csr_array((1, p)), sp.csr_array(np.ones((1, k)))])
            parts.append((count, np.array([float(openings.least)]), np.array([float(openings.most)])))
            cost, upper = np.concatenate([cost, openings.cost]), np.append(upper, np.ones(k))
        whole = np.ones(width, dtype=bool)
        for own in polytope.formulations().values():
            count = len(lost) * k
            held = np.asarray(own.matrix[:, fixed * k + labels[fixed]].sum(axis=1)).ravel()
            columns = sp.hstack([
                own.matrix[:, points * k + clusters], sp.csr_array((len(held), width - p)), own.matrix[:, count:]
            ])  # fmt: skip
            parts = [(_widened(matrix, own.width), low, up) for matrix, low, up in parts]
            parts.append((columns, own.lower - held, own.upper - held))
            upper = np.concatenate([upper, *(np.full(part.length, part.upper) for part in own.columns)])
            whole = np.concatenate([whole, *(np.full(part.length, part.integral) for part in own.columns)])
            cost, width = np.append(cost, np.zeros(own.width)), width + own.width
        matrix = sp.csc_array(sp.vstack([part for part, _, _ in parts]))
        low, up = (np.concatenate([part[side] for part in parts]) for side in (1, 2))
        lower = np.zeros(width)
        # a cluster that holds fixed blocks is open
        if openings is not None:
            lower[p + np.unique(labels[fixed])] = 1.0
        return Program(cost, matrix, low, up, lower, upper, whole, name="whole_assignment")

    def columns_of(
        self, labels: NDArray[np.int64], points: NDArray[np.int64], clusters: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Columns of `over_pairs` for a clustering of the blocks (b,) that keeps (5), but for those of (7)."""
        chosen = (labels[points] == clusters).astype(np.float64)
        polytope = self.contracted.polytope
        if polytope.openings is None:
            return chosen
        opened = polytope.openings.chosen(polytope, labels)
        assert opened is not None
        return np.concatenate([chosen, opened.astype(np.float64)])

    def prices(self, duals: NDArray[np.float64]) -> tuple[NDArray[np.float64], dict[str, NDArray[np.float64]]]:
        """Prices of the sizes (k,), and of further rows by name, from the duals of the rows of `program`."""
        polytope, start = self.contracted.polytope, len(self.losses)
        k, found = polytope.n_clusters, []
        for rows in (None, *polytope.further):
            size = rows is None or rows.is_size
            count = k if rows is None else len(rows)
            times = 2 if size and polytope.openings is not None else 1  # a row for each bound
            found.append(-duals[start : start + times * count].reshape(times, count).sum(axis=0))
            start += times * count
        return found[0], {rows.name: nu for rows, nu in zip(polytope.further, found[1:])}

    def relaxed_model(self) -> AssignmentModel:
        """The contracted model with divided blocks, where no cluster may be closed: what the engine solves."""
        model = self.contracted
        return replace(model, polytope=model.polytope.relaxed)


def rounding_of(model: AssignmentModel, labels: NDArray[np.int64]) -> float:
    """What the total score of the clustering with these labels (n,) can be off by: products, their sums, the total."""
    source, everyone, d = model.score_source, np.arange(labels.size), 0
    if isinstance(source, LinearScores):
        d, moved = source.gradients.shape[1], np.abs(source.coordinates(slice(None)) - source.zero)
        size = (moved * np.abs(source.gradients)[labels]).sum(axis=1) + np.abs(source.offsets)[labels]
    else:
        size = np.abs(source.dense()[everyone, labels])
    return (labels.size + 2 * d + 12) * ROUNDOFF * float((model.point_weights * size).sum())


def _widened(matrix: Any, k: int) -> Any:
    """A matrix with k more columns of zeros."""
    import scipy.sparse as sp

    return sp.hstack([matrix, sp.csr_array((matrix.shape[0], k))])
