"""The assignment program with its n k variables xi_ij written out, for explicit solvers, files and modelling tools.

    (1)  sum_i xi_ij = 1                        for every point j
    (2)  l_i <= sum_j w_j xi_ij <= u_i          for every cluster i
    (3)  xi_ij >= 0                             xi_ij = 0 where the pair is not allowed; xi_ij <= 1 follows from (1)
    (4)  b_q <= sum_ij a_qij xi_ij <= B_q       side constraints, see `partitope.models.polytope.rows`

and, where they are stated (`partitope.models.polytope.whole_points`),

    (5)  xi_ij in {0, 1}                        whole points
    (6)  xi_ij = xi_il                          l the first point of the group that j stays together with
    (7)  l_i z_i <= sum_j w_j xi_ij <= u_i z_i  instead of (2) and of (4) where these bound sizes; z_i in {0, 1}
    (8)  xi_ij <= z_i                           for points j of no weight
    (9)  least <= sum_i z_i <= most             open clusters, which cost cost_i z_i
    (10) c_q <= sum a_q (xi, y) <= C_q          constraints with columns y of their own
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..formats.arrays import Block, BlockRows
from ..polytope.constraint import Columns, Formulation
from ..polytope.rows import Rows, stacked
from .program import Program

if TYPE_CHECKING:
    import scipy.sparse as sp


@dataclass(frozen=True, eq=False)
class ExplicitProgram:
    """Coefficients of an assignment program. Shapes: cost (n, k), weights (n,), lower, upper (k,), allowed (n, k),
    blocks (n,)."""

    cost: NDArray
    weights: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    maximise: bool = True
    allowed: NDArray[np.bool_] | None = None
    further: tuple[Rows, ...] = ()
    whole: bool = False
    blocks: NDArray[np.int64] | None = None
    open_costs: NDArray[np.float64] | None = None  # (k,): Costs of open clusters, where some may be closed.
    open_numbers: tuple[int, int] = (1, 1)
    constraints: Mapping[str, Formulation] = field(default_factory=dict)  # Constraints of (10), by name.

    @property
    def shape(self) -> tuple[int, int]:
        """(n, k)."""
        return self.cost.shape[0], self.cost.shape[1]

    @property
    def objective(self) -> str:
        """What the objective is called."""
        return "total_score" if self.maximise else "total_cost"

    @cached_property
    def costs(self) -> NDArray[np.float64]:
        """Objective (c,) of xi, z and y."""
        found, z, width = self.cost.ravel(), self.open_costs, sum(rows.width for rows in self.constraints.values())
        if z is not None:
            found = np.append(found, -z if self.maximise else z)
        return np.append(found, np.zeros(width)) if width else found

    @property
    def variables(self) -> Iterator[tuple[Columns, slice]]:
        """The further variables z and y with their names, and their columns."""
        start = self.cost.size
        found = [] if self.open_costs is None else [Columns("open", self.shape[1])]
        for name, rows in self.constraints.items():
            found += [part._replace(name=f"y_{name}_{part.name}") for part in rows.columns]
        for part in found:
            yield part, slice(start, start := start + part.length)

    @property
    def program(self) -> Program:
        """(1)-(10) with one row per bound, as modelling languages write it; column j k + i is xi_ij."""
        n, k = self.shape
        count, columns = self.costs.size, [Block.grid("assign", n, k)]
        upper, whole = np.full(count, 1.0 if self.whole else np.inf), np.full(count, self.whole)
        if self.allowed is not None:
            upper[: n * k][~self.allowed.ravel()] = 0.0
        for part, place in self.variables:
            upper[place], whole[place] = part.upper, part.integral
            columns.append(Block.grid(part.name, part.length))
        return Program.of_blocks(
            self.costs, self.row_blocks, lower=np.zeros(count), upper=upper, integral=whole if whole.any() else None,
            maximise=self.maximise, columns=tuple(columns), name="assignment", objective=self.objective,
        )  # fmt: skip

    @property
    def bounded(self) -> Program:
        """`program` with xi_ij <= 1, which is redundant, but makes HiGHS's simplex method ten times faster."""
        program, pairs = self.program, self.cost.size
        upper = np.append(np.minimum(program.upper[:pairs], 1.0), program.upper[pairs:])
        return replace(program, upper=upper)

    @property
    def two_sided(self) -> Program:
        """(1)-(4) with xi_ij <= 1, one row for both bounds, and no names: what is written fastest."""
        matrix, low, up = stacked(self.weights, self.lower, self.upper, self.further)
        n, k = self.shape
        upper = np.ones(n * k) if self.allowed is None else self.allowed.ravel().astype(np.float64)
        whole = np.ones(n * k, dtype=bool) if self.whole else None
        return Program(self.costs, matrix, low, up, np.zeros(n * k), upper, whole, self.maximise, name="assignment")

    def comments(self, names: Sequence[str]) -> Iterator[str]:
        """What files say at their heads: the sense, and which rows bound what; names of the rows with prices."""
        if self.maximise:
            yield "Minimise minus the total score: the least value here is minus the largest total score."
        yield "assign_J_I: share of point J in cluster I; point_J: its shares sum to 1."
        called = ["size"] + [f"rows{t}" for t in range(1, 1 + len(self.further))]
        for ours, name in zip(called, names):
            yield f"{ours}_lower_Q, {ours}_upper_Q: bounds of {json.dumps(name)}"
        if self.blocks is not None:
            yield "together_J_I: point J lies in cluster I if the first point of its group does."
        if self.open_costs is not None:
            yield "open_I: 1 where cluster I is open; open_least_0, open_most_0: how many are."

    @property
    def row_blocks(self) -> list[BlockRows]:
        """All rows, block by block: ``point``, ``size_lower``, ``size_upper``, (4), and those of the statements."""
        (n, k), closing, clusters = self.shape, self.open_costs is not None, np.arange(self.shape[1])
        both = stacked(self.weights, self.lower, self.upper, ())[0].tocsr()
        sizes = both[n:]
        found: list[BlockRows] = [(Block.grid("point", n), both[:n], 1.0, 1.0)]
        found += [(Block.grid("size_lower", k), sizes, self.lower, np.inf)]
        found += [(Block.grid("size_upper", k), sizes, -np.inf, self.upper)]
        found += [rows for _, rows, _ in self._further_blocks()]
        if self.blocks is not None:
            first = np.unique(self.blocks, return_index=True)[1][self.blocks]
            rest = np.flatnonzero(first != np.arange(n))
            own, others = (points[:, None] * k + clusters for points in (rest, first[rest]))
            found.append((*_differences("together", own.ravel(), others.ravel(), k, n * k), 0.0, 0.0))
        if closing:
            found = self._with_open(found)
        start, width = n * k + k * closing, self.costs.size
        for name, rows in self.constraints.items():
            matrix = _padded(rows.matrix, n * k, start, width)
            found += [part for part, _ in _sided(name, np.arange(len(rows.lower)), matrix, rows.lower, rows.upper)]
            start += rows.width
        if self.constraints:
            found = [(b, _padded(matrix, matrix.shape[1], width, width), *sides) for b, matrix, *sides in found]
        return found

    def _with_open(self, found: list[BlockRows]) -> list[BlockRows]:
        """The rows with columns for z, and (8) and (9)."""
        import scipy.sparse as sp

        (n, k), clusters = self.shape, np.arange(self.shape[1])
        sized = {"size"} | {f"rows{number}" for number, rows in enumerate(self.further, 1) if rows.is_size}
        found = [_opened(rows, k, rows[0].name.partition("_")[0] in sized) for rows in found]
        light = np.flatnonzero(self.weights <= 0)[:, None] * k + clusters
        if light.size:
            tied = _differences("open_if", light.ravel(), n * k + light.ravel() % k, k, n * k + k)
            found.append((*tied, -np.inf, 0.0))
        count = sp.csr_array((np.ones(k), (np.zeros(k, int), n * k + clusters)), shape=(1, n * k + k))
        least, most = self.open_numbers
        found.append((Block.grid("open_least", 1), count, float(least), np.inf))
        found.append((Block.grid("open_most", 1), count, -np.inf, float(most)))
        return found

    def row_duals(self, of_block: Callable[[str], NDArray[np.float64]]) -> list[NDArray[np.float64]]:
        """Duals (k,) of (2), and (q,) of the rows (4) name by name, from those of the blocks of their bounds."""
        found = [of_block("size_lower") + of_block("size_upper"), *(np.zeros(len(rows)) for rows in self.further)]
        for number, rows, finite in self._further_blocks():
            found[number][finite] += of_block(rows[0].name)
        return found

    def _further_blocks(self) -> Iterator[tuple[int, BlockRows, NDArray[np.int64]]]:
        """The finite bounds of the rows (4) name by name: the place of the name, rows, and which of them."""
        for number, rows in enumerate(self.further, 1):
            parts = _sided(
                rows.exported or f"rows{number}", rows.index, rows.matrix(self.shape[1]), rows.lower, rows.upper
            )
            yield from ((number, (replace(block, doc=rows.name), *sides), finite) for (block, *sides), finite in parts)


def _sided(
    name: str, index: NDArray[np.int64], matrix: sp.csr_array, lower: NDArray[np.float64], upper: NDArray[np.float64]
) -> Iterator[tuple[BlockRows, NDArray[np.int64]]]:
    """The finite bounds of rows (q,), first the lower and then the upper ones, and which rows have them."""
    for end, bounds in (("lower", lower), ("upper", upper)):
        finite = np.flatnonzero(np.isfinite(bounds))
        if finite.size:
            called = index[finite] if np.unique(index[finite]).size == finite.size else finite
            sides = (bounds[finite], np.inf) if end == "lower" else (-np.inf, bounds[finite])
            yield (Block(f"{name}_{end}", called), matrix[finite], *sides), finite


def _padded(matrix: sp.csr_array, first: int, start: int, width: int) -> sp.csr_array:
    """The rows (q, c) over ``width`` columns: the first ones in their places, the others from ``start`` on."""
    import scipy.sparse as sp

    index = np.where(matrix.indices < first, matrix.indices, matrix.indices + (start - first))
    return sp.csr_array((matrix.data, index, matrix.indptr), shape=(matrix.shape[0], width))


def _differences(name: str, plus: NDArray[np.int64], minus: NDArray[np.int64], k: int, width: int) -> tuple[Block, Any]:
    """One row per pair of columns (p,), their difference; named by point and cluster."""
    import scipy.sparse as sp

    rows, ones = np.arange(plus.size), np.ones(plus.size)
    where = (np.append(rows, rows), np.append(plus, minus))
    matrix = sp.csr_array((np.append(ones, -ones), where), shape=(plus.size, width))
    return Block(name, np.column_stack(np.divmod(plus, k))), matrix


def _opened(rows: BlockRows, k: int, is_size: bool) -> BlockRows:
    """The rows with k more columns: (7) where they bound the sizes of all or some clusters."""
    import scipy.sparse as sp

    block, matrix, low, up = rows
    if not is_size:
        return block, sp.csr_array(sp.hstack([matrix, sp.csr_array((block.size, k))])), low, up
    bounds = np.where(np.isfinite(low), low, up)
    more = sp.csr_array((-bounds, (np.arange(block.size), block.index)), shape=(block.size, k))
    more.eliminate_zeros()
    return block, sp.csr_array(sp.hstack([matrix, more])), low - bounds, up - bounds
