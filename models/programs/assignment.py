"""The assignment program: the best clustering for given scores, a linear program over the polytope.

    max  sum_j w_j sum_i gamma_ij xi_ij   over  PartitionPolytope (1)-(3)

    CSA  gamma_ij = a_i . x_j                       cluster sum assignment, sites usually of unit length
    LSA  gamma_ij = |x_j - c|^2 - |x_j - a_i|^2     least-squares assignment, for any origin c

With unit sites both have the same solutions (dissertation, Theorem 4.1.16); without, they differ
(Example 4.1.17). Dual, prices and signs: see `certificate`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import as_array, as_floats, checked_labels, instance_of, refuse_missing
from ...base.errors import CapabilityError, InvalidInputError
from ...base.one_line import OneLine
from ...base.record import Record
from ...output.files import write_atomically
from ..formats.modelling import networkx_graph
from ..formats.solver_files import SUFFIXES, check_suffix, program_lines
from ..polytope.kinds import NETWORK
from ..polytope.magnitudes import LARGEST, magnitude, refuse_large, refuse_large_products
from ..polytope.polytope import PartitionPolytope
from ..polytope.records import polytope_record
from ..scores.losses import warn_of_huge
from ..scores.scores import (
    PART_NUMBERS,
    AffineScores,
    DenseScores,
    Kind,
    LinearScores,
    Scores,
    dense_rows,
    near_origin,
)
from .linear_program import ExplicitProgram
from .program import Program

if TYPE_CHECKING:
    import cvxpy as cp
    import highspy
    import networkx as nx
    import pyomo.environ as pyo

FORMAT, VERSION = "partitope.assignment", 1  # Of instances as ``.json``.


@dataclass(frozen=True, eq=False, repr=False)
class AssignmentModel(OneLine):
    """Linear program: maximise the total score of an assignment within size bounds.

    Parameters
    ----------
    polytope : PartitionPolytope
        Feasible set, with the points' weights.
    scores : (n, k) array_like, LinearScores or DenseScores
        ``scores[j, i]`` is gamma_ij, the value per unit of weight of point j in cluster i. In a matrix -inf says that
        the point is not allowed there, as `PartitionPolytope.allow` does.
    kind : {"csa", "lsa"} or None
        How the scores came from sites; set by `csa` and `lsa`.
    sites : (k, d) ndarray or None
        The sites behind the scores.
    minimised : bool
        Whether the scores are costs with their sign turned, as `of_costs` makes them: `cost` is then their sum.
    names : (rows, columns) or None
        Names of the points and of the clusters; by default those of a DataFrame of scores or costs.

    Raises
    ------
    InvalidInputError
        When shapes disagree, a score is NaN or inf, or scores are so large that sums of them could overflow.
    InfeasibleBoundsError
        When all scores of a point are -inf, or those that are not belong to pairs that the polytope does not allow.

    Warns
    -----
    UserWarning
        When some pairs cost so much more than the others that they seem to stand for "not allowed".

    Notes
    -----
    Data only: `partitope.solvers.assignment.solve` finds the optimum.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.models import AssignmentModel, PartitionPolytope
    >>> X = np.array([[0.0], [1.0], [5.0]])
    >>> model = AssignmentModel.lsa(X, [[0.0], [5.0]], PartitionPolytope(3, 1, 2, n_clusters=2))
    >>> model.cost([0, 0, 1])
    1.0
    """

    polytope: PartitionPolytope
    scores: NDArray[np.float64] | Scores
    kind: Kind | None = None
    sites: NDArray[np.float64] | None = None
    minimised: bool = False
    names: tuple[Any, Any] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        instance_of(self.polytope, "polytope", PartitionPolytope)
        source, barred = self.scores, None
        if self.names is None:
            object.__setattr__(self, "names", _names(source))
        if not isinstance(source, (LinearScores, DenseScores)):
            source, barred = _dense(source)
        expected = (self.polytope.n_points, self.polytope.n_clusters)
        if source.shape != expected:
            raise InvalidInputError(
                f"scores has shape {source.shape}, the polytope (n_points, n_clusters)={expected}: make them agree"
            )
        if isinstance(source, LinearScores):
            for name in ("gradients", "offsets", "origin"):
                refuse_large(f"scores.{name}", magnitude(getattr(source, name)))
        if barred is not None:
            object.__setattr__(self, "polytope", self.polytope.allow(~barred))
        if source is not self.scores:  # a matrix as it was given
            warn_of_huge(source.rows(0, expected[0]), self.polytope.allowed)
        object.__setattr__(self, "scores", source)

    @classmethod
    def csa(cls, X: ArrayLike, sites: ArrayLike, polytope: PartitionPolytope) -> AssignmentModel:
        """Cluster sum assignment: gamma_ij = a_i . x_j, for X (n, d) and sites (k, d)."""
        points, a = _points(X), _sites(sites)
        _same_dimension(points, a)
        refuse_large_products(points, squared=False, sites=a)
        return cls(polytope, AffineScores.csa(a, np.zeros(points.shape[1])).on(points), "csa", a)

    @classmethod
    def lsa(
        cls, X: ArrayLike, sites: ArrayLike, polytope: PartitionPolytope, origin: ArrayLike | None = None
    ) -> AssignmentModel:
        """Least-squares assignment: minimise sum |x_j - a_i|^2, written as a maximisation.

        ``origin`` (d,) is c in the module's formula, by default the mean of X, or the median where few points are so
        far away that the others would lose their digits. It changes no solution and no price, only the constant
        between `value` and `cost`.
        """
        points, a = _points(X), _sites(sites)
        _same_dimension(points, a)
        if origin is None:
            refuse_large_products(points, sites=a)
            c = near_origin(points, points.mean(axis=0, dtype=np.float64))
        else:
            given = as_floats(origin, "origin")
            if given.shape not in ((), (1,), points.shape[1:]):
                raise InvalidInputError(f"origin has shape {given.shape}, expected ({points.shape[1]},) or one number")
            c = np.array(np.broadcast_to(given, points.shape[1:]))
            refuse_large("origin", magnitude(c))
            refuse_large_products(points, sites=a, origin=c)
        return cls(polytope, AffineScores.lsa(a - c, c).on(points), "lsa", a)

    @classmethod
    def of_costs(cls, polytope: PartitionPolytope, costs: ArrayLike) -> AssignmentModel:
        """Minimise sum_j w_j sum_i c_ij xi_ij for costs c (n, k).

        Parameters
        ----------
        polytope : PartitionPolytope
            Feasible set, with the points' weights.
        costs : (n, k) array_like
            Cost per unit of weight of point j in cluster i; inf, NaN or None says that it is not allowed there.

        Raises
        ------
        InvalidInputError
            When shapes disagree, or a cost is -inf.
        InfeasibleBoundsError
            When no pair of a point is allowed.

        Examples
        --------
        >>> from partitope.models import AssignmentModel, PartitionPolytope
        >>> model = AssignmentModel.of_costs(PartitionPolytope(2, 1, 1, n_clusters=2), [[1, 4], [2, None]])
        >>> model.cost([1, 0])
        6.0
        """
        table = np.array(as_array(costs, "costs"))
        if table.dtype == object:
            table[table == None] = np.nan  # noqa: E711
        values = np.array(as_floats(table, "costs"))
        if np.isneginf(values).any():
            j, i = np.argwhere(np.isneginf(values))[0][:2]
            raise InvalidInputError(
                f"costs[{j}, {i}] is -inf: costs are minimised; use fix() for a pair that has to be"
            )
        return replace(cls(polytope, -np.where(np.isnan(values), np.inf, values), names=_names(costs)), minimised=True)

    @property
    def has_cost(self) -> bool:
        """Whether solutions have a `cost`: the scores are a constant minus squares, or costs with their sign turned."""
        return self.minimised or self.kind == "lsa"

    @property
    def score_source(self) -> Scores:
        """The scores as an object with ``shape``, ``rows(start, stop)`` and ``dense()``."""
        return self.scores  # type: ignore[return-value]

    @property
    def point_weights(self) -> NDArray[np.float64]:
        """Weights (n,), ones when the polytope has none."""
        return self.polytope.point_weights

    def without_mask(self) -> AssignmentModel:
        """The same program with every pair allowed, at scores so low that no optimum uses the others.

        Notes
        -----
        Exact: an exchange that frees a point from a pair that is not allowed moves at most k points, each at a loss of
        at most the largest range of a point's scores, and gains k + 2 times that. Where the optimum uses such a pair
        there is no assignment without. O(n k) memory.
        """
        polytope = self.polytope
        if polytope.allowed is None:
            return self
        scores, best, most = np.empty(self.score_source.shape), np.empty(polytope.n_points), 0.0
        step = max(PART_NUMBERS // polytope.n_clusters, 1)
        blocks = [slice(start, min(start + step, len(scores))) for start in range(0, len(scores), step)]
        for block in blocks:
            part, mask = self.score_source.rows(block.start, block.stop), polytope.allowed[block]
            scores[block], best[block] = part, np.where(mask, part, -np.inf).max(axis=1)
            most = max(most, float((best[block] - np.where(mask, part, np.inf).min(axis=1)).max()))
        worst = best - (polytope.n_clusters + 3) * (most or 1.0)
        for block in blocks:
            scores[block] = np.where(polytope.allowed[block], scores[block], worst[block, None])
        return AssignmentModel(polytope.of_all_pairs, DenseScores(scores))

    def value(self, labels: ArrayLike) -> float:
        """Objective sum_j w_j gamma_{label_j, j} of a clustering (n,), less what its open clusters cost; -inf where it
        uses a pair that is not allowed, or no choice of open clusters fits.

        Raises
        ------
        InvalidInputError
            When the labels are not one of 0..k-1 a point.
        """
        y = checked_labels(labels, self.polytope.n_points, self.polytope.n_clusters)
        allowed, source, total, step = self.polytope.allowed, self.score_source, 0.0, 65_536
        if allowed is not None and not allowed[np.arange(y.size), y].all():
            return -np.inf
        for start in range(0, y.size, step):
            gamma = source.rows(start, min(start + step, y.size))
            part = gamma[np.arange(len(gamma)), y[start : start + step]]
            total += float((part * self.point_weights[start : start + step]).sum())
        opened = self.polytope.opened(y) if self.polytope.may_close else ()
        return -np.inf if opened is None else total - float(self.polytope.open_costs[opened].sum())

    def cost(self, labels: ArrayLike) -> float:
        """Least-squares cost sum_j w_j |x_j - a_{label_j}|^2 of a clustering, or its total cost after `of_costs`.

        Raises
        ------
        InvalidInputError
            When the model was made by neither `lsa` nor `of_costs`, or the labels are not one of 0..k-1 a point.
        """
        if self.minimised:
            return -self.value(labels)
        if self.kind != "lsa" or self.sites is None or not isinstance(self.scores, LinearScores):
            raise InvalidInputError("cost() needs a model made by AssignmentModel.lsa or of_costs: use value() instead")
        y = checked_labels(labels, self.polytope.n_points, self.polytope.n_clusters)
        X, total, step = self.scores.X, 0.0, 65_536
        for start in range(0, y.size, step):
            block = dense_rows(X, slice(start, start + step)) - self.sites[y[start : start + step]]
            total += float(np.einsum("jd,jd,j->", block, block, self.point_weights[start : start + step]))
        return total

    @property
    def explicit(self) -> ExplicitProgram:
        """The coefficients as they stand: maximise the total score, or minimise the total cost; O(n k)."""
        weights, polytope = self.point_weights, self.polytope
        cost = self.score_source.dense() * (weights if not self.minimised else -weights)[:, None]
        return ExplicitProgram(
            cost, weights, polytope.lower, np.minimum(polytope.upper, polytope.total), not self.minimised,
            polytope.allowed, polytope.further, polytope.whole_points, polytope.blocks,
            polytope.open_costs if polytope.may_close else None, polytope.open_numbers, polytope.formulations(),
        )  # fmt: skip

    @property
    def program(self) -> Program:
        """The program as arrays with named blocks, without the redundant bounds xi_ij <= 1: ``program.dualize()`` is
        the program of the prices."""
        return self.explicit.program

    def to_pyomo(self) -> pyo.ConcreteModel:
        """The unsolved program as a `pyomo.environ.ConcreteModel`.

        Returns
        -------
        ConcreteModel
            Variables ``assign[point, cluster]`` and ``open[cluster]``, binary where points are whole; constraints
            ``point[point]``, ``size_lower[cluster]``, ``size_upper[cluster]``, ``rows1_lower`` and so on for further
            rows (``doc`` is their name), ``together[point, cluster]``, ``open_if``, ``open_least`` and ``open_most``;
            objective ``total_score`` (maximise), or ``total_cost`` (minimise) after `of_costs`.

        Notes
        -----
        Add rows of your own, solve it, and hand it to `partitope.solvers.read_back`.
        """
        return self.explicit.bounded.to_pyomo()

    def to_cvxpy(self) -> cp.Problem:
        """The unsolved program as a `cvxpy.Problem` with the variable ``assign`` (n, k), and ``open`` (k,) where
        clusters may stay closed; the label of a constraint is the name that `to_pyomo` has for it."""
        return self.explicit.bounded.to_cvxpy()

    def to_highs(self, *, names: bool = True) -> highspy.Highs:
        """The unsolved program in a `highspy.Highs`, named as in the files of `write` unless ``names`` is False."""
        return self.explicit.bounded.to_highs(names=names)

    def to_networkx(self) -> nx.DiGraph:
        """The program as the minimum-cost flow problem of a `networkx.DiGraph`; ``weight`` is the cost, or minus the
        score.

        Raises
        ------
        CapabilityError
            When points have weights, which are real numbers, where networkx's flows are integers; when there are
            side constraints, groups that stay together, or clusters that may stay closed.
        """
        refused = [kind for kind in self.polytope.kinds if kind not in NETWORK]
        if refused:
            raise CapabilityError(
                f"a network of integer flows cannot hold the {' and '.join(refused)} of the polytope: use to_pyomo"
            )
        program = self.explicit
        cost = -program.cost if program.maximise else program.cost
        return networkx_graph(cost, program.lower, program.upper, program.allowed)

    def write(self, path: str | Path) -> Path:
        """Write the program to a file: ``.mps`` or ``.lp`` for solvers, ``.json`` for `read_instance`.

        Files for solvers call the share of point J in cluster I ``assign_J_I``; comments at the head say which rows
        bound what. They minimise minus the total score, or the total cost: not every reader knows of maximisation.

        Raises
        ------
        InvalidInputError
            When the suffix is another one.
        """
        file = check_suffix(path, (*SUFFIXES, ".json"))
        if file.suffix.lower() == ".json":
            return write_atomically(file, json.dumps(_record(self), allow_nan=False) + "\n")
        program = self.explicit
        lines = program_lines(program.bounded, program.comments(self.polytope.row_names), file.suffix.lower())
        return write_atomically(file, "\n".join(lines) + "\n")


def _record(model: AssignmentModel) -> Record:
    """What a ``.json`` holds."""
    source = model.score_source
    record: dict[str, object] = {
        "format": FORMAT,
        "version": VERSION,
        "sense": "min" if model.minimised else "max",
        **polytope_record(model.polytope),
        "kind": model.kind,
        "sites": None if model.sites is None else model.sites.tolist(),
    }
    if isinstance(source, LinearScores) and model.kind is not None:
        return record | {"points": np.asarray(source.X, np.float64).tolist(), "origin": source.origin.tolist()}
    scores = source.dense()
    return record | ({"costs": (-scores).tolist()} if model.minimised else {"scores": scores.tolist()})


def _names(scores: Any) -> tuple[Any, Any] | None:
    """Names of the rows and columns of a DataFrame; None for anything else."""
    return (scores.index, scores.columns) if hasattr(scores, "columns") and hasattr(scores, "index") else None


def _dense(value: ArrayLike) -> tuple[DenseScores, NDArray[np.bool_] | None]:
    """Scores (n, k) as they were given, and where they are -inf, if anywhere."""
    matrix = np.array(as_floats(value, "scores"))
    if matrix.ndim != 2:
        raise InvalidInputError(
            f"scores has {matrix.ndim} dimensions, expected 2: pass an (n_points, n_clusters) array"
        )
    barred = np.isneginf(matrix)
    if barred.any():
        matrix[barred] = np.inf
        least = matrix.min(axis=1, keepdims=True)  # a number of no meaning that is as large as the others
        matrix = np.where(barred, np.where(np.isfinite(least), least, 0.0), matrix)
    largest = magnitude(matrix)
    if not np.isfinite(largest):
        what, row, column = ("NaN", *np.argwhere(np.isnan(matrix))[0]) if np.isnan(largest) else (
            "inf", *np.argwhere(np.isinf(matrix))[0])  # fmt: skip
        raise InvalidInputError(
            f"scores[{row}, {column}] is {what}: for a pair that is not allowed write -inf, since scores are "
            f"maximised, or use polytope.allow(mask)"
        )
    if largest > LARGEST:
        raise InvalidInputError(
            f"scores reaches {largest:.3g}, expected at most {LARGEST:g}: rescale scores, and write -inf for "
            f"pairs that are not allowed"
        )
    matrix.setflags(write=False)
    return DenseScores(matrix), barred if barred.any() else None


def _points(X: ArrayLike) -> NDArray[np.floating]:
    if hasattr(X, "nnz"):  # looked at, so that no sparse package is needed
        raise InvalidInputError("X is sparse, expected a dense array: pass X.toarray()")
    points = as_array(X, "X") if getattr(X, "dtype", None) in (np.float32, np.float64) else as_floats(X, "X")
    if points.ndim != 2:
        raise InvalidInputError(f"X has {points.ndim} dimensions, expected 2: pass an (n_points, n_features) array")
    refuse_missing(points, "X")
    return points


def _sites(value: ArrayLike) -> NDArray[np.float64]:
    sites = np.array(as_floats(value, "sites"))
    if sites.ndim != 2 or not np.isfinite(sites).all():
        raise InvalidInputError("sites must be a finite (n_clusters, n_features) array")
    sites.setflags(write=False)
    return sites


def _same_dimension(points: NDArray[np.floating], sites: NDArray[np.float64]) -> None:
    if points.shape[1] != sites.shape[1]:
        raise InvalidInputError(
            f"sites has {sites.shape[1]} features, X has {points.shape[1]}: pass sites of the same dimension"
        )
