"""Links, undo, Back, scenarios, files and colours of the page, in a real browser."""

from __future__ import annotations

import re

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.full]


def alert(page) -> str:
    return page.get_by_role("alert").inner_text()


def place_of(page, site: int) -> tuple[float, float]:
    left, right, bottom, top = page.evaluate("partitope.box")
    x, y = page.evaluate(f"partitope.state.sites[{site}]")
    area = page.locator("#canvas").bounding_box()
    return (
        area["x"] + (x - left) / (right - left) * area["width"],
        area["y"] + (top - y) / (top - bottom) * area["height"],
    )


def drag(page, site: int, dx: float, dy: float) -> None:
    x, y = place_of(page, site)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + dx, y + dy, steps=4)
    page.mouse.up()


def test_a_damaged_link_says_so_and_opens_nothing_else(open_page, settle):
    page = open_page()
    base = page.url.split("#")[0]
    link = page.evaluate("partitope.link()")
    assert re.fullmatch(r"#p2\.[0-9a-f]{8}\.z\.[\w-]+", link)
    middle = len(link) // 2
    other = "A" if link[middle] != "A" else "B"
    bomb = page.evaluate("""async () => {
        const state = { kind: "x".repeat(3e6) };
        return PartitopeLinks.toLink(state, {});
    }""")
    damaged = [
        link[:200], link[:-1], link[: middle] + other + link[middle + 1 :], link + "A", "#p2.00000000.z.", "#%",
        "#p3" + link[3:], "#kind=lsa&l=%", "#kind=lsa&l=1,1&u=9,9&s=0,0;1,1&p=0,0;1,1;2,2;3,3",
        "#<img src=x onerror=alert(1)>", bomb,
    ]  # fmt: skip
    before = page.evaluate("partitope.state")
    read = "hash => PartitopeLinks.fromLink(hash).then(() => 'opened', (problem) => problem.message)"
    for hash_ in damaged:
        assert "link" in page.evaluate(read, hash_), hash_[:60]
    for hash_ in (damaged[0], "#%", "#kind=lsa&l=%"):
        again = page.context.new_page()
        again.goto("about:blank")
        again.goto(base + hash_)
        settle(again)
        assert "link" in alert(again), hash_[:60]
        assert again.evaluate("partitope.state") == before  # the file's own
        again.close()
    drag(page, 0, 30, 30)  # pasted into the address bar of an open page: what is there stays
    before = page.evaluate("partitope.state")
    page.goto(base + link[:200])
    page.wait_for_function("document.getElementById('error').textContent.includes('damaged')")
    assert page.evaluate("partitope.state") == before
    drag(page, 0, 5, 5)
    assert alert(page) == ""


def test_undo_redo_and_back_go_over_the_same_steps(open_page, settle):
    page = open_page()
    states = [page.evaluate("partitope.state")]
    drag(page, 0, 40, 30)
    states.append(page.evaluate("partitope.state"))
    page.select_option("#kind", "csa")
    states.append(page.evaluate("partitope.state"))
    page.get_by_label("Cluster 2 holds at most, as a number").fill("47")
    states.append(page.evaluate("partitope.state"))
    page.locator("#canvas").focus()

    def shows(wanted: dict) -> None:
        page.wait_for_function(
            "wanted => JSON.stringify(partitope.state) === wanted", arg=page.evaluate("JSON.stringify", wanted)
        )
        settle(page)

    for act, wanted in [
        (lambda: page.keyboard.press("Control+z"), 2), (page.go_back, 1), (lambda: page.click("#undo"), 0),
        (lambda: page.click("#redo"), 1), (page.go_forward, 2), (lambda: page.keyboard.press("Control+Shift+Z"), 3),
        (page.go_back, 2), (lambda: page.click("#undo"), 1),
    ]:  # fmt: skip
        act()
        shows(states[wanted])
    drag(page, 0, 0, 40)
    assert page.locator("#redo").is_disabled()
    link = page.evaluate("partitope.link()")
    page.wait_for_function("link => location.hash === link", arg=link)  # a reload shows the same
    page.reload()
    settle(page)
    assert page.evaluate("partitope.link()") == link


def test_the_last_picture_stays_pale_where_bounds_are_infeasible(open_page):
    page = open_page()
    picture = "document.getElementById('canvas').toDataURL()"
    page.click("#show-graph")
    before = page.evaluate(picture)
    page.get_by_label("Cluster 0 holds at least, as a number").fill("120")
    page.wait_for_function("document.getElementById('error').textContent !== ''")
    assert page.evaluate(picture) == before
    assert page.locator("canvas.past").count() == 1
    assert page.locator("#error").bounding_box()["y"] < page.locator("#canvas").bounding_box()["y"]
    assert page.locator("#objective").inner_text() == "–"
    assert page.locator("#time").inner_text() == "–"
    assert page.locator("#graph-svg *").count() == 0
    assert page.locator(".size").all_inner_texts() == ["no assignment"] * 3
    page.get_by_label("All clusters hold at least, as a number").fill("50")  # one row for all of them
    page.wait_for_function("document.getElementById('error').textContent === ''")
    assert page.locator(".size").all_inner_texts() == ["50 points"] * 3
    assert page.locator("canvas.past").count() == 0


def test_links_to_points_that_the_page_draws_itself_are_short(open_page, settle):
    page = open_page()
    page.select_option("#example", "moons")
    settle(page)
    link = page.evaluate("partitope.link()")
    assert len(link) < 300
    points = page.evaluate("partitope.state.points")
    read = page.evaluate("link => PartitopeLinks.fromLink(link)", link)
    assert read["state"]["points"] == points


def test_files_of_several_columns_are_asked_about(open_page, tmp_path):
    page = open_page()
    file = tmp_path / "cities.csv"
    file.write_text("id,<b>x</b>,y,z\n" + "\n".join(f"{j},{j % 7},{j % 5},{j % 3}" for j in range(30)))
    page.set_input_files("#file", file)
    page.get_by_role("dialog").wait_for()
    assert page.locator("#preview b").count() == 0
    assert page.locator("#column-x").evaluate("s => s.selectedOptions[0].text") == "<b>x</b>"
    page.select_option("#column-y", "3")
    page.click("text=Show these points")
    page.wait_for_function("partitope.state.points.length === 30")
    assert page.evaluate("partitope.state.points[4]") == [4, 1]
    assert page.locator("#loaded").inner_text() == "cities.csv: 30 points of <b>x</b> and z"
    page.set_input_files("#file", file)
    page.get_by_role("dialog").wait_for()
    page.click("text=Cancel")
    assert page.evaluate("partitope.state.points.length") == 30
