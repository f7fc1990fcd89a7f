"""What the library says about a state of the page, to which the page's own answers are compared number by number.

A state is what a link of the page carries: the kind of scores, two-dimensional points, sites, and the size bounds.

    labels          an optimum of the assignment program           `solve`
    prices          potentials of its exchange graph               `ExchangeGraph.prices`
    margin_prices   prices whose walls are farthest from points    `PowerDiagram.max_margin`
    gap, verified   one independent pass over the data             `check_assignment`
    proof           "step" when verified: for these sites; "none"  `Proof`
    next_sites      step (2) of the alternating method             cluster sums over norms (CSA) or sizes (LSA)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from partitope.base.errors import InfeasibleBoundsError, NotOptimalError
from partitope.base.jit import one_thread
from partitope.models.certificates.certificate import check_assignment
from partitope.models.certificates.exchange import ExchangeGraph
from partitope.models.diagram.power_diagram import PowerDiagram
from partitope.models.objectives.proof import Proof
from partitope.models.polytope.polytope import PartitionPolytope
from partitope.models.programs.assignment import AssignmentModel
from partitope.solvers.assignment.solve import solve
from partitope.solvers.geometric.problem import ClusterStatistics

State = dict[str, Any]


def answer(state: State) -> dict[str, Any]:
    """Everything the page shows for a state, as plain numbers and lists."""
    X, k = np.array(state["points"], dtype=np.float64).reshape(-1, 2), len(state["sites"])
    if len(X) < k:
        return {"error": f"n_clusters={k} exceeds n_samples={len(X)}: ask for at most one cluster per point"}
    try:
        polytope = PartitionPolytope(len(X), state["lower"], state["upper"])
        polytope.check()
    except InfeasibleBoundsError as error:
        return {"error": str(error)}
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
    diagram = PowerDiagram.max_margin(X, labels, sites, state["kind"], origin)
    shift, centred = (origin if state["kind"] == "lsa" else 0.0), X - origin
    sums = np.array([np.bincount(labels, column, k) for column in centred.T], dtype=np.float64).T  # in the port's order
    squares = float(((centred - (sites - shift)[labels]) ** 2).sum())
    statistics = ClusterStatistics(sums, polytope.sizes(labels), squares)
    objective, next_sites = statistics.improve(state["kind"], sites - shift)
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
    }


def _model(
    state: State, X: NDArray[np.float64], origin: NDArray[np.float64], polytope: PartitionPolytope
) -> tuple[AssignmentModel, NDArray[np.float64]]:
    """The assignment program of a state and its standardised sites (k, 2)."""
    sites = np.array(state["sites"], dtype=np.float64)
    if state["kind"] == "lsa":
        return AssignmentModel.lsa(X, sites, polytope, origin), sites
    norms = np.linalg.norm(sites, axis=1, keepdims=True)
    sites = np.where(norms > 0, sites / np.where(norms > 0, norms, 1.0), [1.0, 0.0])
    return AssignmentModel.csa(X - origin, sites, polytope), sites
