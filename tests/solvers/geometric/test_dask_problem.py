"""Dask arrays and memory maps: the same answer as in memory, with the same proof, on a real cluster of processes."""

from __future__ import annotations

import numpy as np
import pytest

from partitope.models import CapabilityError, InvalidInputError
from partitope.solvers import GeometricPartitioner

da = pytest.importorskip("dask.array", reason="dask is not installed: pip install partitope[dask]")
distributed = pytest.importorskip("distributed", reason="distributed is not installed: pip install partitope[dask]")


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


def test_a_small_sample_still_gives_the_optimum(monkeypatch):
    monkeypatch.setattr("partitope.solvers.geometric.dask_problem.SAMPLE", 60)
    X = _points(seed=2)
    start = X[:6]
    local, remote = _both(X, 900, n_clusters=6, lower=990, upper=1_010, objective="lsa", init=start, max_iter=3)
    _agree(local, remote)


def test_ties_integers_and_float32():
    X = np.round(_points(seed=4)).astype(np.float32)
    start = np.unique(X, axis=0)[:4].astype(float)
    local, remote = _both(X, 800, n_clusters=4, lower=1_500, upper=1_500, objective="lsa", init=start, max_iter=1)
    _agree(local, remote, ties=True)
    whole = da.from_array(X.astype(np.int64), chunks=(800, 1))
    assert GeometricPartitioner(3, random_state=0).fit(whole).partition_.certificate.verified


def test_one_cluster_and_one_point_a_cluster():
    X = _points(n=12, seed=5)
    for k in (1, 12):
        local, remote = _both(X, 5, n_clusters=k, lower=1, upper=None, objective="lsa", random_state=0)
        _agree(local, remote)


def test_what_a_dask_array_cannot_have_is_refused():
    X = da.from_array(_points(100), chunks=(30, -1))
    with pytest.raises(CapabilityError, match="sample_weight"):
        GeometricPartitioner(2).fit(X, sample_weight=np.ones(100))
    with pytest.raises(CapabilityError, match="highs"):
        GeometricPartitioner(2, backend="highs").fit(X)
    with pytest.raises(InvalidInputError, match="compute_chunk_sizes"):
        GeometricPartitioner(2).fit(X[X[:, 0] > 0])
    with pytest.raises(InvalidInputError, match="NaN"):
        GeometricPartitioner(2).fit(da.where(X > 0, X, np.nan))
    with pytest.raises(InvalidInputError, match="shape"):
        GeometricPartitioner(2).fit(X[:, 0])
    with pytest.raises(InvalidInputError, match="features"):
        GeometricPartitioner(2).fit(X).predict(X[:, :2])
