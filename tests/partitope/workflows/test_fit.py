"""`partitope fit`: figures on rows that were held out, and everything chosen by --auto."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import StratifiedKFold

from partitope.classifiers import ClusteringClassifier
from partitope.commands.fit.run import fit_classifier, held_out_scores
from partitope.datasets.dataset import Dataset
from partitope.models import PartitionPolytope
from partitope.solvers import GeometricPartitioner

from ..commands import call

ROWS = 120


def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    y = np.arange(ROWS) % 2
    a = rng.normal(size=ROWS) + 1.2 * y
    return pd.DataFrame({"a": a, "b": np.where(rng.random(ROWS) < 0.3 + 0.4 * y, "red", "blue"), "answer": y})


def test_held_out_figures_written_out():
    data = Dataset(frame()[["a", "b"]], frame()["answer"].to_numpy(), "toy", "answer")
    whole = PartitionPolytope(ROWS, 30.0, 60.0, n_clusters=3)
    again = partial(fit_classifier, polytope=whole, method="geometric-lsa", starts=2, seed=1)
    found = held_out_scores(data, again, 4, 1)
    hits = []
    for train, test in StratifiedKFold(4, shuffle=True, random_state=1).split(data.X, data.y):
        scaled = whole.scaled_to(len(train))
        strategy = GeometricPartitioner(3, lower=scaled.lower, upper=scaled.upper, objective="lsa")
        model = ClusteringClassifier(strategy, n_starts=2, random_state=1).fit(data.X.iloc[train], data.y[train])
        hits.append(model.score(data.X.iloc[test], data.y[test]))
    np.testing.assert_allclose(found.accuracies, hits)


def test_fit_says_what_it_reaches_on_held_out_rows(folder, capsys):
    code, _, out = call(capsys, "fit table.csv -t answer -k 3 --starts 2 -o model.json")
    assert code == 0
    assert "held-out accuracy" in out
    assert "(5 folds)" in out
    assert "most frequent class 50.0 %" in out
    code, _, out = call(capsys, "fit table.csv -t answer -k 3 --starts 2 --folds 0 -o model.json")
    assert code == 0
    assert "no rows were held out" in out
    assert "no better" not in out


def test_clusters_that_say_nothing_are_said_to(folder, capsys):
    x, y = np.random.default_rng(1).normal(size=(2, 300))
    pd.DataFrame({"x": x, "y": y, "answer": x * y > 0}).to_csv("table.csv", index=False)
    code, _, out = call(capsys, "fit table.csv -t answer -k 8 --starts 2 -o model.json")
    assert code == 0
    assert "no better than the most frequent class" in out


@pytest.mark.full
def test_auto_writes_a_model_that_predicts(folder, capsys):
    code, out, _ = call(capsys, "fit table.csv -t answer --auto --folds 2 -o model.json --json")
    assert code == 0
    record = json.loads(out)
    assert record["method"] == "auto"
    assert record["held_out"]["folds"] == 2
    assert record["chosen"]["n_clusters"] == len(record["sizes"])
    code, out, _ = call(capsys, "predict model.json table.csv")
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "prediction,score:0,score:1,cluster,boundary_distance"
    hits = np.mean([int(line.split(",")[0]) for line in lines[1:]] == frame()["answer"])
    assert hits == pytest.approx(record["training_accuracy"])
    code, _, out = call(capsys, "fit table.csv -t answer --auto --time-limit 0 --folds 2 -o model.json")
    assert code == 0
    assert "one cell, that is logistic regression" in out


def test_a_class_of_one_row_leaves_nothing_to_hold_out(folder, capsys):
    few = frame()
    few.loc[0, "answer"] = 2
    few.to_csv(folder / "table.csv", index=False)
    code, _, out = call(capsys, "fit table.csv -t answer -k 2 --starts 1 -o model.json")
    assert code == 0
    assert "no rows were held out, since class '2' has one row" in out


def test_folds_that_leave_fewer_rows_than_clusters_are_not_held_out(folder, capsys):
    frame().head(5).to_csv(folder / "table.csv", index=False)
    code, _, out = call(capsys, "fit table.csv -t answer -k 3 --starts 1 -o model.json")
    assert code == 0
    assert "no rows were held out, since a fold would leave 2 rows to 3 clusters" in out


@pytest.mark.parametrize(
    "options, message",
    [
        ("--auto -k 4", "--auto does not go with --clusters, which it chooses"),
        ("--auto --lower 3", "--auto does not go with --lower, which it chooses"),
        ("--time-limit 5", "--time-limit bounds the search of --auto"),
        ("--folds 1", "--folds 1 is not usable"),
        ("--auto --covariates b", "--auto has no use for covariates"),
    ],
)
def test_options_that_do_not_go_together_are_refused(folder, capsys, options, message):
    code, _, err = call(capsys, f"fit table.csv -t answer {options} -o model.json")
    assert code == 2
    assert message in err
    assert not (folder / "model.json").exists()


def test_rows_without_a_class_are_clustered_by_the_strategy_for_few_labels(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    kind, batch = np.arange(ROWS) % 2, rng.integers(2, size=ROWS)
    table = pd.DataFrame(6.0 * np.column_stack([kind, batch]) + rng.normal(size=(ROWS, 2)), columns=["a", "b"])
    table["batch"] = np.where(batch, "u", "v")
    table["kind"] = np.where(np.arange(ROWS) < 16, np.where(kind, "new", "old"), None)
    table.to_csv("few.csv", index=False)
    words = "fit few.csv -t kind -k 2 --starts 1 --folds 2"
    code, out, err = call(capsys, f"{words} -m kcssl --covariates batch --json")
    assert code == 0, err
    found = json.loads(out)
    assert (found["rows"], found["unlabelled"], sum(found["sizes"])) == (16, ROWS - 16, ROWS)
    assert any("missing in 104 of 120 rows, which are clustered with the others" in note for note in found["notes"])
    assert call(capsys, "predict model.json few.csv -o out.csv")[0] == 0
    assert (pd.read_csv("out.csv")["prediction"] == np.where(kind, "new", "old")).mean() > 0.9
    code, out, _ = call(capsys, f"{words} --json")
    assert any("which are left out" in note for note in json.loads(out)["notes"])
    assert sum(json.loads(out)["sizes"]) == 16
