"""A proved interval around the optimum of a global problem."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...base.checks import check_weight, number_or_nan
from ...base.messages import at_most
from ...base.one_line import OneLine


@dataclass(frozen=True, repr=False)
class Bound(OneLine):
    """The optimum is in [lower, upper].

    Attributes
    ----------
    lower, upper : float
        Valid bounds on the optimal value, whatever the sense of the problem.
    gap : float
        (upper - lower) / max(|lower|, |upper|), 0 when both are 0.
    proof : str
        What proves the bound: "enumeration", "branch and bound", "boxes of cluster sums", "sdp dual", ...
    unbounded : float or None
        Of a proof that knows no lower bounds on sizes: the value of the best clustering without these, which the bound
        cannot pass.
    seconds : float or None
        Wall time of a proof that was asked for with a time.
    """

    lower: float
    upper: float
    proof: str
    unbounded: float | None = field(default=None, compare=False)
    seconds: float | None = field(default=None, compare=False)

    @property
    def gap(self) -> float:
        """Relative width of the interval."""
        size = max(abs(self.lower), abs(self.upper))
        return (self.upper - self.lower) / size if size else 0.0

    @property
    def room(self) -> str:
        """By how much the optimum can be better than the clustering at most, as a clause; what of this is owed to
        bounds that the proof does not know, and what is unknown."""
        took = "" if self.seconds is None else f"in {self.seconds:.{0 if self.seconds >= 10 else 1}f} s "
        amount = f" by more than {at_most(100.0 * self.gap)} %" if self.gap > 1e-9 else ""  # else only by rounding
        text = f"cannot be better{amount} (proved {took}by {self.proof})"
        if self.unbounded is None or self.unbounded >= self.upper:
            return text
        bounds, open_ = ((self.upper - self.unbounded) / self.upper, (self.unbounded - self.lower) / self.upper)
        return (
            f"{text}: {at_most(100.0 * bounds)} % is what the bounds may cost, by the best clustering without them, "
            f"and {at_most(100.0 * max(open_, 0.0))} % is unknown"
        )

    def encloses(self, value: float, tolerance: float = 1e-9) -> bool:
        """Whether the relative gap is at most ``tolerance``, and ``value`` is in the interval up to 1e-9 of its ends.

        False for an interval that is empty, infinite or not a number, and for a value that is NaN; InvalidInputError
        for a tolerance that is not a number of at least 0.
        """
        value = number_or_nan(value, "value")
        check_weight("tolerance", tolerance)
        rounding = 1e-9 * max(abs(self.lower), abs(self.upper))
        inside = self.lower - rounding <= value <= self.upper + rounding
        return self.lower <= self.upper and self.gap <= tolerance and inside
