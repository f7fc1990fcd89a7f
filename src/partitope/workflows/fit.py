"""What `partitope fit` and `partitope predict` do, as functions of tables and models."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..base.checks import whole_number
from ..base.errors import CapabilityError, InvalidInputError
from ..classifiers import ClusteringClassifier, TableCleaner
from ..classifiers.encoders.table_cleaner import clean
from ..compare.methods import choose_methods
from ..datasets.dataset import Dataset
from ..models.polytope import PartitionPolytope


def fit_classifier(
    data: Dataset,
    method: str = "geometric-csa",
    n_clusters: int = 5,
    *,
    lower: ArrayLike | None = None,
    upper: ArrayLike | None = None,
    polytope: PartitionPolytope | None = None,
    starts: int = 10,
    seed: int = 0,
    weighting: bool = False,
    aggregate: Any = "mean",
    threshold: float = 0.5,
    prior: tuple[float, float] | None = None,
) -> ClusteringClassifier:
    """A fitted classifier on the clusters of a named strategy.

    Parameters
    ----------
    data : Dataset
        Table and classes; cleaned by `TableCleaner` where it has not been.
    method : str, default "geometric-csa"
        Row or strategy name, as in `partitope.compare.compare`.
    n_clusters : int, default 5
        Number of clusters k.
    lower, upper : (k,) array_like, optional
        Size bounds.
    polytope : PartitionPolytope, optional
        Number of clusters and size bounds in one, instead of ``n_clusters``, ``lower`` and ``upper``.
    starts, seed : int
        Starts, and the seed of all of them.
    weighting : bool, default False
        Weight the encoded columns by least squares.
    aggregate, threshold, prior
        As for `ClusteringClassifier`.

    Raises
    ------
    InvalidInputError, InfeasibleBoundsError, CapabilityError
        As the strategy and `ClusteringClassifier` say; CapabilityError when a strategy needs covariates and the data
        have none, or the other way round.
    """
    chosen, data = choose_methods([method]), clean(data)
    if len(chosen) > 1:
        names = " or ".join(entry.name for entry in chosen)
        raise InvalidInputError(f"method {method!r} has variants: choose {names}")
    needed = chosen[0].needs.covariates == "required"
    if needed and data.covariates is None:
        raise CapabilityError(f"method {method!r} needs covariates: name their columns with --covariates")
    if not needed and data.covariates is not None:
        raise CapabilityError(f"method {method!r} has no use for covariates: leave --covariates out, or use kcc")
    n_clusters = n_clusters if polytope is None else polytope.n_clusters
    for name, value, least in [("clusters", n_clusters, 1), ("starts", starts, 1), ("seed", seed, 0)]:
        whole_number(value, f"--{name}", least)
    if n_clusters > len(data.y):
        raise InvalidInputError(
            f"--clusters {n_clusters} exceeds the {len(data.y)} rows of {data.name}: ask for at most {len(data.y)}"
        )
    if polytope is None:
        polytope = PartitionPolytope(len(data.y), lower, upper, n_clusters=n_clusters)
    model = ClusteringClassifier(
        chosen[0].build(polytope, data.covariates),
        aggregate,
        starts,
        prior,
        threshold,
        weighting="least-squares" if weighting else None,
        cleaner=data.cleaner,
        random_state=seed,
    )
    return model.fit(data.raw, pd.Series(data.y, name=data.target_name), covariates=data.covariates)


def parse_prior(text: str | None) -> tuple[float, float] | None:
    """(alpha, beta) from ``"2,2"``; None stays None.

    Raises
    ------
    InvalidInputError
        When the text is not two positive numbers.
    """
    if text is None:
        return None
    try:
        alpha, beta = (float(part) for part in text.split(","))
    except ValueError:
        alpha = beta = np.nan
    if not (0 < alpha < np.inf and 0 < beta < np.inf):
        raise InvalidInputError(f"--prior {text!r} is not a Beta prior: expected two positive numbers such as 2,2")
    return alpha, beta


def summary(model: ClusteringClassifier, data: Dataset) -> dict[str, Any]:
    """Figures of a fitted model for its user."""
    partition, rows = model.partition_, data.X if data.raw is None else data.raw
    with warnings.catch_warnings():  # the notes of the data say what was read as missing
        warnings.simplefilter("ignore", UserWarning)
        predicted = model.predict(rows, covariates=data.covariates)
    return {
        "method": type(model.partitioner).__name__,
        "rows": len(data.y),
        "features": data.X.shape[1],
        "classes": [str(label) for label in model.classes_],
        "objective": partition.objective,
        "sizes": partition.sizes,
        "smallest": partition.sizes.min(),
        "largest": partition.sizes.max(),
        "proof": partition.proof,
        "claim": partition.claim,
        "training_accuracy": float((predicted == data.y).mean()),
        "columns": []
        if model.cleaner_ is None
        else [{"name": role.name, "role": role.role, "remark": role.remark} for role in model.cleaner_.roles_],
        "uninformative": getattr(model.encoder_, "uninformative_", []),
        "notes": list(data.notes),
    }


def predictions(model: Any, table: pd.DataFrame, identifiers: Sequence[str] = ()) -> pd.DataFrame:
    """Class and class scores of every row of a table.

    Parameters
    ----------
    model : classifier
        With ``predict``, ``predict_proba``, ``classes_`` and, if fitted on named columns, ``feature_names_in_``;
        ``covariate_names_`` where prediction takes covariates.
    table : (n, d) DataFrame
        Holds the model's columns, in any order, and possibly others.
    identifiers : sequence of str
        Columns of the table to put first.

    Returns
    -------
    (n, i + 1 + C) DataFrame
        Columns ``prediction`` and ``score:CLASS`` after those that were asked for.

    Raises
    ------
    InvalidInputError
        When a column of the model, or one that was asked for, is missing, or a column holds infinite numbers.
    """
    absent = [name for name in identifiers if name not in table.columns]
    if absent:
        raise InvalidInputError(f"--id {absent[0]!r} is not a column: columns are {', '.join(table.columns)}")
    rows, given = model_columns(model, table)
    with warnings.catch_warnings():  # `TableCleaner.findings` says it with counts
        warnings.simplefilter("ignore", UserWarning)
        scores, classes = model.predict_proba(rows, **given), model.predict(rows, **given)
    columns = {f"score:{label}": scores[:, c] for c, label in enumerate(model.classes_)}
    return pd.DataFrame({**{name: table[name] for name in identifiers}, "prediction": classes, **columns})


def model_columns(model: Any, table: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """The columns that a model was fitted on, in its order, and its covariates by keyword where it has any.

    Raises
    ------
    InvalidInputError
        When a column is missing.
    """
    names = list(getattr(model, "feature_names_in_", []))
    covariates = list(getattr(model, "covariate_names_", None) or [])
    cleaner = getattr(model, "cleaner_", None)
    rows = cleaner.aligned(table) if names and isinstance(cleaner, TableCleaner) else table
    absent = [name for name in names if name not in rows] + [name for name in covariates if name not in table]
    if absent:
        more = f" and {len(absent) - 1} more columns" if len(absent) > 1 else ""
        raise InvalidInputError(f"the table has no column {absent[0]!r}{more}, which the model needs: add it")
    given = {"covariates": table[covariates]} if covariates else {}
    if names:
        rows = rows[names]
    elif rows.shape[1] != model.n_features_in_:
        raise InvalidInputError(f"the table has {rows.shape[1]} columns, the model needs {model.n_features_in_}")
    return rows, given
