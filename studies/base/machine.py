"""What a measurement was made on: the processor, and the versions of packages."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def processor() -> str:
    """Name of the processor, as far as the system tells it."""
    place = Path("/proc/cpuinfo")
    lines = place.read_text(encoding="utf-8").splitlines() if place.is_file() else []
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, "") or platform.processor() or platform.machine()


def cores() -> str:
    """Number of its cores, in words."""
    return f"{os.cpu_count()} cores"


def versions(packages: Iterable[str]) -> dict[str, str]:
    """Installed version of each package, or "not installed"."""
    found = {}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


@cache
def commit() -> str:
    """Short name of the commit that this package's files are at, with a + where files differ; "" outside a checkout."""
    here = Path(__file__).resolve()
    known = ["git", "-C", str(here.parent), "ls-files", "--error-unmatch", here.name]
    named = ["git", "-C", str(here.parent), "describe", "--always", "--exclude=*", "--abbrev=7", "--dirty=+"]
    try:
        subprocess.run(known, capture_output=True, check=True)  # not the checkout of another project around it
        return subprocess.run(named, capture_output=True, check=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
