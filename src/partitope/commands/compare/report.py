"""A comparison as a report: what it found, the columns of its one table, its pictures, and the record for JSON."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ...compare.methods import REFERENCE
from ...compare.result import Comparison, Row
from ...compare.scoring import FoldScores, leader, listed
from ...models.objectives.proof import Proof
from ...output.report import Picture, Report, Section, Table, data_record, record_of, whole
from .pictures import cells_figure, reading

COLUMNS = ("method", "objective", "sum of squares", "sizes", "accuracy", "local models", "AUC", "seconds", "proof")
MEANINGS = {
    "geometric-lsa": "k-means within the bounds",
    "geometric-csa": "clusters whose sums are as long as can be",
    "cac": "clusters in which classifiers find the classes easy to tell apart",
    "pkm": "k-means that classes pull",
    "kcc": "clusters that say what the covariates do not",
    "kcssl": "the same with the few classes that are known",
}
"""What the strategies of the package look for, in words that need no paper."""
TABLE = (
    "Every method on the same rows, bounds, folds and seeds. A star marks the smallest sum of squares within the "
    "bounds, and a held-out figure only where a corrected test tells it from all others of its column."
)
CELLS = (
    "Power diagrams. Shown is the exact section of the cells by the plane of the first two principal axes of the "
    "encoded rows; the points are projected onto that plane, so a point may be drawn outside the section of its own "
    "cell. Colour, marker and number name the cluster. Points only: the method's cells are cut in other "
    "coordinates, such as the likelihoods of the classes, which this plane does not show."
)
HeldOut = dict[str, dict[str, NDArray[np.float64]]]
BOUNDS_OF_FOLDS = "floor(lower n'/n) and ceil(upper n'/n) for n' training rows of n"


def comparison_report(result: Comparison) -> Report:
    """The report of a comparison."""
    data, settings = result.data, result.settings
    lead = (
        f"{len(data.y)} rows, {data.X.shape[1]} features, target {data.target_name} with {len(data.classes)} classes, "
        f"in k = {settings.n_clusters} clusters of {settings.polytope.describe()} points. "
        f"{data.description}"
    )
    parts: list[Row] = [*result.rows, *result.references]
    held_out = held_out_figures(result)
    table = Table(TABLE, COLUMNS, list(map(cells, parts)), notes=footnotes(result), best=_best(parts, held_out))
    drawn = any(row.partition is not None for row in result.rows)
    pictures = [Picture(lambda: cells_figure(result), CELLS)] if drawn else []
    sections = [Section("Figures at a glance", tables=[table]), Section("Pictures", pictures=pictures)]
    return Report(
        f"Size-bounded clusterings of {data.name}", lead.strip(), findings(result, held_out),
        [*sections, *reading(result), *_columns(result)], _settings(result), "comparison", _record(result),
    )  # fmt: skip


def cells(row: Row) -> list[str]:
    """One text for each of `COLUMNS`, a dash where a figure is missing; for a method that is left out, the reason."""
    if row.partition is None and row.folds is None:
        return [row.name, f"left out: {row.note}"]
    found = {"method": row.name, "seconds": f"{row.seconds:.2f}"}
    if row.partition is not None:
        sizes = row.partition.sizes
        found["objective"] = f"{'↑' if row.partition.sense == 'max' else '↓'} {figure(row.partition.objective)}"
        found["sum of squares"] = figure(row.sum_of_squares)
        found["sizes"] = f"{sizes.min():g}..{sizes.max():g}{'' if row.within_bounds else ' !'}"
        proof, bound = row.partition.proof, row.partition.bound
        found["proof"] = f"{proof}, gap {bound.gap:.1g}" if proof is Proof.GLOBAL and bound is not None else str(proof)
    if row.folds is not None:
        found["accuracy"] = spread(row.folds.accuracy, row.folds.accuracy_sd, percent=True)
        found["AUC"] = spread(row.folds.auc, row.folds.auc_sd)
    if row.local is not None:
        found["local models"] = spread(row.local.accuracy, row.local.accuracy_sd, percent=True)
    return [found.get(column, "–") for column in COLUMNS]


def figure(value: float) -> str:
    """Six significant digits, in plain notation where that is short."""
    return f"{value:.6g}" if math.isfinite(value) else "–"


def spread(mean: float, deviation: float, *, percent: bool = False) -> str:
    """Mean and standard deviation over the folds."""
    if not math.isfinite(mean):
        return "–"
    return f"{100 * mean:.1f} ± {100 * deviation:.1f} %" if percent else f"{mean:.3f} ± {deviation:.3f}"


def held_out_figures(result: Comparison) -> HeldOut:
    """By column and name, the figures fold by fold of the methods within the bounds and of the references."""
    bounded = [row for row in result.rows if row.within_bounds and row.folds is not None]
    parts: list[Row] = [*bounded, *result.references]
    folds = {one.name: one.folds for one in parts if one.folds is not None}
    return {
        "accuracy": {name: own.accuracies for name, own in folds.items()},
        "local models": {row.name: row.local.accuracies for row in bounded if row.local is not None},
        "AUC": {name: own.areas for name, own in folds.items()},
    }


def _best(parts: list[Row], held_out: HeldOut) -> list[tuple[int, int]]:
    """Row and column of every star."""
    squares = {r: row.sum_of_squares for r, row in enumerate(parts) if row.within_bounds}
    found = [(min(squares, key=squares.__getitem__), COLUMNS.index("sum of squares"))] if len(squares) > 1 else []
    place = {row.name: r for r, row in enumerate(parts)}
    for column, figures_of in held_out.items():
        first = leader(figures_of)
        if first is not None and len(figures_of) > 1 and not first.rivals:
            found.append((place[first.name], COLUMNS.index(column)))
    return found


def findings(result: Comparison, held_out: HeldOut) -> list[str]:
    """What the figures say, one sentence each, after requested parts that are absent."""
    left_out = [f"{row.name} was asked for and is left out: {row.note}." for row in result.rows if not row.partition]
    lines = [*(left_out if result.settings.named else []), *who_classifies_best(result, held_out)]
    bounded = [row for row in result.rows if row.within_bounds]
    reference = next((row for row in result.rows if row.name == REFERENCE), None)
    if bounded and reference is not None and reference.partition is not None and reference.sum_of_squares > 0:
        tight = min(bounded, key=lambda row: row.sum_of_squares)
        price = round(100.0 * tight.sum_of_squares / reference.sum_of_squares - 100.0, 1) + 0.0  # and not -0.0
        sizes = reference.partition.sizes
        lines.append(
            f"The price of balance: the smallest sum of squares within the bounds is {figure(tight.sum_of_squares)} "
            f"({tight.name}), {price:+.1f} % against k-means without bounds, whose clusters hold "
            f"{sizes.min():g} to {sizes.max():g} points."
        )
    steps = [row.name for row in result.rows if row.proof is Proof.STEP]
    if steps:
        lines.append(
            f"Certified by linear-programming duality: the last assignment of {', '.join(steps)} (proof: step). No "
            f"other assignment within the bounds is better for the same sites; other sites may be: each of these "
            f"partitions may be a local optimum only."
        )
    for row in result.rows:
        if row.proof is Proof.GLOBAL and row.partition is not None:
            lines.append(f"{row.name}: {row.partition.claim} (proof: global).")
    return lines or ["No method finished: the table says why."]


def who_classifies_best(result: Comparison, held_out: HeldOut) -> list[str]:
    """Who leads in accuracy, and whether a test separates it from the others; next to it the best by cluster shares."""
    local = held_out["local models"]
    found = held_out["accuracy"] | {f"{name} with local models": values for name, values in local.items()}
    first = leader(found)
    if first is None or not local:
        return []
    if first.rivals:
        others = len(found) - 1 - len(first.rivals)
        line = (
            f"No method within the bounds is shown to classify best: {first.name} leads with {_percent(first.mean)}, "
            f"but the corrected resampled t-test over {result.settings.folds} folds (5 %, Holm) does not tell it from "
            f"{listed(first.rivals)}" + (f"; from the other {others} it does." if others else ".")
        )
    else:
        line = (
            f"Within the bounds {first.name} classifies best, {_percent(first.mean)}; the corrected resampled t-test "
            f"over {result.settings.folds} folds (5 %, Holm) tells it from all others."
        )
    most = max(local, key=lambda name: float(found[name].mean()))
    against = [f"{one.name} {_percent(one.folds.accuracy)}" for one in result.references if one.folds is not None]
    return [
        f"{line} Within the bounds, the shares of {most} have the highest accuracy, "
        f"{_percent(float(found[most].mean()))}" + (f"; without clusters: {', '.join(against)}." if against else ".")
    ]


def footnotes(result: Comparison) -> list[str]:
    """What a reader of the table must know, one sentence each."""
    settings, n = result.settings, len(result.data.y)
    rule = " (n/k give or take a fifth)" if settings.default_bounds else ""
    named = [f"{row.name}: {MEANINGS[row.name]}" for row in result.rows if row.name in MEANINGS]
    lines = [
        *([f"Methods: {'; '.join(named)}."] if named else []),
        f"Sizes must be {settings.polytope.describe()}{rule}; '!' marks sizes outside. "
        f"A fold that trains on n' of the {n} rows scales the bounds by n'/{n}, lower rounded down, upper up.",
        f"Objective, sizes and seconds: best of {settings.starts} starts on the whole table (seconds: all starts). "
        f"Accuracy and AUC: mean ± sd over {settings.folds} stratified folds, encoder fitted inside each fold.",
        "Accuracy: by the shares of the classes in the cells. Local models: by logistic regressions in the same cells, "
        "shrunk towards that of all rows. "
        + "The last rows use no clusters (seconds: all folds)."
        * bool(result.references),
        "Objectives of different methods are different quantities; the sum of squares is measured alike for all.",
        f"Proof: {'; '.join(f'{word}: {text}' for word, text in proofs(result).items())}.",
    ]
    told = [row for row in result.rows if row.partition is not None or not settings.named]  # others by `findings`
    return lines + [f"{row.name}: {row.note}" for row in told if row.note]


def proofs(result: Comparison) -> dict[str, str]:
    """The words of the column "proof" and what they mean; of "none", what the strategies themselves end in."""
    found = {str(proof): proof.description for proof in Proof}
    ends: dict[str, list[str]] = {}
    for row in result.rows:
        if row.partition is not None and row.proof is Proof.NONE and row.partition.local_optimum:
            ends.setdefault(row.partition.local_optimum, []).append(row.name)
    for changes, names in ends.items():
        found[str(Proof.NONE)] += f" ({', '.join(names)}: local optimum of {changes})"
    return found


def _columns(result: Comparison) -> list[Section]:
    """Roles of the columns, and what was left out or changed, of a table that has been cleaned."""
    data, by_role = result.data, dict[str, list[str]]()
    for role in getattr(data.cleaner, "roles_", ()):
        by_role.setdefault(role.role, []).append(role.name)
    named = [f"{role}: {', '.join(names)}" for role, names in by_role.items()]
    return [Section("Columns of the table", remarks=[data.cleaner.summary(), *named, *data.notes])] if named else []


def _settings(result: Comparison) -> dict[str, str]:
    settings, data = result.settings, result.data
    return {
        "Data": f"{data.name}: {len(data.y)} rows; classes {', '.join(map(str, data.classes[:20]))}",
        **({} if data.covariates is None else {"Covariates": ", ".join(map(str, data.covariates.columns))}),
        "Encoding": "conditional means, shrunk and cross-fitted",
        "Clusters": f"k = {settings.n_clusters}, sizes {settings.polytope.describe()}",
        "Bounds in a fold": BOUNDS_OF_FOLDS,
        "Starts": f"{settings.starts} a method; rows are scored by the mean over the starts",
        "Folds": f"{settings.folds}, stratified, shuffled; encoder and clustering see the training part only",
        "Seed": str(settings.seed),
        "Seconds": f"{result.seconds:.1f}",
    }


def _record(result: Comparison) -> dict[str, object]:
    """Plain values for JSON; figures that do not exist are None or nan, null in JSON."""
    data, settings = result.data, result.settings
    classes, counts = np.unique(data.y, return_counts=True)
    named = {str(label): int(count) for label, count in zip(classes, counts)}
    polytope = {"n_clusters": settings.n_clusters, **record_of(settings.polytope, "lower upper")}
    return {
        "data": data_record(data, features=list(map(str, data.X.columns)), classes=named),
        "settings": {**polytope, **record_of(settings, "folds starts seed"), "fold_bounds": BOUNDS_OF_FOLDS},
        "rows": [_row_record(row) for row in result.rows],
        "references": [{**record_of(one, "name seconds"), **_fold_record(one.folds)} for one in result.references],
        "seconds": result.seconds,
    }


def _row_record(row: Row) -> dict[str, object]:
    partition = row.partition
    found = {
        "method": row.name,
        "strategy": None if row.method is None else row.method.strategy,
        **record_of(row, "sum_of_squares within_bounds seconds cv_seconds proof note"),
        **_fold_record(row.folds),
        "local_models": None if row.local is None else _fold_record(row.local),
        "claim": None,
        "partition": None,
    }
    if partition is None:
        return found
    bound = None if partition.bound is None else record_of(partition.bound, "lower upper gap proof")
    more: dict[str, object] = {
        "sizes": whole(partition.sizes),
        "iterations": partition.n_iter,
        "status": str(partition.status),
    }
    more |= {"history": partition.history.get("objective"), "bound": bound}
    return found | {"claim": partition.claim, "partition": record_of(partition, "objective sense labels") | more}


def _fold_record(folds: FoldScores | None) -> dict[str, object]:
    names = ("accuracy", "accuracy_sd", "auc", "auc_sd", "fold_accuracies")
    return {name: getattr(folds, name.removeprefix("fold_"), None) for name in names}


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"
