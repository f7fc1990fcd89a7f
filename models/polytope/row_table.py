"""The rows of a polytope in one table: sizes first, in attributes of points, and one sparse matrix of custom rows."""

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
    """Rows (4) and then rows (5) of `rows`: q = q2 + q3 in all; what is asked for is made once."""

    rows: Sequence[Rows]  # The rows, those of attributes first.
    n_clusters: int

    @cached_property
    def _own(self) -> list[Rows]:
        return [part for part in self.rows if part.attributes is not None]

    @cached_property
    def attributes(self) -> NDArray[np.float64]:
        """Attributes (n, r) of all rows (4), as columns."""
        return np.column_stack([part.attributes for part in self._own if part.attributes is not None])

    @cached_property
    def clusters(self) -> NDArray[np.int64]:
        """The cluster (q2,) of every row (4)."""
        return np.concatenate([part.clusters for part in self._own])

    @cached_property
    def coefficients(self) -> NDArray[np.float64]:
        """Coefficients (q2, r) of rows (4), zeros for the attributes of other rows."""
        from scipy.linalg import block_diag

        return block_diag(*(part.coefficients for part in self._own))

    @cached_property
    def pairs(self) -> sp.csr_array:
        """Coefficients (q3, n k) of rows (5)."""
        import scipy.sparse as sp

        others = [part.matrix(self.n_clusters) for part in self.rows if part.attributes is None]
        return sp.csr_array(sp.vstack(others) if others else (0, len(self.attributes) * self.n_clusters))

    @cached_property
    def lower(self) -> NDArray[np.float64]:
        """Lower sides (q,)."""
        return np.concatenate([part.lower for part in self.rows])

    @cached_property
    def upper(self) -> NDArray[np.float64]:
        """Upper sides (q,)."""
        return np.concatenate([part.upper for part in self.rows])

    @cached_property
    def extent(self) -> NDArray[np.float64]:
        """Largest absolute value (q,) that a left-hand side can take, or more."""
        return np.concatenate([part.extent() for part in self.rows])

    @cached_property
    def largest(self) -> NDArray[np.float64]:
        """Largest absolute coefficient (q,) of the rows."""
        return np.concatenate([part.largest() for part in self.rows])
