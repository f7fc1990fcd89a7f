"""The optimality certificate in rational arithmetic: every floating-point number is a fraction, and no step rounds.

For labels, splits and prices mu the numbers of `certificate` are computed as fractions of the floats that were given:

    primal   sum_j w_j sum_i gamma_ij xi_ij
    dual     sum_i (u_i mu_i^+ - l_i mu_i^-) + sum_j w_j max_i (gamma_ij - mu_i)

Scores of sites are fractions too, gamma_ij = g_i . (x_j - c) + h_i with the exact products, so the check answers the
question that was asked, not its rounded copy. Weak duality then is a theorem: dual - primal >= 0 for every feasible
assignment, and the difference is exactly what the optimum can be better by at most.

Prices that a computer found are floats, so that the exact gap of an optimal assignment is rarely zero but of the size
of rounding. Such prices are repaired: shortest paths in the exchange graph, in fractions, are prices without a gap,
and there are some unless a cycle is negative, that is unless the assignment is not optimal. Python's fractions only;
nothing here knows a solver.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import checked_labels, finite_vector
from ..polytope.shares import Shares
from ..scores.shifted import ShiftedScores
from .certificate import Certificate, Split, sums_over_points
from .exact_open import check_rows
from .exact_scores import ZERO, affine_scores, exact_scores
from .priced_out_rows import PricedOutRows

if TYPE_CHECKING:
    from ..programs.assignment import AssignmentModel

__all__ = ["check_exactly", "exact_scores"]

SHARE_SUM = Fraction(1, 10**9)  # Shares of a point that miss a sum of one by at most this are divided by their sum.


def check_exactly(
    model: AssignmentModel,
    labels: ArrayLike,
    prices: ArrayLike,
    *,
    splits: Sequence[Split] = (),
    tolerance: float = 1e-9,
    further_prices: Mapping[str, NDArray[np.float64]] | None = None,
) -> Certificate:
    """`check_assignment` in rational arithmetic: ``gap`` is the exact one of the prices as given. Prices whose relative
    gap is at most ``tolerance``, or what rounding of the scores explains, are repaired, and weighted sizes within it of
    a bound count as at the bound; CapabilityError where `exact_open` finds a program too large. O(n k d) operations of
    a microsecond."""
    polytope, k = model.polytope, model.polytope.n_clusters
    y, mu_float = checked_labels(labels, polytope.n_points, k), finite_vector(prices, "prices", k, "cluster")
    given = Shares.of(y, splits, k)
    frame = ShiftedScores.of(model.score_source, polytope.weights, y, polytope.allowed)
    charges = None if polytope.is_plain and not further_prices else PricedOutRows.of(polytope, further_prices)
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = sums_over_points(frame, given, mu_float, polytope.weights, None, charges)
    rounding = Fraction(rounded.representation if np.isfinite(rounded.representation) else 0.0)
    listed = mu_float if charges is None else np.concatenate([mu_float, *charges.prices.values()])
    nu = [Fraction(value) for value in finite_vector(listed, "further_prices", listed.size, "row").tolist()]
    if frame.reference is None:
        constants = [Fraction(value) for value in frame.constants.tolist()]
    else:
        constants = affine_scores(model)(frame.reference.tolist())
    sums = check_rows(model, _shares(y.tolist(), given), nu, constants, tolerance, rounding)
    spread = sums.spread if rounded.spread != 0 else ZERO  # differences that are rounding are not a spread
    value = max(abs(sums.primal), abs(sums.dual))
    magnitude = spread or (value if value > rounding else Fraction(1))
    certificate = Certificate(
        primal_objective=_float(sums.primal),
        dual_objective=_float(sums.dual),
        primal_violation=max(_float(sums.excess), given.violation if given.violation > SHARE_SUM else 0.0),
        dual_violation=0.0,  # the point duals are the best ones for the prices, by definition
        complementarity=_float(sums.worst / magnitude),
        gap=_float(sums.loss / magnitude),
        magnitude=_float(magnitude),
        tolerance=tolerance,
        exact=True,
        optimal=sums.optimal,
        prices=tuple(listed.tolist()),
    )
    return certificate.sealed(y, splits)


def _float(value: Fraction) -> float:
    """The nearest float, but zero for nothing else than zero."""
    return float(value) or (0.0 if value == 0 else 5e-324)


def _shares(labels: list[int], given: Shares) -> list[dict[int, Fraction]]:
    """Shares of every point; those of a split point, floats that sum to nearly one, are divided by their sum."""
    shares = [{i: Fraction(1)} for i in labels]
    parts: dict[int, dict[int, Fraction]] = {}
    for point, cluster, share in zip(given.points.tolist(), given.clusters.tolist(), given.share.tolist()):
        parts.setdefault(point, {})[cluster] = Fraction(share)
    for point, held in parts.items():
        total = sum(held.values(), ZERO)
        near = total > 0 and abs(total - 1) < SHARE_SUM
        shares[point] = {i: share / total for i, share in held.items()} if near else held
    return shares
