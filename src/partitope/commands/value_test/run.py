"""The test of cluster values for a stored model and a table of new rows."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.errors import CapabilityError, InvalidInputError
from ...classifiers.rows_digest import rows_digest
from ...datasets import read_table
from ...datasets.dataset import Dataset
from ...output.report import Report, Section, Table, record_of
from ...stats.cluster_values.test import ClusterValueTest, cluster_value_test_counts
from ..fit.run import model_columns

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

PICTURES = (".svg", ".png", ".pdf")
DOUBLE_DIPPING = (
    "these look like the training rows: then the p-values are too small; test on rows that the model has not seen"
)


def check_values(
    model: BaseEstimator, data: Dataset, positive: str | None, lam: float, method: str, adjust: str | None
) -> tuple[ClusterValueTest, str]:
    """Test of the cluster values of the best start of a model on the rows of a table."""
    if not hasattr(model, "cluster_values_"):
        raise CapabilityError(f"{type(model).__name__} has no cluster values to test: fit one with partitope fit")
    # classes as texts: a table of new rows may hold them as another type than training did
    names = [str(label) for label in model.classes_]
    unknown = sorted(set(map(str, data.classes)) - set(names))
    if unknown:
        raise InvalidInputError(f"{data.name} holds class {unknown[0]!r}, the model knows {', '.join(names)}")
    if positive is None and len(names) > 2:
        raise InvalidInputError(f"the model has {len(names)} classes: choose one with --class: {', '.join(names)}")
    share = names[1] if positive is None else positive
    if share not in names:
        raise InvalidInputError(f"--class {share!r} is not known: choose one of {', '.join(names)}")
    values, one = model.cluster_values_[model.best_], names.index(share)
    rows, given = model_columns(model, data.X)
    with warnings.catch_warnings():  # `TableCleaner.findings` says it with counts
        warnings.simplefilter("ignore", UserWarning)
        cells = model.apply(rows, **given)[:, model.best_]
    k = len(values.values)
    tested = np.bincount(cells, minlength=k)
    ones = np.bincount(cells[data.y.astype(str) == share], minlength=k)
    if values.counts.dtype.kind == "f":
        raise CapabilityError("the model was fitted with weights, and the test counts rows: fit it without them")
    # equal counts, or an equal digest, betray the rows of training
    trained = values.counts.sum(axis=1)
    same = np.array_equal(tested, trained) and np.array_equal(ones, values.counts[:, one])
    same = same or model.rows_digest_ == rows_digest(rows)
    try:
        result = cluster_value_test_counts(
            values.values[:, one], tested, ones, trained, lam, method, adjust,  # type: ignore[arg-type]
            notes=(DOUBLE_DIPPING,) if same else (),
        )  # fmt: skip
    except ValueError as error:
        raise InvalidInputError(str(error)) from error
    return result, share


def class_column(model: BaseEstimator, table: str | Path, **file_options: Any) -> str:
    """The column of a table that a model calls its target, or the only one that training did not know."""
    names = list(read_table(table, **file_options).columns)
    if getattr(model, "target_name_", None) in names:
        return model.target_name_
    known = {str(name) for name in getattr(model, "feature_names_in_", ())}
    known |= {str(name) for name in getattr(model, "covariate_names_", None) or ()}
    known |= {role.name for role in getattr(getattr(model, "cleaner_", None), "roles_", ())}  # left out ones too
    others = [name for name in names if name not in known]
    if len(others) != 1:
        found = ", ".join(others[:5]) or "none"
        own = getattr(model, "target_name_", None)
        absent = "" if own is None else f"; the model's own, {own}, is not there"
        raise InvalidInputError(
            f"--target is missing: name the class column of {Path(table).name} (columns other than the features: "
            f"{found}{absent})"
        )
    return others[0]


def verdict(result: ClusterValueTest, share: str, level: float = 0.05) -> str:
    """What a test found, in one sentence."""
    tested = ~np.isnan(result.pvalue).any(axis=1)
    sides = result.significant(level)
    held = sides.all(axis=1)
    names = result.table["cluster"].astype(str).to_numpy()
    level_text = f"at the {100 * level:g} % level{f', adjusted by {result.adjust}' if result.adjust else ''}"
    if not tested.any():
        return f"Verdict: no cluster could be tested for its share of class {share}."
    if not held.any():
        ends = (("above its lower limit", sides[:, 0]), ("below its upper limit", sides[:, 1]))
        parts = [f"{words}: {', '.join(names[where])}" for words, where in ends if where.any()]
        parts = parts or ["no limit is rejected"]
        return (
            f"Verdict: no cluster's share of class {share} is confirmed on both sides {level_text}; "
            f"{'; '.join(parts)}; more rows may decide the rest."
        )
    open_ones = ", ".join(names[tested & ~held])
    rest = f"; not confirmed: {open_ones}" if open_ones else ", which is every cluster tested"
    return (
        f"Verdict: the share of class {share} holds on these rows, between its limits, in {held.sum()} of "
        f"{tested.sum()} clusters tested ({', '.join(names[held])}) {level_text}{rest}."
    )


def value_report(result: ClusterValueTest, share: str, model: str, data: Dataset) -> Report:
    """The report of `partitope test`: what weakens the test, the verdict, one row per cluster."""
    adjusted = f", adjusted by {result.adjust}" if result.adjust else ""
    caption = f"Share of class {share} in every cluster: {result.method} p-values{adjusted}"
    record = {
        "class": share, **record_of(result, "method adjust null alternative"),
        "rows": result.table.to_dict(orient="records"), "notes": list(result.notes), "verdict": verdict(result, share),
    }  # fmt: skip
    section = Section("Clusters", tables=[Table.of(result.table, caption, digits=3)])
    said = [*result.notes, verdict(result, share)]
    lead = f"the share of class {share} on {len(data.y)} rows of {data.name}."
    return Report(f"Values of the clusters of {model}", lead, said, [section], {}, "cluster-value-test", record)


def check_picture(path: str | Path) -> Path:
    """The path, refused unless its suffix names a kind of picture."""
    file = Path(path)
    if file.suffix.lower() not in PICTURES:
        raise InvalidInputError(f"{file.name} has the suffix {file.suffix!r}: name a picture {', '.join(PICTURES)}")
    return file


def draw(result: ClusterValueTest, path: str | Path, share: str) -> bytes:
    """The picture of a test, in the format that the suffix of the path names."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    stream = io.BytesIO()
    with mpl.rc_context({"text.parse_math": False}):  # names of the user's table are not formulas
        figure = Figure(figsize=(max(7.0, 1.6 + 0.45 * len(result.n)), 4.4), layout="constrained")
        ax = result.plot(figure.subplots())
        ax.set_ylabel(f"share of class {share}")
        figure.savefig(stream, format=check_picture(path).suffix[1:].lower(), dpi=150)
    return stream.getvalue()
