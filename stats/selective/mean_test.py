"""Selective test of the difference of two cluster means: inference after the clustering was seen.

Rows x_1..x_n are independent, x_j ~ N(m_j, S), S known for the time being. With nu = 1_a / n_a - 1_b / n_b for
clusters a, b of the partition,

    (1)  null          sum_j nu_j m_j = 0                   difference D = X' nu ~ N(0, |nu|^2 S)
    (2)  statistic     T = sqrt(D' S^-1 D), T / |nu| ~ chi_d
    (3)  line          X(phi) = X + (phi - T) nu r' / |nu|^2,   r = D / T;   X(T) = X
    (4)  truth set     Phi = { phi : X(phi) leads to the same labels as X, step by step }
    (5)  p-value       P(phi >= T | phi in Phi) under (2)

Given X outside the line (3), phi alone is random, and independent of the rest: (5) is uniform under (1) given the
labels. A test that ignores (4) rejects far too often, as the clusters were made to differ.

Phi is known exactly, as every step of a size-bounded clustering is an assignment with a certificate. Its labels are
optimal for scores gamma if and only if prices mu exist with mu_i - mu_j <= w_ij, w_ij the least gamma_i(x) -
gamma_j(x) in cluster i (and mu_i <= 0 where cluster i may grow, mu_i >= 0 where it may shrink). Along (3)

    (6)  sites fixed in advance (step 1): gamma is linear in phi, and with it every w_ij: Phi is one interval,
         the projection of a polyhedron in (phi, mu);
    (7)  sites that are means of the previous labels (later steps): gamma_i(x) - gamma_j(x) is quadratic in phi.

Prices are eliminated: they exist if and only if no cycle of w is negative.

Where S is not known, an estimate in its place would make (5) wrong: columns of unequal spread taken for equal ones
reject a true hypothesis twice as often as they should. The line is then replaced by a circle on which the scatter of
the two clusters stays as it is, and the chi law by that of Hotelling's T (`curves`): exact again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import as_array, cluster_numbers, covariance_matrix, finite_numbers, one_of, same_length
from ...base.errors import InvalidInputError
from ...base.one_line import OneLine
from ..cluster_values.difference import two_clusters
from ..cluster_values.limits import per_cluster
from .curves import circle, line
from .kernels import optimal_set

RELATIVE = 1e-10  # Cycles above minus this fraction of the gaps count as not negative.
TIED = 100.0  # Data within this many `Curve.width` of an end of their interval are on it.


@dataclass(frozen=True, eq=False, repr=False)
class SelectiveTest(OneLine):
    """Outcome of `selective_mean_test`.

    Attributes
    ----------
    statistic : float
        T of (2); without a covariance, S is estimated within the two clusters.
    pvalue : float
        Selective p-value (5).
    naive_pvalue : float
        What the test would be without (4); for comparison only, it is not valid.
    n : (int, int)
        Sizes of the two clusters.
    intervals : (m, 2) ndarray
        Phi of (4), cut off where no mass is left.
    scale : float
        |nu| of (2).
    null, alternative : str
        The hypotheses.
    notes : tuple of str
        What was said about the covariance, stopping rule.
    """

    statistic: float
    pvalue: float
    naive_pvalue: float
    n: tuple[int, int]
    intervals: NDArray[np.float64] = field(repr=False)
    scale: float
    null: str
    alternative: str
    notes: tuple[str, ...] = ()


def selective_mean_test(
    X: ArrayLike,
    labels: ArrayLike,
    sites: ArrayLike,
    clusters: tuple[int, int] = (0, 1),
    *,
    lower: ArrayLike | None = None,
    upper: ArrayLike | None = None,
    covariance: ArrayLike | None = None,
    objective: Literal["lsa", "csa"] = "lsa",
    site_rows: ArrayLike | None = None,
) -> SelectiveTest:
    """Test whether two clusters differ in their means, given that the same rows made the clusters.

    Parameters
    ----------
    X : (n, d) array_like
        The clustered rows.
    labels : (n,) or (T, n) array_like of int
        Labels after every step, in order; the last ones are tested. One row is the one-step case (6).
    sites : (k, d) array_like
        Sites of the first step, chosen without looking at X, or rows of X named in ``site_rows``. Later steps have the
        means of the labels before them as sites.
    clusters : (int, int)
        The two clusters, chosen without looking at X.
    lower, upper : int or (k,) array_like of int, optional
        Size bounds; by default the sizes in ``labels`` are taken as prescribed.
    covariance : float, (d, d) array_like, "spherical" or None
        S, or the variance of every coordinate, known from elsewhere. "spherical" says that S = s^2 I with s unknown:
        columns vary alike and independently. By default nothing is assumed: the p-value is exact for every S, with
        less power, and the two clusters must hold at least d + 2 rows.
    objective : {"lsa", "csa"}
        Scores of the assignment: least squares, or inner products with the sites. "csa" is for one step.
    site_rows : (k,) array_like of int, optional
        Rows of X that served as first sites; they then move with X(phi).

    Returns
    -------
    SelectiveTest

    Raises
    ------
    InvalidInputError
        When shapes, bounds or the covariance are not usable, a cluster is empty, labels are not optimal for their
        sites, so that no assignment step can have produced them, or the two clusters hold too few rows, or columns that
        depend linearly, for an unknown covariance.

    Notes
    -----
    Exact for normal rows with the given covariance, whatever the means of the single rows. Without one it is exact if
    all rows of the two clusters have the same law under the null, rows of other clusters being arbitrary. A true
    difference then counts twice, in T and in the scatter that is conditioned on, so that the test needs a larger one
    than with a known covariance. "spherical" needs less, but rejects too often
    where columns differ in spread or are correlated. Never pass a covariance estimated from X as if it were known.

    Normal rows never tie. Rounded or discrete ones do: where the data are on an end of (4), because points could as
    well have gone to another cluster, the p-value is 1, and a note says so. In 1000 simulations of 100 rows rounded
    to a tenth of their standard deviation 2.8 % were rejected at 5 %, of 30 rows rounded to whole ones 9.3 %.

    Iterated methods are handled by conditioning on the whole path, which is valid and loses some power. If the method
    stopped as labels repeated, pass the repeated labels as the last step: the stop is part of the selection. One dive
    into an interval costs O(n k + k^3), usually some dozens.

    References
    ----------
    Gao, Bien and Witten (2022), Selective inference for hierarchical clustering. Chen and Witten (2023), Selective
    inference for k-means clustering. Yun and Foygel Barber (2023), Selective inference for clustering with unknown
    variance, for "spherical"; an unknown S generalises it from the t to Hotelling's T^2.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.stats import selective_mean_test
    >>> x = np.array([[-2.0], [-1.1], [-0.3], [0.4], [0.9], [1.8]])
    >>> result = selective_mean_test(x, [0, 0, 0, 1, 1, 1], [[-1.0], [1.0]], covariance=1.0)
    >>> round(result.naive_pvalue, 3), round(result.pvalue, 3)
    (0.008, 0.11)
    >>> round(selective_mean_test(x, [0, 0, 0, 1, 1, 1], [[-1.0], [1.0]]).pvalue, 2)  # variance unknown
    0.33
    """
    points = finite_numbers(X, "X", 2)
    path = _path(labels, len(points))
    first = _sites(sites, points, site_rows)
    k = len(first)
    one_of(objective, "objective", ("lsa", "csa"))
    if objective == "csa" and len(path) > 1:
        raise InvalidInputError(
            "objective='csa' is for one step with fixed sites: normalised sums are not linear in the data"
        )
    # data move along one curve, on which everything but the statistic stays as it is (3)
    bounds = _bounds(path, k, lower, upper)
    first_rows, second_rows = two_clusters(path[-1], clusters)
    nu = first_rows / first_rows.sum() - second_rows / second_rows.sum()  # (1)
    curve, notes = _curve(points, nu, covariance)
    if len(path) > 1 and not np.array_equal(path[-1], path[-2]):
        notes.append("the path ends without repeated labels: taken as a number of steps fixed in advance")
    # (4): every step cuts the set of parameters down to where its labels are optimal
    intervals = np.array([curve.ends])
    for step, current in enumerate(path):
        moved_sites = _moved_sites(step, path, curve, first, site_rows)
        q = _preferences(curve, moved_sites, current, objective)
        intervals = _refine(q, current, bounds, intervals, curve, step)
    intervals = _merged(intervals, curve.here)
    # data on an end of the set would have probability 0 unless points tie
    ends = intervals[~np.isin(intervals, curve.ends)]
    tied = bool((np.abs(ends - curve.here) <= TIED * curve.width).any())
    if tied:
        notes.append("points tie between clusters, as in rounded data: the law does not cover ties, the p-value is 1")
    a, b = clusters
    along = "" if curve.degrees is None else ", all their rows being alike"  # it conditions on their scatter, too
    null = f"clusters {a} and {b} have equal means{along}"
    return SelectiveTest(
        curve.statistic,
        1.0 if tied else curve.pvalue(intervals),
        curve.naive_pvalue(),
        (int((path[-1] == a).sum()), int((path[-1] == b).sum())),
        curve.statistics(intervals),
        float(curve.scale),
        null,
        null.replace("equal", "different"),
        tuple(notes),
    )


def _curve(points, nu, covariance):
    """The curve of (3) or (8) and notes on the covariance."""
    if covariance is None or isinstance(covariance, str):
        one_of(covariance, "covariance", (None, "spherical"))
        shape = "" if covariance is None else ", of the shape s^2 I"
        notes = [f"covariance unknown{shape}: estimated from the two clusters, which the law of the p-value allows for"]
        return circle(points, nu, None if covariance is None else "spherical"), notes
    return line(points, nu, covariance_matrix(covariance, points.shape[1], "covariance")), []


def _moved_sites(step, path, curve, first, site_rows):
    """Sites of a step times the curve's unit: (degree + 1, k, d)."""
    if step == 0:
        return curve.unit[:, None, None] * first if site_rows is None else curve.points[:, np.asarray(site_rows)]
    member = (path[step - 1] == np.arange(len(first))[:, None]).astype(np.float64)
    sizes = member.sum(axis=1, keepdims=True)
    if (sizes == 0).any():
        raise InvalidInputError(
            f"cluster {int(np.argmin(sizes))} is empty in step {step}: the next step has no mean for it"
        )
    return member @ curve.points / sizes


def _preferences(curve, sites, labels, objective):
    """Gamma of the own cluster minus gamma_j times the squared unit: coefficients of 1, t, ... (n, k, 5)."""
    here = curve.here ** np.arange(len(curve.unit))
    centre = np.tensordot(here, curve.points.mean(axis=1), 1) / (here @ curve.unit)
    centre = curve.unit[:, None, None] * (centre if objective == "lsa" else np.zeros_like(centre))
    x, a = curve.points - centre, sites - centre
    gamma = np.zeros((x.shape[1], a.shape[1], 5))
    for left in range(len(x)):
        for right in range(len(a)):
            product = x[left] @ a[right].T
            gamma[:, :, left + right] += 2.0 * product if objective == "lsa" else product
            if objective == "lsa":
                gamma[:, :, left + right] -= (a[left] * a[right]).sum(axis=1)
    return np.ascontiguousarray(gamma[np.arange(len(gamma)), labels][:, None, :] - gamma)


def _refine(q, labels, bounds, intervals, curve, step):
    """The part of the intervals of t on which the labels of a step are optimal."""
    sizes = np.bincount(labels, minlength=q.shape[1])
    grows, shrinks = sizes < bounds[1], sizes > bounds[0]
    if not len(optimal_set(q, labels, grows, shrinks, curve.here, curve.here, np.inf, 1e-7)):
        raise InvalidInputError(
            f"labels of step {step + 1} are not optimal for their sites and bounds: pass the labels of every step, "
            "the sites of the first one, and the bounds that were used"
        )
    kept = [optimal_set(q, labels, grows, shrinks, a, b, curve.width, RELATIVE) for a, b in intervals]
    return np.concatenate(kept) if kept else np.empty((0, 2))


def _merged(intervals, here):
    """Sorted intervals, joined where they touch; the t of the data themselves always belongs to the set."""
    parts = sorted([(float(a), float(b)) for a, b in intervals] + [(here, here)])
    joined = [parts[0]]
    for a, b in parts[1:]:
        if a <= joined[-1][1] + 1e-12 * max(1.0, abs(a)):
            joined[-1] = (joined[-1][0], max(joined[-1][1], b))
        else:
            joined.append((a, b))
    return np.array(joined)


def _path(labels, n):
    array = as_array(labels, "labels")
    if array.ndim not in (1, 2):
        raise InvalidInputError(
            f"labels has shape {array.shape}, expected (n,) or (T, n): pass the labels of every step"
        )
    path = [cluster_numbers(row, "labels") for row in (array[None, :] if array.ndim == 1 else array)]
    for row in path:
        same_length(X=np.empty(n), labels=row)
    if not path:
        raise InvalidInputError("labels has no step: pass the labels of at least one")
    return path


def _sites(sites, points, site_rows):
    first = finite_numbers(sites, "sites", 2)
    if first.shape[1] != points.shape[1]:
        raise InvalidInputError(f"sites have {first.shape[1]} columns, X has {points.shape[1]}: pass sites (k, d)")
    if site_rows is not None:
        rows = cluster_numbers(site_rows, "site_rows")
        if rows.size != len(first) or rows.max() >= len(points) or not np.allclose(points[rows], first):
            raise InvalidInputError("site_rows must name, for each site, the row of X that it equals")
    return first


def _bounds(path, k, lower, upper):
    sizes = np.array([np.bincount(row, minlength=k) for row in path])
    if sizes.shape[1] > k:
        raise InvalidInputError(f"labels name cluster {sizes.shape[1] - 1}, but there are {k} sites")
    if (sizes != sizes[0]).any() and (lower is None or upper is None):
        raise InvalidInputError("cluster sizes change between steps: pass the size bounds lower and upper")
    low = sizes[0] if lower is None else per_cluster(lower, k, "lower")
    high = sizes[0] if upper is None else per_cluster(upper, k, "upper")
    if (sizes < low).any() or (sizes > high).any():
        raise InvalidInputError(f"cluster sizes {sizes.tolist()} leave the bounds lower={lower!r}, upper={upper!r}")
    return low, high
