"""The networks that the paper compares DeepCAC with: other clusters in the learnt space, and none.

Li et al. 2020, Deep mixture neural networks, as described in Srivastava et al.: Don't Just Divide; Polarize and
Conquer!, section 6.2. PyTorch is needed: the extra ``deep``.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partitope.classifiers import DeepCAC


@dataclass(eq=False, repr=False)
class DMNN(DeepCAC):
    """Deep mixture neural network: `DeepCAC` with the clusters of k-means."""

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
class FNN(DeepCAC):
    """One predictor in the learnt space, without clusters."""

    n_clusters: int = 1
    _: KW_ONLY
    gate_weight: float = 0.0

    def _cluster(
        self, Z: NDArray[np.float64], y: NDArray[np.int64], before: NDArray[np.int64] | None, seed: int
    ) -> NDArray[np.int64]:
        return np.zeros(len(Z), dtype=np.int64)
