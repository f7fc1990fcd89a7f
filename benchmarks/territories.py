"""Connected territories beside published values: `python -m benchmarks.territories SECONDS NAME ...` adds to the list.

Names: counties of a state and a census such as IA2010, fl25 at all tolerances, nat3085-50-one, the counties of the
United States in so many territories of equal sums of a column within 2 % ("one" counts counties), about medoids, or
with "-squares" about means, and those of `ALIKE`, territories of like areas within 5 %. Connectedness, bounds and
objective are checked here by code that shares nothing with the solver.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from partitope.base.errors import InfeasibleBoundsError
from partitope.cluster import BalancedKMeans
from partitope.models import PartitionPolytope
from partitope.solvers import ConnectedPartitioner

from .data.territories import load_territory

RECORD = Path(__file__).parent / "records" / "territories.json"
# territories, the column whose sums are even, and attributes: the settings in which spopt and pygeoda were measured
ALIKE = {
    "columbus49": (6, None, "HOVAL INC CRIME"),
    "mexico32": (5, None, "PCGDP1940 PCGDP1950 PCGDP1960 PCGDP1970 PCGDP1980 PCGDP1990 PCGDP2000"),
    "guerry85": (5, "Pop1831", "Crm_prs Crm_prp Litercy Donatns Infants Suicids"),
    "nc100": (6, "BIR74", "SIDR74 SIDR79"),
}


def measured(costs, weights, edges, k, low, up, seconds, objective="medoids", n_init=10):
    """Value, bound and seconds of one instance within a time limit; an answer that breaks something is an error."""
    started, worked = perf_counter(), process_time()
    found = {"clusters": k, "lower": low, "upper": up, "limit": seconds}
    try:
        polytope = PartitionPolytope(len(weights), low, up, weights, n_clusters=k).connected(edges)
        model = ConnectedPartitioner(k, objective=objective, n_init=n_init, time_limit=seconds, random_state=0)
        partition = model.fit(costs, polytope=polytope).partition_
    except InfeasibleBoundsError as error:
        found["refused"] = str(error)
    else:
        check(partition.labels, partition.objective, costs, weights, edges, k, low, up, objective)
        bound, sizes = partition.bound, np.bincount(partition.labels, weights)
        found |= {
            "value": round(partition.objective, 4), "bound": None if bound is None else round(bound.lower, 4),
            "gap": None if bound is None else round(bound.gap, 6), "proof": str(partition.proof),
            "by": None if bound is None else bound.proof,
            "largest deviation": round(float(np.abs(sizes / sizes.mean() - 1).max()), 6),
            "cut edges": int((partition.labels[edges[:, 0]] != partition.labels[edges[:, 1]]).sum()),
        }  # fmt: skip
    return found | {
        "seconds": round(perf_counter() - started, 1), "processor seconds": round(process_time() - worked, 1),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, shared with other work",
    }  # fmt: skip


def check(labels, value, costs, weights, edges, k, low, up, objective) -> None:
    """Connectedness, bounds and objective from their definitions."""
    again = 0.0
    for i in range(k):
        own = np.flatnonzero(labels == i)
        inner = edges[np.isin(edges, own).all(axis=1)]
        pieces = connected_components(coo_array((np.ones(len(inner)), inner.T), shape=(len(labels),) * 2))[1]
        assert np.unique(pieces[own]).size == 1, "a territory is in pieces, or empty"
        assert low - 1e-6 <= weights[own].sum() <= up + 1e-6, "a bound is broken"
        if objective == "medoids":
            again += costs[np.ix_(own, own)].sum(axis=0).min()
        elif objective == "squares":
            mean = weights[own] @ costs[own] / weights[own].sum()
            again += float(weights[own] @ ((costs[own] - mean) ** 2).sum(axis=1))
    if objective == "cut":
        again = float((labels[edges[:, 0]] != labels[edges[:, 1]]).sum())
    assert abs(again - value) <= 1e-9 * abs(value), "the objective is another one"


def counties(name: str, seconds: float):
    """Moment of inertia of counties, in units of the records (10^6 km^2)."""
    instance = load_territory(name)
    weights = instance.areas["population"].to_numpy(float)
    costs = weights[:, None] * instance.distances**2 / 1e6
    if instance.records.empty:
        k, total = 5, weights.sum()
        return measured(
            costs, weights, instance.edges, k, np.ceil(0.99 * total / k), np.floor(1.01 * total / k), seconds
        )
    wanted = (instance.records["objective"] == "moment_of_inertia") & (instance.records["contiguity"] == "yes")
    row = instance.records[wanted].iloc[0]
    known = {"published": str(row["published_value"]), "own optimum": str(row["own_optimum"])}
    return known | measured(costs, weights, instance.edges, int(row["k"]), float(row["L"]), float(row["U"]), seconds)


def precincts(seconds: float):
    """25 precincts of Florida: every objective at every tolerance."""
    instance = load_territory("fl25")
    weights, X = instance.areas["population"].to_numpy(float), instance.areas[["x", "y"]].to_numpy()
    squared, found = ((X[:, None] - X) ** 2).sum(axis=2), {}
    for row in instance.records.itertuples():
        mean, part = weights.sum() / 3, row.tolerance
        low, up = (0.0, weights.sum()) if np.isnan(part) else ((1 - part) * mean, (1 + part) * mean)
        for objective, costs, known in [
            ("cut", X, row.min_cut_edges), ("medoids", weights[:, None] * squared, row.min_hess),
            ("squares", X, row.min_centroid),
        ]:  # fmt: skip
            one = measured(costs, weights, instance.edges, 3, low, up, seconds, objective)
            found[f"{part}, {objective}"] = {"published": known} | {
                name: one[name] for name in ("value", "proof", "by")
            }
    return found


def nation(name: str, seconds: float):
    """Counties of the United States about medoids or means: weight times squared distance on the sphere, 10^6 km^2."""
    _, k, column, *rest = name.split("-")
    instance = load_territory("nat3085")
    weights = np.ones(3085) if column == "one" else instance.areas[column].to_numpy(float)
    lon, lat = np.radians(instance.areas[["x", "y"]].to_numpy().T)
    places = 6371.0 * np.column_stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])
    costs = weights[:, None] * np.maximum(
        (places**2).sum(axis=1)[:, None] + (places**2).sum(axis=1) - 2 * places @ places.T, 0.0
    )
    mean = weights.sum() / int(k)
    if rest == ["squares"]:
        return measured(
            places / 1e3, weights, instance.edges, int(k), 0.98 * mean, 1.02 * mean, seconds, "squares", n_init=1
        )
    return measured(costs / 1e6, weights, instance.edges, int(k), 0.98 * mean, 1.02 * mean, seconds, n_init=1)


def alike(name: str):
    """Territories of like areas: attributes are standardised, and weights bound sums but do not count in squares."""
    k, column, attributes = ALIKE[name]
    instance = load_territory(name)
    X = instance.areas[attributes.split()].to_numpy(float)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    n, edges = len(X), instance.edges
    weights = np.ones(n) if column is None else instance.areas[column].to_numpy(float)
    even = PartitionPolytope.even(n, k, **({} if column is None else {column: weights})).connected(edges)
    worked = process_time()
    partition = BalancedKMeans(k, random_state=0).fit(X, polytope=even).partition_
    worked, sizes = process_time() - worked, np.bincount(partition.labels, weights, k)
    check(partition.labels, partition.objective, X, np.ones(n), edges, k, 0, n, "squares")
    return {
        "clusters": k, "largest deviation": round(float(np.abs(sizes / sizes.mean() - 1).max()), 4),
        "between over total": round(1 - partition.objective / float((X**2).sum()), 4),
        "cut edges": int((partition.labels[edges[:, 0]] != partition.labels[edges[:, 1]]).sum()),
        "processor seconds": round(worked, 2),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, shared with other work",
    }  # fmt: skip


def main() -> None:
    """Measure the instances that are named, and write each when it is done."""
    counties("ID2010", 60.0)  # kernels are compiled once
    for name in sys.argv[2:]:
        seconds = float(sys.argv[1])
        if name == "fl25":
            how = precincts(seconds)
        else:
            how = alike(name) if name in ALIKE else (nation if "-" in name else counties)(name, seconds)
        rows = json.loads(RECORD.read_text()) if RECORD.exists() else {}
        rows[name] = how
        RECORD.write_text(json.dumps(rows, indent=1) + "\n")
        print(name, how, flush=True)


if __name__ == "__main__":
    main()
