"""Confidence intervals of a share such as an accuracy.

With s = correct / n and z the (1 + confidence) / 2 quantile of N(0, 1):

    normal    s +- z sqrt(s (1 - s) / n)
    wilson    (s + z^2 / 2n +- z sqrt(s (1 - s) / n + z^2 / 4n^2)) / (1 + z^2 / n)

The normal interval is the one of textbooks and of the published tables; it is cut at 0 and 1 and has length 0 at
s = 0 and s = 1, where it means nothing. Wilson's keeps its level there and for small n.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..base.checks import as_number, in_interval, one_of
from ..base.errors import InvalidInputError
from ..base.one_line import OneLine


@dataclass(frozen=True, repr=False)
class Interval(OneLine):
    """A share or an area, its standard error and its confidence interval; unpacks to (low, high).

    Attributes
    ----------
    low, high : float
        Ends of the interval, in [0, 1].
    estimate : float
        The share, correct / n, or the area.
    standard_error : float
        sqrt(s (1 - s) / n), or DeLong's.
    n : int or (int, int)
        Number of trials, or of points of class 1 and of class 0.
    confidence : float
        Nominal level.
    method : str
        "normal", "wilson" or "DeLong".
    """

    low: float
    high: float
    estimate: float
    standard_error: float
    n: int | tuple[int, int]
    confidence: float
    method: str

    def __iter__(self):
        """The two ends."""
        return iter((self.low, self.high))


def accuracy_interval(
    correct: int, n: int, confidence: float = 0.95, method: Literal["normal", "wilson"] = "normal"
) -> Interval:
    """Confidence interval of an accuracy, or any other share of independent trials.

    Parameters
    ----------
    correct : int
        Number of successes, 0..n.
    n : int
        Number of trials, at least 1.
    confidence : float
        Level in (0, 1).
    method : {"normal", "wilson"}
        Which interval.

    Returns
    -------
    Interval

    Raises
    ------
    InvalidInputError
        When counts are not integers with 0 <= correct <= n and n >= 1, or the level or method is not usable.

    Notes
    -----
    Approximate. The trials must be independent: folds of a cross-validation are not, see `corrected_t_test`.

    References
    ----------
    Wilson (1927), Probable inference, the law of succession, and statistical inference.

    Examples
    --------
    >>> from partitope.stats import accuracy_interval
    >>> low, high = accuracy_interval(12776, 15051)
    >>> f"{low:.4f} {high:.4f}"
    '0.8431 0.8546'
    """
    hits, trials = as_number(correct), as_number(n)
    if not (hits.is_integer() and trials.is_integer() and 0 <= hits <= trials and trials >= 1):
        raise InvalidInputError(
            f"correct={correct!r} of n={n!r} is not usable: pass integers with 0 <= correct <= n, n >= 1"
        )
    in_interval(confidence, "confidence", 0.0, 1.0)
    one_of(method, "method", ("normal", "wilson"))
    from scipy.special import ndtri

    s, z = correct / n, float(ndtri(0.5 + confidence / 2))
    error = float(np.sqrt(s * (1 - s) / n))
    if method == "normal":
        low, high = s - z * error, s + z * error
    else:
        centre, half = s + z**2 / (2 * n), z * float(np.sqrt(error**2 + z**2 / (4 * n**2)))
        low, high = (centre - half) / (1 + z**2 / n), (centre + half) / (1 + z**2 / n)
        low, high = (0.0 if correct == 0 else low), (1.0 if correct == n else high)
    return Interval(max(0.0, low), min(1.0, high), s, error, int(n), float(confidence), method)
