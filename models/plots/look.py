"""The colour and the marker of a cluster."""

from __future__ import annotations

from typing import Any

from ...output.style import COLOURS

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">")


def look(cluster: int) -> dict[str, Any]:
    """Colour and marker of a cluster, the same in every picture; no pair repeats among the first 40."""
    return {"color": COLOURS[cluster % len(COLOURS)], "marker": MARKERS[cluster % len(MARKERS)]}
