"""A proved interval around the optimum of a global problem."""

from __future__ import annotations

from dataclasses import dataclass


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
        What proves the bound: "enumeration", "branch and bound", "direction net", "sdp dual", ...
    """

    lower: float
    upper: float
    proof: str

    @property
    def gap(self) -> float:
        """Relative width of the interval."""
        size = max(abs(self.lower), abs(self.upper))
        return (self.upper - self.lower) / size if size else 0.0
