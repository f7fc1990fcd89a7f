"""`partitope depots`: what it chooses, writes, says and refuses."""

from __future__ import annotations

import json
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from .commands import call


@pytest.fixture
def customers(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    table = pd.DataFrame({
        "shop": [f"s{i}" for i in range(7)], "x": rng.uniform(0, 9, 7).round(2), "y": rng.uniform(0, 9, 7).round(2),
        "demand": [4, 7, 3, 6, 5, 2, 3], "price": [3, 9, 1, 5, 2, 8, 4], "team": [*"rrr", *[None] * 4],
        "wish": ["s0", None, "s2", *[None] * 4],
    })  # fmt: skip
    table.to_csv("customers.csv", index=False)
    return table


def cheapest(distances, demand, capacity, count, own=True, cost=None, further=(), kept=lambda served: True):
    """Least cost of `count` sites by complete enumeration; further demands with their capacities, what is kept."""
    n, m = distances.shape
    best = np.inf
    for sites in combinations(range(m), count):
        for served in product(sites, repeat=n):
            loads = np.bincount(served, demand, m)
            if any((np.bincount(served, other, m) > most).any() for other, most in further):
                continue
            if not kept(served):
                continue
            homes = not own or all(served[site] == site for site in sites)
            if (loads <= capacity).all() and len(set(served)) == count and homes:
                opening = 0.0 if cost is None else cost[list(sites)].sum()
                best = min(best, distances[np.arange(n), served].sum() + opening)
    return best


@pytest.mark.parametrize("per_unit", [False, True])
def test_depots_are_the_best_there_are(customers, capsys, per_unit):
    asked = f"depots customers.csv --id shop --demand demand -k 2 --capacity 17 -o out.csv {'--per-unit' * per_unit}"
    code, out, err = call(capsys, f"{asked} --json")
    assert code == 0, err
    found, places = json.loads(out), customers[["x", "y"]].to_numpy()
    distances = np.linalg.norm(places[:, None] - places, axis=2)
    costs = distances * customers[["demand"]].to_numpy() if per_unit else distances
    best = cheapest(costs, customers["demand"], 17, 2)
    assert found["objective"] == pytest.approx(best)
    assert found["bound"]["lower"] == pytest.approx(best)
    written = pd.read_csv("out.csv")
    served = written["depot"].map({name: row for row, name in enumerate(customers["shop"])})
    np.testing.assert_allclose(written["distance"], distances[np.arange(7), served])
    assert written.groupby("depot")["demand"].sum().max() <= 17


def test_sites_of_a_table_of_their_own_have_costs_and_capacities_of_their_own(customers, capsys):
    sites = pd.DataFrame({"y": [1.0, 8.0, 5.0], "x": [2.0, 3.0, 6.0], "rent": [4.0, 1.0, 9.0], "room": [9, 21, 12]})
    sites.to_csv("sites.csv", index=False)
    asked = "depots customers.csv --sites sites.csv --demand demand --capacity room --cost rent -k 2 --id shop --json"
    code, out, err = call(capsys, asked)
    assert code == 0, err
    distances = np.linalg.norm(customers[["x", "y"]].to_numpy()[:, None] - sites[["x", "y"]].to_numpy(), axis=2)
    demand, rent = customers["demand"], sites["rent"].to_numpy()
    best = cheapest(distances, demand, sites["room"].to_numpy(), 2, own=False, cost=rent)
    assert json.loads(out)["objective"] == pytest.approx(best)
    assert best > cheapest(distances, demand, 21, 2, own=False, cost=rent)


@pytest.mark.parametrize("options", ["--reach 5", "--fixed wish", "--reach 6.5 --fixed wish", "--capacity room"])
def test_ways_that_are_too_long_and_customers_that_are_fixed(customers, capsys, options):
    sites = pd.DataFrame({"shop": list("abc"), "y": [1.0, 8.0, 5.0], "x": [2.0, 3.0, 6.0], "room": [22, 13, 19]})
    sites.to_csv("sites.csv", index=False)
    customers.assign(wish=["b", *[None] * 5, "a"]).to_csv("customers.csv", index=False)
    distances = np.linalg.norm(customers[["x", "y"]].to_numpy()[:, None] - sites[["x", "y"]].to_numpy(), axis=2)
    words = (
        f"depots customers.csv --sites sites.csv --demand demand --capacity 21 -k 2 --id shop --json -o o.csv {options}"
    )
    further = ()
    if "room" in options:
        words, further = f"{words} --demand price", ((customers["price"], sites["room"]),)
    distances[distances > (6.5 if "6.5" in options else 5 if "5" in options else np.inf)] = np.inf
    if "wish" in options:
        distances[0, [0, 2]] = distances[6, 1:] = np.inf
    code, out, err = call(capsys, words)
    best = cheapest(distances, customers["demand"], 21, 2, own=False, further=further)
    if not np.isfinite(best):
        assert (code, out) == (2, "")
        assert "point" not in err
        return
    assert code == 0, err
    assert json.loads(out)["objective"] == pytest.approx(best)
    assert json.loads(out)["bound"]["lower"] == pytest.approx(best)


@pytest.mark.parametrize("columns", [list("abc"), list("abcdefg")])
def test_an_empty_cell_of_a_table_of_distances_forbids_a_pair(customers, capsys, columns):
    distances = np.random.default_rng(1).integers(1, 9, (7, len(columns))).astype(float)
    distances[[0, 2, 5], [0, 1, 2]] = np.nan
    ways = pd.DataFrame(distances, customers["shop"], columns)
    ways.iloc[::-1].to_csv("ways.csv")
    asked = "depots customers.csv --id shop --demand demand --capacity 17 -k 2 --distances ways.csv -o out.csv"
    code, out, err = call(capsys, asked)
    assert code == 0, err
    assert "3 pairs of customer and depot are forbidden" in out
    best = cheapest(np.where(np.isnan(distances), np.inf, distances), customers["demand"], 17, 2, own=False)
    assert pd.read_csv("out.csv")["distance"].sum() == pytest.approx(best)


def test_customers_share_a_depot_or_do_not(customers, capsys):
    customers.assign(team=[*"aa", None, None, 1, 1, None], foe=[7.0, *[None] * 3, 7.0, None, 7.0]).to_csv(
        "customers.csv"
    )
    places, asked = customers[["x", "y"]].to_numpy(), "-k 3 --id shop --demand demand --capacity 13 --per-customer"
    best = cheapest(
        np.linalg.norm(places[:, None] - places, axis=2), customers["demand"], 13, 3,
        kept=lambda s: s[0] == s[1] and s[4] == s[5] and len({s[0], s[4], s[6]}) == 3,
    )  # fmt: skip
    code, out, err = call(capsys, f"depots customers.csv {asked} --together team --apart foe --json -o out.csv")
    assert code == 0, err
    assert json.loads(out)["objective"] == pytest.approx(best)
    served = pd.read_csv("out.csv")["depot"]
    assert (served[0] == served[1], served[4] == served[5], served[[0, 4, 6]].nunique()) == (True, True, 3)


def test_depots_are_where_customers_are_on_average(customers, capsys):
    asked = "--id shop --demand demand --capacity 17 -k 2 --objective means --time-limit 1 --json -o o.csv"
    code, out, err = call(capsys, f"depots customers.csv {asked}")
    assert code == 0, err
    written = pd.read_csv("o.csv")
    far = written[["x", "y"]] - written.groupby("depot")[["x", "y"]].transform("mean")
    np.testing.assert_allclose(written["distance"], np.linalg.norm(far, axis=1))
    assert json.loads(out)["objective"] == pytest.approx(written["distance"].sum())


@pytest.mark.parametrize(("axes", "degree"), [("lat lon", 6371.0088 * np.pi / 180), ("y_km x_km", 1.0)])
def test_degrees_are_kilometres_on_the_earth(customers, capsys, axes, degree):
    pd.DataFrame(dict(zip(axes.split(), [[0.0, 0.0, 0.0], [0.0, 1.0, 90.0]]))).to_csv("places.csv", index=False)
    code, out, err = call(capsys, "depots places.csv -k 2 --json --report places.html")
    assert code == 0, err
    assert json.loads(out)["objective"] == pytest.approx(degree)
    assert "distances are in km" in Path("places.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("-k 2 --demand weight", "'weight'"),
        ("-k 2 --objective means --reach 3", "leave out --reach, or"),
        ("-k 2 --objective means --cost 3 --demand demand --demand price", "leave out --cost and all but one --demand"),
        ("-k 2 --objective means --capacity price", "leave out --capacity price, or"),
        ("-k 2 --distances ways.csv", "--distances ways.csv has no row '0'"),
        ("-k 2 --distances ways.csv --id shop --at x --at y", "--at does not go with --distances"),
        ("-k 2 --distances ways.csv --id shop --capacity room", "--capacity room is a column"),
        ("-k 2 --distances ways.csv --id shop --sites sites.csv", "has an unknown column 'b'"),
        ("-k 2 --distances gaps.csv --id shop", "only empty cells in row 's1'"),
        ("-k 2 --distances below.csv --id shop", "column 'b', holds -1.0 in row 's2'"),
        ("-k 2 --demand shop", "row 0"),
        ("-k 2 --at height", "'height'"),
        ("-k 2 --id nobody", "'nobody'"),
        ("", "--depots is missing"),
        ("-k 2 --demand demand --capacity 14", "(a common one to at least 15)"),
        ("-k 2 --demand demand --capacity 0", "the 2 largest capacities to 0: raise --depots"),
        ("-k 2 --capacity 3", "the number of customers sums to 7, and the 2 largest capacities to 6"),
        ("-k 5 --demand demand --capacity 6.5 --id shop", "shop s1 takes 7 of --demand demand, and sites that may"),
        ("-k 2 --demand demand --capacity nan", "--capacity nan is not usable: write a number of at least 0, or a"),
        ("-k 9", "--depots 9"),
        ("-k 2 --apart nobody", "no column 'nobody'"),
        ("-k 2 --id shop --apart team", "shop s0, s1, s2 need 3 clusters by --apart team, but there can be 2 at most"),
        (
            "-k 3 --id shop --apart team --together team",
            "shop s0 and s1 have different clusters by --apart team, but",
        ),
        (
            "-k 6 --together team",
            "--depots 6 exceeds the 5 candidates: give more of them (those",
        ),
        (
            "-k 3 --id shop --together team --fixed wish",
            "shop s0, s1, s2 (in one cluster by --together team) may be",
        ),
        (
            "-k 4 --together team --demand demand --capacity 10",
            "row 0, 1, 2 (in one cluster by --together team) takes",
        ),
        ("-k 2 --demand demand --capacity 15 --reach 1", "relax --capacity, --reach 1.0, or change --depots"),
        ("-k 2 --reach 0.01", "no clustering"),
        ("-k 2 --fixed price", "holds '9' in row 1"),
        ("-k 2 --demand demand --demand price --capacity 9", "--capacity is given 1 times and --demand 2 times"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(customers, capsys, options, said):
    ways = pd.DataFrame(np.ones((7, 2)), customers["shop"], ["a", "b"])
    ways.to_csv("ways.csv")
    ways.replace(1.0, np.nan).iloc[[1]].combine_first(ways.drop("s1")).to_csv("gaps.csv")
    ways.assign(b=[1, 1, -1, 1, 1, 1, 1.0]).to_csv("below.csv")
    pd.DataFrame({"shop": ["a"]}).to_csv("sites.csv", index=False)
    code, out, err = call(capsys, f"depots customers.csv {options}")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err
