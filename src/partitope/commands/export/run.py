"""What `partitope export` does, as functions of tables, models and files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...base.errors import InvalidInputError
from ...base.record import Record
from ...datasets.dataset import Dataset
from ...models import AssignmentModel, ExchangeGraph, PartitionPolytope
from ...models.formats.solver_files import SUFFIXES, check_suffix
from ...models.objectives.proof import Proof
from ...models.programs.instances import read_instance
from ...output.files import write_atomically
from ...output.report import whole
from ...solvers import read_back, solve
from ...solvers.assignment.external import partition_of
from ...solvers.geometric.partitioner import GeometricPartitioner

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def check_output(output: Path, solution: Path | None) -> Path:
    """The output's name, refused when its suffix does not say what is written."""
    if solution is None:
        return check_suffix(output, (*SUFFIXES, ".json"))
    if output.suffix.lower() not in (".csv", ".txt"):
        raise InvalidInputError(f"--output {output} is to hold labels: name a .csv file")
    return output


def points_model(
    X: NDArray[np.float64],
    polytope: PartitionPolytope,
    objective: str,
    sites: pd.DataFrame | None,
    starts: int,
    seed: int,
) -> AssignmentModel:
    """The assignment program of points for given sites, or for those where the best start ends. Shapes: X (n, d)."""
    if objective not in ("csa", "lsa"):
        raise InvalidInputError(f"--objective {objective!r} is not known: choose 'lsa' or 'csa'")
    clusters = polytope.n_clusters
    polytope.check()
    if objective == "csa":
        X = X - X.mean(axis=0)
    if sites is not None:
        given = plain_points(sites, "--sites")
        if given.shape != (clusters, X.shape[1]):
            raise InvalidInputError(f"--sites holds {given.shape} numbers, expected ({clusters}, {X.shape[1]}) sites")
    else:
        options: Record = {"objective": objective, "n_init": starts, "random_state": seed}
        given = GeometricPartitioner(clusters, **options).fit(X, polytope=polytope).sites_
    build = AssignmentModel.lsa if objective == "lsa" else AssignmentModel.csa
    return build(X, given, polytope)


def export_model(model: AssignmentModel, file: Path) -> dict[str, object]:
    """Write a model and describe it."""
    model.write(file)
    n, k = model.score_source.shape
    further = sum(int(np.isfinite(side).sum()) for rows in model.polytope.further for side in (rows.lower, rows.upper))
    return {
        "model": str(file), "points": n, "clusters": k, "variables": n * k, "constraints": n + 2 * k + further,
        "names": list(model.polytope.row_names),
    }  # fmt: skip


def check_answer(instance: Path, answer: Path, output: Path) -> dict[str, object]:
    """Check a solution file against an instance, write its labels, and describe it."""
    model = read_instance(instance)
    solution = read_back(model, answer)
    partition = partition_of(solution)
    write_atomically(output, "point,label\n" + "".join(f"{j},{i}\n" for j, i in enumerate(partition.labels.tolist())))
    remark = "certified optimal for the scores of the instance"
    if partition.proof is Proof.NONE:
        remark = "neither certified nor improved by an exchange"
        if model.polytope.further:
            remark = f"not certified: the optimum is {solve(model).objective:.10g}"
        elif cycle := ExchangeGraph.of(model, solution.require_labels(), solution.splits).negative_cycle():
            moves = ", ".join(f"point {m.point} from {m.source} to {m.target}" for m in cycle.moves)
            remark = f"not optimal: moving {moves} gains {cycle.gain:.6g}"
    return {
        "labels": str(output),
        "objective": solution.objective,
        "sizes": whole(partition.sizes),
        "proof": partition.proof,
        "claim": partition.claim,
        "gap": None if partition.certificate is None else partition.certificate.gap,
        "remark": remark,
    }


def encoded_points(data: Dataset) -> NDArray[np.float64]:
    """Rows of a cleaned data set as `partitope compare` clusters them: cross-fitted conditional means."""
    from ...classifiers import ConditionalMeanEncoder

    return np.asarray(ConditionalMeanEncoder().fit_transform(data.X, data.y), dtype=np.float64)


def plain_points(table: pd.DataFrame, name: str, cleaner: BaseEstimator | None = None) -> NDArray[np.float64]:
    """The columns of a table as coordinates."""
    table = table if cleaner is None else cleaner.fit_transform(table)
    for column in table.columns:
        if table[column].dtype.kind not in "iufb":
            raise InvalidInputError(f"column {column!r} of {name} holds no numbers: drop it, or name the --target")
        missing = np.flatnonzero(table[column].isna())
        if missing.size:
            raise InvalidInputError(
                f"column {column!r} of {name} has no number in row {missing[0] + 1}: fill it in, or name the --target"
            )
    return table.to_numpy(dtype=np.float64)
