"""The map of a report: every point says what it is told to, and a page shows it without a script or an image."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from partitope.classifiers import TableCleaner
from partitope.cluster.further import Further
from partitope.cluster.table_encoder import TableEncoder
from partitope.commands.cluster.figures import before_and_after_figure, map_figure
from partitope.commands.cluster.report import cluster_report
from partitope.commands.cluster.run import Columns, Task, best_clusters
from partitope.models import AssignmentModel, PartitionPolytope
from partitope.output.html_pages import as_html
from partitope.output.maps import Ground, draw_map
from partitope.output.report import Picture, Report, Section, Table
from partitope.solvers import solve


@pytest.mark.parametrize("n", [1, 2, 40, 7000])
def test_points_and_territories_say_their_words(n):
    points = np.random.default_rng(n).normal(size=(n, 2))
    labels = np.arange(n) % 2
    drawn = draw_map(Ground.of(points, "xy", False), labels, [f"<{j}>" for j in range(n)], ["0: a", "1: b"])
    shown = len(range(0, n, -(-n // 3000)))
    assert drawn.count("<circle") == shown
    assert (drawn.count('Z" fill'), drawn.count("<title>&lt;0&gt;</title>")) == (shown, 2)
    numbers = re.findall(r"<text[^>]*>(\d+)</text>", drawn)
    assert numbers == ["0", "1"][: len(set(labels))]


def test_a_page_holds_the_map_itself_and_tables_drop_what_never_changes():
    one = Ground.of(np.zeros((5, 2)), "xy", False)
    assert draw_map(one, np.zeros(5, dtype=int), ["a"] * 5, ["0"]).count("<circle") == 1
    drawn = draw_map(Ground.of(np.eye(2), "xy", False), np.arange(2), ["a", "b"], ["0", "1"])
    table = Table("T", ["cluster", "size", "price"], [[0, 5, 0.0], [1, 6, 0.0]]).without_constants()
    page = as_html(Report("R", "", (), (Section("S", pictures=(Picture(lambda: drawn, "M"),), tables=(table,)),)))
    assert drawn in page
    assert "<img" not in page
    assert table.columns == ["cluster", "size"]
    assert "The same in every row: price 0." in page


@pytest.mark.parametrize("bounds", [(8, 12), (1, 28)])
@pytest.mark.parametrize("further", [Further(), Further(balanced={"demand": 0.1})])
def test_what_moving_a_row_adds_is_at_most_what_it_adds_in_the_best_assignment_with_it(bounds, further):
    rng = np.random.default_rng(5)
    table = pd.DataFrame(rng.normal(size=(30, 2)), columns=["x_km", "y_km"])
    demand = pd.DataFrame({"demand": rng.gamma(2.0, 5.0, 30)})
    polytope = PartitionPolytope(30, *bounds, n_clusters=3)
    columns = Columns(table, demand, further, TableCleaner(), TableEncoder(), ())
    result = best_clusters(Task("T", columns, polytope, None, starts=2, seed=0, whole=True, prove=0.0, sized=True))
    drawn = re.sub(r" \(nearest centre: \d\)", "", map_figure(result))
    told = re.findall(r"row (\d+): cluster \d; moving it to (\d) adds at least (\S+) to", drawn)
    assert len(told) > 30  # in the circles and in the territories
    model = AssignmentModel.lsa(result.points, result.model.centres, result.polytope)
    now = model.cost(result.labels)
    for row, cluster, least in told[:12]:
        fixed = AssignmentModel.lsa(
            result.points, result.model.centres, result.polytope.fix([int(row)], [int(cluster)])
        )
        assert float(least) <= (solve(fixed).cost - now) * 1.005 + 1e-9


def test_rows_that_bounds_keep_from_their_nearest_centre_are_listed_and_ringed_in_its_colour():
    table = pd.DataFrame({"x_km": [0.0, 0.1, 0.2, 0.3, 9.0, 9.1], "y_km": [0.0, 0.1, 0.0, 0.1, 0.0, 0.1]})
    columns = Columns(table, pd.DataFrame(index=table.index), Further(), TableCleaner(), TableEncoder(), ())
    task = Task("T", columns, PartitionPolytope(6, 3, 3, n_clusters=2), None, 2, 0, whole=True, prove=0.0, sized=True)
    result = best_clusters(task)
    assert result.displaced[0] == [3]
    assert result.displaced[1] != result.labels[3]
    lines = " ".join(cluster_report(result).findings)
    assert "The requirements keep 1 row (row 3) out of the cluster of the nearest centre." in lines
    assert map_figure(result).count("stroke-width:2.5") == 1
    told = re.findall(r"<p>(.*?)</p>", before_and_after_figure(result))
    assert told == [
        "Before, each row at its nearest centre: rows 2 to 4 per cluster.",
        "After, within the bounds: rows 3 to 3 per cluster.",
    ]
    assert (result.unit, replace(result, given_unit="m").unit) == ("km", "m")
