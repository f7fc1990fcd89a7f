"""A comparison of solvers as a report: findings, profiles, the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..output.report import Picture, Report, Section, Table
from ..output.style import as_svg, make_panels
from .comparison import SolverComparison

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PROFILE = (
    "Performance profiles (Dolan and Moré). A curve's height at 1 is the share of instances on which the solver is the "
    "fastest, its height at the right edge the share that it solves; at 10, the share that it solves at most ten times "
    "slower than the fastest. Left: building and solving; right: solving alone."
)
TABLE = (
    "Every solver on every instance. gap: relative distance of the recomputed value from the tightest bound that the "
    "duals of any solver prove, or else from the best feasible value, as gap to says; verified: all conditions hold "
    "and the gap is closed, both to 1e-6; violation: the largest one, relative to the terms of its row; memory: the "
    "peak of the process, Python included."
)


@as_svg
def profile_figure(comparison: SolverComparison) -> Figure | None:
    """Profiles of the whole time and of solving alone; None for one solver."""
    if comparison.table["solver"].nunique() < 2:
        return None
    figure, panels = make_panels(2, 4.1, sharey=True)
    for ax, of in zip(panels, ("clock s", "solve s")):
        comparison.plot(of, ax)
    panels[0].set_title("building and solving")
    panels[1].set(title="solving alone", ylabel="")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
    return figure


def comparison_report(comparison: SolverComparison) -> Report:
    """The report of `partitope solvers`."""
    table = comparison.table
    count, solved = table["instance"].nunique(), table.groupby("solver", sort=False)["verified"].sum()
    everything = ", ".join(solved.index[solved == count]) or "no solver"
    lines = [f"Verified on all {count} instances: {everything}."]
    rest = [f"{name} ({number})" for name, number in solved[solved < count].items()]
    lines += [f"On fewer: {', '.join(rest)}; the table says why."] if rest else []
    right = table[table["verified"]]
    if len(right):
        fastest = right.loc[right.groupby("instance")["clock s"].idxmin(), "solver"].value_counts()
        lines.append("Fastest, building included: " + ", ".join(f"{n} on {m}" for n, m in fastest.items()) + ".")
    lead = f"{count} instances, {len(solved)} solvers, each pair in a process of its own, one check for all answers."
    pictures = [Picture(lambda: profile_figure(comparison), PROFILE, "Performance profiles")]
    profiles = comparison.profile()
    record = {
        "rows": table.to_dict(orient="records"),
        "profile": {"tau": profiles.index.tolist(), "rho": profiles.to_dict(orient="list")},
    }
    sections = [Section("Profiles", pictures=pictures), Section("Figures", tables=[Table.of(table, TABLE)])]
    return Report("Solvers compared", lead, lines, sections, {}, "solvers", record)
