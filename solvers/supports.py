"""What each solver takes, in one table: the one refusal of a polytope and the page "what solves what" are made from it.

A polytope says what it states by `kinds`; a solver's row says which of these it keeps, for which objective, and whether
its answer is proved. Strategies declare their kinds in `Needs.supports`, from which their rows are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ..base.errors import CapabilityError
from ..models.polytope.kinds import CONNECTED, KINDS, LINEAR, NETWORK
from ..models.polytope.polytope import PartitionPolytope
from .backend import Capabilities
from .strategies import STRATEGIES

EVERYTHING, OWN = frozenset(KINDS), frozenset[str]()  # all of them; those that the class declares


class Support(NamedTuple):
    """A row of the table."""

    solver: str
    objective: str
    is_exact: bool
    kinds: frozenset[str]
    size: str = ""  # Largest case that the package's site reports, points x clusters.


SCORES, SQUARES, TERRITORIES = "assignment at given scores", "least squares or cluster sums", "connected territories"
SUPPORTS = (
    Support("solve", SCORES, True, EVERYTHING, "10 000 000 x 10 with bounds on sizes alone"),
    Support("evenest", "smallest deviation from even sizes", True,
            EVERYTHING - {"open clusters", "connected clusters", "constraints"}),
    Support("solve_global", SQUARES, True, frozenset({"weights"}), "see [the study](study.md)"),
    Support("geometric", SQUARES, False, OWN, "1 000 000 x 30 with bounds on sizes alone"),
    Support("anisotropic", "ellipsoidal cells", False, OWN),
    Support("medoids", "medoids and locations", False, frozenset({"weights", "open clusters", "groups"}),
            "3 038 x 1 000"),
    Support("ConnectedPartitioner", TERRITORIES, False, CONNECTED,
            "see [territories](connected.md)"),
    Support("AlikePartitioner", "groups that are alike", False, LINEAR | {"groups"},
            "17 898 x 20, see [even groups](groups.md)"),
    Support("cac", "separated classes in clusters", False, OWN, "see [the papers](papers.md)"),
    Support("pkm", "log-likelihood of classes", False, OWN, "see [the papers](papers.md)"),
    Support("clusterwise", "one linear model per cluster", False, frozenset()),
    Support("k-means", SQUARES, False, frozenset()),
)  # fmt: skip


BACKENDS_TAKE = (
    "`transport`, the default, hands masks and side constraints to `boxstep`, and whole points to a search. A "
    "constraint with cuts and no rows leaves by no export. `.json` holds the rows of a constraint over "
    "the shares alone, and refuses one with further columns, which `model.program` can write."
)


def rows() -> Iterator[Support]:
    """The table; kinds of a strategy are those that its class declares."""
    for row in SUPPORTS:
        declared = STRATEGIES[row.solver].needs if row.solver in STRATEGIES else None
        if declared is None or not declared.supports:
            yield row
        else:
            yield row._replace(kinds=declared.supports)


def require(polytope: PartitionPolytope, solver: str) -> None:
    """Raise CapabilityError if the polytope states what a solver of the table does not keep; the message names those
    that do, for the same objective first."""
    table = {row.solver: row for row in rows()}
    mine = table[solver]
    for kind in polytope.kinds:
        if kind not in mine.kinds:
            able = sorted(
                (row for row in table.values() if kind in row.kinds), key=lambda r: r.objective != mine.objective
            )
            raise CapabilityError(
                f"{solver} does not take {kind}, the polytope has them: leave them out or use "
                f"{', '.join(row.solver for row in able)}"
            )


def _kinds_of(name: str, declared: Capabilities) -> frozenset[str]:
    """What `solve` takes with a backend, from what this declares; our own engine hands on what it does not know."""
    if name == "transport" or declared.mip:
        return EVERYTHING
    asked = {"weights": declared.weights, "masks": declared.masks, "side constraints": declared.further_rows}
    return frozenset(kind for kind, taken in asked.items() if taken)


def page(backends: Mapping[str, Capabilities]) -> str:
    """The page "what solves what" in Markdown, with what backends declare by name."""
    table = list(rows())
    lines = [
        "# What solves what",
        "One row per objective and solver. **exact**: the answer comes with a proof of optimality, or with a proved "
        "gap where time ends first. **heuristic**: each assignment step is exact, and the whole is a local optimum. "
        "**refused**: the solver raises `CapabilityError` before it computes anything, and names who could. The size "
        "is that of the largest case that this site reports, points x clusters.",
        "",
        "| objective | solver | size | sizes of clusters | " + " | ".join(KINDS) + " |",
        "|---" * (4 + len(KINDS)) + "|",
    ]
    for row in table:
        how = "exact" if row.is_exact else "heuristic"
        cells = [how if kind in row.kinds else "refused" for kind in KINDS]
        sized = how if row.solver != "k-means" else "refused"
        lines.append(f"| {row.objective} | `{row.solver}` | {row.size} | {sized} | {' | '.join(cells)} |")
    lines += ["", "`medoids` takes them as parameters; of side constraints several capacities (`further`) and points "
              "apart (`apart`)."]  # fmt: skip
    # a statement of whole points is integrality; solve() itself is the row of the table above
    lines += ["", "## Backends and exports of one assignment", "", BACKENDS_TAKE, "", "| | " + " | ".join(KINDS) + " |"]
    lines.append("|---" * (1 + len(KINDS)) + "|")
    taken = {f'solve(backend="{name}")': _kinds_of(name, declared) for name, declared in backends.items()}
    exports = dict.fromkeys(("to_pyomo()", "to_cvxpy()", "to_highs()", "write(.lp)", "write(.mps)"), EVERYTHING)
    for name, kinds in (taken | exports | {"to_networkx()": NETWORK}).items():
        cells = ["taken" if kind in kinds else "refused" for kind in KINDS]
        lines.append(f"| `{name}` | {' | '.join(cells)} |")
    lines += ["", "What the columns mean:", ""]
    lines += [f"- **{kind}**: {meaning}" for kind, meaning in KINDS.items()]
    return "\n".join(lines) + "\n"
