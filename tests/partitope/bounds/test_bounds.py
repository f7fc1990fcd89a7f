"""`partitope bounds`: the study's numbers are those of the library, interrupted runs go on, bad input is one line."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from partitope.cli import run
from partitope.commands.bounds.points import StudiedPoints
from partitope.commands.bounds.report import bounds_report, curve_table, findings
from partitope.commands.bounds.run import study_bounds
from partitope.datasets import load_dataset
from partitope.output.html_pages import as_html


@pytest.fixture(scope="module")
def table():
    return StudiedPoints.of_classes(load_dataset("breast_cancer"), seed=1)


@pytest.fixture(scope="module")
def study(table):
    return study_bounds(table, 4, starts=2, points=4, seed=1, plane=True)


def test_curves_agree_where_they_must(study):
    assert study.n_points == 398
    assert study.path.parameter[-1] == pytest.approx(398 / 4)
    table = curve_table(study)
    assert table["lower"].tolist() == [0, 33, 66, 99]
    assert (np.diff(table["exact, fixed sites"]) >= -1e-9).all()
    assert study.plane.at(33, 398)[0] == pytest.approx(float(study.path(33)))
    assert "majorities of the clusters are right for" in " ".join(findings(study))
    assert (study.curve.smallest >= study.curve.lower).all()
    band = study.summary()["accuracy"]
    assert (band["low"] <= band["mean"]).all()
    prices = study.prices
    assert (prices["size"] >= study.priced_at).all()
    assert (prices["raise"] >= -1e-9).all()  # a tighter bound never helps
    assert (prices["reduce"] <= 1e-9).all()
    assert (prices["price"] < -1e-9).any()  # one sign of prices everywhere: negative where a lower bound is felt
    assert (-prices["price"] <= prices["raise"] + 1e-9).all()  # sums of squares change by the opposite
    assert (-prices["reduce"] <= -prices["price"] + 1e-9).all()
    assert len(findings(study)) == 6


def test_report_is_complete_in_itself(table, study):
    html = as_html(bounds_report(table, [study]))
    assert "<script" not in html
    assert "http" not in html.replace("http://www.w3.org", "")
    assert html.count("<figure>") == 2


def test_command_prints_json_and_writes_a_report(tmp_path, capsys):
    table = tmp_path / "t.csv"
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=90), "b": rng.choice(list("xyz"), 90), "y": rng.choice(["u", "v"], 90)})
    frame.to_csv(table, index=False)
    words = ["bounds", str(table), "--target", "y", "-k", "2", "-k", "3", "--starts", "2", "--points", "3",
             "--json", "--report", str(tmp_path / "r.html")]  # fmt: skip
    assert run(words) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["format"] == "partitope.bounds"
    assert [entry["n_clusters"] for entry in record["studies"]] == [2, 3]
    assert (tmp_path / "r.html").read_text().startswith("<!DOCTYPE html>")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-k", "0"], "Invalid value for '--clusters'"),
        (["--points", "1"], "Invalid value for '--points'"),
        (["--starts", "0"], "Invalid value for '--starts'"),
        (["--precision", "0.9"], "--precision 0.9"),
        (["census", "--target", "y"], "whose target is fixed"),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(words, message, tmp_path, capsys):
    report = tmp_path / "r.html"
    assert run(["bounds", *words, "--report", str(report)]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not report.exists()


@pytest.mark.parametrize("target", [[], ["--target", "y"]])
def test_a_table_without_two_classes_has_curve_and_prices(target, tmp_path, capsys):
    table = tmp_path / "t.csv"
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=60), "b": rng.normal(size=60), "y": list("uvw") * 20})
    frame.drop(columns=[] if target else ["y"]).to_csv(table, index=False)
    report = tmp_path / "r.html"
    words = ["bounds", str(table), *target, "-k", "3", "--starts", "2", "--points", "3", "--json"]
    assert run([*words, "--report", str(report)]) == (3 if target else 0)  # accuracy of three classes is not shown
    record = json.loads(capsys.readouterr().out)
    (study,) = record["studies"]
    assert study["suggestion"] is None
    assert study["path"]["lower"][-1] == pytest.approx(20.0)
    assert set(study["curve"][0]) == {"lower", "objective", "smallest", "largest", "steps", "start"}
    assert min(row["smallest"] for row in study["curve"] if row["lower"] == 20) == 20
    assert any("3 classes" in line for line in record["data"]["notes"]) == bool(target)
    # as `partitope cluster` takes them: the bound costs what equal sizes cost there
    assert len(study["findings"]) == 2
    assert report.read_text().count("<figure>") == 1
