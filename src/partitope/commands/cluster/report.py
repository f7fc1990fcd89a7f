"""A clustering as a report."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pandas as pd

from ...base.record import Record
from ...classifiers.encoders.roles import PARTS
from ...models.polytope.broken_bounds import MOST_TOLD, in_words
from ...output.report import Picture, Report, Section, Table, record_of, whole
from ...output.style import MOST_SHOWN
from ..stated import stated_findings
from .figures import before_and_after_figure, cells_figure, centres_figure, map_figure, sizes_figure
from .result import ClusterResult

UNSCALED = "Distances are in the unit of the columns, which are not scaled (--scale); another level of a category is 1."
SCALED = "Distances are between scaled rows (--scale): a standard deviation, or another level of a category, is 1"
SPHERE = "Distances are chords through the earth in kilometres."
CLUSTERS = (
    "spread: root mean squared distance to the centre; nearest boundary: smallest distance of a row to the border of "
    "its cell; price: squared distance a row must gain to enter, above 0 only at the upper bound, below 0 at lower."
)


def cluster_report(result: ClusterResult) -> Report:
    """The report of `partitope cluster`: for the terminal, for JSON, or as a page."""
    n, k = len(result.table), result.polytope.n_clusters
    names = list(result.named_rows.columns[: -len(result.rows.columns)])
    by = [str(name) for name in result.table.columns if name not in names]
    columns = ", ".join(by) if len(by) <= MOST_TOLD else f"{len(by)} columns"
    parts = "1 cluster" if k == 1 else f"{k} clusters"
    lead = f"{n} rows by {columns}{f'; {names[0]} names them' if names else ''}. k = {parts}"
    lead += f" of {result.polytope.describe()} rows." if _bounded(result) else "."
    if result.broken:
        lead = f"Bounds are not kept: {in_words(result.broken)}. {lead}"
    encoder = result.model.encoder
    level = "; another level of a category is 1" if any(c["kind"] == "category" for c in encoder.columns_) else ""
    units = SPHERE if encoder.geo else f"Distances are in {result.unit}{level}." if result.unit else UNSCALED
    shared = (
        "; the two columns of a map have one scale" if encoder.scale_ == "standard" and encoder.map_remarks() else ""
    )
    units = units if encoder.scale_ == "none" else f"{SCALED}{shared}."
    clusters = Section(
        "The clusters",
        "clusters",
        (),
        (
            Picture(lambda: map_figure(result), MAP, "The rows on the map, in the colours of their clusters"),
            Picture(lambda: before_and_after_figure(result), BEFORE),
            Picture(lambda: sizes_figure(result), SIZES),
            Picture(lambda: cells_figure(result), CELLS, "The cells of the clusters in the plane of most variance"),
        ),
        (
            Table.of(result.clusters, "Clusters", digits=3, notes=(CLUSTERS, units)).without_constants(),
            *_further(result),
        ),
    )
    return Report(
        f"Clusters of {result.name}",
        lead,
        _findings(result),
        (clusters, _centres(result), Section("Columns of the table", "columns", result.remarks)),
        {"seed": result.seed, "starts": result.estimator.n_init, "seconds": f"{result.partition.seconds:.2f}"},
        "clusters",
        _record(result),
    )


def _bounded(result: ClusterResult) -> bool:  # beyond that no cluster is empty
    return bool(result.polytope.lower.max() > 1 or (result.polytope.upper < len(result.labels)).any())


MAP = (
    "Every place has the colour of its row's cluster, or of its nearest row's; a ring marks a row that requirements "
    "keep out of the cluster of the nearest centre, and has that cluster's colour."
)
BEFORE = "What the requirements change: the same centres, with and without them."
SIZES = "What is bounded in every cluster: rows, sums of columns, shares of groups."
CELLS = (
    "The cells, cut by the plane in which the rows vary most, and the rows projected onto it; with more than two "
    "coordinates a row may be drawn outside its own cell. Colour, marker and number name the cluster."
)


def _findings(result: ClusterResult) -> list[str]:
    sizes, n, k = result.sizes[result.opened], len(result.labels), result.polytope.n_clusters
    lines = [
        f"Sizes {sizes.min():g} to {sizes.max():g} of {n} rows; the clusters explain {100 * result.explained:.1f} % of "
        f"the variance."
    ]
    if len(result.opened) < k:
        lines[0] = f"{len(result.opened)} of {k} clusters are open. {lines[0]}"
    lines += stated_findings(result.further, result.evenness, result.model.further.even)
    if result.partition.splits:
        divided = len({row for row, _, _ in result.partition.splits})
        lines.append(f"{divided} rows are divided between clusters: their label is the cluster with the largest share.")
    if result.broken:
        points = 100 / float(result.partition.sizes.max())
        room = f" A row is {points:.3g} points of a share." if result.further["name"].str.endswith("%").any() else ""
        lines.append(f"No undivided rows within all bounds were found: widen the bounds named first.{room}")
    bound = result.partition.bound
    if bound is not None:
        lines.append(f"The best clustering there is {bound.room}.")
    moved, outside = result.displaced[0], np.flatnonzero(result.rows["boundary_distance"] < -1e-6 * result.points.std())
    also = f", {_listed(result, outside)} outside its cell, since rows are not divided" if len(outside) else ""
    if len(moved):
        lines.append(f"The requirements keep {_listed(result, moved)} out of the cluster of the nearest centre{also}.")
    elif _bounded(result):
        lines.append("Every row is in the cluster of its nearest centre, as in k-means without bounds.")
    claim = replace(result.partition, bound=None).claim
    lines.append(f"{claim[0].upper()}{claim[1:]}.")
    squared = f"{result.unit}²" if result.unit else "in squared distance"
    return [line.replace("in squared distance", squared) for line in lines]


def _listed(result: ClusterResult, rows: Any) -> str:
    names = ", ".join(result.ids[row] for row in rows[:MOST_TOLD])
    return f"{len(rows)} row{'s' * (len(rows) > 1)} ({names}{', ...' * (len(rows) > MOST_TOLD)})"


def _further(result: ClusterResult) -> tuple[Table, ...]:
    """The table of side constraints, where there are any."""
    if result.further.empty:
        return ()
    notes = (
        "sums of the column in a cluster, shares of a group in per cent of its rows; price: what the bound costs, in "
        "squared distance per unit of the column (of a share: per row)",
    )
    return (Table.of(result.further, "Side constraints", digits=3, notes=notes).without_constants(),)


def _centres(result: ClusterResult) -> Section:
    centres = result.model.encoder.describe(result.model.centres)[result.opened]
    centres = centres.rename(columns=lambda i: f"cluster {i}")
    centres.insert(0, "all rows", result.model.encoder.describe(result.points.mean(axis=0)[None, :])[0])
    centres = _with_dates(centres, result)
    table = centres.head(MOST_SHOWN).reset_index(names="column")
    more = f", the first {MOST_SHOWN} of {len(centres)} columns" if len(centres) > MOST_SHOWN else ""
    notes = ("numbers and dates: means; categories: the most frequent level and its share",)
    caption = f"Centres in the table's own units{more}"
    picture = Picture(
        lambda: centres_figure(result),
        "Centres, as they were scaled, from the mean of all rows; what tells the clusters apart most comes first.",
    )
    return Section("What the clusters are like", "centres", (), (picture,), (Table.of(table, caption, notes=notes),))


def _with_dates(centres: pd.DataFrame, result: ClusterResult) -> pd.DataFrame:
    """Means of elapsed days as dates."""
    elapsed = {f"{role.name}: {PARTS[-1]}": role.name for role in result.model.cleaner_.roles_ if role.role == "date"}
    for name in centres.index.intersection(list(elapsed)):
        days = pd.to_timedelta(centres.loc[name].astype(float), unit="D")
        centres.loc[name] = (pd.Timestamp(0) + days).dt.strftime("%Y-%m-%d").tolist()
    return centres.rename(index=elapsed)


def _record(result: ClusterResult) -> Record:
    partition = result.partition
    certificate = partition.certificate
    return {
        "data": {"name": result.name, "rows": len(result.labels), "columns": list(map(str, result.table.columns))},
        "n_clusters": result.polytope.n_clusters,
        "lower": whole(result.polytope.lower),
        "upper": whole(result.polytope.upper),
        "inertia": result.estimator.inertia_,
        **record_of(result, "explained remarks"),
        "scale": result.model.encoder.scale_,
        **record_of(partition, "proof claim"),
        "bound": None if partition.bound is None else asdict(partition.bound),
        "step_bound": None if partition.step_bound is None else asdict(partition.step_bound),
        "gap": None if certificate is None else max(certificate.dual_objective - certificate.primal_objective, 0.0),
        "evenness": None if result.evenness is None else record_of(result.evenness, "lower upper proof"),
        "splits": [list(split) for split in partition.splits],
        "clusters": result.clusters.to_dict(orient="records"),
        "further": result.further.to_dict(orient="records"),
        "broken": [asdict(bound) | {"text": str(bound)} for bound in result.broken],
        "centres": result.model.encoder.describe(result.model.centres).T.to_dict(orient="records"),
    }


def labels_text(rows: pd.DataFrame) -> str:
    """The rows of a result, or of a prediction, as CSV."""
    return rows.to_csv(index=False, lineterminator="\n")
