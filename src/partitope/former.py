"""Functions of version 0.1 that have no twin today, written with what replaced them; they go with version 0.3.

`partitope.base.moved` leads their names of before here. The docstrings say what to use instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from .models.linear_program import ExplicitProgram
from .models.polytope import PartitionPolytope
from .models.power_diagram import PowerDiagram
from .output.report import Table
from .output.terminal import write_table
from .solvers.embedding import Cells


def default_bounds(n_points: int, n_clusters: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Use `PartitionPolytope.within`."""
    polytope = PartitionPolytope.within(n_points, n_clusters)
    return polytope.lower, polytope.upper


def scale_bounds(
    lower: ArrayLike | None, upper: ArrayLike | None, n_all: int, n_part: int
) -> tuple[NDArray[np.float64] | None, NDArray[np.float64] | None]:
    """Use `PartitionPolytope.scaled_to`; None stays None."""
    share = n_part / n_all
    low = None if lower is None else np.floor(np.round(np.asarray(lower, dtype=np.float64) * share, 9))
    high = None if upper is None else np.ceil(np.round(np.asarray(upper, dtype=np.float64) * share, 9))
    return low, high


def describe_bounds(lower: Sequence[float] | NDArray, upper: Sequence[float] | NDArray) -> str:
    """Use `PartitionPolytope.describe`."""
    return PartitionPolytope(max(1, int(np.sum(upper))), lower, upper).describe()


def sense_of(partitioner: Any) -> str:
    """Use ``partitioner.objective_sense``."""
    return str(getattr(partitioner, "objective_sense", "max"))


def first_state(
    points: NDArray[np.float64],
    n_clusters: int,
    lower: NDArray[np.float64] | None,
    upper: NDArray[np.float64] | None,
    kind: str = "lsa",
    seed: int = 0,
) -> Any:
    """Use `partitope.explore.page.start_state`."""
    from .explore.page import start_state

    return start_state(points, PartitionPolytope(len(points), lower, upper, n_clusters=n_clusters), kind, seed)


def table_model(
    source: Path,
    target: str | None,
    clusters: int,
    lower: str | None,
    upper: str | None,
    objective: str,
    sites: Path | None,
    starts: int,
    seed: int,
) -> Any:
    """Use `partitope.workflows.export.points_model` with `table_points`."""
    from .commands.options import size_bounds
    from .workflows.export import points_model, table_points

    X = table_points(source, target)
    return points_model(X, size_bounds(lower, upper, len(X), clusters), objective, sites, starts, seed)


def diagram_to_dict(diagram: PowerDiagram) -> dict[str, Any]:
    """Use `Cells.to_dict` of ``partition_.cells``."""
    return Cells(None, diagram).to_dict()


def diagram_from_dict(state: Mapping[str, Any]) -> PowerDiagram:
    """Use `Cells.from_dict`."""
    return Cells.from_dict(state).diagram


def highs_model(program: ExplicitProgram, names: bool = True) -> Any:
    """Use `AssignmentModel.to_highs`."""
    return program.with_split_rows(names).to_highs()


def row_names(n: int, k: int) -> list[str]:
    """Use `ExplicitProgram.row_names`."""
    return list(ExplicitProgram(np.empty((n, k)), np.ones(n), np.zeros(k), np.zeros(k)).row_names)


def show_frame(frame: pd.DataFrame, title: str = "", digits: int = 4) -> None:
    """Use `partitope.output.terminal.write_table` with `Table.of`."""
    write_table(Table.of(frame, title, digits))


def as_frame(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Use `pandas.DataFrame`."""
    return pd.DataFrame(list(rows))
