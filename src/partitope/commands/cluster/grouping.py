"""Clusters without cells: found by a search of their own, without centres and without a rule for new rows.

stated alone   no column is left to cluster by (folds, teams, plates, shards): any clusters that keep the statements,
               at random within them
territories    connected clusters by one of three objectives, see `ConnectedPartitioner`
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...base.errors import InvalidInputError
from ...cluster.further import Further
from ...models.objectives.bound import Bound
from ...models.polytope.connection import Connection
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.assignment import AssignmentModel
from ...output.maps import Ground, draw_map
from ...output.report import Picture, Report, Section, Table, record_of, shown, whole
from ...solvers import ConnectedPartitioner, solve
from ..stated import bounded_sums, stated, stated_findings
from .result import ground_of
from .run import Answer, Task, with_names

MAP = "Every place has the colour of its row's cluster, or of its nearest row's."
ENOUGH = 30.0  # Seconds for a search that ends with the first answer.


@dataclass(frozen=True, eq=False)
class Grouping:
    """Clusters of the rows of a table."""

    name: str  # Name of the table.
    labels: NDArray[np.int64]  # (n,)
    polytope: PartitionPolytope  # Polytope that the labels belong to.
    further: Further  # Columns that state the requirements.
    said: str  # Description of the task.
    evenness: Bound | None = None  # Interval around the least deviation of the sums to be evened out.
    objective: float | None = None
    claim: str = ""  # Proved statement about the objective.
    ground: Ground | None = None  # Map of the rows, if there is one.
    graph: Connection | None = None  # Graph in which the clusters are connected.

    def answer(self, task: Task, remarks: Sequence[str]) -> Answer:
        """The output, after every requirement was checked for it."""
        if not self.polytope.contains(self.labels):
            raise RuntimeError("the clusters that were found do not meet the requirements")
        names = [role.name for role in getattr(task.columns.cleaner, "roles_", ()) if role.role == "identifier"]
        rows = task.columns.features[names or task.columns.features.columns].assign(cluster=self.labels)
        ids = rows.iloc[:, 0].map(str).tolist() if names else [f"row {j}" for j in range(len(rows))]
        found = self.report(task.seed, ids)
        return Answer(with_names(found, task.columns), {"cluster": self.labels}, rows, remarks)

    def report(self, seed: int, ids: Sequence[str]) -> Report:
        """The report, which states what every cluster holds."""
        k = self.polytope.n_clusters
        sizes = np.bincount(self.labels, minlength=k)
        table = pd.DataFrame({"cluster": range(k), "size": sizes})
        stated = bounded_sums(self.polytope, lambda column: np.bincount(self.labels, column, k).astype(np.float64))
        for name, rows in stated.groupby("name", sort=False):
            table[str(name)] = rows["value"].to_numpy()
        opened, held = sizes[sizes > 0], self.polytope.sizes(self.labels)
        findings = [
            f"Sizes {opened.min()} to {opened.max()} of {len(self.labels)} rows; all requirements are met (checked).",
            *stated_findings(stated, self.evenness, self.further.even),
        ]
        if self.polytope.weights is not None:
            column = self.polytope.names[0]
            table[column] = held
            findings.append(f"{column}: {shown(held.min())} to {shown(held.max())} in the clusters.")
        findings += [f"Objective {self.objective:.6g}: {self.claim}."] if self.objective is not None else []
        record = {
            "data": {"name": self.name, "rows": len(self.labels)}, "n_clusters": k, "objective": self.objective,
            "sizes": whole(sizes), "claim": self.claim, "clusters": table.to_dict(orient="records"),
            "evenness": None if self.evenness is None else record_of(self.evenness, "lower upper proof"),
            "further": stated.to_dict(orient="records"), "labels": self.labels.tolist(),
        }  # fmt: skip
        map_of = Picture(lambda: self._map(ids, table), MAP)
        section = Section("The clusters", "clusters", (), (map_of,), (Table.of(table, "Clusters", digits=6),))
        lead = f"{len(self.labels)} rows in {k} clusters of {self.polytope.describe()}; {self.said}."
        return Report(f"Clusters of {self.name}", lead, findings, (section,), {"seed": seed}, "grouping", record)

    def _map(self, ids: Sequence[str], table: pd.DataFrame) -> str | None:
        """The rows on their map; a legend gives the sums of every cluster."""
        if self.ground is None:
            return None
        legend = [f"{cluster}: {size} rows{''.join(f', {x} {shown(y)}' for x, y in zip(table.columns[2:4], sums))}"
                  for cluster, size, *sums in table.to_numpy(dtype=object)]  # fmt: skip
        words = [f"{name}: cluster {own}" for name, own in zip(ids, self.labels)]
        return draw_map(self.ground, self.labels, words, legend, None if self.graph is None else self.graph.edges)


def stated_alone(task: Task) -> Answer:
    """Random clusters that meet the requirements."""
    columns = task.columns
    polytope, evenness, start = stated(task.polytope, columns.further, columns.bounded, task.edges)
    costs = np.random.default_rng(task.seed).random((polytope.n_points, polytope.n_clusters))
    solution = solve(
        AssignmentModel.of_costs(polytope.whole(), costs), gap=float(len(costs)), start=start, time_limit=ENOUGH
    )
    said = "no column is left to cluster by, so the grouping is random within the requirements"
    ground = None if task.outlines is None else ground_of(columns.encoder, columns.features, task.outlines)
    found = Grouping(task.name, solution.require_labels(), polytope, columns.further, said, evenness, ground=ground)
    return found.answer(task, ())


def territories(task: Task, objective: str, time_limit: float | None) -> Answer:
    """Connected clusters of the encoded rows by an objective, within bounds on their sizes."""
    columns, edges = task.columns, task.edges
    assert edges is not None
    cleaned = columns.cleaner.fit_transform(columns.features)
    points = columns.encoder.fit_transform(cleaned)
    polytope = weighed(task.polytope, columns.further, columns.bounded, task.sized).connected(edges)
    model = ConnectedPartitioner(
        polytope.n_clusters,
        objective=objective,
        time_limit=time_limit,
        random_state=task.seed,
    )
    far = ((points[:, None] - points) ** 2).sum(axis=2) if objective == "medoids" else points
    partition = model.fit(
        polytope.point_weights[:, None] * far if objective == "medoids" else points, polytope=polytope
    ).partition_
    said, value = f"connected, by {objective}", partition.objective
    proved = partition.claim if partition.bound is not None else "no limit on better ones is proved"
    ground = ground_of(columns.encoder, cleaned, task.outlines)
    found = Grouping(
        task.name, partition.labels, polytope, Further(), said, None, value, proved, ground, polytope.connection
    )
    return found.answer(task, columns.cleaner.lines())


def weighed(polytope: PartitionPolytope, further: Further, table: pd.DataFrame, sized: bool) -> PartitionPolytope:
    """The polytope with the sums of columns as its sizes, the first of which weighs the rows, and all that is stated
    besides; numbers of rows count where they were asked for."""
    if further.even:
        raise InvalidInputError("--most-even does not go with --objective and --time-limit: leave one of them out")
    stated = replace(further, balanced={}).on(polytope, table)
    if not further.balanced:
        return stated
    columns, parts = further.attributes(table, further.balanced), np.array([*further.balanced.values()])
    even = columns.to_numpy().sum(axis=0) / polytope.n_clusters
    each = np.ones((polytope.n_clusters, 1))
    low = np.column_stack([np.maximum(1 - parts, 0) * even * each, polytope.lower])
    up = np.column_stack([(1 + parts) * even * each, polytope.upper])
    rows = "rows"
    while rows in columns.columns:
        rows = f"number of {rows}"
    names, weights = (*columns.columns, rows), np.column_stack([columns, np.ones(polytope.n_points)])
    last = len(names) if sized else len(names) - 1
    return PartitionPolytope(
        polytope.n_points, low[:, :last], up[:, :last], weights[:, :last], names=names[:last],
        whole_points=stated.whole_points, constraints=stated.constraints,
    )  # fmt: skip
