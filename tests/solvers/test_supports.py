"""The table of what solves what says the truth: everything in it is solved, everything else refused by name."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from partitope.base.errors import CapabilityError
from partitope.models import AssignmentModel, Constraint, Formulation, PartitionPolytope
from partitope.models.polytope.kinds import KINDS
from partitope.solvers import STRATEGIES, AlikePartitioner, ConnectedPartitioner, evenest, solve, solve_global
from partitope.solvers.backends import BACKENDS
from partitope.solvers.supports import page, rows

PAGE = page({name: cls.capabilities for name, cls in BACKENDS.loaded().items()})
N = 12
X = np.random.default_rng(0).normal(size=(N, 2))
Y = (X[:, 0] > 0).astype(int)
COSTS = np.linalg.norm(X[:, None] - X, axis=2)
RING = [[j, (j + 1) % N] for j in range(N)]


class FirstApart(Constraint):
    """The first and the last point are in different clusters."""

    def violation(self, labels, polytope):
        return "the ends are together" if labels[0] == labels[-1] else ""

    def rows(self, polytope):
        pairs = np.zeros((polytope.n_clusters, polytope.n_points, polytope.n_clusters))
        pairs[range(polytope.n_clusters), 0, range(polytope.n_clusters)] = 1
        pairs[range(polytope.n_clusters), -1, range(polytope.n_clusters)] = 1
        return Formulation(pairs.reshape(polytope.n_clusters, -1), upper=1)


PLAIN, WEIGHTED = PartitionPolytope(N, 3, 9, n_clusters=2), PartitionPolytope(N, 2, 12, np.ones(N) * 1.1, n_clusters=2)
STATED = {
    "weights": WEIGHTED,
    "masks": PLAIN.fix([0], [1]),
    "side constraints": PLAIN.share(Y, 0.1, 0.9, name="class"),
    "undivided points": WEIGHTED.whole(),
    "groups": PLAIN.together([[0, 1], [2, 3]]),
    "open clusters": PLAIN.optional(),
    "connected clusters": PLAIN.connected(RING),
    "constraints": PLAIN.subject_to(FirstApart()),
}


def answer(solver, polytope):
    """Labels that a solver of the table gives for a polytope; None where it takes the statement in another way."""
    if solver == "solve":
        return solve(AssignmentModel.lsa(X, X[:2], polytope)).labels
    if solver == "evenest":
        return evenest(polytope)[2]
    if solver == "solve_global":
        return solve_global(X, polytope, random_state=0).labels
    if solver == "medoids":
        return None
    if solver == "AlikePartitioner":
        return AlikePartitioner(2, criterion="variance", random_state=0).fit(X, polytope=polytope).labels_
    if solver == "ConnectedPartitioner":
        polytope = polytope if polytope.connection is not None else polytope.connected(RING)
        return ConnectedPartitioner(2, objective="squares", random_state=0).fit(X, polytope=polytope).labels_
    model = STRATEGIES[solver](2, random_state=0)
    return model.fit(X, Y, polytope=polytope).labels_


@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("row", list(rows()), ids=lambda row: row.solver)
def test_what_a_row_says_is_solved_or_refused(row, kind):
    polytope = STATED[kind]
    assert kind in polytope.kinds
    if set(polytope.kinds) <= row.kinds:
        labels = answer(row.solver, polytope)
        assert labels is None or polytope.contains(labels)
    elif row.solver != "medoids":  # which takes no polytope, but weights and numbers of clusters
        with pytest.raises(CapabilityError) as error:
            answer(row.solver, polytope)
        able = {other.solver for other in rows() if kind in other.kinds}
        assert able & set(str(error.value).replace(",", "").split()), error.value


def test_the_page_has_a_row_per_solver():
    text = PAGE
    assert all(f"`{row.solver}`" in text for row in rows())
    assert text.count("refused") > 20


@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("name", [*BACKENDS.own, "to_networkx"])
def test_what_the_page_says_of_backends_is_solved_or_refused(name, kind):
    line = next(line for line in PAGE.splitlines() if f'"{name}")' in line or f"`{name}()`" in line)
    model = AssignmentModel.lsa(X, X[:2], STATED[kind])
    run = model.to_networkx if name == "to_networkx" else partial(solve, model, name)
    if set(model.polytope.kinds) <= {k for k, cell in zip(KINDS, line.split("|")[2:]) if cell.strip() == "taken"}:
        assert run() is not None
    else:
        with pytest.raises(CapabilityError):
            run()


def test_few_modules_ask_for_a_kind_of_constraint_by_name():
    classes = "Mask|Rows|AttributeRows|SparseRows|GroupCounts|Openings|Connection|Together"
    kinds = "|".join(set(KINDS) - {"weights", "masks", "groups", "constraints"})  # words that mean other things, too
    asks = re.compile(
        rf"\.(openings|connection|linked)\b(?! import)|isinstance\([^)]*\b({classes})\b|"
        rf"\b({classes})(\(|\.(of|name)\b)|\"({kinds})\""
    )
    top = Path(__file__).resolve().parents[2]
    rooms = [top / room for room in ("models", "solvers", "stats", "src/partitope")]  # classifiers know no constraints
    modules = [path for room in rooms for path in room.rglob("*.py") if "models/polytope" not in path.as_posix()]
    assert len(asking := [path for path in modules if asks.search(path.read_text())]) <= 10, asking
