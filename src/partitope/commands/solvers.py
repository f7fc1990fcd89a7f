"""`partitope solvers`: solvers compared on programs, each in a process of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import OUTPUT, SEARCH, Delivery, bundled, file, number, word


@bundled
def solvers(
    instances: Annotated[
        list[str],
        typer.Argument(
            help="Model file .json or .mps, iris, wine, breast-cancer, or blobs:n=500,k=5, uniform, ties, equal.",
            show_default=False,
        ),
    ],
    *,
    backends: Annotated[
        list[str] | None,
        word(
            SEARCH,
            "Backend, pyomo:NAME or cvxpy:NAME; repeat for more. All installed backends when left out.",
            "--backends",
            "-b",
        ),
    ] = None,
    plugin: Annotated[str | None, word(SEARCH, "A backend of yours, module:Class.")] = None,
    time_limit: Annotated[float, number(SEARCH, "Seconds for a solver on an instance.")] = 60.0,
    csv: Annotated[Path | None, file(OUTPUT, "Also write the table as CSV, and the profiles next to it.")] = None,
    printing: Delivery,
) -> None:
    """Compare solvers: value, gap, seconds, memory, and performance profiles; every answer is checked by the same code.

    partitope solvers iris blobs:n=2000,k=10 -b transport -b highs -b pyomo:cbc --report r.html
    partitope solvers model.json --plugin my_package:MyBackend

    Every solver runs in a process of its own. No solver's own claim is used.
    """
    from ..output.files import check_writable
    from ..solver_comparison import compare_solvers
    from ..solver_comparison.report import comparison_report

    if csv is not None:
        check_writable(csv)
    printing.check()
    with printing.progress("measuring") as progress:
        found = compare_solvers(instances, backends, plugin=plugin, time_limit=time_limit, progress=progress)
    if csv is not None:
        found.table.to_csv(csv, index=False)
        found.profile().to_csv(csv.with_name(f"{csv.stem}_profile{csv.suffix}"))
    printing.deliver(comparison_report(found))
