"""Power diagrams: every point in its closed cell, strictly inside when a strict diagram exists."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from partitope.base.errors import InvalidInputError
from partitope.models import AssignmentModel, PartitionPolytope, PowerDiagram
from partitope.solvers import solve
from partitope.testing import DATA, random_model


def _largest_margin(X, labels, sites, kind):
    """The max-margin program solved as a linear program by SciPy, over all points: another route to eps."""
    k = len(sites)
    gradients = sites if kind == "csa" else 2 * sites
    scores = X @ gradients.T - (0 if kind == "csa" else (sites**2).sum(axis=1))
    rows, room = [], []
    for j, i in enumerate(labels):
        for l in range(k):
            if l != i:
                row = np.zeros(k + 1)
                row[i], row[l], row[k] = 1, -1, np.linalg.norm(gradients[i] - gradients[l])
                rows.append(row)
                room.append(scores[j, i] - scores[j, l])
    bounds = [(0, 0)] + [(None, None)] * (k - 1) + [(None, 1e3)]
    result = linprog(-np.eye(k + 1)[k], A_ub=np.array(rows), b_ub=room, bounds=bounds)
    assert result.status == 0
    return -result.fun


@settings(max_examples=80, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 40),
    st.integers(2, 4),
    st.integers(1, 3),
    st.sampled_from(DATA),
    st.sampled_from(["csa", "lsa"]),
)
@example(257, 38, 2, 3, "integers", "lsa")  # ties on both sides: every gap is zero up to the rounding of the scores
def test_every_point_lies_in_its_closed_cell(seed, n, k, d, data, kind):
    model = random_model(seed, n, min(k, n), d, data=data, kind=kind)
    labels, X, sites = solve(model).labels, model.scores.X, model.sites
    origin = model.scores.origin
    diagram = PowerDiagram.max_margin(X, labels, sites, kind, origin)
    scale = max(1.0, float(np.abs(X - origin).max()), float(np.abs(sites - origin).max() if kind == "lsa" else 1))
    reduced = diagram.decision_function(X)
    assert (reduced.max(axis=1) - reduced[np.arange(n), labels]).max() <= 1e-9 * scale**2


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(3, 30), st.integers(2, 4), st.sampled_from(["csa", "lsa"]))
def test_margin_is_the_largest_possible(seed, n, k, kind):
    model = random_model(seed, n, min(k, n), kind=kind, shape="mixed")
    X, sites, labels = model.scores.X, model.sites, solve(model).labels
    if len(np.unique(sites.round(9), axis=0)) < len(sites):
        return
    diagram = PowerDiagram.max_margin(X, labels, sites, kind)
    if len(np.unique(labels)) > 1:
        best = _largest_margin(X, labels, sites, kind)
        margin = diagram.margin(X, labels).min()
        assert margin == pytest.approx(max(best, 0.0), abs=1e-7)
        if best > 1e-6:  # a strict diagram exists: strictly inside, and prediction gives the labels back
            assert margin > 0
            np.testing.assert_array_equal(diagram.predict(X), labels)


@pytest.mark.parametrize("kind", ["csa", "lsa"])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_scale_and_shift_change_nothing_but_units(kind, scale):
    rng = np.random.default_rng(7)
    X, sites = rng.normal(size=(60, 2)), rng.normal(size=(4, 2))
    polytope = PartitionPolytope(60, 13, 17, n_clusters=4)
    labels = solve(getattr(AssignmentModel, kind)(X, sites, polytope)).labels
    shift = np.array([100.0, -50.0])
    plain = PowerDiagram.max_margin(X, labels, sites, kind)
    moved = PowerDiagram.max_margin(
        scale * (X + shift), labels, sites if kind == "csa" else scale * (sites + shift), kind, origin=scale * shift
    )
    np.testing.assert_allclose(moved.margin(scale * (X + shift), labels), scale * plain.margin(X, labels), rtol=1e-6)
    np.testing.assert_array_equal(moved.predict(scale * (X + shift)), labels)


@pytest.mark.parametrize("kind", ["csa", "lsa"])
def test_weights_describe_the_same_cells(kind):
    rng = np.random.default_rng(3)
    diagram = PowerDiagram(rng.normal(size=(5, 3)), rng.normal(size=5), kind, origin=rng.normal(size=3))
    X = rng.normal(size=(200, 3))
    centred = X - diagram.origin if kind == "csa" else X
    power = ((centred[:, None] - diagram.sites) ** 2).sum(axis=2) - diagram.weights
    np.testing.assert_array_equal(power.argmin(axis=1), diagram.predict(X))


def test_empty_clusters_get_cells_that_hold_no_point():
    X = np.array([[0.0], [1.0], [9.0], [10.0]])
    sites = np.array([[0.0], [5.0], [10.0]])
    diagram = PowerDiagram.max_margin(X, [0, 0, 2, 2], sites, "lsa")
    assert diagram.margin(X, [0, 0, 2, 2]).min() > 0
    np.testing.assert_array_equal(diagram.predict(X), [0, 0, 2, 2])
    assert np.isfinite(diagram.prices).all()


@pytest.mark.parametrize("offset", [0.0, 1e6, 0.1])
def test_equal_points_of_several_clusters_lie_in_the_first_cell(offset):
    X = offset + np.repeat([[0.1, 0.7], [3.3, 1.9]], 20, axis=0)
    labels = np.repeat([0, 2, 2, 1], [14, 6, 4, 16])
    sites = np.array([X[labels == i].mean(axis=0) for i in range(3)])
    for order in ([0, 1, 2], [2, 0, 1]):  # whatever the cluster is called
        named = np.array(order)[labels]
        diagram = PowerDiagram.max_margin(X, named, sites[np.argsort(order)], "lsa")
        first = [min(order[0], order[2])] * 20 + [min(order[1], order[2])] * 20
        assert diagram.predict(X).tolist() == first


def test_one_cluster_is_the_whole_space():
    diagram = PowerDiagram.max_margin([[1.0], [5.0]], [0, 0], [[2.0]], "lsa")
    assert diagram.prices.tolist() == [0.0]
    assert np.isinf(diagram.margin([[1.0], [5.0]], [0, 0])).all()
    assert diagram.predict([[-1e9], [1e9]]).tolist() == [0, 0]


@pytest.mark.parametrize("kind", ["csa", "lsa"])
def test_labels_that_are_not_optimal_for_the_sites_are_refused(kind):
    X, sites = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([[-1.0], [1.0]])
    PowerDiagram.max_margin(X, [0, 0, 1, 1], sites, kind)
    with pytest.raises(InvalidInputError, match="not optimal for these sites"):
        PowerDiagram.max_margin(X, [1, 0, 1, 0], sites, kind)
    with pytest.raises(InvalidInputError, match="not optimal for these sites"):
        PowerDiagram.max_margin(X, [1, 1, 0, 0], sites, kind)


@pytest.mark.parametrize("form", [np.asarray, np.float32, sp.csr_array], ids=["float64", "float32", "sparse"])
@pytest.mark.parametrize("entry", [np.nan, np.inf])
def test_a_point_that_is_not_finite_has_no_cell(form, entry):
    diagram = PowerDiagram([[1.0, 0.0], [0.0, 1.0]], [0.0, 0.0])
    X, y = form([[1.0, 2.0], [entry, 0.0]]), [1, 0]
    for ask in (diagram.predict, diagram.decision_function):
        with pytest.raises(InvalidInputError, match="X holds NaN or infinity"):
            ask(X)
    for ask in (diagram.margin, diagram.exchange_gaps):
        with pytest.raises(InvalidInputError, match="X holds NaN or infinity"):
            ask(X, y)
    assert diagram.predict([[1e200, 0.0]]).tolist() == [0]  # large, and finite


def test_three_way_cycle_is_refused():
    # each pair alone can be priced, the three together cannot
    angles = np.array([0, 2, 4]) * np.pi / 3
    sites = np.c_[np.cos(angles), np.sin(angles)]
    X = np.roll(sites, -1, axis=0)
    with pytest.raises(InvalidInputError, match="not optimal"):
        PowerDiagram.max_margin(X, [0, 1, 2], sites, "csa")
