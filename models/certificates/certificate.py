"""An optimality certificate for the assignment program that anyone can check in one pass over the data.

Primal (P)   max sum_j w_j sum_i gamma_ij xi_ij   over the bounded-shape partition polytope
Dual   (D)   min sum_i (u_i mu_i^+ - l_i mu_i^-) + sum_j eta_j
             (4)  w_j mu_i + eta_j >= w_j gamma_ij   for ALL points j and clusters i

For given prices mu the best eta_j is w_j max_i (gamma_ij - mu_i), so the k numbers mu alone prove optimality:
weak duality says primal <= dual, equality proves both optimal. Sign convention of the prices, used everywhere:
mu_i > 0 only where cluster i is at its upper bound, mu_i < 0 only where it is at its lower bound.
So prices are slopes of the optimum V(l, u) of (P): dV/du_i = mu_i^+ and dV/dl_i = -mu_i^-, where V has a derivative.
A least-squares cost is a constant minus V: its slopes have the opposite sign.

The gap is a sum of parts that are not negative, so nothing large cancels in it:

    (5)  D - P = sum_j w_j sum_i xi_ij (max_l (gamma_lj - mu_l) - (gamma_ij - mu_i)) + sum_i |mu_i| (way to the bound)

Constants of points and of clusters drop out of (5) and are taken off before anything is summed (`scores.shifted`).
The gap is stated against the spread sum_j w_j (max_i P_ij - min_i P_ij) of the scores P that are left: what the
choice of clusters can change. It is judged against

    (6)  U = sum_j w_j sum_i xi_ij (max_l gamma_lj - gamma_ij)

what the assignment itself loses against every point's best cluster, or the same of P where that is less: a sum over
the pairs that are used, so that no pair that is not, however low its score, makes a worse assignment pass.

A point that is in its best cluster by more than rounding loses nothing. What the others lose is computed anew where
scores are least squares, from differences of coordinates (`models.scores.differences`), so that neither far points nor
an origin take their digits; and what rounding in a solver may cost them is accepted only if it is a small part
(`ROUNDING_LIMIT`) of what the same point can lose.

This module shares no code with the solvers: it reads the model's data, labels and prices, nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import as_floats, check_weight, checked_labels, number_or_nan
from ...base.errors import InvalidInputError
from ...base.messages import at_most, number
from ..objectives.bound import Bound
from ..polytope.shares import Shares, Split, digest_of
from ..scores.shifted import ROUNDING_LIMIT, TINY, UNIT, ShiftedScores
from .activities import Activities
from .priced_out_rows import PricedOutRows
from .sums import CertificateSums, sums_over_points

if TYPE_CHECKING:
    from ..polytope.polytope import PartitionPolytope
    from ..programs.assignment import AssignmentModel

__all__ = ["Certificate", "CertificateSums", "Split", "check_assignment", "sums_over_points"]


@dataclass(frozen=True, repr=False)
class Certificate:
    """What an independent check of an assignment and its prices found.

    Attributes
    ----------
    primal_objective, dual_objective : float
        Recomputed from the data, sum_j w_j gamma of the assignment and the dual value of the prices.
    primal_violation : float
        Largest violation of the size bounds, relative to the total weight, or of (1) and of the rules of shares.
    dual_violation : float
        Largest violation of (4) by the point duals handed in, beyond rounding, relative to `magnitude` (0 when they
        are derived from the prices).
    complementarity : float
        Largest single part of (5), relative to `magnitude`.
    gap : float
        (5) relative to `magnitude`.
    magnitude : float
        The spread of P, see the module's head; where it is zero every assignment is optimal, and this is
        max(|primal|, |dual|), or 1.
    tolerance : float
        Bound on violations of the bounds, and on the others as parts of `conceded`, for `verified`.
    exact : bool
        Whether the check was done in rational arithmetic.
    optimal : bool or None
        After a rational check, whether prices without any gap exist, those given or their repair; else None.
    usual : float
        Part of `magnitude` that is left when outliers, see `models.scores.shifted`, count as the largest usual points.
    conceded : float
        (6), relative to `magnitude`: `verified` demands the tolerance of this.
    rounding : float
        Bound on the error of the gap itself, relative to the usual part of `magnitude`.
    allowance : float
        Bound on what rounding in the scores and prices costs an optimal assignment, relative to `magnitude`: that of
        the points that no price assigns beyond rounding, each a small part of what this point can lose. It is added
        to the tolerance, and at most `ROUNDING_LIMIT` of the usual part.
    summation : float
        Bound on the rounding error of an objective that is summed as it comes, relative to `magnitude`.
    better : float
        By how much another assignment that is known is better, in the unit of the objectives; 0 when none is known.
    misstatement : float
        By how much objectives or point duals stated with the assignment differ from those recomputed, beyond
        rounding, relative to `magnitude`.
    prices : tuple of k floats
        mu, the proof.
    whole : bool
        Whether points have to be whole: the dual value is then that of a relaxation, `verified` says that it bounds
        every assignment, and `gap` by how much at most one could be better.
    measure : str
        What `bound` encloses: "sum of squares" (of the sites of the model), "cost", or "score".
    bound : Bound or None
        Of whole points: an interval between the value of this assignment and that of the best one. Its far end comes
        from (5), or from the search that is named in ``proof``, which is not checked again.
    digest : str
        Fingerprint of labels, splits and all numbers above; see `belongs_to`.
    """

    primal_objective: float
    dual_objective: float
    primal_violation: float
    dual_violation: float
    complementarity: float
    gap: float
    magnitude: float
    tolerance: float
    exact: bool = False
    optimal: bool | None = None
    usual: float = 1.0
    conceded: float = 0.0
    rounding: float = 0.0
    allowance: float = 0.0
    summation: float = 0.0
    better: float = 0.0
    misstatement: float = 0.0
    prices: tuple[float, ...] = ()
    digest: str = ""
    whole: bool = False
    measure: str = "score"
    bound: Bound | None = None

    @classmethod
    def of(
        cls,
        sums: CertificateSums,
        polytope: PartitionPolytope,
        prices: NDArray[np.float64],
        activity: Activities,
        *,
        tolerance: float = 1e-9,
        charges: PricedOutRows | None = None,
    ) -> Certificate:
        """The certificate of an assignment from the sums over its points, not sealed yet.

        With charges of side constraints, if any.
        """
        mu, weighted, sizes = prices, polytope.weights is not None, activity.sizes
        lower, upper = opened_bounds(polytope.lower, polytope.upper, activity.opened)
        bounds = np.where(mu > 0, upper, lower)
        excess = max(float(np.maximum(sizes - upper, lower - sizes).max()), 0.0) / polytope.total
        priced = mu != 0  # 0 * inf is nan: a bound without a price costs nothing
        more = FurtherRows() if charges is None else FurtherRows.of(charges, activity)
        if activity.opened is None:
            way = np.abs(mu[priced]) * np.abs(bounds[priced] - sizes[priced])
            dual = float((mu * np.where(priced, bounds, 0.0)).sum())
        else:  # the best clusters to open at these prices, against those that are open
            dual, spent, cost = opening_duals(polytope, mu, charges, activity)
            way, sums = np.array([dual - spent + cost]), replace(sums, primal=sums.primal - cost)
        size_way = way
        way, dual, excess = np.append(way, more.way), dual + sums.dual + more.dual, max(excess, more.excess)
        loss = sums.loss + float(way.sum())
        magnitude = sums.spread or max(abs(sums.primal), abs(dual)) or 1.0
        noise, forgiven, representation = (x + more.noise for x in (sums.noise, sums.forgiven, sums.representation))
        if weighted:  # sums of weights, and the shares that should meet a bound, are rounded too
            rounded = polytope.n_points * UNIT * np.abs(mu[priced]) * (sizes[priced] + np.abs(bounds[priced]))
            noise += float(np.abs(mu[priced]) @ activity.errors[priced])
            forgiven += float((rounded if activity.opened is not None else np.minimum(rounded, size_way)).sum())
            representation += float(rounded.sum())
        usual = sums.usual_spread if sums.spread > 0 else magnitude  # no spread: every assignment is optimal
        most = ROUNDING_LIMIT * usual if sums.spread > 0 else np.inf
        return cls(
            primal_objective=sums.primal,
            dual_objective=dual,
            primal_violation=max(excess, activity.violation),
            dual_violation=_beyond(sums.dual_shortfall, sums.representation) / magnitude,
            complementarity=float(np.maximum(sums.worst_loss, way.max(initial=0.0))) / magnitude,
            gap=loss / magnitude,
            magnitude=magnitude,
            tolerance=tolerance,
            usual=usual / magnitude,
            conceded=min(sums.conceded, sums.conceded_shifted) / magnitude,
            rounding=noise / usual if sums.spread > 0 else 0.0,
            allowance=min(noise + forgiven, most) / magnitude,
            misstatement=_beyond(sums.dual_error, sums.representation) / magnitude,
            # roundings on the way to a sum that is taken pairwise, with room for any number of points
            summation=64.0 * (representation + UNIT * abs(dual)) / magnitude,
            prices=(*mu.tolist(), *more.prices),
            whole=polytope.is_discrete,
        )

    @property
    def primal_feasible(self) -> bool:
        """Whether the assignment is in the polytope."""
        return self.primal_violation <= self.tolerance

    @property
    def dual_feasible(self) -> bool:
        """Whether the point duals are those of the prices."""
        return self.dual_violation <= self._accepted

    @property
    def complementary(self) -> bool:
        """Whether complementary slackness holds."""
        return self.complementarity <= self._accepted

    def __repr__(self) -> str:
        """The verdict without the two values, which are scores even where a cost was asked for."""
        return f"Certificate(verified={self.verified}, gap={self.gap:.2g}, exact={self.exact})"

    @property
    def decidable(self) -> bool:
        """Whether rounding leaves enough digits to tell an optimal assignment from others."""
        return self.exact or self.rounding <= ROUNDING_LIMIT

    @property
    def verified(self) -> bool:
        """Whether the assignment is proved optimal to within the tolerance; in rational arithmetic, without one. Where
        points have to be whole, whether it is proved to be within `gap` of the best."""
        if not (self.primal_feasible and self.dual_feasible and self.misstatement <= self._accepted):
            return False
        if self.exact:
            return bool(self.optimal)
        if self.whole and not self.better:
            return self.decidable and self.gap >= -self._accepted
        return self.decidable and self.complementary and abs(self.gap) <= self._accepted

    @property
    def verdict(self) -> str:
        """One sentence: verified, or why not."""
        if self.verified and self.whole and not abs(self.gap) <= self._accepted and self.bound is not None:
            return self.room("no other assignment")
        if self.verified:
            return "optimal in rational arithmetic" if self.exact else f"optimal to within {self.tolerance:g}"
        if not self.primal_feasible:
            return f"no assignment within the bounds: violated by {self.primal_violation:.3g}"
        if not self.misstatement <= self._accepted:
            return f"stated objectives or point duals are not those of the data: off by {self.misstatement:.3g}"
        if not self.decidable:
            return "not verified in floating point" + ("" if self.whole else ": use exact=True")
        if self.better > 0:
            return f"not optimal, better by {self.better:.6g}"
        return f"not proved optimal: at most {self.gap * self.magnitude:.6g} better"

    def room(self, others: str) -> str:
        """Upper limit on how much better others can be: in per cent, and in the unit of the measure, rounded up."""
        assert self.bound is not None
        lower, upper = self.bound.lower, self.bound.upper
        value = lower if self.measure == "score" else upper
        unit = " in squared distance" if self.measure == "sum of squares" else ""
        gap = 100.0 * self.bound.gap
        amount = f" ({at_most(upper - lower)} of {number(value)}{unit})" if gap > 1e-4 else ""
        percent = at_most(max(gap, 1e-4) if gap else 0.0)  # finer figures suggest a doubt that is not there
        return (
            f"{others} is better by more than {percent} % of the {self.measure}{amount}, proved by {self.bound.proof}"
        )

    @property
    def claim(self) -> str:
        """What is proved, in one sentence."""
        if not self.verified:
            return "not verified: nothing is proved of this assignment"
        return "no other assignment is better" if self.bound is None else self.room("no other assignment")

    def narrowed(self, open_: float, proof: str) -> Certificate:
        """The same certificate, not sealed yet, where a search proved that no other assignment is better by more than
        ``open_``."""
        if self.bound is None or not open_ < self.bound.upper - self.bound.lower:
            return self
        lower, upper = self.bound.lower, self.bound.upper
        ends = (lower, lower + open_) if self.measure == "score" else (upper - open_, upper)
        return replace(self, bound=Bound(*ends, proof))

    def belongs_to(self, labels: ArrayLike, splits: Sequence[Split] = ()) -> bool:
        """Whether this is the certificate of labels (n,) and splits, unchanged since it was made."""
        return bool(self.digest) and self.digest == digest_of(labels, splits, self._numbers)

    def stated(self, objective: float, dual_objective: float) -> Certificate:
        """The same certificate with the `misstatement` of objectives that came with the assignment, NaN if unknown.

        Raises
        ------
        InvalidInputError
            When one is not a number.
        """
        pairs = (
            (number_or_nan(objective, "objective"), self.primal_objective),
            (number_or_nan(dual_objective, "dual_objective"), self.dual_objective),
        )
        off = [abs(given - found) / self.magnitude for given, found in pairs if not np.isnan(given)]
        return replace(
            self, misstatement=float(np.max([self.misstatement, *(_beyond(e, self.summation) for e in off)]))
        )

    def sealed(self, labels: ArrayLike, splits: Sequence[Split]) -> Certificate:
        """The same certificate with the digest of its assignment."""
        return replace(self, digest=digest_of(labels, splits, self._numbers))

    @property
    def _accepted(self) -> float:
        """What is taken for zero, relative to `magnitude`."""
        return self.tolerance * self.conceded + self.allowance

    @property
    def _numbers(self) -> list[list[float]]:
        left_out = ("digest", "measure", "bound")
        values = [getattr(self, entry.name) for entry in fields(self) if entry.name not in left_out]
        values += [] if self.bound is None else [(self.bound.lower, self.bound.upper)]
        return [np.atleast_1d(np.asarray(value, dtype=np.float64)).tolist() for value in values]


def check_assignment(
    model: AssignmentModel,
    labels: ArrayLike,
    prices: ArrayLike,
    *,
    splits: Sequence[Split] = (),
    point_duals: ArrayLike | None = None,
    tolerance: float = 1e-9,
    further_prices: Mapping[str, NDArray[np.float64]] | None = None,
) -> Certificate:
    """Check an assignment and its prices against the model's data, in one pass of O(n k).

    Parameters
    ----------
    model : AssignmentModel
        The linear program.
    labels : (n,) array_like of int
        Cluster of every point.
    prices : (k,) array_like
        Prices mu in the module's sign convention.
    splits : sequence of (point, cluster, share)
        Shares of split points; their label must be a cluster that holds most of them.
    point_duals : (n,) array_like, optional
        eta; derived from the prices when not given.
    tolerance : float
        Relative tolerance of `Certificate.verified`.
    further_prices : mapping of str to (q,) array_like, optional
        Prices of the polytope's side constraints by name; zero where not given.

    Returns
    -------
    Certificate

    Raises
    ------
    InvalidInputError
        When a shape does not fit the model, or a label names no cluster.

    Notes
    -----
    Adding a constant to a point's scores, or multiplying all scores or all weights, changes no verdict but by
    rounding of the numbers handed in. Error bounds: Higham (2002), *Accuracy and Stability of Numerical Algorithms*,
    chapter 3.
    """
    check_weight("tolerance", tolerance)
    polytope = model.polytope
    n, k = model.score_source.shape
    y, mu = checked_labels(labels, n, k), as_floats(prices, "prices")
    broken = next(filter(None, (constraint.violation(y, polytope) for constraint in polytope.statements)), "")
    if broken or (polytope.statements and splits):
        raise InvalidInputError(f"labels breaks a statement of the model: {broken or 'points are divided'}")
    if polytope.blocks is not None:  # groups that stay together are single points of the program that prices are of
        block_labels = y[polytope.block_points]
        from ..programs.whole_assignment import contracted_model

        found = check_assignment(contracted_model(model), block_labels, prices, point_duals=point_duals,
                                 tolerance=tolerance, further_prices=further_prices)  # fmt: skip
        return _enclosed(found, model, y).sealed(y, ())
    eta = None if point_duals is None else as_floats(point_duals, "point_duals")
    if mu.shape != (k,):
        raise InvalidInputError(f"prices has shape {mu.shape}, expected ({k},): pass one price per cluster")
    if eta is not None and eta.shape != (n,):
        raise InvalidInputError(f"point_duals has shape {eta.shape}, expected ({n},): pass one number per point")
    shares = Shares.of(y, splits, k)
    sites = model.sites if model.kind == "lsa" else None
    scores = ShiftedScores.of(model.score_source, polytope.weights, y, polytope.allowed, sites)
    charges = None if polytope.is_plain and not further_prices else PricedOutRows.of(polytope, further_prices)
    with np.errstate(over="ignore", invalid="ignore"):  # forged numbers overflow; the result is then not verified
        sums = sums_over_points(scores, shares, mu, polytope.weights, eta, charges)
        activity = Activities.of(polytope, shares)
        certificate = Certificate.of(sums, polytope, mu, activity, tolerance=tolerance, charges=charges)
    if polytope.is_discrete and not splits:
        certificate = _enclosed(certificate, model, y)
    return certificate.sealed(shares.labels, tuple(zip(shares.points, shares.clusters, shares.share)))


def _enclosed(certificate: Certificate, model: AssignmentModel, labels: NDArray[np.int64]) -> Certificate:
    """The certificate of whole points with the interval that (5) proves, of their cost where the model has one."""
    from ..programs.whole_assignment import rounding_of

    value = model.value(labels)
    if not np.isfinite(value):  # a pair that is not allowed
        return certificate
    measure = "cost" if model.minimised else "sum of squares" if model.kind == "lsa" else "score"
    open_ = max(certificate.gap + certificate.rounding * certificate.usual, 0.0) * certificate.magnitude
    open_ += 2.0 * rounding_of(model, labels)
    if measure == "score":
        ends = (value, value + open_)
    else:
        cost = model.cost(labels)
        ends = (cost - open_ if model.minimised else max(cost - open_, 0.0), cost)
    return replace(certificate, measure=measure, bound=Bound(*ends, "the dual of the relaxation"))


@dataclass(frozen=True)
class FurtherRows:
    """What side constraints and masks contribute to a certificate."""

    way: tuple[float, ...] = ()  # Every |nu_q| times the distance of the row to the bound that its price points to.
    dual: float = 0.0  # Value of the sum over q of B_q nu_q^+ - b_q nu_q^-.
    excess: float = 0.0
    noise: float = 0.0  # Bound on the rounding error of these numbers.
    prices: tuple[float, ...] = ()  # Prices nu, row after row.

    @classmethod
    def of(cls, charges: PricedOutRows, activity: Activities) -> FurtherRows:
        """The contribution of an assignment at the prices of the charges."""
        polytope, way, prices, excess, noise = charges.polytope, [], [], activity.barred, 0.0
        for rows in polytope.further:
            nu, value, extent = charges.prices[rows.name], activity.reached[rows.name], rows.extent()
            of_openings = activity.opened is not None and rows.is_size
            lower, upper = opened_bounds(rows.lower, rows.upper, activity.opened if of_openings else None)
            beyond = np.maximum(np.maximum(value - upper, lower - value), 0.0)
            excess = max(excess, float((beyond / np.maximum(extent, TINY)).max(initial=0.0)))
            priced = (nu != 0) & (not of_openings)  # `opening_duals` has the sizes of open clusters
            bound = np.where(nu > 0, rows.upper, rows.lower)[priced]
            way += (np.abs(nu[priced]) * np.abs(bound - value[priced])).tolist()
            noise += polytope.n_points * UNIT * float((np.abs(nu) * extent).sum())
            prices += nu.tolist()
        return cls(tuple(way), charges.dual()[0], excess, noise, tuple(prices))


def opened_bounds(
    lower: NDArray[np.float64], upper: NDArray[np.float64], opened: NDArray[np.bool_] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bounds (k,) and (k,) of sizes, zero for clusters that are closed."""
    return (lower, upper) if opened is None else (np.where(opened, lower, 0.0), np.where(opened, upper, 0.0))


def opening_duals(
    polytope: PartitionPolytope, mu: NDArray[np.float64], charges: PricedOutRows | None, activity: Activities
) -> tuple[float, float, float]:
    """What bounds on sizes of the best clusters to open are worth at the prices, what sizes pay, and the cost of open
    clusters."""
    assert activity.opened is not None
    nus, reached = {polytope.names[0]: mu}, {polytope.names[0]: activity.sizes, **activity.reached}
    nus |= {} if charges is None else charges.prices
    worth, paid = np.zeros(mu.size), 0.0
    for rows in polytope.all_rows:
        if rows.name in nus and rows.is_size:
            nu = nus[rows.name]
            upper, lower = np.minimum(rows.upper, rows.extent()), np.where(nu < 0, rows.lower, 0.0)  # may be infinite
            worth += nu * np.where(nu > 0, upper, lower)
            paid += float((nu * reached[rows.name]).sum())
    (least, most), values = polytope.open_numbers, np.sort(worth - polytope.open_costs)[::-1]
    best = float(values[:least].sum() + np.maximum(values[least:most], 0.0).sum())
    return best, paid, float(polytope.open_costs[activity.opened].sum())


def _beyond(error: float, rounding: float) -> float:
    """What an error exceeds rounding by; NaN stays."""
    return 0.0 if error <= rounding else error
