"""`partitope assign`: a table of costs, its cheapest assignment within bounds, and its proof."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pandas as pd
import pytest

from partitope.cli import run

COSTS = "who,north,south,east\na,4,1,\nb,2,,3\nc,9,8,7\nd,1,2,3\n"


def assigned(capsys, words: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a run on costs.csv."""
    code = run(["assign", "costs.csv", "-o", "plan.csv", *words.split()])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "costs.csv").write_text(COSTS)
    return tmp_path


def test_total_cost_sizes_and_verdict_are_told_and_the_plan_is_written(capsys, here):
    code, out, _ = assigned(capsys, "--lower 1 --upper 2")
    assert code == 0
    assert "total cost of 11" in out
    assert all(name in out for name in ("north", "south", "east", "price"))
    assert "optimal to within 1e-09" in out
    assert (here / "plan.csv").read_text().split() == ["who,cluster", "a,south", "b,north", "c,east", "d,north"]


def test_a_price_is_what_one_more_of_a_bound_saves(capsys):
    tight, loose = (
        json.loads(assigned(capsys, f"--lower 0 --upper {upper} --json")[1]) for upper in ("1,2,2", "2,2,2")
    )
    north = tight["clusters"][0]
    assert (north["cluster"], north["points"], north["upper"]) == ("north", 1, 1)
    assert tight["total_cost"] - loose["total_cost"] == pytest.approx(north["price"])
    assert north["price"] > 0
    assert tight["proof"]["verified"]


def weighted(here) -> tuple[np.ndarray, np.ndarray]:
    """Weights (7,) and costs (7, 2), written as costs.csv beside ids that are not the first column."""
    rng = np.random.default_rng(5)
    load, costs = rng.integers(2, 9, 7).astype(float), rng.integers(1, 20, (7, 2)).astype(float)
    table = {"load": load, "who": list("abcdefg"), "near": costs[:, 0], "far": costs[:, 1]}
    pd.DataFrame(table).to_csv(here / "costs.csv", index=False)
    return load, costs


def test_sums_of_a_column_are_bounded_and_weigh_no_cost(capsys, here):
    load, costs = weighted(here)
    low, up = 0.46 * load.sum(), 0.54 * load.sum()
    code, out, _ = assigned(capsys, "--id who --weights load --lower 46% --upper 54% --json")
    found, plan = json.loads(out), pd.read_csv("plan.csv")
    best = min(
        costs[np.arange(7), y].sum()
        for y in map(list, itertools.product((0, 1), repeat=7))
        if all(low <= size <= up for size in np.bincount(y, load, 2))
    )
    assert code == 0
    assert found["total_cost"] == pytest.approx(best)
    assert found["proof"]["least_cost"] == pytest.approx(best)
    sums = [load[(plan["cluster"] == name).to_numpy()].sum() for name in ("near", "far")]
    assert [cluster["sum of load"] for cluster in found["clusters"]] == sums


def test_divided_points_have_a_line_for_every_part(capsys, here):
    load, costs = weighted(here)
    code, out, _ = assigned(capsys, "--id who --weights load --lower 50% --upper 50% --divided --json")
    found, plan = json.loads(out), pd.read_csv("plan.csv")
    assert code == 0
    assert found["divided_points"] == 1
    assert plan.groupby("who")["share"].sum().tolist() == pytest.approx([1.0] * 7)
    rows = plan["who"].map("abcdefg".index)
    assert (plan["share"] * load[rows])[plan["cluster"] == "near"].sum() == pytest.approx(load.sum() / 2)
    places = plan["cluster"].map(["near", "far"].index)
    assert (plan["share"] * costs[rows, places]).sum() == pytest.approx(found["total_cost"])


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [
        ("who,x,y\na,1,many\n", "", "'many' in row 'a'"),
        ("who,x,y\na,1,-inf\n", "", "'a' in 'y' is -inf"),
        ("who,x,y\na,1,yes\nb,2,no\n", "", "expected numbers"),
        ("who,x,y\na,,\nb,2,1\n", "", "'a' has no cost in any cluster"),
        ("who,x,y\na,1,2\na,2,1\n", "", "names 'a' twice"),
        ("who,x,y\n,1,2\nb,2,1\n", "", "is empty in row 0"),
        ("who,x,y\na,1,2\n", "--weights w", "'w' is not a column"),
        ("who,x,y,w\na,1,2,1\nb,1,2,two\n", "--weights w", "'two' in row 'b'"),
        ("who,x,y,w\na,1,2,1\nb,1,2,-3\n", "--weights w", "holds -3 in row 'b'"),
        ("who,x,y\na,1,2\nb,2,1\n", "--lower 2", "lower"),
        ("who,x,y,f\na,1,,u\nb,,1,u\n", "--together f", "who [a, b] have to be together"),
    ],
)
def test_bad_tables_and_bounds_are_refused_in_one_line(capsys, here, text, words, said):
    (here / "costs.csv").write_text(text)
    code, out, err = assigned(capsys, words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err
    assert not (here / "plan.csv").exists()


def test_words_friends_rivals_shares_and_closed_clusters(capsys, here):
    rng = np.random.default_rng(2)
    costs = rng.integers(1, 9, (7, 3)).astype(float)
    banned, sex = rng.random((7, 3)) < 0.15, np.array(list("fmfmfmf"))
    frame = pd.DataFrame(costs.astype(int).astype(str), columns=list("xyz")).mask(banned, "never")
    frame = frame.assign(
        who=list("abcdefg"), friends=["u", "", "u", "", "", "", ""], rivals=["", "v", "", "v", "", "", ""]
    )
    frame.assign(sex=sex).to_csv("costs.csv", index=False)
    words = "--id who --lower 3 --upper 4 --optional --never never --together friends --apart rivals --share sex"
    code, out, _ = assigned(capsys, f"{words} --within 30% --json")
    plan = pd.read_csv("plan.csv")["cluster"].map(list("xyz").index).to_numpy()

    def kept(y: np.ndarray) -> bool:
        sizes, girls = np.bincount(y, minlength=3), np.bincount(y, sex == "f", 3)
        held = sizes > 0
        near = np.abs(girls[held] / sizes[held] - 4 / 7) <= 0.3 + 1e-9
        fits = near.all() and ((sizes[held] >= 3) & (sizes[held] <= 4)).all()
        return fits and y[0] == y[2] and y[1] != y[3] and not banned[np.arange(7), y].any()

    every = (np.array(y) for y in itertools.product(range(3), repeat=7))
    assert code == 0
    assert kept(plan)
    assert json.loads(out)["total_cost"] == min(costs[np.arange(7), y].sum() for y in every if kept(y))
    assert f"{banned.sum()} pairs of point and cluster are forbidden" in assigned(capsys, f"{words} --within 30%")[1]
    assert assigned(capsys, f"{words} --never nie")[0] == 2
