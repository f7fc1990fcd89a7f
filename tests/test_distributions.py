"""Wheel and source archive, built for real: they hold every module and data file, and building says nothing."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("src", "models", "solvers", "classifiers", "stats")
BESIDE = ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff")


def _setuptools_version() -> int:
    return int(version("setuptools").split(".")[0]) if importlib.util.find_spec("setuptools") else 0


pytestmark = pytest.mark.skipif(
    _setuptools_version() < 77, reason="no setuptools >= 77 in this environment: distributions are not built"
)


def _in_tree(files: list[Path]) -> set[str]:
    """Names inside the import package of files under the mapped folders."""
    names = (path.relative_to(ROOT).as_posix() for path in files)
    return {name.removeprefix("src/") if name.startswith("src/") else f"partitope/{name}" for name in names}


def _source_files() -> list[Path]:
    found = []
    for folder in FOLDERS:
        for place, folders, names in os.walk(ROOT / folder):  # links are not followed: each file once
            folders[:] = [f for f in folders if f != "__pycache__" and not f.endswith(".egg-info")]
            found += [Path(place, name) for name in names if not name.endswith((".pyc", ".nbi", ".nbc"))]
    return [path for path in found if not path.is_symlink()]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A folder with a wheel, a source archive and what building them said, made from a copy of the tree."""
    place = tmp_path_factory.mktemp("a place with spaces")
    tree, out = place / "tree", place / "out"
    shutil.copytree(
        ROOT,
        tree,
        symlinks=True,
        ignore=lambda folder, names: (
            [n for n in names if n not in (*FOLDERS, *BESIDE, "tests")]
            if Path(folder) == ROOT
            else [n for n in names if n == "__pycache__" or n.endswith(".egg-info")]
        ),
    )
    said = ""
    for kind, folder in (("sdist", out), ("wheel", out), ("editable", place / "editable")):
        folder.mkdir(exist_ok=True)
        code = f"import sys; from setuptools import build_meta; build_meta.build_{kind}(sys.argv[1])"
        command = [sys.executable, "-c", code, str(folder)]
        run = subprocess.run(command, cwd=tree, capture_output=True, text=True, env=_plain())
        assert run.returncode == 0, run.stderr
        said += run.stdout + run.stderr
    return out, said


def _plain() -> dict[str, str]:
    """The environment without options that would hide warnings."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONWARNINGS"}


def test_building_warns_of_nothing(built):
    _, said = built
    assert "Warning" not in said
    assert "absent from the `packages` configuration" not in said


def test_wheel_and_archive_hold_every_file_of_the_tree(built):
    out, _ = built
    expected = _in_tree(_source_files())
    with zipfile.ZipFile(next(out.glob("*.whl"))) as wheel:
        held = {name for name in wheel.namelist() if name.startswith("partitope/")}
    assert held == expected
    with tarfile.open(next(out.glob("*.tar.gz"))) as archive:
        members = archive.getmembers()
    inside = {member.name.partition("/")[2] for member in members}
    sources = {path.relative_to(ROOT).as_posix() for path in _source_files()}
    assert sources <= inside
    assert set(BESIDE) <= inside
    assert not any(name.startswith("tests/") for name in inside)  # a part of them would be no suite
    assert not any(member.issym() or member.islnk() for member in members)


def test_a_checkout_without_links_builds_the_same_wheel(built, tmp_path):
    """Git for Windows writes a link as a small file that holds its target."""
    out, _ = built
    tree = tmp_path / "tree"
    shutil.copytree(out.parent / "tree", tree, symlinks=True, ignore=shutil.ignore_patterns("build", "*.egg-info"))
    for link in (tree / "src" / "partitope").iterdir():
        if link.is_symlink():
            target = os.readlink(link)
            link.unlink()
            link.write_text(target, encoding="utf-8")
    code = f"from setuptools import build_meta; build_meta.build_wheel({str(tmp_path)!r})"
    subprocess.run([sys.executable, "-c", code], cwd=tree, capture_output=True, check=True, env=_plain())
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as without, zipfile.ZipFile(next(out.glob("*.whl"))) as wheel:
        contents = [{name: held.read(name) for name in held.namelist()} for held in (without, wheel)]
    assert contents[0] == contents[1]
