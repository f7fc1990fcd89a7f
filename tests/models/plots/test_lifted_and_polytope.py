"""Pictures of polytopes, lifted surfaces and iterations: what they draw is what the models say."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest
from matplotlib import pyplot as plt

from partitope.models import PartitionPolytope, PowerDiagram
from partitope.models.plots.lifted import lifted_heights, plot_lifted
from partitope.models.plots.polytope import cluster_sums, plot_polytope

X = np.random.default_rng(2).normal(size=(7, 2))


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def test_polytope_of_two_clusters_is_drawn_with_every_optimum_on_its_outline():
    polytope = PartitionPolytope(7, 2, 5, n_clusters=2)
    ax = plot_polytope(X, polytope)
    dots, corners = (collection.get_offsets() for collection in ax.collections[-2:])
    assert len(dots) == polytope.count()
    assert 3 <= len(corners) < len(dots)
    labels = np.array(list(polytope.enumerate()))
    first = cluster_sums(X, labels, 2)[:, 0]
    for angle in np.linspace(0, 6, 20):
        a = np.array([np.cos(angle), np.sin(angle)])
        assert (corners @ a).max() == pytest.approx((first @ a).max(), abs=1e-9)


@pytest.mark.parametrize("kind", ["lsa", "csa"])
def test_envelope_of_the_lifted_surfaces_is_the_diagram(kind):
    rng = np.random.default_rng(1)
    diagram = PowerDiagram(rng.normal(size=(5, 3)), 0.3 * rng.normal(size=5), kind, rng.normal(size=3))
    points = rng.normal(size=(200, 3))
    heights = lifted_heights(diagram, points)
    best = heights.argmin(axis=1) if kind == "lsa" else heights.argmax(axis=1)
    assert (best == diagram.predict(points)).all()
    if kind == "lsa":
        expected = ((points[:, None] - diagram.sites) ** 2).sum(axis=2) + diagram.prices
        assert np.allclose(heights, expected)
    ax = plot_lifted(diagram, start=[-1, 0, 0], end=[2, 0, 0], X=points)
    assert len(ax.lines) == 2 * 5 + 1
    assert len(ax.patches) >= 1
