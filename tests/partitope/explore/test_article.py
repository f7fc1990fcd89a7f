"""The article: a reader's way through every scene, and what its scripts compute against the library."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from partitope.cli import run
from partitope.commands.explore.page import build_article, build_page
from partitope.models import PartitionPolytope

from .reference import answer

pytestmark = [pytest.mark.browser, pytest.mark.full]


@pytest.fixture
def article(open_page, tmp_path):
    """The exported article, opened from the disk without a network."""

    def opened(width: int = 1280, **options):
        file = tmp_path / "article.html"
        assert run(["explore", "--article", "--export", str(file)]) == 0
        assert file.stat().st_size <= 2_000_000
        return open_page(file.as_uri(), width=width, ready="window.partitopeArticle", **options)

    return opened


def scene(page, number: int):
    return page.locator(f"#scene-{number}")


def slide(page, number: int, label: str, value: float) -> None:
    scene(page, number).get_by_role("slider", name=label).fill(str(value))


def click_point(page, number: int, point: int) -> None:
    canvas = scene(page, number).locator("canvas").first
    canvas.scroll_into_view_if_needed()
    x, y = page.evaluate(
        "([s, j]) => partitopeArticle.scenes[s].plane.place(partitopeArticle.scenes[s].data.state.points[j])",
        [number - 1, point],
    )
    canvas.click(position={"x": x, "y": y})


def data(page, number: int, words: str):
    return page.evaluate(f"(() => {{ const {{ data }} = partitopeArticle.scenes[{number - 1}]; return {words}; }})()")


def said(page, number: int) -> str:
    return scene(page, number).locator(".answer").inner_text()


def best_sum(state: dict) -> tuple[float, list[int]]:
    """The smallest sum of squares about the sites, and the sizes, by the library."""
    reply = answer(state)
    X, sites = np.array(state["points"]), np.array(state["sites"])
    return float(((X - sites[reply["labels"]]) ** 2).sum()), reply["sizes"]


def exchange(page, number: int) -> tuple[int, int]:
    labels = data(page, number, "data.labels")
    pair = labels.index(0), labels.index(1)
    for point in pair:
        click_point(page, number, point)
    scene(page, number).get_by_role("button", name="Exchange the two points").click()
    return pair


def read_assignment(page) -> None:
    exchange(page, 1)
    state = data(page, 1, "data.state")
    X, sites, labels = np.array(state["points"]), np.array(state["sites"]), data(page, 1, "data.labels")
    rise = ((X - sites[labels]) ** 2).sum() - best_sum(state)[0]
    assert rise > 0
    assert f"rose by {rise:.4g}" in said(page, 1)
    best = np.array(answer(state)["labels"])
    cheapest = min(
        sum(((X[a] - sites[best[b]]) ** 2).sum() - ((X[a] - sites[best[a]]) ** 2).sum() for a, b in [(p, q), (q, p)])
        for p in range(24)
        for q in range(p)
        if best[p] != best[q]
    )
    assert f"costs {cheapest:.4g} more" in said(page, 1)


def read_bound(page) -> None:
    state = data(page, 2, "data.state")
    assert best_sum(state)[1][0] == 9  # it binds
    slide(page, 2, "at most", 16)
    value, sizes = best_sum({**state, "upper": [16, 9, 9]})
    assert f"From {sizes[0]} points on" in said(page, 2)
    assert f"V stays at {value:.4g}" in said(page, 2)
    assert best_sum({**state, "upper": [sizes[0] - 1, 9, 9]})[0] > value + 1e-9


def read_price(page) -> None:
    state, price = data(page, 3, "data.state"), data(page, 3, "data.answer.prices[0]")
    values = [best_sum({**state, "upper": [u, 9, 9]})[0] for u in (8, 9, 10)]
    assert values[1] - values[2] - 1e-9 <= price <= values[0] - values[1] + 1e-9
    slide(page, 3, "my guess", 12)
    assert said(page, 3) == ""  # a guess is not an answer
    slide(page, 3, "at most", 10)
    assert f"one more place was worth {values[1] - values[2]:.4g}; you guessed 12" in said(page, 3)
    falls = [a - b for a, b in pairwise(best_sum({**state, "upper": [u, 9, 9]})[0] for u in range(6, 17))]
    assert all(later <= earlier + 1e-9 for earlier, later in pairwise(falls))  # each further place is worth less


def read_wall(page) -> None:
    assert max(data(page, 4, "data.labels.map((l) => data.labels.filter((m) => m === l).length)")) > 9
    for site, price in enumerate(
        data(page, 4, "data.answer.margin_prices.map((m) => m - Math.min(...data.answer.margin_prices))")
    ):
        slide(page, 4, f"price of {site}", round(price * 4) / 4)
    assert f"the best possible is {best_sum(data(page, 4, 'data.state'))[0]:.4g}" in said(page, 4)
    scene(page, 4).locator("canvas").first.click(position={"x": 5, "y": 5})
    assert "≤" in scene(page, 4).locator(".said").inner_text()
    scene(page, 4).scroll_into_view_if_needed()
    cut, canvas = data(page, 4, "data.cut"), scene(page, 4).locator("canvas").first.bounding_box()
    x, y = page.evaluate("partitopeArticle.scenes[3].plane.place([9, partitopeArticle.scenes[3].data.cut])")
    page.mouse.move(canvas["x"] + x, canvas["y"] + y)
    page.mouse.down()
    page.mouse.move(canvas["x"] + x, canvas["y"] + y - 40)
    page.mouse.up()
    assert data(page, 4, "data.cut") > cut
    click_point(page, 4, 3)
    assert "the cheapest" in scene(page, 4).locator(".said").inner_text()


def read_dual(page) -> None:
    assert data(page, 5, "data.bound") < data(page, 5, "data.value")
    for _ in range(20):
        scene(page, 5).get_by_role("button", name="Raise where it is too full").click()
    for site, price in enumerate(data(page, 5, "data.answer.prices")):
        slide(page, 5, f"price of {site}", round(price * 4) / 4)
    state, mu = data(page, 5, "[data.state, data.mu]")
    X, sites = np.array(state["points"]), np.array(state["sites"])
    charges = ((X[:, None] - sites) ** 2).sum(axis=2) + mu
    bound = charges.min(axis=1).sum() - sum(
        m * (u if m > 0 else l) for m, l, u in zip(mu, state["lower"], state["upper"])
    )
    assert bound <= best_sum(state)[0] + 1e-9
    assert data(page, 5, "data.bound") == pytest.approx(bound)
    value = best_sum(state)[0]
    assert f"V = {value:.4g}" in said(page, 5)
    assert 0.98 * value <= float(said(page, 5).split("D(μ) = ")[1].split()[0]) <= 1.0001 * value


def read_certificate(page) -> None:
    pair = exchange(page, 6)
    assert said(page, 6) == ""
    scene(page, 6).get_by_role("button", name="Read the next point").click()
    scene(page, 6).get_by_role("button", name="Read all").click()
    assert all(f"point {point} by" in scene(page, 6).locator(".said").inner_text() for point in pair)
    gap, lost = data(page, 6, "[data.own - data.least, PartitopeExample.cost(data.state, data.labels) - data.value]")
    assert gap == pytest.approx(lost)
    assert f"they lose {gap:.4g}" in said(page, 6)


def every_objective(page) -> np.ndarray:
    """The value of every clustering of scenes 7 and 8, by enumeration."""
    state = data(page, 7, "data.state")
    X = np.array(state["points"]) - np.mean(state["points"], axis=0)
    polytope = PartitionPolytope(len(X), state["lower"], state["upper"])
    return np.array([np.linalg.norm(X[np.array(labels) == 0].sum(axis=0)) * 2 for labels in polytope.enumerate()])


def read_local(page) -> None:
    for name in ["Run to the end", *["Start elsewhere", "Run to the end"] * 8]:
        scene(page, 7).get_by_role("button", name=name).click()
    ends, values = data(page, 7, "data.ends"), every_objective(page)
    assert len(ends) > 1
    assert all(np.isclose(values, end).any() for end in ends)
    assert "The ends are worth" in said(page, 7)
    assert str(len(values)) in scene(page, 7).locator(".formula").inner_text()


def read_global(page) -> None:
    values = every_objective(page)
    for count in (4, 7, 12, 32):
        slide(page, 8, "directions", count)
        best, bound = data(page, 8, "[data.best, data.bound]")
        assert best <= values.max() * (1 + 1e-12) <= bound * (1 + 1e-9)
        assert bool(said(page, 8)) is (bound <= 1.01 * best)
    assert f"none of the {len(values)} clusterings" in said(page, 8)


READERS = [read_assignment, read_bound, read_price, read_wall, read_dual, read_certificate, read_local, read_global]


@pytest.mark.full
def test_a_first_reader_moves_something_in_every_scene_and_sees_its_answer(article):
    page = article()
    assert page.locator(".scene h2").count() == 11
    for number, read in enumerate(READERS, start=1):
        whole = "JSON.stringify(data, (name, value) => (name === 'milliseconds' ? 0 : value))"
        start = data(page, number, whole)
        assert said(page, number) == ""
        assert scene(page, number).get_by_role("button", name="Show me").is_disabled()
        read(page)
        assert said(page, number)
        scene(page, number).get_by_role("button", name="Reset").click()
        assert said(page, number) == ""
        assert data(page, number, whole) == start


@pytest.mark.parametrize("width, scheme", [(1440, "light"), (390, "dark")])
def test_the_keyboard_is_enough_and_no_width_scrolls_sideways(article, width, scheme):
    page = article(width, color_scheme=scheme, reduced_motion="reduce")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for number in range(1, 9):
        slider = scene(page, number).locator("input[type=range]")
        if slider.count():
            slider.first.focus()
            page.keyboard.press("ArrowRight")
        else:
            scene(page, number).locator(".panel button").first.focus()
            page.keyboard.press("Enter")
        if not said(page, number):
            scene(page, number).get_by_role("button", name="Show me").focus()
            page.keyboard.press("Enter")
        assert said(page, number), number
    page.locator("#polytope canvas").nth(1).focus()
    turned = "partitopeArticle.laboratories[0].space.yaw"
    before = page.evaluate(turned)
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(turned) != before
    for name in page.locator("#simplex .panel button").all_inner_texts():
        assert name in ("Back", "Forwards", "To the end", "Reset")


def test_polytopes_have_the_corners_that_another_hull_finds(article):
    page = article()
    rng = np.random.default_rng(1)
    build = """([p, l, u]) => {
        const built = PartitopePolytope.build(p, l, u);
        return [built.corners.map((c) => c.at), built.facets.length, built.all.length];
    }"""
    for n, l, u in [(8, [0, 0], [8, 8]), (9, [3, 0], [6, 9]), (10, [2, 1], [8, 9]), (7, [0, 2], [7, 5])]:
        points = rng.integers(-20, 20, (n, 2)).tolist()
        corners, facets, count = page.evaluate(build, [points, l, u])
        clusterings = PartitionPolytope(n, l, u).enumerate()
        Y = n * np.array(points) - np.sum(points, axis=0)
        sums = [[*Y[np.array(labels) == 0].sum(axis=0), int(np.sum(np.array(labels) == 0))] for labels in clusterings]
        hull = ConvexHull(np.array(sums, dtype=float))
        assert count == len(sums)
        assert {tuple(c) for c in corners} == {tuple(map(int, hull.points[v])) for v in hull.vertices}
        assert facets == len(np.unique(hull.equations.round(9), axis=0))


def test_pivots_end_where_the_library_ends_and_never_lose(article):
    page = article()
    rng = np.random.default_rng(2)
    solve = """([gamma, l, u]) => {
        let basis = PartitopeSimplex.first(gamma, l, u);
        const values = [[basis.primal, basis.dual]];
        for (let at = PartitopeSimplex.choose(basis); at !== null; at = PartitopeSimplex.choose(basis)) {
            basis = PartitopeSimplex.pivot(basis, at);
            values.push([basis.primal, basis.dual]);
        }
        return [values, PartitopeSimplex.labelsOf(basis), basis.mu];
    }"""
    for _ in range(30):
        n, k = int(rng.integers(4, 16)), int(rng.integers(2, 5))
        points, sites = rng.integers(0, 9, (n, 2)), rng.uniform(0, 9, (k, 2))
        lower = rng.integers(0, n // k + 1, k)
        upper = np.minimum(np.maximum(lower, -(-n // k)) + rng.integers(0, 2, k), n)
        bounds = {"lower": lower.tolist(), "upper": upper.tolist()}
        state = {"kind": "lsa", "points": points.tolist(), "sites": sites.tolist(), **bounds}
        gamma = 2 * (points - points.mean(0)) @ (sites - points.mean(0)).T - ((sites - points.mean(0)) ** 2).sum(axis=1)
        values, labels, mu = page.evaluate(solve, [gamma.tolist(), state["lower"], state["upper"]])
        primal, dual = np.transpose(values)
        expected = answer(state)["primal"]
        assert (np.diff(primal) >= -1e-9).all()
        assert (dual >= expected - 1e-9 * abs(expected)).all()
        assert primal[-1] == pytest.approx(expected, abs=1e-7)
        assert dual[-1] == pytest.approx(expected, abs=1e-7)
        sizes = np.bincount(labels, minlength=k)
        assert ((sizes >= lower) & (sizes <= upper)).all()
        assert all((m <= 1e-9 or s == u) and (m >= -1e-9 or s == l) for m, s, l, u in zip(mu, sizes, lower, upper))


def test_the_laboratory_of_bounds_agrees_with_the_library(article):
    page = article()
    lab = "partitopeArticle.laboratories[2].data"
    state = page.evaluate(f"{lab}.state")
    page.locator("#bounds select").first.select_option("lower")
    page.locator("#bounds select").nth(1).select_option("2")
    for entry in page.evaluate(f"{lab}.values")[::4]:  # upper bounds are the second and the third scene
        assert entry["v"] == pytest.approx(best_sum({**state, "lower": [*state["lower"][:2], entry["bound"]]})[0])
    common = page.evaluate(f"{lab}.common")
    assert {(c["l"], c["u"]) for c in common} == {(l, u) for l in range(9) for u in range(max(l, 8), 25)}
    for pair in common[::23]:
        assert pair["v"] == pytest.approx(best_sum({**state, "lower": [pair["l"]] * 3, "upper": [pair["u"]] * 3})[0])
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV").click()
    assert download.value.path().read_text().startswith("bound,value,price_left,price_right\n")
    with page.expect_download() as download:
        page.get_by_role("button", name="SVG").click()
    text = download.value.path().read_text()
    assert text.startswith("<svg")
    assert "var(" not in text


def test_pages_point_to_each_other_and_load_nothing(monkeypatch, tmp_path, open_page):
    monkeypatch.chdir(tmp_path)
    assert run(["explore", "--no-browser"]) == 0
    page = open_page((tmp_path / "explore.html").as_uri())
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.click("#article")
    page.wait_for_function("window.partitopeArticle")
    page.locator("a.laboratory").click()
    page.wait_for_function("window.partitope && partitope.answer")
    page.click("text=What bounds cost here")
    given = "partitopeArticle.laboratories[2].data.state.points.length"
    page.wait_for_function(f"window.partitopeArticle && {given} === 150")
    assert all(url.startswith((tmp_path.as_uri(), "data:")) for url in asked)
    for text in (build_article(), build_page()):
        assert not any(word in text for word in ("http://", "https://", "src=", "@import", "url(http", "{{"))
