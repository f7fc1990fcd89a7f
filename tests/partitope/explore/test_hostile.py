"""What nobody meant to send: files and links are read rightly or refused in one sentence, and nothing drops."""

from __future__ import annotations

import json

import numpy as np
import pytest

from partitope.base.errors import InvalidInputError
from partitope.cli import run
from partitope.commands.explore.page import build_page

from .reference import answer

TEXTS = {  # text of a file -> names, the two columns that are taken, the first point
    "1,5;2,5\n2,5;3,5\n": (["column 1", "column 2"], [0, 1], [1.5, 2.5]),
    "1,5 2,5\n2,5 3,5\n": (["column 1", "column 2"], [0, 1], [1.5, 2.5]),
    "1,5\n2,6\n": (["column 1", "column 2"], [0, 1], [1.0, 5.0]),
    "id,x,y\n1,0.5,7\n2,0.25,9\n3,8,8\n": (["id", "x", "y"], [1, 2], [0.5, 7.0]),
    "1,0.5,7\n2,0.25,9\n3,8,8\n": (["column 1", "column 2", "column 3"], [1, 2], [0.5, 7.0]),
    "name;x;y\na;1;2\nb;3;4\n": (["name", "x", "y"], [1, 2], [1.0, 2.0]),
    "x\ty\tz\n-1e-3\t.5\t1\n2\t2.\t0\n": (["x", "y", "z"], [0, 1], [-0.001, 0.5]),
    '"a, b",y\n1,2\n3,4\n': (["a, b", "y"], [0, 1], [1.0, 2.0]),
    "\ufeffx y\x85z\r1 2\x1c4\u2028\r\n2\x0b3 1": (["x", "y", "z"], [0, 1], [1.0, 2.0]),
    "<img src=x onerror=alert(1)>,__proto__\n1,2\n4,3\n": (
        ["<img src=x onerror=alert(1)>", "__proto__"],
        [0, 1],
        [1, 2],
    ),
}
REFUSED = {
    "": "two numbers", "a\nb\n": "line 2", "1\n2\n": "line 2", "1,2\nfoo,bar\n": "line 2",
    "x,y\n1,2\n3,oops\n": "line 3", "x,y\n1,2\n3,\n": "line 3", "x,y\n1,2\n3,nan\n": "line 3",
    "x,y\n1,2\n3,1e999\n": "line 3", "1.000,5;2\n3;4\n": "line 1",
}  # fmt: skip


@pytest.mark.browser
def test_the_page_reads_columns_as_they_are_written(open_page):
    page = open_page()
    read = """text => {
        try {
            const table = PartitopePoints.readColumns(text);
            return [table.names, table.usual, PartitopePoints.pairs(table, table.usual)[0]];
        } catch (problem) { return problem.message; }
    }"""
    for text, expected in TEXTS.items():
        assert page.evaluate(read, text) == list(expected), text
    for text, words in REFUSED.items():
        assert words in page.evaluate(read, text), text


def test_points_too_far_out_are_refused(tmp_path, capsys):
    file, page = tmp_path / "points.csv", tmp_path / "page.html"
    file.write_text("x,y\n1,2\n3,1e61\n")
    assert run(["explore", str(file), "-k", "2", "--export", str(page)]) == 2
    assert "at most 1e+60 is shown" in capsys.readouterr().err


def test_the_command_takes_named_columns_and_says_what_it_took(tmp_path, capsys):
    file, page = tmp_path / "points.csv", tmp_path / "page.html"
    file.write_text("id,x,y,z\n1,5,7,2\n2,4,9,4\n3,8,8,6\n4,1,1,1\n")
    for more, first in [([], [1, 5]), (["--columns", "z,x"], [2, 5]), (["--columns", "3,4"], [7, 2])]:
        assert run(["explore", str(file), "-k", "2", "--export", str(page), *more]) == 0
        settings = json.loads(page.read_text().split('id="settings">')[1].split("</script>")[0])
        assert settings["state"]["points"][0] == first
        assert ("points of id and x" in capsys.readouterr().err) is (not more)
    for wrong in ("x", "x,q", "0,1", "x,y,z"):
        assert run(["explore", str(file), "-k", "2", "--export", str(page), "--columns", wrong]) == 2


@pytest.mark.parametrize("address", ["javascript:alert(1)", "https://a b", 'https://x"><script>', "data:text/html,x"])
def test_links_begin_with_an_address_of_the_web_only(address):
    with pytest.raises(InvalidInputError, match="address"):
        build_page(address=address)


@pytest.mark.parametrize("kind", ["lsa", "csa"])
@pytest.mark.parametrize("scale", [1e-150, 1e-30, 1e30, 3e59])
def test_every_scale_that_is_let_in_has_an_answer(kind, scale):
    points = (np.random.default_rng(0).normal(size=(30, 2)) * scale).tolist()
    reply = answer({"kind": kind, "points": points, "sites": points[:3], "lower": [8] * 3, "upper": [12] * 3})
    assert sum(reply["sizes"]) == 30
    assert np.isfinite(reply["primal"])
    json.dumps(reply, allow_nan=False)
