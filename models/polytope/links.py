"""Must-link and cannot-link constraints between points, and what can be seen of them without a search."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...base.checks import as_array, instance_of, whole_number
from ...base.errors import InfeasibleBoundsError, InvalidInputError
from ...base.one_line import OneLine
from ...base.record import Record
from .constraint import Constraint
from .sized_polytope import SizedPolytope
from .whole_points import components, joined_blocks, unplaced


class ContradictoryLinksError(InfeasibleBoundsError):
    """No clustering satisfies the links within the bounds.

    Attributes
    ----------
    pairs : tuple of (int, int)
        Links of both kinds, as they were given, that cannot hold together; empty when they could not be singled out.
    """

    def __init__(self, message: str, pairs: tuple[tuple[int, int], ...] = ()) -> None:
        super().__init__(message)
        self.pairs = pairs


@dataclass(frozen=True, eq=False, repr=False)
class Links(OneLine):
    """Pairs of points that must, and pairs that must not, be in the same cluster.

    Parameters
    ----------
    n_points : int
        Number of points.
    must, cannot : iterable of (int, int)
        Numbers of points; order and repetition do not matter.

    Raises
    ------
    InvalidInputError
        When ``n_points`` is not a number of points, or a pair does not name two different points.
    ContradictoryLinksError
        When a cannot-link joins two points that must-links join too; the message shows the chain.

    Examples
    --------
    >>> from partitope.models import Links
    >>> Links(4, must=[(0, 1), (1, 2)], cannot=[(2, 3)]).blocks
    array([0, 0, 0, 1])
    """

    n_points: int
    must: Any = ()
    cannot: Any = ()

    def __post_init__(self) -> None:
        whole_number(self.n_points, "n_points")
        for name in ("must", "cannot"):
            written, pairs = _pairs(name, getattr(self, name), self.n_points)
            object.__setattr__(self, name, pairs)
            object.__setattr__(self, f"_{name}", written)
        if not len(self.cannot):
            return
        block = self.blocks
        within = self.cannot[block[self.cannot[:, 0]] == block[self.cannot[:, 1]]].tolist()
        if within:
            chain = min((self._chain(a, b) for a, b in within), key=len)
            text, pair = " - ".join(map(str, chain)), as_given(self, "cannot", (chain[0], chain[-1]))
            raise ContradictoryLinksError(
                f"cannot={pair} clashes with must: {text} are linked together; remove one of these links",
                (pair, *(as_given(self, "must", link) for link in pairwise(chain))),
            )

    @cached_property
    def blocks(self) -> NDArray[np.int64]:
        """Block (n,) of every point; blocks are numbered by their first point."""
        return components(self.must[:, 0], self.must[:, 1], self.n_points)

    def __bool__(self) -> bool:
        return bool(len(self.must) or len(self.cannot))

    def and_also(self, more: Links) -> Links:
        """These links and those of another; InvalidInputError when it holds none of these points."""
        instance_of(more, "more", Links)
        if more.n_points != self.n_points:
            raise InvalidInputError(f"more is for {more.n_points} points, expected {self.n_points}: make them agree")
        both = (np.concatenate([getattr(part, name) for part in (self, more)]) for name in ("_must", "_cannot"))
        return Links(self.n_points, *both)

    @cached_property
    def conflicts(self) -> NDArray[np.int64]:
        """Different pairs (m, 2) of blocks that a cannot-link separates."""
        if not len(self.cannot):
            return np.empty((0, 2), dtype=np.int64)
        return np.unique(np.sort(self.blocks[self.cannot], axis=1), axis=0)

    def satisfied(self, labels: NDArray[np.int64]) -> bool:
        """Whether labels (n,) respect every link."""
        y = as_array(labels, "labels")
        if y.shape != (self.n_points,):
            raise InvalidInputError(f"labels has shape {y.shape}, expected ({self.n_points},): one label per point")
        together = (y[self.must[:, 0]] == y[self.must[:, 1]]).all()
        return bool(together and (y[self.cannot[:, 0]] != y[self.cannot[:, 1]]).all())

    def check(self, polytope: SizedPolytope) -> None:
        """Raise ContradictoryLinksError when a block fits into no cluster or the mask leaves none to it."""
        instance_of(polytope, "polytope", SizedPolytope)
        if polytope.n_points != self.n_points:
            raise InvalidInputError(
                f"links are for {self.n_points} points, polytope has {polytope.n_points}: make them agree"
            )
        if (found := unplaced(polytope, self.blocks)) is not None:
            points, why = found[0].tolist(), found[1]
            raise ContradictoryLinksError(f"must links {_some(points)} together, {why}", self._tree(points))

    def _tree(self, points: list[int]) -> tuple[tuple[int, int], ...]:
        """Must-links that connect these points of a block, chains from the first of them; as they were given."""
        chains = (pairwise(self._chain(points[0], point)) for point in points[1:])
        links = {(min(link), max(link)) for chain in chains for link in chain}
        return tuple(as_given(self, "must", link) for link in sorted(links))

    def _chain(self, a: int, b: int) -> list[int]:
        """Points from a to b, neighbours must-linked, as few as possible."""
        import networkx as nx

        chain: list[int] = nx.shortest_path(nx.Graph(self.must.tolist()), a, b)
        return chain


@dataclass(frozen=True, eq=False)
class Together(Constraint):
    """Points that stay together, by groups and by must-links; cannot-links have side constraints of the polytope."""

    name = "together"
    kind: ClassVar[str] = "groups"
    has_rows_of_its_own: ClassVar[bool] = True
    links: Links
    groups: NDArray[np.int64] | None = None  # Blocks (n,) of groups that stay together, whatever the links.
    names: tuple[str, ...] = ()  # Names of the rows that keep pairs apart.

    def __post_init__(self) -> None:
        if self.blocks is not None:
            self.blocks.setflags(write=False)

    def __str__(self) -> str:
        return "groups that stay together"

    def violation(self, labels: NDArray[np.int64], polytope: SizedPolytope) -> str:
        """The first point that is not with the first one of its block."""
        first = labels if self.blocks is None else labels[polytope.block_points][self.blocks]
        apart = np.flatnonzero(labels != first)
        if not apart.size:
            return ""
        others = f" (and {apart.size - 1} more)" if apart.size > 1 else ""
        return f"point {apart[0]} is not in cluster {first[apart[0]]}, where it has to be with its group{others}"

    def contracted(self, polytope: SizedPolytope) -> None:
        """Nothing: blocks are points."""
        return

    def record(self) -> Record:
        """The argument of `together`."""
        return {} if self.blocks is None else {"together": self.blocks.tolist()}

    @cached_property
    def blocks(self) -> NDArray[np.int64] | None:
        """Blocks (n,) by groups and links; None where every point is alone. ContradictoryLinksError when a group holds
        both points of a cannot-link."""
        blocks = joined_blocks(self.links.blocks, self.groups) if len(self.links.must) else self.groups
        cannot = self.links.cannot
        within = cannot[:0] if blocks is None else cannot[blocks[cannot[:, 0]] == blocks[cannot[:, 1]]]
        if len(within):
            pair = as_given(self.links, "cannot", within[0])
            raise ContradictoryLinksError(
                f"points {pair[0]} and {pair[1]} have to be apart, but groups keep them together: split the group or "
                f"remove the link",
                (pair,),
            )
        return blocks


def pairs_in(groups: Any) -> Any:
    """What was given where it is pairs of points, by its two dimensions or because it is empty; else None."""
    array = as_array(groups, "groups")
    return groups if array.ndim == 2 or not array.size else None


def as_given(links: Links, kind: str, pair: Iterable[int]) -> tuple[int, int]:
    """A link of the kind "must" or "cannot" in the order in which its points were given."""
    written = getattr(links, f"_{kind}")
    there = (np.sort(written, axis=1) == sorted(pair)).all(axis=1)
    a, b = written[int(np.flatnonzero(there)[0])].tolist()
    return a, b


def _pairs(name: str, pairs: Any, n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Links as they were given (p, 2), and each once with the smaller number first."""
    listed = list(pairs) if isinstance(pairs, Iterable) and not isinstance(pairs, np.ndarray) else pairs
    array = as_array(listed, name)
    if array.ndim and array.size == 0:
        return np.empty((0, 2), dtype=np.int64), np.empty((0, 2), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise InvalidInputError(f"{name} has shape {array.shape}: pass pairs of point numbers, as [(0, 3), (2, 5)]")
    outside = ((array < 0) | (array >= n)).any(axis=1)
    if outside.any():
        pair = tuple(array[outside][0].tolist())
        raise InvalidInputError(f"{name} holds the pair {pair}, expected point numbers 0..{n - 1}")
    same = array[:, 0] == array[:, 1]
    if same.any():
        raise InvalidInputError(f"{name} links point {int(array[same][0, 0])} to itself: name two points")
    written = array.astype(np.int64)
    return written, np.unique(np.sort(written, axis=1), axis=0)


def _some(points: Iterable[int]) -> str:
    listed = [str(int(p)) for p in points]
    return "points " + ", ".join(listed[:8]) + (f" and {len(listed) - 8} more" if len(listed) > 8 else "")
