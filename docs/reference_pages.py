"""The reference: a page for each package, by subject; the class that a function returns follows it."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from types import FunctionType
from typing import Any

GROUPS: dict[str, dict[str, str]] = {
    "cluster": {
        "Clustering": "BalancedKMeans",
        "How many clusters": "suggest_clusters suggest.ClusterSuggestion",
    },
    "models": {
        "The feasible set": "PartitionPolytope Links Constraint Formulation",
        "The program": "AssignmentModel LinearScores WholeAssignmentMIP MedoidLocationMIP "
        "programs.instances.read_instance",
        "Any program": "Program Block MarginProgram NormMaximisation programs.program.read_program",
        "Proofs": "check_assignment certificates.certificate.Certificate objectives.proof.Proof objectives.bound.Bound "
        "ExchangeGraph certificates.exchange.ExchangeCycle",
        "Geometry": "PowerDiagram ClusterSumPolytope sum_of_squares",
        "Relaxations": "LeastSquaresSDP",
        "Errors": "PartitopeError InfeasibleBoundsError partitope.base.errors.InvalidInputError "
        "partitope.base.errors.CapabilityError partitope.base.errors.MissingDependencyError",
    },
    "solvers": {
        "What a strategy is and returns": "Partitioner Partition STRATEGIES",
        "Partitions by exact steps": "GeometricPartitioner AnisotropicPartitioner MedoidPartitioner CAC PKM "
        "ClusterwiseRegression KCC KCSSL",
        "Connected territories": "ConnectedPartitioner",
        "Groups that are alike": "AlikePartitioner",
        "Groups for privacy": "Microaggregation",
        "One assignment": "solve solution.AssignmentSolution read_back",
        "What bounds cost": "bounds_path assignment.bounds_path.BoundsPath "
        "bounds_plane assignment.bounds_plane.BoundsPlane "
        "assignment.named_bounds_path.NamedBoundsPath sensitivity assignment.sensitivity.Sensitivity evenest",
        "The global optimum": "solve_global is_separable",
        "Backends": "BACKENDS Backend",
    },
    "classifiers": {
        "Cells that vote": "ClusteringClassifier",
        "Local models": "LocalModelClassifier LocalModelSearch",
        "Tables": "TableCleaner ConditionalMeanEncoder LeastSquaresWeighting",
        "Supervised intervals and groups": "LogLikelihoodEncoder SelectiveNaiveBayes",
        "Clusters and bounds": "cluster_profiles profiles.profiles.ClusterProfiles",
        "Networks": "DeepCAC",
    },
    "stats": {
        "Values of clusters": "cluster_value_test cluster_values.test.ClusterValueTest power_analysis "
        "cluster_values.power.PowerAnalysis suggest_bounds cluster_values.precision.BoundSuggestion "
        "value_difference_test cluster_values.difference.DifferenceTest",
        "Means of clusters": "selective_mean_test selective.mean_test.SelectiveTest class_separation",
        "Partitions": "partition_stability stability.PartitionStability",
        "Classifiers": "corrected_t_test mcnemar_test auc_interval accuracy_interval intervals.Interval binary_report "
        "binary.BinaryReport",
        "Dependence": "hsic dependence.measures.DependenceResult",
    },
    "datasets": {
        "Tables": "load_table read_table dataset.Dataset",
        "Published sets": "load_dataset DATASETS",
    },
}
"""What is documented in full, by package and subject: public names, and what only their modules export."""

SEARCH = "---\nsearch:\n  boost: 0.5\n---\n\n"
"""Ahead of every page: who asks in words wants a page that explains."""


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
    last = ""
    for package, heading, name, thing in documented():
        page = pages.setdefault(
            package, [SEARCH + f"# partitope.{package}", inspect.getdoc(import_module(f"partitope.{package}")) or ""]
        )
        if heading != last:
            page.append(f"## {heading}")
        last = heading
        page.append(entry(package, name, thing))
    return [(f"reference/{package}.md", "\n\n".join(page) + "\n") for package, page in pages.items()]


def entry(package: str, name: str, thing: Any) -> str:
    """The entry of one name on a package's page; a name of several packages is documented at its home."""
    if not (inspect.isclass(thing) or inspect.isfunction(thing)):
        return f"### `{name}`\n\n" + " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split())
    home = thing.__module__.split(".")[1]
    if home != package and home in GROUPS:
        return f"### {name}\n\nDocumented with [partitope.{home}]({home}.md)."
    options = ["heading_level: 3"]
    if any(base.__module__.startswith("partitope.models.") for base in getattr(thing, "__bases__", ())):
        options.append("inherited_members: true")
    if inspect.isclass(thing):
        options.append(f"members: {json.dumps(shown(thing))}")
    return f"::: {thing.__module__}.{thing.__qualname__}\n    options:\n      " + "\n      ".join(options)


def shown(thing: type) -> list[str]:
    """Public methods and properties of a class that are documented, without those that every estimator has."""
    from sklearn.base import BaseEstimator

    kinds = FunctionType, classmethod, staticmethod, property, cached_property
    names = [name for name, _ in inspect.getmembers_static(thing, lambda member: isinstance(member, kinds))]
    own = [base for base in thing.__mro__ if base.__module__.startswith("partitope.")]
    names = [name for name in vars_in_order(own, names) if not name.startswith("_")]
    names = [name for name in names if inspect.getdoc(getattr(thing, name))]
    if not issubclass(thing, BaseEstimator):
        return names
    above = {name for base in own[1:] for name in vars(base)}
    return [name for name in names if name in vars(thing) and name not in above]


def vars_in_order(bases: list[type], names: list[str]) -> list[str]:
    """Those of the names that these classes define, in the order of their source."""
    return list(dict.fromkeys(name for base in bases for name in vars(base) if name in names))
