"""Strategies over polytopes with several size dimensions, masks, shares and custom rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from partitope.base.errors import CapabilityError, InvalidInputError
from partitope.cluster import BalancedKMeans
from partitope.model_files.state import from_state, state_of
from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers import CAC, KCC, PKM, AnisotropicPartitioner, GeometricPartitioner, solve
from partitope.solvers.assignment.rounding import round_within

N, K = 120, 4
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 2))
AREA = RNG.gamma(2.0, size=N)
GROUP = X[:, 0] + RNG.normal(size=N) > 0.5


def territories(slack: float = 0.05, weights: np.ndarray | None = None) -> PartitionPolytope:
    table = np.column_stack([np.ones(N) if weights is None else weights, AREA])
    even = table.sum(axis=0) / K
    polytope = PartitionPolytope(
        N, np.tile((1 - slack) * even, (K, 1)), np.tile((1 + slack) * even, (K, 1)), table, names=["people", "area"]
    )
    part = GROUP @ table[:, 0] / table[:, 0].sum()
    return polytope.share(GROUP, part - slack, part + slack, name="group")


def shares_of(labels, splits):
    xi = np.zeros((N, K))
    xi[np.arange(N), labels] = 1.0
    for point in {point for point, _, _ in splits}:
        xi[point] = 0.0
    for point, cluster, share in splits:
        xi[point, cluster] = share
    return xi


@pytest.mark.parametrize("objective", ["csa", "lsa"])
@pytest.mark.parametrize("weighted", [False, pytest.param(True, marks=pytest.mark.full)])
def test_alternation_keeps_every_row_and_its_last_step_is_proved(objective, weighted):
    w = np.random.default_rng(1).uniform(0.5, 2.0, N) if weighted else np.ones(N)
    polytope = territories(weights=w if weighted else None)
    made = GeometricPartitioner(K, objective=objective, n_init=1, random_state=0)
    model = clone(made).fit(X, polytope=polytope)
    partition = model.partition_
    assert partition.certificate.verified
    assert polytope.contains(partition.labels) == (partition.violation == 0.0)
    steps = np.diff(partition.history["objective"]) * (1 if objective == "csa" else -1)
    assert (steps >= -1e-12 * partition.objective).all()
    matrix, low, up = polytope.rows()
    xi = shares_of(partition.labels, partition.splits)
    values = matrix @ xi.ravel()
    room = 1e-8 * np.abs(matrix).sum(axis=1)
    assert (values >= low - room).all()
    assert (values <= up + room).all()
    sums = (w[:, None] * xi).T @ (X - np.average(X, axis=0, weights=w))
    if objective == "csa":
        assert partition.objective == pytest.approx(np.linalg.norm(sums, axis=1).sum(), rel=1e-9)
    else:
        centres = (w[:, None] * xi).T @ X / (w @ xi)[:, None]
        squares = ((X[:, None] - centres) ** 2).sum(axis=2)
        assert partition.objective == pytest.approx((w[:, None] * xi * squares).sum(), rel=1e-9)
        assert model.inertia_ == pytest.approx(partition.objective, rel=1e-9)
    assert list(partition.prices) == ["people", "area", "group"]
    assert partition.prices["area"].shape == (K,)
    if not weighted or objective == "lsa":
        np.testing.assert_array_equal(made.fit(X, polytope=polytope).labels_, model.labels_)


@pytest.mark.parametrize("objective", ["csa", "lsa"])
def test_cells_of_points_and_attributes_are_the_clusters(objective):
    model = GeometricPartitioner(K, whole=False, objective=objective, random_state=0).fit(X, polytope=territories())
    table = pd.DataFrame({"group": GROUP, "area": AREA})
    found = model.predict(X, covariates=table)
    cells = model.partition_.cells
    scores = cells.diagram.decision_function(cells.images(X, table))
    elsewhere, room = np.flatnonzero(found != model.labels_), 1e-9 * np.ptp(scores)
    assert elsewhere.size <= 3 * K  # divided points, and whole ones that a vertex leaves on a wall
    assert (scores.max(axis=1) - scores[np.arange(N), model.labels_] <= room).all()
    np.testing.assert_array_equal(found, model.predict(X, covariates=np.column_stack([AREA, GROUP])))
    cells = from_state(state_of(model.partition_.cells))
    np.testing.assert_array_equal(cells.predict(X, table), found)
    with pytest.raises(InvalidInputError, match=r"X alone does not tell the cell: pass covariates.* area, group"):
        model.predict(X)
    with pytest.raises(InvalidInputError, match="no column 'area'"):
        model.predict(X, covariates=table[["group"]])
    with pytest.raises(InvalidInputError, match=r"expected finite numbers \(120, 2\)"):
        model.predict(X, covariates=AREA)


def test_masks_and_fixed_points_are_kept_and_may_lie_outside_their_cells():
    mask = np.ones((N, K), dtype=bool)
    mask[:12, 0] = False
    polytope = PartitionPolytope(N, 27, 33, n_clusters=K).allow(mask).fix([50, 51], [2, 3])
    model = GeometricPartitioner(K, objective="lsa", random_state=0).fit(X, polytope=polytope)
    assert (model.labels_[:12] != 0).all()
    assert model.labels_[50:52].tolist() == [2, 3]
    assert polytope.contains(model.labels_)
    assert model.partition_.certificate.verified
    outside = np.flatnonzero(model.predict(X) != model.labels_)
    assert set(outside.tolist()) <= {*range(12), 50, 51}
    free = np.setdiff1d(np.arange(N), [*range(12), 50, 51])
    assert model.partition_.power_diagram.margin(X[free], model.labels_[free]).min() >= -1e-9


def test_sparse_points_have_the_same_optimum():
    polytope, sites = territories(), X[:K]
    dense, sparse = (
        GeometricPartitioner(K, objective="lsa", init=sites, max_iter=1).fit(points, polytope=polytope)
        for points in (X, sp.csr_matrix(X))
    )
    assert sparse.partition_.objective == pytest.approx(dense.partition_.objective, rel=1e-9)
    assert sparse.partition_.certificate.verified


def test_rounding_states_the_violation_of_every_name():
    polytope = territories(0.001)
    solution = solve(AssignmentModel.lsa(X, X[:K], polytope))
    split = sorted({point for point, _, _ in solution.splits})
    assert split
    whole = round_within(solution.labels, solution.splits, polytope)
    untouched = np.setdiff1d(np.arange(N), split)
    np.testing.assert_array_equal(whole.labels[untouched], solution.labels[untouched])
    matrix, low, up = polytope.rows()
    values = matrix @ shares_of(whole.labels, ()).ravel()
    broken = np.maximum(np.maximum(values - up, low - values), 0.0)[N:]
    expected = {"people": broken[:K].max(), "area": broken[K : 2 * K].max(), "group": broken[2 * K :].max()}
    assert whole.violations == pytest.approx(expected, abs=1e-9)
    assert whole.violation == max(whole.violations.values()) > 0
    assert whole.violations["people"] <= len(split)


@pytest.mark.parametrize("strategy", [AnisotropicPartitioner(K), PKM(K), GeometricPartitioner(K)], ids=repr)
def test_every_strategy_that_divides_points_keeps_them_whole_within_the_bounds(strategy):
    polytope = territories(0.02)
    options = {"y": GROUP} if isinstance(strategy, PKM) else {}
    strategy = clone(strategy).set_params(n_init=1, random_state=0)
    divided, whole = (
        clone(strategy).set_params(whole=whole).fit(X, polytope=polytope, **options).partition_
        for whole in (False, True)
    )
    assert divided.splits
    assert polytope.contains(divided.labels) == (divided.violation == 0.0)
    assert not whole.splits
    assert set(whole.violations) == {"people", "area", "group"}
    assert polytope.contains(whole.labels) == (whole.violation == 0.0)
    assert whole.certificate.gap >= 0.0
    assert whole.certificate.belongs_to(whole.labels)


def test_rounding_finds_a_place_within_the_bounds_where_there_is_one():
    polytope = PartitionPolytope(4, [[1, 5], [1, 5]], [[3, 5], [3, 5]], [[1, 1], [1, 2], [1, 3], [1, 4]])
    splits = [(j, i, 0.5) for j in range(4) for i in range(2)]
    whole = round_within(np.zeros(4, dtype=np.int64), splits, polytope)
    assert whole.violation == 0.0
    assert polytope.contains(whole.labels)


def test_balanced_k_means_takes_a_polytope():
    model = BalancedKMeans(K, n_init=2, random_state=0).fit(X, polytope=territories())
    assert set(model.partition_.violations) == {"people", "area", "group"}
    table = pd.DataFrame({"group": GROUP, "area": AREA})
    assert (model.predict(X, covariates=table) != model.labels_).sum() <= 3 * K


def test_pkm_takes_a_polytope():
    polytope = territories()
    model = PKM(K, random_state=0).fit(X, GROUP, polytope=polytope)
    assert model.partition_.certificate.verified
    table = np.column_stack([AREA, GROUP])
    cells = model.partition_.cells
    scores = cells.diagram.decision_function(cells.images(model._validate_points(X, reset=False), table))
    room = 1e-9 * np.ptp(scores)  # many points are equal after PKM's description: whole groups of them lie on walls
    assert (scores[np.arange(N), model.labels_] >= scores.max(axis=1) - room).all()
    np.testing.assert_array_equal(model.predict(X, table), scores.argmax(axis=1))


def _phi(points, classes, labels):
    """The objective of CAC for alpha = 1 and two classes."""
    total = 0.0
    for p in np.unique(labels):
        own, y = points[labels == p], classes[labels == p]
        total += ((own - own.mean(axis=0)) ** 2).sum()
        if 0 < y.sum() < len(y):
            total -= len(y) * ((own[y == 1].mean(axis=0) - own[y == 0].mean(axis=0)) ** 2).sum()
    return total


@pytest.mark.full
@pytest.mark.parametrize("init", ["k-means", "random"])
def test_cac_ends_where_no_move_and_no_exchange_within_all_rows_helps(init):
    n, points, area, group = 36, X[:36], AREA[:36], GROUP[:36]
    classes, even = (points[:, 1] > 0).astype(int), np.array([12.0, area.sum() / 3])
    polytope = PartitionPolytope(n, np.tile(0.75 * even, (3, 1)), np.tile(1.25 * even, (3, 1)),
                                 np.column_stack([np.ones(n), area]))  # fmt: skip
    a = np.zeros((n, 3))
    a[:12, 0] = 1.0
    polytope = polytope.share(group, group.mean() - 0.2, group.mean() + 0.2).add_rows("mine", a, 2, 6).fix([3], [2])
    model = CAC(3, init=init, random_state=0).fit(points, classes, polytope=polytope)
    labels, phi = model.labels_, model.partition_.objective
    assert polytope.contains(labels)
    assert labels[3] == 2
    assert phi == pytest.approx(_phi(points, classes, labels), rel=1e-9)
    tried = 0
    changes = [(j, i, j, i) for j in range(n) for i in range(3)]
    changes += [(j, labels[l], l, labels[j]) for j in range(n) for l in range(j)]
    for j, to, l, other in changes:
        changed = labels.copy()
        changed[[j, l]] = to, other
        alone = any(len(np.unique(classes[changed == p])) < 2 for p in range(3))
        if not alone and polytope.contains(changed):
            tried += 1
            assert _phi(points, classes, changed) >= phi - 1e-9 * abs(phi)
    assert tried > 50
    with pytest.raises(InvalidInputError, match="outside the bounds"):
        CAC(3, init=np.arange(n) % 3).fit(points, classes, polytope=polytope.fix([0], [1]))


def test_links_go_with_further_rows():
    polytope = territories(0.15).fix([5], [1])
    must, cannot = [(0, 1), (1, 2), (5, 6)], [(0, 3), (3, 4)]
    model = GeometricPartitioner(
        K, objective="lsa", must_link=must, cannot_link=cannot, max_iter=2, random_state=0
    ).fit(X, polytope=polytope)
    assert polytope.contains(model.labels_)
    assert all(model.labels_[a] == model.labels_[b] for a, b in must)
    assert all(model.labels_[a] != model.labels_[b] for a, b in cannot)
    assert model.labels_[6] == 1
    assert list(model.partition_.prices) == ["people", "area", "group", "cannot_link"]
    inside = model.predict(X, covariates=np.column_stack([AREA, GROUP])) == model.labels_
    assert inside.mean() > 0.8


def test_strategies_that_do_not_declare_a_polytope_refuse_it():
    with pytest.raises(CapabilityError, match=r"'kcc' does not support polytope: .*geometric, cac, pkm, anisotropic"):
        KCC(K).fit(X, covariates=AREA, polytope=territories())
    with pytest.raises(InvalidInputError, match="lower= was given next to polytope"):
        GeometricPartitioner(K, lower=3).fit(X, polytope=territories())
    with pytest.raises(InvalidInputError, match="polytope has 120 points and 3 clusters"):
        GeometricPartitioner(K).fit(X, polytope=PartitionPolytope(N, n_clusters=3))


ANISOTROPIC = {
    "dimensions and a share": territories(),
    "whole weights": territories(weights=np.random.default_rng(2).integers(1, 4, N).astype(float)),
    "a mask": PartitionPolytope(N, 24, 36, n_clusters=K).allow(
        np.column_stack([X[:, 0] < 1.5, X[:, 0] > -1.5, np.ones((N, 2), dtype=bool)])
    ),
    "own rows": PartitionPolytope(N, 24, 36, n_clusters=K).add_rows(
        "few", np.outer(np.arange(N) < 12, [1, 0, 0, 0]), None, 2
    ),
}


@pytest.mark.parametrize("kind", ANISOTROPIC)
def test_ellipsoids_keep_every_row_of_a_polytope(kind):
    polytope = ANISOTROPIC[kind]
    model = AnisotropicPartitioner(K, whole=False, random_state=0).fit(X, polytope=polytope)
    partition = model.partition_
    assert partition.certificate.verified
    assert (np.diff(partition.history["objective"]) <= 1e-12 * partition.objective).all()
    matrix, low, up = polytope.rows()
    values = matrix @ shares_of(partition.labels, partition.splits).ravel()
    room = 1e-8 * np.abs(matrix).sum(axis=1)
    assert ((values >= low - room) & (values <= up + room)).all()
    assert set(partition.prices) == {*polytope.names, *(rows.name for rows in polytope.further)}
