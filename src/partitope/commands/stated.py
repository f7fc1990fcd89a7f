"""Requirements of columns on clusters: added to the polytope of sizes, and evaluated for a result."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..cluster.further import Further
from ..models.objectives.bound import Bound
from ..models.polytope.broken_bounds import MOST_TOLD
from ..models.polytope.polytope import PartitionPolytope
from ..models.polytope.rows import Rows
from ..output.report import shown
from ..solvers import evenest


def stated(
    polytope: PartitionPolytope, further: Further, table: pd.DataFrame, edges: NDArray[np.int64] | None = None
) -> tuple[PartitionPolytope, Bound | None, NDArray[np.int64] | None]:
    """All requirements on clusters, the least deviation of the most even columns, and labels (n,) that attain it."""
    polytope = further.on(polytope, table) if further.taken else polytope
    if edges is not None:
        polytope = polytope.connected(edges)
    polytope.check()
    return evenest(polytope, list(further.even), time_limit=30.0) if further.even else (polytope, None, None)


def stated_findings(further: pd.DataFrame, evenness: Bound | None, even: Sequence[str]) -> list[str]:
    """Range over the clusters of the bounded sums and shares, in one line, and of the most even sums."""
    parts = []
    for name, rows in further.groupby("name", sort=False):
        ends = rows["value"].min(), rows["value"].max(), rows["lower"].max(), rows["upper"].min()
        low, high, least, most = (shown(float(end)) for end in ends)
        parts.append(f"{name}: {low} to {high} in the clusters, bounds {least} to {most}")
    if len(parts) > MOST_TOLD:
        parts = [*parts[:MOST_TOLD], f"{len(parts) - MOST_TOLD} more in the table"]
    lines = [f"{'; '.join(parts)}."] if parts else []
    if evenness is not None:
        low, high = shown(evenness.lower), shown(evenness.upper)
        unit = "" if len(even) == 1 else " of the mean, as a part"
        proved = "the least there is" if low == high else f"no clustering has less than {low}"
        lines.append(f"{', '.join(even)}: at most {high}{unit} from even; {proved}.")
    return lines


def bounded_sums(
    polytope: PartitionPolytope,
    sums: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    prices: Callable[[Rows], NDArray[np.float64]] | None = None,
) -> pd.DataFrame:
    """One line per cluster and side constraint, of sums (k,) of columns (n,) in the clusters; shares in per cent."""
    k, lines = polytope.n_clusters, []
    for rows in polytope.further:
        if rows.attributes is None:
            continue
        parts = [sums(column) for column in rows.attributes.T]
        value, unit = (parts[0], 1.0) if not rows.relative else (parts[0] / np.maximum(parts[1], 1.0), 100.0)
        ends = -rows.coefficients[:, 1] if rows.relative else None
        lower, upper, price = np.full(k, -np.inf), np.full(k, np.inf), np.zeros(k)
        for side, into in ((rows.lower, lower), (rows.upper, upper)):
            has = np.isfinite(side)
            into[rows.clusters[has]] = unit * (side if ends is None else ends)[has]
        if prices is not None:
            np.add.at(price, rows.clusters, prices(rows))
        lines.append(pd.DataFrame({
            "name": rows.name + (" %" if rows.relative else ""), "cluster": np.arange(k), "lower": lower,
            "value": unit * value, "upper": upper, "price": price,
        }))  # fmt: skip
    empty = pd.DataFrame(columns=["name", "cluster", "lower", "value", "upper", "price"])
    return pd.concat(lines, ignore_index=True) if lines else empty
