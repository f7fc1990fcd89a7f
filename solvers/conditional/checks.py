"""Checks of parameters that conditional clustering and its relatives share: one clear line each."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.errors import InvalidInputError


def check_positive(estimator: Any, *names: str) -> None:
    """Refuse parameters that are not integers of at least 1."""
    for name in names:
        value = getattr(estimator, name)
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
            raise InvalidInputError(f"{name}={value!r} is not usable: pass an integer of at least 1")


def check_clusters(n_clusters: int, n: int) -> None:
    """Refuse a single point, and more clusters than points."""
    if n < 2:
        raise InvalidInputError(f"n_samples={n} is too few: dependence is measured between at least two points")
    if n_clusters > n:
        raise InvalidInputError(f"n_clusters={n_clusters} exceeds n_samples={n}: ask for at most one cluster a point")


def check_weight(name: str, value: Any) -> None:
    """Refuse a weight that is not a number of at least 0."""
    if isinstance(value, bool) or not (
        isinstance(value, (int, float, np.number)) and np.isfinite(value) and value >= 0
    ):
        raise InvalidInputError(f"{name}={value!r} is not usable: pass a number of at least 0")


def check_exact(estimator: Any, n: int, what: str = "rows") -> None:
    """Refuse more rows, or what else is counted, than the method holds square matrices for."""
    if n > estimator.max_exact:
        raise InvalidInputError(
            f"X has {n} {what}, max_exact={estimator.max_exact}: {type(estimator).__name__} holds square matrices; "
            "use KCC or raise max_exact"
        )
