"""An inverted index whose lists have equal size, beside one of k-means without bounds.

`python docs/vector_search.py` builds both indexes, writes images/vector_search.png beside this file, and prints the
table of the page. The lists are faiss' where faiss-cpu is installed (`pip install partitope[faiss]`), and arrays of
NumPy otherwise: both scan the same vectors.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt
from numpy.typing import NDArray

from partitope.cluster import BalancedKMeans

try:
    import faiss
except ImportError:
    faiss = None

PICTURE = Path(__file__).parent / "images" / "vector_search.png"
N, D, K, QUERIES, NEIGHBOURS = 50_000, 32, 128, 1000, 10
PROBES = (1, 2, 4, 8, 16, 32)
Search = Callable[[NDArray[np.float32], NDArray[np.int64]], NDArray[np.int64]]


def vectors(n: int, seed: int) -> NDArray[np.float32]:
    """Vectors (n, D) of groups whose sizes fall as 1, 1/2, 1/3, ..., as topics of texts do."""
    groups, rng = np.random.default_rng(0).normal(size=(400, D)), np.random.default_rng(seed)
    share = 1.0 / np.arange(1, len(groups) + 1)
    group = rng.choice(len(groups), n, p=share / share.sum())
    return (groups[group] + 0.7 * rng.normal(size=(n, D))).astype(np.float32)


def lists_of_faiss(X: NDArray[np.float32], centres: NDArray[np.float32], labels: NDArray[np.int64]) -> Search:
    """A search in lists of faiss that hold the vectors where ``labels`` (n,) put them."""
    index = faiss.IndexIVFFlat(faiss.IndexFlatL2(D), D, len(centres))
    index.quantizer.add(centres)
    index.is_trained = True
    index.add_core(len(X), faiss.swig_ptr(X), None, faiss.swig_ptr(labels))

    def search(queries: NDArray[np.float32], probed: NDArray[np.int64]) -> NDArray[np.int64]:
        index.nprobe = probed.shape[1]
        nothing = np.zeros(probed.shape, dtype=np.float32)  # distances of the centres, which flat lists do not use
        return index.search_preassigned(queries, NEIGHBOURS, probed, nothing)[1]

    return search


def lists_of_arrays(X: NDArray[np.float32], centres: NDArray[np.float32], labels: NDArray[np.int64]) -> Search:
    """The same search without faiss."""
    lists = [np.flatnonzero(labels == i) for i in range(len(centres))]

    def search(queries: NDArray[np.float32], probed: NDArray[np.int64]) -> NDArray[np.int64]:
        found = np.full((len(queries), NEIGHBOURS), -1)
        for place, (query, clusters) in enumerate(zip(queries, probed)):
            scanned = np.concatenate([lists[i] for i in clusters])
            nearest = scanned[((X[scanned] - query) ** 2).sum(axis=1).argsort()[:NEIGHBOURS]]
            found[place, : nearest.size] = nearest
        return found

    return search


def nearest(X: NDArray[np.float32], queries: NDArray[np.float32]) -> NDArray[np.int64]:
    """The true neighbours (q, NEIGHBOURS) of every query."""
    distances = (X.astype(np.float64) ** 2).sum(axis=1) - 2.0 * queries.astype(np.float64) @ X.T
    return distances.argpartition(NEIGHBOURS, axis=1)[:, :NEIGHBOURS]


def measured(model: BalancedKMeans, X: NDArray[np.float32], queries: NDArray[np.float32]) -> list[dict[str, float]]:
    """Recall and vectors scanned for every number of lists that are probed.

    Lists are probed in the order of the power distance |q - c_i|^2 + mu_i, the rule that put the vectors into them.
    """
    search = (lists_of_arrays if faiss is None else lists_of_faiss)(X, model.cluster_centers_, model.labels_)
    order = np.argsort(-model.partition_.power_diagram.decision_function(queries), axis=1)
    sizes, true = np.bincount(model.labels_, minlength=K), nearest(X, queries)
    rows = []
    for probes in PROBES:
        probed = np.ascontiguousarray(order[:, :probes])
        found, scanned = search(queries, probed), sizes[probed].sum(axis=1)
        hits = sum(np.intersect1d(*pair).size for pair in zip(found, true))
        rows.append({
            "lists": probes, "recall": hits / true.size, "scanned": scanned.mean(),
            "slowest": np.quantile(scanned, 0.99),
        })  # fmt: skip
    return rows


def main() -> None:
    """Build, measure, draw and print."""
    if faiss is None:
        print("faiss is not installed: the lists are arrays of NumPy (pip install partitope[faiss])")
    X, queries = vectors(N, 1), vectors(QUERIES, 2)
    axes = plt.subplots(figsize=(6.4, 4.2))[1]
    for name, bounds, colour in (("balanced", {"balance": 0}, "#0072B2"), ("unbalanced", {}, "#D55E00")):
        model = BalancedKMeans(K, **bounds, n_init=1, max_iter=25, random_state=0).fit(X)
        rows, sizes = measured(model, X, queries), np.bincount(model.labels_)
        print(f"{name}: lists of {sizes.min()} to {sizes.max()} vectors, largest over mean {sizes.max() / (N / K):.3f}")
        print("| lists probed | recall at 10 | scanned, mean | scanned, 99 % of queries |\n|---|---|---|---|")
        for row in rows:
            print(f"| {row['lists']} | {row['recall']:.3f} | {row['scanned']:.0f} | {row['slowest']:.0f} |")
        recall = [row["recall"] for row in rows]
        for key, style, text in (("scanned", "-o", "mean"), ("slowest", "--", "99 % of queries")):
            axes.plot([row[key] for row in rows], recall, style, color=colour, ms=4, label=f"{name}, {text}")
    axes.set(xscale="log", xlabel="vectors scanned a query", ylabel="recall at 10")
    axes.legend(fontsize=8)
    axes.figure.tight_layout()
    axes.figure.savefig(PICTURE, dpi=130)


if __name__ == "__main__":
    main()
