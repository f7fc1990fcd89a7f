"""Tables without a target: encoded, clustered on the command line, stored, and predicted again."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from partitope.base.errors import InvalidInputError
from partitope.cli import run
from partitope.cluster import BalancedKMeans
from partitope.cluster.model import ClusterModel
from partitope.cluster.table_encoder import MOST_LEVELS, TableEncoder
from partitope.model_files.state import from_state, state_of


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1, 2], 30)
    frame = pd.DataFrame({
        "income": 1000.0 * group + 100.0 * rng.normal(size=90),
        "age": rng.integers(18, 80, 90),
        "town": np.array(["Ulm", "Bonn", "Kiel"])[group],
        "year": 2020,
    })  # fmt: skip
    frame.loc[3, "income"] = np.nan
    frame.loc[7, "town"] = None
    return frame


def test_a_standard_deviation_and_another_level_are_one_step(table):
    encoder = TableEncoder().fit(table)
    points = encoder.transform(table)
    assert list(encoder.get_feature_names_out()) == ["income", "age", "town=Bonn", "town=Kiel", "town=Ulm"]
    np.testing.assert_allclose(points[:, 1].std(), 1.0)
    assert np.linalg.norm(points[0, 2:] - points[40, 2:]) == pytest.approx(1.0)
    assert points[3, 0] == 0.0
    assert (points[7, 2:] == 0).all()
    assert [line for line in encoder.remarks() if "year" in line]
    new = table.assign(town="Rome")
    assert (encoder.transform(new)[:, 2:] == 0).all()


def test_centres_are_told_in_the_units_of_the_table(table):
    encoder = TableEncoder().fit(table)
    told = encoder.describe(encoder.transform(table)[30:60].mean(axis=0)[None, :])[0]
    assert told["income"] == pytest.approx(table["income"][30:60].mean())
    assert told["town"] == "Bonn (100 %)"


def test_a_mean_of_zeros_is_told_as_zero():
    frame = pd.DataFrame({"lived": np.repeat([0.0, 1.0], [500, 809]), "x": np.arange(1309.0)})
    encoder = TableEncoder().fit(frame)
    assert encoder.describe(encoder.transform(frame)[:500].mean(axis=0)[None, :])[0]["lived"] == 0.0


def test_rare_levels_are_not_told_apart_and_that_is_said():
    frame = pd.DataFrame({"x": range(50), "word": [f"w{i:02}" for i in range(50)]})
    encoder = TableEncoder().fit(frame)
    assert encoder.transform(frame).shape == (50, 1 + MOST_LEVELS)
    assert any("50 levels" in line for line in encoder.remarks())


def test_what_cannot_be_encoded_is_refused(table):
    with pytest.raises(InvalidInputError, match="one value only"):
        TableEncoder().fit(table[["year"]])
    with pytest.raises(InvalidInputError, match="column 'age' holds texts such as 'old'"):
        TableEncoder().fit(table).transform(table.astype({"age": object}).assign(age="old"))


def test_a_stored_model_predicts_the_same(table):
    model, points = ClusterModel.fit(table, BalancedKMeans(3, balance=0.1, random_state=0))
    again = from_state(json.loads(json.dumps(state_of(model), allow_nan=False)))
    pd.testing.assert_frame_equal(again.predict(table), model.predict(table))
    assert (model.predict(table)["boundary_distance"] >= -1e-9 * np.abs(points).max()).all()


def test_the_command_writes_labels_report_and_model(table, tmp_path, capsys):
    table["since"] = pd.to_datetime("2024-03-01") + pd.to_timedelta(np.arange(90) % 21, unit="D")
    table.to_csv("table.csv", index=False)
    words = "cluster table.csv -k 3 --lower 10% --upper 40% -o labels.csv --report r.html --model m.json --starts 2"
    assert run([*words.split(), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    labels = pd.read_csv("labels.csv")
    sizes = labels["cluster"].value_counts().sort_index()
    assert [row["size"] for row in found["clusters"]] == sizes.tolist()
    assert sizes.between(9, 36).all()
    assert found["proof"] == "step"
    assert any("year" in line for line in found["remarks"])
    assert run(["predict", "m.json", "table.csv", "-o", "again.csv"]) == 0
    assert (tmp_path / "again.csv").read_text() == (tmp_path / "labels.csv").read_text()
    page = (tmp_path / "r.html").read_text()
    assert page.count("<figure") == 3
    assert "Centres in the table" in page
    mean = [table["since"][labels["cluster"] == i].mean().strftime("%Y-%m-%d") for i in range(3)]
    assert all(f">{date}</td>" in page for date in mean)
    assert "elapsed days</td>" not in page


@pytest.mark.parametrize("words", ["", "--lower 1 --upper 2", "--lower 1", "--lower 100%"])
def test_one_cluster_holds_all_rows(tmp_path, words):
    (tmp_path / "two.csv").write_text("x,y\n1,2\n3,4\n")
    assert run(["cluster", "two.csv", "-k", "1", "-o", "l.csv", *words.split()]) == 0
    assert pd.read_csv("l.csv")["cluster"].tolist() == [0, 0]


@pytest.mark.parametrize("names", ["lat,lon", "lon,lat", "a,b", "b,a"])
def test_degrees_are_taken_by_their_names_and_beyond_90_by_their_values(tmp_path, capsys, names):
    rng = np.random.default_rng(0)
    latitude, longitude = rng.uniform(40, 60, 30), rng.uniform(100, 130, 30)
    first, second = names.split(",")
    pd.DataFrame({"lat": latitude, "lon": longitude}).to_csv("plain.csv", index=False)
    swapped = first in ("lon", "b")
    places = [longitude, latitude] if swapped else [latitude, longitude]
    pd.DataFrame(dict(zip((first, second), places))).to_csv("g.csv", index=False)
    labels = []
    for file, order in (("plain.csv", "lat,lon"), ("g.csv", names)):
        assert run(["cluster", file, "-k", "3", "--geo", order, "-o", "l.csv", "--starts", "2"]) == 0
        labels.append(pd.read_csv("l.csv")["cluster"].tolist())
    assert labels[0] == labels[1]
    told = (second, first) if swapped else (first, second)
    assert f"columns {told[0]} (latitude) and {told[1]} (longitude) are places" in capsys.readouterr().err


@pytest.mark.parametrize("column", ["lat", "lon"])
def test_places_on_one_line_of_the_globe_are_places(tmp_path, column):
    frame = pd.DataFrame({"lat": [9.0, 8.5, -8.5, -9.0, 0.0, 1.0], "lon": [9.0, 8.5, -8.5, -9.0, 0.0, 1.0]})
    frame.assign(**{column: 10}).to_csv("g.csv", index=False)
    assert run(["cluster", "g.csv", "-k", "3", "--geo", "lat,lon", "--lower", "2", "--upper", "2", "-o", "l.csv"]) == 0
    first = pd.read_csv("l.csv")["cluster"].tolist()
    assert first[0::2][:1] != first[2:3]
    assert sorted(map(first.count, range(3))) == [2, 2, 2]
    assert [first[0], first[2], first[4]] == [first[1], first[3], first[5]]


def test_ids_of_few_rows_are_not_released(tmp_path, capsys):
    frame = pd.DataFrame({"id": [7, 3, 5, 11, 2, 13], "x": [1.0, 2, 3, 4, 5, 6]})
    frame.to_csv("small.csv", index=False)
    words = ["aggregate", "small.csv", "-o", "r.csv", "--time-limit", "0.1"]
    assert run([*words, "--report", "r.html"]) == 0
    assert "Information loss" in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert pd.read_csv("r.csv").columns.tolist() == ["x", "group"]
    assert run([*words, "--types", "id=number"]) == 0
    assert pd.read_csv("r.csv").columns.tolist() == ["id", "x", "group"]
    assert run([*words, "--keep", "id", "--keep", "id"]) == 0
    pd.concat([frame] * 3).to_csv("small.csv", index=False)  # ids that repeat are numbers by their values
    capsys.readouterr()
    assert run(words) == 2
    assert "'id' of small.csv looks like an id by its name: leave it out (--drop)" in capsys.readouterr().err
    frame.assign(x=10**17 + np.arange(6)).to_csv("small.csv", index=False)
    assert run(words) == 2
    assert "whole numbers beyond 9007199254740992" in capsys.readouterr().err


def test_an_equals_sign_may_be_in_the_name_of_a_column(tmp_path, capsys):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=40), "a=5%": rng.integers(1, 9, 40), "g=0.3..0.5": list("uv") * 20})
    frame.to_csv("t.csv", index=False)
    words = "cluster t.csv -k 2 --balance-column a=5%=30% --share g=0.3..0.5 --within 40% --starts 2 --json -o l.csv"
    assert run(words.split()) == 0
    found = json.loads(capsys.readouterr().out)
    assert {row["name"] for row in found["further"]} == {"a=5%", "g=0.3..0.5[u] %", "g=0.3..0.5[v] %"}
    mean = frame["a=5%"].sum() / 2
    rows = [row for row in found["further"] if row["name"] == "a=5%"]
    assert [row["upper"] for row in rows] == pytest.approx([1.3 * mean] * 2)


def test_a_link_to_itself_cannot_be_written(table, tmp_path, capsys):
    table.to_csv("table.csv", index=False)
    (tmp_path / "loop").symlink_to("loop")
    for words in ("-o loop", "--report loop", "-o loop/labels.csv"):
        assert run(["cluster", "table.csv", *words.split()]) == 2
        assert "loop cannot be written: Too many levels" in capsys.readouterr().err.replace("/labels.csv", "")


def test_sums_and_shares_of_further_columns_are_bounded(tmp_path, capsys):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 240))
    people, group = rng.integers(500, 1500, 240), np.where(rng.random(240) < 0.4 + 0.2 * np.tanh(x), "town", "land")
    table = pd.DataFrame({"x": x, "y": y, "people": people, "group": group})
    table.to_csv("t.csv", index=False)
    words = "cluster t.csv -k 4 --balance-column people --share group --within 5% --starts 2 -o l.csv --model m.json"
    code = run([*words.split(), "--report", "r.html", "--json"])
    found = json.loads(capsys.readouterr().out)
    labels = pd.read_csv("l.csv")["cluster"].to_numpy()
    sums = np.bincount(labels, people)
    broken = {bound["name"]: bound["amount"] for bound in sorted(found["broken"], key=lambda bound: bound["amount"])}
    assert code == (3 if broken else 0)
    assert (np.abs(sums / sums.mean() - 1) <= 0.05 + 1e-9 + broken.get("people", 0.0) / sums.mean()).all()
    shares = np.bincount(labels, group == "town") / np.bincount(labels)
    assert (np.abs(shares - (group == "town").mean()) <= 0.05 + broken.get("group[town]", 0.0) / 40).all()
    told = pd.DataFrame(found["further"])
    np.testing.assert_allclose(told.value[told.name == "people"], sums)
    np.testing.assert_allclose(told.value[told.name == "group[town] %"], 100 * shares)
    assert found["data"]["columns"] == ["x", "y"]
    assert "Side constraints" in (tmp_path / "r.html").read_text()
    assert run(["predict", "m.json", "t.csv", "-o", "again.csv"]) == 0
    again = pd.read_csv("again.csv")["cluster"].to_numpy()
    assert (again != labels).sum() <= 4 * 4  # rows on walls, which the optimum divides
    table.drop(columns="people").to_csv("less.csv", index=False)
    assert run(["predict", "m.json", "less.csv"]) != 0
    assert "no column 'people'" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("more", [[], ["--balance-column", "people"]])
def test_rows_stay_in_the_clusters_that_a_column_allows(tmp_path, capsys, more):
    rng = np.random.default_rng(1)
    where = pd.Series([None] * 60, dtype=object)
    where[:3], where[3:8], where[8] = "0", "1|2", 2
    table = pd.DataFrame({"x": rng.normal(size=60), "people": rng.integers(5, 9, 60), "where": where})
    table.to_csv("t.csv", index=False)
    words = "cluster t.csv -k 3 --allowed where --starts 2 -o l.csv --model m.json --json"
    assert run([*words.split(), *more]) in (0, 3)
    assert "where" not in json.loads(capsys.readouterr().out)["data"]["columns"]
    labels = pd.read_csv("l.csv")["cluster"].to_numpy()
    assert (labels[:3] == 0).all()
    assert np.isin(labels[3:8], [1, 2]).all()
    assert labels[8] == 2
    table.drop(columns="where").to_csv("new.csv", index=False)
    assert run(["predict", "m.json", "new.csv"]) == 0  # cells know nothing of the column
    assert run(["export", "t.csv", "-k", "3", "--allowed", "where", *more, "-o", "m.mps", "--starts", "1"]) == 0
    assert " FX BOUND assign_0_1 0.0\n" in (tmp_path / "m.mps").read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--allowed town", "--allowed town: row 0 holds 'a', expected clusters from 0 to 2, such as 2 or 0|2"),
        ("--balance-column people", "t.csv has no column 'people', it has x, town, gap"),
        ("--share x", "holds 60 different values, expected groups"),
        ("--balance-column town", "column 'town' holds no numbers: for groups, use --share town"),
        ("--balance-column gap", "column 'gap' has no entry in 1 rows, the first is row 3"),
        ("--within 10%", "--within 10% is for a --balance-column or --share without bounds of its own"),
    ],
)
def test_further_columns_that_cannot_be_bounded(capsys, options, message):
    frame = pd.DataFrame({"x": np.arange(60.0), "town": ["a", "b"] * 30, "gap": np.arange(60.0)})
    frame.loc[3, "gap"] = np.nan
    frame.to_csv("t.csv", index=False)
    assert run(["cluster", "t.csv", "-k", "3", *options.split()]) != 0
    assert message in " ".join(capsys.readouterr().err.split())


def test_default_bounds_are_those_of_compare_and_fit(table, capsys):
    table.to_csv("table.csv", index=False)
    for words, low, high in [("", 24, 36), ("--balance 0", 30, 30), ("--lower 0.1", 9, 90)]:
        assert run(["cluster", "table.csv", "-k", "3", "--starts", "1", "--json", *words.split()]) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["lower"], found["upper"]) == ([low] * 3, [high] * 3)
    table.dropna().to_csv("table.csv", index=False)
    assert run(["fit", "table.csv", "-t", "town", "-k", "3", "--starts", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["smallest"] >= np.floor(0.8 * 88 / 3)
    assert found["largest"] <= np.ceil(1.2 * 88 / 3)
    assert run(["predict", "model.json", "table.csv", "-o", "out.csv"]) == 0
    assert list(pd.read_csv("out.csv").columns)[-2:] == ["cluster", "boundary_distance"]


def test_suggest_k_on_the_command_line(table, tmp_path, capsys):
    table.to_csv("table.csv", index=False)
    words = "suggest-k table.csv -k 2-4 --lower 10% --drop age --splits 3 --starts 1 --report s.html --json"
    assert run(words.split()) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["suggested"] == 3
    assert [row["n_clusters"] for row in found["rows"]] == [2, 3, 4]
    assert (tmp_path / "s.html").read_text().count("<figure") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("cluster table.csv --lower 10% --balance 20%", "--balance 20% sets both bounds"),
        ("cluster table.csv -k 200", "--clusters 200 exceeds the 90 rows"),
        ("cluster table.csv --drop colour", "'colour' is not a column"),
        ("suggest-k table.csv -k 1-3", "at least 2 clusters"),
        ("cluster table.csv --unit km", "--unit km is for unscaled columns"),
        ("cluster table.csv --outlines table.csv", "drawn in the report only"),
        ("aggregate table.csv --weights age --drop age", "--drop age: --keep, --within or --weights releases it"),
        ("aggregate table.csv --weights age --within age", "name one column"),
        ("aggregate table.csv --drop income --weights town", "--weights town holds 'Ulm' in row 0"),
        ("aggregate table.csv -o r.csv --report r.csv", "--output and --report are both to be r.csv"),
    ],
)
def test_what_cannot_be_used_is_one_line_and_nothing_is_written(table, tmp_path, capsys, words, message):
    table.to_csv("table.csv", index=False)
    assert run(words.split()) == 2
    assert message in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]


def test_a_bound_that_rows_break_comes_first_and_the_files_are_written(tmp_path, capsys):
    pd.DataFrame({"a": [0, 1, 9, 10], "people": [5, 7, 90, 3]}).to_csv("t.csv", index=False)
    words = "cluster t.csv -k 2 --lower 1 --upper 3 --balance-column people -o l.csv --report r.html --starts 1"
    assert run(words.split()) == 3
    told = capsys.readouterr()
    broken = "cluster 0 has people 12, 37.875 less than its lower bound of 49.875"
    assert broken in " ".join(told.out.split()).partition("4 rows")[0]
    assert broken in told.err.splitlines()[-1]
    assert "BrokenBoundsWarning" not in told.err
    assert broken in (tmp_path / "r.html").read_text()
    assert len(pd.read_csv("l.csv")) == 4
    assert run([*words.split(), "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["broken"][0]["place"] == "cluster 0"


def test_of_several_outputs_all_are_written_or_none(table, tmp_path, monkeypatch, capsys):
    table.to_csv("table.csv", index=False)
    (tmp_path / "l.csv").write_text("before")
    words = "cluster table.csv -k 2 --starts 1 -o l.csv --model m.json --report"
    with monkeypatch.context() as full:
        full.setattr("partitope.output.html_pages.as_html", lambda report: "\ud800")  # which is no UTF-8
        assert run([*words.split(), "r.html"]) != 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["l.csv", "table.csv"]
    assert (tmp_path / "l.csv").read_text() == "before"
    assert run([*words.split(), "l.csv"]) == 2
    assert "labels and report are both to be l.csv" in capsys.readouterr().err
    assert run([*words.split(), "r.html", "--json"]) == 0
    assert len(list(tmp_path.iterdir())) == 4


def test_columns_that_name_the_rows_stand_beside_their_clusters(table, tmp_path, capsys):
    table.insert(1, "who", [f"p{j:03}" for j in range(90)])  # found to be an identifier
    table.insert(0, "code", np.arange(90) % 45)
    table.to_csv("table.csv", index=False)
    words = "cluster table.csv -k 2 --starts 1 --id code -o l.csv --model m.json --json"
    assert run(words.split()) == 0
    found = pd.read_csv("l.csv")
    assert list(found.columns) == ["code", "who", "cluster", "boundary_distance", "centre_distance"]
    pd.testing.assert_frame_equal(found[["code", "who"]], table[["code", "who"]])
    assert run(["predict", "m.json", "table.csv", "-o", "again.csv"]) == 0
    assert (tmp_path / "again.csv").read_text() == (tmp_path / "l.csv").read_text()


@pytest.mark.parametrize(
    ("names", "shorter"),
    [(("x_km", "y_km"), 1.0), (("Easting", "Northing"), 1.0), (("home lon", "home lat"), 0.5), (("x1", "y2"), None)],
)
def test_the_two_columns_of_a_map_keep_one_scale(names, shorter):
    east, north = np.array([0.0, 3.0, 0.0, 3.0]), np.array([59.0, 59.0, 61.0, 61.0])
    frame = pd.DataFrame({names[0]: east, names[1]: north})
    encoder = TableEncoder("standard").fit(frame)
    points = encoder.transform(frame)
    scales = np.ptp(points, axis=0) / (3.0, 2.0)
    assert points.var(axis=0).sum() == pytest.approx(2.0)
    assert scales[0] / scales[1] == pytest.approx(2 / 3 if shorter is None else shorter)
    told = f"columns {' and '.join(sorted(names))} are a map by their names: one scale for both"
    assert [line.partition(",")[0] for line in encoder.remarks()] == ([] if shorter is None else [told])


def test_neighbours_on_a_narrow_map_stay_together(tmp_path, capsys):
    (tmp_path / "map.csv").write_text("x,y\n0,0\n10,10\n100,0\n110,10\n")
    assert run(["cluster", "map.csv", "-k", "2", "--balance", "0", "-o", "l.csv", "--starts", "2"]) == 0
    labels = pd.read_csv("l.csv")["cluster"]
    assert labels[0] == labels[1] != labels[2] == labels[3]
    assert "columns x and y are a map" in " ".join(capsys.readouterr().err.split())
