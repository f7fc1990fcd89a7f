"""The program of a table of costs, and the file of its answer."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...base.columns import fitting_numbers
from ...base.errors import InvalidInputError
from ...base.sizes import bound_sizes
from ...models.polytope.infeasible_bounds import feasible_shares
from ...models.polytope.polytope import PartitionPolytope
from ...solvers.solution import AssignmentSolution
from ..options import Bounds


def columns_of(
    frame: pd.DataFrame, name: str, identifier: str | None, weights: str | None
) -> tuple[pd.Series, pd.DataFrame, pd.Series | None]:
    """Ids (n,), costs (n, k) as they were written, and weights (n,) if any, of a table."""
    for option_name, column in (("--id", identifier), ("--weights", weights)):
        if column is not None and column not in frame.columns:
            raise InvalidInputError(
                f"{option_name} {column!r} is not a column of {name}, which has {', '.join(map(str, frame.columns))}"
            )
    ids = frame[frame.columns[0] if identifier is None else identifier]
    if weights == ids.name:
        raise InvalidInputError(f"--weights {weights!r} is the column that names the points: name another one by --id")
    missing, twice = ids.isna(), ids[ids.duplicated()]
    if missing.any():
        raise InvalidInputError(f"column {ids.name!r} is empty in row {int(missing.argmax())}: fill it, or --id")
    if len(twice):
        raise InvalidInputError(
            f"column {ids.name!r} names {twice.iloc[0]!r} twice: every point needs an id of its own"
        )
    table = frame.drop(columns=[ids.name, *([] if weights is None else [weights])])
    if not table.shape[1]:
        raise InvalidInputError(f"{name} has no cost columns besides {ids.name!r}: expected one per cluster")
    return ids, table, None if weights is None else frame[weights]


def without(table: pd.DataFrame, never: str) -> pd.DataFrame:
    """The table with empty cells where a word says that a point may not go."""
    cells = table.map(lambda cell: isinstance(cell, str) and cell.strip() == never)
    if not cells.to_numpy().any():
        raise InvalidInputError(f"--never {never!r} is in no cell of the costs: write it as the file does")
    return table.astype(object).mask(cells, None)


def cost_matrix(table: pd.DataFrame, ids: pd.Series, decimal: str | None) -> NDArray[np.float64]:
    """Costs (n, k), NaN where a cell is empty."""
    wanted = "numbers of one kind (--decimal), empty cells, or what --never says; --id and the like name other columns"
    rows = ids.tolist()
    matrix = np.column_stack([
        fitting_numbers(table[name], f"column {name!r}", wanted, np.ones_like, decimal, rows) for name in table
    ])  # fmt: skip
    low, nowhere = np.argwhere(np.isneginf(matrix)), np.flatnonzero(~(matrix < np.inf).any(axis=1))
    if len(low):
        j, i = low[0]
        raise InvalidInputError(
            f"the cost of {ids.iloc[j]!r} in {table.columns[i]!r} is -inf: write a finite cost, or empty all other "
            f"cells of a point that has to be there"
        )
    if nowhere.size:
        raise InvalidInputError(f"{ids.iloc[nowhere[0]]!r} has no cost in any cluster: allow it in one, or drop it")
    return matrix


def bounded(
    sizes: Bounds, ids: pd.Series, n_clusters: int, weight: pd.Series | None, decimal: str | None
) -> PartitionPolytope:
    """The polytope of --lower and --upper, in points or in sums of a column, which does not multiply costs."""
    n_points = len(ids)
    if weight is None:
        return sizes.on(n_points, n_clusters)
    said, wanted = f"--weights {weight.name!r}", "numbers of at least 0"
    values = fitting_numbers(weight, said, wanted, lambda x: (x >= 0) & (x < np.inf), decimal, ids.tolist())
    if not values.any():
        raise InvalidInputError(f"{said} holds nothing but zeros, expected {wanted}")
    total = float(values.sum())
    low = bound_sizes(sizes.lower, "lower", total, n_clusters, name="--lower", whole=False)
    up = bound_sizes(sizes.upper, "upper", total, n_clusters, name="--upper", whole=False)
    zeros, ones = np.zeros(n_clusters), np.ones(n_clusters)
    lows = np.column_stack([zeros, zeros if low is None else low])
    ups = np.column_stack([n_points * ones, total * ones if up is None else up])
    names = ("size" if weight.name == "points" else "points", weight.name)
    polytope = PartitionPolytope(n_points, lows, ups, np.column_stack([np.ones(n_points), values]), names=names)
    return feasible_shares(polytope, total, **{"--lower": sizes.lower, "--upper": sizes.upper})


def plan_text(ids: pd.Series, names: list[str], solution: AssignmentSolution) -> str:
    """The file of ids and clusters; where points are divided, a line for every part, with its share."""
    clusters = [names[label] for label in solution.require_labels()]
    name = "id" if ids.name in ("cluster", "share") else ids.name
    plan = pd.DataFrame({name: ids.to_numpy(), "cluster": clusters})
    if solution.splits:
        points, places, shares = zip(*solution.splits)
        parts = pd.DataFrame(
            {name: ids.iloc[list(points)].to_numpy(), "cluster": [names[i] for i in places], "share": shares},
            index=list(points),
        )
        plan = pd.concat([plan.assign(share=1.0).drop(index=list(set(points))), parts]).sort_index(kind="stable")
    return plan.to_csv(index=False)
