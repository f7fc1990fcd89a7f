"""The picture of the house: every room of the package in its layer, and which rooms import which, read from the code.

Rooms are the folders directly below ``partitope``; their order from top to bottom is the contract that ``make check``
enforces (``tool.importlinter`` in pyproject.toml). An arrow from A to B says that a module of A imports one of B;
arrows that follow from others are left out.
"""

from __future__ import annotations

import ast
import io
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "partitope"
INK, PAPER, LINE = "#1f2937", "#eef2ff", "#94a3b8"


def layers() -> list[list[str]]:
    """Rooms of every layer, the highest first, from the first contract of the import linter."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contract = settings["tool"]["importlinter"]["contracts"][0]
    return [[room.strip() for room in layer.split("|")] for layer in contract["layers"]]


def files(room: str) -> list[Path]:
    """Python files of a room: a folder, or a single module."""
    folder = PACKAGE / room
    return sorted(folder.rglob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]


def imports(path: Path) -> Iterator[str]:
    """Rooms that one file imports from; imports are relative inside the package."""
    depth = len(path.relative_to(PACKAGE).parts)  # as many dots lead up to the package
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == depth:
            yield from [node.module.split(".")[0]] if node.module else [alias.name for alias in node.names]


def arrows() -> Counter[tuple[str, str]]:
    """Number of imports from one room to another."""
    rooms = {room for layer in layers() for room in layer}
    found: Counter[tuple[str, str]] = Counter()
    for room in rooms:
        for path in files(room):
            found.update((room, other) for other in imports(path) if other in rooms and other != room)
    return found


def direct(found: Counter[tuple[str, str]]) -> list[tuple[str, str]]:
    """Arrows that do not follow from a path of others; imports go one way, so there are no cycles."""
    below: dict[str, set[str]] = {}

    def reach(room: str) -> set[str]:
        if room not in below:
            nearest = {other for above, other in found if above == room}
            below[room] = nearest.union(*(reach(other) for other in nearest))
        return below[room]

    return [
        (above, other)
        for above, other in found
        if not any(other in reach(between) for start, between in found if start == above and between != other)
    ]


def picture() -> str:
    """The house as SVG text."""
    floors = layers()
    figure = Figure(figsize=(9, 1.15 * len(floors)))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set(xlim=(0, 10), ylim=(0, len(floors)))
    place: dict[str, tuple[float, float]] = {}
    for level, floor in enumerate(floors):
        for position, room in enumerate(floor):
            place[room] = (10 * (position + 0.5) / len(floor), len(floors) - level - 0.5)
    found = arrows()
    for above, below in direct(found):
        (x, y), (u, v) = place[above], place[below]
        bend = 0.0 if abs(y - v) < 1.5 or abs(x - u) > 1 else 0.35
        axes.add_patch(
            FancyArrowPatch(
                (x, y - 0.3), (u, v + 0.3), arrowstyle="-|>", mutation_scale=9, color=LINE, zorder=1,
                linewidth=0.6 + min(found[above, below], 60) / 25, connectionstyle=f"arc3,rad={bend}",
            )
        )  # fmt: skip
    for room, (x, y) in place.items():
        lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files(room))
        box = FancyBboxPatch(
            (x - 1.0, y - 0.3), 2.0, 0.6, boxstyle="round,pad=0.02", facecolor=PAPER, edgecolor=INK, zorder=2
        )
        axes.add_patch(box)
        axes.text(x, y + 0.08, room, ha="center", va="center", fontsize=14, color=INK, zorder=3)
        caption = f"{len(files(room))} files, {lines} lines" if len(files(room)) > 1 else f"{lines} lines"
        axes.text(x, y - 0.15, caption, ha="center", va="center", fontsize=9.5, color=INK, zorder=3)
    text = io.StringIO()
    figure.savefig(text, format="svg", facecolor="white", metadata={"Date": None})
    return text.getvalue()
