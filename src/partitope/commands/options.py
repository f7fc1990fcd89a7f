"""Options that several commands share: single ones, and bundles that also carry out their options."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, fields, is_dataclass
from functools import partial, wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from ..base.errors import InvalidInputError
from .exit_code import ExitCode

if TYPE_CHECKING:
    from ..cluster.further import Further
    from ..models.polytope.polytope import PartitionPolytope
    from ..output.report import Report as Result

SIZES, FURTHER, READING, OUTPUT, SEARCH = "Sizes", "Side constraints", "Reading", "Output", "Search"
"""Groups of options in the help."""


def option(group: str | None, text: str, *names: str, **more: Any) -> Any:
    """An option of a group of the help."""
    return typer.Option(*names, help=text, rich_help_panel=group, **more)


def columns(group: str, text: str, *names: str, metavar: str = "COLUMN") -> Any:
    """An option that may be repeated, for a column each."""
    return option(group, f"{text} Repeat for more.", *names, metavar=metavar)


number, word, file = (partial(option, metavar=name) for name in ("NUMBER", "WORD", "FILE"))

Target = Annotated[str | None, option(None, "Name of the class column.", "--target", "-t", metavar="COLUMN")]
Clusters = Annotated[int, number(SIZES, "Number of clusters.", "--clusters", "-k", min=1)]
Covariates = Annotated[list[str] | None, columns(FURTHER, "Column that KCC and its like condition on.")]
Connected = Annotated[
    Path | None,
    option(
        FURTHER,
        "Every cluster is connected: CSV file of two columns, the neighbours by --id, or by row number from 0; or "
        "GeoJSON file of areas (.geojson, .json), where a common border makes neighbours.",
        "--connected",
        metavar="FILE",
    ),
]
Scale = Annotated[
    str | None,
    option(
        READING,
        "How numbers are scaled: none, standard (by deviations, a common one for the two columns of a map), or columns "
        "(each by its own); default: none for a map alone, otherwise standard.",
        metavar="WORD",
    ),
]
Optional = Annotated[bool, option(SIZES, "Allow empty clusters; all others keep their bounds.", "--optional")]
Starts = Annotated[int, number(SEARCH, "Number of starts; the best one is kept.", "--starts", "--n-init", min=1)]
Seed = Annotated[int, number(SEARCH, "Seed of all random choices.", min=0)]
Json = Annotated[bool, option(OUTPUT, "Print only JSON.", "--json")]
Report = Annotated[Path | None, file(OUTPUT, "Also write a self-contained HTML report.")]
Output = Annotated[Path, file(OUTPUT, "File to write.", "--output", "-o")]


def refuse_others(
    context: typer.Context, option: str, *, read: Collection[str] = (), unread: Collection[str] = (), instead: str = ""
) -> None:
    """Refuse what was written on the command line and is ``unread`` with an option, or not among what is ``read``."""
    for parameter in context.command.params:
        name = str(parameter.name)
        other = name in unread if unread else name not in read
        if other and str(context.get_parameter_source(name)).endswith("COMMANDLINE"):
            opts = parameter.secondary_opts if context.params[name] is False else parameter.opts
            said = opts[0] if opts[0].startswith("-") else name
            raise InvalidInputError(f"{option} does not go with {said}{instead}: leave one of them out")


def refuse_one_file_for_two(named: dict[str, Path]) -> None:
    """Refuse outputs of which one would replace another."""
    places = [path.resolve() for path in named.values()]
    files = [not place.exists() or place.is_file() for place in places]  # the null device may be named twice
    twice = [what for what, place, file in zip(named, places, files) if file and places.count(place) > 1]
    if twice:
        raise InvalidInputError(f"{' and '.join(twice)} are both to be {named[twice[0]]}: name a file for each")


def bundled(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of each parameter that is a bundle: a dataclass whose fields are options."""
    own = signature(command, eval_str=True)
    bundles: dict[str, Any] = {
        name: entry.annotation for name, entry in own.parameters.items() if is_dataclass(entry.annotation)
    }
    joined: dict[str, Parameter] = {}
    for name, entry in own.parameters.items():
        hints = get_type_hints(bundles[name], include_extras=True) if name in bundles else {}
        options = [
            Parameter(field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name])
            for field in (fields(bundles[name]) if name in bundles else ())
        ]
        joined |= {one.name: one for one in options or [entry.replace(kind=Parameter.KEYWORD_ONLY)]}

    @wraps(command)
    def with_bundles(**given: Any) -> None:
        made = {
            name: kind(**{field.name: given.pop(field.name) for field in fields(kind)})
            for name, kind in bundles.items()
        }
        command(**made, **given)

    with_bundles.__signature__ = own.replace(parameters=list(joined.values()))  # type: ignore[attr-defined]
    with_bundles.__annotations__ = {name: entry.annotation for name, entry in joined.items()}
    return with_bundles


@dataclass(frozen=True)
class Bounds:
    """Sizes as users write them."""

    lower: Annotated[
        str | None, option(SIZES, "Smallest size: 20, 10% of the rows, or one per cluster: 10,20,30.", metavar="SIZE")
    ] = None
    upper: Annotated[str | None, option(SIZES, "Largest size, written like --lower.", metavar="SIZE")] = None

    def on(self, n_points: int, n_clusters: int) -> PartitionPolytope:
        """The clusterings that are allowed; from here on bounds travel as this one object."""
        from ..base.sizes import bound_sizes
        from ..models.polytope.infeasible_bounds import feasible_shares
        from ..models.polytope.polytope import PartitionPolytope

        given = {"--lower": self.lower, "--upper": self.upper}
        low = bound_sizes(self.lower, "lower", n_points, n_clusters, name="--lower")
        up = bound_sizes(self.upper, "upper", n_points, n_clusters, name="--upper")
        return feasible_shares(PartitionPolytope(n_points, low, up, n_clusters=n_clusters), **given)


@dataclass(frozen=True)
class Sizes(Bounds):
    """Sizes, or how far they may be from n/k; without either, they are within a fifth of n/k."""

    balance: Annotated[
        str | None, option(SIZES, "Instead of bounds: how far sizes may be from n/k, such as 20%.", metavar="SHARE")
    ] = None

    @property
    def given(self) -> bool:
        """Whether any of the options was."""
        return not self.lower is self.upper is self.balance is None

    def on(self, n_points: int, n_clusters: int) -> PartitionPolytope:
        """The clusterings that are allowed."""
        from ..base.sizes import balanced_sizes, parse_share
        from ..models.polytope.polytope import PartitionPolytope

        if self.lower is not None or self.upper is not None:
            if self.balance is not None:
                raise InvalidInputError(
                    f"--balance {self.balance} sets both bounds: leave it out, or --lower and --upper"
                )
            return super().on(n_points, n_clusters)
        share = 0.2 if self.balance is None else parse_share(self.balance, "--balance")
        low, up = balanced_sizes(share, n_points, n_clusters)
        return PartitionPolytope(n_points, low, up, n_clusters=n_clusters)


class Stated:
    """What all bundles have that say something about columns."""

    def further(self, columns: Iterable[str] = ()) -> Further:
        """What is asked of a table with these columns."""
        from ..cluster.further import Further

        given = (getattr(self, name, None) for name in ("balance_column", "share", "within", "allowed"))
        sums, shares, within, allowed = given
        named = {"even": "most_even", "together": "together", "apart": "apart"}
        others: Any = {what: getattr(self, name, None) or () for what, name in named.items()}
        return Further.of(sums or (), shares or (), within, allowed, columns=columns, **others)


@dataclass(frozen=True)
class Links(Stated):
    """Columns of rows that belong together, or apart."""

    together: Annotated[list[str] | None, columns(FURTHER, "Column of groups whose rows share one cluster.")] = None
    apart: Annotated[list[str] | None, columns(FURTHER, "Column of groups whose rows are in different clusters.")] = (
        None
    )


@dataclass(frozen=True)
class Shares(Stated):
    """Columns of groups whose shares are bounded in every cluster."""

    share: Annotated[
        list[str] | None,
        columns(
            FURTHER,
            "Column of groups whose shares in every cluster are within --within of those in the table; of zeros and "
            "ones also COLUMN=0.3..0.5.",
        ),
    ] = None
    within: Annotated[
        str | None,
        option(FURTHER, "Largest deviation of such shares and sums from even ones; default: 5%.", metavar="SHARE"),
    ] = None


@dataclass(frozen=True)
class SharesAndLinks(Links, Shares):
    """Shares, and rows that belong together or apart."""


@dataclass(frozen=True)
class Sums(Shares):
    """Columns whose sums are bounded in every cluster, too, and the clusters that a row may go to."""

    balance_column: Annotated[
        list[str] | None,
        columns(FURTHER, "Column whose sums in the clusters are within --within of an even share; or COLUMN=5%."),
    ] = None
    allowed: Annotated[
        str | None,
        option(
            FURTHER,
            "Column of the clusters that a row may join, counted from 0: 2 is one, 0|2 are two, empty means all.",
            metavar="COLUMN",
        ),
    ] = None


@dataclass(frozen=True)
class Statements(Links, Sums):
    """All that columns may ask of clusters."""

    most_even: Annotated[list[str] | None, columns(FURTHER, "Column whose sums are as even as whole rows allow.")] = (
        None
    )


@dataclass(frozen=True)
class Search:
    """Starts and their seed."""

    starts: Starts = 10
    seed: Seed = 0


@dataclass(frozen=True)
class Printing:
    """How a result is printed."""

    json: Json = False

    def say(self, lines: Iterable[str]) -> None:
        """Lines to stderr, unless only JSON is requested."""
        from ..output.terminal import note

        for line in () if self.json else lines:
            note(line)

    def deliver(self, report: Result, *, partly: bool = False) -> None:
        """Write a report; one that begins with a requirement that was not met ends with exit status 3."""
        from ..output.terminal import deliver

        deliver(report, getattr(self, "report", None), json=self.json)
        if partly:
            raise typer.Exit(ExitCode.PARTLY)

    def progress(self, title: str = "preparing") -> Any:
        """A bar on stderr while a search runs."""
        from ..output.terminal import progress_bar

        return progress_bar(title, quiet=self.json)


@dataclass(frozen=True)
class Delivery(Printing):
    """How a result is printed, and its page."""

    report: Report = None

    def check(self, *sources: str | Path | None, output: Path | None = None) -> None:
        """Refuse a page that cannot be written, or would replace the output, before any work is done."""
        from ..output.files import check_writable

        if self.report is not None:
            named = {} if output is None else {"--output": output}
            refuse_one_file_for_two(named | {"--report": check_writable(self.report, sources=sources)})
