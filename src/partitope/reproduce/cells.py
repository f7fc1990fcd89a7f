"""Long computations in cells: each finished cell is kept in a file, so that a run that stops can go on."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from .. import __version__
from ..datasets_files import DataNotFoundError

logger = logging.getLogger(__name__)

REVISION = 1
"""Raised whenever the computation of a cell changes its result."""


Progress = Callable[[int, int, str], None]
"""What long functions call after each cell: how many are done, of how many, and what was done."""


def default_folder() -> Path:
    """Folder of finished cells in the user's cache."""
    import pooch

    return Path(pooch.os_cache("partitope")) / "reproduce"


def finished_cell(
    settings: Mapping[str, Any], compute: Callable[[], dict[str, Any]], folder: str | Path | None
) -> dict[str, Any]:
    """Result of a cell, read from the folder when it was computed before with the same settings.

    Parameters
    ----------
    settings : mapping
        Everything that the result depends on, as plain values; names the file.
    compute : callable
        Returns the result as plain values.
    folder : str, Path or None
        Where cells are kept; None keeps nothing.
    """
    if folder is None:
        return compute()
    identity = {"version": __version__, "revision": REVISION, **settings}
    text = json.dumps(identity, sort_keys=True)
    place = Path(folder).expanduser() / f"{hashlib.sha256(text.encode()).hexdigest()[:20]}.json"
    if place.is_file():
        try:
            stored = json.loads(place.read_text(encoding="utf-8"))
            if stored["settings"] == json.loads(text):
                return stored["result"]
        except (ValueError, KeyError, TypeError):
            logger.warning("%s is damaged and is computed again", place)
    result = compute()
    place.parent.mkdir(parents=True, exist_ok=True)
    draft = place.with_suffix(f".{os.getpid()}.part")
    draft.write_text(json.dumps({"settings": identity, "result": result}, indent=1), encoding="utf-8")
    draft.replace(place)
    return result


def run_cells(
    cells: Sequence[Mapping[str, Any]],
    compute: Callable[[Mapping[str, Any]], dict[str, Any]],
    cache: str | Path | None,
    progress: Progress | None = None,
) -> list[dict[str, Any]]:
    """Results of many cells in order, finished ones read, the others computed and kept.

    Parameters
    ----------
    cells : sequence of mapping
        Settings of each cell; "study" and the other values together are the text of the progress.
    compute : callable
        Result of one cell as plain values. A cell that cannot be computed for want of data raises
        `DataNotFoundError`, which ends up as ``{"missing": reason}`` and is not kept; the other cells of the same
        "data" that are not finished are missing as well, so that nothing is downloaded in vain more than once.
    cache : str, Path or None
        Folder of finished cells; "default" is one in the user's cache, None keeps nothing.
    progress : callable, optional
        ``progress(done, total, text)`` after each cell.
    """
    folder = default_folder() if cache == "default" else cache
    results = []
    absent: dict[Any, DataNotFoundError] = {}
    for done, settings in enumerate(cells, start=1):

        def timed(settings: Mapping[str, Any] = settings) -> dict[str, Any]:
            if settings.get("data") in absent:
                raise absent[settings["data"]]
            started = perf_counter()
            return {**compute(settings), "seconds": round(perf_counter() - started, 3)}

        try:
            results.append(finished_cell(settings, timed, folder))
        except DataNotFoundError as error:
            results.append({"missing": re.split(r" \(|: ", str(error).splitlines()[0])[0], "seconds": 0.0})
            if "data" in settings:
                absent[settings["data"]] = error
        if progress is not None:
            progress(done, len(cells), " ".join(str(v) for v in settings.values() if isinstance(v, str)))
    return results
