"""Options that several commands share, written once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ..models.polytope.polytope import PartitionPolytope

Target = Annotated[str | None, typer.Option("--target", "-t", help="Name of the class column.", show_default=False)]
Clusters = Annotated[int, typer.Option("--clusters", "-k", help="Number of clusters.")]
Covariates = Annotated[
    list[str] | None, typer.Option(help="Column that KCC and its like condition on (repeat).", show_default=False)
]
Lower = Annotated[
    str | None,
    typer.Option(help="Smallest cluster size: 20, or 10% of the rows, or one number a cluster: 10,20,30."),
]
Upper = Annotated[str | None, typer.Option(help="Largest cluster size, written like --lower.")]
Balance = Annotated[
    str | None,
    typer.Option(
        help="Instead of --lower and --upper: how far sizes may be from n/k, such as 20%.", show_default=False
    ),
]
BalanceColumn = Annotated[
    list[str] | None,
    typer.Option(
        help="A further size (repeat): the sums of this column in the clusters are within --within (column=5%: within "
        "5%) of an even share. The column is no coordinate.",
        show_default=False,
    ),
]
Share = Annotated[
    list[str] | None,
    typer.Option(
        help="A column of groups (repeat): their shares in every cluster are within --within of those in the table; of "
        "zeros and ones also column=0.3..0.5. The column is no coordinate.",
        show_default=False,
    ),
]
Allowed = Annotated[
    str | None,
    typer.Option(
        help="A column of the clusters that a row may go to, counted from 0: 2 fixes it there, 0|2 leaves two, nothing "
        "all. The column is no coordinate.",
        show_default=False,
    ),
]
Within = Annotated[
    str | None,
    typer.Option(help="How far --balance-column and --share may be from even, such as 10%.", show_default="5%"),
]
Starts = Annotated[int, typer.Option("--starts", "--n-init", help="Starts of every method.")]
Seed = Annotated[int, typer.Option(help="Seed of everything random.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
Weighting = Annotated[bool, typer.Option("--weighting", help="Weight the encoded columns by least squares.")]
Aggregate = Annotated[str, typer.Option(help="Score rows by the 'mean' over the starts, or by the best start: 'max'.")]
Output = Annotated[Path, typer.Option("--output", "-o", help="File to write.", show_default=False)]


def size_bounds(lower: str | None, upper: str | None, n_points: int, n_clusters: int) -> PartitionPolytope:
    """The clusterings that --clusters, --lower and --upper allow; from here on bounds travel as this one object."""
    from ..base.sizes import parse_bounds
    from ..models.polytope.polytope import PartitionPolytope

    low = parse_bounds(lower, "lower", n_points, n_clusters)
    up = parse_bounds(upper, "upper", n_points, n_clusters)
    return PartitionPolytope(n_points, low, up, n_clusters=n_clusters)


def bounds_or_default(
    lower: str | None, upper: str | None, balance: str | None, n_points: int, n_clusters: int
) -> PartitionPolytope:
    """`size_bounds`, or those of --balance; with none of them, sizes within a fifth of n/k."""
    from ..base.errors import InvalidInputError
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
