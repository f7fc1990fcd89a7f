"""What results show of themselves by hand: one line, a card in a notebook, a picture without the points."""

from __future__ import annotations

import pickle
from dataclasses import replace
from html import escape

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from partitope import AssignmentModel, GeometricPartitioner, PartitionPolytope, solve, stats
from partitope.base.errors import InvalidInputError
from partitope.solvers import sensitivity

RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(RNG.normal(size=(90, 2)), columns=["lon", "lat"])
WIDE = pd.DataFrame(RNG.normal(size=(90, 5)))
POLYTOPE = PartitionPolytope(90, 20, 40, n_clusters=3)
MODEL = AssignmentModel.lsa(TABLE.to_numpy(), TABLE.to_numpy()[:3], POLYTOPE)
RESULTS = {
    "partition": lambda: GeometricPartitioner(3, balance=0.1, random_state=0).fit(TABLE).partition_,
    "bare": lambda: replace(RESULTS["partition"](), sample=None),
    "model": lambda: MODEL,
    "solution": lambda: solve(MODEL),
    "whole": lambda: solve(AssignmentModel(POLYTOPE.whole(), MODEL.score_source, "lsa", MODEL.sites)),
    "diagram": lambda: GeometricPartitioner(3, random_state=0).fit(TABLE).partition_.power_diagram,
    "program": lambda: MODEL.program,
    "sensitivity": lambda: sensitivity(solve(MODEL)),
    "value test": lambda: stats.hsic(WIDE.to_numpy(), TABLE.to_numpy()),
    "interval": lambda: stats.accuracy_interval(80, 90),
}


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_is_one_line(name):
    text = repr(RESULTS[name]())
    assert text.isprintable()
    assert len(text.replace("array(", "." * 400)) < 400


@pytest.mark.parametrize(("result", "bounds", "has_map"), [("partition", True, True), ("solution", True, True),
                                                           ("bare", False, False)])  # fmt: skip
def test_a_card_has_sizes_bounds_what_is_proved_and_a_map(result, bounds, has_map):
    found = RESULTS[result]()
    card = found._repr_html_()
    assert ('<th scope="col">lower</th>' in card, "<svg" in card) == (bounds, has_map)
    assert escape(found.claim if result != "solution" else found.verify().claim) in card
    assert all(f"<td>{size}</td>" in card for size in np.bincount(found.labels))


@pytest.mark.parametrize(
    ("table", "names"), [(TABLE, ("lon", "lat")), (WIDE, ("1st principal axis", "2nd principal axis"))]
)
def test_a_partition_draws_itself_with_the_names_of_its_columns(table, names):
    model = GeometricPartitioner(3, random_state=0).fit(table)
    partition = pickle.loads(pickle.dumps(model)).partition_
    ax = partition.plot(ax=plt.figure().subplots())
    assert (ax.get_xlabel(), ax.get_ylabel()) == names
    assert sum(len(marks.get_offsets()) for marks in ax.collections) == 90
    plt.close("all")


def test_a_partition_without_points_says_what_to_do():
    with pytest.raises(InvalidInputError, match=r"pass them, plot\(X\)"):
        RESULTS["bare"]().plot()


def test_names_of_rows_and_columns_survive_an_assignment():
    costs = pd.DataFrame([[1.0, 4.0], [2.0, 1.0], [0.0, 3.0]], index=["Ada", "Bob", "Cleo"], columns=["bridge", "boat"])
    polytope = PartitionPolytope(3, 1, 2, n_clusters=2)
    found = solve(AssignmentModel.of_costs(polytope, costs)).named
    assert found.to_dict() == {"Ada": "bridge", "Bob": "boat", "Cleo": "bridge"}
    assert solve(AssignmentModel(polytope.whole(), -costs)).named.to_dict() == found.to_dict()
    assert solve(AssignmentModel.of_costs(polytope, costs.to_numpy())).named.tolist() == [0, 1, 0]
