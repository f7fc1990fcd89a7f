"""`partitope assign`: the cheapest assignment of a table of costs within size bounds, with its proof."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..options import OUTPUT, READING, SEARCH, SIZES, Bounds, Printing, bundled, option
from ..tables import FileReading

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from ...models.polytope.polytope import PartitionPolytope
    from ...output.report import Report
    from ...solvers.solution import AssignmentSolution


@bundled
def assign(
    costs: Annotated[
        Path,
        typer.Argument(
            help="CSV, Parquet or Excel file: the cost of every point (row) in every cluster (column).",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path, option(OUTPUT, "CSV file to write: the id and the cluster of every point.", "--output", "-o")
    ],
    *,
    sizes: Bounds,
    weights: Annotated[
        str | None, option(SIZES, "Column whose sums are the sizes that --lower and --upper bound.", metavar="COLUMN")
    ] = None,
    whole: Annotated[
        bool, option(SIZES, "Whether weights may divide a point between clusters.", "--whole/--divided")
    ] = True,
    identifier: Annotated[
        str | None, option(READING, "Column that names the points; the first one unless said.", "--id")
    ] = None,
    reading: FileReading,
    gap: Annotated[
        float | None,
        option(SEARCH, "Stop where no assignment of whole points can cost less by more than this.", metavar="COST"),
    ] = None,
    time_limit: Annotated[float | None, option(SEARCH, "Stop after this many seconds.", metavar="SECONDS")] = None,
    printing: Printing,
) -> None:
    """Assign points to clusters at the least total cost within size bounds.

    partitope assign costs.csv --lower 10 --upper 20 -o plan.csv

    The first column names the points, every other one is a cluster. An empty cell says that the point is not allowed
    there. With --weights, a cost is that of the whole point, whatever its weight.
    """
    from ...classifiers.encoders.table_cleaner import usual_decimal
    from ...datasets.table_reader import read_with_notes
    from ...models.programs.assignment import AssignmentModel
    from ...output.files import check_writable, write_atomically
    from ...output.terminal import note
    from ...solvers.assignment.solve import solve

    file = check_writable(output, sources=(costs,))
    frame, notes = read_with_notes(costs, **reading.file_options)
    for line in notes:
        note(line)
    ids, table, weight = columns_of(frame, costs.name, identifier, weights)
    decimal = reading.decimal or usual_decimal(frame)
    names = [str(name) for name in table.columns]
    polytope = bounded(sizes, ids, len(names), weight, decimal)
    model = AssignmentModel.of_costs(polytope.whole() if whole else polytope, cost_matrix(table, ids, decimal))
    solution = solve(model, gap=gap, time_limit=time_limit)
    report = assignment_report(costs.name, names, solution)
    write_atomically(file, plan_text(ids, names, solution))
    note(f"labels: {file}")
    printing.deliver(report)


def columns_of(
    frame: pd.DataFrame, name: str, identifier: str | None, weights: str | None
) -> tuple[pd.Series, pd.DataFrame, pd.Series | None]:
    """Ids (n,), costs (n, k) as they were written, and weights (n,) if any, of a table."""
    from ...base.errors import InvalidInputError

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


def cost_matrix(table: pd.DataFrame, ids: pd.Series, decimal: str | None) -> NDArray[np.float64]:
    """Costs (n, k), NaN where a cell is empty."""
    import numpy as np

    from ...base.errors import InvalidInputError

    matrix = np.column_stack([numbers_of(table[name], ids, decimal) for name in table.columns])
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


def numbers_of(column: pd.Series, ids: pd.Series, decimal: str | None) -> NDArray[np.float64]:
    """Numbers (n,) of a column, NaN where it is empty; the error names the first entry that is not a number."""
    from ...base.columns import written_numbers
    from ...base.errors import InvalidInputError

    values = written_numbers(column, decimal) if column.dtype.kind not in "mM" else None
    if values is None:
        present = column[column.notna()]
        alone = [written_numbers(present.iloc[j : j + 1], decimal) is None for j in range(len(present))]
        first = present.index[alone.index(True) if any(alone) else 0]
        raise InvalidInputError(
            f"column {column.name!r} holds {column[first]!r} for {ids[first]!r}, expected numbers of one kind "
            f"(--decimal says their sign), or empty cells (--id and --weights name columns of other kinds)"
        )
    return values


def bounded(
    sizes: Bounds, ids: pd.Series, n_clusters: int, weight: pd.Series | None, decimal: str | None
) -> PartitionPolytope:
    """The polytope of --lower and --upper, in points or in sums of a column, which weighs no cost."""
    import numpy as np

    from ...base.errors import InvalidInputError
    from ...base.sizes import bound_sizes
    from ...models.polytope.polytope import PartitionPolytope

    n_points = len(ids)
    if weight is None:
        return sizes.on(n_points, n_clusters)
    values = numbers_of(weight, ids, decimal)
    bad = ~((values >= 0) & (values < np.inf))
    if bad.any() or not values.any():
        first = int(bad.argmax())
        what = f"{weight.iloc[first]!r} for {ids.iloc[first]!r}" if bad.any() else "nothing but zeros"
        raise InvalidInputError(f"--weights {weight.name!r} holds {what}, expected numbers of at least 0")
    total = float(values.sum())
    low = bound_sizes(sizes.lower, "lower", total, n_clusters, name="--lower", whole=False)
    up = bound_sizes(sizes.upper, "upper", total, n_clusters, name="--upper", whole=False)
    zeros, ones = np.zeros(n_clusters), np.ones(n_clusters)
    lows = np.column_stack([zeros, zeros if low is None else low])
    ups = np.column_stack([n_points * ones, total * ones if up is None else up])
    names = ("size" if weight.name == "points" else "points", weight.name)
    return PartitionPolytope(n_points, lows, ups, np.column_stack([np.ones(n_points), values]), names=names)


def plan_text(ids: pd.Series, names: list[str], solution: AssignmentSolution) -> str:
    """The file of ids and clusters; where points are divided, a line for every part, with its share."""
    import pandas as pd

    clusters = [names[label] for label in solution.require_labels()]
    plan = pd.DataFrame({"id": ids.to_numpy(), "cluster": clusters})
    if solution.splits:
        points, places, shares = zip(*solution.splits)
        parts = pd.DataFrame(
            {"id": ids.iloc[list(points)].to_numpy(), "cluster": [names[i] for i in places], "share": shares},
            index=list(points),
        )
        plan = pd.concat([plan.assign(share=1.0).drop(index=list(set(points))), parts]).sort_index(kind="stable")
    return plan.to_csv(index=False)


def assignment_report(name: str, names: list[str], solution: AssignmentSolution) -> Report:
    """Total cost, verdict, and sizes, bounds and prices of every cluster by its name."""
    import pandas as pd

    from ...models.polytope.infeasible_bounds import number
    from ...models.polytope.shares import Shares
    from ...output.report import Report, Section, Table, whole

    polytope, certificate = solution.model.polytope, solution.verify()
    shares, k = Shares.of(solution.require_labels(), solution.splits, len(names)), len(names)
    # one row a cluster, with the sum of the weights where these are what is bounded
    bounds: Any = polytope.further[0] if polytope.further else polytope  # of sums of --weights, or of points
    size = bounds.name if polytope.further else polytope.names[0]
    found: dict[str, Any] = {"cluster": names, "points": whole(shares.sizes(None, k))}
    if polytope.further:
        found[f"sum of {size}"] = whole(shares.sizes(polytope.attributes[:, 0], k))
    found |= {"lower": whole(bounds.lower), "upper": whole(bounds.upper), "price": solution.named_prices[size]}
    clusters = pd.DataFrame(found)
    # what was checked independently of the solver, and what is known of better answers
    proof = {"verified": certificate.verified, "verdict": certificate.verdict, "status": str(solution.status)}
    findings = [f"Proof: {certificate.verdict}."]
    if solution.bound is not None:
        proof |= {"least_cost": -solution.bound.upper, "proof": solution.bound.proof}
    divided = len({point for point, _, _ in solution.splits})
    if divided:
        findings.append(f"{divided} points are divided: the file has a line for every part, with its share.")
    record = {
        "data": {"name": name, "rows": polytope.n_points}, "total_cost": solution.cost, "proof": proof,
        "divided_points": divided, "clusters": clusters.to_dict(orient="records"),
    }  # fmt: skip
    notes = ("price: what one more of an upper bound saves; negative: what one less of a lower bound saves.",)
    section = Section("The clusters", "clusters", (), (), (Table.of(clusters, "Clusters", notes=notes),))
    lead = f"{polytope.n_points} points in {len(names)} clusters at a total cost of {number(solution.cost, 10)}."
    return Report(f"Assignment of {name}", lead, findings, (section,), {}, "assignment", record)
