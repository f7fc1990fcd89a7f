"""The reference: a page for every public name, and for each package a page that lists them by subject."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Any

GROUPS: dict[str, dict[str, str]] = {
    "cluster": {
        "Clustering": "BalancedKMeans",
        "How many clusters": "suggest_clusters ClusterSuggestion",
        "Tables": "TableEncoder ClusterModel",
    },
    "models": {
        "The feasible set and the program": "PartitionPolytope AssignmentModel DenseScores LinearScores "
        "QuadraticScores PriceProgram MarginProgram Links LinkedAssignmentMIP read_instance",
        "Proofs": "Proof Certificate check_assignment check_exactly optimal_exactly Bound ExchangeGraph ExchangeCycle "
        "Move Status",
        "Geometry": "PowerDiagram ClusterSumPolytope Separation ShareMove sum_of_squares",
        "Relaxations": "LeastSquaresSDP",
        "Pictures": "plot_power_diagram plot_lifted plot_polytope cell_polygons Plane principal_plane",
        "Errors": "PartitopeError InvalidInputError InfeasibleBoundsError ContradictoryLinksError CapabilityError "
        "MissingDependencyError NotOptimalError",
    },
    "solvers": {
        "Partitions by exact steps": "GeometricPartitioner AnisotropicPartitioner LinkedPartitioner CAC PKM KCC KCSSL",
        "What a strategy returns and is": "Partition Partitioner Needs STRATEGIES register_strategy",
        "One assignment": "solve AssignmentSolution solve_linked LinkedSolution solve_linear LinearAnswer partition_of "
        "solution_from_labels read_solution",
        "Backends": "BACKENDS Backend Capabilities register_backend",
        "What bounds cost": "bounds_path BoundsPath named_bounds_path NamedBoundsPath sensitivity Sensitivity "
        "price_intervals optimal_prices largest_margin_prices",
        "The global optimum": "solve_global sdp_bound sdp_relaxation is_separable",
        "Without bounds, for comparison": "KMeansReference",
        "Steps and pictures": "k_means_path KMeansPath plot_iterations plot_interval",
    },
    "classifiers": {
        "Cells that vote": "ClusteringClassifier ClusterValues PKMClassifier",
        "Local models": "LocalModelClassifier LocalModelSearch CACSearchCV PooledLogisticRegression LinearBasis",
        "Tables": "TableCleaner ConditionalMeanEncoder LogLikelihoodEncoder LeastSquaresWeighting",
        "Supervised intervals and groups": "MODLDiscretizer MODLGrouper SelectiveNaiveBayes",
        "Clusters and bounds": "cluster_profiles ClusterProfiles search_bounds BoundsSearch balance_curve BalanceCurve "
        "common_lower_bounds",
        "Networks": "DMNN DeepCAC FNN",
    },
    "stats": {
        "Values of clusters": "cluster_value_test cluster_value_test_counts ClusterValueTest comparing_distance_limits "
        "power_analysis PowerAnalysis suggest_bounds BoundSuggestion value_half_width value_difference_test "
        "DifferenceTest DoubleDippingWarning",
        "Means of clusters": "selective_mean_test SelectiveTest",
        "Partitions": "partition_agreement PartitionAgreement cluster_jaccard partition_association_test "
        "AssociationTest partition_stability PartitionStability prediction_strength PredictionStrength "
        "class_separation ClassSeparation separation_bounds SeparationBounds plot_separation",
        "Classifiers": "repeated_cross_validation CrossValidation corrected_t_test mcnemar_test delong_test "
        "ClassifierTest auc_interval AreaInterval accuracy_interval ShareInterval binary_report BinaryReport",
        "Dependence": "hsic hsconic DependenceResult",
    },
    "datasets": {
        "Tables": "load_table read_table Dataset",
        "Published sets": "load_census load_german load_breast_cancer data_home DataNotFoundError",
    },
}
"""Public names by package and subject; a test compares them with the packages."""


def reference() -> list[tuple[str, str]]:
    """All pages of the reference but that of the command line."""
    made = []
    for package, groups in GROUPS.items():
        module = import_module(f"partitope.{package}")
        page = [f"# partitope.{package}", inspect.getdoc(module) or ""]
        for heading, names in groups.items():
            page.append(f"## {heading}")
            rows = ["| name | what it is |", "|---|---|"]
            for name in names.split():
                thing = getattr(module, name)
                if not (inspect.isclass(thing) or inspect.isfunction(thing)):
                    rows.append(f"| `{name}` | {summary(thing)} |")
                    continue
                rows.append(f"| [{name}]({package}/{name}.md) | {summary(thing)} |")
                made.append((f"reference/{package}/{name}.md", page_of(package, heading, name, thing)))
            page.append("\n".join(rows))
        made.append((f"reference/{package}.md", "\n\n".join(page) + "\n"))
    return made


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
    return f"{path}\n\n::: {thing.__module__}.{thing.__qualname__}\n    options:\n      heading_level: 1\n{inherited}"
