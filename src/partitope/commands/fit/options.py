"""`partitope fit`: a clustering-based classifier from a table, stored as a model file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..options import (
    READING,
    SEARCH,
    Clusters,
    Covariates,
    Output,
    Printing,
    Search,
    Sizes,
    Target,
    bundled,
    number,
    option,
    refuse_others,
)
from ..tables import Reading, load_data, tell_columns

CHOSEN = ("clusters", "lower", "upper", "balance", "method", "starts", "weighting", "threshold", "prior")


@bundled
def fit(
    context: typer.Context,
    table: Annotated[Path, typer.Argument(help="CSV, Parquet or Excel with the class column.", show_default=False)],
    target: Target = None,
    output: Output = Path("model.json"),
    clusters: Clusters = 5,
    *,
    sizes: Sizes,
    method: Annotated[
        str, option(None, "Strategy, as `compare` names it.", "--method", "-m", metavar="NAME")
    ] = "geometric-lsa",
    covariates: Covariates = None,
    reading: Reading,
    search: Search,
    weighting: Annotated[bool, option(READING, "Weight the encoded columns by least squares.", "--weighting")] = False,
    threshold: Annotated[float, number(None, "Score from which the second of two classes is predicted.")] = 0.5,
    prior: Annotated[
        str | None, option(None, "Beta prior of the cluster values; maximum likelihood else.", metavar="ALPHA,BETA")
    ] = None,
    folds: Annotated[
        int, number(SEARCH, "Folds by which held-out figures are taken, choices included; 0 takes none.")
    ] = 5,
    auto: Annotated[
        bool, option(SEARCH, "Choose strategy, clusters, bounds and local linear models out of fold.", "--auto")
    ] = False,
    time_limit: Annotated[
        float | None,
        option(SEARCH, "Seconds for --auto, held-out figures included; else as long as it takes.", metavar="SECONDS"),
    ] = None,
    printing: Printing,
) -> None:
    """Fit a classifier on size-bounded clusters and write it to a model file.

    partitope fit people.csv --target income -k 5 --lower 10% -o model.json
    partitope fit people.csv --target income --auto -o model.json

    With --auto, every cell holds a linear model that is shrunk towards the one of all rows; clusters, bounds and
    method are then not given but chosen, and one cell (logistic regression) is taken unless more help on held-out rows.

    The file is readable, versioned JSON without code.

    Without --lower, --upper and --balance, sizes may differ from n/k by a fifth, as in `compare`.
    """
    from copy import copy
    from functools import partial

    from ...model_files.files import check_model_name, save_model
    from ...output.files import check_writable
    from ...output.terminal import note, print_json
    from .run import (
        fit_automatically,
        fit_classifier,
        folds_of,
        held_out_scores,
        in_words,
        learns_from_unlabelled,
        left_out,
        parse_prior,
        rows_to_cluster,
        summary,
    )

    check_auto(context, auto, time_limit, folds)
    check_model_name(check_writable(output, sources=(table,)))
    # rows without a class are read only for a method that learns from them
    data = load_data(table, target, covariates, reading, unlabelled=not auto and learns_from_unlabelled(method))
    if auto:
        each = None if time_limit is None else time_limit / (folds + 1)
        again: Any = partial(fit_automatically, time_limit=each, seed=search.seed)
        model: Any = again(data)
    else:
        again = partial(
            fit_classifier,
            polytope=sizes.on(rows_to_cluster(data), clusters),
            method=method,
            starts=search.starts,
            seed=search.seed,
            weighting=weighting,
            threshold=threshold,
            prior=parse_prior(prior),
        )
        model = again(data)
    # the model is stored before it is measured: held-out figures may take long, or be interrupted
    stored = copy(model.best_estimator_) if auto else model
    if auto:
        stored.cleaner_ = data.cleaner  # it was learnt on the cleaned columns
    save_model(stored, output)
    # the same way to fit, choices included, again on the rows of all folds but one
    folds, why_not = folds_of(data, folds, 1 if auto else clusters)
    record = summary(model, data, held_out_scores(data, again, folds, search.seed) if folds else None, why_not)
    if printing.json:
        print_json(record | {"model": str(output)})
        return
    tell_columns(data, printing)
    for line in left_out(record["uninformative"], str(data.target_name)):
        note(line)
    note(f"{record['method']} on {data!r}: sizes {record['smallest']:g}..{record['largest']:g}")
    for line in in_words(record):
        note(line)
    if not auto or record["chosen"]["n_clusters"] > 1:  # of one cell there is nothing to prove
        note(f"proof: {record['proof']} ({record['claim']})")
    note(f"model: {output}")


def check_auto(context: typer.Context, auto: bool, time_limit: float | None, folds: int) -> None:
    """Refuse options that do not go together."""
    from ...base.errors import InvalidInputError

    if folds < 0 or folds == 1:
        raise InvalidInputError(f"--folds {folds} is not usable: pass 0, or at least 2")
    if time_limit is not None and not auto:
        raise InvalidInputError("--time-limit bounds the search of --auto: pass both, or neither")
    if auto:
        refuse_others(context, "--auto", unread=CHOSEN, instead=", which it chooses")
