"""Options that several commands share, written once."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..base.errors import InvalidInputError

if TYPE_CHECKING:
    from ..models.polytope.polytope import PartitionPolytope

SIZES, FURTHER, READING, OUTPUT, SEARCH = "Sizes", "Further bounds", "Reading", "Output", "Search"
"""Groups of options in the help."""


def option(group: str | None, text: str, *names: str, **more: Any) -> Any:
    """An option of a group of the help."""
    return typer.Option(*names, help=text, rich_help_panel=group, **more)


def columns(group: str, text: str, *names: str, metavar: str = "COLUMN") -> Any:
    """An option that may be repeated, for a column each."""
    return option(group, f"{text} Repeat for more.", *names, metavar=metavar)


number, word, file = (partial(option, metavar=name) for name in ("NUMBER", "WORD", "FILE"))

Target = Annotated[str | None, option(None, "Name of the class column.", "--target", "-t", metavar="COLUMN")]
Clusters = Annotated[int, number(SIZES, "Number of clusters.", "--clusters", "-k")]
Covariates = Annotated[list[str] | None, columns(FURTHER, "Column that KCC and its like condition on.")]
Lower = Annotated[
    str | None, option(SIZES, "Smallest size: 20, 10% of the rows, or one per cluster: 10,20,30.", metavar="SIZE")
]
Upper = Annotated[str | None, option(SIZES, "Largest size, written like --lower.", metavar="SIZE")]
Balance = Annotated[str | None, option(SIZES, "Instead: how far sizes may be from n/k, such as 20%.", metavar="SHARE")]
Optional = Annotated[bool, option(SIZES, "A cluster is within its bounds or empty.", "--optional")]
Whole = Annotated[bool, option(SIZES, "Whether further bounds may divide a row between clusters.", "--whole/--divided")]
BalanceColumn = Annotated[
    list[str] | None,
    columns(FURTHER, "Column whose sums in the clusters are within --within of an even share; or COLUMN=5%."),
]
Share = Annotated[
    list[str] | None,
    columns(
        FURTHER,
        "Column of groups whose shares in every cluster are within --within of those in the table; of zeros and ones "
        "also COLUMN=0.3..0.5.",
    ),
]
MostEven = Annotated[list[str] | None, columns(FURTHER, "Column whose sums are as even as whole rows allow.")]
Together = Annotated[list[str] | None, columns(FURTHER, "Column of groups whose rows share one cluster.")]
Apart = Annotated[list[str] | None, columns(FURTHER, "Column of groups whose rows are in different clusters.")]
Allowed = Annotated[
    str | None,
    option(
        FURTHER,
        "Column of the clusters that a row may go to, counted from 0: 2 is that one, 0|2 are two, nothing is all.",
        metavar="COLUMN",
    ),
]
Connected = Annotated[
    Path | None,
    option(
        FURTHER,
        "CSV file of two columns, the neighbours by --id, or by row number from 0: every cluster is connected.",
        "--connected",
        metavar="EDGES",
    ),
]
Within = Annotated[
    str | None,
    option(FURTHER, "How far --balance-column and --share may be from even; 5% unless said.", metavar="SHARE"),
]
Scale = Annotated[
    str | None,
    option(
        READING,
        "What numbers are divided by: none, standard (deviations, one for both columns of a map), or columns (each by "
        "its own); the default is none for a map alone, else standard.",
        metavar="WORD",
    ),
]
Starts = Annotated[int, number(SEARCH, "Starts, of which the best is kept.", "--starts", "--n-init")]
Seed = Annotated[int, number(SEARCH, "Seed of everything random.")]
Json = Annotated[bool, option(OUTPUT, "Print JSON and nothing else.", "--json")]
Report = Annotated[Path | None, file(OUTPUT, "Also write one self-contained HTML report.")]
Weighting = Annotated[bool, option(READING, "Weight the encoded columns by least squares.", "--weighting")]
Output = Annotated[Path, file(OUTPUT, "File to write.", "--output", "-o")]


def refuse_others(context: typer.Context, option: str, read: Iterable[str], instead: str = "") -> None:
    """Refuse what was written on the command line and is not among the parameters that are ``read`` with an option."""
    for parameter in context.command.params:
        name = str(parameter.name)
        if name not in read and str(context.get_parameter_source(name)).endswith("COMMANDLINE"):
            said = parameter.opts[0] if parameter.opts[0].startswith("-") else name
            raise InvalidInputError(f"{option} does not go with {said}{instead}: leave one of them out")


def size_bounds(lower: str | None, upper: str | None, n_points: int, n_clusters: int) -> PartitionPolytope:
    """The clusterings that --clusters, --lower and --upper allow; from here on bounds travel as this one object."""
    from ..base.sizes import bound_sizes
    from ..models.polytope.polytope import PartitionPolytope

    low = bound_sizes(lower, "lower", n_points, n_clusters, name="--lower")
    up = bound_sizes(upper, "upper", n_points, n_clusters, name="--upper")
    return PartitionPolytope(n_points, low, up, n_clusters=n_clusters)


def bounds_or_default(
    lower: str | None, upper: str | None, balance: str | None, n_points: int, n_clusters: int
) -> PartitionPolytope:
    """`size_bounds`, or those of --balance; with none of them, sizes within a fifth of n/k."""
    from ..base.sizes import balanced_sizes, parse_share
    from ..models.polytope.polytope import PartitionPolytope

    bounded = lower is not None or upper is not None
    if bounded and balance is not None:
        raise InvalidInputError(f"--balance {balance} sets both bounds: leave it out, or --lower and --upper")
    if bounded:
        return size_bounds(lower, upper, n_points, n_clusters)
    share = 0.2 if balance is None else parse_share(balance, "--balance")
    low, up = balanced_sizes(share, n_points, n_clusters)
    return PartitionPolytope(n_points, low, up, n_clusters=n_clusters)
