"""Depots for the customers of a table: read what the columns say, choose, and report with a map of spokes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...base.columns import as_texts, fitting_numbers
from ...base.errors import InvalidInputError
from ...base.record import Record
from ...base.sphere import RADIUS
from ...cluster.further import Further
from ...cluster.map_columns import are_degrees, encode_sphere, map_columns
from ...output.maps import Ground, draw_map
from ...output.report import Picture, Report, Section, Table
from ...solvers import MedoidPartitioner
from ..tables import rows_named

if TYPE_CHECKING:
    from ...solvers.partition import Partition

Named = tuple[str, pd.DataFrame]
"""A table and the name of its file."""


@dataclass(frozen=True)
class DepotOptions:
    """The options of a call."""

    count: int | None  # Number of depots; None opens as many as pay, or as few as possible.
    demand: tuple[str, ...]  # Demand columns of the customers.
    capacity: tuple[str, ...]  # Capacity for every demand: a number, or a column of the sites.
    cost: str | None  # Opening cost: a number, or a column of the sites.
    at: tuple[str, ...]  # Coordinate columns; if empty, columns that are named like those of a map.
    per_unit: bool  # Whether a distance counts once per unit of demand.
    reach: float | None  # Largest distance from a customer to its depot.
    fixed: str | None  # Column of the customers with the depot that has to serve them; empty for any.
    together: tuple[str, ...]  # Columns of the customers with groups that have one depot.
    apart: tuple[str, ...]  # Columns of the customers with groups that have different depots.
    objective: str  # Either medoids, distances to sites, or means, distances to the mean of a depot's customers.


@dataclass(frozen=True)
class DepotResult:
    """Depots and their customers."""

    name: str
    table: pd.DataFrame  # Customers, with columns depot and distance.
    by_depot: pd.DataFrame  # One row per depot.
    partition: Partition
    places: NDArray[np.float64]  # (n, d): Coordinates of the customers.
    depots: NDArray[np.float64]  # (k, d): Coordinates of the depots.
    axes: tuple[str, ...]
    options: DepotOptions
    barred: int  # Pairs of customer and site that are empty cells of a table of distances.

    @property
    def unit(self) -> str:
        """Unit of a distance, with a blank before it; empty where it is that of the columns."""
        named = bool(self.axes) and all(axis.endswith("_km") for axis in self.axes)
        return " km" if named or are_degrees(self.axes) else ""


def choose_depots(
    customers: Named,
    sites: Named | None,
    options: DepotOptions,
    identifiers: Sequence[str],
    ways: Named | None = None,
    *,
    time_limit: float,
    seed: int,
) -> DepotResult:
    """Depots among the sites, or among the customers where there are none, and the depot of every customer; distances
    are those of a table of ways where there is one."""
    (name, table), means = customers, options.objective == "means"
    stated = [("--capacity", said) for said in options.capacity] + [("--cost", options.cost or "0")]
    columns = [f"{option} {said}" for option, said in stated if _number(said) is None]
    given = {
        "--sites": sites, "--distances": ways, "--reach": options.reach, "--fixed": options.fixed,
        "--cost": options.cost, "--per-unit": options.per_unit or None,
        "all but one --demand": options.demand[1:] or None, "--together": options.together or None,
        "--apart": options.apart or None,
    }  # fmt: skip
    unfit = [option for option, said in given.items() if said is not None] or columns
    if means and unfit:
        raise InvalidInputError(
            f"--objective means takes plain distances to any place, one demand and one capacity (a number): leave out "
            f"{' and '.join(unfit)}, or write --objective medoids"
        )
    if ways is not None and options.at:
        raise InvalidInputError("--at does not go with --distances, which needs no coordinates: leave one of them out")
    if ways is not None and sites is None and columns:
        raise InvalidInputError(
            f"{columns[0]} is a column of the depots, and --distances {ways[0]} only names these: give --sites a table "
            f"with this column, or write a number"
        )
    known = [column for column in identifiers if column in table]
    found = None if ways is None else _ways(customers, sites, ways, known, identifiers)
    if ways is not None and found is not None and sites is None:
        sites, identifiers = (ways[0], pd.DataFrame({"site": found.columns})), [*known, "site"]
    where, candidates = customers if sites is None else sites
    taken = {"depot", "distance"} & set(table.columns)
    if taken:
        raise InvalidInputError(f"{name} has a column {min(taken)!r} already, which would be written: rename it")
    demands = [_column(customers, column, "--demand") for column in options.demand] or [np.ones(len(table))]
    capacities = [_number_or_column((where, candidates), said, "--capacity") for said in options.capacity]
    if len(capacities) > len(demands) or (len(options.demand) > 1 and len(capacities) < len(demands)):
        raise InvalidInputError(
            f"--capacity is given {len(capacities)} times and --demand {len(options.demand)} times: give a capacity "
            f"for each demand, in the same order"
        )
    bound = Further(together=options.together, apart=options.apart)
    bound.taken_from(table, name)
    bounds = list[Any](capacities)
    cost: Any = None if options.cost is None else _number_or_column((where, candidates), options.cost, "--cost")
    if options.count is None and not bounds and cost is None:
        raise InvalidInputError("--depots is missing: give a number, or --cost or --capacity, from which it follows")
    unknown = [column for column in identifiers if column not in table and column not in candidates]
    if unknown:
        raise InvalidInputError(f"--id {unknown[0]!r} is not a column of {where}: name one of {list(candidates)}")
    named = {*options.demand, *options.capacity, options.cost, options.fixed, *bound.taken, *identifiers}
    axes: tuple[str, ...] = ()
    if found is None:
        asked = options.at or [str(column) for column in table if column not in named]
        axes = _axes(name, asked, given=bool(options.at))
    if means and are_degrees(axes):
        raise InvalidInputError(
            f"--objective means takes coordinates of a plane, and {', '.join(axes)} are degrees: project them first"
        )
    places, others = _places(customers, axes), _places((where, candidates), axes)
    distances = _distances(places, others, axes) if found is None else found.to_numpy()
    ids = _names(candidates, identifiers)
    costs = distances * demands[0][:, None] if options.per_unit else distances
    costs = np.where(_allowed(customers, ids, distances, options), costs, np.nan)
    if sites is not None and len(ids) == len(table):  # a square table would be one of customers among themselves
        costs = np.column_stack([costs, np.full(len(ids), np.nan)])
        *bounds, cost = [np.append(said, 0.0) if isinstance(said, np.ndarray) else said for said in (*bounds, cost)]
    model = MedoidPartitioner(
        options.count, metric="euclidean" if means else "precomputed", cost=cost, further=list(zip(demands, bounds)),
        together=[as_texts(table[column]) for column in options.together],
        apart=[as_texts(table[column]) for column in options.apart], objective="means" if means else "medoids",
        time_limit=time_limit, random_state=seed,
    )  # fmt: skip
    with rows_named(table, known, _words(options, ways)):
        partition = model.fit(places if means else costs).partition_
    # the answer in the words of the tables: entries of --id, or row numbers
    labels, depots = partition.labels, model.medoids_
    centres = others[depots]
    far = distances[np.arange(len(table)), depots[labels]]
    if means and model.cluster_centers_ is not None:
        centres = model.cluster_centers_
        far = np.linalg.norm(places - centres[labels], axis=1)
    by_depot = pd.DataFrame({"depot": ids[depots], "customers": np.bincount(labels)})
    if means:
        by_depot[list(axes)] = centres
    for number, demand in enumerate(demands):
        word = "" if len(demands) == 1 else f" of {options.demand[number]}"
        by_depot[f"demand{word}"] = np.bincount(labels, demand)
        if capacities:
            by_depot[f"capacity{word}"] = np.broadcast_to(capacities[number], len(candidates))[depots]
            by_depot[f"used{word} %"] = 100.0 * by_depot[f"demand{word}"] / by_depot[f"capacity{word}"]
    groups = pd.Series(far).groupby(labels)
    by_depot["mean distance"], by_depot["largest distance"] = groups.mean(), groups.max()
    written = table.assign(depot=ids[depots[labels]], distance=far)
    barred = int(np.isnan(distances).sum())
    return DepotResult(name, written, by_depot, partition, places, centres, axes, options, barred)


def _words(options: DepotOptions, ways: Named | None) -> dict[str, str]:
    """What the arguments of the solver are called among the options."""
    barred: dict[str, object] = {f"--reach {options.reach}": options.reach, f"--fixed {options.fixed}": options.fixed}
    barred |= {"empty cells of --distances": ways}
    demands = {f"further[{r}]": f"--demand {column}" for r, column in enumerate(options.demand)}
    return {"further[0]": "the number of customers"} | demands | {
        "n_clusters": "--depots", "further": "--capacity", "cost": "--cost", "time_limit": "--time-limit",
        "together": f"--together {', '.join(options.together)}", "apart": f"--apart {', '.join(options.apart)}",
        "what X forbids by NaN or inf": " and ".join(said for said, given in barred.items() if given is not None),
    }  # fmt: skip


def _names(frame: pd.DataFrame, identifiers: Sequence[str]) -> NDArray:
    """The entries (n,) of the first column of --id that a table has, or row numbers."""
    known = [column for column in identifiers if column in frame]
    return frame[known[0]].to_numpy() if known else np.arange(len(frame))


def _ways(
    customers: Named, sites: Named | None, ways: Named, known: Sequence[str], identifiers: Sequence[str]
) -> pd.DataFrame:
    """A table of distances with a row for every customer and a column for every site, in their order."""
    said, table = f"--distances {ways[0]}", ways[1]
    written, cells = as_texts(table.iloc[:, 0]), table.iloc[:, 1:]
    if (n := len(set(written) - {None})) < len(written) or not cells.shape[1]:
        raise InvalidInputError(
            f"{said} has {cells.shape[1]} columns of distances, and {n} names in {len(written)} rows: write a row per "
            f"customer, its name first, and a column per depot"
        )
    wanted = "numbers of at least 0 or empty cells: correct it"
    values = [
        fitting_numbers(cells[name], f"{said}, column {name!r},", wanted, lambda x: ~(x < 0.0), rows=list(written))
        for name in cells
    ]
    found = pd.DataFrame(np.column_stack(values), written, cells.columns.map(str))
    if (empty := found.isna().all(axis=1)).any():
        raise InvalidInputError(f"{said} has only empty cells in row {empty.idxmax()!r}: fill in the possible ones")
    rows = list(as_texts(pd.Series(_names(customers[1], known))))
    columns = list(found.columns) if sites is None else list(as_texts(pd.Series(_names(sites[1], identifiers))))
    sides = ("row", "customer", rows, found.index), ("column", "depot", columns, found.columns)
    for line, owner, names, lines in sides:
        for what, here, there in (("no", names, set(lines)), ("an unknown", lines, set(names))):
            if missing := [name for name in here if name not in there]:
                raise InvalidInputError(
                    f"{said} has {what} {line} {missing[0]!r}: write a {line} for each {owner} as --id names it (row "
                    f"numbers without --id), and no other"
                )
    return found.loc[rows, columns]


def _allowed(
    customers: Named, ids: NDArray, distances: NDArray[np.float64], options: DepotOptions
) -> NDArray[np.bool_]:
    """Pairs (n, m) of customer and site that --reach and --fixed leave."""
    table, allowed = customers[1], np.ones(distances.shape, dtype=bool)
    if options.reach is not None:
        allowed &= distances <= options.reach
    if options.fixed is None:
        return allowed
    _require_column(customers, options.fixed, "--fixed")
    asked, sites = as_texts(table[options.fixed]), as_texts(pd.Series(ids)).tolist()
    for row in np.flatnonzero(table[options.fixed].notna()).tolist():
        text = asked[row] if asked[row] in sites else asked[row].removesuffix(".0")
        if text not in sites:
            raise InvalidInputError(
                f"--fixed {options.fixed} holds {asked[row]!r} in row {row}, but no depot has this name: write an "
                f"entry of --id, or a row number where there is none"
            )
        allowed[row] &= np.array(sites) == text
    return allowed


def _require_column(table: Named, column: str, option: str) -> None:
    if column not in table[1]:
        known = ", ".join(map(str, table[1]))
        raise InvalidInputError(f"{option} {column!r} is not a column of {table[0]}: it has {known}")


def _column(table: Named, column: str, option: str) -> NDArray[np.float64]:
    """Numbers (n,) of at least 0 of a column that an option names."""
    _require_column(table, column, option)
    wanted = "numbers of at least 0: correct it, or leave the row out"
    return fitting_numbers(table[1][column], f"{option} {column!r}", wanted, lambda x: x >= 0.0)


def _number(said: str) -> float | None:
    """The number that an option says; None for a column."""
    try:
        return float(said)
    except ValueError:
        return None


def _number_or_column(table: Named, said: str, option: str) -> float | NDArray[np.float64]:
    """What an option says: a number, or the numbers (m,) of a column."""
    number = _number(said)
    if number is not None and not number >= 0.0:
        raise InvalidInputError(f"{option} {said} is not usable: write a number of at least 0, or a column")
    return _column(table, said, option) if number is None else number


def _axes(name: str, columns: Sequence[str], *, given: bool) -> tuple[str, ...]:
    """The pair of columns whose names say that they are a map, what counts to the east first; or those given."""
    found = map_columns([str(column) for column in columns])
    if given and len(found) != 1:
        return tuple(columns)
    if len(found) != 1:
        raise InvalidInputError(
            f"{name} has {len(found)} pairs of columns that are named like a map (longitude and latitude, or x and y): "
            "name the coordinates with --at"
        )
    return found[0]


def _places(table: Named, axes: Sequence[str]) -> NDArray[np.float64]:
    """Coordinates (n, d) as the table holds them."""
    name, frame = table
    for axis in axes:
        _require_column(table, axis, "--at")
    wanted = "coordinates that are numbers, read in one way: mend it, or say --decimal"
    values = [fitting_numbers(frame[axis], f"column {axis!r} of {name}", wanted, np.isfinite) for axis in axes]
    return np.column_stack(values) if values else np.empty((len(frame), 0))


def _distances(places: NDArray[np.float64], others: NDArray[np.float64], axes: Sequence[str]) -> NDArray[np.float64]:
    """Distances (n, m): along the earth in kilometres between longitudes and latitudes, Euclidean ones elsewhere."""
    from scipy.spatial.distance import cdist

    if not are_degrees(axes):
        return cdist(places, others)
    east, north = axes
    a, b = (encode_sphere(pd.Series(x[:, 1], name=north), pd.Series(x[:, 0], name=east), 1.0) for x in (places, others))
    return 2.0 * RADIUS * np.arcsin(np.minimum(cdist(a, b) / (2.0 * RADIUS), 1.0))


def depots_report(found: DepotResult, settings: Record) -> Report:
    """The report of `partitope depots`: for the terminal, for JSON, or as a page."""
    options, partition, bound = found.options, found.partition, found.partition.bound
    assert bound is not None
    what = "demand times distance" if options.per_unit else "distances"
    opened = "" if options.cost is None else " and opening costs"
    findings = [f"Sum of {what}{opened}: {partition.objective:.6g}{found.unit}.", f"The best choice {bound.room}."]
    lead = f"{len(found.table)} customers, {len(found.depots)} depots; "
    lead += f"places are {', '.join(found.axes)}." if found.axes else "distances are those of the table."
    if found.barred:
        lead += f" {found.barred} pairs of customer and depot are forbidden: their cells are empty."
    if options.objective == "means":
        findings.append("Distances are to the mean of the customers of a depot, and its name is the nearest of these.")
    picture = Picture(lambda: _spokes(found), "Lines lead from every customer to its depot.")
    notes = (f"distances are in{found.unit}",) if found.unit else ()
    section = Section("Depots", "depots", (), (picture,), (Table.of(found.by_depot, "Depots", notes=notes),))
    record = {
        "data": {"name": found.name, "rows": len(found.table)}, "objective": partition.objective,
        "bound": asdict(bound), "depots": found.by_depot.to_dict(orient="records"),
        "served_by": found.table["depot"].tolist(),
    }  # fmt: skip
    return Report(f"Depots for {found.name}", lead, findings, (section,), settings, "depots", record)


def _spokes(found: DepotResult) -> str | None:
    """A line from every customer to its depot; None where places have not two coordinates."""
    if len(found.axes) != 2:
        return None
    labels, k = found.partition.labels, len(found.depots)
    ground = Ground.of(np.vstack([found.places, found.depots]), found.axes, are_degrees(found.axes))
    names = [str(name) for name in found.by_depot["depot"]]
    words = [f"row {row}: depot {name}, distance {far:.4g}{found.unit}"
             for row, (name, far) in enumerate(zip(found.table["depot"], found.table["distance"]))]  # fmt: skip
    legend = [f"{name}: {count} customers" for name, count in zip(names, found.by_depot["customers"])]
    hubs = ground.places[-k:], names
    return draw_map(ground, np.append(labels, np.arange(k)), [*words, *names], legend, hubs=hubs)
