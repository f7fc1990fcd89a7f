"""Tables 6.3 to 6.8: Census Income, the published split, rows without missing entries.

As in the dissertation: ``fnlwgt`` and ``education`` are left out (12 features remain), lower bounds 1, no upper
bounds, threshold 0.5, 50 starts. One departure by default: capital gain and loss are encoded value by value like
every other column; ``capital="fifths"`` cuts their distinct values into fifths, as its text says. No row is
dropped: all 15 060 test rows are classified, where the printed tables count 15 051.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from ..classifiers import ClusteringClassifier, ConditionalMeanEncoder
from ..datasets import load_census
from ..datasets_result import Dataset
from ..models.errors import InvalidInputError
from ..solvers.geometric import GeometricPartitioner
from .cells import Progress, default_folder, finished_cell
from .census_sweep import sweep_cell, sweep_rows
from .places import CENSUS as PLACES
from .places import place_row
from .published import CENSUS
from .verdict import as_report, compare, measure

CLUSTERS = (29, *range(50, 501, 50))
LEFT_OUT = ("fnlwgt", "education")
CAPITAL = ("capital-gain", "capital-loss")


def reproduce_census(
    *,
    quick: bool = False,
    n_starts: int = 50,
    clusters: tuple[int, ...] = CLUSTERS,
    everything: bool = False,
    capital: Literal["values", "fifths"] = "values",
    random_state: int = 0,
    n_jobs: int | None = None,
    cache: str | Path | None = "default",
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Printed and own figures for the Census Income tables, with thresholds and the place in Table 6.8.

    Parameters
    ----------
    quick : bool, default False
        3 starts and 29 clusters only: a check that everything runs, not a reproduction.
    n_starts : int, default 50
        Starts of each classifier.
    clusters : tuple of int
        Numbers of clusters; 29 for Tables 6.3 and 6.4, 50 to 500 for 6.5.
    everything : bool, default False
        Also the unweighted scenario for 50 clusters and more, of which nothing is printed.
    capital : {"values", "fifths"}
        Encoding of capital gain and loss.
    random_state : int
        Seed.
    n_jobs : int, optional
        Starts run at the same time; the result does not depend on it.
    cache : str, Path or None, default "default"
        Folder of finished cells; "default" is one in the user's cache, None keeps nothing.
    progress : callable, optional
        ``progress(done, total, text)`` after each cell.

    Returns
    -------
    DataFrame
        Columns ``table, scenario, k, classifier, part, metric, paper, ours, difference, low, high, verdict``
        (percent; see `partitope.reproduce.verdict` for the rules), then ``seconds`` of the fit.

    Raises
    ------
    InvalidInputError
        When an option is not known.
    DataNotFoundError
        When the raw files are neither in the data home nor can be downloaded.

    Notes
    -----
    Full size: 13 cells (23 with ``everything``), the last one of thresholds; about a minute for 29 clusters, several
    minutes each for the largest numbers, on one core.
    """
    if capital not in ("values", "fifths"):
        raise InvalidInputError(f"capital={capital!r} is not known: choose 'values' or 'fifths'")
    if quick:
        n_starts, clusters = min(n_starts, 3), (29,)
    folder = default_folder() if cache == "default" else cache
    printed = {(figure.k, figure.weighting) for figure in CENSUS}
    pairs = [(int(k), weighting) for k in clusters for weighting in ("unweighted", "weighted")]
    cells = [pair for pair in pairs if everything or pair in printed or pair[0] not in CLUSTERS]
    data: list[Dataset] = []
    rows: list[dict[str, Any]] = []
    sweep = max(clusters)
    for done, (k, weighting) in enumerate(cells):
        settings = {
            "study": "census",
            "k": k,
            "weighting": weighting,
            "capital": capital,
            "n_starts": n_starts,
            "random_state": random_state,
        }

        def compute(settings: dict[str, Any] = settings) -> dict[str, Any]:
            data[:] = data or [load_census(complete=True)]
            return census_cell(data[0], settings, n_jobs)

        result = finished_cell(settings, compute, folder)
        rows += _report(result, k, weighting)
        if progress is not None:
            progress(done + 1, len(cells) + 1, f"census {weighting} k={k}")
    settings = {"study": "census sweep", "k": sweep, "n_starts": n_starts, "random_state": random_state}

    def thresholds() -> dict[str, Any]:
        data[:] = data or [load_census(complete=True)]
        return sweep_cell(data[0], settings, LEFT_OUT, n_jobs)

    rows += sweep_rows(finished_cell(settings, thresholds, folder), sweep)
    if progress is not None:
        progress(len(cells) + 1, len(cells) + 1, f"census thresholds k={sweep}")
    return as_report(rows + _place(rows, sweep))


def census_cell(data: Dataset, settings: dict[str, Any], n_jobs: int | None = None) -> dict[str, Any]:
    """Measures of one classifier, by aggregation and part, as plain values."""
    train, test = (part.X.drop(columns=list(LEFT_OUT)) for part in (data.train, data.test))
    if settings["capital"] == "fifths":
        train, test = _fifths(train, test)
    model = ClusteringClassifier(
        GeometricPartitioner(settings["k"], lower=1),
        n_starts=settings["n_starts"],
        encoder=ConditionalMeanEncoder(bins=None),
        weighting="least-squares" if settings["weighting"] == "weighted" else None,
        random_state=settings["random_state"],
        n_jobs=n_jobs,
    )
    from time import perf_counter

    started = perf_counter()
    model.fit(train, data.train.y)
    seconds = perf_counter() - started
    measures = {
        mode: {
            part: measure(y == ">50K", model.predict_proba(X, mode)[:, 1])
            for part, X, y in [("train", train, data.train.y), ("test", test, data.test.y)]
        }
        for mode in ("max", "mean")
    }
    return {"seconds": seconds, "measures": measures}


def _fifths(train: pd.DataFrame, test: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Capital gain and loss as the fifth of their distinct training values, 0 to 4."""
    train, test = train.copy(), test.copy()
    for name in CAPITAL:
        ends = np.quantile(train[name].unique(), np.arange(1, 5) / 5, method="inverted_cdf")
        for frame in (train, test):
            frame[name] = np.searchsorted(ends, frame[name].to_numpy(), side="left")
    return train, test


def _place(rows: list[dict[str, Any]], k: int) -> list[dict[str, Any]]:
    """Table 6.8: where the weighted mean of the most clusters, as printed, stands on the test rows."""
    wanted = {"scenario": "weighted", "k": k, "classifier": "mean", "part": "test", "metric": "ACC"}
    found = [row for row in rows if all(row[name] == value for name, value in wanted.items())]
    return [place_row("6.8", PLACES, row) for row in found]


def _report(result: dict[str, Any], k: int, weighting: str) -> list[dict[str, Any]]:
    table = ("6.3" if weighting == "unweighted" else "6.4") if k == 29 else "6.5"
    rows = [
        row
        for mode in ("max", "mean")
        for part in ("train", "test")
        for row in compare(CENSUS, table, weighting, (weighting, k, mode, part), result["measures"][mode][part])
    ]
    return [row | {"seconds": round(result["seconds"], 2)} for row in rows]
