"""Where raw data files lie, and how a missing one is fetched."""

from __future__ import annotations

import gzip
import hashlib
import io
import logging
import os
import zipfile
from dataclasses import dataclass
from pathlib import Path

from .models.errors import PartitopeError

logger = logging.getLogger(__name__)

ENVIRONMENT = "PARTITOPE_DATA"


class DataNotFoundError(PartitopeError, FileNotFoundError):
    """A raw data file is neither in the data home nor to be had from its public address."""


@dataclass(frozen=True)
class RawFile:
    """One published file.

    Attributes
    ----------
    path : str
        Place below the data home, with forward slashes; a gzipped file with ``.gz`` appended is read too.
    sha256 : str
        Checksum of the uncompressed content, checked after a download.
    url : str or None
        Public address; None when there is none.
    member : str or None
        Name inside the archive, when the address is that of a zip file.
    """

    path: str
    sha256: str
    url: str | None = None
    member: str | None = None


def data_home() -> Path:
    """Folder of raw data: the environment variable ``PARTITOPE_DATA``, else the user's cache."""
    import pooch

    home = os.environ.get(ENVIRONMENT)
    return Path(home).expanduser() if home else Path(pooch.os_cache("partitope"))


def read_raw(file: RawFile) -> bytes:
    """Uncompressed content of a file, downloaded into the data home first when it is not there.

    Raises
    ------
    DataNotFoundError
        When it is not there and cannot be downloaded or does not match its checksum; the message names the
        file, its address and where to put it.
    """
    plain = data_home().joinpath(*file.path.split("/"))
    packed = plain.with_name(plain.name + ".gz")
    if plain.is_file():
        return plain.read_bytes()
    if packed.is_file():
        return gzip.decompress(packed.read_bytes())
    return _download(file, plain)


def _download(file: RawFile, place: Path) -> bytes:
    if file.url is None:
        raise DataNotFoundError(f"{file.path} has no public address: put it at {place}, or set {ENVIRONMENT}")
    import pooch

    logger.info("downloading %s to %s", file.url, place)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        if file.member is None:
            pooch.retrieve(file.url, f"sha256:{file.sha256}", fname=place.name, path=place.parent)
            return place.read_bytes()
        archive = pooch.retrieve(file.url, None, fname=f"{place.name}.zip", path=place.parent)
        content = zipfile.ZipFile(io.BytesIO(Path(archive).read_bytes())).read(file.member)
        Path(archive).unlink()
        if hashlib.sha256(content).hexdigest() != file.sha256:
            raise ValueError(f"the checksum of {file.member} is not the published one")
        place.write_bytes(content)
        return content
    except Exception as error:  # whatever a network, an archive or a folder can do
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DataNotFoundError(
            f"{file.path} is not in the data home and was not downloaded ({reason[:200]}): "
            f"fetch {file.url} by hand and put it at {place}, or point {ENVIRONMENT} to a folder that has it"
        ) from error
