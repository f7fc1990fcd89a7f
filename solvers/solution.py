"""What solving an assignment program returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from html import escape
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..base.errors import CapabilityError, InvalidInputError, NotOptimalError
from ..base.status import Status
from ..models.certificates.certificate import Certificate, Split, check_assignment
from ..models.certificates.exact import check_exactly
from ..models.certificates.priced_out_rows import PricedOutRows, net_scores
from ..models.diagram.power_diagram import PowerDiagram
from ..models.objectives.bound import Bound
from ..models.plots.shown import as_card, draw_partition
from ..models.polytope.rows import activities
from ..models.polytope.shares import Shares
from ..models.programs.assignment import AssignmentModel
from ..models.scores.scores import BLOCK_ROWS, LinearScores, dense_rows
from ..output.style import MAX_POINTS

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class Objectives:
    """Values of an assignment and of its prices."""

    primal: float  # Sum over i, j of w_j gamma_ij xi_ij; nan without an assignment.
    point_duals: NDArray[np.float64] | None  # (n,): Duals eta_j = w_j max_i (gamma_ij - mu_i); None without prices.
    dual: float  # Sum of u_i mu_i^+ - l_i mu_i^- and of the eta_j; nan without prices.

    @classmethod
    def of(
        cls,
        model: AssignmentModel,
        labels: NDArray[np.int64] | None,
        splits: tuple[Split, ...],
        prices: NDArray[np.float64] | None,
        known: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None,
        further_prices: Mapping[str, NDArray[np.float64]] | None = None,
    ) -> Objectives:
        """The values, in one pass of O(n k) unless ``known`` holds max_i (gamma_ij - mu_i) and own scores (n,)."""
        charges = None if model.polytope.is_plain else PricedOutRows.of(model.polytope, further_prices)
        best, own = _scores(model, labels, prices, charges) if known is None else known
        primal, point_duals, dual = np.nan, None, np.nan
        weights = model.polytope.weights
        if labels is not None:
            value = own if weights is None else weights * own
            for point in {point for point, _, _ in splits}:
                value[point] = 0.0
            primal = float(value.sum())
            for point, cluster, share in splits:
                gamma = model.score_source.rows(point, point + 1)[0, cluster]
                primal += share * float(model.point_weights[point] * gamma)
        if prices is not None:
            point_duals = best if weights is None or charges is not None else weights * best
            bounds = np.where(prices > 0, model.polytope.upper, model.polytope.lower)
            priced = prices != 0  # a bound without a price may be infinite
            dual = float((prices * bounds)[priced].sum()) + float(point_duals.sum())
            dual += 0.0 if charges is None else charges.dual()[0]
        return cls(primal, point_duals, dual)


def _scores(
    model: AssignmentModel,
    labels: NDArray[np.int64] | None,
    prices: NDArray[np.float64] | None,
    charges: PricedOutRows | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """max_i (gamma_ij - mu_i) and the scores in the clusters ``labels`` (n,), each only where it can be known."""
    n = model.polytope.n_points
    best, own = np.zeros(n), np.zeros(n)
    for start in range(0, n, BLOCK_ROWS):
        block = slice(start, min(start + BLOCK_ROWS, n))
        gamma = model.score_source.rows(block.start, block.stop)
        if labels is not None:
            own[block] = gamma[np.arange(len(gamma)), labels[block]]
        if prices is not None and charges is None:
            best[block] = (gamma - prices).max(axis=1)
        elif prices is not None and charges is not None:
            best[block] = net_scores(model, prices, charges, block.start, block.stop).max(axis=1)
    return best, own


def signed(model: AssignmentModel, prices: NDArray, sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Prices that are positive only at the upper and negative only at the lower bound, others set to zero."""
    polytope = model.polytope
    whole = polytope.weights is None and not polytope.further  # sizes are whole numbers
    slack = 0.0 if whole else 1e-9 * polytope.total
    above = (prices > 0) & (sizes >= polytope.upper - slack)
    below = (prices < 0) & (sizes <= polytope.lower + slack)
    return np.where(above | below, prices, 0.0)


def signed_further(
    model: AssignmentModel,
    prices: Mapping[str, NDArray[np.float64]] | None,
    labels: NDArray[np.int64],
    splits: tuple[Split, ...],
) -> dict[str, NDArray[np.float64]]:
    """`signed` for the prices of side constraints by name."""
    polytope, found = model.polytope, {}
    k = polytope.n_clusters
    reached = activities(polytope.further, Shares.of(labels, splits, k), k) if polytope.further else {}
    for rows in polytope.further:
        nu = np.zeros(len(rows)) if prices is None else np.asarray(prices[rows.name], dtype=np.float64)
        slack, value = 1e-9 * rows.extent(), reached[rows.name]
        good = ((nu > 0) & (value >= rows.upper - slack)) | ((nu < 0) & (value <= rows.lower + slack))
        found[rows.name] = np.where(good, nu, 0.0)
    return found


@dataclass(frozen=True, eq=False)
class AssignmentSolution:
    """An assignment, its prices, and how they were found.

    Attributes
    ----------
    model : AssignmentModel
        What was solved.
    labels : (n,) ndarray of int64 or None
        Cluster of every point; of a split point, the cluster of its largest share. None without a point.
    prices : (k,) ndarray or None
        mu, in the sign convention of `partitope.models.certificates.certificate`.
    point_duals : (n,) ndarray or None
        eta_j = w_j max_i (gamma_ij - mu_i).
    objective, dual_objective : float
        Recomputed from the data; nan when unknown.
    status : Status
        Why the backend stopped.
    seconds : float
        Wall time of the solve, building included.
    cpu_seconds : float
        Processor time of the solve in this process, checks of the model included; nan where `solve` was not called.
    backend : str
        Name in the table of backends.
    splits : tuple of (point, cluster, share)
        Shares of points that the vertex splits: none without weights or side constraints, at most k - 1 points with
        weights, at most as many as there are bounds on clusters and side constraints otherwise.
    further_prices : mapping of str to (q,) ndarray
        Prices of the polytope's side constraints by their names, in the same sign convention.
    build_seconds : float
        Wall time spent on writing the model for the backend, part of ``seconds``.
    iterations : int
        In the backend's own unit.
    raw_status : str
        The solver's own word for why it stopped, kept whatever ``status`` it was mapped to; empty when no solver ran.
    solver_version : str
        Package and version behind the backend, such as "highspy 1.11.0"; empty when no solver ran.
    better : float
        By how much another assignment that is known is better; the prices are then that one's. 0 when none is known.
    bound : Bound or None
        Where points have to be whole: a proved interval around the best total score, and what proves it.
    """

    model: AssignmentModel
    labels: NDArray[np.int64] | None
    prices: NDArray[np.float64] | None
    point_duals: NDArray[np.float64] | None
    objective: float
    dual_objective: float
    status: Status
    seconds: float
    backend: str
    splits: tuple[Split, ...] = ()
    further_prices: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    build_seconds: float = 0.0
    iterations: int = 0
    raw_status: str = ""
    solver_version: str = ""
    better: float = 0.0
    bound: Bound | None = None
    cpu_seconds: float = float("nan")

    @classmethod
    def of(
        cls,
        model: AssignmentModel,
        labels: NDArray[np.int64] | None,
        splits: tuple[Split, ...],
        prices: NDArray[np.float64] | None,
        status: Status,
        backend: str,
        timing: tuple[float, float],
        iterations: int = 0,
        native: tuple[str, str] = ("", ""),
        further_prices: Mapping[str, NDArray[np.float64]] | None = None,
    ) -> AssignmentSolution:
        """What a solver found, with prices that obey the sign convention and objectives recomputed from the data.

        Parameters
        ----------
        model, labels, splits, prices, status, backend, iterations, further_prices
            As the attributes.
        timing : (started, built)
            Readings of `time.perf_counter`.
        native : (raw_status, solver_version)
            As the attributes.
        """
        if labels is not None and prices is not None:
            shares = Shares.of(labels, splits, model.polytope.n_clusters)
            prices = signed(model, prices, shares.sizes(model.polytope.weights, model.polytope.n_clusters))
            further_prices = signed_further(model, further_prices, labels, splits)
        value = Objectives.of(model, labels, splits, prices, further_prices=further_prices)
        return cls(
            model=model,
            labels=labels,
            prices=prices,
            point_duals=value.point_duals,
            objective=value.primal,
            dual_objective=value.dual,
            status=status,
            seconds=perf_counter() - timing[0],
            backend=backend,
            splits=splits,
            further_prices={} if prices is None or further_prices is None else further_prices,
            build_seconds=timing[1] - timing[0],
            iterations=iterations,
            raw_status=native[0],
            solver_version=native[1],
        )

    def __repr__(self) -> str:
        """One line; all fields are attributes."""
        return f"<AssignmentSolution: {self._in_words}, {self.status.name.lower()} ({self.backend})>"

    def _repr_html_(self) -> str:
        if self.labels is None:
            return escape(repr(self))
        polytope, source = self.model.polytope, self.model.score_source
        flat = isinstance(source, LinearScores) and source.X.shape[1] > 1
        claim = "no prices, so nothing is proved" if self.prices is None else self.verify().claim
        return as_card(
            self._in_words, claim, polytope.sizes(self.labels), (polytope.lower, polytope.upper),
            (lambda ax: self.plot(ax=ax)) if flat else None,
        )  # fmt: skip

    @property
    def _in_words(self) -> str:
        n, k = self.model.polytope.n_points, self.model.polytope.n_clusters
        value = f"cost {self.cost:.6g}" if self.has_point and self.model.has_cost else f"objective {self.objective:.6g}"
        return f"{n} points in {k} clusters, {value}"

    @property
    def named(self) -> pd.Series:
        """The names of the clusters (columns) by the names of the points (rows), where scores or costs are a DataFrame;
        numbers otherwise.

        Raises
        ------
        NotOptimalError
            When there is no assignment.
        """
        import pandas as pd

        rows, columns = self.model.names or (None, np.arange(self.model.polytope.n_clusters))
        return pd.Series(np.asarray(columns)[self.require_labels()], index=rows, name="cluster")

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the points, and the cells of a model of sites whose size bounds are all that it has.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; the current axes when None.
        **options
            Passed to `partitope.models.PowerDiagram.plot`.

        Raises
        ------
        InvalidInputError
            When the model has scores alone, or points of one column.
        """
        source, model = self.model.score_source, self.model
        if not isinstance(source, LinearScores) or source.X.shape[1] < 2:
            raise InvalidInputError("the model has no points of two columns or more to draw: make it of X and sites")
        labels, diagram, step = self.require_labels(), None, -(-source.X.shape[0] // MAX_POINTS)
        if self.prices is not None and model.sites is not None and model.kind and model.polytope.relaxed.is_plain:
            diagram = PowerDiagram(model.sites, self.prices, model.kind, source.origin)
        return draw_partition(dense_rows(source.X, slice(None, None, step)), labels[::step], (), diagram, ax, options)

    @property
    def named_prices(self) -> dict[str, NDArray[np.float64]]:
        """All prices by name: of the size dimensions (k,), and of shares and side constraints (q,).

        Raises
        ------
        NotOptimalError
            When there are no prices.
        """
        if self.prices is None:
            raise NotOptimalError(f"backend {self.backend!r} left no prices: {self.status}{self._said}")
        return {self.model.polytope.row_names[0]: self.prices, **self.further_prices}

    @property
    def cost(self) -> float:
        """Total cost of the assignment, for a model of `AssignmentModel.of_costs` or `AssignmentModel.lsa`.

        Raises
        ------
        InvalidInputError
            When the model has no costs.
        NotOptimalError
            When there is no assignment.
        """
        labels = self.require_labels()
        cost = self.model.cost(labels)
        return cost + self.model.value(labels) - self.objective if self.splits else cost  # of shares, not of labels

    @property
    def has_point(self) -> bool:
        """Whether there is an assignment."""
        return self.labels is not None

    @property
    def _said(self) -> str:
        return f" ({self.solver_version}: {self.raw_status})" if self.raw_status else ""

    def require_labels(self) -> NDArray[np.int64]:
        """``labels``, or NotOptimalError when the backend left no assignment."""
        if self.labels is None:
            raise NotOptimalError(f"backend {self.backend!r} found no assignment: {self.status}{self._said}")
        whole = self.labels.dtype.kind in "iu"  # steps of a fit keep them in one byte; others are for checks to refuse
        return self.labels.astype(np.int64, copy=False) if whole else self.labels

    def verify(self, exact: bool = False, tolerance: float = 1e-9) -> Certificate:
        """Re-check the assignment and the prices against the data, in code that knows no solver.

        Parameters
        ----------
        exact : bool
            Check in rational arithmetic instead of floating point: `partitope.models.certificates.exact`.
        tolerance : float
            Relative tolerance, measured against what the choice of clusters can change.

        Returns
        -------
        Certificate
            Not ``verified`` either when `objective` or `dual_objective` are numbers that the data do not give.

        Raises
        ------
        NotOptimalError
            When there is no assignment or there are no prices to check.
        CapabilityError
            When ``exact`` is asked for with too many prices or splits, where there are masks or side constraints, or of
            points that have to be whole, whose gap is not a rounding error.
        """
        if self.labels is None or self.prices is None:
            raise NotOptimalError(f"backend {self.backend!r} left nothing to verify: {self.status}{self._said}")
        # in floating point always: the rational check knows nothing of stated objectives and point duals
        found = check_assignment(
            self.model,
            self.labels,
            self.prices,
            splits=self.splits,
            point_duals=self.point_duals,
            tolerance=tolerance,
            further_prices=self.further_prices,
        )
        if exact and self.model.polytope.is_discrete:
            raise CapabilityError(
                "exact=True proves that nothing is better, but whole points have a gap: call verify() for it, or solve "
                "with polytope.relaxed"
            )
        if exact:
            rational = check_exactly(
                self.model,
                self.labels,
                self.prices,
                splits=self.splits,
                tolerance=tolerance,
                further_prices=self.further_prices,
            )
            found = replace(
                rational,
                dual_violation=found.dual_violation,
                summation=found.summation,
                misstatement=found.misstatement,
            )
        # what came with the solution is judged last, so that no check can drop it
        found = replace(found, better=self.better)
        if self.bound is not None:
            found = found.narrowed(self.bound.upper - found.primal_objective, self.bound.proof)
        return found.stated(self.objective, self.dual_objective).sealed(self.labels, self.splits)
