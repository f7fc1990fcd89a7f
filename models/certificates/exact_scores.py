"""Scores as fractions of the floats that define them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from ..scores.quadratic import QuadraticScores
from ..scores.scores import LinearScores

if TYPE_CHECKING:
    from ..programs.assignment import AssignmentModel

ZERO, ONE = Fraction(0), Fraction(1)


def exact_scores(model: AssignmentModel) -> Iterator[list[Fraction]]:
    """gamma_j (k entries) of every point in turn, as fractions of the points, sites and origin, or of the scores."""
    source = model.score_source
    if not isinstance(source, LinearScores):
        for j in range(source.shape[0]):
            yield [Fraction(value) for value in source.rows(j, j + 1)[0].tolist()]
        return
    scores_of = affine_scores(model)
    for point in np.asarray(source.X, dtype=np.float64).tolist():
        yield scores_of(_coordinates(source, [Fraction(value) for value in point]))


def _coordinates(source: LinearScores, point: list[Fraction]) -> list[Fraction]:
    """The numbers that scores are affine in, `LinearScores.coordinates`, of one point, without rounding."""
    if not isinstance(source, QuadraticScores):
        return point
    y = [x - Fraction(o) for x, o in zip(point, source.origin.tolist())]
    return y + [y[p] * y[q] for p in range(len(y)) for q in range(p, len(y))]


def affine_scores(model: AssignmentModel) -> Callable[[Iterable[float | Fraction]], list[Fraction]]:
    """The scores (k) at given coordinates, those that they are affine in, by the sites of a model."""
    source = model.score_source
    assert isinstance(source, LinearScores)
    origin = [Fraction(value) for value in source.zero.tolist()]
    if model.kind == "lsa" and model.sites is not None:
        shifted = [[Fraction(a) - c for a, c in zip(site, origin)] for site in model.sites.tolist()]
        gradients = [[2 * a for a in site] for site in shifted]
        offsets = [-sum((a * a for a in site), ZERO) for site in shifted]
    else:
        gradients = [[Fraction(g) for g in row] for row in source.gradients.tolist()]
        offsets = [Fraction(h) for h in source.offsets.tolist()]

    def scores_of(coordinates: Iterable[float | Fraction]) -> list[Fraction]:
        x = [Fraction(value) - c for value, c in zip(coordinates, origin)]
        return [sum((g * v for g, v in zip(row, x)), h) for row, h in zip(gradients, offsets)]

    return scores_of
