"""Outlines of areas: neighbours by common borders, and territories of maps as GeoJSON and as GeoDataFrame."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from importlib.resources import files

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from partitope.base.errors import InfeasibleBoundsError, InvalidInputError
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
        ({"type": "Point"}, "areas is .*'Point'.*, expected a FeatureCollection: pass one with polygons"),
        ("map.geojson", r"areas is 'map.geojson', expected a FeatureCollection: pass json.load of the file"),
        ({"features": ["no"]}, "feature 0 of areas holds 'no', expected an object"),
        (
            {"features": [{"geometry": None, "properties": [1]}]},
            r"feature 0 of areas holds \[1\], expected an object of properties",
        ),
        ({"features": [{"geometry": None}]}, "is empty, expected a Polygon or a MultiPolygon: leave it out"),
        ({"features": [{"geometry": "round"}]}, "feature 0 of areas is round, expected a Polygon"),
        ({"features": [{"geometry": {"type": "Polygon"}}]}, "feature 0 of areas has rings that are not lists"),
        (collection(square(0, 0), square(1e200, 0)), "feature 1 of areas has rings .* within 1e100"),
        (collection(square(0, 0), square(1, np.inf)), "feature 1 of areas has rings .* within 1e100"),
        (collection(square(0, 0), [[[0, 0], [1, 1], [2, 2]]]), "feature 1 of areas has a ring of area 0"),
        (collection(square(0, 0), square(1, 0) * 2), "feature 1 of areas has a ring of area 0, or holes"),
        (collection(square(0, 0), square(1, 0), people=[0, 0]), "weights='people' is 0 in all areas"),
        *[
            (
                collection(square(0, 0), square(1, 0), people=[1, wrong]),
                f"weights='people' is {found} in area 1, expected",
            )
            for wrong, found in ((None, "None"), (-1, "-1"), (np.inf, "inf"), ("12", "'12'"), (np.nan, "nan"))
        ],
        (collection([[[0, 0], [1, 1]]]), "has rings that are not lists"),
        ({"features": [{"geometry": {"type": "Point", "coordinates": [0, 0]}}]}, "feature 0 of areas is Point"),
        (collection(square(0, 0), square(1, 0), people=[1, 2], cluster=[0, 0]), "column='cluster' is already"),
        (collection(square(0, 0), square(1, 0), men=[1, 2]), "weights='people' is not one of"),
    ],
)
def test_what_is_no_map_is_refused(areas, message):
    with pytest.raises(InvalidInputError, match=message):
        ConnectedPartitioner(2, objective="squares").divide(areas, "people")


def test_names_of_columns_are_texts():
    for names in ({"weights": 3}, {"column": None}):
        with pytest.raises(InvalidInputError, match=f"{next(iter(names))} is .* expected a str"):
            ConnectedPartitioner(2).divide(strip(), **names)


@pytest.mark.parametrize("objective", ["squares", "medoids", "cut"])
def test_islands_are_territories_and_have_to_be(objective):
    islands = collection(square(0, 0), square(5, 0), square(9, 0))
    assert Outlines.of(islands).borders.shape == (0, 3)
    labels = [
        own["properties"]["cluster"] for own in ConnectedPartitioner(3, objective=objective).divide(islands)["features"]
    ]
    assert sorted(labels) == [0, 1, 2]
    with pytest.raises(InfeasibleBoundsError, match="component"):
        ConnectedPartitioner(2, objective=objective).divide(islands)


def test_equal_areas_open_rings_names_and_the_180th_meridian():
    same = Outlines.of(collection(*[square(0, 0)] * 3))
    assert same.borders[:, :2].tolist() == [[0, 1], [0, 2], [1, 2]]
    areas = collection(square(179, 0), square(-180, 0), square(-179, 0))
    for number, area in enumerate(areas["features"]):
        area |= {"id": f"a{number}"}
        area["geometry"]["coordinates"][0].pop()  # not closed
    areas["features"][0]["properties"] = None
    areas["features"][1]["properties"] = {"people": 1}
    outlines = replace(Outlines.of(areas), tolerance=1e-3).rows([2, 1, 0])
    assert (outlines.borders[:, :2].tolist(), outlines.tolerance) == ([[0, 1], [1, 2]], 1e-3)
    np.testing.assert_allclose(outlines.middles[:, 0], [181.5, 180.5, 179.5])
    assert outlines.properties[2] == {"id": "a0", "people": None}
    with pytest.raises(InvalidInputError, match="is None in area 0"):
        ConnectedPartitioner(2).divide(areas, "people")
    with pytest.raises(InvalidInputError, match="column='people' is already"):
        ConnectedPartitioner(2).divide(areas, column="people")


def test_areas_of_a_map_of_the_world_are_drawn_in_one_piece():
    world = collection(*(square(x, 0, 10.0) for x in range(-170, 170, 10)), square(170, 0, 10.0))
    world["features"][-1]["geometry"] = {
        "type": "MultiPolygon",
        "coordinates": [square(170, 0, 10.0), square(-180, 0, 5.0)],
    }
    outlines = Outlines.of(world)
    assert [np.ptp(np.vstack(rings)[:, 0]) for rings in outlines.rings] == [10.0] * 34 + [15.0]
    assert outlines.middles[-1, 0] > 175.0
    world["features"][-1]["geometry"]["coordinates"][1] = square(-180, 0, 10.0)
    pairs = Outlines.of(world).borders[:, :2].tolist()
    assert [0, 34] in pairs  # across the meridian
    assert len(pairs) == 35
    turned = collection(*(square(x, 0, 10.0) for x in range(5, 350, 10)))  # from 0 to 360
    assert len(Outlines.of(turned).borders) == 34


def test_a_series_of_outlines_is_refused():
    class GeoSeries(pd.Series):
        __geo_interface__ = strip()

    for use in (ConnectedPartitioner(2).divide, PartitionPolytope(6, n_clusters=2).connected):
        with pytest.raises(InvalidInputError, match=r"is a GeoSeries, expected a GeoDataFrame .*: pass .*\.to_frame\("):
            use(GeoSeries(range(6)))


def test_a_map_is_a_graph_of_neighbours():
    town = PartitionPolytope(6, 3, 3, n_clusters=2).connected(strip())
    assert (town.contains([0, 0, 0, 1, 1, 1]), town.contains([0, 1, 0, 1, 0, 1])) == (True, False)
    with pytest.raises(
        InvalidInputError, match=r"edges is 'map.geojson', expected a FeatureCollection: pass json.load of the file"
    ):
        PartitionPolytope(6, n_clusters=2).connected("map.geojson")
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
        ("strip.csv --connected strip.json.gz --drop name", "without --id, rows and areas are paired in their order"),
        ("twice.json --id twice --drop name", ""),
        ("twice.json --id twice --connected twice.json --drop name", ""),
        ("other.csv --connected strip.geojson", "has 'c0' as name of area 0, and the table 'b0': name with --id"),
        ("strip.csv --connected none.geojson", "none.geojson does not exist"),
        ("more.csv --connected strip.geojson", "has 6 areas for 7 rows, and their properties are name, people"),
        ("strip.geojson --connected strip.geojson --encoding latin-1", "strip.geojson is GeoJSON, always UTF-8"),
        ("strip.csv --id name --connected edges.json", "edges.json cannot be read as GeoJSON"),
    ],
)
def test_the_command_reads_neighbours_and_draws_outlines(tmp_path, monkeypatch, capsys, words, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "strip.geojson").write_text(json.dumps(strip()))
    (tmp_path / "strip.json.gz").write_bytes(gzip.compress(json.dumps(strip()).encode()))
    twice = strip() | {"features": [area["properties"].update(twice="c") or area for area in strip()["features"]]}
    (tmp_path / "twice.json").write_text(json.dumps(twice))
    rows = [f"c{j},{j}.5,0.5,{1 + 2 * (j == 5)}" for j in range(6)]
    (tmp_path / "strip.csv").write_text("\n".join(["name,x,y,people", *rows]))
    (tmp_path / "other.csv").write_text("\n".join(["name,x,y,people", *rows]).replace("c", "b"))
    (tmp_path / "more.csv").write_text("\n".join(["name,x,y,people", *rows, "c9,9,9,1"]))
    (tmp_path / "edges.csv").write_text("\n".join(["u,v", *[f"c{j},c{j + 1}" for j in range(5)]]))
    (tmp_path / "edges.json").write_text("no")
    status = run(["cluster", *words.split(), "-k", "2", "--balance-column", "people=5%", "--report", "r.html"])
    told = "paired in their order" in message
    assert (status == 0) is (told or not message)
    said = capsys.readouterr().err
    assert message in said
    assert said.count("paired in their order") == told
    assert status or (tmp_path / "r.html").read_text().count("<title>c" if "--id" in words else "<title>row") >= 6
