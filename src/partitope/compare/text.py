"""A comparison in words: the cells of its table, what a reader must know, what the figures say."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..models.objectives.proof import Proof
from ..solvers import Partition
from .methods import REFERENCE
from .references import Reference
from .result import Comparison, Row
from .scoring import leader

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


def cells(row: Row) -> list[str]:
    """One text for each of `COLUMNS`; a dash where there is no figure."""
    if row.partition is None:
        return [row.method.name, *["–"] * (len(COLUMNS) - 1)]
    sizes = row.partition.sizes
    arrow = "↑" if row.sense == "max" else "↓"
    return [
        row.method.name,
        f"{arrow} {figure(row.partition.objective)}",
        figure(row.sum_of_squares),
        f"{sizes.min():g}..{sizes.max():g}{'' if row.within_bounds else ' !'}",
        spread(row.accuracy, row.accuracy_sd, percent=True),
        "–" if row.local is None else spread(row.local.accuracy, row.local.accuracy_sd, percent=True),
        spread(row.auc, row.auc_sd),
        f"{row.seconds:.2f}",
        proof_cell(row.partition),
    ]


def reference_cells(reference: Reference) -> list[str]:
    """As `cells`, for a classifier without clusters."""
    folds = reference.folds
    found = {
        "method": reference.name,
        "accuracy": spread(folds.accuracy, folds.accuracy_sd, percent=True),
        "AUC": spread(folds.auc, folds.auc_sd),
        "seconds": f"{reference.seconds:.2f}",
    }
    return [found.get(column, "–") for column in COLUMNS]


def proof_cell(partition: Partition) -> str:
    """The word of a proof; a global one with its gap."""
    proof, bound = partition.proof, partition.bound
    return f"{proof}, gap {bound.gap:.1g}" if proof is Proof.GLOBAL and bound is not None else str(proof)


def figure(value: float) -> str:
    """Six significant digits, in plain notation where that is short."""
    return f"{value:.6g}" if math.isfinite(value) else "–"


def spread(mean: float, deviation: float, *, percent: bool = False) -> str:
    """Mean and standard deviation over the folds."""
    if not math.isfinite(mean):
        return "–"
    if percent:
        return f"{100 * mean:.1f} ± {100 * deviation:.1f} %"
    return f"{mean:.3f} ± {deviation:.3f}"


def footnotes(result: Comparison) -> list[str]:
    """What a reader of the table must know, one sentence each."""
    settings, n = result.settings, len(result.data.y)
    rule = " (n/k give or take a fifth)" if settings.default_bounds else ""
    named = [f"{row.method.name}: {MEANINGS[row.method.name]}" for row in result.rows if row.method.name in MEANINGS]
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
    return lines + [f"{row.method.name}: {row.note}" for row in result.rows if row.note]


def proofs(result: Comparison) -> dict[str, str]:
    """The words of the column "proof" and what they mean; of "none", what the strategies themselves end in."""
    found = {str(proof): proof.description for proof in Proof}
    ends: dict[str, list[str]] = {}
    for row in result.rows:
        if row.partition is not None and row.proof is Proof.NONE and row.partition.local_optimum:
            ends.setdefault(row.partition.local_optimum, []).append(row.method.name)
    for changes, names in ends.items():
        found[str(Proof.NONE)] += f" ({', '.join(names)}: local optimum of {changes})"
    return found


def findings(result: Comparison) -> list[str]:
    """What the figures say, one sentence each."""
    bounded = [row for row in result.rows if row.within_bounds]
    reference = next((row for row in result.rows if row.method.name == REFERENCE and row.partition), None)
    lines = []
    lines += who_classifies_best(result)
    if bounded and reference is not None and reference.partition is not None and reference.sum_of_squares > 0:
        tight = min(bounded, key=lambda row: row.sum_of_squares)
        price = round(100.0 * tight.sum_of_squares / reference.sum_of_squares - 100.0, 1) + 0.0  # and not -0.0
        sizes = reference.partition.sizes
        lines.append(
            f"The price of balance: the smallest sum of squares within the bounds is {figure(tight.sum_of_squares)} "
            f"({tight.method.name}), {price:+.1f} % against k-means without bounds, whose clusters hold "
            f"{sizes.min():g} to {sizes.max():g} points."
        )
    steps = [row.method.name for row in result.rows if row.proof is Proof.STEP]
    if steps:
        lines.append(
            f"Certified by linear-programming duality: the last assignment of {', '.join(steps)} (proof: step). No "
            f"other assignment within the bounds is better for the same sites; other sites may be: each of these "
            f"partitions may be a local optimum only."
        )
    for row in result.rows:
        if row.proof is Proof.GLOBAL and row.partition is not None:
            lines.append(f"{row.method.name}: {row.partition.claim} (proof: global).")
    return lines or ["No method finished: the notes under the table say why."]


def accuracies(result: Comparison) -> dict[str, NDArray[np.float64]]:
    """Accuracies fold by fold of the methods within the bounds, of their local models, and of the references."""
    found: dict[str, NDArray[np.float64]] = {}
    for row in result.rows:
        if row.within_bounds and row.folds is not None and row.local is not None:
            found[row.method.name] = row.folds.accuracies
            found[f"{row.method.name} with local models"] = row.local.accuracies
    return found | {reference.name: reference.folds.accuracies for reference in result.references}


def who_classifies_best(result: Comparison) -> list[str]:
    """Who leads in accuracy, and whether a test tells it from the others; the best of the cluster shares beside it."""
    found = accuracies(result)
    shares = {row.method.name: found[row.method.name] for row in result.rows if row.method.name in found}
    first = leader(found)
    if first is None or not shares:
        return []
    if first.rivals:
        others = len(found) - 1 - len(first.rivals)
        line = (
            f"No method within the bounds is shown to classify best: {first.name} leads with {_percent(first.mean)}, "
            f"but the corrected resampled t-test over {result.settings.folds} folds (5 %, Holm) does not tell it from "
            f"{_listed(first.rivals)}" + (f"; from the other {others} it does." if others else ".")
        )
    else:
        line = (
            f"Within the bounds {first.name} classifies best, {_percent(first.mean)}; the corrected resampled t-test "
            f"over {result.settings.folds} folds (5 %, Holm) tells it from all others."
        )
    most = max(shares, key=lambda name: float(shares[name].mean()))
    against = [f"{one.name} {_percent(one.accuracy)}" for one in result.references]
    return [
        f"{line} Within the bounds, the shares of {most} have the highest accuracy, "
        f"{_percent(float(shares[most].mean()))}" + (f"; without clusters: {', '.join(against)}." if against else "."),
    ]


def _listed(names: tuple[str, ...], most: int = 3) -> str:
    """The first names, and how many more."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"
