"""Problems that are easier than another and have nearly its prices: samples, and scores without ties."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...models.scores.scores import DenseScores, LinearScores, is_sparse
from .problem import OpenProblem

FEWER = 2  # scores are tied where not even one in so many is another
UNTYING = 3  # random numbers of a point that tell it apart


def untied(problem: OpenProblem, size: float) -> OpenProblem | None:
    """The problem with small random numbers added to the scores, where many points have the same; else None."""
    if not _tied(problem):
        return None
    (n, k), random, r = problem.shape, np.random.RandomState(1), problem.attributes.shape[1]
    noise = random.uniform(-1.0, 1.0, (n, UNTYING)) * problem.reactions[:, None]
    return replace(
        problem,
        attributes=np.hstack([problem.attributes, noise]),
        coefficients=np.hstack([problem.coefficients, np.zeros((len(problem.clusters), UNTYING))]),
        tilt=np.hstack([np.zeros((k, r)), random.uniform(-size, size, (k, UNTYING))]),
    )


def _tied(problem: OpenProblem) -> bool:
    """Whether many points have the scores of another: looked for by random sums of the data that scores come from."""
    source = problem.scores
    data = source.X if isinstance(source, LinearScores) else source.matrix
    if is_sparse(data):
        return False
    code = np.sort(data @ np.random.RandomState(0).uniform(0.5, 1.0, data.shape[1]))
    return bool(np.count_nonzero(np.diff(code)) < code.size // FEWER)


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
