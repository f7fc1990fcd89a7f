"""Cells: the space in which the clusters of a strategy are the cells of a power diagram, and that diagram.

    (1)  cell of x  =  cell of Phi(x) in a power diagram           Phi an embedding of the rows; the identity when None

Strategies that cluster the points as they are have Phi = id. Others cluster an image of the points: a linear one, the
log-likelihoods of the classes, features of a kernel, or scores of the clusters, where the largest score wins (the
cells of the unit vectors). Every embedding is a frozen dataclass of arrays, so that fitted cells can be written as
plain data and read back without running code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import wraps
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..base.checks import as_floats, finite_rows
from ..base.errors import CapabilityError, InvalidInputError
from ..models.diagram.power_diagram import PowerDiagram
from ..models.scores.quadratic import lift
from ..models.scores.scores import dense_rows, is_sparse

KINDS = {
    "linear": "partitope.solvers.embedding.LinearEmbedding",
    "lifted": "partitope.solvers.embedding.LiftedPoints",
    "attributes": "partitope.solvers.embedding.WithAttributes",
    "log-likelihoods": "partitope.solvers.predictive.log_likelihoods.LogLikelihoodEmbedding",
    "intervals": "partitope.stats.modl.parts.Intervals",
    "groups": "partitope.stats.modl.parts.Groups",
    "kernel-features": "partitope.solvers.conditional.extension.FeatureMap",
    "kernel": "partitope.solvers.conditional.extension.Extension",
    "covariate-basis": "partitope.solvers.conditional.residual.CovariateBasis",
    "covariate-table": "partitope.solvers.conditional.covariates.CovariateTable",
    "covariate-rules": "partitope.solvers.conditional.covariates.CovariateRules",
    "cluster-regressions": "partitope.solvers.alternatives.ccib.ClusterRegressions",
    "learner-scores": "partitope.solvers.alternatives.semi_supervised.LearnerScores",
}
"""Names, in stored states, of the classes that embeddings are made of; nothing else is built from a state."""

LARGEST = 1e150
"""Largest number that a stored diagram may hold: its squares, and their sums, are finite."""


def reads_state(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a ``from_dict``: a damaged state raises InvalidInputError that says what is wrong with it."""

    @wraps(function)
    def guarded(*args: Any, **options: Any) -> Any:
        try:
            return function(*args, **options)
        except InvalidInputError:
            raise
        except KeyError as error:
            raise InvalidInputError(f"the state lacks the entry {error}: pass what to_dict returned") from error
        except (TypeError, ValueError, IndexError, AttributeError) as error:
            raise InvalidInputError(f"the state is damaged ({error}): pass what to_dict returned") from error

    return guarded


class Embedding:
    """A map of rows into the space of the cells; subclasses are frozen dataclasses named in `KINDS`."""

    reads_tables: ClassVar[bool] = False
    """Whether rows are a DataFrame of mixed columns, instead of an array of numbers."""

    def __call__(self, X: Any, covariates: Any = None) -> NDArray[np.float64]:
        """Images (m, p) of rows X (m, d), with their covariates (m, c) where the embedding uses them."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """The embedding as plain lists, numbers and texts.

        Raises
        ------
        CapabilityError
            When a part has no readable state: an estimator of scikit-learn, or a kernel of one's own.
        """
        return to_plain(self)

    @staticmethod
    @reads_state
    def from_dict(state: Mapping[str, Any]) -> Embedding:
        """Inverse of `to_dict`; InvalidInputError when the state is not one of an embedding."""
        found = from_plain(state)
        if not isinstance(found, Embedding):
            raise InvalidInputError(f"the state holds a {type(found).__name__}, expected an embedding")
        return found


@dataclass(frozen=True, eq=False)
class LinearEmbedding(Embedding):
    """x -> (x - mean) W.

    Attributes
    ----------
    components : (d, p) ndarray
        W.
    mean : (d,) ndarray
        Mean of the training points.
    """

    components: NDArray[np.float64]
    mean: NDArray[np.float64]

    def __call__(self, X: Any, covariates: Any = None) -> NDArray[np.float64]:
        """Images (m, p) of the rows of X (m, d); covariates are not used."""
        return (finite_rows(X, n_columns=len(self.mean)) - self.mean) @ self.components


@dataclass(frozen=True, eq=False)
class LiftedPoints(Embedding):
    """x -> (y, y_p y_q for p <= q) with y = x - origin: quadratic functions of x are linear in the image.

    Attributes
    ----------
    origin : (d,) ndarray
        What coordinates are measured from.
    """

    origin: NDArray[np.float64]

    def __call__(self, X: Any, covariates: Any = None) -> NDArray[np.float64]:
        """Images (m, d + d (d + 1) / 2) of the rows of X (m, d); covariates are not used."""
        return lift(finite_rows(X, n_columns=len(self.origin)) - self.origin)


@dataclass(frozen=True, eq=False)
class WithAttributes(Embedding):
    """x -> (x, a): points with the attributes that further rows of the program charge for, a number a name.

    Attributes
    ----------
    names : tuple of str
        Names of the attributes: of a further size dimension, the weight in it for one unit of the first dimension
        (for one point, where points count as one); of the share of a group, 1 for its members and 0 for others.
    base : Embedding or None
        What makes x of a row; None takes rows as they are.
    """

    names: tuple[str, ...]
    base: Embedding | None = None

    @property
    def reads_tables(self) -> bool:  # type: ignore[override]
        """Whether rows are a DataFrame of mixed columns, as for ``base``."""
        return self.base is not None and self.base.reads_tables

    def __call__(self, X: Any, covariates: Any = None) -> NDArray[np.float64]:
        """Images (m, d + r) of the rows X (m, d) with covariates (m, r), or a DataFrame with a column a name.

        Raises
        ------
        InvalidInputError
            When the covariates are missing or have other columns.
        """
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
    """Which cluster a new row belongs to.

    Attributes
    ----------
    embedding : Embedding or None
        Phi of (1); None takes rows as they are.
    diagram : PowerDiagram
        The cells of the images.
    without_covariates : PowerDiagram or None
        Cells in the space of X for rows that come without covariates, where ``embedding`` needs them; otherwise None.
    """

    embedding: Embedding | None
    diagram: PowerDiagram
    without_covariates: PowerDiagram | None = None

    def for_rows(self, covariates: Any) -> Cells:
        """The cells that hold rows with these covariates: rows without any may have cells of their own."""
        if covariates is None and self.without_covariates is not None:
            return Cells(None, self.without_covariates)
        return self

    def images(self, X: Any, covariates: Any = None) -> Any:
        """Rows X (m, d) in the space (m, p) of the cells that `for_rows` names."""
        embedding = self.for_rows(covariates).embedding
        return X if embedding is None else embedding(X, covariates)

    def predict(self, X: Any, covariates: Any = None) -> Any:
        """Cell (m,) of every row of X (m, d); a Dask array gives a Dask array.

        Parameters
        ----------
        X : (m, d) array_like, DataFrame or Dask array
            Rows; an array of finite numbers unless the embedding reads tables.
        covariates : (m,) or (m, c) array_like or DataFrame, optional
            Their covariates; not looked at where the embedding uses none. With a Dask array: an array or a Dask array.
        """
        if hasattr(X, "map_blocks"):
            more = [] if covariates is None else [_in_blocks(covariates, X)]
            return X.map_blocks(self.predict, *more, drop_axis=1, dtype=np.int64, meta=np.empty(0, dtype=np.int64))
        return self.for_rows(covariates).diagram.predict(self.images(X, covariates))

    def locate(self, X: Any, covariates: Any = None) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Cell (m,) of every row of X (m, d), and its distance (m,) to the nearest wall in the space of the cells.

        Parameters
        ----------
        X, covariates
            As for `predict`; not a Dask array.
        """
        diagram, images = self.for_rows(covariates).diagram, self.images(X, covariates)
        labels = diagram.predict(images)
        return labels, diagram.margin(images, labels)

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, numbers and texts: the diagram, and the embedding where there is one.

        Raises
        ------
        CapabilityError
            When the embedding has no readable state.
        """
        state = _diagram_to_dict(self.diagram)
        if self.embedding is not None:
            state["embedding"] = self.embedding.to_dict()
        if self.without_covariates is not None:
            state["without_covariates"] = _diagram_to_dict(self.without_covariates)
        return state

    @classmethod
    @reads_state
    def from_dict(cls, state: Mapping[str, Any]) -> Cells:
        """Inverse of `to_dict`; InvalidInputError when the state is damaged."""
        embedding, without = state.get("embedding"), state.get("without_covariates")
        return cls(
            None if embedding is None else Embedding.from_dict(embedding),
            _diagram_from_dict(state),
            None if without is None else _diagram_from_dict(without),
        )


def _in_blocks(covariates: Any, X: Any) -> Any:
    """Covariates as a Dask array (m, c), cut where the rows of the Dask array X are."""
    import dask.array as da

    table = covariates if hasattr(covariates, "map_blocks") else da.from_array(np.asarray(covariates, dtype=np.float64))
    table = table[:, None] if table.ndim == 1 else table
    if table.shape[0] != X.shape[0]:
        raise InvalidInputError(f"covariates have {table.shape[0]} rows, X has {X.shape[0]}: pass one row a row of X")
    return table.rechunk((X.chunks[0], -1))


def largest_score(k: int) -> PowerDiagram:
    """Cells of k scores: a row of scores (k,) lies in the cell of its largest entry, ties to the smallest index."""
    return PowerDiagram(np.eye(k), np.zeros(k), "csa")


def to_plain(value: Any) -> Any:
    """Arrays, tuples and the dataclasses of `KINDS` as JSON values.

    Raises
    ------
    CapabilityError
        When the value is, or holds, anything else.
    """
    if isinstance(value, np.ndarray):
        return value.tolist()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, tuple):
        return {"kind": "tuple", "entries": [to_plain(entry) for entry in value]}
    kind = type(value)
    name = {path: name for name, path in KINDS.items()}.get(f"{kind.__module__}.{kind.__qualname__}")
    if name is None:
        raise CapabilityError(f"{kind.__name__} has no readable state: store this model in a .skops file")
    return {"kind": name, **{field.name: to_plain(getattr(value, field.name)) for field in fields(value)}}


def from_plain(state: Any) -> Any:
    """Inverse of `to_plain`: lists become arrays, named kinds their classes; InvalidInputError for another kind."""
    if isinstance(state, list):
        return np.array(state)
    if not isinstance(state, Mapping):
        return state
    if state.get("kind") == "tuple":
        return tuple(from_plain(entry) for entry in state["entries"])
    if state.get("kind") not in KINDS:
        raise InvalidInputError(f"the state names the kind {state.get('kind')!r}, expected one of {', '.join(KINDS)}")
    module, _, name = KINDS[state["kind"]].rpartition(".")
    build = getattr(import_module(module), name)
    return build(**{key: from_plain(entry) for key, entry in state.items() if key != "kind"})


def _diagram_to_dict(diagram: PowerDiagram) -> dict[str, Any]:
    state = {
        "kind": diagram.kind,
        "sites": diagram.sites.tolist(),
        "prices": diagram.prices.tolist(),
        "origin": diagram.origin.tolist(),
    }
    return state if diagram.matrices is None else state | {"matrices": diagram.matrices.tolist()}


def _diagram_from_dict(state: Mapping[str, Any]) -> PowerDiagram:
    names = ("sites", "prices", "origin", *(["matrices"] if state.get("matrices") is not None else []))
    parts = {name: stored_array(state[name], name) for name in names}
    return PowerDiagram(parts["sites"], parts["prices"], state["kind"], parts["origin"], parts.get("matrices"))


def stored_array(value: Any, name: str) -> NDArray[np.float64]:
    """Numbers of a state as an array.

    Raises
    ------
    InvalidInputError
        When they are no numbers, texts and truth values being none, or larger than `LARGEST`.
    """
    array = np.array(value)
    numbers = (array.dtype.kind in "iuf" or not array.size) and not _holds_truth(value)
    if not numbers or not (np.abs(array.astype(np.float64)) <= LARGEST).all():
        raise InvalidInputError(f"{name} must be finite numbers, got {str(value)[:40]!r}")
    return array.astype(np.float64)


def _holds_truth(value: Any) -> bool:
    """Whether lists in lists hold a truth value, which an array would take for a number."""
    if isinstance(value, list):
        return any(_holds_truth(part) for part in value)
    return isinstance(value, bool)
