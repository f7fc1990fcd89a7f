"""Margins where sites are equal, equal up to rounding, or close, in any unit of measurement."""

from __future__ import annotations

import numpy as np
import pytest

from partitope.models import AssignmentModel, PartitionPolytope, PowerDiagram
from partitope.solvers import solve

EPS = np.finfo(float).eps
SCALES = [1e-8, 1.0, 1e8]


def _data(scale, kind):
    rng = np.random.default_rng(11)
    X = scale * rng.normal(size=(60, 3))
    sites = rng.normal(size=(3, 3)) * (scale if kind == "lsa" else 1.0)
    return X, sites


@pytest.mark.parametrize("kind", ["csa", "lsa"])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("gap", [0.0, EPS, 4 * EPS, 1e-14])
def test_sites_equal_up_to_rounding_are_one_site(kind, scale, gap):
    X, sites = _data(scale, kind)
    sites = np.vstack([sites, sites[0] * (1 + gap)])
    model = getattr(AssignmentModel, kind)(X, sites, PartitionPolytope(60, 15, 15, n_clusters=4))
    labels = solve(model).labels
    diagram = PowerDiagram.max_margin(X, labels, sites, kind)
    margins = diagram.margin(X, labels)
    # the two clusters of the one site lie on their common wall; all others keep their distance to the other cells
    shared = np.isin(labels, [0, 3])
    reduced, gradients = diagram.decision_function(X), diagram.gradients
    for j in np.flatnonzero(~shared):
        i = labels[j]
        walls = [
            (reduced[j, i] - reduced[j, l]) / np.linalg.norm(gradients[i] - gradients[l]) for l in range(4) if l != i
        ]
        assert margins[j] == pytest.approx(min(walls), rel=1e-9, abs=1e-9 * scale)
    assert np.abs(margins[shared]).max() <= 1e-9 * scale
    assert margins.min() >= -1e-9 * scale


@pytest.mark.parametrize("kind", ["csa", "lsa"])
@pytest.mark.parametrize("scale", SCALES)
def test_a_covered_cell_has_no_wall_and_the_covering_one_ignores_it(kind, scale):
    X, sites = _data(scale, kind)
    twice = np.vstack([sites, sites[0]])
    prices = np.zeros(4)
    prices[3] = 0.5 * scale**2 if kind == "lsa" else 0.5 * scale  # dearer than its twin 0: its cell is empty
    alone = PowerDiagram(sites, prices[:3], kind)
    labels = alone.predict(X)
    diagram = PowerDiagram(twice, prices, kind)
    np.testing.assert_allclose(diagram.margin(X, labels), alone.margin(X, labels), rtol=1e-12)
    assert np.isneginf(diagram.margin(X, np.full(60, 3))).all()


@pytest.mark.parametrize("kind", ["csa", "lsa"])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("gap", [1e-3, 1e-7, 1e-10])
def test_close_sites_keep_the_digits_of_the_distance(kind, scale, gap):
    """Two sites on the first axis: the wall stands midway (LSA) or through the origin (CSA), whatever their gap."""
    unit = scale if kind == "lsa" else 1.0
    sites = unit * np.array([[1.0, 0.0], [1.0 + gap, 0.0]])
    X = scale * np.array([[0.25, 3.0], [-2.0, 1.0], [1e3, 0.0]])
    wall = (sites[0, 0] + sites[1, 0]) / 2 if kind == "lsa" else 0.0
    margins = PowerDiagram(sites, [0.0, 0.0], kind).margin(X, [0, 0, 1])
    expected = np.where([True, True, False], wall - X[:, 0], X[:, 0] - wall)
    # subtractions, a product with a unit vector and a sum: a few roundings of the coordinates
    np.testing.assert_allclose(margins, expected, rtol=0, atol=8 * EPS * np.abs(X).max())
