"""How many rows the methods that hold square matrices take."""

from __future__ import annotations

from typing import Any

from partitope.base.errors import InvalidInputError


def check_exact(estimator: Any, n: int, what: str = "rows") -> None:
    """Refuse more rows, or what else is counted, than the method holds square matrices for."""
    if n > estimator.max_exact:
        raise InvalidInputError(
            f"X has {n} {what}, max_exact={estimator.max_exact}: {type(estimator).__name__} holds square matrices; "
            "use KCC or raise max_exact"
        )
