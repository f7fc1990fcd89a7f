"""Polygons of power cells: exact against the diagram's own prediction; pictures on given axes."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from matplotlib.path import Path

from partitope.models import PowerDiagram
from partitope.models.diagram.picture import Plane, cell_polygons

BOX = (-2.0, 2.0, -1.5, 1.5)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def area(polygon: np.ndarray) -> float:
    if not len(polygon):
        return 0.0
    x, y = polygon.T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def random_diagram(seed: int, k: int, d: int, kind: str) -> PowerDiagram:
    rng = np.random.default_rng(seed)
    return PowerDiagram(rng.normal(size=(k, d)), 0.3 * rng.normal(size=k), kind, 0.2 * rng.normal(size=d))


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), k=st.integers(1, 12), d=st.integers(2, 5), kind=st.sampled_from(["csa", "lsa"]))
def test_polygons_are_the_cells_of_prediction(seed, k, d, kind):
    diagram = random_diagram(seed, k, d, kind)
    rng = np.random.default_rng(seed + 1)
    plane = None if d == 2 else Plane(rng.normal(size=d), np.linalg.qr(rng.normal(size=(d, 2)))[0].T)
    polygons = cell_polygons(diagram.reduced, BOX, plane)
    assert sum(map(area, polygons)) == pytest.approx(4.0 * 3.0, rel=1e-9)  # the cells tile the rectangle
    assert all(area(polygon) >= 0 for polygon in polygons)  # counter-clockwise
    flat = rng.uniform([-2.0, -1.5], [2.0, 1.5], size=(200, 2))
    points = flat if plane is None else plane.point + flat @ plane.basis
    scores = np.sort(diagram.decision_function(points), axis=1)
    clear = np.ones(200, bool) if k == 1 else scores[:, -1] - scores[:, -2] > 1e-9
    for x, cell in zip(flat[clear], diagram.predict(points)[clear]):
        assert Path(polygons[cell]).contains_point(x, radius=1e-9) or Path(polygons[cell]).contains_point(
            x, radius=-1e-9
        )


def test_a_cell_that_misses_the_rectangle_is_empty():
    diagram = PowerDiagram([[0.0, 0.0], [100.0, 0.0]], [0.0, 0.0], kind="lsa")
    first, second = cell_polygons(diagram.reduced, BOX)
    assert len(second) == 0
    assert area(first) == pytest.approx(12.0)


def test_plot_draws_on_the_given_axes_and_returns_them():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    diagram = PowerDiagram(X[:4], np.zeros(4), kind="lsa")
    _, ax = plt.subplots()
    assert diagram.plot(ax, X, diagram.predict(X), sites=True) is ax
    assert ax.get_aspect() == 1.0  # walls stand perpendicular on the line between their sites
    assert len(ax.patches) == 4
    assert [text.get_text() for text in ax.texts] == ["0", "1", "2", "3"]
    assert diagram.plot(ax=ax, X=X, numbers=False) is ax
    assert sum(len(c.get_offsets()) for c in ax.collections) == 60 + 4 + 60
