"""`partitope cluster` with statements: whole or divided rows, groups together and apart, closed clusters, even sums."""

from __future__ import annotations

import json
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from partitope.cli import run
from partitope.cluster.table_encoder import TableEncoder

N = 60


@pytest.fixture(autouse=True)
def _table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({
        "who": [f"c{j:02}" for j in range(N)], "x": 9.0 * rng.normal(size=N), "y": rng.normal(size=N),
        "sales": np.round(rng.lognormal(3.0, 0.6, N)), "family": np.where(np.arange(N) < 8, "a", None),
        "rival": np.where(np.arange(N) % 20 == 0, "r", ""), "lat": rng.uniform(60, 70, N),
        "lon": (rng.uniform(170, 190, N) + 180) % 360 - 180,
    })  # fmt: skip
    frame.to_csv("t.csv", index=False)


def clustered(capsys, words: str, others: str = "sales family rival lat lon") -> tuple[dict, pd.DataFrame]:
    """Record and labels of a run, where the columns ``others`` that no word names are dropped."""
    dropped = [f"--drop={name}" for name in others.split() if name not in words]
    starts = ["--starts", "2"] if others else []
    assert run(["cluster", "t.csv", "-k", "3", *starts, "-o", "l.csv", "--json", *dropped, *words.split()]) == 0
    return json.loads(capsys.readouterr().out), pd.read_csv("l.csv")


def test_sums_are_within_their_bounds_in_whole_rows_and_the_gap_is_told(capsys):
    found, labels = clustered(capsys, "--balance-column sales=3%")
    sums = labels.merge(pd.read_csv("t.csv"))[["cluster", "sales"]].groupby("cluster").sum()["sales"]
    assert (np.abs(sums / sums.mean() - 1) <= 0.03 + 1e-12).all()
    assert (found["broken"], found["splits"], found["proof"]) == ([], [], "step")
    assert 0 <= found["gap"] <= 0.05 * found["inertia"]
    assert "no other assignment" in found["claim"]
    assert "shares" not in labels


@pytest.mark.parametrize("words, rows", [("", [1, 60]), ("--lower 5", [5, 60]), ("--balance 10%", [18, 22])])
def test_sums_of_a_column_leave_the_numbers_of_rows_free_unless_said(capsys, words, rows):
    frame = pd.read_csv("t.csv")
    frame["sales"] = np.where(np.arange(N) < 20, 40, 1)  # a third of the rows has nearly everything
    frame.sort_values("sales").to_csv("t.csv", index=False)
    found, _ = clustered(capsys, f"--balance-column sales=20% {words}")
    assert [found["lower"], found["upper"]] == [[end] * 3 for end in rows]


def test_divided_rows_are_listed_with_their_shares(capsys):
    found, labels = clustered(capsys, "--balance-column sales=0% --divided")
    divided = labels[labels["shares"].notna()]
    assert 1 <= len(divided) == len({row for row, _, _ in found["splits"]}) <= 5
    for _, row in divided.iterrows():
        parts = {int(i): float(s) for i, s in (part.split(": ") for part in row["shares"].split(", "))}
        assert sum(parts.values()) == pytest.approx(1.0, abs=1e-3)
        assert max(parts, key=parts.__getitem__) == row["cluster"]
    sums = [row["value"] for row in found["further"]]
    np.testing.assert_allclose(sums, np.mean(sums))
    assert found["broken"] == []


def test_groups_together_and_apart_and_names_in_the_whole_table(capsys):
    _, labels = clustered(capsys, "--together family --apart rival --keep-all")
    before = pd.read_csv("t.csv")
    pd.testing.assert_frame_equal(labels.drop(columns="cluster"), before)
    assert labels["cluster"][before["family"].notna()].nunique() == 1
    assert labels["cluster"][before["rival"] == "r"].nunique() == 3


def test_clusters_are_within_their_bounds_or_empty(capsys):
    found, labels = clustered(capsys, "--optional --lower 25 --report r.html")
    assert sorted(labels["cluster"].value_counts()) == [25, 35] or labels["cluster"].nunique() <= 2
    assert found["broken"] == []
    assert len(found["centres"]) == 3
    assert (
        run(["cluster", "t.csv", "-k", "3", "--optional", "--lower", "25", "--starts", "1", "--report", "r.html"]) == 0
    )
    assert "2 of 3 clusters are open" in capsys.readouterr().out


def test_further_bounds_keep_clusters_optional(capsys):
    _, labels = clustered(capsys, "--optional --lower 25 --balance-column sales=60%")  # three of 25 are too many rows
    assert labels["cluster"].nunique() <= 2
    assert labels["cluster"].value_counts().min() >= 25


def test_sums_are_as_even_as_whole_rows_allow(capsys):
    found, labels = clustered(capsys, "--most-even sales")
    sums = np.bincount(labels["cluster"], pd.read_csv("t.csv")["sales"])
    assert np.ptp(sums) <= 1.0
    assert np.abs(sums - sums.mean()).max() == pytest.approx(found["evenness"]["upper"])
    assert any("from even" in line for line in found["findings"])


def test_places_are_on_the_sphere_over_the_date_line(capsys):
    found, labels = clustered(capsys, "--geo lat,lon --balance 0 --report r.html", "sales family rival x y")
    assert found["scale"] == "none"
    lon = pd.read_csv("t.csv")["lon"] % 360
    spans = lon.groupby(labels["cluster"]).agg(np.ptp)
    assert (spans < 15).all()
    assert all(-180 <= centre["lon"] <= 180 and 60 <= centre["lat"] <= 70 for centre in found["centres"])
    assert "in kilometres" in Path("r.html").read_text()


def test_a_map_is_not_scaled_and_other_columns_are():
    frame = pd.DataFrame({"x": [0.0, 4.0, 8.0], "y": [1.0, 2.0, 4.0], "age": [1.0, 2.0, 4.0]})
    moved = frame - frame.mean()
    alone = TableEncoder().fit(frame[["x", "y"]])
    np.testing.assert_allclose(alone.transform(frame[["x", "y"]]), moved[["x", "y"]])
    assert alone.scale_ == "none"
    assert any("not scaled" in line for line in alone.remarks())
    assert TableEncoder().fit(frame).scale_ == "standard"
    np.testing.assert_allclose(TableEncoder("none").fit_transform(frame), moved)
    np.testing.assert_allclose(TableEncoder("columns").fit_transform(frame).std(axis=0), 1.0)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--optional", "--optional has no bounds to leave open: give --lower or --upper, too"),
        ("--optional --lower 20 --most-even sales", "--optional does not go with --most-even"),
        ("--divided --together family", "--divided does not go with --together"),
        ("--apart sales=3", "t.csv has no column 'sales=3'"),
        ("--keep-all", "--keep-all says what --output holds"),
        ("--geo lat", "--geo lat does not name two columns: write LAT,LON"),
        ("--geo lon,lon", "expected two columns of numbers"),
    ],
)
def test_what_does_not_go_together_is_one_line(capsys, tmp_path, words, message):
    assert run(["cluster", "t.csv", "-k", "3", "--starts", "1", *words.split()]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1 or "left out" in error or "identifier" in error
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


@pytest.fixture
def ring():
    """Neighbours on a ring of the rows by their angle, so that two rows side by side may be far apart on it."""
    table = pd.read_csv("t.csv")
    order = np.argsort(np.arctan2(table["y"] - table["y"].mean(), table["x"] - table["x"].mean()).to_numpy())
    pairs = np.column_stack([order, np.roll(order, 1)])
    pd.DataFrame(pairs, columns=["u", "v"]).to_csv("rows.csv", index=False)
    pd.DataFrame(table["who"].to_numpy()[pairs], columns=["one", "other"]).to_csv("names.csv", index=False)
    return nx.Graph(pairs.tolist())


@pytest.mark.parametrize("words", ["--connected rows.csv", "--id who --connected names.csv --report r.html"])
def test_clusters_are_connected_by_the_edges_of_a_file(capsys, ring, words):
    found, labels = clustered(capsys, f"{words} --balance-column sales=15%")
    for cluster in range(3):
        assert nx.is_connected(ring.subgraph(np.flatnonzero(labels["cluster"] == cluster).tolist()))
    sums = pd.read_csv("t.csv")["sales"].groupby(labels["cluster"].to_numpy()).sum()
    assert (np.abs(sums / sums.mean() - 1) <= 0.15 + 1e-12).all()
    assert found["broken"] == []
    assert "no other assignment" in found["claim"]


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        ("u,v\n0,60\n", "", "--connected e.csv holds '60', not a row number of the table"),
        ("u,v\nc00,c61\n", "--id who", "--connected e.csv holds 'c61', not who of the table"),
        ("u\n0\n", "", "--connected e.csv has 1 columns, expected two"),
        ("u,v\n0,1\n", "", "a component of the graph, with row 0, 1, has size 2"),
    ],
)
def test_edges_that_cannot_be_meant_are_refused(capsys, text, words, message):
    Path("e.csv").write_text(text)
    dropped = ["--drop", "sales", "--drop", "family", "--drop", "rival", "--drop", "lat", "--drop", "lon"]
    assert run(["cluster", "t.csv", "-k", "3", "--connected", "e.csv", *dropped, *words.split()]) != 0
    assert message in " ".join(capsys.readouterr().err.split())


def test_rows_without_coordinates_are_grouped_by_what_is_stated(capsys):
    ratings = (700, 783, 843, 953, 1100, 1253, 1360, 1593, 1904, 2599)
    pd.DataFrame({"player": [f"p{i}" for i in range(10)], "rating": ratings}).to_csv("t.csv", index=False)
    found, teams = clustered(capsys, "-k 2 --lower 5 --upper 5 --id player --most-even rating", "")
    sums = np.bincount(teams["cluster"], ratings)
    assert sorted(sums) == [6542, 6546]  # the least difference of all 252 halves
    assert found["evenness"]["lower"] == pytest.approx(found["evenness"]["upper"]) == pytest.approx(2)
    frame = pd.DataFrame({"row": range(100, 160), "class": np.arange(60) % 3, "group": np.arange(60) // 4})
    frame.to_csv("t.csv", index=False)
    found, folds = clustered(capsys, "-k 5 --lower 12 --upper 12 --together group --share class --within 1%", "")
    assert folds.columns.tolist() == ["row", "cluster"]
    assert (pd.crosstab(folds["cluster"], frame["class"]) == 4).all(axis=None)
    assert (folds.groupby(frame["group"])["cluster"].nunique() == 1).all()
    assert "row: taken as row ids" in found["findings"][0]
    assert run(["cluster", "t.csv", "-k", "5", "--together", "group", "--drop", "class", "--model", "m.json"]) == 2
    assert "--model needs clusters with centres" in capsys.readouterr().err


@pytest.mark.parametrize("objective", ["squares", "medoids", "cut"])
def test_connected_clusters_by_an_objective(capsys, objective):
    grid = nx.convert_node_labels_to_integers(nx.grid_2d_graph(4, 4), ordering="sorted")
    pd.DataFrame(list(grid.edges), columns=["a", "b"]).to_csv("edges.csv", index=False)
    people = 10 + np.arange(16) % 5
    pd.DataFrame({"x": np.arange(16) // 4, "y": np.arange(16) % 4, "people": people}).to_csv("t.csv", index=False)
    words = f"-k 2 --connected edges.csv --balance-column people=10% --objective {objective}"
    found, rows = clustered(capsys, words, "")
    labels = rows["cluster"].to_numpy()
    assert all(nx.is_connected(grid.subgraph(np.flatnonzero(labels == i).tolist())) for i in range(2))
    sums = np.bincount(labels, people)
    assert (np.abs(sums / sums.mean() - 1) <= 0.1).all()
    if objective == "cut":
        assert found["objective"] == sum(labels[a] != labels[b] for a, b in grid.edges)
    frame, border = pd.read_csv("t.csv"), 1.0 + np.arange(len(grid.edges)) % 3
    county = [{1: "a", 14: "a", 2: "b"}.get(j, "") for j in range(16)]
    frame = frame.assign(voters=people[::-1], seat=["1", *[""] * 14, "0"], county=county)
    frame.to_csv("t.csv", index=False)
    pd.DataFrame(list(grid.edges), columns=["a", "b"]).assign(border=border).to_csv("edges.csv", index=False)
    wishes = "--balance-column voters=20% --allowed seat --lower 6,8 --together county"
    found, rows = clustered(capsys, f"{words} {wishes}", "")
    labels = rows["cluster"].to_numpy()
    assert labels[[0, 15]].tolist() == [1, 0]
    assert labels[1] == labels[14]
    assert np.bincount(labels)[1] >= 8
    for column, part in (("people", 0.1), ("voters", 0.2)):
        sums = np.bincount(labels, frame[column])
        assert (np.abs(sums / sums.mean() - 1) <= part).all()
    if objective == "cut":
        assert found["objective"] == sum(w for w, (a, b) in zip(border, grid.edges) if labels[a] != labels[b])
    assert run(f"cluster t.csv -k 2 --objective {objective}".split()) == 2
    assert "for --connected" in capsys.readouterr().err
    for ignored in ("--prove 1", "--divided", "--starts 3"):
        assert run(f"cluster t.csv {words} {ignored}".split()) == 2
        assert f"--objective does not go with {ignored.split()[0]}" in capsys.readouterr().err


def test_messages_name_rows_by_their_ids(capsys):
    names = [f"c{j}" for j in range(12)]
    pd.DataFrame({"a": names[:-1], "b": names[1:]}).to_csv("edges.csv", index=False)
    people = np.where(np.arange(12) == 7, 1000, 10)
    pd.DataFrame({"x": np.arange(12), "county": names, "people": people}).to_csv("t.csv", index=False)
    words = "cluster t.csv -k 2 --connected edges.csv --balance-column people=10%"
    assert run(words.split()) == 2
    assert "--id county holds all of its entries" in capsys.readouterr().err
    assert run([*words.split(), "--id", "county"]) == 2
    assert "county c7 has people 1000" in capsys.readouterr().err


def test_few_lines_are_printed_and_numbers_of_rows_are_no_coordinates(capsys):
    frame = pd.read_csv("t.csv")
    frame["customer"] = np.random.default_rng(0).permutation(3 * N)[:N] + 100
    frame["gain"] = frame["customer"] - 200  # names are not negative
    frame.to_csv("t.csv", index=False)
    short, long = ("cluster t.csv -k 3 --starts 1 --drop who" + more for more in (" -o l.csv", " --details"))
    assert run(short.split()) == 0
    out, err = capsys.readouterr()
    assert len((out + err).strip().splitlines()) <= 12
    assert "customer: taken as row ids" in out.splitlines()[1]
    assert "--types customer=number" in out.splitlines()[1]
    assert pd.read_csv("l.csv")["customer"].tolist() == frame["customer"].tolist()
    assert run(long.split()) == 0
    assert "nearest boundary" in capsys.readouterr().out
    for words in ("suggest-k t.csv -k 2 --starts 1 --splits 2", "bounds t.csv -k 2 --starts 1 --points 2"):
        assert run([*words.split(), "--drop", "who"]) == 0
        assert "customer: taken as row ids" in capsys.readouterr().err
    assert run([*short.split(), "--types", "customer=number"]) == 0
    assert "taken as row ids" not in capsys.readouterr().out
