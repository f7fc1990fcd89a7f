"""Addresses and names of version 0.1: importing one gives what stands in its new place, with a warning.

The rooms of the house were flat files before. Code and model files written then name modules such as
``partitope.models.errors`` and functions such as ``partitope.pages.fill_page``; they keep working until version 0.3.
`moved` does the same for one method or function.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from functools import reduce
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

MOVED = {
    "bench.report": "bench.text",
    "bounds_figures": "bounds.figures",
    "bounds_report": "bounds.page",
    "bounds_study": "bounds.study",
    "bounds_study_text": "bounds.text",
    "bounds_text": "base.sizes",
    "classifiers.balance_curve": "classifiers.search.balance_curve",
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
    "report_figures": "compare.figures",
    "report_profiles": "compare.profiles",
    "reproduce.beyond": "reproduce.studies.beyond",
    "reproduce.cac": "reproduce.studies.cac",
    "reproduce.cac_intervals": "reproduce.studies.cac_intervals",
    "reproduce.cac_learners": "reproduce.studies.cac_learners",
    "reproduce.cac_synthetic": "reproduce.studies.cac_synthetic",
    "reproduce.cac_tables": "reproduce.studies.cac_tables",
    "reproduce.cells": "base.cache",
    "reproduce.census": "reproduce.studies.census",
    "reproduce.census_sweep": "reproduce.studies.census_sweep",
    "reproduce.ec3": "reproduce.studies.ec3",
    "reproduce.german": "reproduce.studies.german",
    "reproduce.hypotheses": "reproduce.studies.hypotheses",
    "reproduce.kcc": "reproduce.studies.kcc",
    "reproduce.kcssl": "reproduce.studies.kcssl",
    "reproduce.markdown": "output.markdown",
    "reproduce.page": "reproduce.report.page",
    "reproduce.pictures": "reproduce.report.pictures",
    "reproduce.pictures_papers": "reproduce.report.pictures_papers",
    "reproduce.pkm": "reproduce.studies.pkm",
    "reproduce.pkm_rows": "reproduce.studies.pkm_rows",
    "reproduce.pkm_stand_ins": "reproduce.studies.pkm_stand_ins",
    "reproduce.places": "reproduce.printed.places",
    "reproduce.published": "reproduce.printed.dissertation",
    "reproduce.published_cac": "reproduce.printed.cac",
    "reproduce.published_kcc": "reproduce.printed.kcc",
    "reproduce.published_pkm": "reproduce.printed.pkm",
    "reproduce.published_tests": "reproduce.printed.tests",
    "reproduce.remarks": "reproduce.report.remarks",
    "reproduce.verdict": "reproduce.rows",
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


RENAMED: dict[str, tuple[str, ...]] = {
    "bench.report.bench_html": ("bench.text.bench_report", "output.pages.as_html"),
    "bench.report.record": ("bench.text.bench_report", "output.report.as_record"),
    "bounds_report.bounds_html": ("bounds.page.bounds_report", "output.pages.as_html"),
    "bounds_study_text.as_record": ("bounds.page.bounds_report", "output.report.as_record"),
    "bounds_study_text.show": ("bounds.page.bounds_report", "output.terminal.write_terminal"),
    "bounds_text.default_bounds": ("former.default_bounds",),
    "bounds_text.describe_bounds": ("former.describe_bounds",),
    "bounds_text.scale_bounds": ("former.scale_bounds",),
    "classifiers.profiles.count_parts": ("classifiers.profiles.profiles.count_parts",),
    "classifiers.profiles.part_terms": ("classifiers.profiles.profiles.part_terms",),
    "classifiers.profiles.part_words": ("classifiers.profiles.profiles.part_words",),
    "classifiers.profiles.shares": ("classifiers.profiles.profiles.shares",),
    "classifiers.state.diagram_from_dict": ("former.diagram_from_dict",),
    "classifiers.state.diagram_to_dict": ("former.diagram_to_dict",),
    "commands.terminal.show_frame": ("former.show_frame",),
    "compare_methods.sense_of": ("former.sense_of",),
    "compare_run.area_under_curve": ("stats.binary.mean_roc_area",),
    "compare_text.as_record": ("compare.page.comparison_report", "output.report.as_record"),
    "compare_text.show": ("compare.page.comparison_report", "output.terminal.write_terminal"),
    "datasets_table.read_table": ("datasets.table_files.read_table",),
    "explore.page.first_state": ("former.first_state",),
    "export.table_model": ("former.table_model",),
    "models.exports.Numbers": ("models.linear_program.ExplicitProgram",),
    "models.exports.highs_model": ("former.highs_model",),
    "models.exports.numbers_of": ("models.linear_program.ExplicitProgram.of",),
    "models.exports.row_names": ("former.row_names",),
    "models.least_squares_sdp.project_projectors": ("solvers.global_optimum.projectors.project_projectors",),
    "models.linear_program.LinearAnswer": ("solvers.linear_program.LinearAnswer",),
    "models.links.LinkedAssignmentMIP": ("models.linked_assignment.LinkedAssignmentMIP",),
    "models.power_diagram.shortest_potentials": ("models.potentials.shortest_potentials",),
    "models.tables.LazyTable": ("base.registry.Registry",),
    "report.comparison_html": ("compare.page.comparison_report", "output.pages.as_html"),
    "report_figures.svg_text": ("output.style.svg_text",),
    "reproduce.beyond.beyond_cell": ("reproduce.studies.beyond.beyond_job",),
    "reproduce.beyond.reproduce_beyond": ("reproduce.reproduce_beyond",),
    "reproduce.cac.cac_cell": ("reproduce.studies.cac.cac_job",),
    "reproduce.cac.cell_settings": ("reproduce.studies.cac.job_settings",),
    "reproduce.cac.reproduce_cac": ("reproduce.reproduce_cac",),
    "reproduce.cac_synthetic.reproduce_cac_synthetic": ("reproduce.reproduce_cac_synthetic",),
    "reproduce.cac_synthetic.synthetic_cell": ("reproduce.studies.cac_synthetic.synthetic_job",),
    "reproduce.cells.finished_cell": ("base.cache.finished_job",),
    "reproduce.cells.run_cells": ("reproduce.study.run_jobs",),
    "reproduce.census.reproduce_census": ("reproduce.reproduce_census",),
    "reproduce.german.reproduce_german": ("reproduce.reproduce_german",),
    "reproduce.hypotheses.hypotheses_cell": ("reproduce.studies.hypotheses.hypotheses_job",),
    "reproduce.hypotheses.reproduce_tests": ("reproduce.reproduce_tests",),
    "reproduce.kcc.kcc_cell": ("reproduce.studies.kcc.kcc_job",),
    "reproduce.kcc.reproduce_kcc": ("reproduce.reproduce_kcc",),
    "reproduce.kcssl.kcssl_cell": ("reproduce.studies.kcssl.kcssl_job",),
    "reproduce.kcssl.reproduce_kcssl": ("reproduce.reproduce_kcssl",),
    "reproduce.pkm.pkm_cell": ("reproduce.studies.pkm.pkm_job",),
    "reproduce.pkm.reproduce_pkm": ("reproduce.reproduce_pkm",),
    "reproduce.rows.as_frame": ("former.as_frame",),
    "reproduce.rows.find": ("reproduce.printed.find",),
    "reproduce.verdict.as_report": ("former.as_frame",),
    "solvers.global_optimum.search.divide_and_conquer_bound": (
        "solvers.global_optimum.parts.divide_and_conquer_bound",
    ),
    "solvers.global_optimum.search.mirror_parts": ("solvers.global_optimum.parts.mirror_parts",),
    "solvers.global_optimum.search.objective_value": ("models.objectives.objective_value",),
    "solvers.redescription.Redescription": ("solvers.predictive.log_likelihoods.LogLikelihoodEmbedding",),
    "solvers.rounding.Rounded": ("solvers.assignment.rounding.WholeAssignment",),
    "solvers.rounding.round_splits": ("solvers.assignment.rounding.round_fractional",),
    "stats.checks.binary": ("base.checks.zero_one",),
    "stats.checks.codes": ("base.checks.cluster_numbers",),
    "stats.checks.inside": ("base.checks.in_interval",),
    "stats.checks.numbers": ("base.checks.finite_numbers",),
    "stats.dependence.explained_projector": ("stats.dependence.measures.explained_projector",),
}
"""Old name -> what answers to it, as names below ``partitope``; several are applied one after another."""


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
        package, _, name = module.__name__.rpartition(".")
        if callable(vars(sys.modules[package]).get(name)):
            sys.modules[package].__class__ = _KeepsFunctions
        warnings.warn(f"{module.__name__} has moved: import {new}", DeprecationWarning, stacklevel=2)
        sys.modules[module.__name__] = import_module(new)
        if any(_new_home(name) == new for name in RENAMED):
            sys.modules[module.__name__].__getattr__ = former_names(new)  # type: ignore[method-assign]


class _KeepsFunctions(ModuleType):
    """A package with a function that is called as one of its modules was; Python would put the module in its place."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (isinstance(value, ModuleType) and callable(vars(self).get(name))):
            super().__setattr__(name, value)


def former_names(module: str) -> Callable[[str], Any]:
    """The ``__getattr__`` of a module: its names of before, from `RENAMED`.

    A module that kept its address says ``__getattr__ = former_names(__name__)``; the others get theirs when somebody
    imports their former address.
    """
    known = {old.rpartition(".")[2]: new for old, new in RENAMED.items() if _new_home(old) == module}

    def former_name(name: str) -> Any:
        if name not in known:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        new = [f"partitope.{path}" for path in known[name]]
        is_called = "has moved" if new[0].endswith(f".{name}") else f"is called {new[0].rpartition('.')[2]}"
        said = f"{is_called}: use {new[0]}" if len(new) == 1 else f"is gone: use {', then '.join(new)}"
        warnings.warn(f"{name} {said}", DeprecationWarning, stacklevel=2)
        first, *more = (_named(path) for path in new)
        return first if not more else lambda *args, **options: reduce(lambda x, f: f(x), more, first(*args, **options))

    return former_name


class FormerName:
    """An attribute of a class, and of its objects, that has another name now; reading it warns."""

    def __init__(self, new: str) -> None:
        self.new = new

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = f"{owner.__name__}.{name}"

    def __get__(self, thing: Any, owner: type) -> Any:
        warnings.warn(f"{self.name} is called {self.new}", DeprecationWarning, stacklevel=2)
        return getattr(owner, self.new, self) if thing is None else getattr(thing, self.new)


def _new_home(old: str) -> str:
    """Full address, today, of the module of an old name."""
    address = old.rpartition(".")[0]
    new = MOVED.get(address, address)
    return f"partitope.{address if new.startswith(f'{address}.') else new}"


def _named(path: str) -> Any:
    """The object of a dotted name: a module's, or a class's."""
    parts = path.split(".")
    for length in range(len(parts) - 1, 0, -1):
        try:
            return reduce(getattr, parts[length:], import_module(".".join(parts[:length])))
        except ModuleNotFoundError:
            continue
    raise AttributeError(f"{path} is not there")


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
