"""The plane of bounds against solves from scratch: values, prices, classes and clusterings at every pair."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from partitope.base.errors import CapabilityError, InfeasibleBoundsError, InvalidInputError
from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers import bounds_path, bounds_plane


def _model(seed, n=30, k=3, kind="lsa"):
    rng = np.random.default_rng([seed, 66])
    X = rng.normal(size=(n, 2)) + 2.0 * (np.arange(n) % 7 == 0)[:, None]
    model = getattr(AssignmentModel, kind)(X, X[rng.choice(n, k, replace=False)], PartitionPolytope(n, n_clusters=k))
    return model, rng.integers(0, 3, n)


@pytest.mark.parametrize(
    ("seed", "n", "k", "kind"), [(0, 20, 3, "lsa"), (1, 14, 4, "csa"), (2, 11, 5, "lsa"), (3, 5, 1, "lsa")]
)
def test_every_pair_equals_a_solve_of_its_own(seed, n, k, kind):
    model, classes = _model(seed, n, k, kind)
    plane = bounds_plane(model, classes)
    table, digests = plane.table, {}
    assert {(int(u)) for u in table.u[table.l == 0]} == set(range(-(-n // k), int(table.u.max()) + 1))
    for row in table.itertuples():
        solution = plane.solve(row.l, row.u)
        value = solution.cost if model.has_cost else solution.objective
        assert row.value == pytest.approx(value, rel=1e-9, abs=1e-9)
        assert plane.at(row.l, row.u) == (row.value, row.value)
        labels = solution.require_labels()
        majority = sum(np.bincount(classes[labels == i]).max() for i in range(k) if (labels == i).any())
        assert row.accuracy == pytest.approx(majority / n)
        assert digests.setdefault(row.clustering, labels.tobytes()) == labels.tobytes()
        sizes, region = np.bincount(labels, minlength=k), plane.regions.iloc[row.region]
        assert region.at_lower == tuple(np.flatnonzero(sizes == row.l))
        assert region.at_upper == tuple(np.flatnonzero(sizes == row.u))
    assert len(digests) == len(set(digests.values()))
    cost = table.set_index(["l", "u"]).cost
    for (l, u), price in table.set_index(["l", "u"]).price_lower.dropna().items():
        top = table.u[table.l == l + 1].max()
        assert price == pytest.approx(cost[l + 1, min(u, top)] - cost[l, u], abs=1e-9)
    path = bounds_path(model, "lower")
    for t in (0.3 * n / k, 0.9 * n / k):  # between whole numbers
        assert plane.at(t, n)[0] == pytest.approx(float(path(t)), rel=1e-9)


def test_surfaces_enclose_the_optimum_and_the_exact_plane():
    X = load_iris().data
    model = AssignmentModel.lsa(X, X[[0, 60, 120, 140]], PartitionPolytope(150, n_clusters=4))
    exact, plane = bounds_plane(model), bounds_plane(model, gap=0.05)
    assert len(plane.table) < 0.2 * len(exact.table)
    whole = exact.table.cost.max()
    for row in exact.table.itertuples():
        low, high = plane.at(row.l, row.u)
        assert low - 1e-9 * whole <= row.value <= high + 1e-9 * whole
        assert high - low <= plane.gap * whole * (1 + 1e-9)
    assert plane.table.price_lower.min() >= 0.0


def test_ties_leave_whole_labels():
    """Equal points in equal distances: optima split points, labels and their digests do not."""
    X = np.repeat([[0.0], [1.0], [2.0]], 4, axis=0)
    plane = bounds_plane(AssignmentModel.lsa(X, [[0.0], [1.0], [2.0]], PartitionPolytope(12, n_clusters=3)), X[:, 0])
    assert plane.table.cost.max() == 0.0
    assert plane.table.accuracy.eq(1.0).all()
    assert plane.table.clustering.nunique() == 1


def test_what_is_refused():
    model, classes = _model(0)
    with pytest.raises(InvalidInputError, match="classes has 29 entries"):
        bounds_plane(model, classes[1:])
    with pytest.raises(InvalidInputError, match="gap"):
        bounds_plane(model, gap=2.0)
    with pytest.raises(CapabilityError, match="weights"):
        bounds_plane(
            AssignmentModel.lsa([[0.0], [1.0]], [[0.0], [1.0]], PartitionPolytope(2, weights=[1, 2], n_clusters=2))
        )
    plane = bounds_plane(model)
    with pytest.raises(InfeasibleBoundsError, match="sizes need"):
        plane.at(11, 20)
    with pytest.raises(InvalidInputError, match="of='accuracy'"):
        plane.plot("accuracy")
