"""Reading a clustering: what the rows of each cluster have in common, against all rows, in figures and in words.

    (1)  parts of column f: its intervals or groups by `partitope.stats.modl`, found for the classes
    (2)  P(part | cluster i) and P(part | all rows): shares of the rows
    (3)  divergence of column f in cluster i:  sum over parts of P(part | i) log2( P(part | i) / P(part) )  bits

A column of one part carries no information and is left out. The divergences of a column, averaged over the
clusters with their sizes as weights, are the mutual information of the column's part and the cluster.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ...base.checks import cluster_numbers, same_length, whole_number
from ...base.errors import InvalidInputError
from ...base.one_line import OneLine
from ...base.record import Record
from ...output.style import DARK_BLUE, DARK_RED, MOST_PANELS, PALE_BLUE, WIDTH, shortened
from ...solvers.predictive.log_likelihoods import LogLikelihoodEmbedding, Parts
from ...stats.modl.cuts_and_groups import Groups, Intervals
from ..encoders.log_likelihood import LogLikelihoodEncoder, check_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class ClusterProfiles(OneLine):
    """Distribution of every column over its parts, in each cluster and in all rows.

    Attributes
    ----------
    names : tuple of str
        Columns with more than one part.
    parts : tuple of tuple of str
        Their parts in words.
    counts : tuple of (K, I) ndarray
        Rows of each cluster in each part, one array per column.
    classes : tuple of str
        Classes.
    class_counts : (K, J) ndarray
        Rows of each class in each cluster.
    """

    names: tuple[str, ...]
    parts: tuple[tuple[str, ...], ...]
    counts: tuple[NDArray[np.int64], ...]
    classes: tuple[str, ...]
    class_counts: NDArray[np.int64]

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Rows (K,) of the clusters."""
        return self.class_counts.sum(axis=1)

    @property
    def divergence(self) -> NDArray[np.float64]:
        """Formula (3), (K, d) in bits; 0 for an empty cluster."""
        return np.column_stack([np.empty((len(self.sizes), 0)), *(part_terms(c).sum(axis=1) for c in self.counts)])

    @property
    def information(self) -> NDArray[np.float64]:
        """Mutual information (d,) of each column's part and the cluster, in bits."""
        return self.sizes @ self.divergence / self.sizes.sum()

    def table(self) -> pd.DataFrame:
        """One row a part: share among all rows and in each cluster, indexed by column and part."""
        rows, index = [], []
        for name, words, counts in zip(self.names, self.parts, self.counts):
            whole = counts.sum(axis=0) / counts.sum()
            rows += [[w, *s] for w, s in zip(whole, shares(counts).T)]
            index += [(name, word) for word in words]
        columns = ["all rows", *(f"cluster {i}" for i in range(len(self.sizes)))]
        return pd.DataFrame(rows, columns=columns, index=pd.MultiIndex.from_tuples(index, names=["column", "part"]))

    def text(self, cluster: int, most: int = 3) -> str:
        """What is special in a cluster, in words; at most ``most`` columns are named."""
        if whole_number(cluster, "cluster", 0) >= len(self.sizes):
            raise InvalidInputError(f"cluster={cluster!r} is not usable: pass one of 0 to {len(self.sizes) - 1}")
        whole_number(most, "most", 0)
        size, total = int(self.sizes[cluster]), int(self.sizes.sum())
        if not size:
            return f"Cluster {cluster} holds no rows."
        mix = self.class_counts[cluster] / size
        held = [j for j in np.argsort(-mix, kind="stable") if mix[j] > 0]
        named = [f"{_percent(mix[j])} {class_name(self.classes[j])}" for j in held]
        lines = [f"Cluster {cluster}: {size} of {total} rows ({_percent(size / total)}); {_list(named[:4])}."]
        order = np.argsort(-self.divergence[cluster], kind="stable")[:most]
        facts = [self._fact(cluster, int(f)) for f in order if self.divergence[cluster, f] > 0.01]
        lines.append(f"Stands out: {'; '.join(facts)}." if facts else "No column stands out against all rows.")
        return " ".join(lines)

    def describe(self, most: int = 3) -> list[str]:
        """`text` of every cluster."""
        return [self.text(i, most) for i in range(len(self.sizes))]

    def plot(self, most: int = 4, clusters: Sequence[int] | None = None) -> Figure:
        """Bars of each cluster's shares over the parts, strokes for all rows; one row of panels a cluster, one column a
        feature."""
        from matplotlib.figure import Figure

        if not self.names:
            raise InvalidInputError("no column tells the classes apart, so there is no profile to draw: use text()")
        k = len(self.sizes)
        if clusters is None:
            clusters = sorted(np.argsort(-self.sizes, kind="stable")[:MOST_PANELS].tolist())
        clusters = cluster_numbers(clusters, "clusters").tolist()
        if not clusters or max(clusters) >= k:
            raise InvalidInputError(f"clusters={clusters!r}: expected some of 0 to {k - 1}")
        features = np.argsort(-self.information, kind="stable")[: max(1, whole_number(most, "most", 0))]
        widths = [max(2.0, min(len(self.parts[f]), 12) ** 0.6) for f in features]
        figure = Figure(
            figsize=(min(WIDTH, max(6.0, 1.2 * sum(widths))), 1.35 * len(clusters) + 1.5), layout="constrained"
        )
        panels = figure.subplots(len(clusters), len(features), sharey=True, squeeze=False, width_ratios=widths)
        for row, cluster in enumerate(clusters):
            for column, f in enumerate(features):
                _panel(panels[row, column], self, int(cluster), int(f), last=row == len(clusters) - 1)
            mix = self.class_counts[cluster]
            winner = shortened(class_name(self.classes[int(mix.argmax())]), 16)
            share = 100 * mix.max() / max(mix.sum(), 1)
            panels[row, 0].set_ylabel(f"cluster {cluster}\nn = {mix.sum()}\n{share:.0f} % {winner}", fontsize=8)
        for column, f in enumerate(features):
            title = f"{shortened(self.names[f], 28)}\n{self.information[f]:.2f} bits"
            panels[0, column].set_title(title, fontsize=9)
        handles, words = panels[0, 0].get_legend_handles_labels()
        figure.legend(handles, words, loc="outside lower center", ncols=2, frameon=False, fontsize=9)
        return figure

    def _fact(self, cluster: int, f: int) -> str:
        counts = self.counts[f]
        part = int(part_terms(counts)[cluster].argmax())
        here, everywhere = shares(counts)[cluster, part], counts[:, part].sum() / counts.sum()
        return f"{self.names[f]} {self.parts[f][part]} in {_percent(here)} of its rows against {_percent(everywhere)}"


def cluster_profiles(X: Any, y: ArrayLike, labels: ArrayLike, *, n_clusters: int | None = None) -> ClusterProfiles:
    """Profiles of any clustering of the rows of a table.

    Parameters
    ----------
    X : (n, d) DataFrame or array_like
        Numbers and categories, missing entries allowed.
    y : (n,) array_like
        Classes, at least two.
    labels : (n,) array_like of int
        Clusters from 0.
    n_clusters : int, optional
        K; default one more than the largest label.

    Raises
    ------
    InvalidInputError
        When labels do not fit the rows, or y holds one class only.

    Notes
    -----
    Exact counting, O(n d); finding the parts costs O(d n log n).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from partitope.classifiers import cluster_profiles
    >>> from partitope.solvers import PKM
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> profiles = cluster_profiles(X, y, PKM().fit_predict(X, y))
    >>> print(profiles.text(0, most=1))
    Cluster 0: 50 of 150 rows (33 %); 100 % class 0. Stands out: petal length (cm) ≤ 2.45 in 100 % of its rows against \
33 %.
    """
    frame, codes, classes = check_table(LogLikelihoodEncoder(), X, y)
    cell_index = cluster_numbers(labels, "labels")
    same_length(X=codes, labels=cell_index)
    k = int(cell_index.max()) + 1 if n_clusters is None else whole_number(n_clusters, "n_clusters")
    if cell_index.max() >= k:
        raise InvalidInputError(f"labels reach {cell_index.max()}, n_clusters is {k}: expected labels 0 to {k - 1}")
    rule = LogLikelihoodEmbedding.fit(frame, codes, len(classes))
    used = rule.informative
    counts = [count_parts(cell_index, rule.column_codes(frame, int(f)), k, rule.parts[f].n_parts) for f in used]
    return ClusterProfiles(
        names=tuple(str(frame.columns[f]) for f in used),
        parts=tuple(part_words(rule.parts[f]) for f in used),
        counts=tuple(counts),
        classes=tuple(str(c) for c in classes),
        class_counts=count_parts(cell_index, codes, k, len(classes)),
    )


def count_parts(cell_index: NDArray, parts: NDArray, n_clusters: int, n_parts: int) -> NDArray[np.int64]:
    """Rows (K, I) of each cluster in each part."""
    flat = np.bincount(cell_index * n_parts + parts, minlength=n_clusters * n_parts)
    return flat.reshape(n_clusters, n_parts).astype(np.int64)


def shares(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """P(part | cluster) (K, I); zeros for an empty cluster."""
    return counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)


def part_terms(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Terms (K, I) of (3)."""
    share, whole = shares(counts), counts.sum(axis=0) / counts.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(share > 0, share * np.log2(share / whole), 0.0)


def part_words(part: Parts) -> tuple[str, ...]:
    """The parts of a column in words."""
    if isinstance(part, Groups):
        groups = [[*map(str, part.values[part.group == i])] for i in range(part.n_parts)]
        groups = [group + ["missing"] * (part.missing == i) for i, group in enumerate(groups)]
        return tuple(g[0] if len(g) == 1 else f"{{{shortened(', '.join(g), 60)}}}" for g in groups)
    assert isinstance(part, Intervals)
    ends = [_number(float(cut)) for cut in part.cuts]
    words = [f"≤ {ends[0]}"] if ends else ["any number"]
    words += [f"{a} to {b}" for a, b in pairwise(ends)] + [f"> {end}" for end in ends[-1:]]
    return (*words, "missing") if part.missing is not None else tuple(words)


def _number(value: float) -> str:
    """Four digits, without an exponent where that stays readable."""
    if 1e4 <= abs(value) < 1e12:
        return np.format_float_positional(value, precision=4, fractional=False, trim="-")
    return f"{value:.4g}"


def class_name(name: object) -> str:
    """The name of a class as it reads in a sentence: a bare number says that it is one."""
    return str(name) if str(name)[:1].isalpha() else f"class {name}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share == 0 or 100 * share >= 0.5 else "under 1 %"


def _list(items: Sequence[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}" if items else ""


def _panel(ax: Axes, profiles: ClusterProfiles, cluster: int, f: int, *, last: bool) -> None:
    counts = profiles.counts[f]
    x = np.arange(counts.shape[1])
    look: Record = {"color": PALE_BLUE, "edgecolor": DARK_BLUE, "linewidth": 0.7}
    ax.bar(x, shares(counts)[cluster], width=0.8, label="share in the cluster", **look)
    whole = counts.sum(axis=0) / counts.sum()
    ax.hlines(whole, x - 0.46, x + 0.46, color=DARK_RED, linewidth=1.8, label="share in all rows")
    ax.set(ylim=(0, 1.02), yticks=[0, 0.5, 1])
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize=8)
    step = -(-len(x) // 9)  # at most nine bars have a word
    ax.set_xticks(x[::step] if last else [])
    if last:
        words = [shortened(word, 16) for word in profiles.parts[f][::step]]
        ax.set_xticklabels(words, rotation=40, ha="right", rotation_mode="anchor", fontsize=8, parse_math=False)
        if step > 1:
            ax.set_xlabel(f"{len(x)} parts, one in {step} named", fontsize=8)
