"""Long computations in jobs: each finished job is kept in a file, so that a run that stops can go on."""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from partitope import __version__
from partitope.output.terminal import note

logger = logging.getLogger(__name__)

REVISION = 2
"""Raised whenever the computation of a job changes its result."""

Progress = Callable[[int, int, str], None]
"""What long functions call after each job: how many are done, of how many, and what was done."""


def default_folder() -> Path:
    """Folder of the finished jobs, in the user's cache."""
    import pooch

    return Path(pooch.os_cache("partitope")) / "jobs"


def finished_job(
    settings: Mapping[str, Any], compute: Callable[[], dict[str, Any]], folder: str | Path | None
) -> dict[str, Any]:
    """Result of a job, read from the folder when it was computed before with the same settings."""
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


@contextmanager
def resumable(folder: Path | None) -> Iterator[None]:
    """Say, when a run is interrupted, that its finished jobs are kept in the folder; None keeps nothing."""
    try:
        yield
    except KeyboardInterrupt:
        if folder is not None:
            note(f"finished jobs are kept in {folder}: the same command goes on from there")
        raise
