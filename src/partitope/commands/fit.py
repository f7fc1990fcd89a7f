"""`partitope fit`: a clustering-based classifier from a table, stored as a model file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import (
    Aggregate,
    Clusters,
    Covariates,
    Decimal,
    Drop,
    Encoding,
    Identifiers,
    Json,
    Lower,
    Output,
    Seed,
    Sheet,
    Starts,
    Target,
    Types,
    Upper,
    Weighting,
    size_bounds,
)


def fit(
    table: Annotated[Path, typer.Argument(help="CSV, Parquet or Excel with the class column.", show_default=False)],
    target: Target = None,
    output: Output = Path("model.json"),
    clusters: Clusters = 5,
    lower: Lower = None,
    upper: Upper = None,
    method: Annotated[str, typer.Option("--method", "-m", help="Strategy, as `compare` names it.")] = "geometric-csa",
    covariates: Covariates = None,
    drop: Drop = None,
    identifiers: Identifiers = None,
    types: Types = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    starts: Starts = 10,
    seed: Seed = 0,
    weighting: Weighting = False,
    aggregate: Aggregate = "mean",
    threshold: Annotated[float, typer.Option(help="Score from which the second of two classes is predicted.")] = 0.5,
    prior: Annotated[
        str | None, typer.Option(help="Beta prior of the cluster values: alpha,beta. None: maximum likelihood.")
    ] = None,
    json: Json = False,
) -> None:
    """Fit a classifier on size-bounded clusters and write it to a model file.

    The file is readable, versioned JSON without code when it ends in .json; ending in .skops, it is a skops
    archive. Without --lower no cluster may be empty; without --upper sizes are free above.
    """
    from ..output.files import check_writable
    from ..output.terminal import note, print_json
    from ..workflows.fit import fit_classifier, parse_prior, summary
    from ..workflows.model_files import check_model_name, save_model
    from .tables import Reading, load_data, tell_columns

    check_model_name(check_writable(output, sources=(table,)))
    data = load_data(table, target, covariates, Reading(encoding, sheet, decimal, types, drop, identifiers))
    model = fit_classifier(
        data,
        method,
        clusters,
        polytope=size_bounds("1" if lower is None else lower, upper, len(data.y), clusters),
        starts=starts,
        seed=seed,
        weighting=weighting,
        aggregate=aggregate,
        threshold=threshold,
        prior=parse_prior(prior),
    )
    save_model(model, output)
    record = summary(model, data)
    if json:
        print_json(record | {"model": str(output)})
        return
    tell_columns(data, json=json)
    for name in record["uninformative"]:
        note(f"column {name}: says nothing about {data.target_name} beyond chance, left out of the encoding")
    note(f"{record['method']} on {data!r}: sizes {record['smallest']:g}..{record['largest']:g}, "
         f"training accuracy {100 * record['training_accuracy']:.1f} %")  # fmt: skip
    note(f"proof: {record['proof']} ({record['claim']})")
    note(f"model: {output}")
