"""The assignment program in whole points, with groups together or apart and clusters that may stay closed, as a MIP.

Points of a block c stay together: they are one point with the weights w_cr, the row coefficients a_qci and the score
G_ci = sum_{j in c} w_j gamma_ij of all of them.

    max  sum_c sum_i G_ci xi_ci - sum_i cost_i z_i
    (1)  sum_i xi_ci = 1                               for every block c
    (2)  l_ir z_i <= sum_c w_cr xi_ci <= u_ir z_i      for every cluster i and size dimension r
    (3)  b_q <= sum_ci a_qci xi_ci <= B_q              side constraints, those of groups apart among them
    (4)  xi_ci <= z_i                                  for blocks of no weight; the others follow from (2)
    (5)  least <= sum_i z_i <= most
    (6)  xi_ci, z_i in {0, 1}
    (7)  c_q <= sum a_q (xi, y) <= C_q                 constraints with columns y of their own

Without clusters that may be closed z_i = 1 and (4), (5) are absent. Some blocks may be fixed: they move to the sides.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...base.checks import instance_of
from ...base.one_line import OneLine
from ..formats.arrays import placed
from ..objectives.interval import ROUNDOFF
from ..polytope.sized_polytope import SLACK
from ..scores.scores import DenseScores, LinearScores
from .assignment import AssignmentModel
from .linear_program import ExplicitProgram
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


@dataclass(frozen=True, eq=False, repr=False)
class WholeAssignmentMIP(OneLine):
    """The program as numbers for a MIP code, whole or over some pairs of block and cluster.

    Parameters
    ----------
    model : AssignmentModel
        Its polytope may ask for whole points, groups together and apart, and clusters that may stay closed.

    Raises
    ------
    InvalidInputError, InfeasibleBoundsError
        When it is not a model, or sums exclude every assignment.
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

    @cached_property
    def stated(self) -> ExplicitProgram:
        """The coefficients, as a minimum of losses and costs; a pair that is not allowed keeps its column."""
        polytope, allowed = self.contracted.polytope, np.isfinite(self.losses)
        slack, rows = polytope.slack, [(r, SLACK * r.extent()) for r in polytope.further]  # as `contains` allows
        further = tuple(r.between(r.lower - by, r.upper + by) for r, by in rows)
        return ExplicitProgram(
            np.where(allowed, self.losses, 0.0), polytope.point_weights, np.maximum(polytope.lower - slack, 0.0),
            np.minimum(polytope.upper + slack, polytope.total), False, allowed, further, True,
            open_costs=polytope.open_costs if polytope.may_close else None, open_numbers=polytope.open_numbers,
            constraints=polytope.formulations(),
        )  # fmt: skip

    @cached_property
    def program(self) -> Program:
        """(1)-(7); columns are the pairs of block and cluster, then z and y."""
        is_plain = self.stated.open_costs is None and not self.stated.constraints
        written = self.stated.two_sided if is_plain else self.stated.program
        return replace(written, name="whole_assignment")

    def over_pairs(self, points: NDArray[np.int64], clusters: NDArray[np.int64], labels: NDArray[np.int64]) -> Program:
        """The program over the pairs (p,) alone, and z and y; blocks that are in no pair stay in their label (b,)."""
        import scipy.sparse as sp

        whole, (b, k) = self.program, self.losses.shape
        fixed = np.ones(b, dtype=bool)
        fixed[points] = False
        stay = np.flatnonzero(fixed) * k + labels[fixed]
        columns = np.append(points * k + clusters, np.arange(b * k, whole.cost.size))
        # rows (1) of fixed blocks hold; what fixed blocks add to the other rows moves to the sides
        rows = np.append(~fixed, np.ones(whole.row_lower.size - b, dtype=bool))
        held = np.asarray(whole.matrix[:, stay].sum(axis=1)).ravel()
        low, up = ((side - held)[rows] for side in (whole.row_lower, whole.row_upper))
        lower = whole.lower.copy()
        # a cluster that holds fixed blocks is open
        if self.stated.open_costs is not None:
            lower[b * k + np.unique(labels[fixed])] = 1.0
        integral = None if whole.integral is None else whole.integral[columns]
        matrix = sp.csc_array(whole.matrix[:, columns].tocsr()[rows])
        return Program(whole.cost[columns], matrix, low, up, lower[columns], whole.upper[columns], integral)

    def columns_of(
        self, labels: NDArray[np.int64], points: NDArray[np.int64], clusters: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Columns of `over_pairs` for a clustering of the blocks (b,) that keeps (5), but for those of (7)."""
        chosen = (labels[points] == clusters).astype(np.float64)
        polytope = self.contracted.polytope
        if not polytope.may_close:
            return chosen
        opened = polytope.opened(labels)
        assert opened is not None
        return np.concatenate([chosen, opened.astype(np.float64)])

    def prices(self, duals: NDArray[np.float64]) -> tuple[NDArray[np.float64], dict[str, NDArray[np.float64]]]:
        """Prices of the sizes (k,), and of side constraints by name, from the duals of the rows of `program`."""
        parts = {block.name: duals[at] for block, at in placed(self.program.rows)}
        found = self.stated.row_duals(lambda name: -parts[name])
        return found[0], {rows.name: nu for rows, nu in zip(self.stated.further, found[1:])}


def rounding_of(model: AssignmentModel, labels: NDArray[np.int64]) -> float:
    """What the total score of the clustering with these labels (n,) can be off by: products, their sums, the total."""
    source, everyone, d = model.score_source, np.arange(labels.size), 0
    if isinstance(source, LinearScores):
        d, moved = source.gradients.shape[1], np.abs(source.coordinates(slice(None)) - source.zero)
        size = (moved * np.abs(source.gradients)[labels]).sum(axis=1) + np.abs(source.offsets)[labels]
    else:
        size = np.abs(source.dense()[everyone, labels])
    return (labels.size + 2 * d + 12) * ROUNDOFF * float((model.point_weights * size).sum())
