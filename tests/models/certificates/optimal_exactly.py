"""Optimality with no tolerance at all, asked of the exchange graph without any prices."""

from __future__ import annotations

from fractions import Fraction

from partitope.models.certificates.exact import has_potentials
from partitope.models.certificates.exact_rows import exact_scores


def optimal_exactly(model, labels):
    """Whether no exchange cycle of a clustering (n,) of points of equal weight gains."""
    polytope, k, arcs = model.polytope, model.polytope.n_clusters, {}
    if not polytope.contains(labels):
        return False
    for i, gamma in zip(list(labels), exact_scores(model)):
        arcs |= {(i, l): min(arcs.get((i, l), gamma[i] - gamma[l]), gamma[i] - gamma[l]) for l in range(k) if l != i}
    for i, size in enumerate(polytope.sizes(labels)):
        arcs |= {(i, k): Fraction(0)} if size < polytope.upper[i] else {}
        arcs |= {(k, i): Fraction(0)} if size > polytope.lower[i] else {}
    return has_potentials(arcs, [Fraction(0)] * k)
