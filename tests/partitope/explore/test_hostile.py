"""What nobody meant to send: files, bodies and links are read rightly or refused in one sentence, and nothing drops."""

from __future__ import annotations

import http.client
import json
import socket

import numpy as np
import pytest

from partitope.base.errors import InvalidInputError
from partitope.cli import run
from partitope.explore.answer import State, answer
from partitope.explore.page import build_page

JSON = {"Content-Type": "application/json"}
GOOD = {"kind": "lsa", "points": [[0, 0], [1, 0], [2, 3]], "sites": [[0, 0], [2, 2]], "lower": [1, 1], "upper": [2, 2]}
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


BODIES = [
    ({"points": [[1e200, 0], [0, 0], [1, 1]]}, "points reach 1e+200"),
    ({"sites": [[-1e200, 0], [0, 0]]}, "sites reach 1e+200"),
    ({"upper": [10**400, 2]}, "upper has an entry of 401 digits"),
    ({"points": [[10**400, 0]]}, "points must be"),
    ({"points": "x"}, "points must be"),
    ({"points": [["1", "2"]] * 3}, "points must be"),
    ({"sites": [[True, False], [0, 0]]}, "sites must be"),
    ({"points": {"a": 1}}, "points must be"),
    ({"lower": [-1, 0]}, "lower must be"),
    ({"kind": ["lsa"]}, "kind="),
]


def reply_to(server, body: bytes | str, **headers: str) -> tuple[int, dict]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=30)
    connection.request("POST", "/api/answer", body, {**JSON, **headers})
    reply = connection.getresponse()
    return reply.status, json.loads(reply.read())


def test_bodies_that_are_no_states_are_told_so_and_the_next_is_answered(server):
    texts: list[tuple[str | bytes, str]] = [(json.dumps({**GOOD, **change}), words) for change, words in BODIES]
    texts += [
        ("[" * 100_000, ""),
        ('{"a":' * 50_000, ""),
        (b"\xff\xfe", ""),
        ("[" * 90_000 + "]" * 90_000, "nested"),
        ("", ""),
    ]
    texts += [('{"kind": "lsa", "points": [[NaN, 1]]}', ""), ("1" * 5000, "")]
    for body, words in texts:
        status, said = reply_to(server, body)
        assert status == 400
        assert words in said["error"]
        assert len(said["error"]) < 300
        assert "\n" not in said["error"]
    assert reply_to(server, json.dumps(GOOD))[0] == 200
    assert reply_to(server, b" " * 3_000_001)[0] == 413  # all of it is sent, and the reply still arrives


def test_pages_of_other_sites_are_not_answered(server):
    body, here = json.dumps(GOOD), f"http://127.0.0.1:{server.server_port}"
    for kind in ("application/json; charset=utf-8", "Application/JSON", "application/json;a=b"):
        assert reply_to(server, body, **{"Content-Type": kind, "Origin": here})[0] == 200
    for kind in ("text/plain", "text/plain; a=json", "text/plain; application/json", "application/jsonp", "json", ""):
        assert reply_to(server, body, **{"Content-Type": kind})[0] == 415
    for origin in ("http://evil.example", "null", "", here + ".evil.example", "https" + here[4:], "http://127.0.0.1:1"):
        assert reply_to(server, body, Origin=origin)[0] == 403
    assert reply_to(server, body, Origin=here.replace("127.0.0.1", "localhost"))[0] == 200


def test_an_unforeseen_failure_is_a_reply(server, monkeypatch):
    assert reply_to(server, json.dumps(GOOD))[0] == 200
    monkeypatch.setattr("partitope.explore.server.answer", lambda state: 1 / 0)
    status, said = reply_to(server, json.dumps(GOOD))
    assert status == 500
    assert "no answer" in said["error"]


@pytest.mark.parametrize(
    "head", [b"PUT / HTTP/1.1", b"\x00\xff\x01", b"GET / HTTP/9.9", b"GET /" + b"a" * 70_000 + b" HTTP/1.1"]
)
def test_requests_that_are_none_are_answered_in_a_sentence(server, head):
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=30) as line:
        line.sendall(head + b"\r\nHost: x\r\n\r\n")
        reply = b"".join(iter(lambda: line.recv(65536), b""))
    assert "GET / or /article" in json.loads(reply.rpartition(b"\n")[2])["error"]


@pytest.mark.parametrize("kind", ["lsa", "csa"])
@pytest.mark.parametrize("scale", [1e-150, 1e-30, 1e30, 3e59])
def test_every_scale_that_is_let_in_has_an_answer(kind, scale):
    points = (np.random.default_rng(0).normal(size=(30, 2)) * scale).tolist()
    reply = answer(State.of({"kind": kind, "points": points, "sites": points[:3], "lower": [8] * 3, "upper": [12] * 3}))
    assert sum(reply["sizes"]) == 30
    assert np.isfinite(reply["primal"])
    json.dumps(reply, allow_nan=False)
