"""Every strategy on the same data, the same bounds and the same folds.

For each method (a row of the comparison), with bounds l <= u on the sizes of k clusters of n rows:

    (1)  Z = encoding of the whole table (a strategy that reads mixed tables gets the table itself); m starts; the
         start with the best objective is shown: its objective, the sum of squares re-measured on Z whatever the
         method optimises, its sizes, its seconds, its proof.
    (2)  f stratified folds. In each, encoder and partition see the training rows only, encoded by cross-fitting as
         all rows are in (1); m starts; the class shares of the cells that hold the training rows score the held-out
         rows, as in `ClusteringClassifier`. Accuracy and AUC are means over the folds.
    (3)  The same folds and cells, with a local model in every cell (`partitope.compare.local`), and classifiers
         without clusters (`partitope.compare.references`).
    (4)  A fold that trains on n' of n rows uses the bounds floor(l n' / n) and ceil(u n' / n), which are
         feasible whenever l and u are.

The seeds of the starts and the folds come from one seed and are the same for every method.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from time import perf_counter

import numpy as np
from numpy.typing import ArrayLike
from sklearn.model_selection import StratifiedKFold

from ..base.blas import one_library_thread
from ..base.checks import class_codes, whole_number
from ..base.errors import InvalidInputError
from ..base.jit import one_thread
from ..classifiers import ConditionalMeanEncoder
from ..classifiers.encoders.table_cleaner import clean
from ..datasets.dataset import Dataset
from ..models.polytope.polytope import PartitionPolytope
from .local import FoldColumns
from .method import Progress, compared, encoded
from .methods import choose_methods
from .references import reference_models, references
from .result import Comparison, Row, Settings
from .scoring import listed

__all__ = ["Comparison", "Progress", "Row", "Settings", "compare"]

SMALL_TABLE = 1_000_000  # Tables with up to this many entries count as small.


def compare(
    data: Dataset,
    n_clusters: int = 5,
    *,
    lower: ArrayLike | str | None = None,
    upper: ArrayLike | str | None = None,
    polytope: PartitionPolytope | None = None,
    folds: int = 5,
    starts: int = 10,
    seed: int = 0,
    methods: Sequence[str] | None = None,
    against: Mapping[str, object] | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Run every method on the same data, bounds and folds; arguments as those of `partitope compare`. Without bounds,
    sizes may differ from n/k by a fifth. A method that fails keeps its row, with the reason as its note; the same seed
    gives the same result. InvalidInputError and InfeasibleBoundsError as everywhere."""
    started = perf_counter()
    chosen, data = choose_methods(methods), clean(data)
    given = lower is not None or upper is not None
    if polytope is None and given:
        polytope = PartitionPolytope.asked_for(len(data.y), n_clusters, lower, upper)
    elif given:
        raise InvalidInputError("polytope was given together with lower or upper: it holds the bounds, pass it alone")
    settings = _settings(data, polytope, n_clusters, folds, starts, seed, bool(methods))
    # one set of folds and points for all methods: their figures differ by the methods alone
    codes = np.unique(data.y, return_inverse=True)[1]
    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    splits = list(splitter.split(codes, codes))
    points, _ = encoded(data.X, codes)
    useless = ConditionalMeanEncoder().fit(data.X, codes).uninformative_
    if useless:
        why = "left out of distances, since they tell the classes apart no better than chance"
        data = replace(data, notes=(*data.notes, f"{why}: {listed(useless, 5)}"))
    total, rows = len(chosen) * (folds + 1), []
    with ExitStack() as threads:
        if points.size < SMALL_TABLE:  # starting threads costs more than they save; no result depends on it
            threads.enter_context(one_thread())
            threads.enter_context(one_library_thread())
        models = reference_models(seed) if against is None else against
        # what no method changes is computed once: other classifiers, and the columns of local models
        scored = references(data, codes, splits, models)
        columns = [(split, FoldColumns.of(data, codes, *split)) for split in splits]
        for number, method in enumerate(chosen):

            def report(done: int, text: str, before: int = number * (folds + 1)) -> None:
                if progress is not None:
                    progress(before + done, total, text)

            rows.append(compared(method, data, points, codes, columns, settings, report))
            report(folds + 1, method.name)
    return Comparison(data, settings, tuple(rows), points, scored, perf_counter() - started)


def _settings(
    data: Dataset, polytope: PartitionPolytope | None, n_clusters: int, folds: int, starts: int, seed: int, named: bool
) -> Settings:
    """Checked settings; without a polytope, that of sizes near n/k."""
    n, k = len(data.y), n_clusters if polytope is None else polytope.n_clusters
    for name, value, least in [("n_clusters", k, 1), ("folds", folds, 2), ("starts", starts, 1), ("seed", seed, 0)]:
        whole_number(value, name, least)
    classes, codes = class_codes(data.y, f"target {data.target_name!r}")
    counts = np.bincount(codes)
    if folds > counts.min():
        rare = classes[counts.argmin()]
        raise InvalidInputError(
            f"folds={folds} exceeds the {counts.min()} rows of class '{rare}': use at most "
            f"{max(int(counts.min()), 2)} folds" + (" and more rows of that class" if counts.min() < 2 else "")
        )
    smallest_part = n - -(-n // folds)
    if k > smallest_part:
        raise InvalidInputError(
            f"n_clusters={k} exceeds the {smallest_part} training rows of a fold ({n} rows, {folds} folds): "
            f"ask for at most {smallest_part} clusters"
        )
    bounds = PartitionPolytope.within(n, k) if polytope is None else polytope
    if bounds.n_points != n:
        raise InvalidInputError(f"polytope is for {bounds.n_points} points: pass one for the {n} rows of the table")
    bounds.check()
    return Settings(bounds, folds, starts, seed, polytope is None, named)
