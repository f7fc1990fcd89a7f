"""What `partitope fit` and `partitope predict` do, as functions of tables and models."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from ...base.checks import class_codes
from ...base.errors import CapabilityError, InvalidInputError
from ...base.record import Record
from ...classifiers import ClusteringClassifier, LocalModelClassifier, LocalModelSearch, TableCleaner
from ...classifiers.cluster_values import check_prior
from ...classifiers.encoders.table_cleaner import clean
from ...cluster.model import ClusterModel, with_row_names
from ...compare.methods import choose_methods
from ...compare.scoring import FoldScores, score_folds
from ...datasets.dataset import Dataset
from ...datasets.tables import listing
from ...models.polytope.polytope import PartitionPolytope
from ...output.report import record_of, whole

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def fit_classifier(
    data: Dataset,
    method: str = "geometric-lsa",
    *,
    polytope: PartitionPolytope,
    starts: int = 10,
    seed: int = 0,
    weighting: bool = False,
    threshold: float = 0.5,
    prior: tuple[float, float] | None = None,
) -> ClusteringClassifier:
    """A fitted classifier on the clusters of a named strategy, within the bounds of a polytope scaled to these rows."""
    chosen, data, n = choose_methods([method]), clean(data), rows_to_cluster(data)
    polytope = polytope if n == polytope.n_points else polytope.scaled_to(n)
    if len(chosen) > 1:
        names = " or ".join(entry.name for entry in chosen)
        raise InvalidInputError(f"method {method!r} has variants: choose {names}")
    # refused here in the words of the command line, before anything is computed
    needed = chosen[0].needs.covariates == "required"
    if needed and data.covariates is None:
        raise CapabilityError(f"method {method!r} needs covariates: name their columns with --covariates")
    if not needed and data.covariates is not None:
        raise CapabilityError(f"method {method!r} has no use for covariates: leave --covariates out, or use kcc")
    n_clusters = polytope.n_clusters
    if n_clusters > len(data.y):
        raise InvalidInputError(
            f"--clusters {n_clusters} exceeds the {len(data.y)} rows of {data.name}: ask for at most {len(data.y)}"
        )
    # the cleaner goes into the model, which then reads raw tables
    model = ClusteringClassifier(
        chosen[0].build(polytope, data.covariates),
        n_starts=starts,
        prior=prior,
        threshold=threshold,
        weighting="least-squares" if weighting else None,
        cleaner=data.cleaner,
        random_state=seed,
    )
    X, y, covariates = data.raw, pd.Series(data.y, name=data.target_name), data.covariates
    # rows without a class join the others only where the method learns from them
    rest = data.unlabelled if chosen[0].needs.target == "partial" else None
    if rest is not None and X is not None:
        columns = [] if covariates is None else list(covariates.columns)
        X = pd.concat([X, rest.drop(columns=columns)], ignore_index=True)
        covariates = None if covariates is None else pd.concat([covariates, rest[columns]], ignore_index=True)
        y = y.astype(object).reindex(range(len(X)))
    return model.fit(X, y, covariates=covariates)


def learns_from_unlabelled(method: str) -> bool:
    """Whether a method, by row or strategy name, takes rows without a class; InvalidInputError for an unknown name."""
    return choose_methods([method])[0].needs.target == "partial"


def rows_to_cluster(data: Dataset) -> int:
    """Number of rows with a class, and of those without one that are kept."""
    return len(data.y) + (0 if data.unlabelled is None else len(data.unlabelled))


def rows_for(model: BaseEstimator, data: Dataset) -> pd.DataFrame:
    """The features that a model of this data set predicts from: raw ones where it cleans them itself."""
    cleans = isinstance(model, ClusteringClassifier) and model.cleaner_ is not None
    return data.raw if cleans and data.raw is not None else data.X


def fit_automatically(data: Dataset, *, time_limit: float | None = None, seed: int = 0) -> LocalModelSearch:
    """Local models of which strategy, k, bounds and shrinkage are chosen out of fold; see `LocalModelSearch`."""
    if data.covariates is not None:
        raise CapabilityError("--auto has no use for covariates: leave --covariates out, or name a --method")
    data = clean(data)
    return LocalModelSearch(time_limit=time_limit, random_state=seed).fit(data.X, data.y)


def parse_prior(text: str | None) -> tuple[float, float] | None:
    """(alpha, beta) from ``"2,2"``; None stays None."""
    if text is None:
        return None
    try:
        return check_prior(text.split(","))
    except InvalidInputError:
        why = "is not a Beta prior: expected two positive numbers such as 2,2"
        raise InvalidInputError(f"--prior {text!r} {why}") from None


def summary(model: BaseEstimator, data: Dataset, held_out: FoldScores | None = None, why_not: str = "") -> Record:
    """Figures of a fitted model for its user, with those on held-out rows, or why there are none."""
    partition = model.partition_
    given = {} if data.covariates is None else {"covariates": data.covariates}
    chosen = getattr(model, "best_candidate_", None)
    with warnings.catch_warnings():  # the notes of the data say what was read as missing
        warnings.simplefilter("ignore", UserWarning)
        predicted = model.predict(rows_for(model, data), **given)
    found = {
        "method": type(model.partitioner).__name__ if chosen is None else "auto",
        "rows": len(data.y),
        "unlabelled": rows_to_cluster(data) - len(data.y),
        "features": data.X.shape[1],
        "classes": [str(label) for label in model.classes_],
        **record_of(partition, "objective proof claim"),
        "sizes": whole(partition.sizes),
        "smallest": min(whole(partition.sizes)),
        "largest": max(whole(partition.sizes)),
        "training_accuracy": float((predicted == data.y).mean()),
        "columns": [record_of(role, "name role remark") for role in getattr(data.cleaner, "roles_", ())],
        "uninformative": getattr(getattr(model, "encoder_", None), "uninformative_", []),
        "notes": list(data.notes),
        "majority": float(np.unique(data.y, return_counts=True)[1].max() / len(data.y)),
        "held_out": None
        if held_out is None
        else {"folds": len(held_out.accuracies), **record_of(held_out, "accuracy accuracy_sd auc auc_sd")},
        "why_not_held_out": why_not,
    }
    if chosen is not None:
        gains = model.comparison_._asdict() | {"one_cell": model.comparison_.one_cell._asdict()}
        found |= {"chosen": chosen._asdict(), "tried": len(model.tried_), "one_cell": gains}
    return found


def folds_of(data: Dataset, folds: int, n_clusters: int = 1) -> tuple[int, str]:
    """How many stratified folds can be held out, at most ``folds``; 0 with the reason where none can."""
    classes, codes = class_codes(data.y)
    counts = np.bincount(codes)
    count = min(folds, int(counts.min()))
    if count < 2:
        return 0, f"class '{classes[counts.argmin()]}' has one row" if folds else ""
    left = len(codes) - int(np.ceil(counts / count).sum())
    if left < n_clusters:
        return 0, f"a fold would leave {left} rows to {n_clusters} clusters"
    return count, ""


def held_out_scores(data: Dataset, fit: Callable[[Dataset], BaseEstimator], folds: int, seed: int) -> FoldScores:
    """Scores of the rows of every fold by a model that ``fit`` has learnt from the others."""
    _, codes = class_codes(data.y)
    splits = list(StratifiedKFold(folds, shuffle=True, random_state=seed).split(codes, codes))

    def scores(train: Any, test: Any) -> Any:
        rows = data.rows(test)
        given = {} if rows.covariates is None else {"covariates": rows.covariates}
        model = fit(data.rows(train))
        with warnings.catch_warnings():  # entries that are not numbers were reported for the whole table
            warnings.simplefilter("ignore", UserWarning)
            return model.predict_proba(rows_for(model, rows), **given)

    return score_folds(codes, splits, scores)


def left_out(names: Sequence[str], target: str) -> list[str]:
    """What `partitope fit` says of columns without a use, in one line."""
    why = f"nothing about {target} beyond chance, left out of the encoding"
    if len(names) == 1:
        return [f"column {names[0]}: says {why}"]
    return [f"{len(names)} columns say {why}: {listing(list(names))}"] * bool(names)


USELESS = "no better than the most frequent class: clusters of these columns do not separate the classes"
TRY_AUTO = "; --auto also tries other encodings, curves and products of columns"


def in_words(record: Record) -> list[str]:
    """The sentences that `partitope fit` prints of a `summary`."""
    lines = []
    if "chosen" in record:
        lines.append(f"chosen of {record['tried']} tried: {_choice(record['chosen'])}")
        lines += _added(record["one_cell"]) if record["chosen"]["n_clusters"] > 1 else []
    held = record["held_out"]
    if held is not None:
        lines.append(
            f"held-out accuracy {100 * held['accuracy']:.1f} ± {100 * held['accuracy_sd']:.1f} %, AUC "
            f"{held['auc']:.3f} ({held['folds']} folds); on the training rows {100 * record['training_accuracy']:.1f} "
            f"%; most frequent class {100 * record['majority']:.1f} %"
        )
        if held["auc"] - held["auc_sd"] <= 0.5:
            lines.append(USELESS + TRY_AUTO * ("chosen" not in record))
    else:
        why = ", since " * bool(record["why_not_held_out"]) + record["why_not_held_out"]
        lines.append(
            f"training accuracy {100 * record['training_accuracy']:.1f} % (no rows were held out{why}: new rows will "
            f"do worse); most frequent class {100 * record['majority']:.1f} %"
        )
    return lines


def _added(record: Record) -> list[str]:
    """Gain of cells over the best one-cell model on held-out rows of the search."""
    (loss, with_cells), (right, right_with) = record["losses"], record["accuracies"]
    (gain, low, high), (points, least, most) = record["loss_gain"], record["accuracy_gain"]
    return [
        f"gain from cells on held-out rows of the search: log-loss {loss:.3f} with one cell, {with_cells:.3f} with "
        f"cells, gain {gain:.3f} (95 % interval {low:.3f} to {high:.3f}); accuracy {100 * right:.1f} and "
        f"{100 * right_with:.1f} %, gain {100 * points:.1f} points ({100 * least:.1f} to {100 * most:.1f})"
    ]


def _choice(chosen: Record) -> str:
    """What `LocalModelSearch` has chosen, in words."""
    columns = " on the columns that tell the classes apart" if chosen["informative"] else ""
    if chosen["n_clusters"] == 1:
        return f"one cell, that is logistic regression ({chosen['basis']}, penalty {chosen['penalty']:g}){columns}"
    low, high = chosen["bounds"]
    return (
        f"{chosen['n_clusters']} cells by {chosen['strategy']} in {chosen['space']} space, sizes {low:g} to {high:g} "
        f"times n/k, {chosen['basis']} models with local penalty {chosen['local_penalty']:g}{columns}"
    )


def predictions(model: BaseEstimator, table: pd.DataFrame, identifiers: Sequence[str] = ()) -> pd.DataFrame:
    """What a model says of every row of a table: its class and class scores, its cluster and the way to the boundary.
    Shapes: table (n, d) -> (n, q)."""
    absent = [name for name in identifiers if name not in table.columns]
    if absent:
        raise InvalidInputError(f"--id {absent[0]!r} is not a column: columns are {', '.join(table.columns)}")
    rows, given = model_columns(model, table)
    with warnings.catch_warnings():  # `TableCleaner.findings` says it with counts
        warnings.simplefilter("ignore", UserWarning)
        found = _predictions(model, rows, given)
    if isinstance(model, ClusterModel) and not identifiers:
        return with_row_names(found, table, model.cleaner_)
    return pd.concat([table[list(identifiers)], found.set_index(table.index)], axis=1)


def _predictions(model: BaseEstimator, rows: pd.DataFrame, given: Record) -> pd.DataFrame:
    """The columns of `predictions` that the model gives."""
    if isinstance(model, ClusterModel):
        return model.predict(rows, **given)
    scores = model.predict_proba(rows, **given)
    columns = {f"score:{label}": scores[:, c] for c, label in enumerate(model.classes_)}
    if isinstance(model, ClusteringClassifier):
        found = model.cells_[model.best_].locate(model.encode(rows), *given.values())
        columns |= dict(zip(("cluster", "boundary_distance"), found))
    elif isinstance(model, LocalModelClassifier):
        columns |= dict(zip(("cluster", "boundary_distance"), model.locate(rows)))
    return pd.DataFrame({"prediction": model.predict(rows, **given), **columns})


def model_columns(model: BaseEstimator, table: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """The columns that a model was fitted on, in its order, and its covariates by keyword where it has any."""
    names = list(getattr(model, "feature_names_in_", []))
    covariates = list(getattr(model, "covariate_names_", None) or [])
    cleaner, rows = getattr(model, "cleaner_", None), table
    if names and isinstance(cleaner, TableCleaner):
        rows = cleaner.aligned(table)
        names = list(rows.columns)  # which the model cleans itself
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
