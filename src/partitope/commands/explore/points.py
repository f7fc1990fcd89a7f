"""Points for the page: two columns of a table, an example, and sites to begin with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.columns import written_numbers
from ...base.errors import InvalidInputError
from ...base.number_texts import is_number
from ...base.record import Record
from ...datasets.table_reader import read_table
from ...models.polytope.polytope import PartitionPolytope

MAX_POINTS = 5000  # Largest number of points that the page accepts.
MAX_CLUSTERS = 12  # Largest number of clusters that the page accepts.
LARGEST = 1e60  # Largest absolute coordinate: squares of larger ones may overflow.


def read_points(
    path: str | Path, columns: Sequence[str] | None = None, tell: Callable[[str], None] = lambda said: None, **file: Any
) -> NDArray[np.float64]:
    """Points (n, 2) of a table: two columns by name or number, or the first two of numbers, which is then reported.
    ``file`` holds options of `read_table`."""
    table = read_table(path, **file)
    names = [str(name) for name in table.columns]
    if all(map(is_number, names)):
        first = ", ".join(names[:3])
        raise InvalidInputError(f"{path} begins with the numbers {first}: write a header line above them")
    read = {name: written_numbers(table[name], file.get("decimal")) for name in names}
    numbers = {name: found for name, found in read.items() if found is not None and not np.isnan(found).all()}
    chosen = list(numbers)[:2] if columns is None else [_named(names, name) for name in columns]
    if len(chosen) != 2:
        asked = "holds" if columns is None else "--columns names"
        raise InvalidInputError(f"{path}: {asked} {len(chosen)} columns of numbers, expected two such as x,y")
    for name in chosen:
        if name not in numbers:
            raise InvalidInputError(
                f"{path}, column {name!r} holds no plain numbers: choose among {', '.join(numbers)}"
            )
    points = np.column_stack([numbers[name] for name in chosen])
    wrong = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if wrong.size:
        raise InvalidInputError(f"{path}, row {wrong[0] + 1} lacks a number: fill it in, or leave the row out")
    if len(points) > MAX_POINTS:
        raise InvalidInputError(f"{path} holds {len(points)} points: the page shows at most {MAX_POINTS}")
    if columns is None and len(names) > 2:
        tell(f"{path}: points of {chosen[0]} and {chosen[1]}; others by --columns NAME,NAME")
    return points


def _named(names: Sequence[str], name: str) -> str:
    """The column of a name, or of a number counted from 1."""
    if name in names:
        return name
    if name.isascii() and name.isdigit() and 1 <= int(name) <= len(names):
        return names[int(name) - 1]
    raise InvalidInputError(f"--columns has no {name!r}: choose among {', '.join(names)}")


def example_points(seed: int = 0) -> NDArray[np.float64]:
    """Three groups of 90, 40 and 20 points (150, 2), with four decimals."""
    rng = np.random.default_rng(seed)
    centres, sizes = [(2.2, 7.0), (7.5, 7.5), (6.0, 2.2)], [90, 40, 20]
    groups = [rng.normal(centre, 1.1, size=(size, 2)) for centre, size in zip(centres, sizes)]
    return np.vstack(groups).round(4)


def start_state(points: NDArray[np.float64], polytope: PartitionPolytope, kind: str = "lsa", seed: int = 0) -> Record:
    """A state of the page to begin with: sites spread over the points (n, 2) by k-means++."""
    from sklearn.cluster import kmeans_plusplus

    n, n_clusters = len(points), polytope.n_clusters
    if kind not in ("lsa", "csa"):
        raise InvalidInputError(f"kind={kind!r} is not known: choose 'lsa' or 'csa'")
    if not 1 <= n_clusters <= min(MAX_CLUSTERS, n):
        raise InvalidInputError(f"n_clusters={n_clusters} is not usable: pass 1 to {min(MAX_CLUSTERS, n)}")
    if np.abs(points).max() > LARGEST:
        raise InvalidInputError(
            f"points reach {np.abs(points).max():.3g}, at most {LARGEST:.0e} is shown: rescale them"
        )
    polytope.check()
    sites = kmeans_plusplus(points, n_clusters, random_state=seed)[0]
    if kind == "csa":  # directions about the mean
        sites = sites - points.mean(axis=0)
    bounds = {"lower": polytope.lower.astype(int).tolist(), "upper": polytope.upper.astype(int).tolist()}
    return {"kind": kind, "points": points.tolist(), "sites": sites.tolist(), **bounds}
