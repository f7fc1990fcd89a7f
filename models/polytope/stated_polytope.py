"""What a polytope is stated by: bounds on sizes, weights, a mask and side constraints, as users write them and checked.

Every method returns a new polytope with one more constraint. `polytope` explains what the statements mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import as_array, checked_labels, instance_of, numbers_below, whole_number
from ...base.errors import CapabilityError, InfeasibleBoundsError, InvalidInputError
from ...base.sizes import bound_sizes
from .connection import Connection
from .constraint import Constraint, Formulation, check_names
from .group_counts import GroupCounts
from .group_shares import group_shares
from .infeasible_bounds import clash_of_sizes
from .kinds import KINDS
from .links import Links, Together, pairs_in
from .mask import Mask
from .row_table import RowTable
from .rows import Rows, relaxation, size_rows, sparse_rows
from .separators import Separators
from .size_bounds import (
    allowed_pairs,
    checked_weights,
    count_clusters,
    dimension_names,
    first_dimension,
    fixed_pairs,
    is_share,
    meeting,
    narrow_rounding,
    size_bound,
)
from .sized_polytope import SizedPolytope
from .whole_points import (
    Openings,
    apart_rows,
    checked_openings,
    group_numbers,
    joined_blocks,
    once_a_cluster,
)

Stated = TypeVar("Stated", bound=Constraint)


@dataclass(frozen=True, eq=False, repr=False)
class StatedPolytope(SizedPolytope):
    """The statements of a `partitope.models.PartitionPolytope`, where its parameters are described."""

    constraints: tuple[Constraint, ...] = ()

    def __post_init__(self) -> None:
        n = whole_number(self.n_points, "n_points")
        instance_of(self.constraints, "constraints", tuple, "call subject_to(), share(), add_rows() or allow()")
        for name in ("lower", "upper", "weights"):
            if not hasattr(getattr(self, name), "ndim"):  # arrays and tables say their dimensions
                as_array(getattr(self, name), name)
        # several columns become the first dimension and side constraints: all that follows knows one dimension
        object.__setattr__(self, "names", dimension_names(self.names, self.weights))
        if any(np.ndim(value) > 1 for value in (self.lower, self.upper, self.weights)):
            first = first_dimension(n, self.n_clusters, self.lower, self.upper, self.weights, self.names)
            first["constraints"] = (*first["constraints"], *self.constraints)
            for name, value in first.items():
                object.__setattr__(self, name, value)
        weights = None if self.weights is None else checked_weights(self.weights, n)
        total = float(n if weights is None else weights.sum())
        k = count_clusters(self.n_clusters, self.lower, self.upper)
        # texts and shares become numbers before anything compares bounds
        whole = weights is None
        low = bound_sizes(self.lower, "lower", total, k, whole=whole) if is_share(self.lower, whole) else self.lower
        up = bound_sizes(self.upper, "upper", total, k, whole=whole) if is_share(self.upper, whole) else self.upper
        lower, upper = size_bound("lower", low, k, default=0.0), size_bound("upper", up, k, default=total)
        rounding = narrow_rounding(self.lower, self.upper, self.weights)
        if weights is None:  # sizes are integers: the nearest integers inside the bounds say the same
            room = 1e-9 + rounding * n
            lower, upper = np.ceil(lower - room) + 0.0, np.floor(np.minimum(upper, total) + room)
        else:
            lower, upper = meeting(lower, upper, weights, rounding)
        for name, value in [("n_points", n), ("lower", lower), ("upper", upper), ("weights", weights)]:
            object.__setattr__(self, name, value)
        object.__setattr__(self, "n_clusters", k)
        if len(self.names) != 1:
            raise InvalidInputError(f"names={self.names!r} does not name the one size dimension: pass one name")
        self._check_statements(n, k)
        # the polytope is shared by models and solutions: it must not change under them
        for array in (lower, upper, weights):
            if array is not None:
                array.setflags(write=False)

    def __repr__(self) -> str:
        parts = [f"{self.n_points} points", f"{self.n_clusters} clusters", f"{self.names[0]} {self.describe()}"]
        parts += ["weights"] if self.weights is not None else []
        linear = [str(constraint) for constraint in self.constraints if constraint.is_linear]
        parts += [*linear[:5], f"and {len(linear) - 5} more"] if len(linear) > 5 else linear
        parts += ["whole points"] if self.whole_points else []
        parts += map(str, self.statements)
        return f"<PartitionPolytope: {', '.join(parts)}>"

    def _check_statements(self, n: int, k: int) -> None:
        """Refuse what the methods did not write."""
        instance_of(self.whole_points, "whole_points", bool, "call whole()")
        taken = {self.names[0]}
        for constraint in self.constraints:
            instance_of(constraint, "a constraint", Constraint, "use share, add_rows, allow or subject_to")
            constraint.check_fits(n, k)
            if constraint.name in taken:
                raise InvalidInputError(f"name={constraint.name!r} is taken: give {constraint} another name")
            taken.add(constraint.name)

    @property
    def is_plain(self) -> bool:
        """Whether sizes in one dimension are all that is bounded: no mask, no side constraints, no demand for whole
        points."""
        return not self.constraints and not self.is_discrete

    @property
    def is_discrete(self) -> bool:
        """Whether a vertex of the linear program may break a demand for whole points, groups, connected or closed
        clusters, or a constraint."""
        return bool(self.statements) or (self.whole_points and self._divides)

    @property
    def _divides(self) -> bool:
        """Whether a vertex may divide points."""
        return self.weights is not None or any(isinstance(constraint, Rows) for constraint in self.constraints)

    @cached_property
    def statements(self) -> tuple[Constraint, ...]:
        """The constraints that a vertex of the linear program may break."""
        return tuple(constraint for constraint in self.constraints if not constraint.is_linear)

    @cached_property
    def further(self) -> tuple[Rows, ...]:
        """All rows over the shares alone beyond the first size dimension, those of attributes first; those of
        custom constraints, too."""
        kept = (relaxation(constraint, self) for constraint in self.constraints)
        return tuple(sorted((rows for rows in kept if isinstance(rows, Rows)), key=lambda r: r.attributes is None))

    @cached_property
    def all_rows(self) -> tuple[Rows, ...]:
        """The sizes of the clusters in the first dimension, and `further`."""
        weights = np.broadcast_to(1.0, self.n_points) if self.weights is None else self.weights
        return (size_rows(self.names[0], weights, self.lower, self.upper), *self.further)

    @cached_property
    def row_table(self) -> RowTable:
        """`all_rows`, side by side."""
        return RowTable(self.all_rows, self.n_clusters)

    @cached_property
    def allowed(self) -> NDArray[np.bool_] | None:
        """The pairs (n, k) that are allowed; None where all are."""
        mask = self._stated(Mask)
        return None if mask is None else mask.allowed

    @property
    def kinds(self) -> tuple[str, ...]:
        """What is stated beyond one bound on the size of every cluster: keys of `KINDS`, in their order."""
        asked = {
            "weights": self.weights is not None,
            "undivided points": self.whole_points and self._divides and not self.statements,
        }
        stated = {constraint.kind for constraint in self.constraints}
        return tuple(kind for kind in KINDS if asked.get(kind, kind in stated))

    @property
    def relaxed(self) -> Self:
        """The polytope of the linear relaxation: divided points, groups apart only on average, closed clusters by
        lower bounds of zero, clusters in pieces."""
        kept = (relaxation(constraint, self) for constraint in self.constraints)
        found = replace(self, whole_points=False, constraints=tuple(part for part in kept if part is not None))
        if self.openings is None:
            return found
        free = found.with_open(np.zeros(self.n_clusters, dtype=bool))
        return replace(free, upper=self.upper)

    @property
    def of_all_pairs(self) -> Self:
        """The polytope without a mask."""
        return self.without(Mask.name)

    @property
    def without_links(self) -> Self:
        """The polytope without the links that were stated by pairs."""
        if self.linked is None:
            return self
        stated = replace(self.linked, links=Links(self.n_points), names=())
        found = self.without(*self.linked.names)
        return found.without(stated.name) if stated.groups is None else found.with_constraint(stated)

    def without(self, *names: str) -> Self:
        """The polytope without the constraints of these names, if there are any."""
        left = tuple(constraint for constraint in self.constraints if constraint.name not in names)
        return self if len(left) == len(self.constraints) else replace(self, constraints=left)

    def with_constraint(self, constraint: Constraint) -> Self:
        """The polytope with a constraint, in place of the one of its name; whole where divided points may break it."""
        kept = {other.name: other for other in self.constraints} | {constraint.name: constraint}
        whole = self.whole_points or not constraint.is_linear
        return replace(self, whole_points=whole, constraints=tuple(kept.values()))

    def _stated(self, kind: type[Stated]) -> Stated | None:
        """The constraint of a class of ours."""
        return next((constraint for constraint in self.constraints if isinstance(constraint, kind)), None)

    @cached_property
    def openings(self) -> Openings | None:
        """What `optional` states."""
        return self._stated(Openings)

    @property
    def may_close(self) -> bool:
        """Whether clusters may be closed: within their bounds, or empty."""
        return self.openings is not None

    @property
    def open_numbers(self) -> tuple[int, int]:
        """How many clusters are open, at least and at most."""
        z = self.openings
        return (self.n_clusters, self.n_clusters) if z is None else (z.least, z.most)

    @cached_property
    def open_costs(self) -> NDArray[np.float64]:
        """What every cluster (k,) costs if it is open."""
        return np.zeros(self.n_clusters) if self.openings is None else self.openings.cost

    def opened(self, labels: NDArray[np.int64]) -> NDArray[np.bool_] | None:
        """Clusters (k,) that are open in a clustering (n,), at the least cost; None where no number of them fits."""
        labels, every = checked_labels(labels, self.n_points, self.n_clusters), np.ones(self.n_clusters, dtype=bool)
        return every if self.openings is None else self.openings.chosen(self, labels)

    @cached_property
    def connection(self) -> Connection | None:
        """The graph in which clusters are connected, as `connected` states it."""
        return self._stated(Connection)

    @property
    def pairs_apart(self) -> NDArray[np.int64]:
        """Pairs (p, 2) of points that links put into different clusters."""
        return np.empty((0, 2), dtype=np.int64) if self.linked is None else self.linked.links.cannot

    @property
    def relaxes_statements(self) -> bool:
        """Whether the linear relaxation keeps a part of what the statements say."""
        return self.linked is not None or any(relaxation(part, self) for part in self.statements)

    @cached_property
    def linked(self) -> Together | None:
        """What stays together, where links were stated by pairs."""
        together = self._stated(Together)
        return together if together is not None and together.links else None

    @cached_property
    def blocks(self) -> NDArray[np.int64] | None:
        """The block (n,) of every point, where points stay together."""
        together = self._stated(Together)
        return None if together is None else together.blocks

    @cached_property
    def separators(self) -> Separators:
        """What cuts off clusters in pieces."""
        assert self.connection is not None
        return Separators(self.connection, self.point_weights, float(self.upper.max()))

    def with_open(self, opened: NDArray[np.bool_]) -> Self:
        """The polytope with these clusters (k,) open and the others empty."""
        constraints = tuple(
            r.between(np.where(opened, r.lower, np.minimum(r.lower, 0.0)), r.upper)
            if isinstance(r, Rows) and r.is_size else r
            for r in self.constraints if r.name != Openings.name
        )  # fmt: skip
        lower, upper = np.where(opened, self.lower, 0.0), np.where(opened, self.upper, 0.0)
        return replace(self, lower=lower, upper=upper, constraints=constraints)

    @cached_property
    def contracted(self) -> Self:
        """The polytope in which every block of points that stay together is one point of summed weights;
        InfeasibleBoundsError where a mask leaves no cluster to all points of a block."""
        if self.blocks is None:
            return self
        smaller = (constraint.contracted(self) for constraint in self.constraints)
        return replace(
            self, n_points=self.block_points.size, weights=np.bincount(self.block_numbers, self.point_weights),
            constraints=tuple(part for part in smaller if part is not None),
        )  # fmt: skip

    def require_plain(self, what: str, masks: bool = False, closed: bool = False) -> None:
        """Raise CapabilityError, in the name of what takes bounds on sizes in one dimension only, for anything more."""
        taken = {"weights": True, "masks": masks, "open clusters": closed}
        for kind in self.kinds:
            if not taken.get(kind, False):
                raise CapabilityError(
                    f"{what} takes bounds on sizes in one dimension, and no {kind}: use solve(), or leave them out"
                )

    @cached_property
    def row_names(self) -> tuple[str, ...]:
        """Names of what has prices: the first size dimension, and the side constraints."""
        return tuple(rows.name for rows in self.all_rows)

    @cached_property
    def attributes(self) -> NDArray[np.float64]:
        """Attributes (n, r) of the points that side constraints charge for, columns of all of them side by side."""
        return np.ascontiguousarray(self.row_table.attributes[:, 1:])

    @property
    def is_free(self) -> bool:
        """Whether no bound excludes any clustering."""
        return self.is_plain and not (self.lower.any() or np.any(self.upper < self.total))

    @property
    def is_feasible(self) -> bool:
        """Whether the sums of the bounds allow an assignment.

        Decides whether (1)-(3) hold for some, possibly fractional, assignment. With masks, several size dimensions or
        side constraints this is only necessary: `partitope.solvers.solve` decides.
        """
        return clash_of_sizes(self) is None

    def check(self) -> None:
        """Raise when the sums of the bounds exclude every assignment; see `is_feasible`.

        Raises
        ------
        InfeasibleBoundsError
            Says which bounds clash and the smallest change that repairs them; ContradictoryLinksError, which links.
        """
        if self.linked is not None:
            self.without_links.check()
            self.linked.links.check(self.without_links)
        message = clash_of_sizes(self)
        for constraint in self.constraints:
            message = message or constraint.conflict(self)
        if message is not None:
            raise InfeasibleBoundsError(message)

    def allow(self, mask: ArrayLike) -> Self:
        """The polytope with xi_ij = 0 for the pairs (j, i) where ``mask`` (n, k) is False.

        Masks of several calls must all allow a pair. A point that no cluster is left to is named in the error.
        """
        allowed = allowed_pairs(mask, self.n_points, self.n_clusters)
        if self.allowed is not None:
            allowed = allowed_pairs(allowed & self.allowed, self.n_points, self.n_clusters)
        return self.with_constraint(Mask(allowed))

    def fix(self, points: ArrayLike, clusters: ArrayLike) -> Self:
        """The polytope with the ``points`` (p,) in the ``clusters`` (p,) or one cluster for all.

        Raises
        ------
        InvalidInputError
            If a number is not that of a point or cluster, or there are not equally many.
        InfeasibleBoundsError
            When a point is not allowed in its cluster, by a mask or because it was fixed in another one.
        """
        where, there = fixed_pairs(points, clusters, self.n_points, self.n_clusters)
        mask = np.ones((self.n_points, self.n_clusters), dtype=bool)
        mask[where] = False
        mask[where, there] = True
        barred = ~mask[where, there] if self.allowed is None else ~self.allowed[where, there]
        if barred.any():
            j, i = int(where[barred][0]), int(there[barred][0])
            raise InfeasibleBoundsError(
                f"point {j} cannot be fixed in cluster {i}: it is not allowed there, or fixed in another cluster"
            )
        return self.allow(mask)

    def share(self, groups: ArrayLike, lower: Any = None, upper: Any = None, *, name: str = "share") -> Self:
        """The polytope with the share of each group in each cluster's size between bounds.

        Parameters
        ----------
        groups : (n,) array_like
            The group of every point: one share a value; or booleans, for the share of the points that are True.
        lower, upper : number, text, mapping of group to number or (k,) array_like, optional
            Bounds between 0 and 1, or such as ``"30%"``, for the part of the cluster's size (first dimension) that
            belongs to the group.
        name : str
            What the prices are called: ``name`` for booleans, ``name[group]`` otherwise.

        Raises
        ------
        InvalidInputError
            When a bound is not a share, or a shape does not fit.
        """
        return self._with_rows(group_shares(groups, lower, upper, self.point_weights, self.n_clusters, name))

    def add_rows(
        self, name: str, coefficients: Any, lower: ArrayLike | None = None, upper: ArrayLike | None = None
    ) -> Self:
        """The polytope with lower <= sum_ij a_ij xi_ij <= upper, for one or several rows a.

        Parameters
        ----------
        name : str
            What the rows are called; their prices come back under it.
        coefficients : (n, k) or (q, n, k) array_like, or (q, n k) sparse matrix
            a; in a sparse matrix column j k + i is xi_ij.
        lower, upper : number or (q,) array_like, optional
            Sides of the rows; None, or an infinite number, where there is none.

        Raises
        ------
        InvalidInputError
            When both sides are missing, or a shape does not fit.
        """
        return self._with_rows([sparse_rows(name, coefficients, lower, upper, (self.n_points, self.n_clusters))])

    def whole(self) -> Self:
        """The polytope with every point in one cluster: xi_ij in {0, 1}.

        Notes
        -----
        Without weights and side constraints every vertex is whole anyway. Otherwise this is a mixed-integer program,
        NP-hard; the linear program without the demand bounds it.
        """
        return replace(self, whole_points=True)

    def together(self, groups: ArrayLike) -> Self:
        """The polytope with the points of one group in one cluster, whole: xi_ij = xi_il in {0, 1}.

        Parameters
        ----------
        groups : (n,) or (m, 2) array_like
            Group of every point; None, NaN or an empty text for a point that is in none. Or pairs of point numbers,
            must-links; an empty list means no pair. Groups and pairs of several calls that share a point are one.

        Raises
        ------
        InvalidInputError
            If there is not one group per point, or a pair does not name two different points.
        ContradictoryLinksError
            When `apart` was told of a pair that is together now.
        """
        pairs = pairs_in(groups)
        if pairs is not None:
            return self.with_links(Links(self.n_points, must=pairs))
        before = self._stated(Together) or Together(Links(self.n_points))
        return self.with_constraint(
            replace(before, groups=joined_blocks(group_numbers(groups, self.n_points), before.groups))
        )

    def apart(self, groups: ArrayLike, *, name: str = "apart") -> Self:
        """The polytope with the points of one group in different clusters, whole: sum_{j in g} xi_ij <= 1.

        Parameters
        ----------
        groups : (n,) or (m, 2) array_like
            Group of every point; None, NaN or an empty text for a point that is in none. Or pairs of point numbers,
            cannot-links; an empty list means no pair.
        name : str
            What the rows are called.

        Raises
        ------
        InvalidInputError
            If there is not one group per point, a pair does not name two different points, or the name is taken.
        InfeasibleBoundsError
            When a group has more points than there are clusters; ContradictoryLinksError when a pair is together: the
            message shows the chain of links.
        """
        instance_of(name, "name", str, "pass a text")
        pairs = pairs_in(groups)
        if pairs is not None:
            return self.with_links(Links(self.n_points, cannot=pairs), name)
        rows = apart_rows(group_numbers(groups, self.n_points), self.n_clusters, name)
        return self.whole() if rows is None else self.whole()._with_rows([rows])

    def limit(self, groups: ArrayLike, least: int = 0, most: int | None = None, *, name: str = "limit") -> Self:
        """The polytope in which a cluster holds no point of a group, or from ``least`` to ``most`` of them, whole.

        Parameters
        ----------
        groups : (n,) array_like
            Group of every point; None, NaN or an empty text for a point that is in none. Or booleans, for one group.
        least, most : int
            Numbers of points: at least ``least`` wherever there is one, and at most ``most``; all when not given.
        name : str
            What the rows are called.

        Raises
        ------
        InvalidInputError
            If there is not one group per point, a number is not usable, or the name is taken.

        Notes
        -----
        With ``least`` above 1 one binary column per group and cluster is added. `check` names a group that is too small
        or too large.

        Examples
        --------
        >>> from partitope.models import PartitionPolytope
        >>> pairs = PartitionPolytope(4, 1, 3, n_clusters=2).limit([True, True, False, False], least=2)
        >>> pairs.contains([0, 0, 1, 1]), pairs.contains([0, 1, 1, 1])
        (True, False)
        """
        given = as_array(groups, "groups")
        numbers = group_numbers(np.where(given, "in", "") if given.dtype == bool else groups, self.n_points)
        least = whole_number(least, "least", 0)
        most = whole_number(self.n_points if most is None else most, "most", max(least, 1))
        return self.subject_to(GroupCounts(name, numbers, least, most))

    def optional(
        self,
        least: int | None = None,
        most: int | None = None,
        cost: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
    ) -> Self:
        """The polytope with clusters that are either within their bounds or empty, and whole points.

        Parameters
        ----------
        least, most : int, optional
            How many clusters are open; 1 and all when not given.
        cost : number or (k,) array_like, optional
            What an open cluster costs, in the unit of the objective, which is less by it; 0 when not given.
        clusters : (c,) array_like of int, optional
            The clusters that may stay closed, of which ``least`` to ``most`` are open; every other one holds at least
            one point. All clusters when not given.

        Raises
        ------
        InvalidInputError
            When a cluster index is out of range, or a cost is negative.
        """
        k = self.n_clusters
        if clusters is None:
            return self.with_constraint(checked_openings(least, most, cost, k))
        free = np.unique(numbers_below(clusters, "clusters", k))
        others = np.setdiff1d(np.arange(k), free)
        low = whole_number(0 if least is None else least, "least", 0, free.size)
        up = whole_number(free.size if most is None else most, "most", low, free.size)
        stated = self.with_constraint(checked_openings(max(low + others.size, 1), up + others.size, cost, k))
        if not others.size:
            return stated
        inside = np.zeros((others.size, self.n_points, k))
        inside[np.arange(others.size), :, others] = 1.0
        return stated.add_rows("clusters in use", inside, lower=1.0)

    def connected(self, edges: Any) -> Self:
        """The polytope whose clusters are connected in a graph of the points, which are whole.

        Parameters
        ----------
        edges : (e, 2) or (e, 3) array_like, networkx.Graph, (n, n) sparse matrix, GeoDataFrame or dict
            Pairs of points that are neighbours, in either direction, a third column with weights; a graph of nodes 0
            to n - 1, whose edges may have the attribute ``weight``; or an adjacency, whose entries other than zero are
            edges with these weights; or a map, a GeoDataFrame or FeatureCollection of GeoJSON, where areas with a
            common border are neighbours, with its length. Weights count in ``ConnectedPartitioner(objective="cut")``
            alone. Self-loops are ignored.

        Raises
        ------
        InvalidInputError
            When the edges name other points than these, or clusters are connected in another graph already.

        Notes
        -----
        Whether there is such a clustering is NP-hard to decide; `check` refuses what shows without a search:
        components of the graph that cannot be served, and points too heavy for their neighbours. `solve` proves it.

        Examples
        --------
        >>> from partitope.models import PartitionPolytope
        >>> path = PartitionPolytope(4, 2, 2, n_clusters=2).connected([[0, 1], [1, 2], [2, 3]])
        >>> path.contains([0, 0, 1, 1]), path.contains([0, 1, 1, 0])
        (True, False)
        """
        if self.connection is not None:
            raise InvalidInputError("edges were given before: call connected() once, with all of them")
        return self.with_constraint(Connection.of(edges, self.n_points))

    def subject_to(self, *constraints: Constraint) -> Self:
        """The polytope whose clusterings keep these constraints, too; its points are whole.

        Parameters
        ----------
        *constraints : Constraint
            Objects of classes of your own, see `partitope.models.Constraint`.

        Raises
        ------
        InvalidInputError
            If one is not a constraint, or its name is taken.

        Notes
        -----
        `solve`, fits that take a polytope of whole points, exports and `read_back` keep them. The linear program
        without them bounds the optimum.
        """
        check_names(constraints)
        return self.whole()._with_rows(constraints)

    def formulations(self) -> dict[str, Formulation]:
        """The rows of every constraint that programs do not know by themselves, by name; CapabilityError where one has
        none."""
        known = {rows.name for rows in self.further}
        stated = (part for part in self.constraints if not part.has_rows_of_its_own and part.name not in known)
        return {constraint.name: constraint.formulation(self) for constraint in stated}

    def with_links(self, more: Links, name: str = "cannot_link") -> Self:
        """The polytope with more links of its points, whole; the rows of a name keep points apart. Raises what `apart`
        raises."""
        before = self._stated(Together) or Together(Links(self.n_points))
        links = before.links.and_also(more)
        if not more:
            return self.whole()
        names = (*before.names, name) if len(more.cannot) else before.names
        found = self.with_constraint(replace(before, links=links, names=names))
        if not len(more.cannot):
            return found
        pairs = np.repeat(np.arange(len(more.cannot)), 2)
        return found._with_rows([
            once_a_cluster(pairs, more.cannot.ravel(), self.n_points, self.n_clusters, name)
        ])  # fmt: skip

    def _with_rows(self, more: Sequence[Constraint]) -> Self:
        return replace(self, constraints=(*self.constraints, *more))
