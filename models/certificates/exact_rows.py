"""Scores and rows of a polytope as fractions of the floats that define them: masks, several size dimensions, shares
and side constraints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..scores.quadratic import QuadraticScores
from ..scores.scores import LinearScores

if TYPE_CHECKING:
    from ..polytope.polytope import PartitionPolytope
    from ..programs.assignment import AssignmentModel

ZERO, ONE = Fraction(0), Fraction(1)

PricedPoint = tuple[int, Fraction, list[Fraction], dict[int, Fraction]]


def exact_scores(model: AssignmentModel) -> Iterator[list[Fraction]]:
    """gamma_j (k entries) of every point in turn, as fractions of the points, sites and origin, or of the scores."""
    source = model.score_source
    if not isinstance(source, LinearScores):
        for j in range(source.shape[0]):
            yield _fractions(source.rows(j, j + 1)[0])
        return
    scores_of = affine_scores(model)
    for point in np.asarray(source.X, dtype=np.float64):
        coordinates = _fractions(point)
        if isinstance(source, QuadraticScores):  # `LinearScores.coordinates` without rounding
            y = [x - o for x, o in zip(coordinates, _fractions(source.origin))]
            coordinates = y + [y[p] * y[q] for p in range(len(y)) for q in range(p, len(y))]
        yield scores_of(coordinates)


def affine_scores(model: AssignmentModel) -> Callable[[Iterable[Fraction]], list[Fraction]]:
    """The scores (k) at given coordinates, those that they are affine in, by the sites of a model."""
    source = model.score_source
    assert isinstance(source, LinearScores)
    origin = _fractions(source.zero)
    if model.kind == "lsa" and model.sites is not None:
        shifted = [[a - c for a, c in zip(_fractions(site), origin)] for site in model.sites]
        gradients = [[2 * a for a in site] for site in shifted]
        offsets = [-sum((a * a for a in site), ZERO) for site in shifted]
    else:
        gradients, offsets = [_fractions(row) for row in source.gradients], _fractions(source.offsets)

    def scores_of(coordinates: Iterable[Fraction]) -> list[Fraction]:
        x = [value - c for value, c in zip(coordinates, origin)]
        return [sum((g * v for g, v in zip(row, x)), h) for row, h in zip(gradients, offsets)]

    return scores_of


class ExactRows:
    """All rows of a polytope as fractions of its floats: sizes first, then the side constraints in order."""

    def __init__(self, polytope: PartitionPolytope) -> None:
        self.polytope, k = polytope, polytope.n_clusters
        table = polytope.row_table
        self.lower, self.upper = _bounds(table.lower), _bounds(table.upper)
        self.extents = _fractions(table.extent)
        self.in_cluster: list[list[tuple[int, list[tuple[int, Fraction]]]]] = [[] for _ in range(k)]
        for q, (i, c) in enumerate(zip(table.clusters.tolist(), table.coefficients.tolist())):
            self.in_cluster[i].append((q, [(r, Fraction(value)) for r, value in enumerate(c) if value]))
        self.of_pair: dict[tuple[int, int], list[tuple[int, Fraction]]] = {}
        entries = table.pairs.tocoo()
        for q, pair, a in zip(entries.row.tolist(), entries.col.tolist(), entries.data.tolist()):
            self.of_pair.setdefault(divmod(pair, k), []).append((len(table.clusters) + q, Fraction(a)))

    def attributes(self, j: int) -> list[Fraction]:
        """The weight of a point, then its attributes."""
        return _fractions(self.polytope.row_table.attributes[j])

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
        found, width = [ZERO] * len(self.lower), self.polytope.row_table.attributes.shape[1]
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
    def of(cls, rows: ExactRows, reached: list[Fraction], tolerance: Fraction) -> Bounds:
        """Compare the values of the rows with their bounds."""
        lower, upper, excess = list(rows.lower), list(rows.upper), ZERO
        for q, (value, extent) in enumerate(zip(reached, rows.extents)):
            for side, sign in ((lower, -1), (upper, 1)):
                bound = side[q]
                if bound is None:
                    continue
                beyond = sign * (value - bound)
                excess = max(excess, beyond / extent if extent else Fraction(beyond > 0))
                if abs(beyond) <= tolerance * extent:
                    side[q] = value
        return cls(lower, upper, reached, excess)

    def priced(self, q: int, price: Fraction) -> Fraction:
        """The bound of a row that its price belongs to; zero where that is absent."""
        return (self.upper if price > 0 else self.lower)[q] or ZERO

    def allow(self, prices: list[Fraction]) -> list[bool]:
        """Which rows may have their price."""
        sides = ((self.upper if price > 0 else self.lower)[q] for q, price in enumerate(prices))
        return [price == 0 or value == side for price, value, side in zip(prices, self.reached, sides)]

    @property
    def room(self) -> dict[tuple[int, int], Fraction]:
        """Arcs of no length: which rows may grow, to the last node, and which may shrink."""
        last, rows = len(self.reached), list(enumerate(zip(self.reached, self.lower, self.upper)))
        grow = {(q, last): ZERO for q, (value, _, upper) in rows if upper is None or value < upper}
        return grow | {(last, q): ZERO for q, (value, lower, _) in rows if lower is None or value > lower}


def _fractions(values: NDArray[np.float64]) -> list[Fraction]:
    return [Fraction(value) for value in values.tolist()]


def _bounds(values: NDArray[np.float64]) -> list[Fraction | None]:
    return [Fraction(value) if np.isfinite(value) else None for value in values.tolist()]
