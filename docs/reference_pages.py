"""The reference: a page for every public name and what stands with it, and for each package a list by subject."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from typing import Any

GROUPS: dict[str, dict[str, str]] = {
    "cluster": {
        "Clustering": "BalancedKMeans",
        "How many clusters": "suggest_clusters suggest.ClusterSuggestion",
        "Tables": "table_encoder.TableEncoder",
    },
    "models": {
        "The feasible set and the program": "PartitionPolytope AssignmentModel LinearScores Links LinkedAssignmentMIP "
        "MedoidLocationMIP "
        "scores.scores.DenseScores scores.quadratic.QuadraticScores programs.price_programs.PriceProgram "
        "programs.price_programs.MarginProgram formats.files.read_instance",
        "Proofs": "check_assignment ExchangeGraph objectives.proof.Proof certificates.certificate.Certificate "
        "certificates.exact.check_exactly certificates.exact.optimal_exactly objectives.bound.Bound "
        "certificates.exchange.ExchangeCycle certificates.exchange.Move partitope.base.status.Status",
        "Geometry": "PowerDiagram ClusterSumPolytope sum_of_squares programs.separability.Separation "
        "programs.separability.ShareMove",
        "Relaxations": "LeastSquaresSDP",
        "Pictures": "plots.cells.plot_power_diagram plots.lifted.plot_lifted plots.polytope.plot_polytope "
        "plots.cells.cell_polygons plots.cells.Plane plots.cells.principal_plane",
        "Errors": "PartitopeError InfeasibleBoundsError partitope.base.errors.InvalidInputError "
        "polytope.links.ContradictoryLinksError partitope.base.errors.CapabilityError "
        "partitope.base.errors.MissingDependencyError partitope.base.errors.NotOptimalError",
    },
    "solvers": {
        "Partitions by exact steps": "GeometricPartitioner AnisotropicPartitioner MedoidPartitioner CAC PKM KCC KCSSL",
        "What a strategy returns and is": "Partition Partitioner STRATEGIES register_strategy partitioner.Needs",
        "One assignment": "solve solve_linked solution_from_labels read_back solution.AssignmentSolution "
        "assignment.linked.LinkedSolution linear_program.solve_linear linear_program.LinearAnswer "
        "assignment.external.partition_of",
        "Backends": "BACKENDS Backend register_backend backend.Capabilities",
        "What bounds cost": "bounds_path sensitivity assignment.bounds_path.BoundsPath "
        "assignment.named_bounds_path.NamedBoundsPath "
        "assignment.sensitivity.Sensitivity assignment.price_intervals.price_intervals "
        "assignment.price_programs.optimal_prices assignment.price_programs.largest_margin_prices",
        "The global optimum": "solve_global is_separable global_optimum.sdp.sdp_bound "
        "global_optimum.sdp.sdp_relaxation",
        "Without bounds, for comparison": "geometric.k_means.KMeansReference",
        "Steps and pictures": "geometric.recorded.recorded_k_means geometric.recorded.RecordedKMeans "
        "global_optimum.plots.plot_interval",
    },
    "classifiers": {
        "Cells that vote": "ClusteringClassifier PKMClassifier",
        "Local models": "LocalModelClassifier LocalModelSearch linear.pooled.PooledLogisticRegression "
        "linear.basis.LinearBasis",
        "Tables": "TableCleaner ConditionalMeanEncoder LeastSquaresWeighting",
        "Supervised intervals and groups": "MODLDiscretizer MODLGrouper SelectiveNaiveBayes",
        "Clusters and bounds": "cluster_profiles balance_curve profiles.profiles.ClusterProfiles "
        "search.balance_curve.BalanceCurve",
        "Networks": "DeepCAC",
    },
    "stats": {
        "Values of clusters": "cluster_value_test power_analysis suggest_bounds value_difference_test "
        "cluster_values.test.ClusterValueTest cluster_values.power.PowerAnalysis "
        "cluster_values.precision.BoundSuggestion "
        "cluster_values.difference.DifferenceTest cluster_values.steps.DoubleDippingWarning",
        "Means of clusters": "selective_mean_test selective.mean_test.SelectiveTest",
        "Partitions": "partition_agreement partition_stability partitions.agreement.PartitionAgreement "
        "partitions.stability.PartitionStability",
        "Classifiers": "corrected_t_test mcnemar_test auc_interval accuracy_interval binary_report "
        "intervals.Interval binary.BinaryReport",
        "Dependence": "hsic hsconic dependence.measures.DependenceResult",
    },
    "datasets": {
        "Tables": "load_table read_table dataset.Dataset",
        "Published sets": "load_dataset DATASETS load_medoids MedoidInstance "
        "raw_files.DataNotFoundError raw_files.data_home",
    },
}
"""What is documented in full, by package and subject: public names, and with their modules what stands there only."""


def documented() -> Iterator[tuple[str, str, str, Any]]:
    """Package, heading, name and object of everything in `GROUPS`."""
    for package, groups in GROUPS.items():
        for heading, entries in groups.items():
            for entry in entries.split():
                module, _, name = entry.rpartition(".")
                home = module if module.startswith("partitope.") else f"partitope.{package}.{module}".rstrip(".")
                yield package, heading, name, getattr(import_module(home), name)


def reference() -> list[tuple[str, str]]:
    """All pages of the reference but that of the command line."""
    pages: dict[str, list[str]] = {}
    made, last = [], ""
    for package, heading, name, thing in documented():
        page = pages.setdefault(
            package, [f"# partitope.{package}", inspect.getdoc(import_module(f"partitope.{package}")) or ""]
        )
        if heading != last:
            page.append(f"## {heading}\n\n| name | what it is |\n|---|---|")
        last = heading
        if inspect.isclass(thing) or inspect.isfunction(thing):
            page[-1] += f"\n| [{name}]({package}/{name}.md) | {summary(thing)} |"
            made.append((f"reference/{package}/{name}.md", page_of(package, heading, name, thing)))
        else:
            page[-1] += f"\n| `{name}` | {summary(thing)} |"
    return made + [(f"reference/{package}.md", "\n\n".join(page) + "\n") for package, page in pages.items()]


def summary(thing: Any) -> str:
    """The first sentence about a thing, fit for a cell of a table."""
    text = " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split())
    return text.replace("|", "\\|")


def page_of(package: str, heading: str, name: str, thing: Any) -> str:
    """The page of one class or function; a name that several packages have stands on the page of its home."""
    anchor = heading.lower().replace(",", "").replace(" ", "-")
    path = f"[partitope.{package}](../{package}.md) › [{heading}](../{package}.md#{anchor})"
    home = thing.__module__.split(".")[1]
    if home != package and home in GROUPS:
        return f"{path}\n\n# {name}\n\nIt stands with [partitope.{home}](../{home}/{name}.md).\n"
    bases = [base.__module__ for base in getattr(thing, "__bases__", ())]
    inherited = "      inherited_members: true\n" if any(b.startswith("partitope.models.") for b in bases) else ""
    public = name in import_module(f"partitope.{package}").__all__
    source = f"partitope.{package}" if public else thing.__module__
    imported = f"    from {source} import {name}"
    head = f"{path}\n\n{imported}\n\n::: {thing.__module__}.{thing.__qualname__}\n"
    return f"{head}    options:\n      heading_level: 1\n{inherited}"
