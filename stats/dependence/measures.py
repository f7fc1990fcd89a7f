"""Dependence and conditional dependence measured by kernels, with permutation tests.

    HSIC(x, y)         = tr(Kx Ky) / (n - 1)^2                         Kx, Ky centred Gram matrices
    HSCONIC(x, y | z)  = tr(R Kx R Ky) / (n - 1)^2                     R = I - M
                         M = A A',  A = Kz (Kz + eps I)^-1

M is computed from the eigenvalues l of Kz, as Q diag((l / (l + eps))^2) Q': it is symmetric with eigenvalues in [0, 1]
by construction. R = Q diag(eps (2 l + eps) / (l + eps)^2) Q' is not subtracted, so that what z explains leaves no
rounding behind. The slope of l -> (l / (l + eps))^2 is at most 8 / (27 eps), at l = eps / 2, so that an error E of Kz,
and with it every rounding, moves R by at most 8 |E| / (27 eps) in the Frobenius norm: HSCONIC is known up to

    n u (1 + |Kz| / eps) |Kx| |Ky| / (n - 1)^2       times a small constant, u the machine's precision 1.1e-16,

and so is the formula with an inverse, while n u |Kz| / eps is far below 1. With eps = 1e-8 and |Kz| = n it shows
where HSCONIC is below 1e-8 n^2 of |Kx| |Ky| / (n - 1)^2: almost everything is explained, and the value is as good as 0.

For a categorical z and a small eps M is the projector on the centred indicators of the levels. Both traces are at
least 0. In the permutation test of HSIC the rows of y are permuted freely; in that of HSCONIC only among rows that
share a level, or a neighbourhood, of z, which keeps the dependence on z as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh

from ...base.checks import as_floats, in_interval, random_generator, whole_number
from ...base.errors import InvalidInputError
from ...base.one_line import OneLine
from .kernels import Kernel, as_columns, centred_gram

NEIGHBOURS = 16  # Rows of a neighbourhood at most.


@dataclass(frozen=True, eq=False, repr=False)
class DependenceResult(OneLine):
    """A kernel measure of dependence and its permutation test.

    Attributes
    ----------
    statistic : float
        HSIC or HSCONIC, at least 0.
    pvalue : float
        (1 + number of permuted values >= statistic) / (1 + n_permutations); nan without permutations.
    n : int
        Rows that were compared.
    permuted : (n_permutations,) ndarray
        The permuted values.
    null, alternative : str
        The hypotheses.
    """

    statistic: float
    pvalue: float
    n: int
    permuted: NDArray[np.float64] = field(repr=False)
    null: str = "x and y are independent"
    alternative: str = "x and y are dependent"

    def __float__(self) -> float:
        return self.statistic


def hsic(
    x: ArrayLike,
    y: ArrayLike,
    z: ArrayLike | None = None,
    *,
    kernel_x: Kernel = "rbf",
    kernel_y: Kernel = "rbf",
    kernel_z: Kernel = "rbf",
    eps: float = 1e-8,
    n_permutations: int = 0,
    random_state: int | None = 0,
) -> DependenceResult:
    """Dependence of two tables: the Hilbert-Schmidt independence criterion; given a third table, HSCONIC.

    Parameters
    ----------
    x, y : (n,) or (n, d) array_like, or (n, n) for a precomputed kernel
        Two tables with the same rows.
    z : (n,) or (n, d) array_like, or (n, n), optional
        Given it, the dependence of x and y that z does not explain is measured.
    kernel_x, kernel_y, kernel_z : {"rbf", "linear", "categorical", "precomputed"} or callable
        Their kernels; the rbf width is the median heuristic's.
    eps : float
        Regularisation of the regression on z, absolute; larger values explain less away.
    n_permutations : int
        Size of the permutation test; 0 computes the statistic only. Rows are permuted freely, or among those with an
        equal z (categorical) or a similar one (at most 16 neighbouring rows otherwise).
    random_state : int or None
        Seed of the permutations.

    Returns
    -------
    DependenceResult

    Raises
    ------
    InvalidInputError
        When lengths differ, a table is constant or has missing values, or a kernel or a number is not usable.

    Notes
    -----
    Biased (V-statistic) estimate, exact for the data. O(n^2) memory and time per permutation, and O(n^3) once with z.
    The permutation test is exact without z and for a categorical z, and approximate otherwise, as rows of one
    neighbourhood differ a little in z.

    References
    ----------
    Gretton, Bousquet, Smola and Schoelkopf (2005), Measuring statistical dependence with Hilbert-Schmidt norms.
    Fukumizu, Gretton, Sun and Schoelkopf (2008), Kernel measures of conditional dependence.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.stats import hsic
    >>> rng = np.random.default_rng(0)
    >>> z = np.repeat([0.0, 4.0], 50)
    >>> x, y = z + rng.normal(size=100), z + rng.normal(size=100)
    >>> hsic(x, y, n_permutations=99).pvalue
    0.01
    >>> hsic(x, y, z, kernel_z="categorical", n_permutations=99).pvalue > 0.1
    True
    """
    whole_number(n_permutations, "n_permutations", least=0)
    Kx, Ky = (centred_gram(v, k, name) for v, k, name in ((x, kernel_x, "x"), (y, kernel_y, "y")))
    if z is None:
        n = _same_length(x=Kx, y=Ky)
        return _test(Kx, Ky, [np.arange(n)], n_permutations, random_state)
    Kz = centred_gram(z, kernel_z, "z")
    _same_length(x=Kx, y=Ky, z=Kz)
    in_interval(eps, "eps", 0.0, np.inf)
    values, vectors = eigh(0.5 * (Kz + Kz.T))
    # rounding hides the smallest ones, the negative ones too
    values[values <= len(values) * np.finfo(values.dtype).eps * values[-1]] = 0.0
    R = (vectors * (eps * (2.0 * values + eps) / (values + eps) ** 2)) @ vectors.T
    groups = _neighbourhoods(as_columns(z, "z"), kernel_z) if n_permutations else []
    return _test(R @ Kx @ R, Ky, groups, n_permutations, random_state, explained_from=Kx)


def _same_length(**grams: NDArray[np.float64]) -> int:
    lengths = {name: len(K) for name, K in grams.items()}
    if len(set(lengths.values())) > 1:
        text = ", ".join(f"{name} has {n}" for name, n in lengths.items())
        raise InvalidInputError(f"rows do not agree: {text}; pass tables of one length")
    return lengths["x"]


def _test(
    Kx: NDArray[np.float64],
    Ky: NDArray[np.float64],
    groups: list[NDArray[np.int64]],
    n_permutations: int,
    random_state: int | None,
    explained_from: NDArray[np.float64] | None = None,
) -> DependenceResult:
    """Trace of Kx Ky and its distribution when the rows of Ky move within the groups."""
    n = len(Kx)
    if n < 2:
        raise InvalidInputError("x has 1 row, expected at least 2: dependence needs several rows")
    rng = random_generator(random_state)
    scale = 1.0 / (n - 1) ** 2
    statistic = float(np.vdot(Kx, Ky)) * scale
    size = np.linalg.norm(Kx if explained_from is None else explained_from) * np.linalg.norm(Ky)
    rounding = n * np.finfo(float).eps * float(size) * scale
    statistic = 0.0 if -rounding <= statistic < 0.0 else statistic
    permuted = np.empty(n_permutations)
    for step in range(n_permutations):
        order = np.arange(n)
        for members in groups:
            order[members] = rng.permutation(members)
        permuted[step] = float(np.vdot(Kx, Ky[np.ix_(order, order)])) * scale
    # values that differ by rounding only count as equal
    exceeding = int((permuted >= statistic - rounding).sum())
    pvalue = (1 + exceeding) / (1 + n_permutations) if n_permutations else float("nan")
    given = "" if explained_from is None else " given z"
    return DependenceResult(
        statistic, pvalue, n, permuted, f"x and y are independent{given}", f"x and y are dependent{given}"
    )


def _neighbourhoods(z: NDArray, kernel: Kernel) -> list[NDArray[np.int64]]:
    """Groups of row numbers with equal or similar z: levels, or the leaves of a tree of median splits."""
    if kernel == "categorical":
        codes = np.unique(np.array([str(row) for row in z.tolist()]), return_inverse=True)[1]
        return [np.flatnonzero(codes == code) for code in range(codes.max() + 1)]
    values = as_floats(z, "z")
    pending, leaves = [np.arange(len(values))], []
    while pending:
        rows = pending.pop()
        spread = values[rows].max(axis=0) - values[rows].min(axis=0)
        if len(rows) <= NEIGHBOURS or not spread.any():
            leaves.append(rows)
            continue
        order = rows[np.argsort(values[rows, spread.argmax()], kind="stable")]
        pending += [order[: len(order) // 2], order[len(order) // 2 :]]
    return leaves
