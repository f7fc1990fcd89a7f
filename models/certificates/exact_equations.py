"""Linear equations in fractions, solved one after the other as they come (Gauss and Jordan)."""

from __future__ import annotations

from fractions import Fraction

from .exact_scores import ZERO

Equation = tuple[dict[int, Fraction], Fraction]  # coefficients by unknown, and the right-hand side
ONE = Fraction(1)


class Solved:
    """Equations solved so far, each for one unknown in terms of those that are free."""

    def __init__(self) -> None:
        self.by_unknown: dict[int, Equation] = {}

    def add(self, equation: Equation) -> bool:
        """Take an equation in; False, and nothing is changed, when it contradicts those before."""
        row, right = self._reduced(equation)
        if not row:
            return right == 0
        pivot, factor = next(iter(row.items()))
        row, right = {q: value / factor for q, value in row.items() if q != pivot}, right / factor
        for q, (other, value) in self.by_unknown.items():
            if pivot in other:
                self.by_unknown[q] = _minus(other, value, other[pivot], ({**row, pivot: ONE}, right))
        self.by_unknown[pivot] = row, right
        return True

    def values(self, given: list[Fraction]) -> list[Fraction]:
        """All unknowns, where those that are free have the values given."""
        found = list(given)
        for q, (row, right) in self.by_unknown.items():
            found[q] = right - sum((a * given[p] for p, a in row.items()), ZERO)
        return found

    def _reduced(self, equation: Equation) -> Equation:
        row, right = {q: a for q, a in equation[0].items() if a}, equation[1]
        for q in [q for q in row if q in self.by_unknown]:
            other, value = self.by_unknown[q]
            row, right = _minus(row, right, row[q], ({**other, q: ONE}, value))
        return row, right


def _minus(row: dict[int, Fraction], right: Fraction, factor: Fraction, other: Equation) -> Equation:
    """An equation less a factor times another."""
    found = dict(row)
    for q, a in other[0].items():
        rest = found.get(q, ZERO) - factor * a
        if rest:
            found[q] = rest
        else:
            found.pop(q, None)
    return found, right - factor * other[1]
