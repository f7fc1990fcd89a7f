"""What prices charge a point in a cluster, where more is priced than sizes in one dimension.

    net_ij = w_j gamma_ij - charge_ij,      charge_ij = w_j mu_i + sum_r A_jr N_ri + sum_q nu_q a_qij

with the attributes A and net prices N of rows (4) and the rows (5) of `rows`; net_ij is minus infinity where the pair
is not allowed. For any prices that obey the sign convention

    (6)  sum_j max_i net_ij + sum_q (B_q nu_q^+ - b_q nu_q^-)   >=   the value of any assignment

with the bounds on sizes among the rows q. So the prices alone are a certificate, of one pass over the pairs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...base.errors import InvalidInputError
from ..scores.shifted import UNIT

if TYPE_CHECKING:
    import scipy.sparse as sp

    from ..polytope.polytope import PartitionPolytope
    from ..programs.assignment import AssignmentModel
    from ..scores.scores import Scores


@dataclass(frozen=True, eq=False)
class PricedOutRows:
    """What side constraints charge for points at fixed prices."""

    polytope: PartitionPolytope  # Rows and mask.
    prices: Mapping[str, NDArray[np.float64]]  # Prices nu of the side constraints, by name.
    net: NDArray[np.float64]  # (r, k): N
    sparse: sp.csr_array | None  # (n, k): What rows (5) charge; None without such.

    @classmethod
    def of(cls, polytope: PartitionPolytope, prices: Mapping[str, NDArray[np.float64]] | None) -> PricedOutRows:
        """The charges at prices by name; rows that are not named have the price zero."""
        import scipy.sparse as sp

        given = {} if prices is None else dict(prices)
        full = {}
        for rows in polytope.further:
            nu = np.asarray(given.pop(rows.name, np.zeros(len(rows))), dtype=np.float64)
            if nu.shape != (len(rows),):
                raise InvalidInputError(f"prices of {rows.name!r} have shape {nu.shape}, expected ({len(rows)},)")
            full[rows.name] = nu
        if given:
            raise InvalidInputError(f"prices name {next(iter(given))!r}, expected {', '.join(polytope.row_names[1:])}")
        charged = (rows.charges(full[rows.name], polytope.n_clusters) for rows in polytope.further)
        net = np.concatenate([np.empty((0, polytope.n_clusters)), *charged])
        pairs = polytope.row_table.pairs
        if not pairs.shape[0]:
            return cls(polytope, full, net, None)
        nu = np.concatenate(list(full.values()))[-pairs.shape[0] :]
        return cls(polytope, full, net, sp.csr_array(np.reshape(nu @ pairs, (polytope.n_points, polytope.n_clusters))))

    def block(self, start: int, stop: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Charges (k, m) of the points start..stop, and bounds (k, m) on their rounding errors."""
        attributes = self.polytope.attributes[start:stop]
        charge = self.net.T @ attributes.T
        size = np.abs(self.net.T) @ np.abs(attributes).T
        if self.sparse is not None:
            more = self.sparse[start:stop].toarray().T
            charge = charge + more
            size += np.abs(more)
        steps = attributes.shape[1] + len(self.polytope.further) + 3.0
        return charge, steps * UNIT * size

    def dual(self) -> tuple[float, float]:
        """sum_q (B_q nu_q^+ - b_q nu_q^-) of the side constraints, and that with absolute values; not of sizes where
        clusters may be closed."""
        value = size = 0.0
        for rows in self.polytope.further:
            if self.polytope.may_close and rows.is_size:
                continue
            nu = self.prices[rows.name]
            bound = np.where(nu > 0, rows.upper, rows.lower)[nu != 0]
            value += float((nu[nu != 0] * bound).sum())
            size += float(np.abs(nu[nu != 0] * bound).sum())
        return value, size


def net_scores(
    model: AssignmentModel, prices: NDArray[np.float64], charges: PricedOutRows, start: int, stop: int
) -> NDArray[np.float64]:
    """net (m, k) of the points start..stop."""
    polytope = model.polytope
    return net_of(model.score_source, polytope, polytope.attributes, charges.net, charges.sparse, start, stop, prices)


def net_of(
    scores: Scores,
    points: Any,
    attributes: NDArray[np.float64],
    charges: NDArray[np.float64],
    singly: sp.csr_array,
    start: int,
    stop: int,
    prices: NDArray[np.float64] | float = 0.0,
) -> NDArray[np.float64]:
    """net (m, k) from the charges (r, k) of attributes and those of pairs; ``points`` has their weights and mask."""
    net = scores.rows(start, stop) - prices
    if points.weights is not None:
        net *= points.weights[start:stop, None]
    net -= attributes[start:stop] @ charges
    if singly is not None:
        net -= singly[start:stop].toarray()
    if points.allowed is not None:
        net[~points.allowed[start:stop]] = -np.inf
    return net
