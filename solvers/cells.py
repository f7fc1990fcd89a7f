"""Cells: the space in which the clusters of a strategy are the cells of a power diagram, and that diagram.

    (1)  cell of x  =  cell of Phi(x) in a power diagram           Phi an embedding of the rows; the identity when None

Strategies that cluster the points as they are have Phi = id. Others cluster an image of the points: a linear one, the
log-likelihoods of the classes, features of a kernel, or scores of the clusters, where the largest score wins (the
cells of the unit vectors). Every embedding is a frozen dataclass of arrays, so that fitted cells can be written as
plain data and read back without running code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.checks import as_floats, finite_rows, refuse_masked
from ..base.errors import InvalidInputError
from ..models.diagram.power_diagram import PowerDiagram
from ..models.scores.quadratic import lift
from ..models.scores.scores import dense_rows, is_sparse


class Embedding:
    """A map of rows into the space of the cells; subclasses are frozen dataclasses of arrays and plain values."""

    reads_tables: ClassVar[bool] = False
    """Whether rows are a DataFrame of mixed columns, instead of an array of numbers."""

    def __call__(self, X: Any, covariates: Any = None) -> NDArray[np.float64]:
        """Images (m, p) of rows X (m, d), with their covariates (m, c) where the embedding uses them."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class LinearEmbedding(Embedding):
    """x -> (x - mean) W."""

    components: NDArray[np.float64]  # (d, p): W
    mean: NDArray[np.float64]  # (d,): Mean of the training points.

    def __call__(self, X: Any, covariates: Any = None) -> NDArray[np.float64]:
        """Images (m, p) of the rows of X (m, d); covariates are not used."""
        return (finite_rows(X, n_columns=len(self.mean)) - self.mean) @ self.components


@dataclass(frozen=True, eq=False)
class LiftedPoints(Embedding):
    """x -> (y, y_p y_q for p <= q) with y = x - origin: quadratic functions of x are linear in the image."""

    origin: NDArray[np.float64]  # (d,): What coordinates are measured from.

    def __call__(self, X: Any, covariates: Any = None) -> NDArray[np.float64]:
        """Images (m, d + d (d + 1) / 2) of the rows of X (m, d); covariates are not used."""
        return lift(finite_rows(X, n_columns=len(self.origin)) - self.origin)


@dataclass(frozen=True, eq=False)
class WithAttributes(Embedding):
    """x -> (x, a): points with the attributes that side constraints of the program charge for, a number per name."""

    names: tuple[str, ...]  # Names of the attributes.
    base: Embedding | None = None  # Embedding that maps a row to x; None takes rows as they are.

    def __call__(self, X: Any, covariates: Any = None) -> NDArray[np.float64]:
        """Images (m, d + r) of the rows X (m, d) with covariates (m, r), or a DataFrame with a column per name."""
        wanted = f"covariates, one column each for {', '.join(self.names)}"
        if covariates is None:
            raise InvalidInputError(f"X alone does not tell the cell: pass {wanted}")
        if hasattr(covariates, "columns"):
            missing = [name for name in self.names if name not in covariates.columns]
            if missing:
                raise InvalidInputError(f"covariates have no column {missing[0]!r}: pass {wanted}")
            covariates = covariates[list(self.names)]
        images: Any = X if self.base is None else self.base(X)
        points = dense_rows(images if is_sparse(images) else as_floats(images, "X"), slice(None))
        table = as_floats(covariates, "covariates")
        table = table[:, None] if table.ndim == 1 else table
        if table.shape != (len(points), len(self.names)) or not np.isfinite(table).all():
            raise InvalidInputError(
                f"covariates have shape {table.shape}, expected finite numbers ({len(points)}, {len(self.names)}): "
                f"pass {wanted}"
            )
        return np.concatenate([points, table], axis=1)


@dataclass(frozen=True, eq=False)
class Cells:
    """Which cluster a new row belongs to."""

    embedding: Embedding | None  # Embedding phi of (1); None takes rows as they are.
    diagram: PowerDiagram  # The cells of the images.
    without_covariates: PowerDiagram | None = None

    def for_rows(self, covariates: ArrayLike | None) -> Cells:
        """The cells that hold rows with these covariates: rows without any may have cells of their own."""
        refuse_masked(covariates, "covariates")  # also where cells do not look at them
        if covariates is None and self.without_covariates is not None:
            return Cells(None, self.without_covariates)
        return self

    def images(self, X: ArrayLike, covariates: ArrayLike | None = None) -> Any:
        """Rows X (m, d) in the space (m, p) of the cells that `for_rows` names."""
        refuse_masked(X, "X")
        embedding = self.for_rows(covariates).embedding
        return X if embedding is None else embedding(X, covariates)

    def predict(self, X: Any, covariates: Any = None) -> Any:
        """Cell (m,) of every row of X (m, d); a Dask array gives a Dask array."""
        if hasattr(X, "map_blocks"):
            more = [] if covariates is None else [_in_blocks(covariates, X)]
            return X.map_blocks(self.predict, *more, drop_axis=1, dtype=np.int64, meta=np.empty(0, dtype=np.int64))
        return self.for_rows(covariates).diagram.predict(self.images(X, covariates))

    def locate(self, X: Any, covariates: Any = None) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Cell (m,) of every row of X (m, d), and its distance (m,) to the nearest boundary there."""
        diagram, images = self.for_rows(covariates).diagram, self.images(X, covariates)
        labels = diagram.predict(images)
        return labels, diagram.margin(images, labels)


def _in_blocks(covariates: Any, X: Any) -> Any:
    """Covariates as a Dask array (m, c), cut where the rows of the Dask array X are."""
    import dask.array as da

    table = covariates if hasattr(covariates, "map_blocks") else da.from_array(np.asarray(covariates, dtype=np.float64))
    table = table[:, None] if table.ndim == 1 else table
    if table.shape[0] != X.shape[0]:
        raise InvalidInputError(f"covariates have {table.shape[0]} rows, X has {X.shape[0]}: pass one row per row of X")
    return table.rechunk((X.chunks[0], -1))


def largest_score(k: int) -> PowerDiagram:
    """Cells of k scores: a row of scores (k,) is in the cell of its largest entry, ties to the smallest index."""
    return PowerDiagram(np.eye(k), np.zeros(k), "csa")
