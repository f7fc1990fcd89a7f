"""What the covariates do not explain: the residual operator of kernel ridge regression on them.

    P = H - M = H - Q diag(g) Q',   g = (l / (l + eps))^2,   Kc = Q diag(l) Q'                                    (1)

Kc is the centred Gram matrix of the covariates. P is symmetric, P 1 = 0, and R K R with R = I - M, centred, is P K P.
When the covariates have c distinct rows, Q = Z B with the indicators Z (n, c) of the rows and B (c, r) from a c x c
eigenproblem: exact, O(n + c r) per vector, and no n x n matrix. For one categorical covariate and a small eps, P
subtracts the mean of every level. With more than ``max_exact`` distinct rows Kc is replaced by its Nystrom
approximation from landmark rows, Q (n, r) with r at most their number.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import eigh

from ...base.checks import as_number
from ...base.errors import InvalidInputError
from .covariates import CovariateEncoder, CovariateRules, CovariateTable

AUTO_SHARE = 0.02  # The automatic eps for real covariates keeps the trace of M below this times n.
DEFAULT_EPS = 1e-8  # Ridge for categorical covariates, and the smallest one for real covariates.
AUTO_GRID = DEFAULT_EPS * 10.0 ** (0.5 * np.arange(40))  # Values of eps to choose from, two per power of ten.


class ExplainedAwayWarning(UserWarning):
    """The regression on the covariates may explain the clusters away."""


@dataclass(frozen=True, eq=False)
class CovariateBasis:
    """The columns of Q as functions of covariates."""

    encoder: CovariateRules  # How covariates are read.
    anchors: CovariateTable  # Distinct rows or landmarks, a of them.
    offset: NDArray[np.float64]  # (a,): Mean of the kernel between all training rows and the anchors.
    transform: NDArray[np.float64]  # (a, r): From centred kernel values to rows of Q.

    def coordinates(self, table: CovariateTable) -> NDArray[np.float64]:
        """Rows of Q, shape (m, r), extended to the covariates of m new points."""
        return (self.encoder.kernel(table, self.anchors) - self.offset) @ self.transform


@dataclass(frozen=True, eq=False)
class Residual(CovariateBasis):
    """The operator P of (1), and the basis Q for new points."""

    indicator: sp.csr_array  # (n, c): Z; None with landmarks, where ``basis`` is Q itself.
    basis: NDArray[np.float64]  # (c, r): B or Q
    gains: NDArray[np.float64]  # (r,): g
    eps: float  # The value used, also where it was chosen by rule.

    @property
    def explained(self) -> float:
        """Trace of M, the number of dimensions that the covariates take."""
        return float(self.gains.sum())

    def project(self, V: NDArray[np.float64]) -> NDArray[np.float64]:
        """Q'V, shape (r, m), for V (n, m)."""
        return self.basis.T @ (V if self.indicator is None else self.indicator.T @ V)

    def apply(self, V: NDArray[np.float64]) -> NDArray[np.float64]:
        """P V for V (n, m)."""
        explained = self.basis @ (self.gains[:, None] * self.project(V))
        return V - V.mean(axis=0) - (explained if self.indicator is None else self.indicator @ explained)

    def both_sides(self, K: NDArray[np.float64]) -> NDArray[np.float64]:
        """P K P for a symmetric K (n, n), exactly symmetric."""
        L = self.apply(self.apply(K).T)
        return 0.5 * (L + L.T)

    @property
    def covariate_basis(self) -> CovariateBasis:
        """What new points are projected with; of the training rows only the anchors are kept."""
        return CovariateBasis(self.encoder, self.anchors, self.offset, self.transform)


def residual_of(
    encoder: CovariateEncoder,
    table: CovariateTable,
    eps: float | Literal["auto"],
    max_exact: int,
    n_landmarks: int,
    rng: np.random.RandomState,
) -> Residual:
    """The residual operator of encoded covariates; warns when they explain more than a quarter of everything."""
    if not (isinstance(eps, str) and eps == "auto") and not 0.0 < as_number(eps) < np.inf:
        raise InvalidInputError(f"eps={eps!r} is not usable: pass a positive number or 'auto'")
    n = len(table)
    representatives, codes = table.distinct()
    indicator = None
    if len(representatives) <= max_exact:
        anchors = table.take(representatives)
        offset, values, basis, back = _exact_basis(encoder.kernel(anchors, anchors), codes)
        indicator = sp.csr_array((np.ones(n), (np.arange(n), codes)), shape=(n, len(anchors)))
    else:
        anchors = table.take(rng.choice(n, min(n_landmarks, n), replace=False))
        offset, values, basis, back = _nystrom_basis(encoder.kernel(anchors, anchors), encoder.kernel(table, anchors))
    values = np.maximum(values, 0.0)
    chosen = DEFAULT_EPS if isinstance(eps, str) else float(eps)
    if isinstance(eps, str) and table.reals.shape[1]:  # levels need no smoothing: their number is what they explain
        chosen = automatic_eps(values, n)
    gains = (values / (values + chosen)) ** 2
    kept = (gains > 1e-12) & (values > 1e-15 * len(values) * values.max())  # the rest is rounding
    residual = Residual(
        encoder.rules, anchors, offset, back[:, kept] / values[kept], indicator, basis[:, kept], gains[kept], chosen
    )
    if residual.explained > 0.25 * n:
        warnings.warn(
            f"the covariates explain {residual.explained:.0f} of {n} dimensions at eps={chosen:g}, so clusters may be "
            "explained away with them: pass eps='auto' or a larger eps, and covariate_type='real' for numbers",
            ExplainedAwayWarning,
            stacklevel=2,
        )
    return residual


def _exact_basis(K: NDArray[np.float64], codes: NDArray[np.int64]) -> tuple[NDArray[np.float64], ...]:
    """Offset (c,), eigenvalues (c,), eigenvectors by row kind (c, c) and their extension (c, c) to new points."""
    n, counts = len(codes), np.bincount(codes).astype(np.float64)
    offset = counts @ K / n
    centred = K - offset - offset[:, None] + counts @ offset / n
    root = np.sqrt(counts)
    values, vectors = eigh(root[:, None] * centred * root)
    # the constant vector mixes with eigenvectors of tiny eigenvalues: centre them again
    vectors = vectors - np.outer(root, root @ vectors) / n
    return offset, values, vectors / root[:, None], vectors * root[:, None]  # the last is Z'Q


def _nystrom_basis(K: NDArray[np.float64], features: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """The same from landmarks: Gram matrix K (m, m) and kernels of all rows with them (n, m), which are overwritten."""
    factor, offset = nystrom_factor(K), features.mean(axis=0)
    features -= offset
    features = features @ factor
    values, vectors = eigh(features.T @ features)
    vectors, values = vectors[:, values > 1e-12 * values[-1]], values[values > 1e-12 * values[-1]]
    return offset, values, features @ (vectors / np.sqrt(values)), factor @ vectors * np.sqrt(values)


def automatic_eps(values: NDArray[np.float64], n: int) -> float:
    """Smallest half power of ten from 1e-8 at which eigenvalues (r,) explain at most `AUTO_SHARE` of n dimensions."""
    ceiling = max(0.05 * float(values.max()), DEFAULT_EPS)
    for eps in AUTO_GRID[ceiling > AUTO_GRID]:
        if ((values / (values + eps)) ** 2).sum() <= AUTO_SHARE * n:
            return float(eps)
    return ceiling


def nystrom_factor(K: NDArray[np.float64]) -> NDArray[np.float64]:
    """A matrix F (m, r) with F F' the pseudo-inverse of the landmarks' Gram matrix K (m, m)."""
    values, vectors = eigh(K)
    kept = values > 1e-10 * values[-1]
    return vectors[:, kept] / np.sqrt(values[kept])
