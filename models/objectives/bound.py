"""A proved interval around the optimum of a global problem."""

from __future__ import annotations

from dataclasses import dataclass

from ...base.checks import check_weight, number_or_nan


@dataclass(frozen=True)
class Bound:
    """The optimum lies in [lower, upper].

    Attributes
    ----------
    lower, upper : float
        Valid bounds on the optimal value, whatever the sense of the problem.
    gap : float
        (upper - lower) / max(|lower|, |upper|), 0 when both are 0.
    proof : str
        What proves the bound: "enumeration", "branch and bound", "boxes of cluster sums", "sdp dual", ...
    """

    lower: float
    upper: float
    proof: str

    @property
    def gap(self) -> float:
        """Relative width of the interval."""
        size = max(abs(self.lower), abs(self.upper))
        return (self.upper - self.lower) / size if size else 0.0

    def encloses(self, value: float, tolerance: float = 1e-9) -> bool:
        """Whether the interval is at most this wide, relatively, and ``value`` lies in it up to 1e-9 of its ends.

        Parameters
        ----------
        value : float
            Objective of a feasible point.
        tolerance : float
            Largest `gap`.

        Returns
        -------
        bool
            False as well for an interval that is empty, infinite or not a number, and for a value that is NaN.

        Raises
        ------
        InvalidInputError
            When the tolerance is no number of at least 0, or the value is none.
        """
        value = number_or_nan(value, "value")
        check_weight("tolerance", tolerance)
        rounding = 1e-9 * max(abs(self.lower), abs(self.upper))
        inside = self.lower - rounding <= value <= self.upper + rounding
        return self.lower <= self.upper and self.gap <= tolerance and inside
