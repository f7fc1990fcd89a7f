"""Polytopes as the dictionaries that files hold, and back."""

from __future__ import annotations

import numpy as np

from ...base.errors import CapabilityError
from ...base.record import Record
from .group_counts import GroupCounts
from .polytope import PartitionPolytope
from .rows import AttributeRows, Rows, relaxation, sparse_rows


def polytope_record(polytope: PartitionPolytope) -> Record:
    """Sizes; names, mask, rows and statements where there are any; bounds that are not finite become null."""
    found: Record = {
        "n_points": polytope.n_points,
        "n_clusters": polytope.n_clusters,
        "lower": polytope.lower.tolist(),
        "upper": np.minimum(polytope.upper, polytope.total).tolist(),
        "weights": None if polytope.weights is None else polytope.weights.tolist(),
    }
    if polytope.is_plain and not polytope.whole_points and polytope.names == ("size",):
        return found
    found |= {"names": list(polytope.names), "whole": polytope.whole_points}
    for constraint in polytope.constraints:
        rows = relaxation(constraint, polytope)  # of a custom class a file holds the rows, if they state all of it
        record = constraint.record() or (None if rows is None else rows.record())
        if record is None:
            raise CapabilityError(
                f"a .json file of an assignment cannot hold {constraint}: write .lp or .mps, or model.program as .json"
            )
        for key, value in record.items():
            found[key] = [*found[key], *value] if key in found else value
    return found


def _rows(entry: Record, n: int, k: int) -> Rows:
    """Inverse of `Rows.record`."""
    import scipy.sparse as sp

    low = np.array([-np.inf if value is None else value for value in entry["lower"]], dtype=np.float64)
    up = np.array([np.inf if value is None else value for value in entry["upper"]], dtype=np.float64)
    if "row" in entry:
        where = (entry["row"], entry["column"])
        matrix = sp.coo_array((entry["value"], where), shape=(len(low), n * k))
        return sparse_rows(entry["name"], matrix, low, up, (n, k))
    attributes, coefficients = np.array(entry["attributes"], float), np.array(entry["coefficients"], float)
    clusters = np.array(entry["clusters"], dtype=np.int64)
    return AttributeRows(str(entry["name"]), attributes, clusters, coefficients, low, up, bool(entry["relative"]))


def polytope_of(record: Record) -> PartitionPolytope:
    """Inverse of `polytope_record`."""
    n, k = int(record["n_points"]), len(record["lower"])
    polytope = PartitionPolytope(
        n,
        record["lower"],
        record["upper"],
        record["weights"],
        names=tuple(record.get("names", ())),
        constraints=tuple(_rows(entry, n, k) for entry in record.get("further", ())),
        whole_points=bool(record.get("whole")),
    )
    if record.get("allowed") is not None:
        polytope = polytope.allow(np.array(record["allowed"], dtype=bool))
    for limit in record.get("limits", ()):
        polytope = polytope.subject_to(GroupCounts(**limit | {"groups": np.array(limit["groups"])}))
    if record.get("together") is not None:
        polytope = polytope.together(record["together"])
    if record.get("optional") is not None:
        polytope = polytope.optional(**record["optional"])
    if record.get("connected") is not None:
        polytope = polytope.connected(record["connected"])
    return polytope
