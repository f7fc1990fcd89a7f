"""Scores as fractions of the floats that define them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .scores import LinearScores

if TYPE_CHECKING:
    from .assignment import AssignmentModel

ZERO = Fraction(0)


def exact_scores(model: AssignmentModel) -> Iterator[list[Fraction]]:
    """gamma_j (k entries) of every point in turn, as fractions of the points, sites and origin, or of the scores.

    Notes
    -----
    For LSA, gamma_ij = 2 (a_i - c) . (x_j - c) - |a_i - c|^2 with the sites a_i themselves.
    """
    source = model.score_source
    if not isinstance(source, LinearScores):
        for j in range(source.shape[0]):
            yield [Fraction(value) for value in source.rows(j, j + 1)[0].tolist()]
        return
    scores_of = affine_scores(model)
    for j in range(source.shape[0]):
        yield scores_of(source.X[j])


def affine_scores(model: AssignmentModel) -> Callable[[NDArray[np.floating]], list[Fraction]]:
    """The scores (k) of a point (d,) by the sites of a model."""
    source = model.score_source
    assert isinstance(source, LinearScores)
    origin = [Fraction(value) for value in source.origin.tolist()]
    if model.kind == "lsa" and model.sites is not None:
        shifted = [[Fraction(a) - c for a, c in zip(site, origin)] for site in model.sites.tolist()]
        gradients = [[2 * a for a in site] for site in shifted]
        offsets = [-sum((a * a for a in site), ZERO) for site in shifted]
    else:
        gradients = [[Fraction(g) for g in row] for row in source.gradients.tolist()]
        offsets = [Fraction(h) for h in source.offsets.tolist()]

    def scores_of(point: NDArray[np.floating]) -> list[Fraction]:
        x = [Fraction(value) - c for value, c in zip(np.asarray(point, dtype=np.float64).tolist(), origin)]
        return [sum((g * v for g, v in zip(row, x)), h) for row, h in zip(gradients, offsets)]

    return scores_of
