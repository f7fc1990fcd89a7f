"""The HTML report: complete in itself, well formed, escaped; its pictures drawn for every kind of row."""

from __future__ import annotations

import base64
import re
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from partitope.commands.compare.report import comparison_report
from partitope.compare.result import Row
from partitope.compare.run import compare
from partitope.datasets.dataset import Dataset
from partitope.output.html_pages import as_html

VOID = {"meta", "img", "br", "link", "hr"}


class Outline(HTMLParser):
    """Tags that were opened and not closed, and every address that the document names."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.addresses: list[str] = []
        self.alts: list[str] = []

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)
        values = dict(attrs)
        self.addresses += [values[name] for name in ("src", "href") if name in values]
        if tag == "img":
            self.alts.append(values.get("alt", ""))
        assert tag != "script"

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def table(n: int = 90, classes: int = 2) -> Dataset:
    rng = np.random.default_rng(1)
    y = np.arange(n) % classes
    X = pd.DataFrame({f"x{c}": np.round(rng.normal(size=n) + y, 1) for c in range(3)})
    return Dataset(X, np.array(["<b>no</b>", "$yes$ & more", "perhaps"])[y], "a<i>b</i>.csv", "t$1$")


@cache
def result(classes: int = 2):
    return compare(table(classes=classes), 3, lower=25, upper=[30, 35, 40], folds=2, starts=1)


@cache
def page(classes: int = 2) -> str:
    return as_html(comparison_report(result(classes)))


@pytest.mark.parametrize("classes", [2, 3])
def test_report_is_one_well_formed_file_that_loads_nothing(classes):
    text = page(classes)
    outline = Outline()
    outline.feed(text)
    outline.close()
    assert outline.open == []
    assert len(outline.addresses) >= 2
    assert all(address.startswith("data:image/svg+xml;base64,") for address in outline.addresses)
    assert all(outline.alts)
    assert "url(" not in text
    for address in outline.addresses:
        svg = base64.b64decode(address.partition(",")[2]).decode()
        assert ElementTree.fromstring(svg).tag.endswith("svg")
        assert not re.search(r'(href|src)="(?!#|data:)', svg)


def test_names_from_the_table_are_escaped():
    text = page()
    assert "<b>no</b>" not in text
    assert "<i>b</i>" not in text
    assert "a&lt;i&gt;b&lt;/i&gt;.csv" in text
    assert "$yes$ &amp; more" in text


def test_table_shows_every_method_and_reasons_of_those_left_out():
    text = page()
    for row in result().rows:
        assert f'<th scope="row">{row.method.name}</th>' in text
        if row.partition is None:
            assert "left out: needs covariates" in text


@pytest.mark.parametrize("classes", [2, 3])
def test_clusters_of_pkm_are_read_in_words_and_drawn(classes):
    text = page(classes)
    assert "Reading the clusters of pkm" in text
    row = next(row for row in result(classes).rows if row.method.name == "pkm")
    for i, size in enumerate(row.partition.sizes):
        assert f"<li>Cluster {i}: {size:g} of 90 rows" in text
    words = text[text.index("Reading the clusters") :]
    assert "&lt;b&gt;no&lt;/b&gt;" in words
    assert "column by column: bars are the shares" in words
    numbers = [int(n) for n in re.findall(r"<b>Figure (\d+)\.</b>", text)]
    assert numbers == list(range(1, len(numbers) + 1))


def test_report_of_a_comparison_in_which_nothing_ran():
    empty = replace(result(), rows=tuple(Row(row.name, row.method, note="it did not work") for row in result().rows))
    text = as_html(comparison_report(empty))
    assert "it did not work" in text
    assert "<img" not in text
