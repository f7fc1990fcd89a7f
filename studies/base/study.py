"""A study, its jobs and the rows that follow from them; and the one runner of all studies."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import pandas as pd

from partitope.base.errors import InvalidInputError
from partitope.datasets.raw_files import DataNotFoundError

from .jobs import Progress, default_folder, finished_job
from .machine import commit
from .rows import paired, settled

Job = Mapping[str, Any]
"""Settings of a job, as plain values: everything that its result depends on."""
Result = Mapping[str, Any]
"""What a job found, as plain values, its "seconds" and the "commit" it ran at; or {"missing": reason} without data."""
Row = dict[str, Any]


@dataclass(frozen=True)
class Study:
    """Tables of a publication, computed again.

    Attributes
    ----------
    title : str
        Which tables of which publication, for the reader.
    jobs : callable
        ``jobs(quick=, random_state=, ...)`` lists the jobs. Its further keywords are the options of the study.
    compute : callable
        ``compute(job)`` is the result of one job; it takes ``n_jobs`` as well where it can use several cores.
    rows : callable
        ``rows(done)`` makes the rows from pairs (job, result); it takes ``quick`` as well where that matters.
    group : tuple of str
        What names a method on a data set, in the columns of the rows.
    sets, quick_sets : tuple of str
        Data sets of a full and of a quick run; empty where there is nothing to choose.
    known_sets : tuple of str
        What else may be asked for by ``sets``.
    partial : bool
        Whether the rows say so where data are missing; otherwise the study raises `DataNotFoundError`.
    unit : float
        1 where the figures are shares, 100 where they are percent.
    own : tuple of str
        What the names of our methods start with: the methods that the papers propose, not those that they compare them
        with. Empty where all are.
    """

    title: str
    jobs: Callable[..., Sequence[Job]]
    compute: Callable[..., dict[str, Any]]
    rows: Callable[..., Sequence[Row]]
    group: tuple[str, ...] = ("table", "data", "method")
    sets: tuple[str, ...] = ()
    quick_sets: tuple[str, ...] = ()
    known_sets: tuple[str, ...] = ()
    partial: bool = True
    unit: float = 1.0
    own: tuple[str, ...] = ()
    same_rows: bool = False

    @property
    def options(self) -> dict[str, Any]:
        """Options of this study and their defaults; the docstring of ``jobs`` says what they mean."""
        parameters = inspect.signature(self.jobs).parameters.items()
        return {name: p.default for name, p in parameters if name not in ("quick", "random_state")}

    def run(
        self,
        *,
        quick: bool = False,
        random_state: int = 0,
        n_jobs: int | None = None,
        cache: str | Path | None = "default",
        progress: Progress | None = None,
        part: tuple[int, int] | None = None,
        **options: Any,
    ) -> pd.DataFrame:
        """Run all jobs and make the rows: printed figures, ours, intervals and verdicts.

        Parameters
        ----------
        quick : bool, default False
            Small sizes only: a check that everything runs, not a reproduction.
        random_state : int
            Seed of everything random.
        n_jobs : int, optional
            Starts run at the same time, where a study can; no result depends on it.
        cache : str, Path or None, default "default"
            Folder of finished jobs; "default" is one in the user's cache, None keeps nothing.
        progress : callable, optional
            ``progress(done, total, text)`` after each job.
        part : (int, int), optional
            (i, m) runs every m-th job from the i-th on, 1 <= i <= m, keeps the results and makes no rows: m machines
            share a study, and a run without ``part`` on their files together makes the rows.
        **options
            Options of this study, as `options` lists them: ``sets``, a sequence of names; numbers of starts, splits or
            repetitions, at least 1; choices.

        Returns
        -------
        DataFrame
            Columns of `studies.base.rows`; its ``attrs["commits"]`` counts the jobs run at each commit.

        Raises
        ------
        InvalidInputError
            When an option, a set or a choice is not known, or a number is smaller than 1.
        DataNotFoundError
            When a study cannot do without a file that is neither in the data home nor can be downloaded.
        """
        for name, value in options.items():
            if name not in self.options:
                raise InvalidInputError(f"option {name!r} is not known: choose among {', '.join(self.options)}")
            if isinstance(value, int) and not isinstance(value, bool) and value < 1:
                raise InvalidInputError(f"{name}={value} is not usable: pass at least 1")
        if self.sets:
            options["sets"] = self._chosen(options.get("sets"), quick)
        jobs = self.jobs(quick=quick, random_state=random_state, **options)
        compute = partial(self.compute, **_taken(self.compute, n_jobs=n_jobs))
        if part is not None:
            first, step = checked_part(part, cache)
            run_jobs(jobs[first - 1 :: step], compute, cache, progress, partial=self.partial)
            return pd.DataFrame()
        results = run_jobs(jobs, compute, cache, progress, partial=self.partial)
        rows = self.rows(list(zip(jobs, results)), **_taken(self.rows, quick=quick))
        frame = pd.DataFrame(paired([settled(row, self.unit, self.own, self.same_rows) for row in rows]))
        frame.attrs["commits"] = dict(Counter(r.get("commit") or "unknown" for r in results if "missing" not in r))
        return frame

    def _chosen(self, sets: Sequence[str] | None, quick: bool) -> list[str]:
        known = tuple(dict.fromkeys((*self.sets, *self.known_sets)))
        check_names("set", sets or (), known)
        return list(sets if sets is not None else self.quick_sets if quick else self.sets)


def checked_part(part: tuple[int, int], cache: str | Path | None) -> tuple[int, int]:
    """The part (i, m), once it is one of m >= 1 and its results are kept."""
    first, step = part
    if not 1 <= first <= step:
        raise InvalidInputError(f"part={first}/{step} is not usable: expected 1 <= i <= m, for instance 2/4")
    if cache is None:
        raise InvalidInputError("a part needs cache: its results are kept there until all parts are done")
    return first, step


def grouped(done: Sequence[tuple[Job, Result]], *names: str) -> dict[tuple[Any, ...], list[Result]]:
    """Results of jobs that agree in these settings, in the order of the jobs."""
    found: dict[tuple[Any, ...], list[Result]] = {}
    for job, result in done:
        found.setdefault(tuple(job[name] for name in names), []).append(result)
    return found


def check_names(kind: str, names: Sequence[str], known: Sequence[str]) -> None:
    """Refuse names that are not known.

    Raises
    ------
    InvalidInputError
        At the first of them.
    """
    for name in names:
        if name not in known:
            raise InvalidInputError(f"{kind} {name!r} is not known: choose among {', '.join(known)}")


def run_jobs(
    jobs: Sequence[Job],
    compute: Callable[[Job], dict[str, Any]],
    cache: str | Path | None,
    progress: Progress | None = None,
    *,
    partial: bool = True,
) -> list[dict[str, Any]]:
    """Results of jobs in order, finished ones read from ``cache``, the others computed and kept; see `Study.run`.

    With ``partial`` a `DataNotFoundError` of ``compute`` ends up as ``{"missing": reason}``, which is not kept; the
    other jobs of the same "data" that are not finished are missing as well, so that nothing is downloaded in vain more
    than once. Without, it is raised.
    """
    folder = default_folder() if cache == "default" else cache
    results = []
    absent: dict[Any, DataNotFoundError] = {}
    for done, job in enumerate(jobs, start=1):

        def timed(job: Job = job) -> dict[str, Any]:
            if job.get("data") in absent:
                raise absent[job["data"]]
            started = perf_counter()
            found = compute(job)
            return {"seconds": round(perf_counter() - started, 3), "commit": commit(), **found}

        try:
            results.append(finished_job(job, timed, folder))
        except DataNotFoundError as error:
            if not partial:
                raise
            results.append({"missing": re.split(r" \(|: ", str(error).splitlines()[0])[0], "seconds": 0.0})
            if "data" in job:
                absent[job["data"]] = error
        if progress is not None:
            progress(done, len(jobs), _text(job, jobs))
    return results


def _text(job: Job, jobs: Sequence[Job]) -> str:
    """What tells a job from the others: texts as they are, numbers with their names."""
    told = [(name, value) for name, value in job.items() if any(other.get(name) != value for other in jobs)]
    words = [value if isinstance(value, str) else f"{name}={value}" for name, value in told if name != "study"]
    return " ".join([str(job.get("study", "")), *words])


def _taken(function: Callable[..., Any], **offered: Any) -> dict[str, Any]:
    """Those of the offered keywords that a function has."""
    known = inspect.signature(function).parameters
    return {name: value for name, value in offered.items() if name in known}
