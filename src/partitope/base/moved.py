"""Addresses that modules had in version 0.1: importing one gives the module at its new place, with a warning.

The rooms of the house were flat files before. Code and model files written then name modules such as
``partitope.models.errors``; they keep working until version 0.3. `moved` does the same for a method or a function.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

MOVED = {
    "bounds_figures": "bounds.figures",
    "bounds_report": "bounds.page",
    "bounds_study": "bounds.study",
    "bounds_study_text": "bounds.text",
    "bounds_text": "base.sizes",
    "classifiers.bounds_search": "classifiers.search.bounds",
    "classifiers.cac_search": "classifiers.search.cac",
    "classifiers.columns": "classifiers.encoders.column_table",
    "classifiers.deep": "classifiers.deep.classifiers",
    "classifiers.encoding": "classifiers.encoders.conditional_mean",
    "classifiers.kmeans_baseline": "classifiers.k_means_majority",
    "classifiers.modl": "classifiers.encoders.modl",
    "classifiers.naive_bayes": "classifiers.naive_bayes.classifier",
    "classifiers.profiles": "classifiers.profiles.profiles",
    "classifiers.weighting": "classifiers.encoders.weighting",
    "commands.terminal": "output.terminal",
    "commands.value_test": "commands.test",
    "compare": "compare.run",
    "compare_methods": "compare.methods",
    "compare_result": "compare.result",
    "compare_run": "compare.method",
    "compare_text": "compare.text",
    "datasets_columns": "datasets.column_names",
    "datasets_entries": "datasets.entries",
    "datasets_files": "datasets.raw_files",
    "datasets_gct": "datasets.gct",
    "datasets_result": "datasets.dataset",
    "datasets_table": "datasets.tables",
    "datasets_waveform": "datasets.waveform",
    "export": "workflows.export",
    "files": "output.files",
    "fitting": "workflows.fit",
    "model_files": "workflows.model_files",
    "models.cluster_sums_plot": "models.plots.cluster_sums",
    "models.deadline": "base.deadline",
    "models.errors": "base.errors",
    "models.exact": "models.exact_certificate",
    "models.exports": "models.formats.modelling",
    "models.instance_files": "models.formats.files",
    "models.labels": "base.checks",
    "models.plotting": "models.plots.cells",
    "models.plotting_lifted": "models.plots.lifted",
    "models.plotting_polytope": "models.plots.polytope",
    "models.status": "base.status",
    "models.tables": "base.registry",
    "pages": "output.pages",
    "report": "compare.page",
    "reproduce.cells": "base.cache",
    "reproduce.verdict": "reproduce.rows",
    "report_figures": "compare.figures",
    "report_profiles": "compare.profiles",
    "solvers.backends.base": "solvers.backend",
    "solvers.backends.transport": "solvers.transport.backend",
    "solvers.bound_prices": "solvers.assignment.sensitivity",
    "solvers.cac": "solvers.cac.partitioner",
    "solvers.direction_search": "solvers.global_optimum.cones",
    "solvers.geometric": "solvers.geometric.partitioner",
    "solvers.global_search": "solvers.global_optimum.search",
    "solvers.imported": "solvers.assignment.external",
    "solvers.iteration_strip": "solvers.geometric.plots",
    "solvers.kcc": "solvers.conditional.kcc",
    "solvers.kcssl": "solvers.conditional.kcssl",
    "solvers.kmeans_path": "solvers.geometric.recorded",
    "solvers.linked": "solvers.assignment.linked",
    "solvers.linked_partitioner": "solvers.geometric.linked_partitioner",
    "solvers.parametric": "solvers.assignment.bounds_path",
    "solvers.pkm": "solvers.predictive.pkm",
    "solvers.redescription": "solvers.predictive.log_likelihoods",
    "solvers.relatives": "solvers.alternatives.kernel_k_means",
    "solvers.relatives_adft": "solvers.alternatives.adft",
    "solvers.relatives_coala": "solvers.alternatives.coala",
    "solvers.relatives_factorization": "solvers.alternatives.mnmf",
    "solvers.relatives_information": "solvers.alternatives.ccib",
    "solvers.relatives_kdac": "solvers.alternatives.kdac",
    "solvers.relatives_links": "solvers.alternatives.random_links",
    "solvers.relatives_reggb": "solvers.alternatives.reggb",
    "solvers.relatives_rpca": "solvers.alternatives.rpca",
    "solvers.relatives_semisupervised": "solvers.alternatives.semi_supervised",
    "solvers.rounding": "solvers.assignment.rounding",
    "solvers.selective_study": "solvers.geometric.selective_simulation",
    "solvers.stiefel": "solvers.conditional.stiefel",
    "solvers.table_columns": "base.columns",
    "stats.agreement": "stats.partitions.agreement",
    "stats.association": "stats.partitions.association",
    "stats.bound_suggestion": "stats.cluster_values.precision",
    "stats.checks": "base.checks",
    "stats.classifier_tests": "stats.comparison.two_classifiers",
    "stats.comparing_distance": "stats.cluster_values.limits",
    "stats.cross_validation": "stats.comparison.cross_validation",
    "stats.dependence": "stats.dependence.measures",
    "stats.difference": "stats.cluster_values.difference",
    "stats.kernels": "stats.dependence.kernels",
    "stats.modl": "stats.modl.parts",
    "stats.power": "stats.cluster_values.power",
    "stats.roc_area": "stats.comparison.roc_area",
    "stats.selective": "stats.selective.mean_test",
    "stats.separation": "stats.partitions.separation",
    "stats.separation_plot": "stats.partitions.separation_plot",
    "stats.stability": "stats.partitions.stability",
    "stats.value_test": "stats.cluster_values.test",
    "stats.value_test_study": "stats.cluster_values.simulation",
    "testing": "testing.instances",
    "value_test": "workflows.value_test",
}
"""Old address -> new address, both below ``partitope``. Where the old one is a folder now, it offers the same names."""


class OldAddresses(MetaPathFinder, Loader):
    """Finds modules at their old addresses; a finder of last resort, so that nothing present is ever replaced."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module of an old address, or None for any other name."""
        known = name.startswith("partitope.") and name.removeprefix("partitope.") in MOVED
        return ModuleSpec(name, self) if known else None

    def exec_module(self, module: ModuleType) -> None:
        """Put the module of the new address in the place of the empty one."""
        new = f"partitope.{MOVED[module.__name__.removeprefix('partitope.')]}"
        warnings.warn(f"{module.__name__} has moved: import {new}", DeprecationWarning, stacklevel=2)
        sys.modules[module.__name__] = import_module(new)


def old_names(path: str) -> set[str]:
    """Full names that an object had: ``partitope.solvers.kcc.KCC`` for ``partitope.solvers.conditional.kcc.KCC``."""
    module, _, name = path.removeprefix("partitope.").rpartition(".")
    return {f"partitope.{old}.{name}" for old, new in MOVED.items() if new == module}


def moved(address: str) -> Callable[..., Any]:
    """A former method or function: it warns, and forwards to ``module:function`` below ``partitope``.

    What was a method of a model is a function of a solver now, whose first argument is the model. `models` lies below
    `solvers`, so the function is looked up by its address, when it is called.
    """
    module, _, function = address.partition(":")

    def forward(*arguments: Any, **options: Any) -> Any:
        warnings.warn(f"this has moved: call partitope.{module}.{function}", DeprecationWarning, stacklevel=2)
        return getattr(import_module(f"partitope.{module}"), function)(*arguments, **options)

    forward.__module__, forward.__name__, forward.__qualname__ = f"partitope.{module}", function, function
    forward.__doc__ = f"Deprecated until version 0.3: `partitope.{module}.{function}` does this."
    return forward


def former_names(module: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """A module's ``__getattr__`` for names that live in other modules below ``partitope`` now, name -> module."""

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        warnings.warn(f"{module}.{name} has moved: import partitope.{homes[name]}", DeprecationWarning, stacklevel=2)
        return getattr(import_module(f"partitope.{homes[name]}"), name)

    return get
