"""A reproduction as plain data: rows of every study, the machine, the versions."""

from __future__ import annotations

import json
import math
import platform
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from time import perf_counter
from typing import Any

import pandas as pd

from partitope import __version__
from partitope.base.errors import InvalidInputError
from partitope.output.files import write_atomically

from ..catalogue import STUDIES
from .jobs import Progress
from .machine import cores, processor, versions

FORMAT, VERSION = "partitope.reproductions", 1
LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba", "pandas", "highspy", "interpret-core")
RESULTS = Path(__file__).parents[1] / "results.json"
"""The full run that comes with the studies."""


@dataclass
class Reproduction:
    """Studies that have been run, in order.

    Attributes
    ----------
    quick : bool
        Whether they were run in small.
    random_state : int
        Their seed.
    frames : dict of str to DataFrame
        Rows of each study.
    seconds : dict of str to float
        What each took; finished jobs cost nothing.
    """

    quick: bool = False
    random_state: int = 0
    frames: dict[str, pd.DataFrame] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    def run(
        self,
        name: str,
        *,
        n_starts: int | None = None,
        n_jobs: int | None = None,
        cache: str | Path | None = "default",
        progress: Progress | None = None,
        part: tuple[int, int] | None = None,
    ) -> pd.DataFrame:
        """Run one study of `STUDIES` and keep its rows; ``part`` as for `Study.run`."""
        started = perf_counter()
        study = STUDIES[name]
        options = {"n_starts": n_starts} if n_starts is not None and "n_starts" in study.options else {}
        frame = study.run(
            quick=self.quick,
            random_state=self.random_state,
            n_jobs=n_jobs,
            cache=cache,
            progress=progress,
            part=part,
            **options,
        )
        self.frames[name], self.seconds[name] = frame, round(perf_counter() - started, 2)
        return frame

    def as_dict(self) -> dict[str, Any]:
        """Plain data; numbers that are not finite become None."""
        studies = {
            name: {
                "title": STUDIES[name].title,
                "seconds": self.seconds[name],
                "commits": frame.attrs.get("commits", {}),
                "rows": [_plain(row) for row in frame.to_dict(orient="records")],
            }
            for name, frame in self.frames.items()
        }
        return {
            "format": FORMAT,
            "version": VERSION,
            "partitope": __version__,
            "date": date.today().isoformat(),
            "quick": self.quick,
            "random_state": self.random_state,
            "machine": surroundings(),
            "studies": studies,
        }

    def save(self, path: str | Path) -> None:
        """Write `as_dict` as JSON, one line per row of a table; what a record in this place has beyond it stays."""
        record = self.as_dict()
        if Path(path).is_file():
            record = merged(read_record(path), record)
        write_record(record, path)


def merged(before: dict[str, Any], record: dict[str, Any]) -> dict[str, Any]:
    """A record with the studies of an earlier one of the same kind that it has not, and of its studies the rows of
    preprocessings that it has not; their commits stay beside them.

    Raises
    ------
    InvalidInputError
        When one is quick and the other full, or the earlier file is no record.
    """
    if before.get("format") != FORMAT or before["quick"] != record["quick"]:
        raise InvalidInputError("the file holds no record of the same kind (quick or full): save to another one")
    studies = dict(before["studies"])
    for name, study in record["studies"].items():
        kinds = {row.get("preprocessing") for row in study["rows"]}
        old = studies.get(name, {"rows": [], "commits": {}})
        rest = [row for row in old["rows"] if row.get("preprocessing") not in kinds]
        commits = {**(old["commits"] if rest else {}), **study["commits"]}
        studies[name] = {**study, "commits": commits, "rows": [*study["rows"], *rest]}
    return {**record, "studies": {name: studies[name] for name in [*STUDIES, *studies] if name in studies}}


def surroundings() -> dict[str, str]:
    """Processor, system and versions."""
    return {
        "processor": f"{processor()}, {cores()}",
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **versions(LIBRARIES),
    }


def write_record(record: dict[str, Any], path: str | Path) -> None:
    """Write a record of `Reproduction.as_dict` with one line per row."""
    head = {key: value for key, value in record.items() if key != "studies"}
    parts = []
    for name, study in record["studies"].items():
        rows = ",\n".join("   " + json.dumps(row, ensure_ascii=False) for row in study["rows"])
        rest = {key: value for key, value in study.items() if key != "rows"}
        start = json.dumps(rest, ensure_ascii=False)[:-1]
        parts.append(f'  {json.dumps(name)}: {start}, "rows": [\n{rows}\n  ]}}')
    text = json.dumps(head, indent=1, ensure_ascii=False)[:-2] + ',\n "studies": {\n' + ",\n".join(parts) + "\n }\n}\n"
    write_atomically(path, text)


def read_record(path: str | Path = RESULTS) -> dict[str, Any]:
    """A record written before; by default the full run that comes with the studies."""
    record: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
    return record


def _plain(row: dict[Any, Any]) -> dict[str, Any]:
    return {
        str(key): None if isinstance(value, float) and not math.isfinite(value) else value
        for key, value in row.items()
        if value != ""
    }
