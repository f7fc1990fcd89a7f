"""Deep relatives of clustering aware classification: clusters, and local networks, in a learnt space.

    (1)  z = E(x),  x' = D(z)                    linear layers d - 64 - 32 - 64 - d
    (2)  clusters of the z:  k-means (DMNN),  CAC with the classes (DeepCAC),  one cluster (FNN)
    (3)  g(z) = softmax(G z)                     gate, taught by the clusters
    (4)  P(j | x) = sum_i g_i(z) P_i(j | z)      P_i: local network 32 - 30 - C with ReLU and softmax

    first   minimise  R = mean |x - x'|^2 + l1 sum |theta| + l2 sum theta^2            over E and D
    then    minimise  - mean log P(y | x)  +  a R  -  b mean log g_cluster(z)          over everything

with the clusters (2) found anew, from those of the last time, every few epochs. The papers leave a, b and the number of
epochs open; the values here are ours. Columns are standardised first. PyTorch is needed: the extra ``deep``.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from ...base.checks import as_entries, check_weight, class_codes, in_interval, validate_data, whole_number
from ...base.errors import InvalidInputError
from ...base.inherited_docs import FittedToClasses
from ...solvers.cac.partitioner import CAC
from .training import Plan, answer, embed, load_torch, reproducible, train


class _DeepMixture(FittedToClasses, ClassifierMixin, Plan, BaseEstimator):
    """What the three share: formulas (1), (3), (4) and the training.

    Attributes
    ----------
    n_iter_ : int
        Epochs of the joint training.
    labels_ : (n,) ndarray of int64
        Cluster of every training row at the last clustering.
    loss_ : list of float
        Joint loss of every epoch.
    networks_ : torch.nn.ModuleDict
        encoder, decoder, gate, local.
    """

    def _cluster(
        self, Z: NDArray[np.float64], y: NDArray[np.int64], before: NDArray[np.int64] | None, seed: int
    ) -> NDArray[np.int64]:
        raise NotImplementedError

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Train on the rows X (n, d) with classes y (n,)."""
        torch = load_torch(type(self).__name__)
        points, target = validate_data(self, X, y, dtype=np.float64)
        rows = np.asarray(points)
        check_classification_targets(target)
        self.classes_, codes = class_codes(target)
        _check_plan(self, len(rows))
        self.mean_, spread = rows.mean(axis=0), rows.std(axis=0)
        self.scale_ = np.where(spread > 1e-12 * np.abs(rows).max(axis=0), spread, 1.0)
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        with reproducible(torch, seed):
            self.networks_, self.labels_, self.loss_ = train(
                torch, self, self._standard(rows), codes, len(self.classes_),
                lambda Z, before: self._cluster(Z, codes, before, seed),
            )  # fmt: skip
        self.n_iter_ = len(self.loss_)
        return self

    def gates(self, X: ArrayLike) -> NDArray[np.float64]:
        """g_i(z) (n, k) of every row of X (n, d)."""
        return self._answer(X)[0]

    def apply(self, X: ArrayLike) -> NDArray[np.int64]:
        """Cluster (n,) of every row of X (n, d): the one of the largest gate."""
        return self.gates(X).argmax(axis=1).astype(np.int64)

    def embed(self, X: ArrayLike) -> NDArray[np.float64]:
        """z (n, p) of every row of X (n, d)."""
        check_is_fitted(self)
        rows = np.asarray(validate_data(self, X, reset=False, dtype=np.float64))
        torch = load_torch(type(self).__name__)
        with reproducible(torch, 0):
            return embed(torch, self.networks_, self._standard(rows))

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """P(j | x) (n, C) by (4)."""
        gates, local = self._answer(X)
        mixed = np.einsum("nk,nkc->nc", gates, local)
        return mixed / mixed.sum(axis=1, keepdims=True)

    def predict(self, X: ArrayLike) -> NDArray:
        """Classes (n,), the first of equals."""
        scores = self.predict_proba(X)
        return self.classes_[scores.argmax(axis=1)]

    def _standard(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        return (X - self.mean_) / self.scale_

    def _answer(self, X: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        check_is_fitted(self)
        rows = np.asarray(validate_data(self, X, reset=False, dtype=np.float64))
        torch = load_torch(type(self).__name__)
        with reproducible(torch, 0):
            return answer(torch, self.networks_, self._standard(rows))


@dataclass(eq=False, repr=False)
class DMNN(_DeepMixture):
    """Deep mixture neural network: k-means in a learnt space, one local network a cluster, a gate between them.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of clusters k.
    embedding : (int, int), default (64, 32)
        Units of the two layers of the encoder; the decoder mirrors them.
    local_units : int, default 30
        Units of the hidden layer of a local network.
    pretrain_epochs, epochs : int, default 20 and 30
        Passes over the rows for R alone, and for everything.
    batch_size : int, default 128
        Rows a step.
    learning_rate : float, default 1e-3
        Of Adam.
    l1, l2 : float, default 1e-5 and 1e-4
        Penalties on the weights of encoder and decoder.
    reconstruction_weight : float, default 0.1
        a of the joint loss.
    random_state : int, RandomState or None, default 0
        Seed of weights, batches and clustering.
    gate_weight : float, default 0.1
        b of the joint loss.
    recluster_every : int, default 5
        Epochs between two clusterings.

    Raises
    ------
    MissingDependencyError
        When PyTorch is not installed.
    InvalidInputError
        From ``fit``: y of one class, a parameter out of range, k greater than the number of rows.
    NotOptimalError
        From ``fit``: training diverges.

    Notes
    -----
    Heuristic: stochastic gradients from a random start. Trained on one thread, so that a seed gives the same model
    whatever the number of cores; other versions of PyTorch may give others.

    References
    ----------
    Li et al. 2020, Deep mixture neural networks, as described in Srivastava et al.: Don't Just Divide; Polarize and
    Conquer!, section 6.2.
    """

    n_clusters: int = 2
    _: KW_ONLY
    gate_weight: float = 0.1
    recluster_every: int = 5

    def _cluster(
        self, Z: NDArray[np.float64], y: NDArray[np.int64], before: NDArray[np.int64] | None, seed: int
    ) -> NDArray[np.int64]:
        from sklearn.cluster import KMeans
        from threadpoolctl import threadpool_limits

        present = before is not None and len(np.unique(before)) == self.n_clusters
        start: Any = "k-means++"
        if present:
            start = np.array([Z[before == i].mean(axis=0) for i in range(self.n_clusters)])
        with threadpool_limits(limits=1):
            means = KMeans(self.n_clusters, init=start, n_init=1 if present else 5, random_state=seed).fit(Z)
        return means.labels_.astype(np.int64)


@dataclass(eq=False, repr=False)
class DeepCAC(DMNN):
    """Deep mixture neural network whose clusters are those of `CAC` in the learnt space.

    Parameters
    ----------
    alpha : float, default 0.1
        Weight of the separation of the classes, as in `CAC`.

    Raises
    ------
    MissingDependencyError, InvalidInputError, NotOptimalError
        As in `DMNN`.

    Notes
    -----
    As `DMNN`. CAC sees the classes of the training rows only; new rows are gated by what the gate has learnt of its
    clusters.

    References
    ----------
    Srivastava et al.: Don't Just Divide; Polarize and Conquer!, section 6.2.
    """

    _: KW_ONLY
    alpha: float = 0.1

    def _cluster(
        self, Z: NDArray[np.float64], y: NDArray[np.int64], before: NDArray[np.int64] | None, seed: int
    ) -> NDArray[np.int64]:
        start: Any = "k-means" if before is None else before
        return CAC(self.n_clusters, alpha=self.alpha, init=start, n_init=5, random_state=seed).fit(Z, y).labels_


@dataclass(eq=False, repr=False, kw_only=True)
class FNN(_DeepMixture):
    """The network of `DMNN` without clusters: one predictor in the learnt space.

    Parameters
    ----------
    embedding, local_units, pretrain_epochs, epochs, batch_size, learning_rate, l1, l2
        As in `DMNN`.
    reconstruction_weight, random_state
        As in `DMNN`.

    Attributes
    ----------
    labels_ : (n,) ndarray of int64
        Zeros.

    Raises
    ------
    MissingDependencyError, InvalidInputError, NotOptimalError
        As in `DMNN`.

    References
    ----------
    Srivastava et al.: Don't Just Divide; Polarize and Conquer!, section 6.2.
    """

    def _cluster(
        self, Z: NDArray[np.float64], y: NDArray[np.int64], before: NDArray[np.int64] | None, seed: int
    ) -> NDArray[np.int64]:
        return np.zeros(len(Z), dtype=np.int64)


def _check_plan(plan: Plan, n_rows: int) -> None:
    """Raise InvalidInputError when a size or a weight is out of range."""
    least = dict.fromkeys(("n_clusters", "local_units", "epochs", "batch_size", "recluster_every"), 1)
    least["pretrain_epochs"] = 0
    for name, bottom in least.items():
        whole_number(getattr(plan, name), name, bottom)
    units, _ = as_entries(plan.embedding, "embedding")
    if len(units) != 2:
        raise InvalidInputError(f"embedding={plan.embedding!r}: expected two numbers of units, such as (64, 32)")
    for count in units:
        whole_number(count, "embedding")
    for name in ("l1", "l2", "reconstruction_weight", "gate_weight"):
        check_weight(name, getattr(plan, name))
    in_interval(plan.learning_rate, "learning_rate", 0.0, np.inf)
    if plan.n_clusters > n_rows:
        raise InvalidInputError(f"n_clusters={plan.n_clusters} exceeds n_samples={n_rows}: ask for fewer clusters")
