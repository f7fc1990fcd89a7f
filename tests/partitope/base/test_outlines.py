"""Outlines of areas: neighbours by common borders, and territories of maps as GeoJSON and as GeoDataFrame."""

from __future__ import annotations

import json
from importlib.resources import files

import networkx as nx
import numpy as np
import pytest
from matplotlib.figure import Figure

from partitope.base.errors import InvalidInputError
from partitope.base.outlines import Outlines
from partitope.cli import run
from partitope.datasets import read_table
from partitope.models import PartitionPolytope
from partitope.solvers import ConnectedPartitioner

IOWA = files("partitope.datasets").joinpath("iowa.geojson")


def square(x: float, y: float, side: float = 1.0, hole: bool = False) -> list:
    ring = [[x, y], [x, y + side], [x + side, y + side], [x + side, y], [x, y]]
    inner = [[x + 0.4, y + 0.4], [x + 0.6, y + 0.4], [x + 0.6, y + 0.6], [x + 0.4, y + 0.4]]
    return [ring, inner] if hole else [ring]


def collection(*polygons: list, **properties: list) -> dict:
    features = [
        {"type": "Feature", "geometry": {"type": "Polygon", "coordinates": polygon},
         "properties": {name: values[place] for name, values in properties.items()}}
        for place, polygon in enumerate(polygons)
    ]  # fmt: skip
    return {"type": "FeatureCollection", "features": features}


def test_neighbours_share_a_line_and_not_a_corner():
    # a square of side 2 with two of side 1 at its right; the last one touches others in a corner only
    outlines = Outlines.of(collection(square(200, 0, 2), square(202, 0), square(202, 1 + 1e-6), square(203, -1)))
    assert outlines.borders[:, :2].tolist() == [[0, 1], [0, 2], [1, 2]]
    assert not outlines.degrees or outlines.borders[:, 2].min() > 50
    np.testing.assert_allclose(outlines.middles[:2], [[201, 1], [202.5, 0.5]])
    assert np.linalg.norm(Outlines.of(collection(square(0, 0, hole=True))).middles[0] - 0.5) < 0.01


def test_counties_of_iowa_have_222_borders_and_their_middles_as_columns():
    outlines, table = Outlines.of(json.loads(IOWA.read_text())), read_table(str(IOWA))
    graph = nx.Graph(outlines.borders[:, :2].astype(int).tolist())
    assert (len(graph), graph.number_of_edges(), nx.is_connected(graph)) == (99, 222, True)
    assert (int(table["population"].sum()), list(table)[2:]) == (3046355, ["longitude", "latitude"])
    # a county is about 24 miles wide and long, 38 kilometres
    assert np.median(outlines.borders[:, 2]) == pytest.approx(38, abs=4)


@pytest.mark.parametrize(
    ("areas", "message"),
    [
        ({"type": "Point"}, "holds no features"),
        (collection([[[0, 0], [1, 1]]]), "has rings that are not lists"),
        ({"features": [{"geometry": {"type": "Point", "coordinates": [0, 0]}}]}, "feature 0 of areas is Point"),
        (collection(square(0, 0), square(1, 0), people=[1, "many"]), "weight"),
        (collection(square(0, 0), square(1, 0), people=[1, 2], cluster=[0, 0]), "column='cluster' is already"),
        (collection(square(0, 0), square(1, 0), men=[1, 2]), "weights='people' is not one of"),
    ],
)
def test_what_is_no_map_is_refused(areas, message):
    with pytest.raises(InvalidInputError, match=message):
        ConnectedPartitioner(2, objective="squares").divide(areas, "people")


def test_a_map_is_a_graph_of_neighbours():
    town = PartitionPolytope(6, 3, 3, n_clusters=2).connected(strip())
    assert (town.contains([0, 0, 0, 1, 1, 1]), town.contains([0, 1, 0, 1, 0, 1])) == (True, False)
    with pytest.raises(InvalidInputError, match="edges is a map of 6 areas, expected 5"):
        PartitionPolytope(5, n_clusters=2).connected(strip())


def strip(n: int = 6) -> dict:
    return collection(*[square(j, 0) for j in range(n)], name=[f"c{j}" for j in range(n)], people=[1, 1, 1, 1, 1, 3])


@pytest.mark.parametrize("objective", ["squares", "medoids", "cut"])
def test_areas_are_divided_and_drawn_without_any_package_of_maps(objective):
    areas, model = strip(), ConnectedPartitioner(2, objective=objective, balance=0.0, random_state=0)
    found = [area["properties"]["cluster"] for area in model.divide(areas, "people")["features"]]
    assert found == [found[0]] * 4 + [1 - found[0]] * 2
    assert "cluster" not in areas["features"][0]["properties"]
    assert len(model.partition_.plot(ax=Figure().subplots()).patches) == 6
    assert "<svg" in model.partition_._repr_html_()


def test_a_geodataframe_gains_a_column():
    geopandas = pytest.importorskip("geopandas")
    areas = geopandas.GeoDataFrame.from_features(strip()["features"], crs=4326).to_crs(3857)
    found = ConnectedPartitioner(2, objective="squares", balance=0.0, random_state=0).divide(areas, "people")
    assert isinstance(found, geopandas.GeoDataFrame)
    assert found["cluster"].nunique() == 2
    assert found["cluster"].iloc[:4].nunique() == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("strip.geojson --id name --connected strip.geojson", ""),
        ("strip.geojson --connected strip.geojson --objective medoids --drop name", ""),
        ("strip.csv --id name --connected strip.geojson --objective cut", ""),
        ("strip.csv --id name --connected edges.csv --outlines strip.geojson", ""),
        ("more.csv --id name --connected strip.geojson", "--connected strip.geojson has no area 'c9' by name"),
        ("more.csv --connected strip.geojson", "has 6 areas for 7 rows, and their properties are name, people"),
        ("strip.csv --id name --connected edges.json", "edges.json cannot be read as GeoJSON"),
    ],
)
def test_the_command_reads_neighbours_and_draws_outlines(tmp_path, monkeypatch, capsys, words, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "strip.geojson").write_text(json.dumps(strip()))
    rows = [f"c{j},{j}.5,0.5,{1 + 2 * (j == 5)}" for j in range(6)]
    (tmp_path / "strip.csv").write_text("\n".join(["name,x,y,people", *rows]))
    (tmp_path / "more.csv").write_text("\n".join(["name,x,y,people", *rows, "c9,9,9,1"]))
    (tmp_path / "edges.csv").write_text("\n".join(["u,v", *[f"c{j},c{j + 1}" for j in range(5)]]))
    (tmp_path / "edges.json").write_text("no")
    status = run(["cluster", *words.split(), "-k", "2", "--balance-column", "people=5%", "--report", "r.html"])
    assert (status == 0) is not bool(message)
    assert message in capsys.readouterr().err
    assert message or (tmp_path / "r.html").read_text().count("<title>c" if "--id" in words else "<title>row") >= 6
