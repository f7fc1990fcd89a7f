"""What the library says about a state of the page: labels, prices, walls, certificate, the next sites.

A state is what a link of the page carries: the kind of scores, two-dimensional points, sites, and the size bounds.
Its answer is computed by the public parts of the library and nothing else:

    labels          an optimum of the assignment program           `solve`
    prices          potentials of its exchange graph               `ExchangeGraph.prices`
    margin_prices   prices whose walls are farthest from points    `PowerDiagram.max_margin`
    gap, verified   one independent pass over the data             `check_assignment`
    proof           "step" when verified: for these sites; "none"  `Proof`
    next_sites      step (2) of the alternating method             cluster sums over norms (CSA) or sizes (LSA)

The page exported to a file has no Python behind it and computes the same from a port of these steps, which the
tests compare with this module number by number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..base.errors import InfeasibleBoundsError, InvalidInputError, NotOptimalError
from ..base.jit import one_thread
from ..models.certificates.certificate import check_assignment
from ..models.certificates.exchange import ExchangeGraph
from ..models.diagram.power_diagram import PowerDiagram
from ..models.objectives.proof import Proof
from ..models.polytope.polytope import PartitionPolytope
from ..models.programs.assignment import AssignmentModel
from ..solvers.assignment.solve import solve
from ..solvers.geometric.problem import ClusterStatistics

MAX_POINTS = 5000
MAX_CLUSTERS = 12
LARGEST = 1e60
"""Coordinates and bounds may not exceed this: squares of what is larger cannot be told from overflow."""


@dataclass(frozen=True)
class State:
    """One state of the page."""

    kind: Literal["lsa", "csa"]  # least squares, or cluster sums with directions about the mean
    points: list[list[float]]  # at most 5000 points
    sites: list[list[float]]  # one to twelve sites: places (LSA) or directions (CSA, of any positive length)
    lower: list[int]  # size bounds, one a site
    upper: list[int]  # size bounds, one a site

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> State:
        """A state from a record as JSON holds it; everything is checked."""
        if not isinstance(record, Mapping):
            raise InvalidInputError("a state must be an object with kind, points, sites, lower and upper")
        kind = record.get("kind")
        if kind not in ("lsa", "csa"):
            raise InvalidInputError(f"kind={kind!r} is not known: choose 'lsa' or 'csa'")
        sites = _pairs("sites", record.get("sites"), MAX_CLUSTERS)
        points = _pairs("points", record.get("points"), MAX_POINTS)
        lower, upper = (_sizes(name, record.get(name), len(sites)) for name in ("lower", "upper"))
        return cls(kind, points, sites, lower, upper)

    def as_record(self) -> dict[str, Any]:
        """The state as plain lists, as the page reads it."""
        return asdict(self)


def answer(state: State) -> dict[str, Any]:
    """Everything the page shows for a state, as plain numbers and lists."""
    X, k = np.array(state.points, dtype=np.float64).reshape(-1, 2), len(state.sites)
    if len(X) < k:
        return {"error": f"n_clusters={k} exceeds n_samples={len(X)}: ask for at most one cluster a point"}
    try:
        polytope = PartitionPolytope(len(X), state.lower, state.upper)
        polytope.check()
    except InfeasibleBoundsError as error:
        return {"error": str(error)}
    started = perf_counter()
    origin = X.mean(axis=0)
    model, sites = _model(state, X, origin, polytope)
    with one_thread():  # a few hundred points are done before others have woken up
        labels = solve(model).require_labels()
    graph = ExchangeGraph.of(model, labels)
    try:
        prices = graph.prices()
    except NotOptimalError:
        return {"error": "sites or points are so far out that rounding hides how the points differ: bring them nearer"}
    certificate = check_assignment(model, labels, prices)
    diagram = PowerDiagram.max_margin(X, labels, sites, state.kind, origin)
    shift, centred = (origin if state.kind == "lsa" else 0.0), X - origin
    sums = np.array([np.bincount(labels, column, k) for column in centred.T], dtype=np.float64).T  # in the port's order
    squares = float(((centred - (sites - shift)[labels]) ** 2).sum())
    statistics = ClusterStatistics(sums, polytope.sizes(labels), squares)
    objective, next_sites = statistics.improve(state.kind, sites - shift)
    return {
        "error": None,
        "labels": labels.tolist(),
        "sizes": polytope.sizes(labels).astype(int).tolist(),
        "prices": (prices + 0.0).tolist(),
        "margin_prices": diagram.prices.tolist(),
        "objective": objective,
        "primal": certificate.primal_objective,
        "dual": certificate.dual_objective,
        "gap": certificate.gap,
        "verified": certificate.verified,
        "proof": str(Proof.STEP if certificate.verified else Proof.NONE),
        "lengths": [[w if np.isfinite(w) else None for w in row] for row in graph.lengths.tolist()],
        "arc_points": np.where(np.eye(k, dtype=bool), -1, graph.points).tolist(),
        "next_sites": (next_sites + shift).tolist(),
        "origin": origin.tolist(),
        "gradients": diagram.gradients.tolist(),
        "offsets": (diagram.decision_function(origin[None, :])[0] + diagram.prices).tolist(),
        "milliseconds": 1000.0 * (perf_counter() - started),
    }


def _model(
    state: State, X: NDArray[np.float64], origin: NDArray[np.float64], polytope: PartitionPolytope
) -> tuple[AssignmentModel, NDArray[np.float64]]:
    """The assignment program of a state and its standardised sites (k, 2)."""
    sites = np.array(state.sites, dtype=np.float64)
    if state.kind == "lsa":
        return AssignmentModel.lsa(X, sites, polytope, origin), sites
    norms = np.linalg.norm(sites, axis=1, keepdims=True)
    sites = np.where(norms > 0, sites / np.where(norms > 0, norms, 1.0), [1.0, 0.0])
    return AssignmentModel.csa(X - origin, sites, polytope), sites


def _pairs(name: str, value: Any, most: int) -> list[list[float]]:
    try:
        numbers = all(type(v) in (int, float) for pair in value for v in pair)  # a text or a truth value is none
        pairs = np.array(value if numbers else [], dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        pairs = np.empty(0)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not np.isfinite(pairs).all():
        raise InvalidInputError(f"{name} must be a list of [x, y] with finite numbers, and not empty")
    if len(pairs) > most:
        raise InvalidInputError(f"{name} has {len(pairs)} entries, at most {most} are shown: pass a sample")
    if np.abs(pairs).max() > LARGEST:
        raise InvalidInputError(f"{name} reach {np.abs(pairs).max():.3g}, at most {LARGEST:.0e} is shown: rescale them")
    return pairs.tolist()


def _sizes(name: str, value: Any, k: int) -> list[int]:
    whole = isinstance(value, list) and all(isinstance(v, int) and not isinstance(v, bool) and v >= 0 for v in value)
    if not whole or len(value) != k:
        raise InvalidInputError(f"{name} must be a list of {k} whole numbers of at least 0, one a site")
    if max(value) > LARGEST:
        raise InvalidInputError(f"{name} has an entry of {len(str(max(value)))} digits: pass the number of points")
    return list(value)
