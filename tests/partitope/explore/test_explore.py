"""The page: its answers are the library's, whoever computes them; a real browser drags, types and reads."""

from __future__ import annotations

import json
import webbrowser

import numpy as np
import pytest

from partitope.base.errors import InvalidInputError
from partitope.cli import run
from partitope.commands.explore.points import example_points, read_points
from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers import GeometricPartitioner, solve

from .reference import State, answer

COMPARED = [
    "labels", "sizes", "prices", "margin_prices", "objective", "primal", "dual",
    "lengths", "arc_points", "next_sites", "origin", "gradients", "offsets",
]  # fmt: skip


def state_of(seed: int, n: int | None = None, k: int | None = None, kind: str | None = None) -> State:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 90)) if n is None else n
    k = int(rng.integers(1, 9)) if k is None else k
    kind = ("lsa", "csa")[seed % 2] if kind is None else kind
    points = rng.normal(size=(n, 2)) * rng.choice([0.01, 1.0, 50.0]) + 5 * rng.normal(size=2)
    sites = points[rng.integers(0, n, k)] + 0.1 * rng.normal(size=(k, 2))
    lower = rng.integers(0, max(1, n // k + 1), k)
    upper = lower + rng.integers(0, 2 * (n // k) + 2, k)
    return made(kind, points.tolist(), sites.tolist(), lower.tolist(), upper.tolist())


def made(kind: str, points: list, sites: list, lower: list, upper: list) -> State:
    return {"kind": kind, "points": points, "sites": sites, "lower": lower, "upper": upper}


def assert_same_answer(found: dict, expected: dict, rtol: float = 1e-8) -> None:
    """Equal errors, or equal numbers; only the time and rounding in the gap may differ."""
    assert found["error"] == expected["error"]
    if expected["error"] is not None:
        return
    size = max(abs(expected["primal"]), abs(expected["objective"]), np.abs(expected["origin"]).max())
    for name in COMPARED:
        one, other = (np.array(record[name], dtype=float) for record in (found, expected))
        np.testing.assert_allclose(one, other, rtol=rtol, atol=1e-10 * size, err_msg=name)
    assert found["verified"]
    assert expected["verified"]
    assert abs(found["gap"]) < 1e-9


# ---- the answers of the library


@pytest.mark.parametrize("seed", range(6))
def test_answer_is_a_proved_optimum_with_walls_that_hold_the_clusters(seed):
    state = state_of(seed, n=40, k=4)
    reply = answer(state)
    X, sites = np.array(state["points"]), np.array(state["sites"])
    polytope = PartitionPolytope(40, state["lower"], state["upper"])
    if not polytope.is_feasible:
        assert "sum(" in reply["error"]
        return
    if state["kind"] == "csa":
        model = AssignmentModel.csa(X - X.mean(axis=0), sites / np.linalg.norm(sites, axis=1)[:, None], polytope)
    else:
        model = AssignmentModel.lsa(X, sites, polytope)
    assert reply["verified"]
    assert reply["primal"] == pytest.approx(solve(model, "highs").objective, rel=1e-9)
    scores = (X - reply["origin"]) @ np.transpose(reply["gradients"]) + reply["offsets"]
    for prices in (reply["prices"], reply["margin_prices"]):
        reduced = scores - prices
        assert (reduced[np.arange(40), reply["labels"]] >= reduced.max(axis=1) - 1e-9 * np.ptp(scores)).all()


@pytest.mark.parametrize("kind", ["lsa", "csa"])
def test_steps_of_the_page_are_the_partitioners_own(kind):
    state = {**state_of(4, n=60, k=3, kind=kind), "lower": [15] * 3, "upper": [25] * 3}
    history = [answer(state)]
    while True:
        state = {**state, "sites": history[-1]["next_sites"]}
        following = answer(state)
        gain = following["objective"] - history[-1]["objective"]
        if (gain if kind == "csa" else -gain) <= 1e-13 * abs(following["objective"]):
            break
        history.append(following)
    first = state_of(4, n=60, k=3, kind=kind)
    model = GeometricPartitioner(3, lower=15, upper=25, objective=kind, init=np.array(first["sites"]))
    trace = model.fit(np.array(first["points"])).partition_.history["objective"]
    assert [reply["objective"] for reply in history] == pytest.approx(trace, rel=1e-12)


def test_fewer_points_than_clusters_is_an_answer_not_a_crash():
    assert "exceeds n_samples=2" in answer(made("lsa", [[0, 0], [1, 1]], [[0, 0]] * 3, [0] * 3, [2] * 3))["error"]


# ---- the page as a text, files of points, the command


@pytest.mark.parametrize("text", ["x,y\n1,2\n3,4\n", "x;name;y\n1;a;2\n3;b;4", "\ufeffx y\n1 2\n3 4\n"])
def test_points_are_the_first_two_columns_of_numbers(tmp_path, text):
    file = tmp_path / "points.csv"
    file.write_text(text, encoding="utf-8")
    assert read_points(file).tolist() == [[1.0, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize(
    "text, said",
    [
        ("x,y\n1,2\n3,oops\n", "holds 1 columns of numbers"),
        ("x,y\n1,2\n3,\n", "row 2 lacks a number"),
        ("1,2\n3,4\n", "begins with the numbers 1, 2: write a header line"),
        ("x,y\n", "no rows"),
    ],
)
def test_bad_files_of_points_say_what_is_wrong(tmp_path, text, said):
    file = tmp_path / "points.csv"
    file.write_text(text)
    with pytest.raises(InvalidInputError, match=said):
        read_points(file)


def test_command_exports_one_file(tmp_path, capsys):
    points, page = tmp_path / "points.csv", tmp_path / "page.html"
    points.write_text("x,y\n" + "\n".join(f"{x},{y}" for x, y in example_points(3)[:20]))
    assert run(["explore", str(points), "-k", "4", "--lower", "4", "--upper", "6", "--export", str(page)]) == 0
    settings = json.loads(page.read_text().split('id="settings">')[1].split("</script>")[0])
    assert settings["state"]["lower"] == [4] * 4
    assert len(settings["state"]["points"]) == 20
    assert run(["explore", str(points), "-k", "4", "--lower", "9", "--export", str(tmp_path / "no.html")]) == 2
    assert "sum(lower)=36 exceeds n_points=20" in capsys.readouterr().err
    assert not (tmp_path / "no.html").exists()


def test_command_opens_the_page_with_the_article_beside_it(monkeypatch, capsys, tmp_path):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.chdir(tmp_path)
    assert run(["explore", "--kind", "csa"]) == 0
    assert opened == [(tmp_path / "explore.html").as_uri()]
    assert "pages: explore.html and explore-article.html" in capsys.readouterr().err
    assert '"kind": "csa"' in (tmp_path / "explore.html").read_text()
    assert '"laboratory": "explore.html"' in (tmp_path / "explore-article.html").read_text()
    assert run(["explore", "--article", "--no-browser"]) == 0
    assert len(opened) == 1


# ---- a real browser


def checked(page) -> dict:
    """The page's answer, after comparing it with the library's for the page's own state."""
    page.wait_for_function("window.partitope && partitope.answer && partitope.idle")
    found = page.evaluate("partitope.answer")
    assert_same_answer(found, answer(page.evaluate("partitope.state")))
    return found


def place_of_site(page, i: int) -> tuple[float, float]:
    left, right, bottom, top = page.evaluate("partitope.box")
    x, y = page.evaluate(f"partitope.state.sites[{i}]")
    area = page.locator("#canvas").bounding_box()
    across, down = (x - left) / (right - left), (top - y) / (top - bottom)
    return area["x"] + across * area["width"], area["y"] + down * area["height"]


def drag(page, start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=6)
    page.mouse.up()


@pytest.mark.browser
def test_port_answers_like_the_library(open_page):
    page = open_page()
    states = [state_of(seed) for seed in range(150)]
    rng = np.random.default_rng(5)
    points = rng.uniform(size=(500, 2)).round(6).tolist()  # the size that is promised
    for kind in ("lsa", "csa"):
        for lower, upper in [(62, 63), (0, 500), (40, 90)]:
            states.append(made(kind, points, (rng.normal(size=(8, 2))).tolist(), [lower] * 8, [upper] * 8))
    found = page.evaluate("states => states.map(PartitopeEngine.answer)", states)
    expected = [answer(state) for state in states]
    assert sum(reply["error"] is None for reply in expected) > 100
    assert sum(reply["error"] is not None for reply in expected) > 10
    for one, other in zip(found, expected):
        assert_same_answer(one, other)
    nearby = "states => states.map((state) => PartitopeEngine.answer(state, state.sites.map((a) => 9 * a[0])))"
    for one, other in zip(page.evaluate(nearby, states), expected):
        assert_same_answer(one, other)  # whatever prices it begins with


@pytest.mark.browser
def test_port_proves_optimality_where_ties_leave_labels_open(open_page):
    page = open_page()
    grid = [[float(a), float(b)] for a in range(6) for b in range(6)]
    states = [
        made(kind, points, sites, lower, upper)
        for kind in ("lsa", "csa")
        for points in (grid, [[1.0, 2.0]] * 36)
        for sites in ([[1.0, 1.0], [4.0, 4.0], [1.0, 4.0]], [[2.5, 2.5]] * 3)
        for lower, upper in [([12] * 3, [12] * 3), ([0, 5, 20], [40, 9, 36]), ([0] * 3, [36] * 3)]
    ]
    found = page.evaluate("states => states.map(PartitopeEngine.answer)", states)
    for one, state in zip(found, states):
        other = answer(state)
        assert one["error"] is None
        assert one["verified"]
        assert other["verified"]
        assert one["primal"] == pytest.approx(other["primal"], abs=1e-9)
        assert sum(one["sizes"]) == 36


@pytest.mark.browser
def test_dragging_a_site_and_tightening_a_bound_move_labels_and_prices_together(open_page):
    page = open_page()
    before = checked(page)
    start = place_of_site(page, 0)
    drag(page, start, (start[0] + 60, start[1] + 90))
    dragged = checked(page)
    assert dragged["labels"] != before["labels"]
    assert dragged["prices"] != before["prices"]

    page.get_by_label("Cluster 2 holds at most, as a number").fill("47")
    tightened = checked(page)
    assert tightened["sizes"][2] <= 47
    assert tightened["labels"] != dragged["labels"]
    shown = page.locator("#clusters .cluster").nth(2).get_attribute("data-price")
    assert float(shown) == pytest.approx(tightened["prices"][2], rel=1e-12)


@pytest.mark.browser
def test_points_are_dragged_drawn_erased_and_loaded(open_page, tmp_path):
    page = open_page()
    area = page.locator("#canvas").bounding_box()
    corner = (area["x"] + 12, area["y"] + 12)
    page.check("input[value=draw]")
    page.mouse.click(*corner)
    assert len(checked(page)["labels"]) == 151
    page.check("input[value=move]")
    drag(page, corner, (corner[0] + 30, corner[1] + 20))
    checked(page)
    moved = page.evaluate("partitope.state.points[150]")
    page.check("input[value=erase]")
    page.mouse.click(corner[0] + 30, corner[1] + 20)
    assert len(checked(page)["labels"]) == 150
    assert moved not in page.evaluate("partitope.state.points")
    file = tmp_path / "points.csv"
    file.write_text("1,2\nfoo,bar\n")
    page.set_input_files("#file", file)
    page.wait_for_function("document.getElementById('error').textContent.includes('line 2')")
    assert page.evaluate("partitope.state.points.length") == 150


@pytest.mark.browser
def test_keyboard_alone_moves_sites_and_the_change_is_spoken(open_page):
    page = open_page()
    before = page.evaluate("partitope.state.sites")
    page.focus("#canvas")
    page.keyboard.press("1")
    for _ in range(4):
        page.keyboard.press("Shift+ArrowDown")
    after = page.evaluate("partitope.state.sites")
    assert after[1][1] < before[1][1]
    assert after[0] == before[0]
    points = page.evaluate("partitope.state.points")
    for key in ("n", "n", "p", "n", "ArrowLeft"):
        page.keyboard.press(key)
    moved = page.evaluate("partitope.state.points")
    assert moved[1][0] < points[1][0]
    assert moved[:1] + moved[2:] == points[:1] + points[2:]
    sizes = ", ".join(map(str, checked(page)["sizes"]))
    page.wait_for_function(f"document.getElementById('live').textContent.includes('Sizes {sizes}')")
    assert page.locator("#live").get_attribute("aria-live") == "polite"
    page.check("input[value=draw]")
    page.focus("#canvas")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert len(checked(page)["labels"]) == 151
    slider = page.get_by_label("Cluster 1 holds at most", exact=True)
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("partitope.state.upper[1]") == 56
    for control in page.locator("button, input, select").all():  # every control has a name
        assert control.evaluate("e => (e.labels && e.labels.length) || e.ariaLabel || e.textContent.trim()")


@pytest.mark.browser
def test_lifted_picture_and_exchange_graph_show_the_arcs_without_loss(open_page):
    page = open_page()
    page.click("#show-lifted")
    page.click("#show-graph")
    reply = checked(page)
    mu, k = reply["prices"], 3
    scale = max(abs(w) for row in reply["lengths"] for w in row if w is not None)
    free = [
        f"point {reply['arc_points'][i][j]} from {i} to {j}"
        for i in range(k)
        for j in range(k)
        if i != j and abs(reply["lengths"][i][j] - mu[i] + mu[j]) <= 1e-9 * scale
    ]
    assert free
    for words in free:
        assert words in page.locator("#graph-text").inner_text()
    assert page.locator("#lifted-svg polyline").count() >= k + 1
    bottom, top = page.evaluate("partitope.box.slice(2)")
    area, height = page.locator("#canvas").bounding_box(), float(page.input_value("#cut"))
    line = (area["x"] + 3, area["y"] + (1 - height) * area["height"])
    drag(page, line, (line[0], line[1] + 0.2 * area["height"]))
    assert float(page.input_value("#cut")) == pytest.approx(height - 0.2, abs=0.02)
    assert f"Cut at y = {bottom + float(page.input_value('#cut')) * (top - bottom):.3g}" in page.inner_text(
        "#lifted-text"
    )
    page.click("#show-graph")
    assert page.locator("#graph").is_hidden()
