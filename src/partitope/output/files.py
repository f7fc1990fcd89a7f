"""Writing files whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from ..base.errors import InvalidInputError


def check_writable(path: str | Path, *, sources: tuple[str | Path | None, ...] = ()) -> Path:
    """The path as a Path, refused before any work is done when it cannot become a file.

    Parameters
    ----------
    path : str or Path
        File to be written; missing folders are made when it is written.
    sources : tuple of str, Path or None
        Files that are read: none of them may be overwritten.

    Raises
    ------
    InvalidInputError
        When the path is a folder, one of ``sources``, or lies where nothing can be written.
    """
    file = Path(path)
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
    """Write a file so that readers see the old content or all of the new, never a part.

    Parameters
    ----------
    path : str or Path
        Destination; missing folders are made.
    content : str or bytes
        Everything the file is to hold; texts are written as UTF-8.

    Raises
    ------
    InvalidInputError
        When the file cannot be written; nothing is left behind.

    Notes
    -----
    The content goes to a temporary file in the same folder, is flushed to the disk and renamed. A link stays one: the
    file that it names is written. A pipe or a device, such as ``/dev/null``, is written to, and not replaced.
    """
    file, place = Path(path), Path(os.path.realpath(path))
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        if place.exists() and not place.is_file():
            place.write_bytes(data)
            return file
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".partitope-", suffix=".tmp", dir=place.parent)
    except OSError as error:
        raise InvalidInputError(f"{file} cannot be written: {error.strerror}") from error
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, place)
    except BaseException as error:
        Path(name).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise InvalidInputError(f"{file} cannot be written: {error.strerror}") from error
        raise
    return file


def _umask() -> int:
    """The process's file mode mask, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
