"""Report of an assignment: total cost, what is proved, and sizes of the clusters."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ...base.messages import number
from ...base.record import Record
from ...models.polytope.shares import Shares
from ...output.report import Report, Section, Table, whole
from ...solvers.solution import AssignmentSolution
from ..stated import bounded_sums, stated_findings


def assignment_report(
    name: str, names: list[str], solution: AssignmentSolution, not_reached: list[str], barred: int
) -> Report:
    """Total cost, verdict, and sizes, bounds and prices of every cluster by its name."""
    polytope, certificate = solution.model.polytope, solution.verify()
    shares, k = Shares.of(solution.require_labels(), solution.splits, len(names)), len(names)
    # one row per cluster, with the sum of the weights where these are what is bounded
    weighed = [rows for rows in polytope.further if rows.is_size]
    bounds: Any = weighed[0] if weighed else polytope  # of sums of --weights, or of points
    size = bounds.name if weighed else polytope.names[0]
    found: Record = {"cluster": names, "points": whole(shares.sizes(None, k))}
    if weighed:
        found[f"sum of {size}"] = whole(shares.sizes(bounds.attributes[:, 0], k))
    found |= {"lower": whole(bounds.lower), "upper": whole(bounds.upper), "price": solution.named_prices[size]}
    if polytope.may_close:
        found["open"] = ["yes" if held else "no" for held in found["points"]]
    clusters = pd.DataFrame(found)
    # what was checked independently of the solver, and what is known of better answers
    proof = {"verified": certificate.verified, "verdict": certificate.verdict, "status": str(solution.status)}
    findings = [*not_reached, f"Proof: {certificate.verdict}."]
    if solution.bound is not None:
        proof |= {"least_cost": -solution.bound.upper, "proof": solution.bound.proof}
    divided = len({point for point, _, _ in solution.splits})
    stated = bounded_sums(polytope, lambda column: shares.sizes(column, k))
    findings += stated_findings(stated[~stated["name"].isin([rows.name for rows in weighed])], None, ())
    if divided:
        findings.append(f"{divided} points are divided: the file has a line for every part, with its share.")
    record = {
        "data": {"name": name, "rows": polytope.n_points}, "total_cost": solution.cost, "proof": proof,
        "divided_points": divided, "clusters": clusters.to_dict(orient="records"),
    }  # fmt: skip
    notes = ("price: what one more of an upper bound saves; negative: what one less of a lower bound saves.",)
    section = Section("The clusters", "clusters", (), (), (Table.of(clusters, "Clusters", notes=notes),))
    lead = f"{polytope.n_points} points in {len(names)} clusters at a total cost of {number(solution.cost, 10)}."
    if barred:
        lead += f" {barred} pairs of point and cluster are forbidden by their cells."
    return Report(f"Assignment of {name}", lead, findings, (section,), {}, "assignment", record)


def missed(solution: AssignmentSolution, gap: float | None) -> list[str]:
    """The requested gap, if it was not reached."""
    bound = solution.bound
    if gap is None or bound is None or bound.upper - bound.lower <= gap * (1 + 1e-9):
        return []
    return [f"The gap of {gap:g} was not reached: another assignment may cost {bound.upper - bound.lower:.4g} less."]
