"""Statements that ask for whole points: groups that stay together or apart, and clusters that may stay closed.

    (1)  xi_ij in {0, 1}                                       whole points
    (2)  xi_ij = xi_il                                         points j, l of one group stay together
    (3)  sum_{j in g} xi_ij <= 1          for every cluster i  points of one group g stay apart
    (4)  l_i z_i <= sum_j w_j xi_ij <= u_i z_i,  xi_ij <= z_i,  z_i in {0, 1},  least <= sum_i z_i <= most
                                                               a cluster is open, within its bounds, or empty

(2) contracts every group to one point of summed weights; (3) are side constraints; (4) holds in every size dimension.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import absent, as_array, as_floats, distinct
from ...base.errors import InfeasibleBoundsError, InvalidInputError
from ...base.messages import number, numbers
from ...base.record import Record
from .constraint import Constraint
from .rows import Rows, SparseRows
from .sized_polytope import SizedPolytope


@dataclass(frozen=True, eq=False)
class Openings(Constraint):
    """(4): how many clusters are open, and what each of them costs."""

    name = "open"
    kind: ClassVar[str] = "open clusters"
    has_rows_of_its_own: ClassVar[bool] = True
    least: int
    most: int
    cost: NDArray[np.float64]  # (k,): Cost of an open cluster, in the unit of the objective; none is negative.

    def __str__(self) -> str:
        return f"{self.least} to {self.most} open clusters"

    def violation(self, labels: NDArray[np.int64], polytope: SizedPolytope) -> str:
        """A number of clusters in use that is not allowed; bounds on sizes are those of the polytope."""
        if self.chosen(polytope, labels) is not None:
            return ""
        return f"{np.unique(labels).size} clusters are used, and not all others may be closed: {self}"

    def conflict(self, polytope: SizedPolytope) -> str | None:
        """Sums of bounds that no choice of open clusters keeps."""
        total, slack = polytope.total, polytope.slack
        room = float(np.sort(np.minimum(polytope.upper, total))[::-1][: self.most].sum())
        if room < total - self.most * slack:
            return (
                f"the {self.most} largest upper bounds sum to {number(room)}, less than {number(total)} in all: raise "
                f"upper, or let most be larger"
            )
        need = float(np.sort(polytope.lower)[: self.least].sum())
        if need > total + self.least * slack:
            return (
                f"the {self.least} smallest lower bounds sum to {number(need)}, more than {number(total)} in all: "
                f"reduce lower, or let least be smaller"
            )
        return None

    def contracted(self, polytope: SizedPolytope) -> Openings:
        """The same clusters open."""
        return self

    def weakest(self, polytope: SizedPolytope) -> Openings:
        """Any number of clusters open: without it, closed ones would have to be filled."""
        return Openings(1, polytope.n_clusters, np.zeros(polytope.n_clusters))

    def record(self) -> Record:
        """The arguments of `optional`."""
        return {"optional": {"least": self.least, "most": self.most, "cost": self.cost.tolist()}}

    def chosen(self, polytope: SizedPolytope, labels: NDArray[np.int64]) -> NDArray[np.bool_] | None:
        """Clusters (k,) that are open in a clustering (n,), at the least cost; None where (4) has no answer."""
        used = np.bincount(labels, minlength=polytope.n_clusters) > 0
        may = ~used & (polytope.lower <= polytope.slack)
        for rows in polytope.constraints:
            if isinstance(rows, Rows) and rows.is_size:
                may &= rows.lower <= 0.0
        more = self.least - int(used.sum())
        if used.sum() > self.most or more > int(may.sum()):
            return None
        if more > 0:
            empty = np.flatnonzero(may)
            used[empty[np.argsort(self.cost[empty], kind="stable")[:more]]] = True
        return used


def checked_openings(least: int | None, most: int | None, cost: ArrayLike | None, k: int) -> Openings:
    """What users say of clusters that may stay closed."""
    numbers: Record = {"least": 1 if least is None else least, "most": k if most is None else most}
    for name, value in numbers.items():
        if not isinstance(value, (int, np.integer)) or not 1 <= value <= k:
            raise InvalidInputError(f"{name}={value!r} is not a number of clusters: pass a whole number from 1 to {k}")
    if numbers["least"] > numbers["most"]:
        raise InvalidInputError(f"least={least} exceeds most={most}: exchange them")
    costs = as_floats(0.0 if cost is None else cost, "cost")
    if costs.shape not in ((), (1,), (k,)) or not np.isfinite(costs).all() or costs.min(initial=0.0) < 0.0:
        raise InvalidInputError(f"cost={cost!r} is not usable: pass one number of at least 0, or {k}, one per cluster")
    return Openings(int(numbers["least"]), int(numbers["most"]), np.broadcast_to(costs, (k,)).copy())


def group_numbers(groups: ArrayLike, n: int) -> NDArray[np.int64]:
    """Number (n,) of the group of every point, -1 where the entry is missing: None, NaN or an empty text."""
    values = as_array(groups, "groups")
    if values.shape != (n,):
        raise InvalidInputError(f"groups has shape {values.shape}, expected ({n},): one group per point, None for none")
    missing = absent(values)
    if values.dtype.kind in "OUT":
        missing |= np.array([isinstance(value, str) and not value.strip() for value in values.tolist()], dtype=bool)
    found = np.full(n, -1, dtype=np.int64)
    if not missing.all():
        found[~missing] = distinct(values[~missing], "groups")[1]
    return found


def joined_blocks(groups: NDArray[np.int64], before: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """Block (n,) of every point when the points of a group (n,), -1 for none, join their blocks so far."""
    n, member = groups.size, np.flatnonzero(groups >= 0)
    tails, heads = [member], [n + groups[member]]  # a node for every group, and for every block before
    if before is not None:
        tails.append(np.arange(n))
        heads.append(2 * n + before)
    return components(np.concatenate(tails), np.concatenate(heads), 3 * n)[:n]


def components(tails: NDArray[np.int64], heads: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Component (n,) of every node of a graph with edges (e,), numbered by their first node."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(tails.size), (tails, heads)), shape=(n, n))
    _, first, inverse = np.unique(connected_components(graph, directed=False)[1], return_index=True,
                                  return_inverse=True)  # fmt: skip
    return np.argsort(np.argsort(first))[inverse].astype(np.int64)


def common_pairs(blocks: NDArray[np.int64], allowed: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which clusters a mask (n, k) allows to all points of a block (n,): a mask of blocks."""
    common = np.ones((int(blocks.max()) + 1, allowed.shape[1]), dtype=bool)
    np.logical_and.at(common, blocks, allowed)
    return common


def unplaced(polytope: SizedPolytope, blocks: NDArray[np.int64]) -> tuple[NDArray[np.int64], str] | None:
    """The points of a block (n,) that no cluster can hold together, and why."""
    if polytope.allowed is not None:
        homeless = np.flatnonzero(~common_pairs(blocks, polytope.allowed).any(axis=1))
        if homeless.size:
            points = np.flatnonzero(blocks == homeless[0])
            return points, "but the mask leaves no cluster to all of them: allow one, or let them be apart"
    sizes, most = np.bincount(blocks, polytope.point_weights), float(polytope.upper.max())
    largest = int(sizes.argmax())
    if sizes[largest] <= most + polytope.slack:
        return None
    size, room = numbers(sizes[largest], most)
    upper = "upper" if polytope.names[0] == "size" else f"{polytope.names[0]} upper"
    text = f"of size {size}, but no cluster may exceed {upper}={room}: raise {upper}, or let them be apart"
    return np.flatnonzero(blocks == largest), text


def apart_rows(groups: NDArray[np.int64], k: int, name: str) -> SparseRows | None:
    """Rows (3) of the groups (n,) of several points; None where there is no such group."""
    n, member = groups.size, np.flatnonzero(groups >= 0)
    sizes = np.bincount(groups[member], minlength=1)
    largest = int(sizes.argmax())
    if sizes[largest] > k:
        points = np.flatnonzero(groups == largest)
        raise InfeasibleBoundsError(
            f"{points.size} points of one group (first {points[:3].tolist()}) have to be apart, but there are only "
            f"{k} clusters: split the group or ask for {points.size} clusters"
        )
    place = np.cumsum(sizes > 1) - 1
    member = member[sizes[groups[member]] > 1]
    return once_a_cluster(place[groups[member]], member, n, k, name) if member.size else None


def once_a_cluster(sets: NDArray[np.int64], points: NDArray[np.int64], n: int, k: int, name: str) -> SparseRows:
    """Rows (3) of sets 0, 1, ... of points: number (p,) of a set, and a point (p,) that is in it."""
    import scipy.sparse as sp

    rows, columns = ((numbers * k)[:, None] + np.arange(k) for numbers in (sets, points))
    shape = (int(sets.max() + 1) * k, n * k)
    matrix = sp.csr_array((np.ones(rows.size), (rows.ravel(), columns.ravel())), shape=shape)
    return SparseRows(name, matrix, np.full(shape[0], -np.inf), np.ones(shape[0]))
