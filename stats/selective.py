"""Selective test of the difference of two cluster means: inference after the clustering was seen.

Rows x_1..x_n are independent, x_j ~ N(m_j, S). With nu = 1_a / n_a - 1_b / n_b for clusters a, b of the partition,

    (1)  null          sum_j nu_j m_j = 0                   difference D = X' nu ~ N(0, |nu|^2 S)
    (2)  statistic     T = sqrt(D' S^-1 D), T / |nu| ~ chi_d,   or with a direction v: T = v'D ~ N(0, |nu|^2 v'S v)
    (3)  line          X(phi) = X + (phi - T) nu r' / |nu|^2,   r = D / T, or r = S v / v'S v;   X(T) = X
    (4)  truth set     Phi = { phi : X(phi) leads to the same labels as X, step by step }
    (5)  p-value       P(phi >= T | phi in Phi) under (2); for a direction P(|phi| >= |T| | phi in Phi)

Given X outside the line (3), phi alone is random, and independent of the rest: (5) is uniform under (1) given the
labels. A test that ignores (4) rejects far too often, as the clusters were made to differ.

Phi is known exactly, as every step of a size-bounded clustering is an assignment with a certificate. Its labels are
optimal for scores gamma if and only if prices mu exist with mu_i - mu_j <= w_ij, w_ij the least gamma_i(x) -
gamma_j(x) in cluster i (and mu_i <= 0 where cluster i may grow, mu_i >= 0 where it may shrink). Along (3)

    (6)  sites fixed in advance (step 1): gamma is linear in phi, and with it every w_ij: Phi is one interval,
         the projection of a polyhedron in (phi, mu);
    (7)  sites that are means of the previous labels (later steps): gamma_i(x) - gamma_j(x) is quadratic in phi.

Prices are eliminated: they exist if and only if no cycle of w is negative.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._selective_kernels import optimal_set
from ._truncated import log_mass
from .checks import codes, numbers, one_of, same_length

REACH = 40.0  # standard deviations beyond which no mass is left
WIDTH = 1e-10  # shortest interval, in standard deviations
RELATIVE = 1e-10  # cycles above minus this share of the gaps count as not negative


@dataclass(frozen=True, eq=False)
class SelectiveTest:
    """Outcome of `selective_mean_test`.

    Attributes
    ----------
    statistic : float
        T of (2).
    pvalue : float
        Selective p-value (5).
    naive_pvalue : float
        What the test would be without (4); for comparison only, it is not valid.
    n : (int, int)
        Sizes of the two clusters.
    intervals : (m, 2) ndarray
        Phi of (4), cut off where no mass is left.
    scale : float
        Standard deviation |nu| (times that of v'x for a direction) of (2).
    null, alternative : str
        The hypotheses.
    notes : tuple of str
        Estimated covariance, stopping rule.
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
    direction: ArrayLike | None = None,
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
    covariance : float or (d, d) array_like, optional
        S, or the variance of every coordinate. By default the variance of X about its mean is used, the same for all
        coordinates: too large if clusters do differ, so that the test becomes conservative.
    direction : (d,) array_like, optional
        v: test the difference along one direction, chosen without looking at X, by a truncated normal law.
    objective : {"lsa", "csa"}
        Scores of the assignment: least squares, or inner products with the sites. "csa" is for one step.
    site_rows : (k,) array_like of int, optional
        Rows of X that served as first sites; they then move with X(phi).

    Returns
    -------
    SelectiveTest

    Raises
    ------
    ValueError
        When shapes, bounds or the covariance are not usable, a cluster is empty, or labels are not optimal for their
        sites, so that no assignment step can have produced them.

    Notes
    -----
    Exact for normal rows with the given covariance. Iterated methods are handled by conditioning on the whole path,
    which is valid and loses some power. If the method stopped as labels repeated, pass the repeated labels as the
    last step: the stop is part of the selection. One dive into an interval costs O(n k + k^3), usually some dozens.

    References
    ----------
    Gao, Bien and Witten (2022), Selective inference for hierarchical clustering. Chen and Witten (2023), Selective
    inference for k-means clustering.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.stats import selective_mean_test
    >>> x = np.array([[-2.0], [-1.1], [-0.3], [0.4], [0.9], [1.8]])
    >>> result = selective_mean_test(x, [0, 0, 0, 1, 1, 1], [[-1.0], [1.0]], covariance=1.0)
    >>> round(result.naive_pvalue, 3), round(result.pvalue, 3)
    (0.008, 0.11)
    """
    points, path = numbers(X, "X", 2), _path(labels, len(np.asarray(X)))
    first = _sites(sites, points, site_rows)
    k = len(first)
    one_of(objective, "objective", ("lsa", "csa"))
    if objective == "csa" and len(path) > 1:
        raise ValueError("objective='csa' is for one step with fixed sites: normalised sums are not linear in the data")
    bounds = _bounds(path, k, lower, upper)
    pair = _pair(path[-1], clusters)
    S, notes = _covariance(points, covariance)
    if len(path) > 1 and not np.array_equal(path[-1], path[-2]):
        notes.append("the path ends without repeated labels: taken as a number of steps fixed in advance")
    T, r, scale, law = _line(points, pair, S, direction)
    nu_squared = float(pair @ pair)
    shift = np.outer(pair / nu_squared, r)
    ends = (T + REACH * scale) if direction is None else (abs(T) + REACH * scale)
    intervals = np.array([[0.0 if direction is None else -ends, ends]]) - T
    for step, current in enumerate(path):
        A, B = _site_line(step, path, points, shift, first, site_rows, k)
        q = _preferences(points, shift, A, B, current, objective)
        intervals = _refine(q, current, bounds, intervals, scale, step)
    intervals = _merged(intervals) + T
    pvalue, naive = _pvalues(T, intervals, scale, points.shape[1], direction is None)
    a, b = clusters
    null = f"clusters {a} and {b} have equal means" + ("" if direction is None else " along the direction")
    return SelectiveTest(
        float(T), pvalue, naive, law, intervals, float(scale), null, null.replace("equal", "different"), tuple(notes)
    )


def _line(points, pair, S, direction):
    """T, r and the scale of (2) and (3), and the two cluster sizes."""
    D = points.T @ pair
    length = float(np.sqrt(pair @ pair))
    sizes = (int((pair > 0).sum()), int((pair < 0).sum()))
    if direction is None:
        T = float(np.sqrt(D @ np.linalg.solve(S, D)))
        if T == 0.0:
            raise ValueError("the two cluster means are equal: there is nothing to test")
        return T, D / T, length, sizes
    v = numbers(direction, "direction")
    if v.shape != D.shape or not v.any():
        raise ValueError(f"direction has shape {v.shape}, expected ({D.size},) and not zero")
    spread = float(v @ S @ v)
    return float(v @ D), S @ v / spread, length * np.sqrt(spread), sizes


def _site_line(step, path, points, shift, first, site_rows, k):
    """Sites of a step as A + t B, t = phi - T: two (k, d) arrays."""
    if step == 0:
        if site_rows is None:
            return first, np.zeros_like(first)
        rows = np.asarray(site_rows)
        return points[rows], shift[rows]
    member = (path[step - 1] == np.arange(k)[:, None]).astype(np.float64)
    sizes = member.sum(axis=1, keepdims=True)
    if (sizes == 0).any():
        raise ValueError(f"cluster {int(np.argmin(sizes))} is empty in step {step}: the next step has no mean for it")
    return member @ points / sizes, member @ shift / sizes


def _preferences(points, shift, A, B, labels, objective):
    """q (n, k, 3): gamma of the own cluster minus gamma_j, coefficients of 1, t, t^2.

    For least squares gamma_j = -|x - a_j|^2; the square of x is the same for all j and is left out, which also makes
    fixed sites linear. Everything is measured from the mean of the points.
    """
    centre = points.mean(axis=0) if objective == "lsa" else np.zeros(points.shape[1])
    x, a = points - centre, A - centre
    factor = 2.0 if objective == "lsa" else 1.0
    gamma = np.empty((len(points), len(A), 3))
    gamma[:, :, 0] = factor * x @ a.T
    gamma[:, :, 1] = factor * (x @ B.T + shift @ a.T)
    gamma[:, :, 2] = factor * shift @ B.T
    if objective == "lsa":
        gamma -= np.stack([(a * a).sum(1), 2 * (a * B).sum(1), (B * B).sum(1)], axis=1)
    return np.ascontiguousarray(gamma[np.arange(len(points)), labels][:, None, :] - gamma)


def _refine(q, labels, bounds, intervals, scale, step):
    """The part of the intervals, in t, on which the labels of a step are optimal."""
    sizes = np.bincount(labels, minlength=q.shape[1])
    grows, shrinks = sizes < bounds[1], sizes > bounds[0]
    if not len(optimal_set(q, labels, grows, shrinks, 0.0, 0.0, np.inf, 1e-7)):
        raise ValueError(
            f"labels of step {step + 1} are not optimal for their sites and bounds: pass the labels of every step, "
            "the sites of the first one, and the bounds that were used"
        )
    kept = [optimal_set(q, labels, grows, shrinks, a, b, WIDTH * scale, RELATIVE) for a, b in intervals]
    return np.concatenate(kept) if kept else np.empty((0, 2))


def _merged(intervals):
    """Sorted intervals, joined where they touch; t = 0, the data themselves, always belongs to the set."""
    parts = sorted([(float(a), float(b)) for a, b in intervals] + [(0.0, 0.0)])
    joined = [parts[0]]
    for a, b in parts[1:]:
        if a <= joined[-1][1] + 1e-12 * max(1.0, abs(a)):
            joined[-1] = (joined[-1][0], max(joined[-1][1], b))
        else:
            joined.append((a, b))
    return np.array(joined)


def _pvalues(T, intervals, scale, d, chi):
    """(5), and the p-value without truncation."""
    from scipy.stats import chi as chi_law
    from scipy.stats import norm

    z, size = intervals / scale, abs(T) / scale
    degrees = d if chi else None
    beyond = [np.column_stack([np.maximum(z[:, 0], size), z[:, 1]])]
    if not chi:
        beyond.append(np.column_stack([z[:, 0], np.minimum(z[:, 1], -size)]))
    tail = np.concatenate(beyond)
    tail = tail[tail[:, 1] > tail[:, 0]]
    naive = chi_law.sf(size, d) if chi else 2 * norm.sf(size)
    whole = log_mass(z, degrees)
    part = log_mass(tail, degrees) if len(tail) else -np.inf
    return (float(min(1.0, np.exp(part - whole))) if np.isfinite(whole) else 1.0), float(naive)


def _covariance(points, covariance):
    """S (d, d) and notes."""
    d = points.shape[1]
    if covariance is None:
        variance = float(((points - points.mean(axis=0)) ** 2).sum() / ((len(points) - 1) * d))
        if not variance > 0:
            raise ValueError("all rows of X are equal: there is nothing to test")
        return variance * np.eye(d), ["variance estimated about the common mean: conservative if clusters differ"]
    S = np.asarray(covariance, dtype=np.float64)
    S = S * np.eye(d) if S.ndim == 0 else S
    if S.shape != (d, d) or not np.allclose(S, S.T) or not (np.linalg.eigvalsh(S) > 0).all():
        raise ValueError(f"covariance must be a positive number or a ({d}, {d}) positive definite matrix")
    return S, []


def _path(labels, n):
    array = np.asarray(labels)
    path = [codes(row, "labels") for row in (array[None, :] if array.ndim == 1 else array)]
    for row in path:
        same_length(X=np.empty(n), labels=row)
    if not path:
        raise ValueError("labels has no step: pass the labels of at least one")
    return path


def _sites(sites, points, site_rows):
    first = numbers(sites, "sites", 2)
    if first.shape[1] != points.shape[1]:
        raise ValueError(f"sites have {first.shape[1]} columns, X has {points.shape[1]}: pass sites (k, d)")
    if site_rows is not None:
        rows = codes(site_rows, "site_rows")
        if rows.size != len(first) or rows.max() >= len(points) or not np.allclose(points[rows], first):
            raise ValueError("site_rows must name, for each site, the row of X that it equals")
    return first


def _bounds(path, k, lower, upper):
    sizes = np.array([np.bincount(row, minlength=k) for row in path])
    if sizes.shape[1] > k:
        raise ValueError(f"labels name cluster {sizes.shape[1] - 1}, but there are {k} sites")
    if (sizes != sizes[0]).any() and (lower is None or upper is None):
        raise ValueError("cluster sizes change between steps: pass the size bounds lower and upper")
    low = np.broadcast_to(sizes[0] if lower is None else np.asarray(lower), (k,))
    high = np.broadcast_to(sizes[0] if upper is None else np.asarray(upper), (k,))
    if (sizes < low).any() or (sizes > high).any():
        raise ValueError(f"cluster sizes {sizes.tolist()} leave the bounds {low.tolist()} .. {high.tolist()}")
    return low, high


def _pair(labels, clusters):
    """nu (n,) of (1)."""
    a, b = clusters
    first, second = labels == a, labels == b
    if a == b or not first.any() or not second.any():
        raise ValueError(f"clusters={clusters!r} are not usable: pass two different clusters that hold points")
    return first / first.sum() - second / second.sum()
