"""Capacitated medoids: which sites to open, and which points they serve, as a mixed-integer program.

Sets        points j = 0..n-1, candidate sites i = 0..m-1
Data        costs D_ji of serving point j from site i, point weights w_j >= 0, opening costs c_i,
            bounds l_i <= u_i on the weight that an open site serves
Variables   xi_ji whether site i serves point j, z_i whether site i is open

    min  sum_ji D_ji xi_ji + sum_i c_i z_i
    (1)  sum_i xi_ji = 1                          for every point j
    (2)  l_i z_i <= sum_j w_j xi_ji <= u_i z_i    for every site i
         sum_j v_jr xi_ji <= q_ir z_i             for further demands v_jr and capacities q_ir, if there are any
    (3)  xi_ji <= z_i
    (4)  least <= sum_i z_i <= most
    (5)  xi_o(i)i = z_i                           where site i is a point o(i): a medoid belongs to its cluster;
         sum_j xi_ji >= z_i                       if sites are not points: no cluster is empty
    (6)  xi_ji, z_i in {0, 1}

Costs ignore weights: a heavy point is no farther than a light one. Without (3) the program has the same solutions and
a far weaker relaxation.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...base.checks import as_array, as_floats, checked_labels, finite_rows, finite_vector
from ...base.errors import InvalidInputError
from ...base.one_line import OneLine
from ..formats.arrays import Block, BlockRows
from ..polytope.sized_polytope import SLACK
from .program import Program


@dataclass(frozen=True, eq=False, repr=False)
class MedoidLocationMIP(OneLine):
    """The program as numbers for a MIP code.

    Parameters
    ----------
    costs : (n, m) ndarray
        D, finite numbers.
    weights : (n,) ndarray
        Of points, at least 0.
    lower, upper : float or (m,) array_like
        Bounds on the weight that a site serves, kept as arrays (m,); one number for all sites.
    least, most : int
        Number of clusters.
    opening : (m,) ndarray
        Opening costs.
    own : (m,) ndarray of int or None
        The point of every site; None if sites are not points.
    allowed : (n, m) ndarray of bool or None
        Pairs of point and site that may be used; all of them when None.
    demands : (n, r) ndarray or None
        Further demands of the points, at least 0.
    capacities : (m, r) ndarray or None
        The largest sums of these that a site serves.

    Raises
    ------
    InvalidInputError
        When shapes disagree, or a number is missing.

    Notes
    -----
    Up to (n + 1) m columns, one per pair or site; `partitope.solvers.MedoidPartitioner` takes out pairs
    that reduced costs exclude.

    References
    ----------
    Lorena and Senne (2004), A column generation approach to capacitated p-median problems, Computers and Operations
    Research 31.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.models import MedoidLocationMIP
    >>> costs = np.abs(np.subtract.outer([0.0, 1.0, 5.0], [0.0, 1.0, 5.0]))
    >>> model = MedoidLocationMIP(costs, np.ones(3), 0.0, [2.0, 2.0, 1.0], 2, 2, np.zeros(3), np.arange(3))
    >>> model.value(np.array([0, 0, 2]))
    1.0
    """

    costs: NDArray[np.float64]
    weights: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    least: int
    most: int
    opening: NDArray[np.float64]
    own: NDArray[np.int64] | None = None
    allowed: NDArray[np.bool_] | None = None
    demands: NDArray[np.float64] | None = None
    capacities: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        costs = finite_rows(self.costs, "costs")
        n, m = costs.shape
        checked: dict[str, NDArray] = {"costs": costs}
        for name, size, of in (("opening", m, "site"), ("weights", n, "point")):
            checked[name] = finite_vector(getattr(self, name), name, size, of)
        for name in ("lower", "upper"):
            bound = as_floats(getattr(self, name), name)
            if bound.shape not in ((), (m,)) or np.isnan(bound).any():
                raise InvalidInputError(
                    f"{name} has shape {bound.shape}, expected a number, or {m} of them, one per site"
                )
            checked[name] = np.broadcast_to(bound, m)
        if self.own is not None:
            checked["own"] = checked_labels(self.own, m, n, "own")
        if self.allowed is not None:
            allowed = checked["allowed"] = as_array(self.allowed, "allowed")
            if allowed.shape != (n, m) or allowed.dtype != bool:
                raise InvalidInputError(
                    f"allowed has shape {allowed.shape} of {allowed.dtype}, expected {(n, m)} of bool"
                )
        if self.demands is not None or self.capacities is not None:
            given = (as_floats(getattr(self, name), name) for name in ("demands", "capacities"))
            for (name, lines), value in zip((("demands", n), ("capacities", m)), given):
                if value.ndim != 2 or len(value) != lines or not (value >= 0).all():
                    raise InvalidInputError(f"{name} has shape {value.shape}, expected ({lines}, r) of at least 0")
                checked[name] = value
            if checked["demands"].shape[1] != checked["capacities"].shape[1]:
                raise InvalidInputError("demands and capacities differ in their columns: pass a capacity per demand")
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def n_points(self) -> int:
        """n."""
        return self.costs.shape[0]

    @property
    def n_sites(self) -> int:
        """m."""
        return self.costs.shape[1]

    @property
    def pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Points (p,) and sites (p,) of the columns xi, row by row."""
        points, sites = np.nonzero(np.ones(self.costs.shape, dtype=bool) if self.allowed is None else self.allowed)
        return points.astype(np.int64), sites.astype(np.int64)

    @property
    def program(self) -> Program:
        """(1)-(6): columns ``assign`` for pairs of point and site, and ``open`` (m,)."""
        import scipy.sparse as sp

        points, sites = self.pairs
        p, (n, m) = points.size, self.costs.shape
        at, ones = np.arange(p), np.ones(p)
        once = sp.csr_array((ones, (points, at)), shape=(n, p + m))
        demands, capacities = self._demands
        most = np.minimum(capacities, demands.sum(axis=0))
        units = np.maximum(np.minimum(most, 1.0), 1e-4 * most)  # neither tolerances nor rounding of HiGHS break a bound
        units[units == 0.0] = 1.0
        fits = (demands[points] <= most[sites] * (1.0 + SLACK)).all(axis=1)  # for others rows have no coefficients
        binding = (capacities < demands.sum(axis=0)).any(axis=0)  # other capacities follow from (3)

        def bounded(r: int, sides: NDArray[np.float64]) -> sp.csr_array:
            # HiGHS errs with coefficients near its tolerance; without them the program is a relaxation
            counted = np.where(demands[points, r] > 4.0 * SLACK * most[sites, r], fits * demands[points, r], 0.0)
            sums = sp.csr_array((counted / units[sites, r], (sites, at)), shape=(m, p))
            return sp.hstack([sums, sp.diags_array(-sides / units[:, r])])

        tied = sp.csr_array((np.append(ones, -ones), (np.append(at, at), np.append(at, p + sites))), shape=(p, p + m))
        count = sp.csr_array((np.ones(m), (np.zeros(m, int), p + np.arange(m))), shape=(1, p + m))
        low, pairs = np.full(p, -np.inf), np.column_stack([points, sites])
        if self.own is not None:
            low[points == self.own[sites]] = 0.0
        rows: list[BlockRows] = [
            (Block.grid("point", n), once, 1.0, 1.0),
            (Block("open_if", pairs), tied, low, 0.0), (Block.grid("open_count", 1), count, self.least, self.most),
        ]  # fmt: skip
        if (self.lower > 0).any():
            low_sides = np.minimum(self.lower, demands[:, 0].sum())
            rows.append((Block.grid("size_lower", m), bounded(0, low_sides), 0.0, np.inf))
        for r in np.flatnonzero(binding).tolist():
            name = f"demand_{r - 1}" if r else "size_upper"
            rows.append((Block.grid(name, m), bounded(r, most[:, r]), -np.inf, 0.0))
        if self.own is None:
            members = sp.csr_array((ones, (sites, at)), shape=(m, p))
            rows.append((Block.grid("filled", m), sp.hstack([members, -sp.eye_array(m)]), 0.0, np.inf))
        usable = np.append(fits, np.ones(m))
        if self.own is not None and self.allowed is not None:
            usable[p:] = self.allowed[self.own, np.arange(m)]
        return Program.of_blocks(
            np.append(self.costs[points, sites], self.opening), rows, lower=np.zeros(p + m), upper=usable,
            integral=np.ones(p + m, dtype=bool), columns=(Block("assign", pairs), Block.grid("open", m)),
            name="medoid_location", objective="total_cost",
        )  # fmt: skip

    @property
    def _demands(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Demands (n, 1 + r) and capacities (m, 1 + r); weights and their upper bounds are the first."""
        demands, capacities = self.weights[:, None], self.upper[:, None]
        if self.demands is None or self.capacities is None:
            return demands, capacities
        return np.hstack([demands, self.demands]), np.hstack([capacities, self.capacities])

    @cached_property
    def parts(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Demands (n, 1 + r), capacities (m, 1 + r) and lower bounds (m,), each as parts of the whole demand; bounds
        are wider by `SLACK`, as a fraction of the bound itself."""
        demands, capacities = self._demands
        total = np.maximum(demands.sum(axis=0), 1e-300)
        most = np.minimum(capacities / total, 1.0)
        return demands / total, most * (1.0 + SLACK), self.lower / total[0] * (1.0 - SLACK)

    def columns_of(self, served: NDArray[np.int64]) -> NDArray[np.float64]:
        """Columns of `program` for the site (n,) of every point; open are those that serve one."""
        points, sites = self.pairs
        served = checked_labels(served, self.n_points, self.n_sites, "served")
        opened = np.bincount(served, minlength=self.n_sites) > 0
        return np.concatenate([served[points] == sites, opened]).astype(np.float64)

    def served_by(self, columns: NDArray[np.float64]) -> NDArray[np.int64]:
        """The site (n,) of every point, from columns of `program`."""
        points, sites = self.pairs
        served = np.full(self.n_points, -1, dtype=np.int64)
        chosen = columns[: points.size] > 0.5
        served[points[chosen]] = sites[chosen]
        return served

    def value(self, served: NDArray[np.int64]) -> float:
        """The objective of the site (n,) of every point."""
        served = checked_labels(served, self.n_points, self.n_sites, "served")
        distances = self.costs[np.arange(self.n_points), served].sum()
        return float(distances + self.opening[np.unique(served)].sum())

    def contains(self, served: NDArray[np.int64]) -> bool:
        """Whether the site (n,) of every point, -1 for none, keeps (1)-(6)."""
        found = as_array(served, "served")
        if found.dtype.kind == "i" and (found < 0).any():
            return False
        served = checked_labels(found, self.n_points, self.n_sites, "served")
        opened, numbers = np.unique(served, return_inverse=True)
        demands, capacities, lower = self.parts
        sums = np.zeros((opened.size, demands.shape[1]))
        np.add.at(sums, numbers, demands)
        kept = bool((sums[:, 0] >= lower[opened]).all() and (sums <= capacities[opened]).all())
        if self.allowed is not None:
            kept &= bool(self.allowed[np.arange(self.n_points), served].all())
        if self.own is not None:
            kept &= bool((served[self.own[opened]] == opened).all())
        return kept and self.least <= opened.size <= self.most
