"""How large numbers are: those whose scores would overflow are refused by name, others divided by powers of two."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.errors import InvalidInputError

LARGEST = 1e150  # Largest absolute coordinate, score or total weight: products summed stay below 1e308.


def powers_of_two(values: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """The least powers of two that are at least these numbers; 1 for zeros. Dividing by them does not round."""
    return np.asarray(np.exp2(np.ceil(np.log2(np.where(np.greater(values, 0), values, 1.0)))))


def magnitude(values: NDArray[np.floating]) -> float:
    """Largest absolute value; NaN when there is one."""
    return float(np.maximum(values.max(), -values.min())) if values.size else 0.0


def refuse_large(name: str, largest: float) -> None:
    """Raise when the largest absolute value of an argument is beyond `LARGEST`."""
    if not largest <= LARGEST:  # NaN too
        raise InvalidInputError(f"{name} reaches {largest:.3g}, expected at most {LARGEST:g}: rescale {name}")


def refuse_large_products(X: Any, squared: bool = True, **factors: NDArray[np.float64]) -> None:
    """Raise when scores of the points X (n, d), by sites and other factors given by name, are beyond `LARGEST`."""
    d, sizes = max(X.shape[1], 1), {name: magnitude(values) for name, values in factors.items()}
    if hasattr(X, "nnz"):
        X = X.data[:, None]
    with np.errstate(over="ignore"):
        bound = float(np.sqrt(np.einsum("jd,jd->", X, X)))
    name, score = _largest_product(bound, sizes, d, squared)
    if score > LARGEST:
        sizes["X"] = magnitude(X)
        name, score = _largest_product(sizes["X"], sizes, d, squared)
    if score > LARGEST:
        raise InvalidInputError(
            f"{name} reaches {sizes[name]:.3g}, scores or squared distances {score:.3g}, expected at most {LARGEST:g}: "
            f"rescale the data"
        )


def _largest_product(x: float, factors: dict[str, float], d: int, squared: bool) -> tuple[str, float]:
    """The argument with the largest values, and a bound on sums of d products or of d squared differences."""
    sizes = factors | {"X": x}
    name = max(sizes, key=lambda key: sizes[key])
    largest = sizes[name]
    other = largest if squared else max((size for key, size in factors.items() if key != "X"), default=1.0)
    return name, max(8.0 * d * (largest if squared else x) * other, largest)
