"""Where raw data files are, and how a missing one is fetched.

A file is looked for in the data home, then in the user's cache. What is in neither is downloaded into the first of the
two that can be written.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import logging
import os
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..base.errors import PartitopeError, one_line

if TYPE_CHECKING:
    import pandas as pd

logger = logging.getLogger(__name__)

ENVIRONMENT = "PARTITOPE_DATA"


class DataNotFoundError(PartitopeError, FileNotFoundError):
    """A raw data file is neither in the data home nor to be had from its public address."""


@dataclass(frozen=True)
class RawFile:
    """One published file."""

    path: str  # Path below the data home, with forward slashes; a gzipped file with ``.gz`` is read too.
    sha256: str | None  # Checksum of the uncompressed content, checked after a download.
    url: str | None = None  # Public address; None when there is none.
    member: str | None = None  # Name inside the archive, when the address is that of a zip file.
    archive: str | None = None  # SHA-256 of that zip file.


def data_home() -> Path:
    """Folder of raw data: the environment variable ``PARTITOPE_DATA``, else the user's cache."""
    home = os.environ.get(ENVIRONMENT)
    return Path(home).expanduser() if home else user_cache()


def user_cache() -> Path:
    """The package's folder in the user's cache: where downloads go when the data home cannot be written."""
    import pooch

    return Path(pooch.os_cache("partitope"))


def read_raw(file: RawFile) -> bytes:
    """Uncompressed content of a file, downloaded first when it is neither in the data home nor in the user's cache."""
    homes = list(dict.fromkeys([data_home(), user_cache()]))
    for home in homes:
        plain = home.joinpath(*file.path.split("/"))
        packed = plain.with_name(plain.name + ".gz")
        if plain.is_file():
            return plain.read_bytes()
        if packed.is_file():
            return gzip.decompress(packed.read_bytes())
    return _download(file, homes)


def read_raw_table(file: RawFile, **options: Any) -> pd.DataFrame:
    """A file of comma-separated values as a table; ``options`` are those of pandas."""
    import pandas as pd

    return pd.read_csv(io.BytesIO(read_raw(file)), **options)


def _download(file: RawFile, homes: list[Path]) -> bytes:
    place = homes[0].joinpath(*file.path.split("/"))
    if file.url is None:
        raise DataNotFoundError(f"{file.path} has no public address: put it at {place}, or set {ENVIRONMENT}")
    try:
        home = next((home for home in homes if _can_be_written(home.joinpath(*file.path.split("/")).parent)), None)
        if home is None:
            raise PermissionError(f"neither {' nor '.join(map(str, homes))} can be written")
        return _fetch(file, file.url, home)
    except Exception as error:  # whatever a network, an archive or a folder can do
        reason = one_line(error)
        raise DataNotFoundError(
            f"{file.path} is not in the data home and was not downloaded ({reason[:200]}): "
            f"fetch {file.url} by hand and put it at {place}, or point {ENVIRONMENT} to a folder that has it"
        ) from error


def _fetch(file: RawFile, url: str, home: Path) -> bytes:
    """Download a file below a folder and check it."""
    import pooch

    place = home.joinpath(*file.path.split("/"))
    logger.info("downloading %s to %s", url, place)
    if file.member is None:
        known = None if file.sha256 is None else f"sha256:{file.sha256}"
        pooch.retrieve(url, known, fname=place.name, path=place.parent)
        return place.read_bytes()
    packed = None if file.archive is None else f"sha256:{file.archive}"
    name = f"{place.name}.zip" if file.archive is None else f"{file.archive[:16]}.zip"
    archive = Path(pooch.retrieve(url, packed, fname=name, path=place.parent))
    content = zipfile.ZipFile(io.BytesIO(archive.read_bytes())).read(file.member)
    if file.archive is None:
        archive.unlink()
    if hashlib.sha256(content).hexdigest() != file.sha256:
        raise ValueError(f"the checksum of {file.member} is not the published one")
    place.write_bytes(content)
    return content


def _can_be_written(folder: Path) -> bool:
    """Whether files can be put into a folder, which is made when it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False
