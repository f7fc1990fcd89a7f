"""A sample of a problem, which has nearly its prices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...models.scores.scores import DenseScores, LinearScores
from .problem import OpenProblem


def sample(problem: OpenProblem, m: int, random: np.random.RandomState) -> OpenProblem:
    """The problem of about m points, with bounds on sums in proportion and without rows (3)."""
    chance = problem.reactions * (m / problem.reactions.sum())
    points = np.flatnonzero(random.random_sample(chance.size) < chance)
    factors = 1.0 / np.minimum(chance[points], 1.0)
    attributes = problem.attributes[points] * factors[:, None]
    sums, q2 = problem.attributes.sum(axis=0), len(problem.clusters)
    share = attributes.sum(axis=0) / np.where(sums != 0, sums, 1.0)
    used = np.abs(problem.coefficients)
    factor = np.where(problem.relative, 1.0, (used @ share) / np.where(used.sum(axis=1) > 0, used.sum(axis=1), 1.0))
    products = attributes.T @ attributes
    squares = np.einsum("qr,rs,qs->q", problem.coefficients, products, problem.coefficients)
    noise = np.where(problem.relative, 0.5 * np.sqrt(np.maximum(squares, 0.0) / problem.shape[1]), 0.0)
    lower, upper = (side[:q2] * factor for side in (problem.lower, problem.upper))
    source = problem.scores
    return replace(
        problem,
        scores=replace(source, X=source.X[points])
        if isinstance(source, LinearScores)
        else DenseScores(source.matrix[points]),
        weights=factors if problem.weights is None else factors * problem.weights[points],
        attributes=attributes,
        sparse=None,
        lower=lower - noise,
        upper=upper + noise,
        scales=problem.scales[:q2],
        allowed=None if problem.allowed is None else problem.allowed[points],
    )
