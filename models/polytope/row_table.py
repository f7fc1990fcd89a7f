"""The side constraints of a polytope in one table: attributes, and one sparse matrix of all other rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import scipy.sparse as sp

    from .rows import Rows


@dataclass(frozen=True, eq=False)
class RowTable:
    """Rows (4) and then rows (5) of `rows`: q = q2 + q3 in all."""

    further: Sequence[Rows]  # The rows, those of attributes first.
    attributes: NDArray[np.float64]  # (n, r): Attributes of all rows (4), as columns.
    clusters: NDArray[np.int64]  # (q2,)
    coefficients: NDArray[np.float64]  # (q2, r): Coefficients, zeros for the attributes of other rows.
    pairs: sp.csr_array  # (q3, n k)

    @classmethod
    def of(cls, further: Sequence[Rows], n: int, k: int) -> RowTable:
        """The table of rows of n points and k clusters, those of attributes first."""
        import scipy.sparse as sp
        from scipy.linalg import block_diag

        own = [rows for rows in further if rows.attributes is not None]
        others = [rows.matrix(k) for rows in further if rows.attributes is None]
        return cls(
            further,
            np.concatenate([np.empty((n, 0)), *(rows.attributes for rows in own)], axis=1),
            np.concatenate([np.empty(0, np.int64), *(rows.clusters for rows in own)]),
            block_diag(np.empty((0, 0)), *(rows.coefficients for rows in own)),
            sp.csr_array(sp.vstack(others)) if others else sp.csr_array((0, n * k)),
        )

    def _all(self, part: str) -> NDArray[np.float64]:
        return np.concatenate([np.empty(0), *(getattr(rows, part) for rows in self.further)])

    @cached_property
    def lower(self) -> NDArray[np.float64]:
        """Lower sides (q,)."""
        return self._all("lower")

    @cached_property
    def upper(self) -> NDArray[np.float64]:
        """Upper sides (q,)."""
        return self._all("upper")

    @cached_property
    def extent(self) -> NDArray[np.float64]:
        """Largest absolute value (q,) that a left-hand side can take, or more."""
        return np.concatenate([np.empty(0), *(rows.extent() for rows in self.further)])

    @cached_property
    def largest(self) -> NDArray[np.float64]:
        """Largest absolute coefficient (q,) of the rows."""
        return np.concatenate([np.empty(0), *(rows.largest() for rows in self.further)])
