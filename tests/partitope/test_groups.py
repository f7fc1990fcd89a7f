"""`partitope groups`: what it writes, says and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from .commands import call


@pytest.fixture
def students(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    table = pd.DataFrame({
        "name": [f"p{i}" for i in range(40)],
        "score": rng.normal(60, 12, 40).round(1),
        "sex": rng.choice(["f", "m"], 40),
        "family": [f"f{i // 2}" if i < 6 else "" for i in range(40)],
        "rival": ["a" if i in (10, 11, 12) else "" for i in range(40)],
    })  # fmt: skip
    table.to_csv("students.csv", index=False)
    return table


def test_groups_keep_what_is_asked_and_their_seed_makes_them_again(students, capsys):
    asked = "groups students.csv -k 4 --id name --share sex --together family --apart rival"
    code, out, err = call(capsys, f"{asked} -o groups.csv --report groups.html")
    assert code == 0, err
    assert "Columns by group" in Path("groups.html").read_text(encoding="utf-8")
    seed = out.split("seed ")[1].split(".")[0]
    written = pd.read_csv("groups.csv")
    group = written.pop("group").to_numpy()
    assert list(written) == list(students)
    assert (np.bincount(group) == 10).all()
    assert (group[0:6:2] == group[1:6:2]).all()
    assert len(set(group[10:13])) == 3
    for sex in "fm":
        assert np.ptp(np.bincount(group[students["sex"] == sex], minlength=4)) <= 1
    again = json.loads(call(capsys, f"{asked} --seed {seed} --json")[1])
    assert again["labels"] == group.tolist()
    assert 0 <= again["least_share"] <= again["share"] < 0.05


def test_columns_that_are_not_there_or_would_be_replaced_are_refused(students, capsys):
    code, _, err = call(capsys, "groups students.csv -k 2 --like height")
    assert code == 2
    assert "'height'" in err
    students.rename(columns={"rival": "group"}).to_csv("students.csv", index=False)
    code, _, err = call(capsys, "groups students.csv -k 2")
    assert code == 2
    assert "rename it" in err
    students.to_csv("students.csv", index=False)
    code, _, err = call(capsys, "groups students.csv -k 41")
    assert (code, "--clusters 41 exceeds the 40 rows of students.csv" in err) == (2, True)
