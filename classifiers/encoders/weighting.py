"""Least-squares weighting: columns count as much as they say about the target.

    (1)  b0, b  in  argmin  sum_j ( y_j - b0 - b . x_j )^2          of smallest |b|
    (2)  x_jf  ->  b_f x_jf

optionally with b >= 0 in (1).

Applied after conditional-mean encoding, b_f is the weight of feature f in the linear estimate of
E(Y | X_1, ..., X_d) from the one-dimensional E(Y | X_f) (dissertation, section 4.6 and Algorithm 9). The sign of
b_f mirrors an axis, which no distance or norm notices.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import nnls
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from ...base.atomic_fit import AtomicFit
from ...base.checks import require_target, validate_data
from .conditional_mean import targets_of


@dataclass(eq=False, repr=False, kw_only=True)
class LeastSquaresWeighting(AtomicFit, OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Multiply every column by its least-squares coefficient.

    Parameters
    ----------
    nonnegative : bool, default False
        Least squares under b >= 0 in place of ordinary least squares. After conditional-mean encoding a
        negative coefficient says that large values of E(Y | X_f) go with small y, which only chance or
        another column's overlap can bring about; here such columns get weight 0 and leave the distances.

    Attributes
    ----------
    coefficients_ : (d,) ndarray
        Weights of the columns.
    n_features_in_ : int
        Number of columns of X.

    Notes
    -----
    Exact; O(n d^2). Among collinear columns least squares is not unique: the coefficients of smallest norm are
    taken, which share the weight among copies of a column (under ``nonnegative`` one of the copies may get it
    all); constant columns get 0. More than two classes: one
    regression for the indicator of each class, and the weight is the root mean square of its C coefficients.

    References
    ----------
    The dissertation, section 4.6.

    Examples
    --------
    >>> from partitope.classifiers import LeastSquaresWeighting
    >>> LeastSquaresWeighting().fit([[0.0, 5.0], [1.0, 5.0]], [0, 1]).coefficients_
    array([1., 0.])
    """

    nonnegative: bool = False
    stored: ClassVar[tuple[str, ...]] = ("coefficients_",)

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Regress y (n,), classes or a continuous quantity, on the columns of X (n, d)."""
        require_target(self, y)
        X, y = validate_data(self, X, y, dtype=np.float64)
        _, targets = targets_of(np.asarray(y))
        points = np.asarray(X)
        centred = points - points.mean(axis=0)
        spread = np.abs(centred).max(axis=0)
        centred[:, spread <= 1e-12 * np.abs(points).max(axis=0)] = 0.0  # constant up to rounding
        aim = targets - targets.mean(axis=0)
        if self.nonnegative:
            solution = np.column_stack([nnls(centred, column)[0] for column in aim.T])
        else:
            solution = np.linalg.lstsq(centred, aim, rcond=None)[0]
        single = solution.shape[1] == 1
        self.coefficients_ = solution[:, 0] if single else np.sqrt((solution**2).mean(axis=1))
        return self

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """Weighted columns (n, d)."""
        check_is_fitted(self)
        return validate_data(self, X, reset=False, dtype=np.float64) * self.coefficients_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
