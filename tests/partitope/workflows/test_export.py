"""`partitope export`: files for other solvers, and their answers checked."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from partitope.models.programs.instances import read_instance
from partitope.solvers import solve

from ..commands import call


@pytest.fixture
def folder(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(30, 2)).round(3), columns=["a", "b"])
    frame.to_csv(tmp_path / "points.csv", index=False)
    frame.assign(colour=np.where(frame.a > 0, "red", "blue"), y=np.arange(30) % 2).to_csv(
        tmp_path / "table.csv", index=False
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("objective", ["lsa", "csa"])
def test_there_and_back(folder, capsys, objective):
    import highspy

    options = f"-k 3 --lower 8 --upper 12 --starts 2 --objective {objective}"
    for suffix in ("mps", "lp", "json"):
        code, out, err = call(capsys, f"export points.csv {options} -o m.{suffix}")
        assert (code, out) == (0, "")
        assert "30 points, 3 clusters, 90 variables" in err
    best = solve(read_instance("m.json"))
    for suffix in ("mps", "lp"):
        highs = highspy.Highs()
        highs.setOptionValue("output_flag", False)
        highs.readModel(f"m.{suffix}")
        highs.run()
        highs.writeSolution("out.sol", 0)
        code, out, err = call(capsys, "export m.json --solution out.sol -o labels.csv --json")
        record = json.loads(out)
        assert (code, err, record["proof"]) == (0, "", "step")
        assert record["objective"] == pytest.approx(best.objective)
    assert len(pd.read_csv("labels.csv")) == 30


def test_a_worse_answer_names_the_exchange(folder, capsys):
    call(capsys, "export points.csv -k 2 --lower 15 -o m.json")
    labels = solve(read_instance("m.json")).labels.copy()
    a, b = int(np.flatnonzero(labels == 0)[0]), int(np.flatnonzero(labels == 1)[0])
    labels[[a, b]] = [1, 0]
    (folder / "mine.txt").write_text("\n".join(map(str, labels)))
    code, _, err = call(capsys, "export m.json --solution mine.txt -o labels.csv")
    assert code == 0
    assert "not optimal: moving point" in err


def test_tables_with_texts_need_a_target(folder, capsys):
    code, _, err = call(capsys, "export table.csv -k 2 -o m.json")
    assert code == 2
    assert "column 'colour'" in err
    assert call(capsys, "export table.csv -t y -k 2 -o m.json")[0] == 0
    n, d = read_instance("m.json").score_source.X.shape  # of three columns those that say something about the class
    assert n == 30
    assert 1 <= d <= 3


def test_given_sites_are_used(folder, capsys):
    (folder / "sites.csv").write_text("a,b\n0,0\n1,1\n")
    assert call(capsys, "export points.csv -k 2 --sites sites.csv -o m.json")[0] == 0
    np.testing.assert_array_equal(read_instance("m.json").sites, [[0, 0], [1, 1]])


@pytest.mark.parametrize(
    "text, words",
    [
        ("points.csv -o m.xlsx", "suffix '.xlsx'"),
        ("points.csv -k 3 --sites points.csv -o m.mps", "expected (3, 2) sites"),
        ("points.csv -k 3 --sites points.csv --starts 3 -o m.mps", "--sites does not go with --starts"),
        ("points.csv --solution points.csv -o m.mps", "name a .csv file"),
    ],
)
def test_what_cannot_be_used_is_refused(folder, capsys, text, words):
    code, out, err = call(capsys, f"export {text}")
    assert (code, out) == (2, "")
    assert words in err
    assert not (folder / "m.mps").exists()


def test_further_columns_are_bounded_by_name(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    columns = {"x": rng.normal(size=60), "y": rng.normal(size=60), "revenue": rng.gamma(2.0, size=60)}
    pd.DataFrame({**columns, "rural": (np.arange(60) % 3 == 0).astype(int)}).to_csv("p.csv", index=False)
    bounds = "-k 3 --lower 18 --upper 22 --balance-column revenue=5% --share rural=0.2..0.5 --starts 2"
    for suffix in ("mps", "lp", "json"):
        code, out, err = call(capsys, f"export p.csv {bounds} -o m.{suffix} --json")
        assert code == 0, err
        assert json.loads(out)["names"] == ["size", "revenue", "rural"]
        text = (tmp_path / f"m.{suffix}").read_text()
        assert "revenue" in text
        assert "rural" in text
    for option, message in [
        ("--balance-column revenu=5%", "p.csv has no column 'revenu', it has x, y, revenue, rural"),
        ("--share revenue=0..1", "other numbers than 0 and 1"),
        ("-t rural --balance-column revenue=5%", "do not go with --target"),
    ]:
        code, _, err = call(capsys, f"export p.csv -k 3 {option} -o m.json")
        assert code != 0
        assert message in " ".join(err.split())
