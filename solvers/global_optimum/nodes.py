"""One node of the branch and bound for least squares: links, their consequences, a bound, and what follows from it.

A node stands for the clusterings with certain links that are better than the best one known. Its semidefinite bound
starts from the iterates of its parent. What is known of such clusterings without branching becomes links as well:

    - no cluster holds a pair whose being together would raise the bound beyond that value: with the multipliers of the
      bound, the prices of Z_bc = Z_bb = Z_cc in [1 / u_bc, 1 / (w_b + w_c)] are compared with those of the box (2), and
      likewise for pairs whose being apart would;
    - where as many blocks as there are clusters exclude each other, each stands for a cluster, and a block that is
      apart from all of them but one is together with that one;
    - no cluster holds points p, q with w_p w_q |x_p - x_q|^2 / (w_p + w_q) beyond that value, which the two alone cost.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...models.polytope.links import ContradictoryLinksError, Links
from ...models.programs.least_squares_sdp import LeastSquaresSDP
from .sdp import CHECKED, Iterates, time_for_bounds


@dataclass(eq=False)
class Node:
    """Links of a node, a bound that holds for it, and the iterates of its parent with the links they are for."""

    links: Links
    bound: float
    parent: tuple[Links, Iterates] | None = None


@dataclass(eq=False)
class Outcome:
    """What became of a node: a bound, children when it is open, and the relaxed solution for a clustering."""

    bound: float
    children: list[Node]
    links: Links
    relaxed: NDArray[np.float64] | None = None
    leaf: bool = False  # Whether every pair is decided, so that the blocks are the clusters.
    stopped: bool = False  # Whether the time was up, so that its only child is the node itself.


def explore(root: LeastSquaresSDP, node: Node, cutoff: float, value: float, deadline: Deadline) -> Outcome:
    """Bound a node until it is done with, or nothing is gained any more and it branches."""
    if node.parent is None and not time_for_bounds(root, deadline):
        return Outcome(node.bound, [node], node.links, stopped=True)
    # at the root pairs that cost too much by themselves; children inherit them as links
    known = node.links
    if node.parent is None:
        known = Links(
            known.n_points, known.must, np.concatenate([known.cannot, root.with_links(known).far_pairs(value)])
        )
    links = consequences(root, known)
    if links is None:
        return Outcome(np.inf, [], known)
    # multipliers of the parent are nearly right: a child starts from its bound and not from nothing
    model = root.with_links(links)
    state = Iterates.start(model)
    if node.parent is not None:
        state = node.parent[1].restricted(root.with_links(node.parent[0]), model)
    bound, best, gaps, tail = node.bound, -np.inf, [np.inf], 0.0  # seconds of a round besides its steps
    while True:
        if model.apart.sum() == len(model.masses) * (len(model.masses) - 1):
            return Outcome(bound, [], links, leaf=True)
        # a safe bound costs as much as some steps: it is asked every 50 of them
        state.advance(model, 50, deadline)
        if not deadline.allows(max(CHECKED * state.seconds, tail)):
            return Outcome(bound, [Node(links, bound, (links, state))], links, stopped=True)
        started = deadline.elapsed
        scaled = state.safe_bound(model)
        bound = max(bound, model.safe(scaled))
        best = max(best, scaled)
        gaps.append(model.enough(cutoff) - best)
        if bound >= cutoff:
            return Outcome(bound, [], links)
        # what the bound decides without branching makes the program smaller for all that follows
        try:
            narrower = _fixed(model, state, scaled, value) if deadline.allows() else None
        except ContradictoryLinksError:  # what is better than the best clustering has links that no clustering has
            return Outcome(np.inf, [], links)
        if narrower is not None:
            links = consequences(root, narrower)
            if links is None:
                return Outcome(np.inf, [], narrower)
            before, model = model, root.with_links(links)
            state = state.restricted(before, model)
        # the gap must fall by a third within these rounds; the root has no iterates to start from and waits longer
        wait = 8 if node.parent is None else 4
        if narrower is None and len(gaps) > wait and gaps[-1] > 0.7 * gaps[-wait]:  # all may be decided by what is new
            break
        state.separate(model, deadline)
        tail = deadline.elapsed - started
    return Outcome(bound, _children(model, state, bound), links, _in_points(model, state))


def _fixed(model: LeastSquaresSDP, state: Iterates, scaled: float, value: float) -> Links | None:
    """The links with what the prices of a bound decide; None when they decide nothing new."""
    (low, high), w, roots = model.box, model.masses, model.roots
    box, inverse = state.box_prices(model), 1.0 / roots
    missing = model.enough(value) - scaled
    support = np.maximum(box * low, box * high)
    own = np.diag(support)
    prices = box * np.outer(roots, roots)
    own_prices = np.diag(prices)
    largest = np.minimum(1.0 / np.diag(low)[:, None] * w[:, None], 1.0 / np.diag(low) * w)
    near = (~model.apart).astype(np.float64)
    largest = np.minimum(largest, (near * w) @ near)  # what excludes neither of the two
    # Z_bc of two blocks in one cluster is one over its weight, which is between theirs and the largest possible
    least, most = 1.0 / np.maximum(largest * (1.0 + 1e-9), 1e-300), 1.0 / (w[:, None] + w)
    together = 2.0 * prices + own_prices[:, None] + own_prices
    paid = np.maximum(together * least, together * most)
    size = np.abs(paid) + 2.0 * np.abs(support) + np.abs(own)[:, None] + np.abs(own)
    # rise of the bound if Z_bc = Z_bb = Z_cc, that is, if both are in one cluster
    gain = 2.0 * support + own[:, None] + own - paid
    cannot = (gain - 1e-12 * size > missing) & ~model.apart
    # rise if Z_bc = 0, that is, if they are apart: the box and the cuts of the pair then contribute nothing
    kept = 2.0 * support
    pairs = (state.cuts[:, 1] >= 0) & (state.cuts[:, 2] < 0)
    b, c = state.cuts[pairs, 0], state.cuts[pairs, 1]
    slack = state.rho * state.multipliers[pairs] * (np.diag(low) * inverse**2)[b]
    np.add.at(kept, (b, c), slack)
    np.add.at(kept, (c, b), slack)
    must = ((1.0 - 1e-12) * kept > missing) & ~model.apart
    for found in (cannot, must):
        np.fill_diagonal(found, False)
    if not (cannot.any() or must.any()):
        return None
    return extended(model, must=np.argwhere(np.triu(must)), cannot=np.argwhere(np.triu(cannot & ~must)))


def extended(
    model: LeastSquaresSDP, must: NDArray[np.int64] | None = None, cannot: NDArray[np.int64] | None = None
) -> Links:
    """The links of a relaxation with further pairs of its blocks."""
    first = np.unique(model.blocks, return_index=True)[1][-len(model.masses) :]
    old = model.links
    assert old is not None
    parts = []
    for known, new in ((old.must, must), (old.cannot, cannot)):
        parts.append(known if new is None else np.concatenate([known, first[np.asarray(new, dtype=np.int64)]]))
    return Links(old.n_points, *parts)


def consequences(root: LeastSquaresSDP, links: Links) -> Links | None:
    """Links with what follows from them and the number of clusters; None when no clustering has them."""
    while True:
        model = root.with_links(links)
        low, high = model.box
        if (np.diag(low) > np.diag(high) * (1.0 + 1e-9)).any():
            return None
        apart, most = model.apart, model.n_filled[1]
        clique = _clique(apart)
        if len(clique) > most:
            return None
        if len(clique) < most:
            return links
        members = np.array(clique)
        free = np.setdiff1d(np.arange(len(apart)), members)
        open_to = ~apart[np.ix_(free, members)]
        if (open_to.sum(axis=1) == 0).any():
            return None
        forced = open_to.sum(axis=1) == 1
        if not forced.any():
            return links
        pairs = np.column_stack([free[forced], members[open_to[forced].argmax(axis=1)]])
        same = pairs[:, None, 1] == pairs[None, :, 1]
        if (same & apart[np.ix_(pairs[:, 0], pairs[:, 0])]).any():
            return None
        try:
            links = extended(model, must=pairs)
        except ContradictoryLinksError:
            return None


def _clique(apart: NDArray[np.bool_]) -> list[int]:
    """Blocks that exclude each other pairwise, as many as a greedy search finds."""
    degree = apart.sum(axis=1)
    best: list[int] = []
    for start in np.argsort(-degree, kind="stable")[:10]:
        clique, options = [int(start)], apart[start].copy()
        while options.any():
            inside = apart[:, options].sum(axis=1)
            chosen = int(np.where(options, inside, -1).argmax())
            clique.append(chosen)
            options &= apart[chosen]
        if len(clique) > len(best):
            best = clique
    return best


def _children(model: LeastSquaresSDP, state: Iterates, bound: float) -> list[Node]:
    """Two nodes, in one of which a pair is together and in the other apart."""
    Z = state.W / np.outer(model.roots, model.roots)
    own = np.diag(Z)
    share = 2.0 * Z / (own[:, None] + own)
    crowd = np.clip(share, 0.0, 1.0) ** 8 @ model.masses
    far = model.scaled_cost / np.outer(model.roots, model.roots)
    score = np.minimum(share, np.maximum(1.0 - share, 0.0)) + 1e-6 * share  # where all is decided, what is together
    score *= np.sqrt(np.outer(crowd, crowd) * far)
    score[model.apart] = -1.0
    np.fill_diagonal(score, -1.0)
    pair = np.array([np.unravel_index(score.argmax(), score.shape)])
    assert model.links is not None
    known = (model.links, state)
    children = [extended(model, must=pair), extended(model, cannot=pair)]
    return [Node(links, bound, known) for links in children]


def _in_points(model: LeastSquaresSDP, state: Iterates) -> NDArray[np.float64]:
    """Z (n, n) of the points; zero for those without weight."""
    Z = state.W / np.outer(model.roots, model.roots)
    Z = np.pad(Z, (0, 1))
    return Z[np.ix_(model.blocks, model.blocks)]
