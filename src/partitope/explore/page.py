"""The page as one self-contained text: markup, style, scripts and a first state, with nothing to fetch."""

from __future__ import annotations

import csv
import json
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..base.errors import InvalidInputError
from ..base.moved import former_names
from ..models.polytope import PartitionPolytope
from .answer import MAX_CLUSTERS, MAX_POINTS, State

__getattr__ = former_names(__name__)

_PARTS = {"style": "style.css", "engine": "engine.js", "state": "state.js", "pictures": "pictures.js", "app": "app.js"}


def build_page(state: State | None = None, *, server: bool = False) -> str:
    """The whole page as HTML.

    Parameters
    ----------
    state : State, optional
        What it shows first; a link's state goes before it. None: an example of three groups.
    server : bool, default False
        Whether a server behind the page answers; otherwise the page computes by itself.

    Returns
    -------
    str
        One HTML document that refers to no other file.

    Examples
    --------
    >>> from partitope.explore.page import build_page
    >>> build_page().startswith("<!doctype html>")
    True
    """
    static = files("partitope.explore") / "static"
    page = (static / "page.html").read_text(encoding="utf-8")
    settings = {"server": server, "state": None if state is None else state.as_record()}
    page = page.replace("{{settings}}", json.dumps(settings, allow_nan=False).replace("<", "\\u003c"))
    for name, file in _PARTS.items():
        page = page.replace(f"/*{{{{{name}}}}}*/", (static / file).read_text(encoding="utf-8"))
    return page


def read_points(path: str | Path) -> NDArray[np.float64]:
    """Points (n, 2) of a text file of two columns.

    Columns are separated by commas, semicolons, tabs or spaces; further columns are ignored, and so is a first
    line without numbers.

    Raises
    ------
    InvalidInputError
        When the file cannot be read, a later line does not start with two numbers, or there are more than 5000.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"{path} cannot be read as text: {error}") from None
    points: list[list[float]] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        pair = _numbers(line)
        if pair is not None:
            points.append(pair)
        elif points or number > 1:
            raise InvalidInputError(f"{path}, line {number} does not start with two numbers: mend or remove it")
    if not points or len(points) > MAX_POINTS:
        raise InvalidInputError(f"{path} holds {len(points)} points: the page shows 1 to {MAX_POINTS}")
    return np.array(points)


def example_points(seed: int = 0) -> NDArray[np.float64]:
    """Three groups of 90, 40 and 20 points (150, 2), with four decimals."""
    rng = np.random.default_rng(seed)
    centres, sizes = [(2.2, 7.0), (7.5, 7.5), (6.0, 2.2)], [90, 40, 20]
    groups = [rng.normal(centre, 1.1, size=(size, 2)) for centre, size in zip(centres, sizes)]
    return np.vstack(groups).round(4)


def start_state(points: NDArray[np.float64], polytope: PartitionPolytope, kind: str = "lsa", seed: int = 0) -> State:
    """A state to begin with: sites spread over the points (n, 2) by k-means++.

    Raises
    ------
    InvalidInputError
        When the number of clusters is not 1 to 8, or exceeds the points.
    InfeasibleBoundsError
        When no clustering satisfies the bounds.
    """
    from sklearn.cluster import kmeans_plusplus

    n, n_clusters = len(points), polytope.n_clusters
    if not 1 <= n_clusters <= min(MAX_CLUSTERS, n):
        raise InvalidInputError(f"n_clusters={n_clusters} is not usable: pass 1 to {min(MAX_CLUSTERS, n)}")
    polytope.check()
    sites = kmeans_plusplus(points, n_clusters, random_state=seed)[0]
    if kind == "csa":
        sites = sites - points.mean(axis=0)
    return State.of(
        {
            "kind": kind,
            "points": points.tolist(),
            "sites": sites.tolist(),
            "lower": polytope.lower.astype(int).tolist(),
            "upper": polytope.upper.astype(int).tolist(),
        }
    )


def _numbers(line: str) -> list[float] | None:
    for delimiter in (",", ";", "\t", None):
        words = line.split() if delimiter is None else next(csv.reader([line], delimiter=delimiter))
        try:
            pair = [float(word) for word in words[:2]]
        except ValueError:
            continue
        if len(pair) == 2 and np.isfinite(pair).all():
            return pair
    return None
