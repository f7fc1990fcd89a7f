"""How many clusters, within size bounds? Prediction strength (Tibshirani and Walther 2005), and a suggestion.

The rows are split into two halves A and B, and each is clustered by itself. A gives cells, B gives clusters:

    (1)  strength of a split   min over clusters C of B of the share of pairs in C that one cell of A holds
    (2)  prediction strength   mean of (1) over random splits
    (3)  suggested k           the largest k whose (2) plus its standard error is at least the threshold

(1) is 1 where the cells of one half never divide a cluster of the other, and falls where there are more clusters than
groups. Bounds are shares of the rows that are clustered: a half of the rows is clustered within half the sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.metrics.cluster import contingency_matrix

from ..base.checks import check_progress, finite_rows, in_interval, listed, random_generator, whole_number
from ..base.errors import InfeasibleBoundsError, InvalidInputError
from ..base.one_line import OneLine
from ..base.sizes import Side, bound_sizes
from ..output.style import BLUE, axes_of
from .balanced_k_means import BalancedKMeans

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, eq=False, repr=False)
class ClusterSuggestion(OneLine):
    """Outcome of `suggest_clusters`.

    Attributes
    ----------
    table : DataFrame
        One row a number of clusters that the bounds allow: ``n_clusters``, ``prediction_strength``,
        ``standard_error`` and ``inertia``.
    suggested : int or None
        The number of clusters; None where no k >= 2 reaches the threshold: the data support no division.
    threshold : float
        The prediction strength that was asked for.
    left_out : dict of int to str
        Numbers of clusters that the bounds exclude, and why.
    """

    table: pd.DataFrame
    suggested: int | None
    threshold: float
    left_out: dict[int, str]

    @property
    def sentence(self) -> str:
        """The suggestion in words."""
        if self.suggested is None:
            return (
                f"No number of clusters has a prediction strength of {self.threshold:g}: half of the rows do not "
                f"predict the clusters of the other half, so take the clusters for a division, not for groups."
            )
        row = self.table.set_index("n_clusters").loc[self.suggested]
        return (
            f"{self.suggested} clusters: the largest number whose prediction strength reaches {self.threshold:g} "
            f"within its standard error ({row['prediction_strength']:.2f} ± {row['standard_error']:.2f})."
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw prediction strength with its standard error against the number of clusters."""
        axes = axes_of(ax)
        k, strength = self.table["n_clusters"], self.table["prediction_strength"]
        axes.errorbar(
            k, strength, self.table["standard_error"], color=BLUE, marker="o", ms=5, lw=1.6, capsize=3,
            label="prediction strength ± standard error",
        )  # fmt: skip
        axes.axhline(self.threshold, color="0.4", lw=0.9, ls=":", label=f"threshold {self.threshold:g}")
        if self.suggested is not None:
            axes.axvline(self.suggested, color="black", lw=1.0, label=f"suggested: {self.suggested}")
        axes.set(xlabel="number of clusters", ylabel="prediction strength", ylim=(-0.02, 1.04), xticks=list(k))
        axes.legend(fontsize=8, loc="best")
        return axes


def suggest_clusters(
    X: ArrayLike,
    n_clusters: Iterable[int] = range(2, 11),
    *,
    lower: ArrayLike | None = None,
    upper: ArrayLike | None = None,
    balance: float | str | None = None,
    n_init: int = 3,
    n_splits: int = 10,
    threshold: float = 0.8,
    random_state: int = 0,
    progress: Progress | None = None,
) -> ClusterSuggestion:
    """Measure the prediction strength of balanced k-means for several numbers of clusters.

    Parameters
    ----------
    X : (n, d) array_like
        Points.
    n_clusters : iterable of int, default 2 to 10
        Numbers of clusters to try, at least 2 each.
    lower, upper : int, float or str, optional
        Bounds for all clusters, as in `BalancedKMeans`; sizes are for all rows, and scaled for samples of them.
    balance : float or str, optional
        Instead of bounds, as in `BalancedKMeans`.
    n_init : int, default 3
        Starts of every clustering.
    n_splits : int, default 10
        Random halves behind the prediction strength.
    threshold : float, default 0.8
        Prediction strength to be reached, between 0 and 1.
    random_state : int, default 0
        Seed of everything random; the same splits for every number of clusters.
    progress : callable, optional
        ``progress(done, total, text)`` after each number of clusters.

    Returns
    -------
    ClusterSuggestion

    Raises
    ------
    InvalidInputError
        When an argument cannot be used, or X has fewer than four rows.
    InfeasibleBoundsError
        When the bounds allow none of the numbers of clusters.

    Notes
    -----
    Heuristic, as every choice of a number of clusters. Costs ``2 n_splits + 1`` clusterings for each.

    References
    ----------
    Tibshirani and Walther (2005), Cluster validation by prediction strength.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from partitope.cluster import suggest_clusters
    >>> X, _ = make_blobs(120, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    >>> suggest_clusters(X, range(2, 6), lower="10%").suggested
    3
    """
    points = finite_rows(X)
    if len(points) < 4:
        raise InvalidInputError(f"X has {len(points)} rows, expected at least 4: each half needs a pair")
    whole_number(n_splits, "n_splits")
    tried = sorted({whole_number(k, "n_clusters", least=2) for k in listed(n_clusters, "n_clusters", "integers")})
    in_interval(threshold, "threshold", 0.0, 1.0)
    check_progress(progress, "done, total and text")
    if not tried:
        raise InvalidInputError("n_clusters is empty: name at least one number of clusters")
    rows, left_out = [], {}
    for done, k in enumerate(tried, 1):
        try:
            bounds = _shares(len(points), k, lower, upper, balance)
            model = BalancedKMeans(k, **bounds, n_init=n_init, random_state=random_state).fit(points)
            # the same seed for every k: all are measured on the same halves
            strengths = split_strengths(points, BalancedKMeans(k, **bounds, n_init=n_init), n_splits, random_state)
        except InfeasibleBoundsError as error:
            left_out[k] = str(error)
        else:
            spread = float(strengths.std(ddof=1) / np.sqrt(n_splits)) if n_splits > 1 else 0.0
            rows.append((k, float(strengths.mean()), spread, model.inertia_))
        if progress is not None:
            progress(done, len(tried), f"{k} clusters")
    if not rows:
        k, reason = next(iter(left_out.items()))
        raise InfeasibleBoundsError(f"the bounds allow none of the numbers of clusters tried; {k}: {reason}")
    names = ["n_clusters", "prediction_strength", "standard_error", "inertia"]
    table = pd.DataFrame(rows, columns=names)
    # (3)
    enough = table[table["prediction_strength"] + table["standard_error"] >= threshold]
    return ClusterSuggestion(table, int(enough["n_clusters"].max()) if len(enough) else None, threshold, left_out)


def split_strengths(points: NDArray[np.float64], model: BaseEstimator, n_splits: int, seed: int) -> NDArray[np.float64]:
    """(1) of random splits (s,) of the points (n, d), as the mean of both halves, by clones of an unfitted model."""
    rng, n = random_generator(seed), len(points)
    strengths = np.empty((n_splits, 2))
    for split in range(n_splits):
        rows = rng.permutation(n)
        halves = [points[np.sort(part)] for part in (rows[: n // 2], rows[n // 2 :])]
        fits = [clone(model).set_params(random_state=int(rng.integers(2**31))).fit(half) for half in halves]
        for one in range(2):
            strengths[split, one] = kept_pairs(*(fit.predict(halves[one]) for fit in (fits[one], fits[1 - one])))
    return strengths.mean(axis=1)


def kept_pairs(own: NDArray, others: NDArray) -> float:
    """(1) from the clusters of the rows and the cells that hold them; a cluster of one row has no pairs and is left
    out, and a split without any pair counts 0."""
    table = contingency_matrix(own, others)
    sizes = table.sum(axis=1).astype(np.float64)
    kept, pairs = (table * (table - 1.0)).sum(axis=1), sizes * (sizes - 1.0)
    return float((kept[pairs > 0] / pairs[pairs > 0]).min(initial=1.0)) if (pairs > 0).any() else 0.0


def _shares(n: int, k: int, lower: Any, upper: Any, balance: float | str | None) -> dict[str, Any]:
    """The bounds as shares of the rows, so that they mean the same for a part of them."""
    if balance is not None:
        return {"balance": balance, "lower": lower, "upper": upper}
    shares: dict[str, object] = {}
    sides: tuple[tuple[Side, Any], ...] = (("lower", lower), ("upper", upper))
    for name, value in sides:
        sizes = bound_sizes(value, name, n, k)
        if sizes is not None and np.ptp(sizes) > 0:
            raise InvalidInputError(f"{name}={value!r} differs among clusters: pass one bound for every k")
        shares[name] = None if sizes is None else f"{100 * min(float(sizes[0]) / n, 1.0):.12g}%"
    return shares
