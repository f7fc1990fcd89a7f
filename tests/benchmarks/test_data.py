"""Published instances are read as their files hold them."""

from __future__ import annotations

import pytest

from benchmarks.data.territories import load_territory
from partitope.base.errors import InvalidInputError


def test_territories_come_with_their_graph(tmp_path, monkeypatch):
    folder = tmp_path / "regions" / "counties2010"
    folder.mkdir(parents=True)
    (folder / "XY_nodes.csv").write_text("node,population\n0,5\n1,7\n")
    (folder / "XY_edges.csv").write_text("u,v,shared_border\n0,1,0.5\n")
    (folder / "XY_distance_km.csv").write_text("0.0,3.5\n3.5,0.0\n")
    (folder / "records.csv").write_text("state,k\nXY,2\nZZ,3\n")
    monkeypatch.setenv("PARTITOPE_DATA", str(tmp_path))
    found = load_territory("XY2010")
    assert found.areas["population"].tolist() == [5, 7]
    assert found.edges.tolist() == [[0, 1]]
    assert found.distances.tolist() == [[0.0, 3.5], [3.5, 0.0]]
    assert found.records["k"].tolist() == [2]
    with pytest.raises(InvalidInputError, match="names no territory"):
        load_territory("../secret")
