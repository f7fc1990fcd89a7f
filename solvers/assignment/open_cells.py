"""Cells of an assignment with masks and side constraints: a power diagram of the points lifted by their attributes.

With the net prices N of attributes A (`certificates/priced_out_rows.py`) and weights w_j > 0, a point that is in every
cluster allowed and in no custom row is where

    (1)  gamma_i(x_j) - mu_i - (A_j / w_j) . N_i        is largest,

which is affine in (x, a) with a = A / w. Of a share, A = (w 1[j in g], w): its second column is constant in a and
belongs to the price of the cluster. A diagram of the lifted points (x, a) has these scores when its sites are

    CSA  (a_i, -N_i)      prices mu_i + constant
    LSA  (a_i, -N_i / 2)  prices mu_i + constant - |N_i|^2 / 4

Scores of anisotropic cells are affine in the lifted point z (`partitope.models.scores.quadratic`). Without attributes
these are the cells of their sites and matrices; with them, those of the points (z, a), as for CSA with a_i = g_i and
the constants h_i in the prices.

The prices of the rows stay as they are; those of the clusters are moved to the largest margin.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...models.certificates.priced_out_rows import PricedOutRows, net_scores
from ...models.diagram.max_margin_prices import max_margin_prices, pairwise_distance
from ...models.diagram.power_diagram import PowerDiagram
from ...models.objectives.objectives import Objective
from ...models.polytope.polytope import PartitionPolytope
from ...models.scores.scores import AffineScores, LinearScores
from ..boxstep.problem import BLOCK_NUMBERS
from ..cells import Cells, LiftedPoints, WithAttributes
from ..solution import AssignmentSolution

FREE = 4.0  # Replaces an unbounded gap: this times k times the largest finite gap.


def with_largest_margins(cells: Cells, solution: AssignmentSolution, curved: bool = False) -> Cells:
    """Cells of an optimal assignment (`lifted_cells`) at prices of the largest margin, for ``curved`` boundaries in the
    score and not in distance. Points that a mask or a custom row charges may be outside the cell of their label."""
    gaps, diagram = _least_margins(solution), cells.diagram
    filled = np.bincount(solution.require_labels(), minlength=len(gaps)) > 0
    largest = float(gaps.max(initial=0.0, where=np.isfinite(gaps))) or 1.0
    gaps[filled[:, None] & np.isinf(gaps)] = FREE * len(gaps) * largest
    np.fill_diagonal(gaps, 0.0)
    apart = 1.0 - np.eye(len(gaps)) if curved else pairwise_distance(diagram.gradients)
    return replace(cells, diagram=replace(diagram, prices=diagram.prices + max_margin_prices(gaps, apart)))


def lifted_cells(
    polytope: PartitionPolytope,
    scores: AffineScores | LinearScores,
    sites: NDArray[np.float64],
    kind: Objective,
    prices: NDArray[np.float64],
    further_prices: Mapping[str, NDArray[np.float64]],
    matrices: NDArray[np.float64] | None = None,
) -> Cells:
    """The cells of scores that come from ``sites`` (k, d) as ``kind`` says, at prices mu (k,) and nu, by name;
    anisotropic ones with ``matrices`` (k, d, d)."""
    charges = PricedOutRows.of(polytope, further_prices)
    names, net, constant = [], [], np.zeros(polytope.n_clusters)
    for rows in polytope.further:
        if rows.attributes is not None:
            charged = rows.charges(charges.prices[rows.name], polytope.n_clusters)
            names.append(rows.name)
            net.append(charged[0])
            constant += charged[1:].sum(axis=0)
    lift = np.array(net).reshape(len(names), polytope.n_clusters).T
    price = prices + constant
    if matrices is not None:
        if not names:
            return Cells(None, PowerDiagram(sites, price, kind, scores.origin, matrices))
        embedding = WithAttributes(tuple(names), LiftedPoints(scores.origin))
        return Cells(embedding, PowerDiagram(np.concatenate([scores.gradients, -lift], axis=1), price - scores.offsets))
    lifted = np.concatenate([sites, -lift if kind == "csa" else -lift / 2.0], axis=1)
    if kind == "lsa":
        price = price - (lift**2).sum(axis=1) / 4.0
    origin = np.concatenate([scores.origin, np.zeros(len(names))])
    return Cells(WithAttributes(tuple(names)) if names else None, PowerDiagram(lifted, price, kind, origin))


def _least_margins(solution: AssignmentSolution) -> NDArray[np.float64]:
    """Least margins (k, k) of the points of cluster i over cluster l in (1), where no mask or own row decides; infinite
    where no point limits them."""
    model, labels, prices = solution.model, solution.require_labels(), np.asarray(solution.prices)
    charges = PricedOutRows.of(model.polytope, solution.further_prices)
    n, k = model.score_source.shape
    gaps = np.full((k, k), np.inf)
    step = max(BLOCK_NUMBERS // k, 1)
    for start in range(0, n, step):
        stop = min(start + step, n)
        weights = model.point_weights[start:stop]
        free = weights > 0
        if charges.sparse is not None:
            free &= np.diff(charges.sparse.indptr[start : stop + 1]) == 0
        own = labels[start:stop][free]
        net = net_scores(model, prices, charges, start, stop)[free] / weights[free, None]
        margin = np.maximum(net[np.arange(own.size), own][:, None] - net, 0.0)
        for i in np.unique(own):
            gaps[i] = np.minimum(gaps[i], margin[own == i].min(axis=0))
    return gaps
