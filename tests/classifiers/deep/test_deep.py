"""The deep relatives: scikit-learn's contract, seeds, what gates and local networks have learnt."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from sklearn.datasets import make_moons

from partitope.base.errors import MissingDependencyError, NotOptimalError
from partitope.classifiers import DeepCAC
from partitope.solvers import CAC
from studies.methods.deep import DMNN, FNN

try:
    import torch
except ImportError:
    torch = None
needs_torch = pytest.mark.skipif(torch is None, reason="PyTorch is not installed: the extra 'deep'")


def _crossed(n=400, seed=0):
    """Two groups far apart; the class is decided by opposite signs of a second column."""
    rng = np.random.default_rng(seed)
    group = rng.integers(2, size=n)
    X = rng.normal(size=(n, 5))
    X[:, 0] += 8.0 * group
    return X, ((X[:, 1] > 0) == group).astype(int), group


@needs_torch
@pytest.mark.parametrize(
    "model", [DMNN(2, batch_size=64), DeepCAC(2, alpha=0.05, batch_size=64)], ids=["DMNN", "DeepCAC"]
)
def test_gates_find_the_groups_and_local_networks_their_rules(model):
    X, y, group = _crossed()
    model.fit(X, y)
    cells = model.apply(X)
    assert max(np.mean(cells == group), np.mean(cells != group)) > 0.97
    fresh, truth, _ = _crossed(seed=1)
    assert model.score(fresh, truth) > 0.85
    assert model.loss_[-1] < model.loss_[0]


@needs_torch
def test_probabilities_are_the_gated_mixture():
    X, y, _ = _crossed()
    model = DMNN(3, epochs=2, random_state=1).fit(X, y)
    z = torch.tensor(model.embed(X))
    with torch.no_grad():
        nets = model.networks_.double()
        gates = torch.softmax(nets["gate"](z), dim=1)
        mixed = sum(gates[:, [i]] * torch.softmax(nets["local"][i](z), dim=1) for i in range(3))
        model.networks_.float()
    np.testing.assert_allclose(model.predict_proba(X), mixed.numpy(), rtol=1e-6)
    np.testing.assert_allclose(model.gates(X).sum(axis=1), 1.0)


@needs_torch
def test_deep_cac_clusters_by_cac_in_the_learnt_space():
    X, y, _ = _crossed()
    model = DeepCAC(2, alpha=0.3, epochs=1, random_state=3).fit(X, y)
    Z = np.random.default_rng(0).normal(size=(len(y), 4))
    again = CAC(2, alpha=0.3, init=model.labels_).fit(Z, y).labels_
    assert np.array_equal(model._cluster(Z, y, model.labels_, 0), again)
    assert len(np.unique(model.labels_)) == 2


@needs_torch
@pytest.mark.parametrize("kind", [FNN, DMNN, DeepCAC])
def test_a_seed_gives_one_model_and_leaves_the_callers_state_alone(kind):
    X, y = make_moons(150, noise=0.2, random_state=0)
    before = torch.random.get_rng_state()
    threads = torch.get_num_threads()
    first, second, other = (kind(epochs=3, random_state=s).fit(X, y).predict_proba(X) for s in (4, 4, 5))
    np.testing.assert_array_equal(first, second)
    assert np.abs(first - other).max() > 1e-6
    assert torch.equal(before, torch.random.get_rng_state())
    assert torch.get_num_threads() == threads


@needs_torch
def test_divergence_is_an_error():
    X, y = make_moons(100, random_state=0)
    with pytest.raises(NotOptimalError, match="not finite"):
        DeepCAC(learning_rate=1e12, epochs=5, pretrain_epochs=0).fit(X, y)


def test_without_pytorch_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingDependencyError, match=r"\.\[deep\]"):
        DeepCAC().fit([[0.0], [1.0]], [0, 1])
