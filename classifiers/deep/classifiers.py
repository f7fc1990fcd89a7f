"""Deep clustering aware classification: clusters, and local networks, in a learnt space.

    (1)  z = E(x),  x' = D(z)                    linear layers d - 64 - 32 - 64 - d
    (2)  clusters of the z:  CAC with the classes
    (3)  g(z) = softmax(G z)                     gate, taught by the clusters
    (4)  P(j | x) = sum_i g_i(z) P_i(j | z)      P_i: local network 32 - 30 - C with ReLU and softmax

    first   minimise  R = mean |x - x'|^2 + l1 sum |theta| + l2 sum theta^2            over E and D
    then    minimise  - mean log P(y | x)  +  a R  -  b mean log g_cluster(z)          over everything

with the clusters (2) recomputed, from those of the last time, every few epochs. The papers leave a, b and the number of
epochs open; the values here are ours. Columns are standardised first. PyTorch is needed: the extra ``deep``.
"""

from __future__ import annotations

from collections.abc import Callable
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


@dataclass(eq=False, repr=False)
class DeepCAC(FittedToClasses, ClassifierMixin, Plan, BaseEstimator):
    """Deep mixture of local networks, one for each cluster of `CAC` in a learnt space, with a gate between them.

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
        Rows per step.
    learning_rate : float, default 1e-3
        Of Adam.
    l1, l2 : float, default 1e-5 and 1e-4
        Penalties on the weights of encoder and decoder.
    reconstruction_weight, gate_weight : float, default 0.1
        a and b of the joint loss.
    recluster_every : int, default 5
        Epochs between two clusterings.
    random_state : int, RandomState or None, default 0
        Seed of weights, batches and clustering.
    alpha : float, default 0.1
        Weight of the separation of the classes, as in `CAC`.

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
    whatever the number of cores; other versions of PyTorch may give others. CAC sees the classes of the training rows
    only; new rows are gated by what the gate has learnt of its clusters.

    References
    ----------
    Srivastava et al.: Don't Just Divide; Polarize and Conquer!, section 6.2.
    """

    _: KW_ONLY
    alpha: float = 0.1

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

        def cluster(Z: NDArray[np.float64], before: NDArray[np.int64] | None) -> NDArray[np.int64]:
            start: Any = "k-means" if before is None else before
            return CAC(self.n_clusters, alpha=self.alpha, init=start, n_init=5, random_state=seed).fit(Z, codes).labels_

        with reproducible(torch, seed):
            trained = train(torch, self, self._standard(rows), codes, len(self.classes_), cluster)
        self.networks_, self.labels_, self.loss_ = trained
        self.n_iter_ = len(self.loss_)
        return self

    def gates(self, X: ArrayLike) -> NDArray[np.float64]:
        """g_i(z) (n, k) of every row of X (n, d)."""
        return self._of_networks(answer, X)[0]

    def apply(self, X: ArrayLike) -> NDArray[np.int64]:
        """Cluster (n,) of every row of X (n, d): the one of the largest gate."""
        return self.gates(X).argmax(axis=1).astype(np.int64)

    def embed(self, X: ArrayLike) -> NDArray[np.float64]:
        """z (n, p) of every row of X (n, d)."""
        return self._of_networks(embed, X)

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """P(j | x) (n, C) by (4)."""
        gates, local = self._of_networks(answer, X)
        mixed = np.einsum("nk,nkc->nc", gates, local)
        return mixed / mixed.sum(axis=1, keepdims=True)

    def predict(self, X: ArrayLike) -> NDArray:
        """Classes (n,), the first of equals."""
        scores = self.predict_proba(X)
        return self.classes_[scores.argmax(axis=1)]

    def _standard(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        return (X - self.mean_) / self.scale_

    def _of_networks(self, question: Callable[..., Any], X: ArrayLike) -> Any:
        """What the networks make of the rows X (n, d)."""
        check_is_fitted(self)
        rows = np.asarray(validate_data(self, X, reset=False, dtype=np.float64))
        torch = load_torch(type(self).__name__)
        with reproducible(torch, 0):
            return question(torch, self.networks_, self._standard(rows))


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
