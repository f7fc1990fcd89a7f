"""Lists and codes for vector search whose clusters have equal size.

An inverted index (IVF) scans the lists of the clusters nearest to a query. k-means makes lists of any length, and the
longest decide how long the slowest queries take; `BalancedKMeans(k, balance=0)` makes lists of floor(n / k) or
ceil(n / k) vectors. A query should probe them in the order of the power distance |q - c_i|^2 + mu_i, the rule that put
the vectors into them. At equal mean work the recall is about the same; at equal work of the slowest per cent of queries
balanced lists find more.

Residual quantisation describes a vector as a sequence of codes, each of which narrows down what those before it left:

    r_0 = x,    code_l = the cell of r_(l-1) among k clusters,    r_l = r_(l-1) - centre of the code

so that x is about the sum of its centres. With clusters of equal size every code of a level is used equally often.

Run `python examples/vector_codes.py` in a clone for both, on 20 000 vectors.

References
----------
Chen, Guan and Wang (2010), Approximate nearest neighbor search by residual vector quantization.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from partitope.cluster import BalancedKMeans


class ResidualQuantizer:
    """Codes of several levels, each a balanced k-means on what the levels before left.

    Heuristic: greedy over the levels, and each level is a local optimum of k-means within its sizes. One fit of
    `BalancedKMeans` a level; encoding costs O(levels k d) a vector.

    Parameters
    ----------
    levels : int
        Codes of a vector.
    k : int
        Clusters, and so codes, of every level.
    random_state : int, optional
        Seed of the starts.

    Attributes
    ----------
    codes_ : (n, levels) ndarray
        Codes of the training vectors.
    codebooks_ : (levels, k, d) ndarray
        Centres of every level.
    errors_ : (levels,) ndarray
        Mean squared distance of the training vectors from the sum of their centres after every level.
    """

    def __init__(self, levels: int = 2, k: int = 8, random_state: int | None = None) -> None:
        self.levels, self.k, self.random_state = levels, k, random_state

    def fit(self, X: NDArray[np.floating]) -> ResidualQuantizer:
        """Learn the codebooks of the vectors X (n, d)."""
        residuals, self.models_, codes, errors = np.array(X), [], [], []
        for _ in range(self.levels):
            model = BalancedKMeans(self.k, balance=0, n_init=1, max_iter=25, random_state=self.random_state)
            codes.append(model.fit(residuals).labels_)
            residuals -= model.cluster_centers_[model.labels_]
            errors.append((residuals.astype(np.float64) ** 2).sum(axis=1).mean())
            self.models_.append(model)
        self.codes_ = np.stack(codes, axis=1).astype(np.min_scalar_type(self.k - 1))
        self.codebooks_ = np.stack([model.cluster_centers_ for model in self.models_])
        self.errors_ = np.array(errors)
        return self

    def encode(self, X: NDArray[np.floating]) -> NDArray[np.unsignedinteger]:
        """Codes (m, levels) of the vectors X (m, d): the cells of their residuals."""
        residuals, codes = np.array(X), []
        for model in self.models_:
            codes.append(model.partition_.predict(residuals))
            residuals -= model.cluster_centers_[codes[-1]]
        return np.stack(codes, axis=1).astype(self.codes_.dtype)

    def decode(self, codes: NDArray[np.integer]) -> NDArray[np.floating]:
        """Vectors (m, d) that the codes (m, l) stand for; with l below the number of levels, those of the first l."""
        return sum(book[column] for book, column in zip(self.codebooks_, codes.T))


def vectors(n: int, seed: int, d: int = 32) -> NDArray[np.float32]:
    """Vectors (n, d) of groups whose sizes fall as 1, 1/2, 1/3, ..., as topics of texts do."""
    groups, rng = np.random.default_rng(0).normal(size=(400, d)), np.random.default_rng(seed)
    share = 1.0 / np.arange(1, len(groups) + 1)
    group = rng.choice(len(groups), n, p=share / share.sum())
    return (groups[group] + 0.7 * rng.normal(size=(n, d))).astype(np.float32)


def searched(
    model: BalancedKMeans, X: NDArray[np.float32], queries: NDArray[np.float32], probes: int, neighbours: int = 10
) -> tuple[float, NDArray[np.int64]]:
    """Recall of the nearest ``neighbours`` in the ``probes`` nearest lists of X, and vectors scanned (q,) a query."""
    lists = [np.flatnonzero(model.labels_ == i) for i in range(len(model.cluster_centers_))]
    order = np.argsort(-model.partition_.power_diagram.decision_function(queries), axis=1)[:, :probes]
    hits, scanned = 0, np.zeros(len(queries), dtype=np.int64)
    for j, (query, near) in enumerate(zip(queries, order)):
        places = np.concatenate([lists[i] for i in near])
        distances = ((X - query) ** 2).sum(axis=1)
        found = places[distances[places].argsort()[:neighbours]]
        hits += np.intersect1d(found, distances.argpartition(neighbours)[:neighbours]).size
        scanned[j] = places.size
    return hits / (neighbours * len(queries)), scanned


def main() -> None:
    """Compare balanced lists with those of k-means without bounds, and code the vectors."""
    X, queries = vectors(20_000, 1), vectors(200, 2)
    print("lists | probed | recall at 10 | scanned, mean | scanned, 99 % of queries")
    for name, bounds in (("balanced", {"balance": 0}), ("unbalanced", {})):
        model = BalancedKMeans(64, **bounds, n_init=1, max_iter=25, random_state=0).fit(X)
        for probes in (1, 4, 16):
            recall, scanned = searched(model, X, queries, probes)
            print(f"{name} | {probes} | {recall:.3f} | {scanned.mean():.0f} | {np.quantile(scanned, 0.99):.0f}")
    codes = ResidualQuantizer(levels=3, k=64, random_state=0).fit(X)
    print(f"three codes a vector: mean squared error {codes.errors_.round(2).tolist()} of {X.var(axis=0).sum():.2f}")


if __name__ == "__main__":
    main()
