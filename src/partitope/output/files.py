"""Writing files whole or not at all."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ..base.errors import InvalidInputError


def check_writable(path: str | Path, *, sources: tuple[str | Path | None, ...] = ()) -> Path:
    """The path as a Path, refused before any work is done when it cannot become a file."""
    file = Path(path)
    try:
        file.stat()
    except OSError as error:  # such as links that lead to each other
        if error.errno not in (errno.ENOENT, errno.ENOTDIR):
            raise InvalidInputError(f"{file} cannot be written: {error.strerror}") from error
    if file.is_dir():
        raise InvalidInputError(f"{file} is a folder: pass the name of a file to write")
    for source in sources:
        if source is not None and file.exists() and Path(source).exists() and file.samefile(source):
            raise InvalidInputError(f"{file} is also the input: choose another name for the output")
    folder = file.absolute().parent
    while not folder.exists():
        folder = folder.parent
    if not folder.is_dir():
        raise InvalidInputError(f"{file} cannot be written: {folder} is a file, expected a folder")
    if not os.access(folder, os.W_OK):
        raise InvalidInputError(f"{file} cannot be written: no permission in {folder}")
    return file


def write_atomically(path: str | Path, content: str | bytes) -> Path:
    """`write_together` of one file; its path."""
    write_together({Path(path): content})
    return Path(path)


def write_together(contents: Mapping[Path, str | bytes]) -> None:
    """Write files so that readers see the old content or all of the new, and none is written unless all can be."""
    beside: dict[Path, str] = {}
    file = Path()
    try:
        for file, content in contents.items():
            place = Path(os.path.realpath(file))
            if not place.exists() or place.is_file():
                beside[file] = _temporary(place, content)
        for file, content in contents.items():
            place = Path(os.path.realpath(file))
            if file in beside:
                os.replace(beside[file], place)
            else:
                place.write_bytes(_as_bytes(content))
    except BaseException as error:
        for name in beside.values():
            Path(name).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise InvalidInputError(f"{file} cannot be written: {error.strerror}") from error
        raise


def _temporary(place: Path, content: str | bytes) -> str:
    """Name of a temporary file, in the folder of a place, that holds the content."""
    place.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=".partitope-", suffix=".tmp", dir=place.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(_as_bytes(content))
            stream.flush()
            os.fsync(stream.fileno())
        mask = os.umask(0)  # which can only be read by setting it
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return name


def _as_bytes(content: str | bytes) -> bytes:
    return content.encode("utf-8") if isinstance(content, str) else content
