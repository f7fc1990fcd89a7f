"""Tables 6.3 to 6.8: Census Income, the published split, rows without missing entries.

As in the dissertation: 12 features (see `census_tables`), lower bounds 1, no upper bounds, threshold 0.5, 50 starts
drawn from the unit sphere, an encoding of capital gain and loss that the text leaves open (`readings`). Three encodings
stand one after the other:

    printed   fifths of the distinct training values of both columns, as the text reads at first sight
    closest   the reading whose clusters are nearest to those printed in Table 7.2 (`fingerprint`)
    ours      both encoded value by value like every other column, a departure; the starts are rows of the table

`census_rows` give the number of clusters that the printed cross-validation chooses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, Literal

from partitope.base.errors import InvalidInputError

from .base.rows import compare, measure
from .base.study import Job, Result, Row, Study
from .census_sweep import sweep_measures, sweep_rows
from .census_tables import census_classifier
from .printed.dissertation import CENSUS
from .printed.places import CENSUS as PLACES
from .printed.places import place_row
from .readings import BEST_OF_TEXT, BY_VALUE, TEXT, Reading, closest, parts_of
from .starts import start_measures, start_rows

PREPROCESSINGS = {"fifths": "printed", "text": "text", "closest": "closest", "values": "ours"}
READINGS: dict[str, Callable[[], Reading]] = {
    "fifths": lambda: TEXT, "text": lambda: BEST_OF_TEXT, "closest": closest, "values": lambda: BY_VALUE,
}  # fmt: skip
MANY = 50
"""Clusters from which on a fifth of the starts is drawn: chapter 6 does not print their number, chapter 5 does, 50."""
CLUSTERS = (29, *range(50, 501, 50))


def census_jobs(
    *,
    quick: bool = False,
    random_state: int = 0,
    n_starts: int = 50,
    clusters: tuple[int, ...] = CLUSTERS,
    everything: bool = False,
    capital: Literal["all", "fifths", "text", "closest", "values"] = "all",
) -> list[dict[str, Any]]:
    """One job a classifier; the weighted one of the largest number of clusters has the thresholds too.

    Parameters
    ----------
    quick : bool, default False
        3 starts and 29 clusters only.
    n_starts : int, default 50
        Starts of each classifier.
    clusters : tuple of int
        Numbers of clusters; 29 for Tables 6.3 and 6.4, 50 to 500 for 6.5.
    everything : bool, default False
        Also the unweighted scenario for 50 clusters and more, of which nothing is printed.
    capital : {"all", "fifths", "text", "closest", "values"}
        Encoding of capital gain and loss: one of four, or all of them.

    Raises
    ------
    InvalidInputError
        When the encoding is not known.

    Notes
    -----
    Full size: 48 jobs (88 with ``everything``), from some seconds for 29 clusters to a minute and a half for 500, on
    one core.
    """
    if capital not in ("all", *PREPROCESSINGS):
        raise InvalidInputError(f"capital={capital!r} is not known: choose 'all', {str([*PREPROCESSINGS])[1:-1]}")
    if quick:
        n_starts, clusters = min(n_starts, 3), (29,)
    printed = {(figure.k, figure.weighting) for figure in CENSUS}
    seeded = {"n_starts": n_starts, "random_state": random_state}
    jobs: list[dict[str, Any]] = []
    for cut in PREPROCESSINGS if capital == "all" else (capital,):
        drawn = {"init": "k-means++" if cut == "values" else "sphere", "reading": READINGS[cut]().settings()}
        jobs += [
            {"study": "census", "k": int(k), "weighting": weighting, "capital": cut, **drawn, **seeded}
            | {"n_starts": n_starts if k < MANY else -(-n_starts // 5)}
            | ({"thresholds": True} if (k, weighting) == (max(clusters), "weighted") else {})
            for k in clusters
            for weighting in ("unweighted", "weighted")
            if everything or (k, weighting) in printed or k not in CLUSTERS
        ]
    return jobs


def census_job(job: Job, n_jobs: int | None = None) -> dict[str, Any]:
    """Measures of one classifier, by aggregation and part, as plain values."""
    parts = parts_of(Reading.of(job["reading"]))
    model = census_classifier(job, lower=1, weighted=job["weighting"] == "weighted", n_jobs=n_jobs)
    started = perf_counter()
    model.fit(*parts["train"])
    seconds = perf_counter() - started
    measures = {
        mode: {part: measure(y == ">50K", model.predict_proba(X, mode)[:, 1]) for part, (X, y) in parts.items()}
        for mode in ("max", "mean")
    }
    thresholds = {"thresholds": sweep_measures(model, parts)} if "thresholds" in job else {}
    starts = start_measures(model, {part: (X, y == ">50K") for part, (X, y) in parts.items()})
    return {"seconds": seconds, "measures": measures, "starts": starts, **thresholds}


def census_rows(done: Sequence[tuple[Job, Result]]) -> list[Row]:
    """For each preprocessing Tables 6.3 to 6.5, then the thresholds, then the place in Table 6.8."""
    rows: list[Row] = []
    for capital, preprocessing in PREPROCESSINGS.items():
        part = [(job, result) for job, result in done if job["capital"] == capital]
        rows += [row | {"preprocessing": preprocessing} for row in _rows(part)]
    return rows


def _rows(done: Sequence[tuple[Job, Result]]) -> list[Row]:
    """Rows of one preprocessing."""
    if not done:
        return []
    rows: list[Row] = []
    for job, result in done:
        k, weighting = job["k"], job["weighting"]
        table = ("6.3" if weighting == "unweighted" else "6.4") if k == 29 else "6.5"
        rows += [
            row | {"seconds": round(result["seconds"], 2)}
            for mode in ("max", "mean")
            for part in ("train", "test")
            for row in compare(CENSUS, table, weighting, (weighting, k, mode, part), result["measures"][mode][part])
        ]
    for job, result in done:
        rows += start_rows([result["starts"]], job["weighting"], job["k"])
    for largest, thresholds in [(job["k"], result["thresholds"]) for job, result in done if "thresholds" in job]:
        rows += sweep_rows(thresholds, largest)
        wanted = {"scenario": "weighted", "k": largest, "classifier": "mean", "part": "test", "metric": "ACC"}
        found = [row for row in rows if all(row[name] == value for name, value in wanted.items())]
        rows += [place_row("6.8", PLACES, row) for row in found]
    return rows


STUDY = Study(
    "Öllinger, Tables 6.3 to 6.8: Census Income, percent",
    census_jobs, census_job, census_rows,
    group=("preprocessing", "table", "scenario", "k", "classifier", "part"), partial=False, unit=100.0, same_rows=True,
)  # fmt: skip
