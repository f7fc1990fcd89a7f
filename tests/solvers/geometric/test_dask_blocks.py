"""Dask arrays and memory maps: the same answer as in memory, with the same proof, on a real cluster of processes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from partitope.base.errors import CapabilityError, InvalidInputError
from partitope.cluster import BalancedKMeans
from partitope.models import PartitionPolytope
from partitope.solvers import GeometricPartitioner
from partitope.solvers.geometric import block_problem
from partitope.solvers.transport.flow import blocks

dask = pytest.importorskip("dask", reason="dask is not installed: pip install '.[dask]'")
da = pytest.importorskip("dask.array", reason="dask is not installed: pip install '.[dask]'")
distributed = pytest.importorskip("distributed", reason="distributed is not installed: pip install '.[dask]'")


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=0
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def _points(n=6_000, d=3, k=5, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) + 3.0 * rng.normal(size=(k, d))[rng.integers(0, k, n)]


def _both(X, blocks, **parameters):
    local = GeometricPartitioner(**parameters).fit(X)
    return local, GeometricPartitioner(**parameters).fit(da.from_array(X, chunks=(blocks, X.shape[1])))


def _agree(local, remote, ties=False):
    one, other = local.partition_, remote.partition_
    assert other.certificate.verified
    assert abs(other.certificate.gap) <= 1e-12
    if not ties:  # tied points may go elsewhere and lead to other sites; the program's optimum is the same
        assert other.objective == pytest.approx(one.objective, rel=1e-9)
    scale = max(one.certificate.magnitude, 1.0)
    assert abs(other.certificate.primal_objective - one.certificate.primal_objective) <= 1e-9 * scale
    assert abs(other.certificate.dual_objective - one.certificate.dual_objective) <= 1e-9 * scale


@pytest.mark.full
@pytest.mark.parametrize("objective", ["csa", "lsa"])
def test_cluster_of_processes_gives_the_answer_of_one_machine(client, objective):
    assert len(client.scheduler_info()["workers"]) == 2
    assert len(set(client.run(__import__("os").getpid).values())) == 2
    X = _points()
    local, remote = _both(X, 700, n_clusters=5, lower=1_150, upper=1_250, objective=objective, random_state=3)
    _agree(local, remote)
    sizes = np.bincount(remote.labels_, minlength=5)
    assert sizes.min() >= 1_150
    assert sizes.max() <= 1_250
    np.testing.assert_array_equal(sizes, remote.partition_.sizes)
    inside = remote.predict(da.from_array(X, chunks=(1_000, -1)))
    np.testing.assert_array_equal(inside.compute(), remote.predict(X))
    np.testing.assert_array_equal(remote.predict(X), remote.labels_)  # max-margin cells hold their clusters


@pytest.mark.parametrize("blocks", [(1, 5_999), (0, 3_000, 3_000), (2_500, 0, 3_500)])
def test_blocks_of_any_length_even_empty(blocks):
    X = _points(seed=1)
    local, remote = _both(X, blocks, n_clusters=4, lower=1_400, upper=1_600, random_state=0)
    _agree(local, remote)


@pytest.mark.parametrize("objective", ["csa", "lsa"])
def test_rows_near_walls_give_prices_that_leave_few_candidates(monkeypatch, objective):
    """Where candidates would be too many: the same optimum, and fewer of them in the end."""
    X, counts = _points(n=40_000, seed=3), list[int]()
    monkeypatch.setattr(block_problem, "SAMPLE", 500)
    monkeypatch.setattr(block_problem, "SAMPLE_NUMBERS", 0)
    flow = blocks._flow

    def counted(found, *more):
        counts.append(sum(len(block.places) for block in found))
        return flow(found, *more)

    monkeypatch.setattr(blocks, "_flow", counted)
    for most, rows in ((1 << 30, 0), (2_000, 4_000)):
        monkeypatch.setattr(block_problem, "MOST_CANDIDATES", most)
        monkeypatch.setattr(block_problem, "NEAR_ROWS", rows)
        local, remote = _both(
            X, 9_000, n_clusters=5, lower=7_900, upper=8_100, objective=objective, init=X[:5], max_iter=1
        )
        _agree(local, remote)
    assert len(counts) == 2
    assert counts[1] < 0.3 * counts[0]


def test_labels_stay_where_the_points_are_until_they_are_asked_for():
    X = _points(n=2_000, seed=6)
    model = GeometricPartitioner(3, objective="csa", lower=600, upper=700, random_state=0).fit(
        da.from_array(X, chunks=(300, -1))
    )
    assert isinstance(model.labels_, da.Array)
    assert model.labels_.chunks == ((300,) * 6 + (200,),)
    assert model.partition_.proof.name == "STEP"
    np.testing.assert_array_equal(np.bincount(model.labels_.compute()), model.partition_.sizes)
    assert not model.partition_.certificate.belongs_to(model.labels_ + 0)  # other labels, other proof


@pytest.mark.parametrize("balance", [0.1, 0.0])
@pytest.mark.parametrize("objective", ["csa", "lsa"])
def test_weights(monkeypatch, balance, objective):
    monkeypatch.setattr("partitope.solvers.geometric.block_problem.SAMPLE", 500)
    monkeypatch.setattr("partitope.solvers.geometric.block_problem.SAMPLE_NUMBERS", 0)
    X, n, k = _points(n=3_000, seed=7), 3_000, 4
    w = np.random.default_rng(9).uniform(0.5, 2.0, n)
    w[5:15] = 0.0
    low, high = ((1.0 + sign * balance) * w.sum() / k for sign in (-1, 1))
    polytope = PartitionPolytope(n, low, high, w, n_clusters=k)
    start = X[[0, 10, 20, 30]]
    with dask.config.set(scheduler="synchronous"):
        one, other = (
            GeometricPartitioner(4, objective=objective, init=start, max_iter=3, whole=False).fit(
                points, polytope=polytope
            )
            for points in (X, da.from_array(X, chunks=((0, 900, 1, 2_099), -1)))
        )
        _agree(one, other)
        labels = other.labels_.compute()
        np.testing.assert_array_equal(labels, one.labels_)
        assert {split[0] for split in other.partition_.splits} == {split[0] for split in one.partition_.splits}
        assert list(other.partition_.prices) == list(polytope.row_names)
        inside = other.predict(da.from_array(X, chunks=(1_000, -1))).compute()
        assert (inside != labels).sum() <= len(other.partition_.splits)


def test_masks_shares_and_rows_are_refused():
    X, plain = da.from_array(_points(n=600, seed=8), chunks=(200, -1)), PartitionPolytope(600, 100, 300, n_clusters=3)
    for polytope in (
        plain.share(np.arange(600) < 60, lower=0.1),
        plain.fix([0], [1]),
        plain.add_rows("own", np.ones((600, 3)), lower=20.0),
    ):
        with pytest.raises(CapabilityError, match="a Dask array goes with bounds on sizes and with weights"):
            GeometricPartitioner(3, objective="csa", random_state=0).fit(X, polytope=polytope)


def test_what_a_dask_array_cannot_have_is_refused():
    X = da.from_array(_points(100), chunks=(30, -1))
    with pytest.raises(CapabilityError, match="highs"):
        GeometricPartitioner(2, objective="csa", backend="highs").fit(X)
    with pytest.raises(InvalidInputError, match="compute_chunk_sizes"):
        GeometricPartitioner(2, objective="csa").fit(X[X[:, 0] > 0])
    with pytest.raises(InvalidInputError, match="NaN"):
        GeometricPartitioner(2, objective="csa").fit(da.where(X > 0, X, np.nan))
    with pytest.raises(InvalidInputError, match="shape"):
        GeometricPartitioner(2, objective="csa").fit(X[:, 0])
    with pytest.raises(InvalidInputError, match="features"):
        GeometricPartitioner(2, objective="csa").fit(X).predict(X[:, :2])


def test_balanced_k_means_leaves_the_blocks_where_they_are():
    X = _points(n=2_000, seed=7)
    lazy = da.from_array(X, chunks=(300, -1))
    model = BalancedKMeans(4, balance=0.1, n_init=2, random_state=0).fit(lazy)
    local = BalancedKMeans(4, balance=0.1, n_init=2, random_state=0).fit(X)
    assert model.partition_.certificate.verified
    assert model.inertia_ == pytest.approx(local.inertia_, rel=1e-9)
    assert model.score(lazy) == pytest.approx(model.score(X), rel=1e-9)
    assert model.score(lazy, sample_weight=np.arange(2_000)) == pytest.approx(model.score(X, None, np.arange(2_000)))
    for remote, here in (
        (model.labels_, model.predict(X)),
        (model.predict(lazy), model.predict(X)),
        (model.predict(lazy, upper=500), model.predict(X, upper=500)),
        (model.transform(lazy), model.transform(X)),
    ):
        assert isinstance(remote, da.Array)
        np.testing.assert_array_equal(remote.compute(), here)
    with pytest.raises(CapabilityError, match="a Dask array takes no sample_weight"):
        model.fit(lazy, sample_weight=np.arange(2_000))
    with pytest.raises(InvalidInputError, match="X has 2 features, expected 3, as in fit"):
        model.predict(lazy[:, :2])


@pytest.mark.parametrize("estimator", [GeometricPartitioner(2, objective="csa"), BalancedKMeans(2)])
@pytest.mark.parametrize(
    "spoil, message",
    [
        (lambda block: block[:-1], r"X has a block of shape \(9, 2\), its chunks say an array \(10, 2\)"),
        (lambda block: block[:, :1], r"X has a block of shape \(10, 1\)"),
        (sparse.csr_array, "X has a block of type csr_array"),
        (lambda block: np.ma.masked_greater(block, 1.0), "X has masked entries"),
    ],
)
def test_blocks_that_are_not_what_they_declare_are_refused(estimator, spoil, message):
    lazy = da.from_array(_points(n=30, d=2), chunks=(10, -1)).map_blocks(spoil, dtype=float, meta=np.empty((0, 0)))
    with dask.config.set(scheduler="synchronous"), pytest.raises(InvalidInputError, match=message):
        clone(estimator).fit(lazy)
