"""scikit-learn's checks of what estimators are given, after our own: it reads masked entries as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arrays import as_array, refuse_masked

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def validate_data(estimator: BaseEstimator, X: ArrayLike, y: Any = "no_validation", **options: object) -> Any:
    """X (n, d), or X and y (n,), as scikit-learn's `validate_data` checks them with these options."""
    from sklearn.utils.validation import validate_data as validate

    refuse_masked(X, "X")
    refuse_masked(y, "y")
    return validate(estimator, X, y, **options)


def sample_weights(weights: ArrayLike | None, n: int) -> NDArray[np.float64]:
    """Non-negative weights (n,), 1 where none are given, as scikit-learn checks them."""
    from sklearn.utils.validation import _check_sample_weight

    given: Any = weights if weights is None or np.isscalar(weights) else as_array(weights, "sample_weight")
    return _check_sample_weight(given, np.broadcast_to(0.0, (n, 1)), dtype=np.float64, ensure_non_negative=True)
