"""Networks of deep clustering aware classification, and their training; PyTorch is imported when one is trained."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...base.errors import NotOptimalError
from ...base.extras import import_extra

if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn import Module
    from torch.optim import Optimizer

Clustering = Callable[[NDArray[np.float64], NDArray[np.int64] | None], NDArray[np.int64]]
"""Labels (n,) from embedded rows (n, p) and the labels of the last time, None at first."""


@dataclass(eq=False, repr=False)
class Plan:
    """Sizes of the networks and weights of the loss; see `DeepCAC` for their meaning."""

    n_clusters: int = 2
    _: KW_ONLY
    embedding: tuple[int, int] = (64, 32)
    local_units: int = 30
    pretrain_epochs: int = 20
    epochs: int = 30
    batch_size: int = 128
    learning_rate: float = 1e-3
    l1: float = 1e-5
    l2: float = 1e-4
    reconstruction_weight: float = 0.1
    gate_weight: float = 0.1
    recluster_every: int = 5
    random_state: int | np.random.RandomState | None = 0


def load_torch(name: str) -> ModuleType:
    """The PyTorch module."""
    return import_extra("torch", "deep", f"{name} needs PyTorch, which is not installed")


@contextmanager
def reproducible(torch: ModuleType, seed: int) -> Iterator[None]:
    """Seeded, on one thread, and without trace in the caller's own random state."""
    threads = torch.get_num_threads()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(threads)


def build(torch: ModuleType, plan: Plan, n_features: int, n_classes: int) -> Module:
    """Encoder and decoder (linear layers), gate, and one local network per cluster."""
    nn = torch.nn
    wide, narrow = plan.embedding
    local = [
        nn.Sequential(nn.Linear(narrow, plan.local_units), nn.ReLU(), nn.Linear(plan.local_units, n_classes))
        for _ in range(plan.n_clusters)
    ]
    return nn.ModuleDict({
        "encoder": nn.Sequential(nn.Linear(n_features, wide), nn.Linear(wide, narrow)),
        "decoder": nn.Sequential(nn.Linear(narrow, wide), nn.Linear(wide, n_features)),
        "gate": nn.Linear(narrow, plan.n_clusters),
        "local": nn.ModuleList(local),
    })  # fmt: skip


def train(
    torch: ModuleType, plan: Plan, X: NDArray[np.float64], y: NDArray[np.int64], n_classes: int, clustering: Clustering
) -> tuple[Module, NDArray[np.int64], list[float]]:
    """Trained networks, clusters of the rows, mean loss of every joint epoch."""
    rows, target = torch.tensor(X, dtype=torch.float32), torch.tensor(y)
    networks = build(torch, plan, X.shape[1], n_classes)
    coder = [*networks["encoder"].parameters(), *networks["decoder"].parameters()]
    optimiser = torch.optim.Adam(coder, lr=plan.learning_rate)
    for _ in range(plan.pretrain_epochs):
        for batch in _batches(torch, len(X), plan.batch_size):
            _step(optimiser, _coding_loss(plan, networks, rows[batch]))
    optimiser = torch.optim.Adam(networks.parameters(), lr=plan.learning_rate)
    labels: NDArray[np.int64] | None = None
    history = []
    for epoch in range(plan.epochs):
        if labels is None or (plan.n_clusters > 1 and epoch % plan.recluster_every == 0):
            labels = clustering(embed(torch, networks, X), labels)
            clusters = torch.tensor(labels)
        total = 0.0
        for batch in _batches(torch, len(X), plan.batch_size):
            loss = _joint_loss(torch, plan, networks, rows[batch], target[batch], clusters[batch])
            _step(optimiser, loss)
            total += float(loss.detach()) * len(batch)
        history.append(total / len(X))
    if not np.isfinite(history).all():
        raise NotOptimalError("the training loss is not finite: lower learning_rate, or look for extreme values in X")
    assert labels is not None
    return networks, labels, history


def embed(torch: ModuleType, networks: Module, X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Embedded rows (n, p)."""
    with torch.no_grad():
        return networks["encoder"](torch.tensor(X, dtype=torch.float32)).numpy().astype(np.float64)


def answer(torch: Any, networks: Any, X: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Gates (n, k) and class probabilities of every local network (n, k, C)."""
    with torch.no_grad():
        z = networks["encoder"](torch.tensor(X, dtype=torch.float32)).double()
        gates = torch.softmax(networks["gate"].double()(z), dim=1)
        local = torch.stack([torch.softmax(net.double()(z), dim=1) for net in networks["local"]], dim=1)
        networks.float()
        return gates.numpy(), local.numpy()


def _batches(torch: ModuleType, n: int, size: int) -> Iterator[Tensor]:
    return torch.randperm(n).split(size)


def _step(optimiser: Optimizer, loss: Tensor) -> None:
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()


def _coding_loss(plan: Plan, networks: Module, rows: Tensor) -> Tensor:
    """Mean squared error of the reconstruction, and the penalties on the coder's weights."""
    loss = ((networks["decoder"](networks["encoder"](rows)) - rows) ** 2).mean()
    for part in (networks["encoder"], networks["decoder"]):
        for layer in part:
            loss = loss + plan.l1 * layer.weight.abs().sum() + plan.l2 * (layer.weight**2).sum()
    return loss


def _joint_loss(torch: ModuleType, plan: Plan, networks: Module, rows: Any, target: Any, clusters: Any) -> Any:
    """Log-loss of the mixture, reconstruction, and log-loss of the gate against the clusters."""
    z = networks["encoder"](rows)
    scores = networks["gate"](z)
    gates = torch.log_softmax(scores, dim=1)
    local = torch.stack([torch.log_softmax(net(z), dim=1) for net in networks["local"]], dim=1)
    mixture = torch.logsumexp(gates[:, :, None] + local, dim=1)
    loss = torch.nn.functional.nll_loss(mixture, target)
    loss = loss + plan.reconstruction_weight * _coding_loss(plan, networks, rows)
    if plan.n_clusters > 1:
        loss = loss + plan.gate_weight * torch.nn.functional.cross_entropy(scores, clusters)
    return loss
