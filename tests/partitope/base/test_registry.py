"""The tables: what stands in them, how third parties add to them, and what is refused."""

from __future__ import annotations

import inspect
import subprocess
import sys

import numpy as np
import pytest

from partitope import solvers
from partitope.base.errors import CapabilityError, InvalidInputError, MissingDependencyError
from partitope.base.registry import Registry
from partitope.solvers import BACKENDS, STRATEGIES, Partitioner
from partitope.solvers.backend import Backend
from partitope.solvers.geometric.k_means import KMeansReference
from partitope.testing.templates.backend import MilpBackend
from partitope.testing.templates.strategy import FarthestFirst


def _table(**entries: str) -> Registry:
    return Registry(
        "strategy",
        entries,
        base="partitope.solvers.partitioner:Partitioner",
        declaration="needs",
        group="no.such.group",
    )


@pytest.fixture
def tables():
    """The tables as they were, after the test."""
    before = [(t, dict(t.entries), dict(t._registered)) for t in (BACKENDS, STRATEGIES)]
    yield
    for table, entries, registered in before:
        table.entries, table._registered = entries, registered


def test_every_strategy_of_the_package_is_in_the_table_and_public():
    def below(cls):
        return {cls}.union(*map(below, cls.__subclasses__()))

    assert all(hasattr(solvers, name) for name in solvers.__all__)
    assert all(STRATEGIES[name] for name in STRATEGIES.own)

    def is_abstract(cls):
        return any(getattr(member, "__isabstractmethod__", False) for _, member in inspect.getmembers(cls))

    ours = {cls for cls in below(Partitioner) if cls.__module__.startswith("partitope.solvers.")}
    # tables have no graph, and groups that are alike have no cells: comparisons take neither
    ours -= {solvers.ConnectedPartitioner, solvers.AlikePartitioner}
    concrete = {cls for cls in ours if not is_abstract(cls)}
    assert {STRATEGIES[name] for name in STRATEGIES.own} == concrete
    assert len(concrete) == 9
    public = {c.__name__ for c in concrete} & set(solvers.__all__)
    assert {c.__name__ for c in concrete} - public == {"KMeansReference"}
    assert public <= set(dir(solvers))
    for name in STRATEGIES.own:
        assert STRATEGIES.name_of(STRATEGIES[name]) == name


def test_a_refusal_names_both_sides():
    X = np.eye(4)
    with pytest.raises(CapabilityError, match=r"strategy 'geometric' does not support covariates: .* use kcc, kcssl"):
        solvers.GeometricPartitioner(2).fit(X, covariates=[0, 1, 0, 1])
    with pytest.raises(
        CapabilityError, match=r"strategy 'pkm' does not support sample_weight: .* anisotropic, medoids$"
    ):
        solvers.PKM(2).fit(X, [0, 1, 0, 1], sample_weight=np.arange(4.0))
    with pytest.raises(
        CapabilityError, match=r"strategy 'k-means' does not support bounds: leave it out or use geometric"
    ):
        KMeansReference(2, lower=1).fit(X)


def test_registered_classes_are_found_and_may_be_replaced_by_themselves(tables):
    assert STRATEGIES.register("farthest-first")(FarthestFirst) is FarthestFirst
    STRATEGIES.register("farthest-first")(FarthestFirst)
    assert STRATEGIES["farthest-first"] is FarthestFirst
    assert list(STRATEGIES)[-1] == "farthest-first"
    with pytest.raises(InvalidInputError, match=r"strategy 'farthest-first' is .*FarthestFirst already: register"):
        STRATEGIES.register("farthest-first")(solvers.KCC)
    with pytest.raises(InvalidInputError, match=r"strategy 'kcc' is partitope\.solvers\.conditional\.kcc:KCC already"):
        STRATEGIES.register("kcc")(FarthestFirst)
    with pytest.raises(InvalidInputError, match="not a class derived from Backend"):
        BACKENDS.register("wrong")(FarthestFirst)
    with pytest.raises(InvalidInputError, match="has no capabilities: declare them"):
        BACKENDS.register("wrong", Backend)
    with pytest.raises(InvalidInputError, match="cls is None"):
        BACKENDS.register("wrong", None)


def test_a_registered_backend_serves_solve_and_strategies(tables):
    BACKENDS.register("milp")(MilpBackend)
    X = np.array([[0.0], [0.1], [5.0], [5.1], [5.2]])
    ours = solvers.GeometricPartitioner(2, lower=2, random_state=0).fit(X)
    theirs = solvers.GeometricPartitioner(2, lower=2, backend="milp", random_state=0).fit(X)
    assert theirs.partition_.objective == pytest.approx(ours.partition_.objective)
    assert theirs.partition_.proof == ours.partition_.proof


def test_what_cannot_be_loaded_is_said_in_one_line():
    table = _table(
        foreign="json:JSONDecoder", broken="no_such_package:Thing", good="partitope.solvers.conditional.kcc:KCC",
    )  # fmt: skip
    with pytest.raises(
        InvalidInputError, match="strategy 'foreign' is json:JSONDecoder, which is not a class derived from"
    ):
        table["foreign"]
    with pytest.raises(InvalidInputError, match="strategy='other' is not known: choose one of foreign, broken"):
        table["other"]
    with pytest.warns(RuntimeWarning, match="is left out") as caught:
        assert list(table.loaded()) == ["good"]
    assert len(caught) == 2
    with pytest.raises(MissingDependencyError, match="strategy 'broken' cannot be loaded from no_such_package:Thing"):
        table["broken"]


def test_importing_and_asking_for_our_own_names_reads_no_entry_points():
    code = (
        "import sys, partitope.solvers as s; s.STRATEGIES['geometric'], s.BACKENDS['transport'], s.KCC;"
        "print(s.STRATEGIES._entry_points_read, s.BACKENDS._entry_points_read)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "False"]
