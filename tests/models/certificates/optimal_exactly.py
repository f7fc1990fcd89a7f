"""Optimality with no tolerance at all, asked of the exchange graph without any prices."""

from __future__ import annotations

from fractions import Fraction

from partitope.models.certificates.exact import exact_scores
from partitope.models.certificates.exact_exchange import Arcs, bounds_met, potentials, shorten, with_room


def optimal_exactly(model, labels):
    """Whether no exchange cycle of a clustering (n,) of points of equal weight gains."""
    if not model.polytope.contains(labels):
        return False
    arcs = Arcs()
    for i, gamma in zip(list(labels), exact_scores(model)):
        shorten(arcs, int(i), gamma)
    sizes = [Fraction(int(size)) for size in model.polytope.sizes(labels)]
    lower, upper, _ = bounds_met(model, sizes, 0.0)
    return potentials(with_room(arcs, sizes, lower, upper), [Fraction(0)] * len(sizes)) is not None
