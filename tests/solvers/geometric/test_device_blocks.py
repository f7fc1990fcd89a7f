"""Arrays on another device: the same answer as in memory, with the same proof.

The strict array of the array API standard has devices that refuse to be read as memory, as graphics processors do; what
runs here is the code that runs there.
"""

from __future__ import annotations

import numpy as np
import pytest

from partitope.cluster import BalancedKMeans
from partitope.models import InvalidInputError, PartitionPolytope
from partitope.models.scores import AffineScores
from partitope.solvers import GeometricPartitioner
from partitope.solvers.geometric import block_problem, device_blocks
from partitope.solvers.geometric.block_problem import BlockFlowProblem, labels_of_block
from partitope.solvers.geometric.device_blocks import DeviceBlocks, lies_elsewhere
from partitope.solvers.transport import device_rows

strict = pytest.importorskip("array_api_strict", reason="array-api-strict is not installed")
DEVICE = strict.Device("device1")


def there(X):
    return strict.asarray(X, device=DEVICE)


def _points(n=6_000, d=3, k=5, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) + 3.0 * rng.normal(size=(k, d))[rng.integers(0, k, n)]


def _agree(local, remote):
    one, other = local.partition_, remote.partition_
    assert other.certificate.verified
    assert abs(other.certificate.gap) <= 1e-12
    assert other.objective == pytest.approx(one.objective, rel=1e-9)
    scale = max(one.certificate.magnitude, 1.0)
    assert abs(other.certificate.dual_objective - one.certificate.dual_objective) <= 1e-9 * scale


def test_an_array_elsewhere_is_one_that_is_not_in_memory():
    X = np.eye(3)
    assert lies_elsewhere(there(X))
    assert not lies_elsewhere(X)
    assert not lies_elsewhere(strict.asarray(X))
    assert not lies_elsewhere([[1.0]])
    with pytest.raises(RuntimeError, match="device1"):
        np.asarray(there(X))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("objective", ["csa", "lsa"])
def test_a_device_gives_the_answer_of_memory(monkeypatch, objective, dtype):
    monkeypatch.setattr(device_blocks, "NUMBERS", 7_500)
    monkeypatch.setattr(device_rows, "TILE_NUMBERS", 4_000)
    X = _points().astype(dtype)
    model = GeometricPartitioner(5, lower=1_150, upper=1_250, objective=objective, n_init=2, random_state=3)
    local, remote = model.fit(X), GeometricPartitioner(**model.get_params()).fit(there(X))
    _agree(local, remote)
    sizes = np.bincount(remote.labels_, minlength=5)
    assert sizes.min() >= 1_150
    assert sizes.max() <= 1_250
    assert remote.labels_.dtype == np.int64
    assert remote.cluster_centers_.dtype == dtype
    assert remote.inertia_ == pytest.approx(local.inertia_, rel=1e-6)
    np.testing.assert_array_equal(remote.predict(there(X)), remote.predict(X))


def test_few_rows_come_to_memory(monkeypatch):
    """A sample, candidates, and once all rows in blocks, for the proof."""
    monkeypatch.setattr(block_problem, "SAMPLE", 10_000)
    monkeypatch.setattr(block_problem, "SAMPLE_NUMBERS", 0)
    come = []

    def counted(block, original=device_rows.in_memory):
        come.append(np.prod(block.shape) if block.ndim == 2 else 0)
        return original(block)

    for module in (device_rows, block_problem):
        monkeypatch.setattr(module, "in_memory", counted)
    X = _points(n=100_000, seed=3)
    problem = BlockFlowProblem(DeviceBlocks(there(X)), PartitionPolytope(100_000, 19_000, 21_000, n_clusters=5), "lsa")
    sites = X[:5] - problem.origin
    step = problem.assign(sites, None)
    assert sum(come) < 0.5 * X.size
    del come[:]
    _, certificate, _ = problem.finish(step, sites)
    assert certificate.verified
    assert sum(come) == X.size


def test_the_same_prices_give_the_same_labels_as_in_memory():
    X, rng = _points(n=5_000, seed=5), np.random.default_rng(0)
    scores, prices = AffineScores.lsa(rng.normal(size=(7, 3)), X.mean(axis=0)), rng.normal(size=7)
    labels, leads = labels_of_block(there(X), None, scores, {"": prices})
    own, margins = labels_of_block(X, None, scores, {"": prices})
    np.testing.assert_array_equal(labels, own)
    np.testing.assert_allclose(leads, margins, rtol=1e-9, atol=1e-11)


def test_one_cluster_and_few_points():
    model = GeometricPartitioner(1, objective="lsa").fit(there(_points(n=3)))
    assert model.labels_.tolist() == [0, 0, 0]
    assert model.partition_.certificate.verified


def test_balanced_k_means_takes_it():
    X = _points(n=900)
    local = BalancedKMeans(4, balance=0, n_init=3, random_state=0).fit(X)
    remote = BalancedKMeans(4, balance=0, n_init=3, random_state=0).fit(there(X))
    assert remote.inertia_ == pytest.approx(local.inertia_, rel=1e-9)
    np.testing.assert_array_equal(remote.predict(there(X)), remote.predict(X))
    np.testing.assert_array_equal(remote.predict(there(X), "init", "init"), remote.predict(X, "init", "init"))
    np.testing.assert_allclose(remote.transform(there(X)), remote.transform(X))
    assert remote.score(there(X)) == pytest.approx(remote.score(X))
    assert remote.fit_transform(there(X)).shape == (900, 4)


def test_weights_polytopes_links_and_backends_bring_the_rows_to_memory():
    X = _points(n=120)
    weights = np.random.default_rng(1).uniform(1, 2, 120)
    for options, given in (
        ({}, {"sample_weight": weights}),
        ({}, {"polytope": PartitionPolytope(120, 20, 60, n_clusters=3)}),
        ({"must_link": [(0, 1)]}, {}),
        ({"backend": "highs"}, {}),
    ):
        model = GeometricPartitioner(3, objective="lsa", random_state=0, **options)
        expected = GeometricPartitioner(**model.get_params()).fit(X, **given)
        found = model.fit(there(X), **given)
        assert found.partition_.objective == pytest.approx(expected.partition_.objective, rel=1e-9)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.ones(3), r"X has shape \(3,\)"),
        (np.ones((0, 2)), r"X has shape \(0, 2\)"),
        (np.array([[1.0, np.nan], [0.0, 1.0]]), "X contains NaN or infinite values"),
        (np.array([[1.0, -np.inf], [0.0, 1.0]]), "X contains NaN or infinite values"),
        (np.array([[1e200, 0.0], [0.0, 1.0]]), r"X reaches 1e\+200"),
        (np.array([[1j, 0.0], [0.0, 1.0]]), "expected real numbers"),
    ],
)
@pytest.mark.parametrize("strategy", [GeometricPartitioner(2), BalancedKMeans(2)])
def test_what_it_cannot_have_is_refused(strategy, X, message):
    with pytest.raises(InvalidInputError, match=message):
        strategy.fit(there(X))


def test_a_device_without_float64_is_refused():
    X = strict.asarray(np.ones((9, 2), dtype=np.float32), dtype=strict.float32, device=strict.Device("no_float64"))
    with pytest.raises(InvalidInputError, match="has no float64: bring it to memory first"):
        GeometricPartitioner(2).fit(X)


def test_other_columns_than_in_fit_are_refused():
    model = GeometricPartitioner(2).fit(there(_points(n=50)))
    with pytest.raises(InvalidInputError, match="X has 2 features, expected 3, as in fit"):
        model.predict(there(np.ones((4, 2))))


def test_whole_numbers_are_taken_as_float64():
    X = np.random.default_rng(0).integers(0, 9, size=(60, 2))
    model = GeometricPartitioner(3, objective="lsa", random_state=0).fit(there(X))
    assert model.cluster_centers_.dtype == np.float64


def test_tensors_of_pytorch():
    torch = pytest.importorskip("torch", reason="torch is not installed: pip install partitope[deep]")
    X = _points(n=3_000)
    tensor = torch.tensor(X, requires_grad=True)
    polytope = PartitionPolytope(3_000, 550, 650, n_clusters=5)
    for objective in ("csa", "lsa"):
        problem, sites = BlockFlowProblem(DeviceBlocks(tensor), polytope, objective), X[:5] - X.mean(axis=0)
        _, certificate, _ = problem.finish(problem.assign(sites, None), sites)
        assert certificate.verified
    assert not lies_elsewhere(tensor)
    assert lies_elsewhere(tensor.to("meta"))
