"""Rows of a polytope with masks, several size dimensions, shares and side constraints, as fractions of its floats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .exact_scores import ZERO, exact_scores

if TYPE_CHECKING:
    from ..polytope.polytope import PartitionPolytope
    from ..programs.assignment import AssignmentModel


PricedPoint = tuple[int, Fraction, list[Fraction], dict[int, Fraction]]


class ExactRows:
    """All rows of a polytope as fractions of its floats: sizes first, then the side constraints in order."""

    def __init__(self, polytope: PartitionPolytope) -> None:
        self.polytope, k = polytope, polytope.n_clusters
        table = polytope.row_table
        self.lower, self.upper = _fractions(table.lower), _fractions(table.upper)
        self.extents = [Fraction(value) for value in table.extent.tolist()]
        self.in_cluster: list[list[tuple[int, list[tuple[int, Fraction]]]]] = [[] for _ in range(k)]
        for q, (i, c) in enumerate(zip(table.clusters.tolist(), table.coefficients.tolist())):
            self.in_cluster[i].append((q, [(r, Fraction(value)) for r, value in enumerate(c) if value]))
        self.of_pair: dict[tuple[int, int], list[tuple[int, Fraction]]] = {}
        entries = table.pairs.tocoo()
        for q, pair, a in zip(entries.row.tolist(), entries.col.tolist(), entries.data.tolist()):
            self.of_pair.setdefault(divmod(pair, k), []).append((len(table.clusters) + q, Fraction(a)))

    def __len__(self) -> int:
        return len(self.lower)

    def attributes(self, j: int) -> list[Fraction]:
        """The weight of a point, then its attributes."""
        return [Fraction(value) for value in self.polytope.row_table.attributes[j].tolist()]

    def coefficients(self, j: int, i: int) -> dict[int, Fraction]:
        """a_qij by row."""
        attributes = self.attributes(j)
        found = {q: sum((c * attributes[r] for r, c in used), ZERO) for q, used in self.in_cluster[i]}
        for q, a in self.of_pair.get((j, i), ()):
            found[q] = found.get(q, ZERO) + a
        return found

    def net_scores(self, model: AssignmentModel, nu: list[Fraction]) -> Iterator[PricedPoint]:
        """Every point in turn: j, w_j, its scores, and w_j gamma_ij less charges of the clusters that are allowed."""
        k, mask = self.polytope.n_clusters, self.polytope.allowed
        charged = [[ZERO] * (self.polytope.row_table.attributes.shape[1]) for _ in range(k)]
        for i, rows in enumerate(self.in_cluster):
            for q, used in rows:
                for r, c in used:
                    charged[i][r] += nu[q] * c
        for j, gamma in enumerate(exact_scores(model)):
            attributes, net = self.attributes(j), {}
            for i in range(k) if mask is None else np.flatnonzero(mask[j]).tolist():
                net[i] = attributes[0] * gamma[i] if attributes[0] != 1 else gamma[i]
                for a, c in zip(attributes, charged[i]):
                    if c:
                        net[i] -= a * c if a != 1 else c
                for q, a in self.of_pair.get((j, i), ()) if self.of_pair else ():
                    net[i] -= nu[q] * a
            yield j, attributes[0], gamma, net

    def reached(self, held: Iterable[tuple[int, dict[int, Fraction]]]) -> list[Fraction]:
        """Left-hand sides of the rows at the shares of some points."""
        found, width = [ZERO] * len(self), self.polytope.row_table.attributes.shape[1]
        sums = [[ZERO] * width for _ in self.in_cluster]
        for j, shares in held:
            attributes = self.attributes(j)
            for i, share in shares.items():
                sums[i] = [total + share * a for total, a in zip(sums[i], attributes)]
                for q, a in self.of_pair.get((j, i), ()):
                    found[q] += share * a
        for i, rows in enumerate(self.in_cluster):
            for q, used in rows:
                found[q] += sum((c * sums[i][r] for r, c in used), ZERO)
        return found


@dataclass(frozen=True, eq=False)
class Bounds:
    """Bounds moved to the values of rows that miss them by rounding, these values, and the worst miss."""

    lower: list[Fraction | None]
    upper: list[Fraction | None]
    reached: list[Fraction]
    excess: Fraction

    @classmethod
    def of(cls, rows: ExactRows, reached: list[Fraction], tolerance: float) -> Bounds:
        """Compare the values of the rows with their bounds."""
        lower, upper, excess = list(rows.lower), list(rows.upper), ZERO
        for q, (value, extent) in enumerate(zip(reached, rows.extents)):
            for side, sign in ((lower, -1), (upper, 1)):
                bound = side[q]
                if bound is None:
                    continue
                beyond = sign * (value - bound)
                excess = max(excess, beyond / extent if extent else Fraction(beyond > 0))
                if abs(beyond) <= Fraction(tolerance) * extent:
                    side[q] = value
        return cls(lower, upper, reached, excess)

    def ways(self, nu: list[Fraction]) -> list[Fraction]:
        """|nu_q| times the distance of the row from the bound of its price; from zero where that is absent."""
        bounds = [upper if price > 0 else lower for price, lower, upper in zip(nu, self.lower, self.upper)]
        return [abs(price * (value - (bound or ZERO))) for price, value, bound in zip(nu, self.reached, bounds)]

    @property
    def room(self) -> dict[tuple[int, int], Fraction]:
        """Arcs of no length: which rows may grow, to the last node, and which may shrink."""
        last, rows = len(self.reached), list(enumerate(zip(self.reached, self.lower, self.upper)))
        grow = {(q, last): ZERO for q, (value, _, upper) in rows if upper is None or value < upper}
        return grow | {(last, q): ZERO for q, (value, lower, _) in rows if lower is None or value > lower}

    def allow(self, q: int, price: Fraction) -> bool:
        """Whether the row may have this price."""
        return price == 0 or self.reached[q] == (self.upper[q] if price > 0 else self.lower[q])


def _fractions(values: NDArray[np.float64]) -> list[Fraction | None]:
    return [Fraction(value) if np.isfinite(value) else None for value in values.tolist()]
