"""What is proved about a partition: one word with three values."""

from __future__ import annotations

from enum import StrEnum


class Proof(StrEnum):
    """How far a partition is proved optimal; the value is the word that files and tables hold.

    Attributes
    ----------
    NONE
        Nothing is certified. What the strategy says of its own end still holds, for example that no single move
        improves it.
    STEP
        The last assignment is certified optimal for the sites, or scores, that it was made for. Other sites may give
        a better partition: iterations end in local optima of a problem that is NP-hard.
    GLOBAL
        The partition is optimal within the stated gap: a proved interval around the optimum is that narrow, and the
        partition's objective is in it.

    Examples
    --------
    >>> from partitope.models.objectives.proof import Proof
    >>> print(Proof.STEP)
    step
    """

    NONE = "none"
    STEP = "step"
    GLOBAL = "global"

    @property
    def description(self) -> str:
        """What the word means, as a clause that a report can print."""
        return _DESCRIPTIONS[self]


_DESCRIPTIONS = {
    Proof.NONE: "nothing is certified",
    Proof.STEP: "the assignment is optimal for its centres or scores (certified); other centres may do better",
    Proof.GLOBAL: "no partition within the bounds is better by more than the stated gap",
}
