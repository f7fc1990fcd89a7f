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
import zipfile
from dataclasses import dataclass
from pathlib import Path

from ..base.errors import InvalidInputError, PartitopeError, one_line
from ..output.files import check_writable

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


def _download(file: RawFile, homes: list[Path]) -> bytes:
    places = [home.joinpath(*file.path.split("/")) for home in homes]
    if file.url is None:
        raise DataNotFoundError(f"{file.path} has no public address: put it at {places[0]}, or set {ENVIRONMENT}")
    try:
        place = next((place for place in places if _can_be_written(place)), None)
        if place is None:
            raise PermissionError(f"neither {' nor '.join(map(str, homes))} can be written")
        return _fetch(file, file.url, place)
    except Exception as error:  # whatever a network, an archive or a folder can do
        raise DataNotFoundError(
            f"{file.path} is not in the data home and was not downloaded ({one_line(error)[:200]}): "
            f"fetch {file.url} by hand and put it at {places[0]}, or point {ENVIRONMENT} to a folder that has it"
        ) from error


def _fetch(file: RawFile, url: str, place: Path) -> bytes:
    """Download a file to its place and check it."""
    import pooch

    logger.info("downloading %s to %s", url, place)
    known, name = (file.sha256, place.name) if file.member is None else (file.archive, f"{Path(url).name}.zip")
    loaded = pooch.retrieve(url, None if known is None else f"sha256:{known}", fname=name, path=place.parent)
    content = Path(loaded).read_bytes()
    if file.member is not None:
        if file.archive is None:  # pooch would take it again, unchecked, after a checksum of its member failed
            Path(loaded).unlink()
        content = zipfile.ZipFile(io.BytesIO(content)).read(file.member)
        if hashlib.sha256(content).hexdigest() != file.sha256:
            raise ValueError(f"the checksum of {file.member} is not the published one")
        place.write_bytes(content)
    return content


def _can_be_written(place: Path) -> bool:
    try:
        return bool(check_writable(place))
    except InvalidInputError:
        return False
